"""The panel: the port through which the personas get their words.

A panel answers requests and decides nothing: who speaks, how often, what becomes of files is not its part.
Each request carries all that is needed to answer it. A panel that cannot answer raises `PanelFailed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..core.commands import (
    AskDraft,
    AskFeedback,
    AskFollowUp,
    AskSynthesis,
    Brief,
    ExtractSynthesis,
    StepBrief,
    Table,
)
from ..core.events import SectionText
from ..core.synthesis import Draft
from ..core.turns import NEUTRAL, Material, Verdict

Hearer = Callable[[str], None]
"""Is handed the words of a contribution as they come."""


@dataclass(frozen=True, slots=True)
class Framing:
    """What the lead brings to the framing: a summary, the focus question, and its topic in a few words."""

    summary: str
    focus_question: str
    focus_topic: str


@dataclass(frozen=True, slots=True)
class Speech:
    """A contribution, without its speaker's name, and the speaker's own verdict on it."""

    text: str
    verdict: Verdict = NEUTRAL


class Panel(Protocol):
    """Gives the personas their words."""

    @property
    def name(self) -> str:
        """What the panel is called where it has to be named."""

    async def frame(self, brief: Brief) -> Framing:
        """What the lead says to open the discussion."""

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        """One contribution; None where the brief allows silence and there is nothing distinct to add."""

    async def judge(self, table: Table) -> Verdict:
        """Whether the last turn, the user's, drifts, and whether it holds a decision."""

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        """The synthesis of the discussion, every entry with its turns, and its one-line summary."""

    async def follow_up(self, ask: AskFollowUp) -> str:
        """One question that takes up an answer which misses a criterion."""

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        """The text of each section that the step writes, from the answers and the item's files."""

    async def take_up(self, ask: AskFeedback) -> str:
        """The lead's reply to the user's feedback on a step."""

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        """What the incoming persona makes of the artifacts so far; empty where there is nothing to say."""
