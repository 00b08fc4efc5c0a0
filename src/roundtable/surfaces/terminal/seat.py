"""A seat at a shared table: a terminal follows a room of the web server as if it were a session."""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import json
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from msgspec import convert

from ...core.lines import Line
from ...settings import user_file

if TYPE_CHECKING:
    from ...project import Project
    from ...store.items import ItemEntry

_PATIENCE = 5.0
_SILENCE = 40.0  # the server is heard from every 15 seconds
# The server is not reached, cuts us off, or is not one of ours.
_FAILURES = (OSError, HTTPException, ValueError, KeyError, TypeError)


@contextmanager
def announce(root: Path, address: str) -> Iterator[None]:
    """Let the user's own terminals know meanwhile where the tables of a project are."""
    with suppress(OSError):  # then terminals find out from the item's lock that it is in use
        file = _announcement(root)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.touch(mode=0o600, exist_ok=False)
        file.write_text(address, encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            if _announcement(root).read_text(encoding="utf-8") == address:  # not a later server's
                _announcement(root).unlink()


def _announcement(root: Path) -> Path:
    """Return the file that names the server of a project; FileNotFoundError without a settings folder."""
    settings = user_file(os.environ)
    if settings is None:
        raise FileNotFoundError
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return settings.parent / "served" / name


def find_seat(project: Project, entry: ItemEntry, name: str | None, again: str) -> TableSeat | None:
    """Return a seat at the item's table where a server has it open; `again` goes on with it without one."""
    with suppress(*_FAILURES):
        seat = TableSeat(project, entry.folder, name or getpass.getuser(), again)
        return seat if seat.state["open"] else None
    return None


class TableSeat:
    """What a terminal needs of a session, at a table that a server keeps for several people."""

    analysis = None
    """Where the analysis stands is known to the server."""

    def __init__(self, project: Project, folder: Path, name: str, again: str) -> None:
        """Come in by the invitation that the server left for us, and look whether the table is open."""
        self.roster = project.roster()
        self.prefill = ""
        self.on_move: Callable[[], None] = lambda: None
        """Called where the table goes on, so that what was asked before is asked no more."""
        self.on_change: Callable[[], None] = lambda: None
        self._again = again
        self._room = f"/items/{quote(folder.name)}/room"
        self._asked = 0
        """The number of the listening that the user was asked for last."""
        self._shown: asyncio.Queue[Line | None] = asyncio.Queue()
        invitation = urlsplit(_announcement(project.root).read_text(encoding="utf-8"))
        self._place = f"http://{invitation.netloc}"
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor())
        found = self._read_json(invitation.path, {"name": name})
        self._me, self._check = str(found["id"]), str(found["check"])
        self.state = self._read_json(self._room)

    @property
    def offer(self) -> str:
        """Return the draft answer that Enter takes."""
        return str(self.state["draft"])

    def describe_others(self) -> str:
        """Return who is at work and who else is here."""
        people = [name for key, name in self.state["people"].items() if key != self._me]
        return " · ".join(filter(None, (self.state["work"], f"with {', '.join(people)}" if people else "")))

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Yield what is shown at the table, in order, until it is closed or the user leaves."""
        threading.Thread(target=self._follow, args=(asyncio.get_running_loop(),), daemon=True).start()
        while (line := await self._shown.get()) is not None:
            if line.kind != "listen" or self._shown.empty():  # else it has been answered meanwhile
                yield line

    def say(self, words: str) -> None:
        """Say something, or take the chair, without waiting; what is refused comes back into the line."""
        self.prefill = ""
        loop, text = asyncio.get_running_loop(), words if words.strip() else self.offer
        fields = {"check": self._check, "at": str(self.state["listen"]), "text": text, "to": self._me}
        action = "chair" if words.strip() == "/chair" else "say"
        self._asked = 0 if action == "chair" else self._asked  # the table has nothing to show, and asks again

        def refuse(problem: str) -> None:
            self.prefill = words
            self._show(Line("notice", problem))
            self._listen()

        def send() -> None:
            try:
                self._read_json(f"{self._room}/{action}", fields)
            except _FAILURES as error:
                problem = "The server did not answer. Check what was said at the table before you repeat it."
                if isinstance(error, HTTPError):
                    body = error.read().decode(errors="replace")
                    problem = json.loads(body)["error"] if body.startswith("{") else body or str(error)
                with suppress(RuntimeError):  # the conversation is over
                    loop.call_soon_threadsafe(refuse, problem)

        loop.run_in_executor(None, send)

    def hang_up(self) -> None:
        """Get up from the table, which goes on."""
        self._end(f"You left the table; everything is saved. Come back with: {self._again}")

    def _show(self, line: Line | None) -> None:
        self._asked = 0
        self._shown.put_nowait(line)
        self.on_move()

    def _end(self, text: str) -> None:
        self._show(Line("notice", text))
        self._show(None)

    def _listen(self) -> None:
        """Ask the user where the table waits for words, once for each time it does."""
        number = int(self.state["listen"])
        if number and number != self._asked:
            self._asked = number
            self.prefill = self.prefill or str(self.state["prefill"])
            self._shown.put_nowait(Line("listen", "", awaits=self.state["awaits"]))

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on what the server streams, in a thread, until it ends."""
        kind = ""
        with suppress(RuntimeError):  # the conversation is over
            with suppress(*_FAILURES), self._open(f"{self._room}/events", wait=_SILENCE) as stream:
                for line in stream:
                    name, _, text = line.decode().rstrip("\r\n").partition(": ")
                    kind = text if name == "event" else kind
                    if name == "data" and text:
                        loop.call_soon_threadsafe(self._take, kind, json.loads(text))
            text = "The server has stopped, or the connection to it was lost. What was said is saved."
            loop.call_soon_threadsafe(self._end, f"{text} Go on with: {self._again}")

    def _take(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "line" and data["line"]["kind"] != "listen":
            self._show(convert(data["line"], Line))
        elif kind == "table":
            self.state = data
            self._listen()
            self.on_change()
            if not self.state["open"]:
                self._end(f"The table is closed. Go on with: {self._again}")

    def _read_json(self, path: str, fields: dict[str, str] | None = None) -> dict[str, Any]:
        with self._open(path, fields) as answer:
            return dict(json.loads(answer.read()))

    def _open(self, path: str, fields: dict[str, str] | None = None, wait: float = _PATIENCE) -> HTTPResponse:
        """Send a request, with fields as a form, and return the answer; HTTPError where it is refused."""
        form = None if fields is None else urlencode(fields).encode()
        request = Request(self._place + path, form, {"Origin": self._place, "Accept": "application/json"})
        return cast("HTTPResponse", self._opener.open(request, timeout=wait))
