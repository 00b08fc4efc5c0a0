"""A service on this machine that speaks as OpenAI's chat completions do, and misbehaves as it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Event, Thread
from typing import Any, Literal

from panel.model.words import answer

Manner = Literal["whole", "cut", "unfinished", "silent", "stuck", "drips"]
"""How a stream ends: as it should, with the line torn off, politely but without saying why, not at all,
after its pieces not at all, or never while it goes on and on."""

USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 34,
    "total_tokens": 154,
    "prompt_tokens_details": {"cached_tokens": 100},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that arrived; the names of its headers in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """All that the model was told, in order."""
        return "\n\n".join(_text(message["content"]) for message in self.body.get("messages", ()))


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer: words in a stream, or a status with a body."""

    pieces: tuple[str, ...] = ()
    manner: Manner = "whole"
    finish: str = "stop"
    usage: Mapping[str, Any] | None = None
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def says(*pieces: str, **more: Any) -> Reply:
    """These words, one piece after another."""
    return Reply(pieces, **more)


def refuses(status: int, message: str = "no", code: str | None = None, **headers: str) -> Reply:
    """An error as such services give it; underscores in the headers' names are hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
    return Reply(status=status, body=json.dumps(error).encode(), headers=named)


def well(asked: Asked) -> Reply:
    """The answer of a model that does what it is asked, word by word."""
    words = answer(asked.prompt).split(" ")
    pieces = (words[0], *(f" {word}" for word in words[1:]))
    return Reply(pieces, usage=USAGE)


@dataclass(slots=True)
class Service:
    """The running server: what it will answer, and what it was asked."""

    address: str
    answers: Callable[[Asked], Reply] = well
    asked: list[Asked] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    @property
    def calls(self) -> list[Asked]:
        """The requests for words."""
        return [each for each in self.asked if each.path.endswith("/chat/completions")]

    @property
    def root(self) -> str:
        return self.address.removesuffix("/v1")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._take(json.loads(data or b"{}"))

    def do_GET(self) -> None:
        self._take({})

    def do_CONNECT(self) -> None:
        self._take({})

    def _take(self, body: dict[str, Any]) -> None:
        asked = Asked(self.command, self.path, _lower(self.headers.items()), body)
        self.service.asked.append(asked)
        self.close_connection = True
        with suppress(ConnectionError):
            self._give(self.service.answers(asked) if self.command == "POST" else refuses(502))

    def _give(self, reply: Reply) -> None:
        if reply.manner == "silent":
            self.service.closing.wait()
            return
        self.send_response(reply.status)
        self.send_header("Connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.body is not None:
            if "Content-Type" not in reply.headers:
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            return
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._stream(reply)

    def _stream(self, reply: Reply) -> None:
        for piece in reply.pieces:
            self._event(chunk({"role": "assistant", "content": piece}))
        match reply.manner:
            case "cut":
                return
            case "stuck":
                self.service.closing.wait()
                return
            case "drips":
                while not self.service.closing.wait(0.02):
                    self._event(chunk({"content": "and "}))
                return
            case "whole":
                self._event(chunk({}, reply.finish))
                if reply.usage is not None:
                    self._event({**_HEAD, "choices": [], "usage": reply.usage})
                self._send(b"data: [DONE]\n\n")
            case _:
                pass
        self._send(b"")

    def _event(self, event: dict[str, Any]) -> None:
        self._send(f"data: {json.dumps(event)}\n\n".encode())

    def _send(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


class _Server(ThreadingHTTPServer):
    def server_bind(self) -> None:
        """Without the look-up of this machine's name, which takes its time."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.socket.getsockname()[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""


@contextmanager
def service(answers: Callable[[Asked], Reply] = well) -> Iterator[Service]:
    """A running server on a free port."""

    class Handler(_Handler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    Handler.service = running = Service(f"http://127.0.0.1:{server.server_port}/v1", answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        running.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


_HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}


def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    """One event of a stream."""
    return {**_HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _lower(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)
