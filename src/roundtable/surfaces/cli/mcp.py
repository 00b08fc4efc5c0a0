"""`mcp`: the table for a coding agent, whose model gives the personas their words."""

from __future__ import annotations

import os

import click

from ...core.errors import RuleBroken
from .flags import Command, Flags
from .output import tell

INTERRUPTED = 130
INSTALL = 'pip install "path/to/roundtable[mcp]"'
_HERE = ("127.0.0.1", "localhost", "[::1]", "::1")


@click.command(cls=Command)
@click.option("--http", metavar="PORT", help="Serve on http://127.0.0.1:PORT/mcp instead of stdio.")
@click.pass_obj
def mcp(flags: Flags, http: str | None) -> None:
    """Serve the table to a coding agent over MCP.

    A coding agent starts this command itself; docs/mcp.md has the lines for its settings. With --http the
    server is reached from this machine only, by whoever has the token in the address that it prints.
    """
    port = _port(http) if http is not None else None
    settings = flags.settings()
    try:
        import mcp.server.mcpserver  # noqa: F401 (late: half a second that no other command should pay)
    except ImportError as missing:
        raise RuleBroken(f"The MCP server is not installed. Install it with: {INSTALL}") from missing
    from ..mcp.access import address, new_token
    from ..mcp.server import serve

    token = new_token()
    if port is not None:
        tell(f"Serving {address(port, token)}\nWhoever has this address can use it. Ctrl-C ends it.")
    try:
        serve(settings, port=port, token=token, debug=flags.debug)
    except KeyboardInterrupt:
        if port is not None:
            raise
        tell("Interrupted. Everything is saved.")
        os._exit(INTERRUPTED)  # a thread waits for the client's next line, and nothing else can end it
    except SystemExit as failed:  # the web server's word for a port that it cannot have
        raise RuleBroken(f"Port {port} cannot be used, as said above. Give another one.") from failed


def _port(given: str) -> int:
    """The port; one of another machine's address is refused."""
    host, colon, number = given.rpartition(":")
    if colon and host not in _HERE:
        raise RuleBroken(
            f"{host[:60]} is refused: the server is for this machine only. Give a port, such as --http 8765."
        )
    if not number.isdecimal() or not 0 < int(number[:6]) < 65536:
        raise RuleBroken(f"{given[:40]} is no port. Give a number from 1 to 65535, such as --http 8765.")
    return int(number)
