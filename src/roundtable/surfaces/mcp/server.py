"""The MCP server: tools, resources and prompts, on stdio or on a port of this machine."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from ... import __version__
from ...core.errors import RoundtableError
from ...settings import Settings
from ...store.artifact import read_artifact
from ...store.transcript import find_transcript, list_transcripts, read_transcript
from .answers import cut, to_json
from .sessions import HOST_FILES, HostedSessions, host_text
from .tools import make_tools

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
MAX_RESOURCE_LENGTH = 200_000
_REFUSAL = "The token is missing or wrong. Use the address that `roundtable mcp --http` printed.\n"


def serve(settings: Settings, *, port: int | None = None, token: str = "", debug: bool = False) -> None:
    """Serve on stdio, or on a port of this machine to whoever has the token, until the client goes or a
    signal comes."""

    async def run() -> None:
        sessions = HostedSessions(settings)
        server = build_server(sessions, debug=debug)
        try:
            if port is None:
                await server.run_stdio_async()
            else:
                await _listen(server, port, token, debug=debug)
        finally:
            await sessions.close()

    asyncio.run(run())


def build_server(sessions: HostedSessions, *, debug: bool = False) -> RoundtableServer:
    """Return a server over these sessions; whoever runs it closes them."""

    @asynccontextmanager
    async def share_sessions(_server: MCPServer[HostedSessions]) -> AsyncIterator[HostedSessions]:
        yield sessions

    server = RoundtableServer(
        "roundtable", title="Roundtable", version=__version__, tools=[*make_tools()],
        instructions=(HOST_FILES / "instructions.md").read_text(encoding="utf-8").strip(),
        log_level="INFO" if debug else "WARNING", lifespan=share_sessions,
    )  # fmt: skip
    _register_resources(server, sessions)
    _register_prompts(server)
    return server


class RoundtableServer(MCPServer[HostedSessions]):
    """An MCP server that says in plain words what was wrong with a call."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[HostedSessions, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, RoundtableError):
                raise ToolError(f"Error executing tool {name}: {cause}") from cause
            if isinstance(cause, ValidationError):
                # Without the values: they may be long, and the host has them.
                found = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in cause.errors()[:5])
                reasons = f"{name} was not called as its schema says ({'; '.join(found)})."
                raise ToolError(f"{reasons} Nothing has changed. Call it again.") from cause
            raise


# --- resources and prompts ------------------------------------------------------------------------------


def _register_resources(server: MCPServer[Any], sessions: HostedSessions) -> None:
    @server.resource("roundtable://{item}/artifact/{name}", title="A document of an item")
    def artifact(item: str, name: str) -> str:
        """A document that the analysis wrote, such as requirements-spec.md."""
        with _find_folder(sessions, item) as folder:
            return _decode(read_artifact(folder, name))

    @server.resource("roundtable://{item}/transcript/{n}", title="A transcript of an item")
    def transcript(item: str, n: str) -> str:
        """The transcript of a discussion, by its number in the list that `roundtable show` gives."""
        with _find_folder(sessions, item) as folder:
            if (path := find_transcript(folder, n)) is None:
                raise ResourceNotFoundError(f"Transcripts are numbered 1 to {len(list_transcripts(folder))}.")
            return _decode(read_transcript(folder, path))

    @server.resource("roundtable://{item}/status", title="An item's progress", mime_type="application/json")
    def status(item: str) -> str:
        """Completed steps and phases, the next step, an open discussion, problems."""
        with _find_folder(sessions, item) as folder:
            return to_json(sessions.project.status(folder.name))


@contextmanager
def _find_folder(sessions: HostedSessions, item: str) -> Iterator[Path]:
    """Yield the item's folder; what fails meanwhile is said to the client."""
    try:
        yield sessions.project.find_item(item).folder
    except FileNotFoundError as missing:
        raise ResourceNotFoundError("There is no such document yet.") from missing
    except RoundtableError as error:
        raise ResourceError(str(error)) from error


def _decode(data: bytes) -> str:
    return cut(data.decode("utf-8-sig", "replace"), MAX_RESOURCE_LENGTH, "\n\n(cut: the file is longer)")


def _register_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(title="Analyse a backlog item")
    def roundtable(item: str) -> str:
        """Take an item through its analysis, or go on where it stood."""
        return host_text("prompt", "roundtable", item=item)

    @server.prompt(title="Hold a roundtable")
    def elaborate(item: str, step: str) -> str:
        """Discuss a completed step, such as 01-03, with all personas."""
        return host_text("prompt", "elaborate", item=item, step=step)


# --- a port ---------------------------------------------------------------------------------------------


def make_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def make_address(port: int, token: str) -> str:
    """Return the address that a client connects to."""
    return f"http://{LOOPBACK}:{port}{PATH}?token={token}"


async def _listen(server: MCPServer[Any], port: int, token: str, *, debug: bool) -> None:
    """Serve on a port; the library itself refuses a foreign `Host` or `Origin`."""
    import uvicorn  # late: stdio does without

    app = RequireToken(server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK), token)
    level = "info" if debug else "warning"
    # The token is in the address, so no address goes into a log.
    config = uvicorn.Config(app, host=LOOPBACK, port=port, log_level=level, access_log=False, ws="none")
    await uvicorn.Server(config).serve()


class RequireToken:
    """Passes on the requests that have the token, in the address or as `Authorization: Bearer`.

    A port is open to every user of the machine, so each request has to bring the token.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_allowed = scope["type"] == "lifespan" or self._has_token(HTTPConnection(scope))
        await (self._app if is_allowed else PlainTextResponse(_REFUSAL, 401))(scope, receive, send)

    def _has_token(self, request: HTTPConnection) -> bool:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        given = [
            *request.query_params.getlist("token"),
            *([bearer.strip()] if scheme.lower() == "bearer" else ()),
        ]
        return any(hmac.compare_digest(each.encode(), self._token) for each in given)
