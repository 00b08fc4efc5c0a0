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
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from ...core.errors import RoundtableError, RuleBroken
from ...core.lines import Line
from ...settings import user_file

if TYPE_CHECKING:
    from ...core.analysis import Analysis
    from ...project import Project
    from ...store.items import ItemEntry

_PATIENCE = 5.0
_SILENCE = 40.0  # the server is heard from every 15 seconds
_PAUSE = 1.0
_TYPING = 3.0  # seconds between two notes that somebody types; the server shows each for six
_LOST = """The connection to the table is gone; trying again. What was said there is saved. \
If the server has ended, leave with Ctrl-D and go on with:"""
_MAX_EVENT = 16 * 1024 * 1024
_FAILURES = (OSError, EOFError, ValueError, KeyError)  # not reached, cut off, or not a server of ours


@contextmanager
def announce(root: Path, address: str) -> Iterator[None]:
    """Let the user's own terminals know meanwhile where the tables of a project are."""
    text = json.dumps({"address": address})
    with suppress(OSError):  # then terminals find out from the item's lock that it is in use
        file = _announcement(root)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.touch(mode=0o600, exist_ok=False)
        file.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            file = _announcement(root)
            if file.read_text(encoding="utf-8") == text:  # not a later server's
                file.unlink()


def find_seat(project: Project, entry: ItemEntry, name: str | None, again: str) -> TableSeat | None:
    """Return a seat at the item's table where a server of this project has it open, else None.

    `again` is the command that goes on with the item where no server does.
    """

    async def look() -> TableSeat | None:
        seat = TableSeat(project, entry.folder, name or getpass.getuser(), again)
        await seat.come_in()
        return seat if seat.is_open else None

    with suppress(*_FAILURES):
        return asyncio.run(look())
    return None


def _announcement(root: Path) -> Path:
    """Return the file that names the server of a project; FileNotFoundError without a settings folder."""
    settings = user_file(os.environ)
    if settings is None:
        raise FileNotFoundError
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return settings.parent / "served" / f"{name}.json"


class TableSeat:
    """What a terminal needs of a session, at a table that a server keeps for several people."""

    panel_name = "server's"

    def __init__(self, project: Project, folder: Path, name: str, again: str) -> None:
        self.folder, self.prefill = folder, ""
        self.on_words: Callable[[str, str], None] = lambda *_: None
        self.on_move: Callable[[], None] = lambda: None
        """Called where the table goes on, so that what was asked before is asked no more."""
        self.on_change: Callable[[], None] = lambda: None
        self._project, self._name, self._again = project, name, again
        self._room = f"/items/{quote(folder.name)}/room"
        self._address = self._place = self._cookie = self._last = ""
        self._me = {"id": "", "check": ""}
        self._state: dict[str, Any] = {}
        self._asked = 0
        self._typed = -_TYPING
        self._shown: asyncio.Queue[Line | None] = asyncio.Queue()
        self._sending: set[asyncio.Task[None]] = set()
        self._moment = ""
        self._analysis: Analysis | None = None

    # --- what a conversation looks at -------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return bool(self._state.get("open"))

    @property
    def offer(self) -> str:
        """Return the draft answer that Enter takes."""
        return str(self._state.get("draft", "")) if self._state.get("awaits") == "answer" else ""

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
        """Return who else is here, or who of them types."""
        typing, people = (
            [name for key, name in self._state.get(kind, {}).items() if key != self._me["id"]]
            for kind in ("typing", "people")
        )
        if typing:
            return f"{' and '.join(typing)} {'is' if len(typing) == 1 else 'are'} typing"
        return f"with {', '.join(people)}" if people else ""

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Yield what is shown at the table, in order, until it is closed or the user leaves."""
        following = asyncio.ensure_future(self._follow())
        following.add_done_callback(lambda _: self._end())
        try:
            while (line := await self._shown.get()) is not None:
                if line.kind != "listen" or self._shown.empty():  # else it has been answered meanwhile
                    yield line
            if following.done():
                following.result()
        finally:
            following.cancel()
            await asyncio.gather(following, *self._sending, return_exceptions=True)

    # --- what a conversation does -----------------------------------------------------------------------

    def say(self, words: str) -> None:
        """Say something at the table; what is refused comes back into the input line."""
        self.prefill = ""
        command, _, name = words.strip().partition(" ")
        if command == "/chair":  # without a name the user takes it
            people = {str(each).casefold(): str(key) for key, each in self._state.get("people", {}).items()}
            to = people.get(name.strip().casefold(), "") if name else self._me["id"]
            self._send("chair", words, {"to": to})
        else:
            self._send("say", words, {"text": words if words.strip() else self.offer})

    def show_typing(self) -> None:
        """Let the others see now and then that the user types."""
        now = asyncio.get_running_loop().time()
        if now - self._typed > _TYPING:
            self._typed = now
            self._send("typing", "", {})

    def stop(self) -> bool:
        """Cut whoever speaks short; whether the table lets us is said by the server."""
        self._send("stop", "", {})
        return True

    def hang_up(self) -> None:
        """Get up from the table, which goes on."""
        self._show(Line("paused", f"You left the table; everything is saved. Come back with: {self._again}"))
        self._end()

    def _send(self, action: str, words: str, fields: dict[str, str]) -> None:
        async def send() -> None:
            try:
                status, body = await self._ask("POST", f"{self._room}/{action}", {**fields, **given})
                problem = "" if status < 400 else str(_read_json(body).get("error") or body.decode())
            except _FAILURES:
                problem = "The server cannot be reached, so nothing was said. Try again in a moment."
            if action == "typing":
                return
            if problem:
                self.prefill = words
                self._show(Line("notice", problem))
            if problem or action == "chair":
                self._asked = 0
                self._listen()

        given = {"check": self._me["check"], "at": str(self._state.get("listen", 0))}
        task = asyncio.ensure_future(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    # --- the stream -------------------------------------------------------------------------------------

    def _end(self) -> None:
        self._shown.put_nowait(None)
        self.on_move()

    def _show(self, line: Line) -> None:
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

    async def _follow(self) -> None:
        is_lost = False
        while True:
            try:
                if not self._cookie or self._read_address() != self._address:
                    await self.come_in()
                async with aclosing(self._stream()) as events:
                    async for kind, number, data in events:
                        is_lost = False
                        self._take(kind, number, data)
                        if self._state and not self.is_open:
                            self._show(Line("notice", f"The table is closed. Go on with: {self._again}"))
                            return
            except RuleBroken:
                self._cookie = ""  # the server was started anew, and knows nobody
            except _FAILURES:
                pass
            if not is_lost:
                is_lost = True
                self._show(Line("notice", f"{_LOST} {self._again}"))
                self._listen()
            await asyncio.sleep(_PAUSE)

    def _take(self, kind: str, number: str, data: dict[str, Any]) -> None:
        match kind:
            case "line":
                self._last = number
                if (line := data.get("line")) and line["kind"] != "listen":
                    self._show(Line(line["kind"], line["text"], line["speaker"], line["turn"], by=line["by"]))
            case "words":
                if data["from"] == 0:
                    self.on_words("", "")  # they begin anew
                self.on_words(data["key"], data["text"])
            case "table":
                self._state = data
                self._listen()
                self.on_change()
            case "reset":
                self._last = ""

    async def _stream(self) -> AsyncGenerator[tuple[str, str, dict[str, Any]], None]:
        """Yield kind, number and data of each event after the last line that we have."""
        status, reader, writer = await self._open("GET", f"{self._room}/events?after={quote(self._last)}")
        try:
            if status >= 400:
                raise RuleBroken("The server does not know us.")
            kind = number = ""
            while line := await asyncio.wait_for(reader.readline(), _SILENCE):
                name, _, text = line.decode().rstrip("\r\n").partition(": ")
                if name == "event":
                    kind, number = text, ""
                elif name == "id":
                    number = text
                elif name == "data" and kind:
                    yield kind, number, _read_json(text)
        finally:
            writer.close()

    # --- requests ---------------------------------------------------------------------------------------

    async def come_in(self) -> None:
        """Come in by the invitation that the server left for us, and look whether the table is open."""
        self._address, self._cookie = self._read_address(), ""
        _, self._place, path, *_ = urlsplit(self._address)
        _, body = await self._ask("POST", path, {"name": self._name})
        found = _read_json(body)
        self._me = {key: str(found[key]) for key in ("id", "check")}
        _, body = await self._ask("GET", self._room)
        self._state = _read_json(body)

    def _read_address(self) -> str:
        return str(json.loads(_announcement(self._project.root).read_text(encoding="utf-8"))["address"])

    async def _ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, bytes]:
        async with asyncio.timeout(_PATIENCE):
            status, reader, writer = await self._open(method, path, fields)
            try:
                return status, await reader.read()
            finally:
                writer.close()

    async def _open(
        self, method: str, path: str, fields: dict[str, str] | None = None
    ) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request and return its status, with the streams at the beginning of the answer's body."""
        place = urlsplit(f"//{self._place}")
        reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=_MAX_EVENT)
        body = urlencode(fields or {})
        heads = {
            "Host": self._place, "Origin": f"http://{self._place}", "Accept": "application/json",
            "Cookie": self._cookie, "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }  # fmt: skip
        head = "".join(f"{name}: {value}\r\n" for name, value in heads.items() if value)
        writer.write(f"{method} {path} HTTP/1.0\r\n{head}\r\n{body}".encode())  # 1.0: no chunks
        answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        for line in answer:
            if line.lower().startswith("set-cookie: "):
                self._cookie = line.partition(": ")[2].partition(";")[0]
        return int(answer[0].split()[1]), reader, writer


def _read_json(text: str | bytes) -> dict[str, Any]:
    """Return an object from the server, empty where it sent something else."""
    with suppress(ValueError):
        found = json.loads(text)
        return found if isinstance(found, dict) else {}
    return {}
