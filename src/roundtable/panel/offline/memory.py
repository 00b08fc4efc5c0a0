"""Memory: which points were made in a discussion, recovered from the words of its turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...core.commands import Table
from ...core.turns import USER, Turn
from .phrases import content
from .probes import Library, Phrase, Probe


@dataclass(frozen=True, slots=True)
class Made:
    """A point that was really made: by whom, in which turn, from which probe, with which values."""

    turn: int
    speaker: str
    probe: Probe
    phrase: Phrase
    values: Mapping[str, str]

    @property
    def question(self) -> str | None:
        """The question that the point leaves open."""
        return self.phrase.open.fill(self.values) if self.phrase.open else None

    @property
    def insight(self) -> str | None:
        return self.phrase.insight.fill(self.values)

    @property
    def action(self) -> str | None:
        return self.phrase.action.fill(self.values) if self.phrase.action else None


def recall(turn: Turn, library: Library, *, replying: bool = True) -> Made | None:
    """The point that a persona's turn makes; None where the words come from no probe and no reply."""
    found = None if turn.speaker == USER else _recovered(turn.speaker, turn.text, library, replying)
    return Made(turn.number, turn.speaker, *found) if found else None


@lru_cache(maxsize=512)
def _recovered(
    speaker: str, text: str, library: Library, replying: bool
) -> tuple[Probe, Phrase, dict[str, str]] | None:
    """Kept, because every speaker asks for every turn before it."""
    low = text.lower()
    for probe, phrase in library.phrases(speaker).standing_in(low):
        values = phrase.text.recover(text)
        if values is not None:
            return probe, phrase, values
    if replying:
        for probe, phrase in library.spoken_replies(speaker).standing_in(low):
            # Between its slots a text may hold next to nothing of its own.
            if "{" not in phrase.text.text or phrase.text.recover(text) is not None:
                return probe, phrase, {}
    return None


def is_stock(turn: Turn, library: Library) -> bool:
    """True where a turn is a line for an occasion: it takes something up and makes no point of its own."""
    return any(line.text.recover(turn.text) is not None for line in library.stock)


def recall_all(table: Table, library: Library) -> tuple[Made, ...]:
    """The points made so far, in order."""
    # Nobody replies before the user has spoken; until then the replies need not be read.
    first = next((turn.number for turn in table.turns if turn.speaker == USER), len(table.turns))
    found = (recall(turn, library, replying=turn.number > first) for turn in table.turns)
    return tuple(made for made in found if made is not None)


def still_open(made: tuple[Made, ...], table: Table) -> tuple[tuple[Made, str], ...]:
    """The questions that points left open and that no later words of the user take up, the latest first."""
    found = []
    for each in reversed(made):
        question = each.question
        if question is None:
            continue
        asked = set(content(question))
        later = (turn for turn in table.turns[each.turn :] if turn.speaker == USER)
        if not any(len(asked & set(content(turn.text[:2_000]))) >= min(3, len(asked)) for turn in later):
            found.append((each, question))
    return tuple(found)
