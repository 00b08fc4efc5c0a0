"""Turns: who said what, and the verdict that came with the words (rules LOOP-2, LOOP-7, FOCUS-1).

The other things on the table are defined after them (TABLE-1).
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

USER = "user"
UNVERIFIED_NOTE = "unverified: "  # begins a note that is about a claim, not about the voice


class OffTopic(Struct, frozen=True):
    """What a contribution drifted to, and the step or phase that it belongs to, if any."""

    subject: str
    belongs_to: str | None = None
    is_chat: bool = False  # small talk has nothing to do with the item and is not kept for later


class Verdict(Struct, frozen=True):
    opposes: int | None = None  # a turn
    off_topic: OffTopic | None = None
    decisions: tuple[int, ...] = ()  # the turns that decide something

    def missing_turns(self, number: int) -> tuple[int, ...]:
        """Return the turns that it names but that do not exist when it comes with turn `number`."""
        wrong = () if self.opposes is None or 1 <= self.opposes < number else (self.opposes,)
        return (*wrong, *(turn for turn in self.decisions if not 1 <= turn <= number))

    def within(self, number: int) -> Verdict:
        """Return the same verdict without references to turns that do not exist."""
        missing = self.missing_turns(number)
        decisions = tuple(turn for turn in self.decisions if turn not in missing)
        return replace(self, opposes=None if self.opposes in missing else self.opposes, decisions=decisions)


NEUTRAL = Verdict()


class Turn(Struct, frozen=True):
    """One contribution by a persona or the user, with its verdict and what the checks noted."""

    number: int
    speaker: str
    text: str
    verdict: Verdict = NEUTRAL
    notes: tuple[str, ...] = ()
    relayed: bool = False  # a host passed on the user's words, perhaps not word for word
    by: str = ""  # who said it, if several people share the table


class Parked(Struct, frozen=True):
    subject: str  # what was put off
    belongs_to: str | None  # the step or phase
    turn: int
    speaker: str
    words: str


class Material(Struct, frozen=True):
    name: str
    text: str  # of a document, as it was when the elaboration began


class LookedUp(Material, frozen=True):  # code that a speaker asked to see
    after: int  # the number of turns at that time: it stays after them (TABLE-1)


class Known(Struct, frozen=True):
    """What else is on the table besides the item's documents, as it was at the beginning (TABLE-1)."""

    related: tuple[Material, ...] = ()  # decisions of other items, and the project's own decision records
    pages: tuple[Material, ...] = ()  # what was decided so far, what is still open and what was put off
    excerpts: tuple[Material, ...] = ()  # code, each piece under its `path:line`
    corrections: tuple[str, ...] = ()  # what the user said about the code (TABLE-2)


NOTHING_KNOWN = Known()
