"""A tracker on this machine: it answers as it is told to, and remembers what it was asked."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Thread
from typing import Any

CANARY = "canary-4f1d9c"
"""A token that must never be seen."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer; `hangs` never comes, `drips` comes one byte at a time, `breaks` closes the door."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: str = "plain"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that arrived."""

    path: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(slots=True)
class Tracker:
    """The server: replies by path, and what it was asked."""

    address: str
    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    @property
    def host(self) -> str:
        return self.address.partition("://")[2]

    def gives(self, path: str, answer: object) -> None:
        """Answer this path with JSON."""
        self.replies[path] = Reply(body=json.dumps(answer).encode())

    def refuses(self, path: str, status: int, **headers: str) -> None:
        """Answer this path with a status; underscores in the headers' names are hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies[path] = Reply(status, b"{}", named)


@contextmanager
def tracker(secure: ssl.SSLContext | None = None) -> Iterator[Tracker]:
    """A running server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.asked.append(Asked(self.path, dict(self.headers), sent))
            reply = told.replies.get(self.path, Reply(404, b"{}"))
            with suppress(ConnectionError):
                self._answer(reply)

        def do_POST(self) -> None:
            self.do_GET()

        def _answer(self, reply: Reply) -> None:
            if reply.manner == "hangs":
                told.closing.wait()
            if reply.manner in ("hangs", "breaks"):
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.manner == "drips":
                while not told.closing.wait(0.05):
                    self.wfile.write(b" ")
            self.wfile.write(reply.body)

        def log_message(self, *_: Any) -> None:
            """Nothing on stderr."""

    class Server(ThreadingHTTPServer):
        def server_bind(self) -> None:
            """Without the look-up of this machine's name, which takes its time."""
            TCPServer.server_bind(self)
            self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hangs up is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    if secure is not None:
        server.socket = secure.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    told = Tracker(f"{'https' if secure else 'http'}://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        told.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
