"""A seat at a shared table: a terminal follows a room of the web server as if it were a session.

The input line is always open, as in a chat: what is said at the table appears above it while the user types,
and what the user types goes to the server, which decides whether it is heard.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from msgspec import convert

from ...core.errors import RuleBroken
from ...core.lines import Awaits, Line
from .conversation import TerminalConversation

_FAILURES = (OSError, HTTPException, ValueError, KeyError, TypeError)  # no answer, or not one of ours
_NO_ANSWER = "The server did not answer. See what was said at the table before you send anything again."
_LOST = "The connection to the table is lost; trying again for a minute. What was said is saved."
_GONE = "The table did not come back. What was said is saved."
PATIENCE = 60.0  # seconds until a lost table is given up
_PAUSE = 1.0  # seconds between two attempts to reach it
_SILENCE = 40.0  # seconds; the server sends something every 15


def find_seat(announcement: Path, slug: str, again: str) -> TableSeat | None:
    """Return a seat at the item's table if the announced server has it open; `again` is the way back."""
    with suppress(*_FAILURES, RuleBroken):
        return TableSeat(announcement, slug, again)
    return None


class TableSeat:
    """Takes the place of a session, for a table that a server keeps for several people."""

    analysis = None  # the server has it
    listening: Awaits | None = None
    prefill = offer = ""
    page: TerminalConversation  # where everything is shown

    def __init__(self, announcement: Path, slug: str, again: str) -> None:
        """Look at the table; raise OSError or RuleBroken if no announced server has it open."""
        self._announcement, self._slug, self._again = announcement, quote(slug), again
        self._room = f"/items/{self._slug}/room"
        self._name = self._id = self._check = self._cookie = self._words = ""
        self._has_left = False
        self.state = self._look()

    def _look(self) -> dict[str, Any]:
        """Return the state of the table at the server that is announced now."""
        self._invitation = urlsplit(self._announcement.read_text(encoding="utf-8"))
        state: dict[str, Any] = self._ask(f"{self._invitation.path}?item={self._slug}")
        if not state["open"]:
            raise RuleBroken(_GONE)
        return state

    def sit_down(self, name: str) -> None:
        """Come in under a name; raise RuleBroken if the server refuses it."""
        found = self._ask(self._invitation.path, {"name": name})
        self._name, self._id, self._check = name, found["id"], found["check"]

    def describe_others(self, *before: str) -> str:
        """Return who is at work, who else is here and where things stand, in one line."""
        names = ", ".join(name for key, name in self.state["people"].items() if key != self._id)
        parts = (*before, self.state["work"], names and f"with {names}", self.state["place"])
        return " · ".join(filter(None, parts))

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Keep asking for words, while `_follow` shows the table, until the user leaves or it is closed."""
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))  # what is said first is sent first
        threading.Thread(target=self._follow, args=(loop.call_soon_threadsafe,), daemon=True).start()
        while not self._has_left:
            yield Line("listen", "")

    def say(self, words: str) -> None:
        """Send words; empty ones take the offer."""
        if words.strip() or self.state["listen"]:  # empty words count only while the table listens
            self._post("say", words, text=words if words.strip() else self.offer)

    def stop(self) -> bool:
        """Ask for the speaker to be stopped; return whether one is at work and the user has the chair."""
        if self.state["work"]:
            self._post("stop")
        return bool(self.state["work"]) and self.state["chair"] == self._id

    def _post(self, action: str, words: str = "", **fields: str) -> None:
        """Send a form without waiting; refused words come back into the line, with the reason."""

        def take_answer(answer: asyncio.Future[Any]) -> None:
            if (refusal := answer.exception()) is not None:
                # What was typed meanwhile stays in the line.
                unsaid = f" Not said: {words}" if words and self.page.input.buffer.text else ""
                self.page.show(Line("notice", f"{refusal}{unsaid}"))
                self.page.input.fill(words)

        fields |= {"at": str(self.state["listen"]), "check": self._check}
        loop, path = asyncio.get_running_loop(), f"{self._room}/{action}"
        loop.run_in_executor(None, self._ask, path, fields).add_done_callback(take_answer)

    def hang_up(self, reason: str = "You left the table, which goes on.") -> None:
        """Get up from the table, and say why."""
        if not self._has_left:
            self._has_left = True
            self.page.show(Line("notice", f"{reason} Come back with: {self._again}"))
            self.page.input.end_input()

    def _follow(self, call: Callable[..., object]) -> None:
        """Show what the server streams, and reconnect when the stream breaks off; runs in a thread."""
        kind = number = last = ""
        lost_at = 0.0
        with suppress(RuntimeError):  # the conversation is over
            while not self._has_left:
                with suppress(*_FAILURES, RuleBroken):
                    self._look()
                    stream = self._send(f"{self._room}/events?after={last}", wait=_SILENCE)
                    if stream.status == HTTPStatus.UNAUTHORIZED:  # it was restarted: come in for the next try
                        self.sit_down(self._name)
                    for row in stream:
                        name, _, text = row.decode().rstrip("\r\n").partition(": ")
                        kind = text if name == "event" else kind
                        number = text if name == "id" else number
                        if name == "data" and kind == "line":
                            call(self.page.show, convert(json.loads(text), Line))
                            last = number
                        elif name == "data" and kind == "words":
                            call(self._take_words, json.loads(text))
                        elif name == "data" and kind == "table":
                            if lost_at:
                                call(self.page.show, Line("notice", "The connection is back."))
                            lost_at = 0.0
                            call(self._take_state, json.loads(text))
                if not lost_at:
                    lost_at = time.monotonic()
                    call(self.page.show, Line("notice", _LOST))
                    call(self._take_state, self.state | {"work": "", "people": {}, "place": "not connected"})
                elif time.monotonic() > lost_at + PATIENCE:
                    call(self.hang_up, _GONE)
                time.sleep(_PAUSE)

    def _take_words(self, piece: dict[str, Any]) -> None:
        self._words = self._words[: piece["from"]] + piece["text"]
        self.page.take_words("", "")
        self.page.take_words(piece["speaker"], self._words)

    def _take_state(self, state: dict[str, Any]) -> None:
        if state["chair"] == self._id and state["listen"] != self.state["listen"]:
            self.page.input.fill(state["prefill"])
        if state["chair"] != self.state["chair"] and (name := state["people"].get(state["chair"])):
            self.page.show(Line("notice", f"{name} has the chair now."))
        self.state, self.listening = state, state["awaits"]
        self.offer = self.page.input.offer = state["offer"]
        self.page.input.repaint()
        if not state["open"]:
            self.hang_up("The table is closed; everything is saved.")

    def _ask(self, path: str, form: dict[str, str] | None = None) -> Any:
        """Return the answer to a form, or to a GET without one; raise RuleBroken if it is refused."""
        try:
            answer = self._send(path, form)
            found = json.load(answer)
            problem = found["error"] if answer.status >= 400 else ""
        except _FAILURES as error:
            raise RuleBroken(_NO_ANSWER) from error
        if problem:
            raise RuleBroken(problem)
        self._cookie = (answer.getheader("Set-Cookie") or self._cookie).partition(";")[0]
        return found

    def _send(self, path: str, form: dict[str, str] | None = None, wait: float = 5.0) -> HTTPResponse:
        place, body = self._invitation.netloc, urlencode(form, errors="ignore") if form else None
        head = {"Accept": "application/json", "Origin": f"http://{place}", "Cookie": self._cookie}
        connection = HTTPConnection(place, timeout=wait)  # without a proxy
        connection.request("POST" if form else "GET", path, body, head | {"Connection": "close"})
        return connection.getresponse()
