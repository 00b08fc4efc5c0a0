"""Speed: the time for a contribution, the time until a command shows a line, and what is read before it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..content.catalogue import load_steps
from ..core.commands import WriteStep
from ..core.errors import PanelFailed
from ..core.events import SectionText
from ..store.items import add_item
from ..store.meta import change_meta
from ..store.outputs import Outputs
from .discussion import Trial
from .figure import Bound, Figure

_PER_CONTRIBUTION = Bound("below", 5)
_TO_FIRST_LINE = Bound("below", 300)
_RUNS = 5
_STEP = "00-01"
# Runs a command and says on stderr which of the panel's files were opened before the introduction was shown.
_WATCHED = """
import os, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from roundtable.surfaces.cli.main import main
write = sys.stdout.write
def watched(text):
    if '"introduction"' in text:
        loaded = {os.path.basename(name) for name in opened if name.endswith(".toml") and "probes" in name}
        sys.stderr.write(f"loaded: {' '.join(sorted(loaded))}\\n")
    return write(text)
sys.stdout.write = watched
raise SystemExit(main(sys.argv[1:]))
"""


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """The time for a contribution after the start, and from a command to its first line."""
    yield from contributions(trials)
    yield from commands()


def contributions(trials: Sequence[Trial]) -> Iterator[Figure]:
    """What the panel took for each contribution; the first item is the start, where everything is read."""
    taken = sorted(
        each.milliseconds
        for trial in trials[1:] or trials
        for discussion in trial.discussions
        for each in discussion.contributions
    )
    if not taken:
        return
    middle, slow = statistics.median(taken), taken[int(0.95 * (len(taken) - 1))]
    yield Figure("a contribution, median", middle, "ms", _PER_CONTRIBUTION, f"{len(taken)} measured")
    yield Figure("a contribution, 95 of 100", slow, "ms", _PER_CONTRIBUTION, f"slowest {taken[-1]:.1f} ms")


def commands() -> Iterator[Figure]:
    """From the start of a process to its first line, and what the panel had read by then."""
    for command in (("analyze",), ("elaborate", "--step", _STEP)):
        runs = [_first_line(command) for _ in range(_RUNS + 1)][1:]
        middle = statistics.median(run.wall for run in runs)
        worst, busy = max(run.wall for run in runs), statistics.median(run.busy for run in runs)
        counted = f"worst of {_RUNS} {worst:.0f} ms" + (f", of it computing {busy:.0f} ms" if busy else "")
        yield Figure(f"{command[0]}, to the first line", middle, "ms", _TO_FIRST_LINE, counted)
    read = loaded_before_introduction()
    yield Figure(
        "files read before the introduction", len(read), "", Bound("at most", 0), "of the panel", read
    )


def loaded_before_introduction() -> tuple[str, ...]:
    """The files of the panel that `elaborate` has opened when the introduction is shown."""
    with tempfile.TemporaryDirectory(prefix="roundtable-eval-") as home:
        slug = _completed_step(Path(home))
        command = ["--root", home, "--json", "elaborate", slug, "--step", _STEP, "--answers", "-"]
        ran = subprocess.run(
            [sys.executable, "-c", _WATCHED, *command],
            input="done\n", capture_output=True, text=True, env=_environment(), check=False,
        )  # fmt: skip
    for line in ran.stderr.splitlines():
        if line.startswith("loaded:"):
            return tuple(line.split()[1:])
    raise PanelFailed(f"No introduction was shown: {ran.stderr.strip() or 'nothing was said'}.")


@dataclass(frozen=True, slots=True)
class _Run:
    """What passed until the first line, and how much of it was computing: on a busy machine that differs."""

    wall: float
    busy: float


def _first_line(command: tuple[str, ...]) -> _Run:
    """How long a command takes to its first line, in a project where nothing was begun."""
    with tempfile.TemporaryDirectory(prefix="roundtable-eval-") as home:
        slug = _completed_step(Path(home))
        return _timed(
            [sys.executable, "-m", "roundtable", "--root", home, "--json", command[0], slug, *command[1:]]
        )


def _timed(command: list[str]) -> _Run:
    start = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        run = _Run((time.perf_counter() - start) * 1000, _computed(process.pid))
        process.stdout.read()
    if not line or not isinstance(json.loads(line), dict):
        raise PanelFailed(f"No line was shown by: {' '.join(command[1:])}.")
    return run


def _computed(pid: int) -> float:
    """The milliseconds that a process has computed so far; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1_000_000
    except (OSError, ValueError, IndexError):
        return 0.0


def _completed_step(home: Path) -> str:
    """A small item with one completed step; the name of its folder."""
    steps = load_steps()
    step = next(each for each in steps if each.step_id == _STEP)
    folder = add_item(home, "Members renew a loan by answering a text message.", commit=None)
    text = "**Change**: A member answers a reminder and the loan is renewed."
    sections = tuple(SectionText(target, text) for target in step.targets)
    Outputs(folder, steps).write_step(WriteStep(step, sections))
    change_meta(folder, lambda meta: meta.update(steps_completed=[_STEP]))
    return folder.name


def _environment() -> dict[str, str]:
    """Ours, with compiled files allowed: who starts a command the second time has them."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
