"""Turns: who said what, and the verdict that came with the words (rules LOOP-2, LOOP-7, FOCUS-1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

USER = "user"
UNVERIFIED_NOTE = "unverified: "
"""Begins a note on a turn that is about a claim, not about the voice."""


@dataclass(frozen=True, slots=True)
class OffTopic:
    """What a contribution drifted to, and the step or phase that it belongs to, where there is one."""

    subject: str
    belongs_to: str | None = None
    is_chat: bool = False
    """Whether it is small talk, which has nothing to do with the item and is not kept for later."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a contribution: whom it opposes, where it drifts, which turns decide something."""

    opposes: int | None = None
    off_topic: OffTopic | None = None
    decisions: tuple[int, ...] = ()

    def missing_turns(self, number: int) -> tuple[int, ...]:
        """The turns that it refers to and that do not exist when it comes with turn `number`."""
        opposed = () if self.opposes is None or 1 <= self.opposes < number else (self.opposes,)
        return opposed + tuple(turn for turn in self.decisions if not 1 <= turn <= number)

    def within(self, number: int) -> Verdict:
        """The same verdict without references to turns that do not exist."""
        opposes = self.opposes if self.opposes is not None and 1 <= self.opposes < number else None
        decisions = tuple(turn for turn in self.decisions if 1 <= turn <= number)
        return replace(self, opposes=opposes, decisions=decisions)


NEUTRAL = Verdict()


@dataclass(frozen=True, slots=True)
class Turn:
    """One contribution by a persona or the user, with its verdict and what the checks noted.

    The user's words are `relayed` where another program passed them on.
    """

    number: int
    speaker: str
    text: str
    verdict: Verdict = NEUTRAL
    notes: tuple[str, ...] = ()
    relayed: bool = False


@dataclass(frozen=True, slots=True)
class Parked:
    """A point that was put off, with the step or phase where it belongs."""

    subject: str
    belongs_to: str | None
    turn: int
    speaker: str
    words: str


@dataclass(frozen=True, slots=True)
class Material:
    """A document that the step produced, as it stood when the elaboration began."""

    name: str
    text: str
