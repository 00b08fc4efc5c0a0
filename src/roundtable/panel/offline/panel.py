"""The offline panel: the port's requests, answered from probes and from what was read.

It keeps nothing between two requests but what it has read, so the same request always gets the same answer.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

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
from ..base import Framing, Hearer, Speech

if TYPE_CHECKING:
    from .desk import Desk
    from .probes import Library

NAME = "offline"


class OfflinePanel:
    """Three disciplined colleagues without a network: they know what their disciplines ask, and they read."""

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self._project = project
        self._given = library

    @property
    def name(self) -> str:
        return NAME

    @property
    def library(self) -> Library:
        """What the panel knows, read when it is first needed."""
        return self._desk.library

    async def frame(self, brief: Brief) -> Framing:
        return self._desk.frame(brief)

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        speech = self._desk.speak(brief)
        if speech is not None:
            heard(speech.text)
        return speech

    async def judge(self, table: Table) -> Verdict:
        return self._desk.judge(table)

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        return self._desk.synthesise(ask)

    async def follow_up(self, ask: AskFollowUp) -> str:
        return ask.criterion.follow_up

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        from ...drafting import draft

        return draft(ask, {each.name: each.text for each in material})

    async def take_up(self, ask: AskFeedback) -> str:
        return self._desk.take_up(ask)

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        return self._desk.read_ahead(brief, material)

    @cached_property
    def _desk(self) -> Desk:
        # Loaded with the first request: the introduction is shown before anything is read.
        from .desk import Desk

        return Desk(self._project, self._given)
