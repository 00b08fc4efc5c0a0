"""A panel that can be stopped: what a speaker has said by then is the contribution."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

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
from ...panel.base import Framing, Hearer, Panel, Speech

Given = TypeVar("Given")


class _Stopped(Exception):
    """The user stopped the panel."""


class StoppablePanel:
    """Another panel, with a way to stop it in the middle of its words."""

    def __init__(self, make: Callable[[], Panel], on_begin: Callable[[str], None] = lambda _: None) -> None:
        """`make` makes the panel when it is first needed, which may be long after the first prompt.

        `on_begin` is handed a speaker's key whenever its words begin, or begin anew.
        """
        self._make = make
        self._made: Panel | None = None
        self._on_begin = on_begin
        self._asked: asyncio.Future[Any] | None = None
        self._cut_off: Speech | None = None

    @property
    def name(self) -> str:
        return self._panel.name

    @property
    def _panel(self) -> Panel:
        if self._made is None:
            self._made = self._make()
        return self._made

    def stop(self) -> bool:
        """Stop the panel; False where nobody waits for it."""
        return self._asked is not None and self._asked.cancel()

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        if brief.again and self._cut_off is not None:  # what was cut off is not tried again
            return self._cut_off
        self._cut_off = None
        said: list[str] = []

        def take(piece: str) -> None:
            said.append(piece)
            heard(piece)

        self._on_begin(brief.speaker.key)
        try:
            return await self._ask(self._panel.speak(brief, take))
        except _Stopped:
            words = "".join(said).strip()
            if not words:
                raise PanelFailed(f"You stopped {brief.speaker.name} before the first word.") from None
            self._cut_off = Speech(f"{words} ...")
            return self._cut_off

    async def frame(self, brief: Brief) -> Framing:
        return await self._or_fail(self._panel.frame(brief))

    async def judge(self, table: Table) -> Verdict:
        return await self._or_fail(self._panel.judge(table))

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        return await self._or_fail(self._panel.synthesise(ask))

    async def follow_up(self, ask: AskFollowUp) -> str:
        return await self._or_fail(self._panel.follow_up(ask))

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        return await self._or_fail(self._panel.draft(ask, material))

    async def take_up(self, ask: AskFeedback) -> str:
        return await self._or_fail(self._panel.take_up(ask))

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        return await self._or_fail(self._panel.read(brief, material))

    async def _or_fail(self, words: Coroutine[Any, Any, Given]) -> Given:
        try:
            return await self._ask(words)
        except _Stopped:
            raise PanelFailed("You stopped the panel.") from None

    async def _ask(self, words: Coroutine[Any, Any, Given]) -> Given:
        asked = asyncio.ensure_future(words)
        self._asked = asked
        try:
            return await asked
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if waiting is None or waiting.cancelling():  # the conversation itself ends
                raise
            raise _Stopped from None
        finally:
            self._asked = None
