"""`mcp` and `export`: the table for coding agents, whose models give the personas their words."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ...core.errors import RuleBroken
from ...store.files import leads_out, make_folder, read, write
from ..export import AGENT_FILE, HOSTS, SHARED_FILES, agent_file
from .main import INTERRUPTED, interruptible
from .options import Flags, command
from .output import put_text, tell

_ELSEWHERE = "Nothing was written. Remove the link, or give --to for another place."
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
    text = agent_file(project.roster(), project.steps())
    if (host := HOSTS.get(what)) is None:
        if target is None:
            put_text(text.rstrip("\n"))
            return
        folder, files = Path(target).parent, {Path(target).name: text}
    else:
        root = project.root
        folder, files = root if host.reads_project else root / f"roundtable-{what}", host.make_files(text)
        if not target and not folder.resolve().is_relative_to(root.resolve()):
            raise RuleBroken(f"{folder} is a link that leads out of the project. {_ELSEWHERE}")
        folder = Path(target) if target else folder
    if outside := ", ".join(name for name in files if leads_out(folder, name)):
        raise RuleBroken(f"{outside} would go through a link that leads out of the folder. {_ELSEWHERE}")
    paths = {name: folder / name for name in files}
    different = [name for name, path in paths.items() if path.exists() and read(path) != files[name].encode()]
    kept = [name for name in different if name in SHARED_FILES]
    if (replaced := [name for name in different if name not in kept]) and not force:
        raise RuleBroken(
            f"{', '.join(replaced)} in {folder} would be replaced. Nothing was written. "
            "Give --force to replace, or --to for another place."
        )
    names = [name for name in files if name not in kept]
    for name in names:
        make_folder(paths[name].parent, parents=True)
        write(paths[name], files[name].encode())
    lines = [f"Wrote to {folder}:", *(f"  {name}" for name in names)]
    lines += [f"{name} exists and was not changed. Add to it:\n{files[name].rstrip()}" for name in kept]
    lines += [host.next_step.format(folder=folder)] if host else []
    flags.show_result({"folder": str(folder), "files": names, "left_alone": kept}, "\n".join(lines))
