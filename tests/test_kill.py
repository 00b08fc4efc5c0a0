"""A real process, killed for real at every durable write of an elaboration, goes on and finishes once."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from project import meta, project, small_steps, talk

WORDS = (
    "E",
    "Alex, how many forms are locked at once?",
    "We go with merging field by field.",
    "done",
    "The office may be offline too.",
)
CHUNKS = 4
KILLED = Path(__file__).parent / "killed.py"


@dataclass
class Conversation:
    """Holds a conversation with the program over pipes, and after a kill says only what did not count."""

    root: Path
    item: str
    used: int = 0
    sent: int = 0
    turns: dict[int, str] = field(default_factory=dict)

    def run(self, log: Path, *, kill_at: int = 0) -> int:
        """One run of the same command; what it exits with."""
        program = [sys.executable, str(KILLED), str(kill_at), str(log)]
        command = ["analyze", self.item, "--json", "--answers", "-", "--root", str(self.root)]
        process = subprocess.Popen(
            [*program, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        with process.stdin, process.stdout:
            for raw in process.stdout:
                line = json.loads(raw)
                if line["kind"] == "contribution":
                    assert self.turns.setdefault(line["turn"], line["text"]) == line["text"]
                if line["speaker"] == "user" and line["text"] in WORDS:
                    self.used = max(self.used, WORDS.index(line["text"]) + 1)
                if line["kind"] == "listen":
                    self._say(process.stdin)
        return process.wait()

    def _say(self, pipe: object) -> None:
        try:
            if self.used < len(WORDS):
                pipe.write((WORDS[self.used] + "\n").encode())  # type: ignore[attr-defined]
                pipe.flush()  # type: ignore[attr-defined]
            else:
                pipe.close()  # type: ignore[attr-defined]
        except BrokenPipeError:
            pass


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A project at the menu of its first completed step."""
    root, item = project(tmp_path_factory.mktemp("kill") / "project")
    small_steps(root)
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    return root, item.name


@pytest.fixture(scope="module")
def points(prepared: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of all durable points that the elaboration passes, in order."""
    folder = tmp_path_factory.mktemp("dry")
    shutil.copytree(prepared[0], folder / "project", symlinks=True)
    log = folder / "points"
    status = Conversation(folder / "project", prepared[1]).run(log)
    assert status == 0
    return log.read_text().splitlines()


def check(root: Path, conversation: Conversation, point: str) -> None:
    item = root / "docs" / "requirements" / conversation.item
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == len(conversation.turns), point
    marker = f"<!-- Elaboration: step 00-01, {record['timestamp']} -->"
    document = (item / "quick-scan.md").read_text()
    assert document.count(marker) == document.count("<!-- Elaboration:") == 1, point
    assert document.count("The office may be offline too.") == 1, point
    (transcript,) = sorted((item / "elaborations").iterdir())
    text = transcript.read_text()
    for number in conversation.turns:
        assert f'<a id="turn-{number}"></a>' in text, point
    assert re.findall(r"merging field by field", document), point
    assert not [path for path in item.rglob("*") if path.name.startswith(".roundtable-")], point


@pytest.mark.rule("GREET-6", "ART-5", "META-4", "META-5", "SYN-6")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_any_write_it_goes_on_and_finishes_exactly_once(
    chunk: int,
    prepared: tuple[Path, str],
    points: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert len(points) >= 30
    with capsys.disabled():
        if chunk == 0:
            # Past the workers of xdist, whose standard output nobody sees.
            os.write(2, f"\n{len(points)} kill points\n".encode())
    for number in range(chunk + 1, len(points) + 1, CHUNKS):
        root = tmp_path / str(number)
        shutil.copytree(prepared[0], root, symlinks=True)
        conversation = Conversation(root, prepared[1])
        log = tmp_path / f"{number}.log"
        killed = conversation.run(log, kill_at=number)
        assert killed == -signal.SIGKILL, f"{number}: {points[number - 1]}"
        assert conversation.run(log) == 0, f"{number}: {points[number - 1]}"
        check(root, conversation, f"{number}: {points[number - 1]}")
        shutil.rmtree(root)


@pytest.mark.rule("GREET-6", "META-4", "META-5")
@pytest.mark.parametrize("lost", [1, 2])
def test_what_a_power_cut_takes_back_is_done_again_once(
    prepared: tuple[Path, str], tmp_path: Path, lost: int
) -> None:
    """Documents and record are written, and the journal, which is not synced for that, forgot it."""
    root = tmp_path / "project"
    shutil.copytree(prepared[0], root, symlinks=True)
    item = root / "docs" / "requirements" / prepared[1]
    talk(root, item, WORDS[:4])
    journal = item / ".journal" / "00-01.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert [json.loads(line)["event"] for line in lines[-2:]] == ["DocumentsWritten", "RecordSaved"]
    journal.write_bytes(b"".join(lines[:-lost]))
    before = (meta(item)["elaborations"], (item / "quick-scan.md").read_bytes())
    shown = talk(root, item, WORDS[4:])
    assert meta(item)["elaborations"] == before[0]
    assert len(list((item / "elaborations").iterdir())) == 1
    after = (item / "quick-scan.md").read_text()
    assert after.count("<!-- Elaboration:") == 1
    assert after.replace("The office may be offline too.", "") != after
    assert shown[-1].kind == "paused"
