"""A machine with models of its own: stand-ins for assistants on a path, and a model server on loopback."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_seen: list[tuple[str, str]] | None = None

TAGS = {
    "models": [
        {"name": "llama3.2:latest"},
        {"name": "gpt-oss:120b-cloud"},
        {"name": "glm", "remote_host": "https://ollama.com"},
        {"name": "nomic-embed-text:latest"},
        {"name": "two words"},
        "nothing",
        {"name": "qwen3:8b"},
    ]
}
LISTED = {"data": [{"id": "command:touch marker"}, {"id": "offline"}, {"id": "openai:x"}, {"id": "qwen"}]}


@dataclass
class Machine:
    """A folder of programs, and what they were started with: name, folder, path and arguments."""

    programs: Path
    log: Path

    def install(self, name: str, *, folder: Path | None = None) -> Path:
        """Put a stand-in on the path: it notes that it was started, and says `ready`."""
        program = (folder or self.programs) / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            f"#!/bin/sh\necho \"{name}|$(pwd)|$PATH|$*\" >> '{self.log}'\n"
            "while read -r line; do :; done\necho ready\n"
        )
        program.chmod(0o755)
        return program

    @property
    def started(self) -> list[list[str]]:
        """What each start of a stand-in left: its name, its folder, its path and its arguments."""
        if not self.log.exists():
            return []
        return [line.split("|") for line in self.log.read_text().splitlines()]

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.programs), "HOME": str(self.programs.parent / "home"), **more}


def make_machine(folder: Path) -> Machine:
    """Return a machine that has git and no assistant."""
    machine = Machine(folder / "programs", folder / "started.log")
    machine.programs.mkdir()
    git = shutil.which("git")
    assert git is not None
    (machine.programs / "git").symlink_to(git)
    return machine


def _note(event: str, what: tuple[Any, ...]) -> None:
    if _seen is not None and event.startswith("socket."):
        _seen.append((event, str(what[-1] if event == "socket.connect" else what)))


@contextmanager
def watch_sockets() -> Iterator[list[tuple[str, str]]]:
    """Yield the list of what Python's own audit says about sockets meanwhile: event, and where to."""
    global _seen
    if _seen is None:
        sys.addaudithook(_note)
    _seen = []
    yield _seen
    _seen = []


@dataclass
class ModelServer:
    """A server on loopback, and the requests that it had."""

    port: int
    answers: dict[str, Any]
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@contextmanager
def serve_models(answers: dict[str, Any]) -> Iterator[ModelServer]:
    """Serve these answers by path, as JSON, or as bytes where they are bytes; to others it says 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.requests.append((self.path, dict(self.headers)))
            answer = served.answers.get(self.path)
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = ModelServer(server.server_port, answers)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
