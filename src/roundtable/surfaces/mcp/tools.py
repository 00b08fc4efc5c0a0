"""The tools that a host calls: each plays one move, or looks at the items.

What each tool and each parameter means to a host stands in content/host/tools.toml.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from msgspec.structs import replace
from pydantic import BaseModel, Field

from ...core.synthesis import Draft, Entry
from ...core.turns import USER, OffTopic, Verdict
from ...panel.host import HostReply, Refused, Words
from .answers import cut, report_items, show_unseen, to_json, write_answer
from .sessions import MAX_MESSAGE_LENGTH, HostedSession, HostedSessions, host_text, read_host_table

Ctx = Context[HostedSessions, Any]
_MAX_QUESTION_LENGTH = 1_500
_ASKING_KINDS = ("question", "menu", "notice", "inactivity", "unclear-exit", "warning", "redirect", "review")


def make_tools() -> Iterator[Tool]:
    """Yield all tools, with what a host is told about them."""
    tools: tuple[Callable[..., Awaitable[str]], ...] = (
        start, next_move, submit_turn, hear_user, relay_user, submit_judgement, leave, add_item, list_items,
        status,
    )  # fmt: skip
    texts = read_host_table("tools.toml")
    for function in tools:
        looks = function in (list_items, status)
        hints = ToolAnnotations(
            read_only_hint=looks, destructive_hint=False, open_world_hint=False,
            idempotent_hint=looks or function in (start, next_move, leave),
        )  # fmt: skip
        text = " ".join(texts["tools"][function.__name__].split())
        tool = Tool.from_function(function, description=text, annotations=hints, structured_output=False)
        described = texts["parameters"] | texts.get(function.__name__, {})
        for part in (tool.parameters, *tool.parameters.get("$defs", {}).values()):
            for name, schema in part["properties"].items():
                schema["description"] = " ".join(described[name].split())
        # Arguments that a tool does not have are refused: dropped in silence, what they say would be lost.
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        yield tool


# --- opening --------------------------------------------------------------------------------------------


async def start(item: str, ctx: Ctx, step: str | None = None) -> str:
    """Open an item's session and send everything."""
    return _answer(ctx, await _sessions(ctx).start(item, step))


async def next_move(session: str, ctx: Ctx) -> str:
    """Send the open move again."""
    return _answer(ctx, await _sessions(ctx).take(session))


async def leave(session: str, ctx: Ctx) -> str:
    """Release the item."""
    slug = await _sessions(ctx).leave(session)
    return to_json({"session": slug, "note": host_text("asking", "left", item=slug)})


# --- the host's words -----------------------------------------------------------------------------------


async def submit_turn(
    session: str,
    move: str,
    speaker: str,
    ctx: Ctx,
    text: str = "",
    passes: bool = False,
    focus_question: str = "",
    focus_topic: str = "",
    opposes: int | None = None,
    decides: list[int] = [],  # noqa: B006 (read only; the schema shows it)
    off_topic: str = "",
    belongs_to: str = "",
    user_off_topic: str = "",
    user_belongs_to: str = "",
    user_opposes: int | None = None,
    answers: int | None = None,
) -> str:
    """Take a persona's words for the open move."""
    verdict = Verdict(opposes, _make_drift(off_topic, belongs_to), tuple(decides))
    judged = Verdict(user_opposes, _make_drift(user_off_topic, user_belongs_to), answers=answers)
    words = Words(speaker, text, passes, focus_question, focus_topic, verdict, judged)
    return await _submit(ctx, session, move, words)


def _make_drift(subject: str, place: str) -> OffTopic | None:
    return OffTopic(subject, place or None, relayed=True) if subject.strip() else None


class Point(BaseModel, extra="forbid"):
    """An entry of a synthesis."""

    text: str
    turns: list[int]
    detail: str = ""


async def submit_judgement(
    session: str,
    move: str,
    ctx: Ctx,
    insights: list[Point] = [],  # noqa: B006
    decisions: list[Point] = [],  # noqa: B006
    questions: list[Point] = [],  # noqa: B006
    actions: list[Point] = [],  # noqa: B006
    summary: str = "",
    takeaway: str = "",
) -> str:
    """Take a synthesis for the open move."""
    lists = {"insights": insights, "decisions": decisions, "questions": questions, "actions": actions}
    entries = {
        name: tuple(Entry(point.text, tuple(point.turns), point.detail) for point in points)
        for name, points in lists.items()
    }
    return await _submit(ctx, session, move, replace(Draft(summary=summary, takeaway=takeaway), **entries))


async def _submit(ctx: Ctx, session: str, move: str, reply: HostReply) -> str:
    async with _play(ctx, session) as hosted:
        await hosted.submit(move, reply)
    return _answer(ctx, hosted)


# --- the user's words -----------------------------------------------------------------------------------


class UserWords(BaseModel):
    """What the person says."""

    words: Annotated[str, Field(title="Your words", description="May be left empty.")] = ""


class NotAsked(UserWords):
    """Nothing, as the client cannot put a question to the person."""


async def ask_user(session: str, move: str, ctx: Ctx) -> Elicit[UserWords] | NotAsked:
    """Return the question to the person, where the client can ask: the last one put to them, if any."""
    async with _play(ctx, session) as hosted:
        kind = (await hosted.expect_user(move)).kind
    if not _can_ask(ctx):
        return NotAsked()
    analysis = hosted.session.analysis
    put = [line.text for line in hosted.lines if line.kind in _ASKING_KINDS and line.speaker != USER]
    question = put[-1] if put and kind != "review" else host_text("person", kind)
    parts = [host_text("asking", "elicit", item=hosted.slug), *show_unseen(analysis)]
    parts.append(cut(question, _MAX_QUESTION_LENGTH))
    if analysis is not None and analysis.open_draft:  # so that nobody takes one unseen
        parts.append(host_text("person", "draft", draft=analysis.open_draft))
    return Elicit("\n\n".join(parts), UserWords)


async def hear_user(
    session: str, move: str, ctx: Ctx, heard: Annotated[ElicitationResult[UserWords], Resolve(ask_user)]
) -> str:
    """Take the person's own words, asked for through the client."""
    async with _play(ctx, session) as hosted:
        if not isinstance(heard, AcceptedElicitation):
            raise Refused(host_text("asking", "closed"))
        if not isinstance(heard.data, NotAsked):
            await hosted.say(move, heard.data.words, relayed=False)
    return _answer(ctx, hosted)


async def relay_user(session: str, move: str, words: str, ctx: Ctx) -> str:
    """Take the person's words as the host passes them on."""
    async with _play(ctx, session) as hosted:
        await hosted.say(move, words, relayed=True)
    return _answer(ctx, hosted)


# --- the items ------------------------------------------------------------------------------------------


async def list_items(ctx: Ctx) -> str:
    """Return the project's items."""
    return report_items(_sessions(ctx).project)


async def status(item: str, ctx: Ctx) -> str:
    """Return how far an item is."""
    return to_json(_sessions(ctx).project.status(item))


class Accepted(BaseModel):
    """That the person accepts what a form shows."""


class NotShown(Accepted):
    """Nothing, as the client has no forms."""


async def show_item(text: str, ctx: Ctx, title: str = "") -> Elicit[Accepted] | NotShown:
    """Return the form that shows the person an item before it is added, where the client can."""
    if not text.strip() or len(text) > MAX_MESSAGE_LENGTH or len(title) > MAX_MESSAGE_LENGTH:
        raise ToolError(host_text("asking", "no-item", limit=f"{MAX_MESSAGE_LENGTH:,}"))
    if not _can_ask(ctx):
        return NotShown()
    shown = "\n\n".join(filter(None, (host_text("person", "item"), title.strip(), text.strip())))
    return Elicit(shown, Accepted)


async def add_item(
    text: str, ctx: Ctx, shown: Annotated[ElicitationResult[Accepted], Resolve(show_item)], title: str = ""
) -> str:
    """Add an item and return its name."""
    if not isinstance(shown, AcceptedElicitation):
        raise ToolError(host_text("asking", "not-added"))
    add = partial(_sessions(ctx).project.add_item, relayed=isinstance(shown.data, NotShown))
    entry = await asyncio.to_thread(add, text, title=title.strip() or None)
    note = host_text("asking", "added", item=entry.slug)
    return to_json({"item": entry.slug, "title": entry.title, "note": note})


# --- what they share ------------------------------------------------------------------------------------


def _sessions(ctx: Ctx) -> HostedSessions:
    return ctx.request_context.lifespan_context


@asynccontextmanager
async def _play(ctx: Ctx, session: str) -> AsyncIterator[HostedSession]:
    """Hold a session for a call; a refusal says that nothing has changed, and what is legal now."""
    hosted = await _sessions(ctx).take(session)
    try:
        yield hosted
    except Refused as refusal:
        now, move = "Legal now: start(item).", hosted.move
        if move is not None:
            calls = " or ".join(move.list_calls(can_ask=_can_ask(ctx)))
            now = f"Open now: move {move.id}, {move.kind}, {move.speaker or 'you'}. Legal now: {calls}."
        raise ToolError(f"{refusal} Nothing has changed. {now}") from refusal


def _answer(ctx: Ctx, hosted: HostedSession) -> str:
    return write_answer(hosted, can_ask=_can_ask(ctx))


def _can_ask(ctx: Ctx) -> bool:
    """Whether the client can put a form to the person."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)
