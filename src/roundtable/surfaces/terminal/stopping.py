"""A panel that can be stopped: what a speaker has said by then is the contribution."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ...core.commands import AskPersona
from ...core.errors import PanelFailed
from ...panel.base import OnWords, Panel, PanelRequest, Speech, ignore_words


class _Stopped(Exception):
    """The user stopped the panel."""


class StoppablePanel:
    """Another panel, with a way to stop it in the middle of its words."""

    def __init__(self, make: Callable[[], Panel], on_begin: Callable[[str], None] = lambda _: None) -> None:
        """`make` makes the panel when it is first needed, which may be long after the first prompt.

        `on_begin` receives a speaker's key whenever its words begin, or begin anew.
        """
        self._make = make
        self._made: Panel | None = None
        self._on_begin = on_begin
        self._pending: asyncio.Future[Any] | None = None
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
        """Stop the panel; return False if nobody waits for it."""
        return self._pending is not None and self._pending.cancel()

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        if isinstance(request, AskPersona):
            return await self._speak(request, on_words)
        try:
            return await self._ask(request, on_words)
        except _Stopped:
            raise PanelFailed("You stopped the panel.") from None

    async def _speak(self, request: AskPersona, on_words: OnWords) -> Speech | None:
        speaker = request.brief.speaker
        if request.brief.again and self._cut_off is not None:  # what was cut off is not tried again
            return self._cut_off
        self._cut_off = None
        said: list[str] = []

        def take(piece: str) -> None:
            said.append(piece)
            on_words(piece)

        self._on_begin(speaker.key)
        try:
            speech: Speech | None = await self._ask(request, take)
        except _Stopped:
            words = "".join(said).strip()
            if not words:
                raise PanelFailed(f"You stopped {speaker.name} before the first word.") from None
            speech = self._cut_off = Speech(f"{words} ...")
        return speech

    async def _ask(self, request: PanelRequest, on_words: OnWords) -> Any:
        self._pending = asyncio.ensure_future(self._panel.answer(request, on_words))
        try:
            return await self._pending
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if waiting is None or waiting.cancelling():  # the conversation itself ends
                raise
            raise _Stopped from None
        finally:
            self._pending = None
