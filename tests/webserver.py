"""The web room behind a real server on loopback, and guests who come in by its invitations."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from roundtable.project import Project
from roundtable.surfaces.web.access import MEMBER, Role
from roundtable.surfaces.web.app import Site
from webroom import start_with

PATIENCE = 20.0


def make_site(root: Path, panel: Any = None, *, review: bool = False, **options: Any) -> Site:
    return Site(Project(root), start_with(root, panel, review=review), **options)


def come_in(site: Site, client: TestClient, name: str, role: Role = MEMBER) -> TestClient:
    """Let a client in by the invitation for a role."""
    answer = client.post(f"/join/{site.invitations.tokens[role]}", data={"name": name})
    assert answer.status_code == 200
    return client


def open_client(site: Site, **options: Any) -> TestClient:
    """Return a client that behaves like a browser on one of our own pages."""
    client = TestClient(site.make_app(), base_url="http://127.0.0.1:8720", **options)
    client.headers["origin"] = "http://127.0.0.1:8720"
    return client


def check_of(client: TestClient, page: str = "/") -> str:
    """Return what proves that a form is from one of the client's own pages."""
    return client.get(page).text.partition('name="check" value="')[2].partition('"')[0]


@contextmanager
def serve(site: Site) -> Iterator[str]:
    """Run the site on a free port of this machine, in a thread of its own, and yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(site.make_app(), log_level="error", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
