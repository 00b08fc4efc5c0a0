"""The ways to hold an elaboration: the rules are the same, whoever gives the words and whatever shows them.

A way is called with the project, the item, the user's messages and what personas say in which turn, and gives
back the lines. It begins where the first step is complete. Another panel adds its way to `WAYS`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hosting import Says, here
from model_talk import by_failing_model, by_model
from project import talk
from roundtable.core.commands import Brief
from roundtable.core.lines import Line
from roundtable.core.turns import OffTopic, Verdict
from roundtable.panel.base import Speech
from roundtable.testing import ScriptedPanel

Way = Callable[[Path, Path, Sequence[str], Mapping[int, Says]], list[Line]]


def by_session(root: Path, item: Path, words: Sequence[str], says: Mapping[int, Says]) -> list[Line]:
    def speak(brief: Brief) -> Speech | None:
        said = says.get(brief.number)
        if said is None:
            return None
        drift = said.verdict.get("off_topic")
        off_topic = OffTopic(drift, said.verdict.get("belongs_to")) if drift else None
        decides = tuple(said.verdict.get("decides", ()))
        return Speech(said.text, Verdict(said.verdict.get("opposes"), off_topic, decides))

    return talk(root, item, words, step="00-01", panel=ScriptedPanel(says=speak))


def by_mcp(root: Path, item: Path, words: Sequence[str], says: Mapping[int, Says]) -> list[Line]:
    async def run() -> list[Line]:
        async with here(root) as (player, _):
            player.says = dict(says)
            await player.start(item.name, "00-01")
            await player.play(words)
            return player.lines

    return asyncio.run(run())


WAYS: Mapping[str, Way] = {
    "session": by_session,
    "mcp": by_mcp,
    "model": by_model,
    "failing model": by_failing_model,
}
