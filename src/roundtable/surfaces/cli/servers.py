"""`serve`, `mcp` and `export`: the table for people in their browsers, and for coding agents."""

import asyncio
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from ...core.errors import DiskFailed, RuleBroken
from ...panel.base import StoppablePanel
from ...project import choose_panel, find_lacking
from ...runtime.session import Session
from ...settings import announcement_file, user_name
from ...store.files import leads_out, make_folder, write, write_new_files
from ..export import AGENT_FILE, HOSTS, QUESTIONS_FILE, SHARED_FILES, agent_file, questions_file
from .main import INTERRUPTED, interruptible
from .output import put_text, tell
from .program import MODEL_OPTIONS, Flags, command

_NOT_INSTALLED = '{} is not installed. Install it with: pip install "path/to/roundtable[{}]"'
_PORT = click.IntRange(0, 65535)
_GRACE = 3  # seconds that open pages get to end when the server stops


@command(uses=("root", "json", *MODEL_OPTIONS))
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen; default: 127.0.0.1.")
@click.option("--port", default=8720, type=_PORT, help="The port; 0 picks a free one.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="A host name that a proxy uses for it.")
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def serve(flags: Flags, host: str, port: int, names: tuple[str, ...], no_browser: bool) -> None:
    """Serve the web room: one table for several people, in their browsers."""
    settings = flags.settings()
    try:
        import uvicorn  # late: no other command should pay for these

        from ..web.access import MEMBER, THIS_MACHINE
        from ..web.app import Site
    except ModuleNotFoundError as missing:
        raise RuleBroken(_NOT_INSTALLED.format("The web room", "web")) from missing
    for lack in find_lacking(settings):
        tell(lack)
    project = flags.open_project(settings)

    def start(slug: str, *, on_begin: Callable[[str], None], **more: Any) -> tuple[Session, StoppablePanel]:
        make_panel, account = choose_panel(settings, project.find_item(slug).folder)
        panel = StoppablePanel(make_panel, on_begin)
        more |= {"interactive": True, "account": account, "review": settings.review}
        return project.open_session(slug, panel=panel, **more), panel

    site = Site(project, start, owner=user_name(settings) or "", hosts=(host, *names))
    listener = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/join/{site.invitations.tokens[MEMBER]}"
    flags.show_result({"address": address}, f"The web room is open: {address}")
    tell("Anybody with this address can come in. Ctrl-C stops it; everything is saved as you go.")
    if host.lower() not in THIS_MACHINE:
        tell("Other machines can reach it, and the traffic is not encrypted: see docs/web.md for TLS.")
    if not (no_browser or flags.json):  # the socket listens already, so the browser may be early
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    level = "info" if flags.debug else "warning"
    config = uvicorn.Config(
        site.make_app(), log_level=level, access_log=False, ws="none", server_header=False,
        proxy_headers=False, limit_concurrency=1000, timeout_graceful_shutdown=_GRACE,
    )  # fmt: skip
    with announce(project.root, address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")):
        uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or error
        raise RuleBroken(f"Cannot listen on {host}, port {port}: {reason}. Give another one.") from error


@contextmanager
def announce(root: Path, address: str) -> Iterator[None]:
    """Tell the user's own terminals where a project's web room is while it is open; others cannot read it."""
    file = announcement_file(root)
    with suppress(DiskFailed):  # then terminals only say that the item is in use
        make_folder(file.parent, parents=True)
        write(file, address.encode(), new_mode=0o600)
    try:
        yield
    finally:
        with suppress(OSError):
            if file.read_text(encoding="utf-8") == address:  # not a later server's
                file.unlink()


@command(uses=("root",))
@click.option(
    "--http", "port", metavar="[PORT]", type=_PORT, is_flag=False, flag_value=0, help="Serve on a local port."
)
def mcp(flags: Flags, port: int | None) -> None:
    """Serve the table to a coding agent over MCP."""
    settings = flags.settings()
    try:
        from ..mcp.server import serve as serve_agent  # late: it takes half a second
    except ImportError as missing:
        raise RuleBroken(_NOT_INSTALLED.format("The MCP server", "mcp")) from missing

    listener, token = None, secrets.token_urlsafe(32)
    with interruptible(_leave):
        if port is not None:
            listener = _listen("127.0.0.1", port)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
            tell(f"Serving {address} to those who have the token. Ctrl-C stops it; all is saved as you go.")
            add = f"claude mcp add --transport http roundtable {address}"
            tell(f'For example: {add} --header "Authorization: Bearer {token}"')
        asyncio.run(serve_agent(settings, listener, token, debug=flags.debug))


def _leave() -> None:
    """End the process at once; an exception might wait for the thread that reads the client's next line."""
    tell("Interrupted. Everything is saved.")
    os._exit(INTERRUPTED)


@command()
@click.argument("what", type=click.Choice((AGENT_FILE, *HOSTS)), metavar="|".join((AGENT_FILE, *HOSTS)))
@click.option("--to", "target", metavar="PATH", help="Where to write; default: the host's usual place.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def export(flags: Flags, what: str, target: str | None, force: bool) -> None:
    """Write files for coding agents."""
    project = flags.open_project()
    agent, questions = agent_file(project.roster(), project.steps()), questions_file(project.steps())
    do = "Give --to for another place."
    if (host := HOSTS.get(what)) is not None:
        usual = project.root if host.reads_project else project.root / f"roundtable-{what}"
        folder, files = Path(target) if target else usual, host.make_files(agent, questions, project.root)
        if not target and leads_out(project.root, usual):
            raise RuleBroken(f"{usual} is a link that leads elsewhere. Nothing was written. {do}")
    elif target is not None and Path(target).name == QUESTIONS_FILE:
        raise RuleBroken(f"{QUESTIONS_FILE} is the second file. Nothing was written. Name the first one.")
    elif target is not None:
        folder, files = Path(target).parent, {Path(target).name: agent, QUESTIONS_FILE: questions}
    else:
        put_text(f"{agent}\n{questions}".rstrip("\n"))
        return
    kept = [name for name in files if name in SHARED_FILES and (folder / name).exists()]
    new = {name: text for name, text in files.items() if name not in kept}
    write_new_files(folder, new, f"{do} --force replaces files.", replace=force)
    lines = [f"Wrote to {folder}:", *(f"  {name}" for name in new)]
    lines += [f"{name} exists and was not changed. It needs this:\n{files[name].rstrip()}" for name in kept]
    lines += [host.next_step.format(folder=folder)] if host else []
    flags.show_result({"folder": str(folder), "files": list(new), "left_alone": kept}, "\n".join(lines))
