"""An open discussion, seen from outside: reading about it changes nothing, even while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import RoundtableError
from ...store import files
from ...store.inside import JOURNAL_FOLDER, journal_home

if TYPE_CHECKING:
    from ...core.elaboration import Elaboration
    from ...store.journal import Journal

_LARGEST = 64 * 1024 * 1024
# The events that every discussion begins with, and ends with.
_BEGUN, _ENDED = b'"ContextRead"', (b'"RecordSaved"', b'"RecordFailed"')


@dataclass(frozen=True, slots=True)
class Discussion:
    """A discussion that was begun and not ended."""

    step_id: str
    turn: int
    max_turns: int


def open_discussion(folder: Path) -> Discussion | None:
    """The discussion that the journals hold; None where there is none, or none that can be read."""
    try:
        is_open = any(_may_be_open(_data(path)) for path in journal_home(folder).glob("*.jsonl"))
    except (OSError, RoundtableError):
        return None
    if not is_open:
        return None
    from ...store.journal import journals  # late: it brings the whole machine along

    for journal in journals(folder):
        elaboration = _elaboration(journal)
        if elaboration is not None:
            turns = len(elaboration.turns)
            return Discussion(elaboration.step.step_id, turns, elaboration.max_turns)
    return None


def _may_be_open(data: bytes) -> bool:
    """False where a glance at the journal shows that no discussion is open in it."""
    return data.rfind(_BEGUN) > max(data.rfind(event) for event in _ENDED)


def _data(path: Path) -> bytes:
    return files.read(path, limit=_LARGEST, follow_link=False)


def _elaboration(journal: Journal) -> Elaboration | None:
    from tempfile import TemporaryDirectory

    from ...core.analysis import Analysis
    from ...core.events import Failed

    # Reading mends a journal or sets it aside, which is not for an onlooker to do: a copy is read.
    try:
        with TemporaryDirectory(prefix="roundtable-") as copy:
            home = Path(copy) / JOURNAL_FOLDER
            home.mkdir()
            (home / journal.path.name).write_bytes(_data(journal.path))
            recorded = type(journal)(Path(copy), journal.name).read()
        if recorded is None:
            return None
        analysis, _ = Analysis.begin(recorded.opening)
        for event in recorded.events:
            if not isinstance(event, Failed):
                analysis, _ = analysis.receive(event)
    except (OSError, RoundtableError):
        return None
    return analysis.elaboration
