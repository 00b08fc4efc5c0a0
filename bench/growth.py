"""Growth: what takes how long as documents, records, items, files and discussions get more.

Processor time; survey and discussions by the clock.
The figures are kept in bench/results; `python -m bench.growth chart` draws those that were kept last, as
docs/speed.md shows them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path

from roundtable import insert_addition
from roundtable.project import Project
from roundtable.store.items import add_item
from roundtable.store.meta import append_elaboration, change_meta

from .peers import RESULTS, keep_figures
from .survey import measure_survey

SIZES: dict[str, tuple[int, ...]] = {
    "insert a block, KB of the document": (10, 30, 100, 300, 1_000),
    "insert a block, KB of tiny sections": (10, 30, 100, 300, 1_000),
    "append a record, records in meta.json": (1, 10, 100, 1_000),
    "list, items": (20, 200, 2_000),
    "survey, files": (1_000, 10_000, 100_000),
    "discussions of ten turns at once": (10, 100, 1_000),
}
TARGETS = {
    ("insert a block, KB of the document", 1_000): 500.0,
    ("insert a block, KB of tiny sections", 1_000): 500.0,
}
"""Milliseconds that are wanted at most."""
BLOCK = "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n\n### Insights\n\n- [Maya] One.\n"
_PAGES = sorted(Path(__file__).parents[1].joinpath("docs").glob("*.md"))
_WIDTH = 40


def measure() -> Iterator[str]:
    found: dict[str, dict[str, float]] = {}
    kinds: tuple[Callable[[int], float], ...] = (
        insert,
        insert_below_headings,
        append,
        list_items,
        survey,
        discuss,
    )
    for (name, sizes), take in zip(SIZES.items(), kinds, strict=True):
        found[name] = {}
        for size in sizes:
            found[name][str(size)] = taken = take(size)
            most = TARGETS.get((name, size))
            verdict = "" if most is None else f"   target {most:.0f}, {'met' if taken <= most else 'missed'}"
            yield f"{name:<38}{size:8,}  {taken:10.1f} ms{verdict}"
    keep_figures("growth", found)


def insert(kilobytes: int) -> float:
    pages = b"".join(page.read_bytes() for page in _PAGES)
    document = (pages * (kilobytes * 1024 // len(pages) + 1))[: kilobytes * 1024]
    return _spend(lambda: insert_addition(document, BLOCK, topic="User Journeys"))


def insert_below_headings(kilobytes: int) -> float:
    """Insert into sections of 80 bytes, no two of them alike."""
    sections = (
        f"## {number:,}. Journey\n\nThe inspector goes down and comes back.\n\n- one\n- two\n\n"
        for number in count(1)
    )
    document = "".join(islice(sections, kilobytes * 1024 // 80)).encode()
    return _spend(lambda: insert_addition(document, BLOCK, topic="User Journeys"))


def append(records: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = add_item(Path(name), "Renew loans", commit=None)
        record = {
            "step_id": "01-03", "topic": "User Journeys", "turn_count": 8, "personas_active": ["a", "b"],
            "exit_reason": "user_exit", "synthesis_summary": "Identified two gaps in the journeys",
        }  # fmt: skip
        times = (datetime(2026, 2, 20, tzinfo=UTC) + timedelta(seconds=number) for number in count())
        made = ({**record, "timestamp": f"{each:%Y-%m-%dT%H:%M:%S}.000Z"} for each in times)
        kept = list(islice(made, records))
        change_meta(folder, lambda meta: meta["elaborations"].extend(kept))
        return _spend(lambda: append_elaboration(folder, next(made)))


def list_items(items: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        for number in range(items):
            add_item(Path(name), f"Offline forms {number}\n\nInspectors work without signal.", commit=None)
        project = Project(Path(name))
        return _spend(lambda: project.report(project.items()))


def survey(files: int) -> float:
    return measure_survey(files).seconds * 1000


def discuss(discussions: int) -> float:
    command = [sys.executable, "-m", "bench.turns", "many", str(discussions)]
    ran = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=True)
    return float(json.loads(ran.stdout)["seconds"]) * 1000


def _spend(action: Callable[[], object]) -> float:
    """Return the median of three runs in milliseconds of the processor, so that other work does not count."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        action()
        taken.append((time.process_time() - start) * 1000)
    return sorted(taken)[1]


def draw_chart(figures: dict[str, dict[str, float]]) -> str:
    """Return the figures as bars: each row in proportion to the longest of its group."""
    rows = []
    for name, taken in figures.items():
        rows.append(name)
        longest = max(taken.values())
        for size, value in taken.items():
            bar = "█" * max(1, round(_WIDTH * value / longest))
            rows.append(f"  {int(size):>9,}  {bar:<{_WIDTH}} {value:,.1f} ms")
    return "\n".join(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["chart"]:
        last = max(RESULTS.glob("growth-*.json"), key=os.path.getmtime)
        print(draw_chart(json.loads(last.read_text())["figures"]))
    else:
        for row in measure():
            print(row, flush=True)
