"""Asks a model one thing and keeps all that came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from roundtable.panel.model.conversation import Conversation, Usage
from roundtable.panel.model.panel import Model, ModelFailed, Request

PROMPT = "You give the personas their words.\n\nTurn 1: Maya, on offline forms."
PATIENCE = 30.0


@dataclass
class Asked:
    """What a model said, what it used, and how it failed, if it did."""

    pieces: list[str] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)
    failure: ModelFailed | None = None

    @property
    def said(self) -> str:
        return "".join(self.pieces)

    @property
    def failed(self) -> ModelFailed:
        assert self.failure is not None
        return self.failure


def conversation(text: str = PROMPT, brief: str = "Speak.") -> Conversation:
    return Conversation(text, (), brief)


def request(asked: Asked, **more: Any) -> Request:
    """A request that notes its usage."""
    fields: dict[str, Any] = {"conversation": conversation(), "output_tokens": 4_000, "seconds": PATIENCE}
    return Request(report=asked.used.append, **(fields | more))


def ask(model: Model, *, heard: Callable[[str], object] = str, **more: Any) -> Asked:
    """Let the model reply; each piece is handed to `heard` when it comes, before the next is waited for."""
    asked = Asked()

    async def run() -> None:
        try:
            async with aclosing(model.reply(request(asked, **more))) as pieces:
                async for piece in pieces:
                    asked.pieces.append(piece)
                    heard(piece)
        except ModelFailed as failure:
            asked.failure = failure

    asyncio.run(run())
    assert "" not in asked.pieces
    assert len(asked.used) == 1, "the usage is reported exactly once"
    return asked
