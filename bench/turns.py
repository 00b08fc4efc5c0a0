"""Discussions of ten turns whose words come at once, every turn durable before the next is asked for.

`python -m bench.turns one` holds some after each other, `many COUNT` so many at once, `bare` only appends and
syncs as many bytes; each prints its figures as JSON.
"""

from __future__ import annotations

import time

BEGAN = time.perf_counter()

import asyncio  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

from roundtable.runtime.session import Session  # noqa: E402
from roundtable.store.items import add_item  # noqa: E402
from roundtable.store.meta import change_meta  # noqa: E402
from roundtable.testing import ScriptedPanel  # noqa: E402

STEP = "01-03"
TURNS = 10
_WORDS = ("Alex, how many forms are locked at once?", "Two at most.", "We go with merging.", "And offline?")


def make_items(root: Path, count: int) -> list[str]:
    """Add so many items at a completed step, each with a document to discuss; return their names."""
    names = []
    for number in range(count):
        folder = add_item(root, f"Offline forms {number}\n\nInspectors work without signal.", commit=None)
        (folder / "requirements-spec.md").write_text("# Requirements\n\n## 3. Journeys\n\nAn inspector.\n")
        change_meta(folder, lambda meta: meta["steps_completed"].append(STEP))
        names.append(folder.name)
    return names


async def discuss(root: Path, name: str) -> list[float]:
    """Hold a discussion to its end, and return when each of its ten turns was shown."""
    session = Session(root, name, step=STEP, panel=ScriptedPanel())
    for words in _WORDS:
        session.say(words)
    session.say("done")
    session.hang_up()
    return [time.perf_counter() async for line in session.lines() if line.turn]


def hold_one() -> dict[str, float]:
    """Return what the first discussion takes in this process, and the median turn of some more."""
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        root = Path(folder)
        names = make_items(root, 6)
        first, *others = names
        syncs, sync = 0, os.fsync

        def count_and_sync(file: int) -> None:
            nonlocal syncs
            syncs += 1
            sync(file)

        os.fsync = count_and_sync  # type: ignore[assignment]
        shown = asyncio.run(discuss(root, first))
        cold = (shown[0] - BEGAN) * 1000
        taken = []
        for name in others:
            start, cpu = time.perf_counter(), time.process_time()
            turns = len(asyncio.run(discuss(root, name)))
            taken.append(((time.perf_counter() - start) / turns, (time.process_time() - cpu) / turns, turns))
    wall, used, turns = sorted(taken)[len(taken) // 2]
    return {
        "first_ms": cold, "turn_ms": wall * 1000, "turn_cpu_ms": used * 1000, "turns": turns,
        "syncs": syncs / len(names),
    }  # fmt: skip


def hold_many(count: int) -> dict[str, float]:
    """Return what so many discussions at once take."""
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        root = Path(folder)
        names = make_items(root, count)

        async def hold() -> int:
            return sum(map(len, await asyncio.gather(*(discuss(root, name) for name in names))))

        start, cpu = time.perf_counter(), time.process_time()
        turns = asyncio.run(hold())
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu_seconds": used, "turns": turns, "megabytes": memory}


def append_bare() -> dict[str, float]:
    """Return what a turn takes that is only appended to a file and synced."""
    taken = []
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        for number in range(5):
            file = os.open(Path(folder) / str(number), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
            start, cpu = time.perf_counter(), time.process_time()
            for _ in range(TURNS):
                os.write(file, b"x" * 600)
                os.fsync(file)
            taken.append(((time.perf_counter() - start) / TURNS, (time.process_time() - cpu) / TURNS))
            os.close(file)
    wall, used = sorted(taken)[len(taken) // 2]
    return {"turn_ms": wall * 1000, "turn_cpu_ms": used * 1000, "turns": TURNS}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["one"]:
            print(json.dumps(hold_one()))
        case ["bare"]:
            print(json.dumps(append_bare()))
        case [_, count]:
            print(json.dumps(hold_many(int(count))))
