"""Questions to the person, through a client that can show them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from ...core.errors import RoundtableError
from ...core.synthesis import Draft, Entry
from ...core.turns import USER, OffTopic, Verdict
from ...panel.host import Reply, Words
from . import answers, moves
from .answers import as_json
from .briefs import cut
from .moves import Move, Refused
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
    head = moves.text("asking", "elicit", item=table.slug)
    return f"{head}\n\n{cut(put[-1] if put else moves.text('person', move.kind), LONGEST)}"


Session = Annotated[str, Field(description="`session` of an answer: the item's slug.")]
Id = Annotated[str, Field(description="move.id of the open move.")]
Item = Annotated[str, Field(description="The item's slug, from list_items.")]
Step = Annotated[str | None, Field(description='A completed step, such as "01-03", to discuss.')]
Opposes = Annotated[int | None, Field(description="The number of the turn that it contradicts.")]
Decides = Annotated[
    list[int],
    Field(
        description="Numbers of the turns that say what is settled by it: this turn, or the earlier one that "
        "it agrees to. A turn needs to be named once in a discussion, by whoever notices."
    ),
]
Subject = Annotated[
    str, Field(description="The subject it drifted to, in a few words; empty where it did not drift.")
]
Place = Annotated[
    str,
    Field(
        description="With off_topic: the step or phase of this analysis where the subject belongs, such as "
        '"03-02" or "03-architecture". Leave it out where none fits, as for another backlog item: the '
        "subject is kept all the same, in the transcript and the item's parking lot."
    ),
]


class Point(BaseModel):
    """An entry of a synthesis."""

    text: str
    turns: Annotated[list[int], Field(description="Numbers of the turns that it comes from.")]
    detail: Annotated[
        str,
        Field(description="Decision: why. Question: why it is open, who resolves it. Action: who does it."),
    ] = ""


Points = Annotated[list[Point], Field(description="Each in one or two sentences.")]


# --- opening --------------------------------------------------------------------------------------------


async def start(item: Item, ctx: Ctx, step: Step = None) -> str:
    """Open an item's table and tell everything."""
    try:
        table = await _tables(ctx).start(item, step)
    except RoundtableError as error:
        raise ToolError(str(error)) from error
    return _answer(ctx, table)


async def next_move(session: Session, ctx: Ctx) -> str:
    """The open move again."""
    return await _play(ctx, session, lambda table: table.open())


async def leave(session: Session, ctx: Ctx) -> str:
    """Let go of the item."""
    try:
        slug = await _tables(ctx).leave(session)
    except RoundtableError as error:
        raise ToolError(str(error)) from error
    return as_json({"session": slug, "note": moves.text("asking", "left", item=slug)})


# --- the host's words -----------------------------------------------------------------------------------


async def submit_turn(
    session: Session,
    move: Id,
    speaker: Annotated[str, Field(description="move.speaker: the persona's key.")],
    ctx: Ctx,
    text: Annotated[str, Field(description="The persona's words, without its name.")] = "",
    passes: Annotated[bool, Field(description="Silence, only where move.legal offers it.")] = False,
    focus_question: Annotated[str, Field(description="Kind framing only: the question to discuss.")] = "",
    focus_topic: Annotated[str, Field(description="Kind framing only: its topic, 2 to 5 words.")] = "",
    opposes: Opposes = None,
    decides: Decides = [],  # noqa: B006 (read only; the schema shows it)
    off_topic: Subject = "",
    belongs_to: Place = "",
) -> str:
    """A persona's words for the open move."""
    verdict = Verdict(opposes, _drift(off_topic, belongs_to), tuple(decides))
    words = Words(speaker, text, passes, focus_question, focus_topic, verdict)
    return await _play(ctx, session, lambda table: table.submit(move, words))


async def submit_judgement(
    session: Session,
    move: Id,
    ctx: Ctx,
    opposes: Opposes = None,
    decides: Decides = [],  # noqa: B006
    off_topic: Subject = "",
    belongs_to: Place = "",
    insights: Points = [],  # noqa: B006
    decisions: Points = [],  # noqa: B006
    questions: Points = [],  # noqa: B006
    actions: Points = [],  # noqa: B006
    summary: Annotated[str, Field(description="One sentence for the record.")] = "",
    takeaway: Annotated[str, Field(description="One sentence, where there are no entries.")] = "",
) -> str:
    """A verdict or a synthesis for the open move."""
    draft = Draft(
        _entries(insights), _entries(decisions), _entries(questions), _entries(actions), summary, takeaway
    )
    verdict = Verdict(opposes, _drift(off_topic, belongs_to), tuple(decides))

    async def judge(table: Table) -> None:
        asked = await table.expect(move)
        reply: Reply = draft if asked.kind == "synthesis" else verdict
        await table.submit(move, reply)

    return await _play(ctx, session, judge)


# --- the user's words -----------------------------------------------------------------------------------


async def ask_user(session: str, move: str, ctx: Ctx) -> Elicit[Spoken] | Unasked:
    """The question to the person, where the client can put it."""
    table = await _expecting_user(ctx, session, move)
    return Elicit(question(table, await table.expect(move)), Spoken) if can_ask(ctx) else Unasked()


async def hear_user(
    session: Session,
    move: Id,
    ctx: Ctx,
    heard: Annotated[ElicitationResult[Spoken], Resolve(ask_user)],
) -> str:
    """The person's own words, asked for through the client."""
    if not isinstance(heard, AcceptedElicitation):
        table = await _expecting_user(ctx, session, move)
        raise _refusal(ctx, table, moves.text("asking", "closed"))
    spoken = heard.data
    if isinstance(spoken, Unasked):
        return _answer(ctx, await _expecting_user(ctx, session, move), moves.text("asking", "cannot"))
    return await _play(ctx, session, lambda table: table.say(move, spoken.words, relayed=False))


async def relay_user(
    session: Session,
    move: Id,
    words: Annotated[str, Field(description="The person's exact words; empty for an empty message.")],
    ctx: Ctx,
) -> str:
    """The person's words as the host passes them on."""
    return await _play(ctx, session, lambda table: table.say(move, words, relayed=True))


# --- looking --------------------------------------------------------------------------------------------


async def list_items(ctx: Ctx) -> str:
    """The project's items."""
    return answers.report_items(_tables(ctx).settings)


async def status(item: Item, ctx: Ctx) -> str:
    """How far an item is."""
    try:
        return answers.report_item(_tables(ctx).settings, item)
    except RoundtableError as error:
        raise ToolError(str(error)) from error


def register(server: MCPServer[Tables]) -> None:
    """Add all tools to the server."""
    tools: tuple[Callable[..., Awaitable[str]], ...] = (
        start, next_move, submit_turn, hear_user, relay_user, submit_judgement, leave, list_items, status,
    )  # fmt: skip
    for tool in tools:
        name = tool.__name__
        looks = tool in (list_items, status)
        hints = ToolAnnotations(
            read_only_hint=looks, destructive_hint=False, open_world_hint=False,
            idempotent_hint=looks or tool in (start, next_move, leave),
        )  # fmt: skip
        server.add_tool(tool, description=moves.tool(name), annotations=hints, structured_output=False)


# --- what they share ------------------------------------------------------------------------------------


def _tables(ctx: Ctx) -> Tables:
    return ctx.request_context.lifespan_context


async def _play(ctx: Ctx, session: str, act: Callable[[Table], Awaitable[None]]) -> str:
    """Do something at the table and answer with the next move; what is refused changes nothing."""
    try:
        table = await _tables(ctx).take(session)
    except RoundtableError as error:
        raise ToolError(str(error)) from error
    try:
        await act(table)
    except Refused as refusal:
        raise _refusal(ctx, table, str(refusal)) from refusal
    except RoundtableError as error:
        raise ToolError(str(error)) from error
    return _answer(ctx, table)


async def _expecting_user(ctx: Ctx, session: str, move: str) -> Table:
    """The table, where the user is to be heard in that move."""
    try:
        table = await _tables(ctx).take(session)
    except RoundtableError as error:
        raise ToolError(str(error)) from error
    try:
        (await table.expect(move)).check_user()
    except Refused as refusal:
        raise _refusal(ctx, table, str(refusal)) from refusal
    return table


def _answer(ctx: Ctx, table: Table, note: str = "") -> str:
    return _tables(ctx).reader(table).answer(table, can_ask=can_ask(ctx), note=note)


def _refusal(ctx: Ctx, table: Table, reason: str) -> ToolError:
    move = table.move
    now = move.named(can_ask=can_ask(ctx)) if move is not None else "Legal: start(item)."
    return ToolError(f"{reason} Nothing has changed. {now}")


def _drift(subject: str, place: str) -> OffTopic | None:
    return OffTopic(subject, place or None) if subject.strip() else None


def _entries(points: list[Point]) -> tuple[Entry, ...]:
    return tuple(Entry(point.text, tuple(point.turns), point.detail) for point in points)
