"""Briefs: what a ten-turn elaboration costs a host besides the step's context, in tokens (characters / 4)."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roundtable.core.synthesis import Draft, Entry
from roundtable.panel.host import HostReply, Words
from roundtable.runtime.session import Session
from roundtable.settings import Settings
from roundtable.surfaces.mcp.server import write_answer
from roundtable.surfaces.mcp.sessions import HostedSessions
from tools.example import EXAMPLE

BUDGET = 8_000
TURNS = 10
_ITEM, _STEP = "renew-loans-by-text-message", "01-03"
_MESSAGES = (
    "Alex, what happens to the answers while the gateway is down?",
    "We set a limit of a day. What do you all think of it?",
)


def measure() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "project"
        shutil.copytree(EXAMPLE / "project", root)
        answers_file = EXAMPLE / "answers.txt"
        asyncio.run(_prepare_project(root, answers_file.read_text(encoding="utf-8").splitlines()))
        turns, answers = asyncio.run(_play(root))
    context = sum(len(json.dumps(answer.pop("context", ""), ensure_ascii=False)) for answer in answers)
    briefs = sum(len(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) for answer in answers)
    yield f"the step's context, once     {context // 4:6} tokens"
    yield f"{turns} turns, {len(answers)} answers        {briefs // 4:6} tokens   under {BUDGET}"
    if turns != TURNS or briefs // 4 >= BUDGET:
        raise SystemExit(f"Briefs are not lean: {briefs // 4} tokens for {turns} turns, {BUDGET} allowed.")


async def _prepare_project(root: Path, answers: list[str]) -> None:
    session = Session(root, _ITEM)
    for answer in answers:
        session.say(answer)
    session.hang_up()
    async for _ in session.lines():
        pass


async def _play(root: Path) -> tuple[int, list[dict[str, Any]]]:
    """A roundtable from its opening to the menu after it: how many turns, and every answer."""
    sessions = HostedSessions(Settings(root))
    messages = iter(_MESSAGES)
    turns, found = 0, []
    try:
        hosted = await sessions.start(_ITEM, _STEP)
        while True:
            found.append(json.loads(write_answer(hosted, can_ask=True)))
            turns = max([turns, *(line.turn or 0 for line in hosted.lines)])
            move = hosted.move
            if move is None or (move.kind == "menu" and turns):
                return turns, found
            if move.request is None:
                await hosted.say(move.id, next(messages, ""), relayed=True)
            else:
                await hosted.submit(move.id, _reply(move.kind, move.speaker or "", len(found)))
    finally:
        await sessions.close()


def _reply(kind: str, speaker: str, number: int) -> HostReply:
    words = " ".join(f"point{number}word{each}" for each in range(90 if kind == "turn" else 40))
    if kind == "synthesis":
        cited = ((1,), (2,), (3,), tuple(range(4, TURNS + 1)))
        entries = tuple(Entry(words, turns, "because it was said") for turns in cited)
        return Draft(entries[:2], entries[3:], entries[2:3], (), "Identified four points")
    return Words(
        speaker, words, focus_question="What may be lost in between?", focus_topic="what may be lost"
    )
