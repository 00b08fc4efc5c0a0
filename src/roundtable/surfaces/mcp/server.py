"""The MCP server: tools, resources and prompts, on stdio or a port; content/host describes them to a host."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from ... import __version__
from ...core.errors import RoundtableError
from ...core.synthesis import Draft, Entry, shorten_text
from ...core.turns import USER, OffTopic, Verdict
from ...panel.host import Refused, Words
from ...settings import Settings
from ...store.artifact import read_artifact, read_documents
from ...store.transcript import list_transcripts, parse_transcripts
from .answers import describe_end, show_unseen, to_json, write_answer
from .sessions import HOST_FILES, MAX_MESSAGE_LENGTH, HostedSession, HostedSessions, host_table, host_text

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

Ctx = Context[HostedSessions, Any]
_LOOPBACK = "127.0.0.1"
_MAX_ITEMS = 50
_LISTED_FIELDS = ("slug", "title", "analysis_status", "next", "discussion", "problem")
_MAX_QUESTION_LENGTH = 1_500
_MAX_PROBLEM_LENGTH = 1_000
_ASKING_KINDS = ("question", "menu", "notice", "inactivity", "unclear-exit", "warning", "redirect", "review")
_REFUSAL = "The token is missing or wrong. Use the address that `roundtable mcp --http` printed.\n"


def serve(settings: Settings, *, port: int | None = None, token: str = "", debug: bool = False) -> None:
    """Serve on stdio, or on a port of this machine to whoever has the token, until the client goes."""

    async def run() -> None:
        sessions = HostedSessions(settings)
        server = RoundtableServer(sessions, debug=debug)
        try:
            if port is None:
                await server.run_stdio_async()
                return
            import uvicorn  # late: stdio does without

            # The library itself refuses a foreign `Host` or `Origin`. The token is in the address, so no
            # address goes into a log.
            app = _require_token(server.streamable_http_app(host=_LOOPBACK), token)
            level = "info" if debug else "warning"
            quiet: dict[str, Any] = {"log_level": level, "access_log": False, "ws": "none"}
            await uvicorn.Server(uvicorn.Config(app, host=_LOOPBACK, port=port, **quiet)).serve()
        finally:
            await sessions.close()

    asyncio.run(run())


class RoundtableServer(MCPServer[HostedSessions]):
    """An MCP server over sessions that whoever runs it closes; it says plainly what is wrong with a call."""

    def __init__(self, sessions: HostedSessions, *, debug: bool = False) -> None:
        super().__init__(
            "roundtable", title="Roundtable", version=__version__, tools=[*make_tools()],
            instructions=(HOST_FILES / "instructions.md").read_text(encoding="utf-8").strip(),
            log_level="INFO" if debug else "WARNING", lifespan=lambda _server: nullcontext(sessions),
        )  # fmt: skip
        self._project = sessions.project

        @self.resource("roundtable://{item}/{kind}/{name}", title="A document or transcript of an item")
        def read_file(item: str, kind: str, name: str) -> str:
            """An `artifact` by its file name, or a `transcript` by its number as `roundtable show` counts."""
            with suppress(FileNotFoundError):
                try:
                    folder = sessions.project.find_item(item).folder
                    if kind == "artifact" and (data := read_artifact(folder, name)) is not None:
                        return data.decode("utf-8-sig", "replace")
                    for each in parse_transcripts(folder) if kind == "transcript" else ():
                        if str(each.number) == name:
                            return each.text
                except RoundtableError as error:
                    raise ResourceError(str(error)) from error
            raise ResourceNotFoundError("There is no such document or transcript.")

        @self.prompt(title="Analyse a backlog item")
        def roundtable(item: str) -> str:
            """Take an item through its analysis, or go on where it stood."""
            return host_text("prompt", "roundtable", item=item)

        @self.prompt(title="Hold a roundtable")
        def elaborate(item: str, step: str) -> str:
            """Discuss a completed step, such as 01-03, with all personas."""
            return host_text("prompt", "elaborate", item=item, step=step)

    async def list_resources(self) -> list[Resource]:
        """Return what can be read of the first items; templates alone would leave a client's list empty."""
        found = []
        for entry in self._project.items()[:_MAX_ITEMS]:
            names = [f"artifact/{name}" for name in await asyncio.to_thread(read_documents, entry.folder)]
            names += [f"transcript/{number + 1}" for number in range(len(list_transcripts(entry.folder)))]
            for name in names:
                uri = f"roundtable://{quote(f'{entry.slug}/{name}')}"
                found.append(Resource(uri=uri, name=f"{entry.slug}: {name}"))
        return found

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Ctx | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; the client is told what is wrong, not only that something is."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause, text = error.__cause__, str(error)
            if isinstance(cause, RoundtableError):
                text = f"{text}: {cause}"
            elif isinstance(cause, ValidationError):
                # Without the values: they may be long, and the host has them.
                wrong = (f"{'.'.join(map(str, each['loc']))[:60]}: {each['msg']}" for each in cause.errors())
                found = "; ".join(wrong)[:_MAX_PROBLEM_LENGTH]
                text = f"{name} was not called as its schema says ({found}). Nothing has changed."
            raise ToolError(text) from cause


def make_tools() -> Iterator[Tool]:
    """Yield all tools, with what a host is told about them."""
    tools: tuple[Callable[..., Awaitable[str]], ...] = (
        start, next_move, submit_turn, hear_user, relay_user, submit_judgement, leave, add_item, list_items,
        status, hand_off,
    )  # fmt: skip
    texts = host_table("tools.toml")
    for function in tools:
        looks = function in (next_move, list_items, status, hand_off)
        hints = ToolAnnotations(read_only_hint=looks, destructive_hint=False, open_world_hint=False)
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


async def start(item: str, ctx: Ctx, step: str | None = None) -> str:
    """Open an item's session and send everything."""
    return write_answer(await _sessions(ctx).start(item, step), can_ask=_can_ask(ctx))


async def next_move(session: str, ctx: Ctx) -> str:
    """Send the open move again; where no session is open, say so and open none."""
    hosted = _sessions(ctx).in_play.get(_sessions(ctx).project.find_item(session).slug)
    if hosted is None:
        return to_json({"session": session, "move": describe_end(session, "paused")})
    await hosted.wait_for_move()
    return write_answer(hosted, can_ask=_can_ask(ctx))


async def leave(session: str, ctx: Ctx) -> str:
    """Release the item."""
    slug = await _sessions(ctx).leave(session)
    return to_json({"session": slug, "note": host_text("asking", "left", item=slug)})


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
) -> str:
    """Take a persona's words for the open move."""
    verdict = Verdict(opposes, _make_drift(off_topic, belongs_to), tuple(decides))
    judged = Verdict(user_opposes, _make_drift(user_off_topic, user_belongs_to))
    words = Words(speaker, text, passes, focus_question, focus_topic, verdict, judged)
    return await _play(ctx, session, lambda hosted: hosted.submit(move, words))


def _make_drift(subject: str, place: str) -> OffTopic | None:
    return OffTopic(subject, place or None, from_host=True) if subject.strip() else None


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

    def make(points: list[Point]) -> tuple[Entry, ...]:
        return tuple(Entry(point.text, tuple(point.turns), point.detail) for point in points)

    draft = Draft(make(insights), make(decisions), make(questions), make(actions), summary, takeaway)
    return await _play(ctx, session, lambda hosted: hosted.submit(move, draft))


class Accepted(BaseModel):
    """That the person accepts what a form shows."""


class UserWords(Accepted):
    """What the person says."""

    words: Annotated[str, Field(title="Your words", description="May be left empty.")] = ""


class NotAsked(UserWords):
    """Nothing: the client has no forms, or it is not the person's turn."""


async def ask_user(session: str, move: str, ctx: Ctx) -> Elicit[UserWords] | NotAsked:
    """Return the question to the person, where the client can ask: the last one put to them, if any."""
    hosted = await _sessions(ctx).start(session, anew=False)
    asks = hosted.move
    if not _can_ask(ctx) or asks is None or asks.id != move or asks.request is not None:
        return NotAsked()
    analysis = hosted.session.analysis
    put = [line.text for line in hosted.lines if line.kind in _ASKING_KINDS and line.speaker != USER]
    question = put[-1] if put and asks.kind != "review" else host_text("person", asks.kind)
    parts = [host_text("asking", "elicit", item=hosted.slug), *show_unseen(analysis)]
    parts.append(shorten_text(question, _MAX_QUESTION_LENGTH))
    if analysis is not None and analysis.open_draft:  # so that nobody takes one unseen
        parts.append(host_text("person", "draft", draft=analysis.open_draft))
    return Elicit("\n\n".join(parts), UserWords)


async def hear_user(
    session: str, move: str, ctx: Ctx, heard: Annotated[ElicitationResult[UserWords], Resolve(ask_user)]
) -> str:
    """Take the person's own words, asked for through the client."""

    async def hear(hosted: HostedSession) -> None:
        await hosted.expect(move, from_user=True)
        if not isinstance(heard, AcceptedElicitation):
            raise Refused(host_text("asking", "closed"))
        if isinstance(heard.data, NotAsked):
            raise Refused(host_text("asking", "no-form"))
        await hosted.say(move, heard.data.words, relayed=False)

    return await _play(ctx, session, hear)


async def relay_user(session: str, move: str, words: str, ctx: Ctx) -> str:
    """Take the person's words as the host passes them on."""
    return await _play(ctx, session, lambda hosted: hosted.say(move, words, relayed=True))


async def list_items(ctx: Ctx) -> str:
    """Return the project's first items, and how many there are besides."""
    project = _sessions(ctx).project
    found = project.items()
    reports = [each.to_data() for each in project.report(found[:_MAX_ITEMS])]
    rows = [{key: data[key] for key in _LISTED_FIELDS} for data in reports]
    hint = {} if found else {"hint": "There is no item yet. add_item adds one, in the person's words."}
    return to_json({"items": rows, "more": len(found) - len(rows)} | hint)


async def status(item: str, ctx: Ctx) -> str:
    """Return how far an item is."""
    return to_json(_sessions(ctx).project.status(item).to_data())


async def hand_off(item: str, ctx: Ctx) -> str:
    """Return the page for the developer who builds the item."""
    page, _ = _sessions(ctx).project.write_hand_off(item, "page", None)
    return to_json({"item": item, "page": page})


async def show_item(text: str, ctx: Ctx, title: str = "") -> Elicit[Accepted] | NotAsked:
    """Return the form that shows the person an item before it is added, where the client can."""
    if not text.strip() or len(text) > MAX_MESSAGE_LENGTH or len(title) > MAX_MESSAGE_LENGTH:
        raise ToolError(host_text("asking", "no-item", limit=f"{MAX_MESSAGE_LENGTH:,}"))
    if not _can_ask(ctx):
        return NotAsked()
    shown = "\n\n".join(filter(None, (host_text("person", "item"), title.strip(), text.strip())))
    return Elicit(shown, Accepted)


async def add_item(
    text: str, ctx: Ctx, shown: Annotated[ElicitationResult[Accepted], Resolve(show_item)], title: str = ""
) -> str:
    """Add an item and return its name."""
    if not isinstance(shown, AcceptedElicitation):
        raise ToolError(host_text("asking", "not-added"))
    add = partial(_sessions(ctx).project.add_item, relayed=isinstance(shown.data, NotAsked))
    entry = await asyncio.to_thread(add, text, title=title.strip() or None)
    note = host_text("asking", "added", item=entry.slug)
    return to_json({"item": entry.slug, "title": entry.title, "note": note})


def _sessions(ctx: Ctx) -> HostedSessions:
    return ctx.request_context.lifespan_context


async def _play(ctx: Ctx, session: str, act: Callable[[HostedSession], Awaitable[None]]) -> str:
    """Act in a session and return the next move; a refusal says what is legal, and that nothing counted."""
    hosted = await _sessions(ctx).start(session, anew=False)
    try:
        await act(hosted)
    except Refused as refusal:
        now, calls, move = "", [f'start(item="{hosted.slug}")'], hosted.move
        if move is not None:
            now = f" Open now: move {move.id}, {move.kind}, {move.speaker or 'you'}."
            calls = move.list_calls(can_ask=_can_ask(ctx))
        raise ToolError(f"{refusal} Nothing was written.{now} Legal now: {' or '.join(calls)}.") from refusal
    return write_answer(hosted, can_ask=_can_ask(ctx))


def _can_ask(ctx: Ctx) -> bool:
    """Whether the client can put a form to the person."""
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _require_token(app: ASGIApp, token: str) -> ASGIApp:
    """Pass on the requests that have the token, in the address or as `Authorization: Bearer`.

    A port is open to every user of the machine, so each request has to bring it.
    """

    async def check(scope: Scope, receive: Receive, send: Send) -> None:
        answer = app
        if scope["type"] != "lifespan":
            request = HTTPConnection(scope)
            scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
            given = request.query_params.getlist("token") + [bearer.strip()] * (scheme.lower() == "bearer")
            if not any(hmac.compare_digest(each.encode(), token.encode()) for each in given):
                answer = PlainTextResponse(_REFUSAL, 401)
        await answer(scope, receive, send)

    return check
