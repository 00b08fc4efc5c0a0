"""Falling back: several panels in the order of the settings; the first that answers is the panel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

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
from ...core.errors import PanelFailed
from ...core.events import SectionText
from ...core.synthesis import Draft
from ...core.turns import Material, Verdict
from ..base import Framing, Hearer, Panel, Speech
from .failures import ModelFailed

Given = TypeVar("Given")
News = Callable[[str], None]


class FallbackPanel:
    """Panels one after another: where one fails, the next goes on, and stays."""

    def __init__(self, panels: tuple[Panel, ...], news: News = lambda _: None) -> None:
        """`news` is told when another panel takes over."""
        self._panels = panels
        self._news = news
        self._at = 0

    @property
    def name(self) -> str:
        return self._panels[self._at].name

    async def frame(self, brief: Brief) -> Framing:
        return await self._first(lambda panel: panel.frame(brief))

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        told = False

        def hear(piece: str) -> None:
            nonlocal told
            told = True
            heard(piece)

        def ask(panel: Panel) -> Awaitable[Speech | None]:
            # Words that were shown cannot be taken back; another panel's are shown when they are complete.
            return panel.speak(brief, (lambda _: None) if told else hear)

        return await self._first(ask)

    async def judge(self, table: Table) -> Verdict:
        """The judgement of whoever speaks; it is advice, and a lack of it is no reason to change them."""
        return await self._panels[self._at].judge(table)

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        """Nonsense is first told to whoever gave it, as the rules do; then the next one tries."""
        is_first = isinstance(ask, AskSynthesis) and not ask.problems
        return await self._first(lambda panel: panel.synthesise(ask), keeps_nonsense=is_first)

    async def follow_up(self, ask: AskFollowUp) -> str:
        return await self._first(lambda panel: panel.follow_up(ask))

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        return await self._first(lambda panel: panel.draft(ask, material))

    async def take_up(self, ask: AskFeedback) -> str:
        return await self._first(lambda panel: panel.take_up(ask))

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        return await self._first(lambda panel: panel.read(brief, material))

    async def _first(
        self, ask: Callable[[Panel], Awaitable[Given]], *, keeps_nonsense: bool = False
    ) -> Given:
        """The first answer from the panel that spoke last on; all that failed is told where none answers."""
        failures: list[PanelFailed] = []
        for at in range(self._at, len(self._panels)):
            try:
                given = await ask(self._panels[at])
            except PanelFailed as failure:
                if keeps_nonsense and isinstance(failure, ModelFailed) and failure.kind == "nonsense":
                    raise
                failures.append(failure)
                continue
            if failures:
                told = " ".join(failure.failed for failure in failures)
                self._news(f"{told} {self._panels[at].name} goes on.")
                self._at = at
            return given
        told = " ".join(failure.failed for failure in failures)
        raise PanelFailed(told, do=failures[-1].do)
