"""Look-ups: what a panel asks to see of the code before it speaks, drafts or opens (TABLE-1).

It stands on its own because it is a panel around another one, which the executor only uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ..core import commands as do
from ..core.errors import PanelFailed
from ..core.turns import LookedUp, Material
from ..panel.base import Look, LookUpsWanted, OnWords, Panel, PanelKind, PanelRequest, ignore_words

MOST_LOOK_UPS = 3
"""How many times a speaker may look something up before one contribution."""
AtStep = do.AskReading | do.AskOffers | do.AskFollowUp | do.AskFeedback


class LookUpPanel:
    """Another panel, which is shown the code that it asks for, a few times before each answer."""

    def __init__(self, panel: Panel, look: Callable[[Look], Material]) -> None:
        self._panel = panel
        self._look = look
        self._seen: dict[int | str, tuple[Material, ...]] = {}
        """What was shown last for a turn, by its number, and for a step, by its id."""

    @property
    def name(self) -> str:
        return self._panel.name

    @property
    def kind(self) -> PanelKind:
        return self._panel.kind

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        key: int | str
        match request:
            case do.AskPersona(brief) | do.AskFraming(brief):
                key = brief.number
                # A second try at the same turn has seen what the first one asked for.
                seen = self._seen.get(key, ()) if brief.again else ()
                left = MOST_LOOK_UPS - len(seen)
            case do.AskReading() | do.AskOffers() | do.AskFollowUp() | do.AskFeedback():
                # What was seen for a step stays on its table, from the hand-off on.
                key = request.brief.step.step_id
                seen = self._seen.get(key, ())
                left = MOST_LOOK_UPS
            case _:
                return await self._panel.answer(request, on_words)
        while True:
            try:
                said: Any = await self._panel.answer(_add_code(request, seen, left), on_words)
            except LookUpsWanted as wanted:
                looks = wanted.looks[:left]
                if not looks:
                    raise PanelFailed(
                        f"The {self.name} panel only asks to see code and says nothing."
                    ) from None
                left -= len(looks)
                found = [await asyncio.to_thread(self._look, look) for look in looks]
                seen += tuple(each for each in found if each not in seen)
                continue
            self._seen[key] = seen
            is_turn = isinstance(request, do.AskPersona | do.AskFraming)
            return replace(said, looked_up=seen) if is_turn and said is not None and seen else said


def _add_code(
    request: do.AskPersona | do.AskFraming | AtStep, seen: tuple[Material, ...], left: int
) -> PanelRequest:
    """Return the request with what was seen, and how much more may be asked for now.

    One look-up is kept back while there are several, so that what a search finds can still be read.
    """
    now = max(left - 1, min(left, 1))
    if not isinstance(request, do.AskPersona | do.AskFraming):
        can_ask = isinstance(request, do.AskReading | do.AskOffers)
        step = replace(request.brief, looked_up=seen, look_ups=now if can_ask else 0)
        return replace(request, brief=step)
    table = request.brief.table
    names = {each.name for each in table.looked_up}
    new = (LookedUp(each.name, each.text, len(table.turns)) for each in seen if each.name not in names)
    table = replace(table, looked_up=(*table.looked_up, *new))
    return replace(request, brief=replace(request.brief, table=table, look_ups=now))
