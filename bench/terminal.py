"""The terminal: from command to first prompt, and from E and Enter to the introduction."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect

from roundtable.store.items import add_item

_RUNS = 20
_PROMPT, _MENU, _HEARD = "›", "E Elaboration Mode", "turn 3 of 10"
_FIRST_PROMPT_LIMIT, _INTRODUCTION_LIMIT = 400, 50


def measure() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        starts, work = [], []
        for number in range(_RUNS + 1):
            root, before = _project(home / str(number)), _processor_time()
            began = time.perf_counter()
            process = _analyze(home, root)
            process.expect_exact(_PROMPT)
            starts.append((time.perf_counter() - began) * 1000)
            process.close(force=True)
            work.append(_processor_time() - before)
        row = _row("command to first prompt", starts[1:], _FIRST_PROMPT_LIMIT)
        yield f"{row}   (the processor's part: {statistics.median(work[1:]):.0f} ms)"
        yield _row("E and Enter to the introduction", list(_introductions(home)), _INTRODUCTION_LIMIT)


def _introductions(home: Path) -> Iterator[float]:
    root = _project(home / "one")
    answer = [sys.executable, "-m", "roundtable", "analyze", "--root", str(root)]
    subprocess.run(answer, input="I don't know\n" * 3, text=True, stdout=subprocess.DEVNULL, check=True)
    process = _analyze(home, root)
    for _ in range(_RUNS):
        process.expect_exact(_MENU)
        process.expect_exact(_PROMPT)
        began = time.perf_counter()
        process.send("E\r")
        process.expect_exact("ELABORATION MODE")
        yield (time.perf_counter() - began) * 1000
        process.expect_exact(_HEARD)
        process.send("done\r")
    process.close(force=True)


def _project(root: Path) -> Path:
    root.mkdir()
    add_item(root, "Renew loans by text message", commit=None)
    return root


def _processor_time() -> float:
    """What the processes that have ended took, in milliseconds: on a busy machine the clock says little."""
    times = os.times()
    return (times.children_user + times.children_system) * 1000


def _analyze(home: Path, root: Path) -> pexpect.spawn[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"HOME": str(home), "TERM": "xterm-256color", "ROUNDTABLE_USER_NAME": "Ada"}
    environment["ROUNDTABLE_PANEL"] = "offline"  # what this machine has is offered to nobody
    process: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        ["-m", "roundtable", "analyze", "--root", str(root)],
        env=environment,
        encoding="utf-8",
        dimensions=(40, 100),
        timeout=60,
    )
    process.delaybeforesend = None
    return process


def _row(name: str, taken: list[float], limit: int) -> str:
    median = statistics.median(taken)
    return f"{name:<34}{median:6.0f} ms   limit {limit} ms"
