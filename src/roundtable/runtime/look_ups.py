"""Look-ups: what a persona asks to see of the code before it speaks (TABLE-1).

It stands on its own because it is a panel around another one, which the executor only uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..core.commands import AskPersona
from ..core.errors import PanelFailed
from ..core.turns import Material
from ..panel.base import Look, OnWords, Panel, PanelRequest, Speech, ignore_words

MOST_LOOK_UPS = 3
"""How many times a speaker may look something up before one contribution."""


class LookUpPanel:
    """Another panel, whose speakers are shown the code that they ask for, a few times a contribution."""

    def __init__(self, panel: Panel, look: Callable[[Look], Material]) -> None:
        self._panel = panel
        self._look = look
        self._seen: tuple[int, tuple[Material, ...]] = (0, ())

    @property
    def name(self) -> str:
        return self._panel.name

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        if isinstance(request, AskPersona):
            return await self._speak(request, on_words)
        return await self._panel.answer(request, on_words)

    async def _speak(self, request: AskPersona, on_words: OnWords) -> Speech | None:
        brief = request.brief
        # A second try at the same turn has seen what the first one asked for.
        seen = self._seen[1] if self._seen[0] == brief.number and brief.again else ()
        while True:
            left = MOST_LOOK_UPS - len(seen)
            table = replace(brief.table, looked_up=brief.table.looked_up + seen)
            asked = AskPersona(replace(brief, table=table, look_ups=left))
            speech = await self._panel.answer(asked, on_words)
            if speech is None or not speech.look_ups:
                self._seen = (brief.number, seen)
                return replace(speech, looked_up=seen) if speech and seen else speech
            if left <= 0:
                raise PanelFailed(f"The {self.name} panel only asks to see code and says nothing.")
            seen += tuple([await asyncio.to_thread(self._look, look) for look in speech.look_ups[:left]])
