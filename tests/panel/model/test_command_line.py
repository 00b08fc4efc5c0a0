"""A whole elaboration with a program as the model, from the command line (FAIL-1, GREET-6)."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import CommandLine
from panel.model import words
from panel.model.words import SAYINGS, SYNTHESIS
from project import meta, project, small_steps, talk

CANARY = "canary-77ab-do-not-show"
ELABORATE = ("elaborate", "offline-forms", "--step", "00-01", "--json")
PROGRAM = """
import os, sys
sys.path.insert(0, {folder!r})
from words import answer
prompt = sys.stdin.read()
with open({calls!r}, "a") as calls:
    calls.write("-")
number = os.path.getsize({calls!r})
{before}
sys.stdout.write(answer(prompt))
"""


class Place:
    """A project at a completed step, and programs that speak and count how often they were asked."""

    def __init__(self, tmp: Path) -> None:
        self.root, self.item = project(tmp / "project")
        self.calls = tmp / "calls"
        self._program = tmp / "program.py"
        small_steps(self.root)
        talk(self.root, self.item, ["The inspector retypes forms.", "60 inspectors"])
        self.line = CommandLine(self.root)

    def model(self, before: str = "") -> tuple[str, str]:
        """The option that names a program which does this before it answers."""
        folder = str(Path(words.__file__).parent)
        text = PROGRAM.format(folder=folder, calls=str(self.calls), before=before)
        self._program.write_text(text)
        command = shlex.join([sys.executable, "-S", str(self._program), "--api-key", CANARY])
        return "--model", f"command:{command}"

    @property
    def asked(self) -> int:
        return self.calls.stat().st_size if self.calls.exists() else 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A place, and a look afterwards into every file for a key that was in arguments and environment."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    made = Place(tmp_path)
    monkeypatch.chdir(made.root)
    yield made
    for path in made.root.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes(), path


def holds_no_key(*texts: str) -> None:
    for text in texts:
        assert CANARY not in text


@pytest.mark.rule("LOOP-3", "SYN-6", "META-5")
def test_a_program_gives_the_personas_their_words(place: Place) -> None:
    ran = place.line.run(*ELABORATE, *place.model(), answers=["done"])
    assert ran.status == 0
    said = [line["text"] for line in ran.lines if line["kind"] == "contribution"]
    assert said[1:] == [
        f"Alex Rivera (Solutions Architect): {SAYINGS[2]}",
        f"Jordan Park (System Designer): {SAYINGS[3]}",
    ]
    assert place.asked == 4
    (record,) = meta(place.item)["elaborations"]
    assert record["synthesis_summary"] == SYNTHESIS["summary"]
    assert "- [Alex] Forms are retyped at night." in (place.item / "quick-scan.md").read_text()
    holds_no_key(ran.out, ran.err)


def test_a_program_needs_nothing_that_is_not_installed(place: Place) -> None:
    absent = ("anthropic", "genai_prices", "google", "openai", "opentelemetry", "pydantic", "pydantic_ai")
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r}));"
        "from roundtable.surfaces.cli.main import main; sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *ELABORATE, *place.model()],
        input=b"done\n",
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert len(meta(place.item)["elaborations"]) == 1


FAILURES = {
    "says nothing": "sys.exit(0)",
    "ends": "sys.exit('cannot use ' + sys.argv[-1] + ' nor ' + os.environ['OPENAI_API_KEY'])",
    "ends in the middle": "print('We should', flush=True); sys.exit(sys.argv[-1])",
    "dies": "print('We should', flush=True); os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.rule("FAIL-1", "GREET-6")
def test_where_it_fails_the_same_command_goes_on_there(place: Place, name: str) -> None:
    ran = place.line.run(*ELABORATE, "--debug", *place.model(f"if number >= 3: {FAILURES[name]}"))
    assert ran.status == 3
    assert ran.kinds[-1] == "error"
    assert "Everything said so far is saved." in ran.lines[-1]["text"]
    assert "Traceback" in ran.err
    holds_no_key(ran.out, ran.err)
    paid = place.asked
    again = place.line.run(*ELABORATE, *place.model(), answers=["done"])
    assert again.status == 0
    assert place.asked - paid == 2, "turn 3 and the synthesis"
    assert len(meta(place.item)["elaborations"]) == 1


@pytest.mark.rule("FAIL-1")
def test_a_program_that_is_not_there_is_status_3(place: Place) -> None:
    ran = place.line.run(*ELABORATE, "--model", f"command:no-such-oracle --key {CANARY}")
    assert ran.status == 3
    assert "command:no-such-oracle cannot be used" in ran.lines[-1]["text"]
    holds_no_key(ran.out, ran.err)


@pytest.mark.rule("GREET-6")
def test_killed_in_the_middle_of_a_stream_no_complete_turn_is_paid_twice(
    place: Place, tmp_path: Path
) -> None:
    speaking, gate = tmp_path / "speaking", tmp_path / "gate"
    for path in (speaking, gate):
        os.mkfifo(path)
    held = os.open(gate, os.O_RDWR)
    stuck = (
        "if number == 3:\n"
        "    print('We should', flush=True)\n"
        f"    gate = open({str(gate)!r}, 'rb', 0); open({str(speaking)!r}, 'w').close(); gate.read(1)\n"
    )
    process = place.line.spawn(*ELABORATE, *place.model(stuck))
    speaking.read_bytes()  # waits until turn 3 is being spoken
    process.kill()
    process.communicate()
    os.write(held, b"-")
    os.close(held)
    ran = place.line.run(*ELABORATE, *place.model(), answers=["done"])
    assert ran.status == 0
    assert place.asked == 5, "3 before, then turn 3 again and the synthesis"
    assert "We should" not in (place.item / "elaborations" / "00-01-1.md").read_text()
