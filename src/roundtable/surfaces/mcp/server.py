"""The server: tools, resources and prompts over one set of tables, on stdio or on a port of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from ...settings import Settings
from ...version import __version__
from . import guide, prompts, resources, tools
from .access import LOOPBACK, PATH, RequireToken
from .tables import Tables


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
        "roundtable", title="Roundtable", instructions=guide.instructions(), version=__version__,
        log_level="INFO" if debug else "WARNING", lifespan=same_tables,
    )  # fmt: skip
    tools.register(server)
    resources.register(server, tables)
    prompts.register(server)
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
