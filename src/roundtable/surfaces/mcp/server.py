"""The MCP server: tools, resources and prompts over stdio or HTTP, described by content/instructions.toml."""

import asyncio
import hmac
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from itertools import takewhile
from typing import Annotated, Any
from urllib.parse import quote

import uvicorn
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ... import __version__
from ...content import read_tables
from ...core.errors import RoundtableError
from ...core.synthesis import Draft, Entry, render_review, shorten_text
from ...core.turns import USER, OffTopic, Verdict
from ...panel.host import Refused, Words, write_turn
from ...settings import Settings
from .sessions import MAX_HOST_TEXT_LENGTH, HostedSession, HostedSessions, host_text

Ctx = Context[HostedSessions, Any]
_MAX_ITEMS = 50
_LISTED_FIELDS = ("slug", "title", "analysis_status", "next", "next_step", "discussion", "problem")
_MAX_QUESTION_LENGTH = 1_500
_MAX_PROBLEM_LENGTH = 1_000
_MAX_LINE_LENGTH = 4_000
_KINDS_IN_FORM = ("question", "menu", "notice", "inactivity", "unclear-exit", "warning", "redirect", "review")


async def serve(settings: Settings, listener: socket.socket | None, token: str, *, debug: bool) -> None:
    """Serve on stdio until the client goes or, with a listener, over HTTP to those who have the token."""

    def tick() -> None:
        """Wake the loop every second, so that it notices a signal that came just before it slept."""
        asyncio.get_running_loop().call_later(1, tick)

    sessions = HostedSessions(settings)
    server = RoundtableServer(sessions, debug=debug)
    try:
        if listener is None:
            tick()
            await server.run_stdio_async()
        else:
            # For this host, the library refuses every `Host` and `Origin` of another machine.
            app = _require_token(server.streamable_http_app(host="127.0.0.1"), token)
            level = "info" if debug else "warning"
            config = uvicorn.Config(app, log_level=level, access_log=False, ws="none")
            await WebServer(config).serve(sockets=[listener])
    finally:
        await sessions.close()


class WebServer(uvicorn.Server):
    """A web server that leaves signals to the command: all is saved, so nothing has to wait."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _require_token(app: ASGIApp, token: str) -> ASGIApp:
    """Return the app behind a check of the token: every user of the machine can reach the port."""
    refuse = PlainTextResponse("The token is missing or wrong.\n", 401, {"WWW-Authenticate": "Bearer"})

    async def check(scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        is_ours = scope["type"] == "lifespan" or hmac.compare_digest(given, f"Bearer {token}".encode())
        await (app if is_ours else refuse)(scope, receive, send)

    return check


class RoundtableServer(MCPServer[HostedSessions]):
    """An MCP server over `sessions`, which the caller closes; its errors say what is wrong with a call."""

    def __init__(self, sessions: HostedSessions, *, debug: bool = False) -> None:
        super().__init__(
            "roundtable", title="Roundtable", version=__version__, tools=[*make_tools()],
            instructions=read_tables("instructions.toml")["host"]["instructions"],
            log_level="INFO" if debug else "WARNING", lifespan=lambda _server: nullcontext(sessions),
        )  # fmt: skip
        self._project = sessions.project

        @self.resource("roundtable://{item}/{kind}/{name}", title="A document or transcript of an item")
        def read_file(item: str, kind: str, name: str) -> str:
            """An `artifact` by its file name, or a `transcript` by its number as `roundtable show` counts."""
            try:
                if kind == "artifact" and name in (documents := sessions.project.documents(item)):
                    return documents[name]
                for each in sessions.project.transcripts(item) if kind == "transcript" else ():
                    if str(each.number) == name:
                        return each.text
            except RoundtableError as error:
                raise ResourceError(str(error)) from error
            raise ResourceNotFoundError("There is no such document or transcript, or it cannot be read.")

        @self.resource("roundtable://{item}/status", title="How far an item is", mime_type="application/json")
        def read_status(item: str) -> str:
            """What the tool `status` returns."""
            try:
                return to_json(sessions.project.status(item).to_data())
            except RoundtableError as error:
                raise ResourceError(str(error)) from error

        @self.prompt(title="Analyse a backlog item")
        def roundtable(item: str) -> str:
            """Take an item through its analysis, or go on where it stood."""
            return host_text("prompt", "roundtable", item=item)

        @self.prompt(title="Hold a roundtable")
        def elaborate(item: str, step: str) -> str:
            """Discuss a completed step, such as 01-03, with all personas."""
            return host_text("prompt", "elaborate", item=item, step=step)

    async def list_resources(self) -> list[Resource]:
        """Return the resources of the first items; templates alone would leave a client's list empty."""
        found = []
        for entry in self._project.items()[:_MAX_ITEMS]:
            names = [f"artifact/{name}" for name in await asyncio.to_thread(self._project.documents, entry)]
            names += [f"transcript/{at + 1}" for at in range(len(self._project.list_files(entry)[1]))]
            for name in names:
                uri = f"roundtable://{quote(f'{entry.slug}/{name}')}"
                found.append(Resource(uri=uri, name=f"{entry.slug}: {name}"))
        return found

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Ctx | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; a ToolError tells the client what is wrong."""
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
    """Yield all tools, with their descriptions for a host."""
    tools: tuple[Callable[..., Awaitable[str]], ...] = (
        start, next_move, submit_turn, hear_user, relay_user, submit_judgement, leave, add_item, list_items,
        status, hand_off,
    )  # fmt: skip
    texts = read_tables("instructions.toml")["host"]
    for function in tools:
        looks = function in (list_items, status, hand_off)
        hints = ToolAnnotations(read_only_hint=looks, destructive_hint=False, open_world_hint=False)
        text = " ".join(texts["tools"][function.__name__].split())
        tool = Tool.from_function(function, description=text, annotations=hints, structured_output=False)
        described = texts["parameters"] | texts.get(function.__name__, {})
        for part in (tool.parameters, *tool.parameters.get("$defs", {}).values()):
            for name, schema in part["properties"].items():
                schema["description"] = " ".join(described[name].split())
        # Unknown arguments are refused: if they were ignored, what they say would be lost.
        arguments = tool.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        yield tool


async def start(item: str, ctx: Ctx, step: str | None = None) -> str:
    """Open an item's session and send everything."""
    hosted = await _sessions(ctx).start(item, step)
    return write_answer(hosted, can_ask=_must_ask(ctx, hosted))


async def next_move(session: str, ctx: Ctx) -> str:
    """Send the open move again; a session that a server restart closed goes on where it was."""
    hosted = await _sessions(ctx).start(session, anew=False)
    return write_answer(hosted, can_ask=_must_ask(ctx, hosted))


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
    return OffTopic(subject, place or None) if subject.strip() else None


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


class UserWords(BaseModel):
    """What the person says."""

    words: Annotated[str, Field(title="Your words", description="May be left empty.")] = ""


async def ask_user(session: str, move: str, ctx: Ctx) -> Elicit[UserWords] | UserWords:
    """Return a form with the last question put to the person; no words if the client has no forms."""
    async with _join(ctx, session) as hosted:
        asks = await hosted.expect(move, from_user=True)
        if not _can_ask(ctx):
            return UserWords()
        hosted.shown_form = move
    analysis, parts = hosted.session.analysis, [host_text("asking", "elicit", item=hosted.slug)]
    talk = analysis.elaboration if analysis is not None else None
    put = [line.text for line in hosted.lines if line.kind in _KINDS_IN_FORM and line.speaker != USER]
    question = put[-1] if put else host_text("person", asks.kind)
    if talk is not None and asks.kind == "review":  # whole, because the person accepts what it shows
        parts.append(render_review(talk.draft, talk.turns, talk.roster))
        parts += [host_text("person", "summary", summary=talk.draft.summary)] if talk.draft.summary else []
        question = host_text("person", "review")
    elif talk is not None:  # so that the person answers the personas, and not the host's account of them
        unheard = [*takewhile(lambda turn: turn.speaker != USER, reversed(talk.turns))][::-1]
        said = (f"{turn.number}. {talk.roster[turn.speaker].title}: {turn.text}" for turn in unheard)
        parts += [shorten_text(each, _MAX_QUESTION_LENGTH) for each in said]
    parts.append(shorten_text(question, _MAX_QUESTION_LENGTH))
    if hosted.session.offer:  # so that nobody accepts one unseen
        parts.append(host_text("person", "draft", draft=hosted.session.offer))
    return Elicit("\n\n".join(parts), UserWords)


async def hear_user(
    session: str, move: str, ctx: Ctx, heard: Annotated[ElicitationResult[UserWords], Resolve(ask_user)]
) -> str:
    """Take the person's own words, asked for through the client; without forms, send the open move again."""
    if not _can_ask(ctx):
        return to_json(json.loads(await next_move(session, ctx)) | {"note": host_text("asking", "no-form")})
    words = heard.data.words if isinstance(heard, AcceptedElicitation) else None
    return await _play(ctx, session, lambda hosted: hosted.say(move, words, relayed=False))


async def relay_user(session: str, move: str, words: str, ctx: Ctx) -> str:
    """Take the person's words from the host, if the person cannot be asked or closed the form."""

    async def relay(hosted: HostedSession) -> None:
        if _must_ask(ctx, hosted):
            raise Refused(host_text("asking", "form"))
        await hosted.say(move, words, relayed=True)

    return await _play(ctx, session, relay)


async def list_items(ctx: Ctx) -> str:
    """Return the project's first items, and how many more there are."""
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


async def add_item(text: str, ctx: Ctx, title: str = "") -> str:
    """Add an item, marked as added by a host, and return its name."""
    if not text.strip() or len(text) > MAX_HOST_TEXT_LENGTH or len(title) > MAX_HOST_TEXT_LENGTH:
        raise ToolError(host_text("asking", "no-item", limit=f"{MAX_HOST_TEXT_LENGTH:,}"))
    project = _sessions(ctx).project
    entry = await asyncio.to_thread(project.add_item, text, title=title.strip() or None, relayed=True)
    note = host_text("asking", "added", item=entry.slug)
    return to_json({"item": entry.slug, "title": entry.title, "note": note})


def _sessions(ctx: Ctx) -> HostedSessions:
    return ctx.request_context.lifespan_context


async def _play(ctx: Ctx, session: str, act: Callable[[HostedSession], Awaitable[None]]) -> str:
    async with _join(ctx, session) as hosted:
        await act(hosted)
    return write_answer(hosted, can_ask=_must_ask(ctx, hosted))


@asynccontextmanager
async def _join(ctx: Ctx, session: str) -> AsyncIterator[HostedSession]:
    """Go on with a session; turn a refusal into a ToolError that says what is legal now."""
    hosted = await _sessions(ctx).start(session, anew=False)
    try:
        yield hosted
    except Refused as refusal:
        now, calls, move = "", [f'start(item="{hosted.slug}")'], hosted.move
        if move is not None:
            now = f" Open now: move {move.id}, {move.kind}, {move.speaker or 'you'}."
            calls = move.list_calls(can_ask=_must_ask(ctx, hosted))
        raise ToolError(f"{refusal} Nothing was written.{now} Legal now: {' or '.join(calls)}.") from refusal


def _can_ask(ctx: Ctx) -> bool:
    capabilities = ctx.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _must_ask(ctx: Ctx, hosted: HostedSession) -> bool:
    """Whether it is the person's turn and a form must be shown; after one form, the chat will do."""
    move = hosted.move
    return move is not None and move.request is None and move.id != hosted.shown_form and _can_ask(ctx)


# --- what a tool gives back, as bounded JSON text ---------------------------------------------------------


def to_json(body: object) -> str:
    """Return compact JSON text, without escapes for non-ASCII characters."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def write_answer(hosted: HostedSession, *, can_ask: bool) -> str:
    """Return JSON with the lines since the last move, the context that is new, and the open move."""
    move, sent = hosted.move, hosted.sent
    if hosted.last is not None and hosted.last[0] is move and hosted.last[1] == can_ask:
        return hosted.last[2]
    answer: dict[str, Any] = {"session": hosted.slug, "lines": list(_list_lines(hosted))}
    if move is None:
        is_done = bool(hosted.lines) and hosted.lines[-1].kind == "done"
        kind, names = ("done", ["hand_off", "start"]) if is_done else ("paused", ["start"])
        calls = [*(f'{name}(item="{hosted.slug}")' for name in names), "list_items()"]
        answer["move"] = {"kind": kind, "brief": host_text("asking", kind), "legal": calls}
    else:
        shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
        if (request := move.request) is not None:
            told = request.conversation  # split below: no text of others has empty lines
            if (step := told.system.rpartition("\n\n")[2]) != hosted.step:
                sent.discard(step)
                hosted.step = step
            new = [part for part in (*told.system.split("\n\n"), *told.turns) if part not in sent]
            sent.update(new)
            answer["context"], brief = "\n\n".join(new), told.brief.strip()
            if (turn := request.brief) is not None:
                shown |= {"purpose": turn.purpose, "turn": f"{turn.number} of {turn.table.max_turns}"}
        else:
            brief = host_text("asking", "ask" if can_ask else "cannot")
            if (how := host_text("user", move.kind)) not in sent:
                sent.add(how)
                brief = f"{how} {brief}"
        legal = move.list_calls(can_ask=can_ask)
        answer["move"] = shown | {"brief": brief, "limits": move.limits, "legal": legal}
    text = to_json({key: value for key, value in answer.items() if value})
    hosted.last = (move, can_ask, text)
    return text


def _list_lines(hosted: HostedSession) -> Iterator[dict[str, Any]]:
    """Yield the lines shown since the last move, with the person's own words as they were taken."""
    talk = hosted.session.analysis.elaboration if hosted.session.analysis is not None else None
    for line in hosted.lines:
        speaker = {"speaker": USER} if line.speaker == USER else {}
        number = {"turn": line.turn} if line.turn is not None else {}
        if talk is not None and line.turn and len(line.text) <= _MAX_LINE_LENGTH:  # else it is in the context
            hosted.sent.add(write_turn(talk.turns[line.turn - 1], talk.roster))
        text = line.text if len(line.text) <= _MAX_LINE_LENGTH else f"{line.text[:_MAX_LINE_LENGTH]} ..."
        yield {"kind": line.kind, "text": text, **speaker, **number}
