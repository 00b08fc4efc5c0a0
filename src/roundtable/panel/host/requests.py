"""Requests: what is asked of the host, one at a time, and the replies that it may send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...core.commands import AskFeedback, AskFollowUp, AskSynthesis, Brief, StepBrief, Table
from ...core.personas import Persona
from ...core.steps import Target
from ...core.synthesis import Draft
from ...core.turns import NEUTRAL, Material, Verdict

Kind = Literal["framing", "turn", "follow-up", "section", "feedback", "reading", "verdict", "synthesis"]

CHARACTERS_PER_WORD = 12
"""A text is over-long by its characters too, or one without spaces would pass."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section that a step writes, with the text that the rules make of the answers."""

    brief: StepBrief
    target: Target
    draft: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents that an incoming persona has read."""

    brief: StepBrief
    material: tuple[Material, ...]


Grounds = Brief | Table | AskSynthesis | AskFollowUp | AskFeedback | Section | Reading


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, of whom, on what grounds.

    `words` are asked for and `most` are taken; `again` says what was wrong with the reply before.
    """

    kind: Kind
    speaker: Persona | None
    grounds: Grounds
    words: int = 0
    most: int = 0
    may_pass: bool = False
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """A speaker's words, or its silence; a framing comes with its question and topic."""

    speaker: str
    text: str
    passes: bool = False
    focus_question: str = ""
    focus_topic: str = ""
    verdict: Verdict = NEUTRAL


Reply = Words | Verdict | Draft
