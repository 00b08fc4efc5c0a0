"""`serve`: the web room, for people who join an analysis from their browsers."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import click

from ...core.errors import RuleBroken
from ...panel.base import StoppablePanel
from ...project import choose_panel, find_lacking
from ...runtime.session import Session
from ...settings import user_name
from .options import MODEL_OPTIONS, Flags, command
from .output import tell

INSTALL = 'pip install "path/to/roundtable[web]"'
_GRACE = 3  # seconds that open pages have to end when the server does


@command(uses=("root", "json", *MODEL_OPTIONS))
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen; default: 127.0.0.1.")
@click.option("--port", default=8720, type=click.IntRange(0, 65535), help="The port; 0 picks a free one.")
@click.option("--name", "names", multiple=True, metavar="NAME", help="A host name that a proxy uses for it.")
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def serve(flags: Flags, host: str, port: int, names: tuple[str, ...], no_browser: bool) -> None:
    """Serve the web room: one table for several people, in their browsers.

    It prints an address with a token; anybody who has that address can come in. Each room has
    invitations for others, to talk or to look on. docs/web.md says how to reach it from other machines.
    """
    settings = flags.settings()
    try:
        import uvicorn  # late: no other command should pay for these

        from ..web.access import MEMBER, THIS_MACHINE
        from ..web.app import Site
    except ModuleNotFoundError as missing:
        raise RuleBroken(f"The web room is not installed. Install it with: {INSTALL}") from missing
    for lack in find_lacking(settings):
        tell(lack)
    project = flags.open_project(settings)

    def start(slug: str, *, on_begin: Callable[[str], None], **more: Any) -> tuple[Session, StoppablePanel]:
        make_panel, account = choose_panel(settings, project.find_item(slug).folder)
        panel = StoppablePanel(make_panel, on_begin)
        more |= {"interactive": True, "account": account, "review": settings.review}
        return project.open_session(slug, panel=panel, **more), panel

    site = Site(project, start, owner=user_name(settings) or "", hosts=(host, *names))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or error
        raise RuleBroken(f"Cannot listen on {host}, port {port}: {reason}. Give another one.") from error
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/join/{site.invitations.tokens[MEMBER]}"
    flags.show_result({"address": address}, f"The web room is open: {address}")
    tell("Anybody with this address can come in. Ctrl-C stops it; everything is saved as you go.")
    if host.lower() not in THIS_MACHINE:
        tell("Other machines can reach it, and the traffic is not encrypted: see docs/web.md for TLS.")
    if not (no_browser or flags.json):  # the socket listens already, so it may come before the server
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    level = "info" if flags.debug else "warning"
    config = uvicorn.Config(
        site.make_app(), log_level=level, access_log=False, ws="none", server_header=False,
        proxy_headers=False, limit_concurrency=1000, timeout_graceful_shutdown=_GRACE,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
