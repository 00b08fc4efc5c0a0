"""A seat at a shared table: a terminal follows a room of the web server as if it were a session of its own.

The server announces itself in a file that only its user can read. What is shown comes from its stream, each
line once and in order; where things stand is read from the item's journal, which is on this machine.
"""

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

from msgspec import ValidationError, convert

from ...core.errors import RoundtableError
from ...core.lines import Line
from ...settings import user_file

if TYPE_CHECKING:
    from ...core.analysis import Analysis
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
            file = _announcement(root)
            if file.read_text(encoding="utf-8") == address:  # not a later server's
                file.unlink()


def find_seat(project: Project, entry: ItemEntry, name: str | None, again: str) -> TableSeat | None:
    """Return a seat at the item's table where a server of this project has it open, else None.

    `again` is the command that goes on with the item where no server does.
    """
    with suppress(*_FAILURES):
        seat = TableSeat(project, entry.folder, name or getpass.getuser(), again)
        return seat if seat.is_open else None
    return None


def _announcement(root: Path) -> Path:
    """Return the file that names the server of a project; FileNotFoundError without a settings folder."""
    settings = user_file(os.environ)
    if settings is None:
        raise FileNotFoundError
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return settings.parent / "served" / name


class TableSeat:
    """What a terminal needs of a session, at a table that a server keeps for several people."""

    def __init__(self, project: Project, folder: Path, name: str, again: str) -> None:
        """Come in by the invitation that the server left for us, and look whether the table is open."""
        self.folder, self.prefill = folder, ""
        self.on_words: Callable[[str, str], None] = lambda *_: None
        self.on_move: Callable[[], None] = lambda: None
        """Called where the table goes on, so that what was asked before is asked no more."""
        self.on_change: Callable[[], None] = lambda: None
        self._project, self._again = project, again
        self._room = f"/items/{quote(folder.name)}/room"
        self._asked = 0
        """The number of the listening that the user was asked for last."""
        self._shown: asyncio.Queue[Line | None] = asyncio.Queue()
        self._sending: set[asyncio.Task[None]] = set()
        self._moment = ""
        self._analysis: Analysis | None = None
        invitation = urlsplit(_announcement(project.root).read_text(encoding="utf-8"))
        self._place = f"http://{invitation.netloc}"
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor())
        found = self._read_json(invitation.path, {"name": name})
        self._me, self._check = str(found["id"]), str(found["check"])
        self._state = self._read_json(self._room)

    @property
    def is_open(self) -> bool:
        return bool(self._state.get("open"))

    @property
    def offer(self) -> str:
        """Return the draft answer that Enter takes."""
        return str(self._state.get("draft", ""))

    @property
    def analysis(self) -> Analysis | None:
        """Return where the analysis stands, as the item's journal has it."""
        moment = str(self._state.get("moment", ""))
        if moment and moment != self._moment:
            self._moment = moment
            with suppress(RoundtableError):
                self._analysis = self._project.read_analysis(self.folder.name, moment) or self._analysis
        return self._analysis

    def describe_others(self) -> str:
        """Return who else is here."""
        people = [name for key, name in self._state.get("people", {}).items() if key != self._me]
        return f"with {', '.join(people)}" if people else ""

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Yield what is shown at the table, in order, until it is closed or the user leaves."""
        threading.Thread(target=self._follow, args=(asyncio.get_running_loop(),), daemon=True).start()
        try:
            while (line := await self._shown.get()) is not None:
                if line.kind != "listen" or self._shown.empty():  # else it has been answered meanwhile
                    yield line
        finally:
            await asyncio.gather(*self._sending, return_exceptions=True)

    def say(self, words: str) -> None:
        """Say something at the table; what is refused comes back into the input line."""
        self.prefill = ""
        command, _, name = words.strip().partition(" ")
        if command == "/chair":  # without a name the user takes it
            people = {str(each).casefold(): str(key) for key, each in self._state.get("people", {}).items()}
            to = people.get(name.strip().casefold(), "") if name else self._me
            self._send("chair", words, to=to)
        else:
            self._send("say", words, text=words if words.strip() else self.offer)

    def stop(self) -> bool:
        """Cut whoever speaks short; whether the table lets us is said by the server."""
        self._send("stop", "")
        return True

    def hang_up(self) -> None:
        """Get up from the table, which goes on."""
        self._show(Line("paused", f"You left the table; everything is saved. Come back with: {self._again}"))
        self._show(None)

    def _send(self, action: str, words: str, **fields: str) -> None:
        """Send what the user does, without waiting for the answer."""
        fields |= {"check": self._check, "at": str(self._state.get("listen", 0))}

        async def send() -> None:
            problem = ""
            try:
                await asyncio.to_thread(self._read_json, f"{self._room}/{action}", fields)
            except HTTPError as refused:
                body = refused.read().decode(errors="replace")
                problem = json.loads(body)["error"] if body.startswith("{") else body or str(refused)
            except _FAILURES:
                problem = "The server did not answer. Check what was said at the table before you repeat it."
            if problem:
                self.prefill = words
                self._show(Line("notice", problem))
            if problem or action == "chair":  # nothing else of the table may ask again
                self._asked = 0
                self._listen()

        self._asked = 0  # the next news of the table may ask again
        task = asyncio.ensure_future(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def _show(self, line: Line | None) -> None:
        self._asked = 0
        self._shown.put_nowait(line)
        self.on_move()

    def _listen(self) -> None:
        """Ask the user where the table waits for words, once for each time it does."""
        number = int(self._state.get("listen", 0))
        if number and number != self._asked:
            self._asked = number
            self.prefill = self.prefill or str(self._state.get("prefill", ""))
            self._shown.put_nowait(Line("listen", "", awaits=self._state.get("awaits")))

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on what the server streams, in a thread, until it ends."""
        kind = ""
        with suppress(RuntimeError):  # the conversation is over
            with suppress(*_FAILURES), self._open(f"{self._room}/events", timeout=_SILENCE) as stream:
                for line in stream:
                    name, _, text = line.decode().rstrip("\r\n").partition(": ")
                    kind = text if name == "event" else kind
                    if name == "data" and text:
                        loop.call_soon_threadsafe(self._take, kind, json.loads(text))
            text = "The server has stopped, or the connection to it was lost. What was said is saved."
            loop.call_soon_threadsafe(self._end, f"{text} Go on with: {self._again}")

    def _take(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "line":
                if (line := data.get("line")) and line["kind"] != "listen":
                    try:
                        self._show(convert(line, Line))
                    except ValidationError:  # a server of another version
                        self._show(Line("notice", line["text"]))
            case "words":
                if data["from"] == 0:
                    self.on_words("", "")  # they begin anew
                self.on_words(data["key"], data["text"])
            case "table":
                self._state = data
                self._listen()
                self.on_change()
                if not self.is_open:
                    self._end(f"The table is closed. Go on with: {self._again}")

    def _end(self, text: str) -> None:
        self._show(Line("notice", text))
        self._show(None)

    def _read_json(self, path: str, fields: dict[str, str] | None = None) -> dict[str, Any]:
        with self._open(path, fields) as answer:
            return dict(json.loads(answer.read()))

    def _open(
        self, path: str, fields: dict[str, str] | None = None, timeout: float = _PATIENCE
    ) -> HTTPResponse:
        """Send a request, with fields as a form, and return the answer; HTTPError where it is refused."""
        form = None if fields is None else urlencode(fields).encode()
        request = Request(self._place + path, form, {"Origin": self._place, "Accept": "application/json"})
        return cast("HTTPResponse", self._opener.open(request, timeout=timeout))
