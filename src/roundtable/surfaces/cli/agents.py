"""`mcp`: the table for a coding agent, whose model gives the personas their words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ...core.errors import RuleBroken
from .options import Command, Flags, Group
from .output import put_json, put_text, tell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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
    from ..mcp.server import make_address, make_token, serve

    token = make_token()
    if port is not None:
        tell(f"Serving {make_address(port, token)}\nWhoever has this address can use it. Ctrl-C ends it.")
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


_HOSTS = ("claude-code", "codex", "gemini", "cursor")
_SHARED = (".codex/config.toml", ".cursor/mcp.json")
_NEXT = {
    "claude-code": "Start Claude Code with: claude --plugin-dir {folder}",
    "codex": "Codex reads it when it is started in {folder} and the project is trusted.",
    "gemini": "Link it with: gemini extensions link {folder}",
    "cursor": "Cursor reads it when {folder} is opened; allow the server under Settings, MCP.",
}


@click.group(cls=Group)
def export() -> None:
    """Write files for coding agents.

    They are made from the personas and steps in use. With the MCP server the machine keeps the rules; the
    agent file alone asks a model to keep them.
    """


@export.command("agent-file", cls=Command)
@click.option("--to", "target", metavar="FILE", help="Where to write; default: stdout.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.pass_obj
def agent_file(flags: Flags, target: str | None, force: bool) -> None:
    """Write the complete agent instructions as one markdown file."""
    from pathlib import Path

    from ...catalogue import load_roster, load_steps
    from ..export.agentfile import agent_file as made

    root = flags.settings().root
    text = made(load_roster(root), load_steps(root))
    if target is None:
        put_text(text.rstrip("\n"))
        return
    path = Path(target)
    _write(flags, {path.name: text}, path.parent, force, "")


def _host(name: str) -> click.Command:
    @click.command(name, cls=Command, help=f"Write a ready folder for {name}: server, commands, agent file.")
    @click.option("--to", "target", metavar="DIR", help="Where to write; default: the host's usual place.")
    @click.option("--force", is_flag=True, help="Replace files that are there.")
    @click.pass_obj
    def command(flags: Flags, target: str | None, force: bool) -> None:
        from pathlib import Path

        from ...catalogue import load_roster, load_steps
        from ...core.errors import RuleBroken
        from ..export.hosts import HOSTS

        root = flags.settings().root
        # Codex and Cursor read the project's own folder; the others load a folder of ours.
        usual = root if name in ("codex", "cursor") else root / f"roundtable-{name}"
        if not target and not usual.resolve().is_relative_to(root.resolve()):
            raise RuleBroken(
                f"{usual} is a link that leads out of the project. Nothing was written. "
                "Remove the link, or give --to for another place."
            )
        folder = Path(target) if target else usual
        _write(flags, HOSTS[name](load_roster(root), load_steps(root)), folder, force, _NEXT[name])

    return command


for _name in _HOSTS:
    export.add_command(_host(_name))


def _write(flags: Flags, files: Mapping[str, str], folder: Path, force: bool, after: str) -> None:
    """Write all the files, or none where one of them is there with another text and is not to be replaced."""
    from ...core.errors import RuleBroken
    from ...store.files import leads_out, make_folder, write

    if outside := [name for name in files if leads_out(folder, name)]:
        raise RuleBroken(
            f"{', '.join(outside)} would be written outside {folder}, through a link. Nothing was written. "
            "Remove the link, or give --to for another place."
        )
    there = [name for name, text in files.items() if _differs(folder / name, text)]
    # Other servers are configured in these too: they are never replaced.
    shared = {name: files[name] for name in there if name in _SHARED}
    files = {name: text for name, text in files.items() if name not in shared}
    there = [name for name in there if name not in shared]
    if there and not force:
        raise RuleBroken(
            f"{', '.join(there)} in {folder} would be replaced. Nothing was written. "
            "Give --force to replace, or --to for another place."
        )
    for name, text in files.items():
        make_folder((folder / name).parent, parents=True)
        write(folder / name, text.encode())
    if flags.json:
        put_json({"folder": str(folder), "files": list(files), "left_alone": list(shared)}, indent=2)
        return
    listed = "\n".join(f"  {name}" for name in files)
    said = f"Wrote to {folder}:\n{listed}"
    for name, text in shared.items():
        said += f"\n{name} was there and stays as it is. Add to it:\n{text.rstrip()}"
    put_text(f"{said}\n{after.format(folder=folder)}" if after else said)


def _differs(path: Path, text: str) -> bool:
    from ...core.errors import DiskFailed
    from ...store.files import read

    try:
        return read(path) != text.encode()
    except FileNotFoundError:
        return False
    except DiskFailed:
        return True
