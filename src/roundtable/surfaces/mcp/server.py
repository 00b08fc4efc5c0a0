"""Prompts: what a host shows as commands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from ...core.errors import RoundtableError
from ...settings import Settings
from ...store.artifact import read_artifact
from ...store.transcript import find_transcript, list_transcripts, read_transcript
from ...version import __version__
from . import answers, moves, tools
from .access import LOOPBACK, PATH, RequireToken
from .briefs import cut
from .tables import Tables


def register_prompts(server: MCPServer[Any]) -> None:
    """Add the prompts to the server."""

    @server.prompt(title="Analyse a backlog item")
    def roundtable(item: str) -> str:
        """Take an item through its analysis, or go on where it stood."""
        return moves.text("prompt", "roundtable", item=item)

    @server.prompt(title="Hold a roundtable")
    def elaborate(item: str, step: str) -> str:
        """Discuss a completed step, such as 01-03, with all personas."""
        return moves.text("prompt", "elaborate", item=item, step=step)


LONGEST = 200_000
_CUT = "\n\n(cut: the file is longer)"


def register_resources(server: MCPServer[Any], tables: Tables) -> None:
    """Add the resource templates to the server."""

    @server.resource("roundtable://{item}/artifact/{name}", title="A document of an item")
    def artifact(item: str, name: str) -> str:
        """A document that the analysis wrote, such as requirements-spec.md."""
        try:
            return _text(read_artifact(tables.folder(item), name))
        except FileNotFoundError as missing:
            raise ResourceNotFoundError(f"There is no document {name[:60]!r} yet.") from missing
        except RoundtableError as error:
            raise ResourceError(str(error)) from error

    @server.resource("roundtable://{item}/transcript/{n}", title="A transcript of an item")
    def transcript(item: str, n: str) -> str:
        """The transcript of a discussion, by its number in the list that `roundtable show` gives."""
        try:
            folder = tables.folder(item)
            path = find_transcript(folder, n)
            if path is None:
                count = len(list_transcripts(folder))
                raise ResourceNotFoundError(f"There are {count} transcripts, numbered from 1.")
            return _text(read_transcript(folder, path))
        except RoundtableError as error:
            raise ResourceError(str(error)) from error

    @server.resource("roundtable://{item}/status", title="An item's progress", mime_type="application/json")
    def status(item: str) -> str:
        """Completed steps and phases, the next step, an open discussion, problems."""
        try:
            return answers.report_item(tables.settings, item)
        except RoundtableError as error:
            raise ResourceError(str(error)) from error


def _text(data: bytes) -> str:
    return cut(data.decode("utf-8-sig", "replace"), LONGEST, _CUT)


class Server(MCPServer[Tables]):
    """An MCP server that says in plain words what is wrong with a call's arguments."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Tables, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_wrong_shape(name, error.__cause__)) from error.__cause__
            raise


def build(tables: Tables, *, debug: bool = False) -> Server:
    """A server over these tables; whoever runs it closes them."""

    @asynccontextmanager
    async def same_tables(_server: MCPServer[Tables]) -> AsyncIterator[Tables]:
        yield tables

    server = Server(
        "roundtable", title="Roundtable", instructions=moves.instructions(), version=__version__,
        log_level="INFO" if debug else "WARNING", lifespan=same_tables,
    )  # fmt: skip
    tools.register(server)
    register_resources(server, tables)
    register_prompts(server)
    return server


def serve(settings: Settings, *, port: int | None = None, token: str = "", debug: bool = False) -> None:
    """Serve on stdio, or on a port of this machine to whoever has the token, until the client goes or a
    signal comes."""

    async def run() -> None:
        tables = Tables(settings)
        server = build(tables, debug=debug)
        try:
            if port is None:
                await server.run_stdio_async()
            else:
                await _listen(server, port, token, debug=debug)
        finally:
            await tables.close()

    asyncio.run(run())


async def _listen(server: Server, port: int, token: str, *, debug: bool) -> None:
    """Serve on a port; the library itself refuses a foreign `Host` or `Origin`."""
    import uvicorn  # late: stdio does without

    app = RequireToken(server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK), token)
    level = "info" if debug else "warning"
    # The token is in the address, so no address goes into a log.
    config = uvicorn.Config(app, host=LOOPBACK, port=port, log_level=level, access_log=False)
    await uvicorn.Server(config).serve()


def _wrong_shape(name: str, error: ValidationError) -> str:
    """What is wrong with the arguments, without the values."""
    wrong = [f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()[:5]]
    return (
        f"{name} was not called as its schema says ({'; '.join(wrong)}). Nothing has changed. Call it again."
    )
