"""Killed for real in the middle of a stream, the next start pays only for what was not complete."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from project import meta, project, small_steps, talk
from roundtable.store import ledger

CANARY = "sk-canary-0123456789abcdef"
MODEL = """
import json, os, re, sys, time
home = sys.argv[1]
prompt = sys.stdin.read()
brief = prompt[prompt.rfind("Now "):]
turn = re.match(r"Now turn (\\d+)", brief)
what = turn[1] if turn else "synthesis" if brief.startswith("Now the synthesis") else "framing"
with open(os.path.join(home, "asked"), "a") as log:
    log.write(what + "\\n")
if what == "framing":
    print(json.dumps({"summary": "So far.", "focus_question": "Who decides?", "focus_topic": "deciding"}))
elif what == "synthesis":
    print(json.dumps({"insights": [{"text": "Wide.", "turns": [2]}], "decisions": [], "questions": [],
                      "actions": [], "summary": "Identified 1 gap"}))
else:
    print(f"The desk asks in turn {what} and then", flush=True)
    if what == "3" and os.path.exists(os.path.join(home, "hang")):
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(0.01)
        sys.exit(1)
    print("it waits.")
"""


@pytest.mark.rule("GREET-6", "FAIL-1")
def test_a_turn_that_was_complete_is_not_paid_for_twice(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    small_steps(root)
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "hang").touch()
    model = "command:" + shlex.join([sys.executable, str(tmp_path / "model.py"), str(tmp_path)])
    command = [sys.executable, "-m", "roundtable", "--root", str(root), "--json", "--model", model]
    command += ["elaborate", item.name, "--step", "00-01", "--answers", "-"]
    environment = {**os.environ, "OPENAI_API_KEY": CANARY}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        turns = 0
        while turns < 2:
            turns += json.loads(process.stdout.readline())["kind"] == "contribution"
        while "3\n" not in (tmp_path / "asked").read_text():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    (tmp_path / "hang").unlink()
    again = subprocess.run(command, input=b"done\n", capture_output=True, env=environment, check=False)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "asked").read_text().split() == ["framing", "2", "3", "3", "synthesis"]
    assert meta(item)["elaborations"][0]["turn_count"] == 3
    assert [entry.purpose for entry in ledger.read(item)] == [
        "framing", "contribution", "contribution", "contribution", "synthesis",
    ]  # fmt: skip
    assert sum(b'"number"' in line for line in _lines(item)) == 9, (
        "the one that was killed has no second line"
    )
    files = [path for path in root.rglob("*") if path.is_file()]
    assert [path for path in files if CANARY.encode() in path.read_bytes()] == []
    assert CANARY.encode() not in again.stdout + again.stderr


def _lines(item: Path) -> list[bytes]:
    return (item / ".journal" / "spent.log").read_bytes().splitlines()
