"""The tools that a host calls: each plays one move, or looks at the items."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from ...core.synthesis import Draft, Entry
from ...core.turns import USER, OffTopic, Verdict
from ...panel.host import Words
from .answers import cut, report_items, show_draft, show_unseen, to_json, write_answer
from .sessions import MAX_MESSAGE_LENGTH, HostedSession, HostedSessions, Refused, host_text, tool_text

Ctx = Context[HostedSessions, Any]
_MAX_QUESTION_LENGTH = 1_500
_ASKING_KINDS = ("question", "menu", "notice", "inactivity", "unclear-exit", "warning", "redirect", "review")


def _describe(name: str) -> Any:
    return Field(description=tool_text("parameters", name))


Session = Annotated[str, _describe("session")]
Id = Annotated[str, _describe("move")]
Item = Annotated[str, _describe("item")]
Opposes = Annotated[int | None, _describe("opposes")]
Decides = Annotated[list[int], _describe("decides")]
Subject = Annotated[str, _describe("off_topic")]
BelongsTo = Annotated[str, _describe("belongs_to")]
Answers = Annotated[int | None, _describe("answers")]
UserSubject = Annotated[str, _describe("user_off_topic")]
UserBelongsTo = Annotated[str, _describe("user_belongs_to")]


class Point(BaseModel, extra="forbid"):
    """An entry of a synthesis."""

    text: str
    turns: Annotated[list[int], _describe("turns")]
    detail: Annotated[str, _describe("detail")] = ""


Points = Annotated[list[Point], _describe("entries")]


# --- opening --------------------------------------------------------------------------------------------


async def start(item: Item, ctx: Ctx, step: Annotated[str | None, _describe("step")] = None) -> str:
    """Open an item's session and send everything."""
    return _answer(ctx, await _sessions(ctx).start(item, step))


async def next_move(session: Session, ctx: Ctx) -> str:
    """Send the open move again."""
    return _answer(ctx, await _sessions(ctx).take(session))


async def leave(session: Session, ctx: Ctx) -> str:
    """Release the item."""
    slug = await _sessions(ctx).leave(session)
    return to_json({"session": slug, "note": host_text("asking", "left", item=slug)})


# --- the host's words -----------------------------------------------------------------------------------


async def submit_turn(
    session: Session,
    move: Id,
    speaker: Annotated[str, _describe("speaker")],
    ctx: Ctx,
    text: Annotated[str, _describe("text")] = "",
    passes: Annotated[bool, _describe("passes")] = False,
    focus_question: Annotated[str, _describe("focus_question")] = "",
    focus_topic: Annotated[str, _describe("focus_topic")] = "",
    opposes: Opposes = None,
    decides: Decides = [],  # noqa: B006 (read only; the schema shows it)
    off_topic: Subject = "",
    belongs_to: BelongsTo = "",
    user_off_topic: UserSubject = "",
    user_belongs_to: UserBelongsTo = "",
    user_opposes: Annotated[int | None, _describe("user_opposes")] = None,
    answers: Answers = None,
) -> str:
    """Take a persona's words for the open move."""
    verdict = Verdict(opposes, _make_drift(off_topic, belongs_to), tuple(decides))
    judged = Verdict(user_opposes, _make_drift(user_off_topic, user_belongs_to), answers=answers)
    words = Words(speaker, text, passes, focus_question, focus_topic, verdict, judged)
    async with _play(ctx, session) as hosted:
        await hosted.submit(move, words)
    return _answer(ctx, hosted)


async def submit_judgement(
    session: Session,
    move: Id,
    ctx: Ctx,
    insights: Points = [],  # noqa: B006
    decisions: Points = [],  # noqa: B006
    questions: Points = [],  # noqa: B006
    actions: Points = [],  # noqa: B006
    summary: Annotated[str, _describe("summary")] = "",
    takeaway: Annotated[str, _describe("takeaway")] = "",
) -> str:
    """Take a synthesis for the open move."""
    draft = Draft(
        _to_entries(insights), _to_entries(decisions), _to_entries(questions), _to_entries(actions),
        summary, takeaway,
    )  # fmt: skip
    async with _play(ctx, session) as hosted:
        await hosted.submit(move, draft)
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
    put = [line.text for line in hosted.lines if line.kind in _ASKING_KINDS and line.speaker != USER]
    parts = (
        host_text("asking", "elicit", item=hosted.slug),
        *show_unseen(hosted.session.analysis),
        cut(put[-1] if put and kind != "review" else host_text("person", kind), _MAX_QUESTION_LENGTH),
        *show_draft(hosted.session.analysis),
    )
    return Elicit("\n\n".join(parts), UserWords)


async def hear_user(
    session: Session,
    move: Id,
    ctx: Ctx,
    heard: Annotated[ElicitationResult[UserWords], Resolve(ask_user)],
) -> str:
    """Take the person's own words, asked for through the client."""
    note = ""
    async with _play(ctx, session) as hosted:
        await hosted.expect_user(move)
        if not isinstance(heard, AcceptedElicitation):
            raise Refused(host_text("asking", "closed"))
        if isinstance(heard.data, NotAsked):
            note = host_text("asking", "cannot")
        else:
            await hosted.say(move, heard.data.words, relayed=False)
    return _answer(ctx, hosted, note)


async def relay_user(
    session: Session,
    move: Id,
    words: Annotated[str, _describe("words")],
    ctx: Ctx,
) -> str:
    """Take the person's words as the host passes them on."""
    async with _play(ctx, session) as hosted:
        await hosted.say(move, words, relayed=True)
    return _answer(ctx, hosted)


# --- looking --------------------------------------------------------------------------------------------


async def list_items(ctx: Ctx) -> str:
    """Return the project's items."""
    return report_items(_sessions(ctx).project)


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
    text: Annotated[str, _describe("item_text")],
    ctx: Ctx,
    shown: Annotated[ElicitationResult[Accepted], Resolve(show_item)],
    title: Annotated[str, _describe("title")] = "",
) -> str:
    """Add an item and return its name."""
    if not isinstance(shown, AcceptedElicitation):
        raise ToolError(host_text("asking", "not-added"))
    add = partial(_sessions(ctx).project.add_item, relayed=isinstance(shown.data, NotShown))
    entry = await asyncio.to_thread(add, text, title=title.strip() or None)
    return to_json(
        {"item": entry.slug, "title": entry.title, "note": host_text("asking", "added", item=entry.slug)}
    )


async def status(item: Item, ctx: Ctx) -> str:
    """Return how far an item is."""
    return to_json(_sessions(ctx).project.status(item))


def register_tools(server: MCPServer[HostedSessions]) -> None:
    """Add all tools to the server."""
    tools: tuple[Callable[..., Awaitable[str]], ...] = (
        start, next_move, submit_turn, hear_user, relay_user, submit_judgement, leave, add_item, list_items,
        status,
    )  # fmt: skip
    for tool in tools:
        looks = tool in (list_items, status)
        hints = ToolAnnotations(
            read_only_hint=looks, destructive_hint=False, open_world_hint=False,
            idempotent_hint=looks or tool in (start, next_move, leave),
        )  # fmt: skip
        text = tool_text("tools", tool.__name__)
        server.add_tool(tool, description=text, annotations=hints, structured_output=False)


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


def _answer(ctx: Ctx, hosted: HostedSession, note: str = "") -> str:
    return write_answer(hosted, can_ask=_can_ask(ctx), note=note)


def _can_ask(ctx: Ctx) -> bool:
    """Whether the client can put a form to the person."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _make_drift(subject: str, place: str) -> OffTopic | None:
    return OffTopic(subject, place or None, relayed=True) if subject.strip() else None


def _to_entries(points: list[Point]) -> tuple[Entry, ...]:
    return tuple(Entry(point.text, tuple(point.turns), point.detail) for point in points)
