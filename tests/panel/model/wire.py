"""Ways to misbehave over a real connection, and what is done with them in several tests."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from panel.model.asking import Asked as Said
from panel.model.asking import ask
from panel.model.service import Asked, Reply, Service, chunk, refuses, says, well
from project import talk
from roundtable.core.lines import Line
from roundtable.panel.base import Panel
from roundtable.panel.model.choice import choose, model_of, read_choice

KEYS = {
    "ANTHROPIC_API_KEY": "canary-3f1-anthropic",
    "GEMINI_API_KEY": "canary-3f1-gemini",
    "GOOGLE_API_KEY": "canary-3f1-google",
    "OPENAI_API_KEY": "canary-3f1-openai",
    "ROUNDTABLE_API_KEY": "canary-3f1-own-server",
}
OWN = KEYS["ROUNDTABLE_API_KEY"]
SHORT = 0.8


def hold_no_key(*texts: str) -> None:
    for text in texts:
        assert "canary-3f1" not in text


def asked_once(server: Service, reply: Reply, **more: Any) -> Said:
    """What becomes of one request that is answered like this; the server is asked once and no more."""
    server.answers = lambda _: reply
    said = ask(model_of(read_choice("tiny", server.address)), **more)
    assert len(server.asked) == 1, "the library must not try again on its own"
    if said.failure is not None:
        hold_no_key("".join(traceback.format_exception(said.failure)))
    return said


def events(*events: dict[str, Any] | str) -> Reply:
    """A stream of exactly these events, which need not be what the service would say."""
    texts = (event if isinstance(event, str) else json.dumps(event) for event in events)
    body = "".join(f"data: {text}\n\n" for text in texts).encode()
    return Reply(body=body, headers={"Content-Type": "text/event-stream"})


_BEGUN = (chunk({"content": "We should "}), chunk({"content": "first"}))

REFUSALS = {
    "401": (refuses(401, f"Incorrect API key provided: {OWN}."), "refused"),
    "403": (refuses(403, f"Not with {OWN}."), "refused"),
    "404": (refuses(404, "The model `tiny` does not exist", "model_not_found"), "unknown-model"),
    "429": (refuses(429, retry_after="7"), "rate-limit"),
    "quota": (refuses(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
    "400": (refuses(400, f"Bearer {OWN} is no good"), "rejected"),
    "too long": (refuses(400, "too long", "context_length_exceeded"), "too-long"),
    "500": (refuses(500, f"Traceback: key={OWN}"), "server"),
    "503": (refuses(503), "server"),
    "html": (Reply(body=b"<html>Welcome</html>", headers={"Content-Type": "text/html"}), "nonsense"),
    "408": (refuses(408), "time-out"),
    "413": (refuses(413), "too-long"),
    "bad json": (events("{not json"), "server"),
    "error event": (events({"error": {"message": f"overloaded, {OWN}"}}), "server"),
    "filter": (says(finish="content_filter"), "filtered"),
    "model refuses": (events(chunk({"refusal": "I cannot"}), chunk({}, "stop")), "filtered"),
    "no stream": (says(manner="cut"), "unreachable"),
}
BROKEN = {
    "torn off": (says("We should ", "first", manner="cut"), "cut"),
    "ended without a reason": (says("We should ", "first", manner="unfinished"), "cut"),
    "withheld": (says("We should ", "first", finish="content_filter"), "filtered"),
    "bad json in the middle": (events(*_BEGUN, "{not json"), "cut"),
    "error event in the middle": (events(*_BEGUN, {"error": {"message": f"overloaded, {OWN}"}}), "cut"),
    "silent in the middle": (says("We should ", "first", manner="stuck"), "time-out"),
}
FAILURES = {name: reply for name, (reply, _) in (REFUSALS | BROKEN).items() if name != "silent in the middle"}


def failing(number: int, reply: Reply) -> Callable[[Asked], Reply]:
    """Well but for one request, counted from 1."""
    count = 0

    def answers(asked: Asked) -> Reply:
        nonlocal count
        count += 1
        return reply if count == number else well(asked)

    return answers


def discuss(place: tuple[Path, Path], panel: Panel, *words: str, **more: Any) -> list[Line]:
    return talk(*place, words, step="00-01", panel=panel, **more)


def by(server: Service, *names: str, **more: Any) -> Panel:
    return choose(names or ("tiny",), server.address, **more)
