"""`mcp` and `export`: the table for coding agents, whose models give the personas their words."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...core.errors import RuleBroken
from ...store.files import leads_out, write_new_files
from ..export import AGENT_FILE, HOSTS, SHARED_FILES, agent_file
from .main import INTERRUPTED, interruptible
from .options import Flags, command
from .output import put_text, tell

INSTALL = 'pip install "path/to/roundtable[mcp]"'


@command(uses=("root",))
def mcp(flags: Flags) -> None:
    """Serve the table to a coding agent over MCP.

    A coding agent starts this command itself; docs/mcp.md has the lines for its settings.
    """
    settings = flags.settings()
    try:
        from ..mcp.server import serve  # late: half a second that no other command should pay
    except ImportError as missing:
        raise RuleBroken(f"The MCP server is not installed. Install it with: {INSTALL}") from missing

    with interruptible(_leave):
        serve(settings, debug=flags.debug)


def _leave() -> None:
    """End the process at once; an exception might wait for the thread that reads the client's next line."""
    tell("Interrupted. Everything is saved.")
    os._exit(INTERRUPTED)


@command()
@click.argument("what", type=click.Choice((AGENT_FILE, *HOSTS)), metavar="|".join((AGENT_FILE, *HOSTS)))
@click.option("--to", "target", metavar="PATH", help="Where to write; default: the host's usual place.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def export(flags: Flags, what: str, target: str | None, force: bool) -> None:
    """Write files for coding agents.

    For a host it is a folder with server, commands and agent file. `agent-file` alone goes to stdout without
    --to. With the MCP server the program keeps the rules; the agent file alone asks a model to keep them.
    """
    project = flags.open_project()
    text, do = agent_file(project.roster(), project.steps()), "Give --to for another place."
    if (host := HOSTS.get(what)) is not None:
        usual = project.root if host.reads_project else project.root / f"roundtable-{what}"
        folder, files = Path(target) if target else usual, host.make_files(text)
        if not target and leads_out(project.root, usual):
            raise RuleBroken(f"{usual} is a link that leads elsewhere. Nothing was written. {do}")
    elif target is not None:
        folder, files = Path(target).parent, {Path(target).name: text}
    else:
        put_text(text.rstrip("\n"))
        return
    kept = [name for name in files if name in SHARED_FILES and (folder / name).exists()]
    names = [name for name in files if name not in kept]
    write_new_files(
        folder, {name: files[name] for name in names}, replace=force, do=f"{do} --force replaces files."
    )
    lines = [f"Wrote to {folder}:", *(f"  {name}" for name in names)]
    lines += [f"{name} exists and was not changed. It needs this:\n{files[name].rstrip()}" for name in kept]
    lines += [host.next_step.format(folder=folder)] if host else []
    flags.show_result({"folder": str(folder), "files": names, "left_alone": kept}, "\n".join(lines))
