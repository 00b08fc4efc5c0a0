"""The offline panel: the port's requests, answered from probes and from what was read.

It keeps nothing between two requests but what it has read, so the same request always gets the same answer.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ...core.commands import (
    AskDraft,
    AskFeedback,
    AskFollowUp,
    AskSynthesis,
    Brief,
    ExtractSynthesis,
    StepBrief,
    Table,
)
from ...core.events import SectionText
from ...core.synthesis import Draft
from ...core.turns import Material, Verdict
from ...drafting import draft
from ..base import Framing, Hearer, Speech
from . import extraction, feedback, framing, judging, replies, speaking
from .probefile import read_library
from .probes import Library
from .reading import Reading, read

NAME = "offline"


class OfflinePanel:
    """Three disciplined colleagues without a network: they know what their disciplines ask, and they read."""

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self._project = project
        self._known = library
        self._read = lru_cache(maxsize=4)(read)

    @property
    def name(self) -> str:
        return NAME

    @property
    def library(self) -> Library:
        """What the panel knows, read when it is first needed."""
        if self._known is None:
            self._known, _ = read_library(self._project)
        return self._known

    async def frame(self, brief: Brief) -> Framing:
        return framing.frame(brief, self._reading(brief.table), self.library)

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        floor = speaking.Floor(brief, self._reading(brief.table), self.library)
        speech = speaking.deliver(floor, _candidates(floor))
        if speech is None and not brief.may_pass:
            speech = speaking.last_words(floor)
        if speech is not None:
            heard(speech.text)
        return speech

    async def judge(self, table: Table) -> Verdict:
        return judging.judge(table, self._reading(table), self.library)

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        return extraction.synthesise(ask.table, self.library)

    async def follow_up(self, ask: AskFollowUp) -> str:
        return ask.criterion.follow_up

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        return draft(ask, {each.name: each.text for each in material})

    async def take_up(self, ask: AskFeedback) -> str:
        return feedback.take_up(ask, self.library)

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        return feedback.read_ahead(
            brief, self._read(brief.item, brief.step, material), material, self.library
        )

    def _reading(self, table: Table) -> Reading:
        return self._read(table.item, table.step, table.material, table.steps)


def _candidates(floor: speaking.Floor) -> speaking.Candidates:
    match floor.brief.purpose:
        case "tradeoff":
            return speaking.tradeoff(floor)
        case "answer":
            return replies.answer(floor)
        case "follow":
            return replies.follow(floor)
        case _:
            return speaking.next_points(floor)
