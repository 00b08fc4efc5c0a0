"""Questions to the person, through a client that can show them."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import BaseModel, Field

from ...core.turns import USER
from . import guide
from .briefs import cut
from .moves import Move
from .table import Table
from .tables import Tables

Ctx = Context[Tables, Any]
LONGEST = 1_500
_PUT = ("question", "menu", "notice", "inactivity", "unclear-exit", "warning", "redirect")


class Spoken(BaseModel):
    """What the person says."""

    words: Annotated[str, Field(title="Your words", description="May be left empty.")] = ""


class Unasked(Spoken):
    """Nothing: the client cannot put a question to the person."""


def can_ask(ctx: Ctx) -> bool:
    """True where the client can put a form to the person."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def question(table: Table, move: Move) -> str:
    """What the person is asked: the last thing that was put to them, else whose turn it is."""
    put = [line.text for line in table.lines if line.kind in _PUT and line.speaker != USER]
    head = guide.text("asking", "elicit", item=table.slug)
    return f"{head}\n\n{cut(put[-1] if put else guide.text('person', move.kind), LONGEST)}"
