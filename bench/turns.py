"""Turns: discussions of ten turns whose words come at once, beside a bare append and fsync, and LangGraph.

Run one of them alone with `python -m bench.turns one|many COUNT`; it prints figures as JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from roundtable.runtime.session import Session
from roundtable.store.items import add_item
from roundtable.store.meta import change_meta
from roundtable.testing import ScriptedPanel

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
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        root = Path(folder)
        first, *others = make_items(root, 6)
        shown = asyncio.run(discuss(root, first))
        cold = (shown[0] - began) * 1000
        taken = []
        for name in others:
            start, cpu = time.perf_counter(), time.process_time()
            turns = len(asyncio.run(discuss(root, name)))
            taken.append(((time.perf_counter() - start) / turns, (time.process_time() - cpu) / turns, turns))
    wall, used, turns = sorted(taken)[len(taken) // 2]
    return {"first_ms": cold, "turn_ms": wall * 1000, "turn_cpu_ms": used * 1000, "turns": turns}


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


if __name__ == "__main__":
    print(json.dumps(hold_one() if sys.argv[1] == "one" else hold_many(int(sys.argv[2]))))
