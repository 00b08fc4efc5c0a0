"""`mcp` and `export`: the table for coding agents, whose models give the personas their words."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import click

from ...core.errors import DiskFailed, RuleBroken
from ...store.files import leads_out, make_folder, read, write
from ..export import HOSTS, SHARED_FILES, Host, agent_file
from .main import INTERRUPTED, interruptible
from .options import Command, Flags, Group
from .output import put_text, tell

_ELSEWHERE = "Nothing was written. Remove the link, or give --to for another place."
INSTALL = 'pip install "path/to/roundtable[mcp]"'


@click.command(cls=Command, uses=("root",))
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Serve on http://127.0.0.1:PORT/mcp instead of stdio.",
)
@click.pass_obj
def mcp(flags: Flags, port: int | None) -> None:
    """Serve the table to a coding agent over MCP.

    A coding agent starts this command itself; docs/mcp.md has the lines for its settings. With --http the
    server can be reached from this machine only, with the token in the address that it prints.
    """
    settings = flags.settings()
    try:
        import mcp.server.mcpserver  # noqa: F401 (late: half a second that no other command should pay)
    except ImportError as missing:
        raise RuleBroken(f"The MCP server is not installed. Install it with: {INSTALL}") from missing
    from ..mcp.server import make_address, serve

    token = secrets.token_urlsafe(32)
    if port is not None:
        tell(f"Serving {make_address(port, token)}\nAnybody with this address can use it. Ctrl-C stops it.")
    try:
        with interruptible(_leave) if port is None else nullcontext():
            serve(settings, port=port, token=token, debug=flags.debug)
    except SystemExit as failed:  # how the web server says that it cannot have the port
        raise RuleBroken(f"Port {port} cannot be used; the reason is above. Give another one.") from failed


def _leave() -> None:
    """End the process at once; an exception might wait for the thread that reads the client's next line."""
    tell("Interrupted. Everything is saved.")
    os._exit(INTERRUPTED)


@click.group(cls=Group)
def export() -> None:
    """Write files for coding agents.

    They are made from the personas and steps in use. With the MCP server the program keeps the rules; the
    agent file alone asks a model to keep them.
    """


@export.command("agent-file")
@click.option("--to", "target", metavar="FILE", help="Where to write; default: stdout.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.pass_obj
def export_agent_file(flags: Flags, target: str | None, force: bool) -> None:
    """Write the complete agent instructions as one markdown file."""
    project = flags.open_project()
    text = agent_file(project.roster(), project.steps())
    if target is None:
        put_text(text.rstrip("\n"))
    else:
        _write(flags, {Path(target).name: text}, Path(target).parent, force)


def _add_host(name: str, host: Host) -> None:
    @export.command(name, help=f"Write a complete folder for {name}: server, commands, agent file.")
    @click.option("--to", "target", metavar="DIR", help="Where to write; default: the host's usual place.")
    @click.option("--force", is_flag=True, help="Replace existing files.")
    @click.pass_obj
    def export_host(flags: Flags, target: str | None, force: bool) -> None:
        project = flags.open_project()
        root = project.root
        usual = root if host.reads_project else root / f"roundtable-{name}"
        if not target and not usual.resolve().is_relative_to(root.resolve()):
            raise RuleBroken(f"{usual} is a link that leads out of the project. {_ELSEWHERE}")
        files = host.make_files(agent_file(project.roster(), project.steps()))
        _write(flags, files, Path(target) if target else usual, force, host.next_step)


for _name, _host in HOSTS.items():
    _add_host(_name, _host)


def _write(flags: Flags, files: Mapping[str, str], folder: Path, force: bool, after: str = "") -> None:
    """Write all the files, or none if one of them exists with another text and may not be replaced."""
    if outside := ", ".join(name for name in files if leads_out(folder, name)):
        raise RuleBroken(f"{outside} would go through a link that leads out of the folder. {_ELSEWHERE}")
    different = [name for name, text in files.items() if _differs(folder / name, text)]
    kept = [name for name in different if name in SHARED_FILES]
    replaced = [name for name in different if name not in kept]
    if replaced and not force:
        raise RuleBroken(
            f"{', '.join(replaced)} in {folder} would be replaced. Nothing was written. "
            "Give --force to replace, or --to for another place."
        )
    names = [name for name in files if name not in kept]
    for name in names:
        make_folder((folder / name).parent, parents=True)
        write(folder / name, files[name].encode())
    lines = [f"Wrote to {folder}:", *(f"  {name}" for name in names)]
    lines += [f"{name} exists and was not changed. Add to it:\n{files[name].rstrip()}" for name in kept]
    if after:
        lines.append(after.format(folder=folder))
    flags.show_result({"folder": str(folder), "files": names, "left_alone": kept}, "\n".join(lines))


def _differs(path: Path, text: str) -> bool:
    try:
        return read(path) != text.encode()
    except FileNotFoundError:
        return False
    except DiskFailed:
        return True
