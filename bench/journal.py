"""The journal: an event on disk, against a bare write and fsync of as many bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from roundtable.catalogue import load_roster, load_steps
from roundtable.core.analysis import Opening
from roundtable.core.events import PersonaSpoke
from roundtable.core.steps import PHASES, Item
from roundtable.store.journal import Journal

from .stopwatch import median


def measure() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = Journal(folder, "00-01")
        steps = load_steps()
        journal.begin(Opening("step", Item("x", "X"), load_roster(), steps, PHASES[0], steps[0]))
        event = PersonaSpoke("solutions-architect", "Two options, and a risk. " * 20)
        before = journal.path.stat().st_size
        journal.append(event)
        size = journal.path.stat().st_size - before
        bare = os.open(folder / "bare", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

        def write() -> None:
            os.write(bare, b"x" * size)
            os.fsync(bare)

        floor = median(write, runs=200)
        taken = median(lambda: journal.append(event), runs=200)
        os.close(bare)
        yield f"write and fsync {size} bytes  {floor:6.2f} ms   1.0"
        yield f"one event                  {taken:6.2f} ms   {taken / floor:.1f}"
        replayed = median(journal.read)
        yield f"reading 201 events         {replayed:6.2f} ms"
