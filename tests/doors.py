"""The three doors to a conversation: command line, MCP and web room, as processes that can be killed.

Each run is a fork of a process that has imported everything, so that it takes a fraction of a start.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import pty
import re
import signal
import sys
import termios
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from mcp_types import CallToolResult, TextContent

from hosting import Host, Refusal
from roundtable.core.lines import RECORD_FAILED
from roundtable.core.turns import USER
from roundtable.surfaces.cli.main import main

WORDS = (
    "E",
    "Alex, how many forms are locked at once?",
    "We go with merging field by field.",
    "done",
    "The office may be offline too.",
    "undo",
)
REVIEWED = (*WORDS[:4], "accept", *WORDS[4:])
SECONDS = 60


class Gone(Exception):
    """The process at the other end has ended."""


@dataclass
class Child:
    """A process of ours, and the pipes to it."""

    pid: int
    say: int
    hear: int
    timer: threading.Timer
    began: float = field(default_factory=time.monotonic)
    is_late: bool = False

    def lines(self) -> Iterator[bytes]:
        with open(self.hear, "rb", closefd=False) as pipe:
            yield from pipe

    def put(self, data: bytes) -> None:
        try:
            os.write(self.say, data)
        except OSError as error:
            raise Gone from error

    def kill_in(self, seconds: float) -> None:
        """Kill it after so many seconds from now on."""
        self.timer.cancel()
        self.timer = threading.Timer(seconds, os.kill, (self.pid, signal.SIGKILL))
        self.timer.start()

    def end(self) -> int:
        """Close the pipes, wait for the end and return the status."""
        for handle in (self.say, self.hear):
            with suppress(OSError):
                os.close(handle)
        _, status = os.waitpid(self.pid, 0)
        self.is_late = time.monotonic() - self.began > SECONDS
        self.timer.cancel()
        self.timer.join()
        return os.waitstatus_to_exitcode(status)


def start(
    arguments: list[str], prepare: Callable[[], None], seconds: float, log: Path, *, at_terminal: bool
) -> Child:
    """Start our program in a child that is killed after so many seconds; `prepare` runs in it before."""
    if at_terminal:
        say, stdin = pty.openpty()
        modes = termios.tcgetattr(stdin)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(stdin, termios.TCSANOW, modes)
    else:
        stdin, say = os.pipe()
    hear, stdout = os.pipe()
    pid = os.fork()
    if pid == 0:
        _run_child(arguments, prepare, stdin, stdout, log)
    os.close(stdin)
    os.close(stdout)
    timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return Child(pid, say, hear, timer)


def _run_child(arguments: list[str], prepare: Callable[[], None], stdin: int, stdout: int, log: Path) -> None:
    status = 1
    try:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.dup2(os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666), 2)
        os.closerange(3, 1024)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", closefd=False)
            for number, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        prepare()
        status = main(arguments)
        sys.stdout.flush()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


@dataclass
class Conversation:
    """A conversation that is cut off; after each cut only what did not count is said again."""

    door: ClassVar[str] = ""
    root: Path
    item: str
    log: Path
    words: tuple[str, ...] = REVIEWED
    used: int = 0
    sent: str = ""
    turns: dict[int, str] = field(default_factory=dict)
    changed: int = 0
    faults: list[str] = field(default_factory=list)
    """What was put in its way."""
    was_refused: bool = False
    """Whether it was said that the record could not be saved."""
    late: int = 0
    """How many runs had to be ended because they did not end themselves."""
    is_over: bool = False
    disturb: Callable[[], None] | None = None
    """What happens while the program waits for the user the next time."""
    elsewhere: set[int] = field(default_factory=set)
    """The turns that were shown to somebody at another door."""
    cut: float | None = None
    """So many seconds after the first message of the next run the process is killed."""
    _child: Child | None = None

    @property
    def is_used_up(self) -> bool:
        return self.used == len(self.words)

    @property
    def at_terminal(self) -> bool:
        return False

    def arguments(self) -> list[str]:
        raise NotImplementedError

    def talk(self, child: Child) -> None:
        raise NotImplementedError

    def open(self, *, seconds: float = SECONDS, prepare: Callable[[], None] = lambda: None) -> Child:
        """Start the program once more."""
        self.sent, self.is_over = "", False
        return start(
            [*self.arguments(), "--root", str(self.root)], prepare, seconds, self.log,
            at_terminal=self.at_terminal,
        )  # fmt: skip

    def run(self, *, seconds: float = SECONDS, prepare: Callable[[], None] = lambda: None) -> int:
        """Hold the conversation as far as it goes; return what the process exits with."""
        return self.hold(self.open(seconds=seconds, prepare=prepare))

    def hold(self, child: Child) -> int:
        """Talk to a process until it ends or all is said; return what it exits with."""
        self._child = child
        with suppress(Gone, Refusal, OSError, http.client.HTTPException):
            self.talk(child)
        status = child.end()
        self.late += child.is_late
        return status

    def hear(self, kind: str, speaker: str | None, turn: int | None, text: str) -> None:
        """Take in a line that is shown."""
        self.was_refused |= RECORD_FAILED[:60] in text
        if kind == "contribution" and turn is not None:
            self.changed += self.turns.setdefault(turn, text) != text
        if speaker == USER and text in self.words:
            self.used = max(self.used, self.words.index(text) + 1)

    def next_words(self, awaits: str) -> str | None:
        """Return what to say now; None where all is said."""
        if awaits == "menu" and self.used < WORDS.index("done") + 1:
            if self.sent == WORDS[0]:  # the discussion cannot be opened: the documents are away
                raise Gone
            self.used = 0
        if self.disturb is not None:
            disturb, self.disturb = self.disturb, None
            disturb()
        if self.is_used_up:
            self.is_over = True
            return None
        self.sent = self.words[self.used]
        if self.cut is not None and self._child is not None:
            self._child.kill_in(self.cut)
            self.cut = None
        return self.sent


@dataclass
class CommandLine(Conversation):
    """`roundtable analyze --json`, over a pipe, or at a terminal, where each synthesis is reviewed."""

    door: ClassVar[str] = "command line"

    @property
    def at_terminal(self) -> bool:
        return self.words is REVIEWED

    def arguments(self) -> list[str]:
        return ["analyze", self.item, "--json", "--answers", "-"]

    def talk(self, child: Child) -> None:
        for raw in child.lines():
            try:
                line = json.loads(raw)
            except ValueError:  # cut off in the middle of a line
                continue
            self.hear(line["kind"], line["speaker"], line["turn"], line["text"])
            if line["kind"] == "listen":
                words = self.next_words(line["awaits"])
                if words is None and not self.at_terminal:
                    return  # the pipe is closed; anything put into it would be an answer
                child.put(b"\x04" if words is None else f"{words}\n".encode())


@dataclass
class Mcp(Conversation):
    """`roundtable mcp`, with a host that obeys and passes the user's words on."""

    door: ClassVar[str] = "MCP"
    heard: str = ""

    def arguments(self) -> list[str]:
        return ["mcp"]

    def talk(self, child: Child) -> None:
        asyncio.run(self._play(Host(_PipeClient(child), accepts=False, heard=self.heard)))  # type: ignore[arg-type]

    async def _play(self, host: Host) -> None:
        try:
            await host.start(self.item)
            while True:
                self._take(host)
                if "id" not in host.move:
                    return
                if host.move["speaker"] != USER:
                    await host.obey()
                    continue
                words = self.next_words(host.move["kind"])
                if words is None:
                    return
                await host.send("relay_user", words=words)
        finally:
            self._take(host)
            self.heard = host.heard

    def _take(self, host: Host) -> None:
        for line in host.lines:
            self.hear(line.kind, line.speaker, line.turn, line.text)
        host.lines.clear()


class _PipeClient:
    """A client of the server at the other end of the pipes."""

    def __init__(self, child: Child) -> None:
        self._child, self._lines, self._count = child, child.lines(), 0
        about = {"name": "torture", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        self._request("initialize", opening)
        self._put({"method": "notifications/initialized"})

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        answer = self._request("tools/call", {"name": name, "arguments": arguments})
        text = TextContent(type="text", text=answer["content"][0]["text"])
        return CallToolResult(content=[text], is_error=bool(answer.get("isError")))

    def _request(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._put({"id": self._count, "method": method, "params": parameters})
        for raw in self._lines:
            with suppress(ValueError):
                answer = json.loads(raw)
                if answer.get("id") == self._count:
                    found: dict[str, Any] = answer["result"]
                    return found
        raise Gone

    def _put(self, message: dict[str, Any]) -> None:
        self._child.put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


_ENTRY = re.compile(
    r'class="entry said (?P<kind>\S+) (?P<by>person|voice-\d+)".*?(?:turn (?P<turn>\d+)</span>.*?)?'
    r'<div class="words">(?P<text>.*?)</div>',
    re.DOTALL,
)
_CHECK = re.compile(r'name="check" value="([^"]+)"')
_AWAITS = re.compile(r'data-awaits="([^"]+)"')


@dataclass
class WebRoom(Conversation):
    """`roundtable serve`, with one guest, who follows the table and fills in its forms."""

    door: ClassVar[str] = "web room"

    def arguments(self) -> list[str]:
        return ["serve", "--port", "0", "--no-browser", "--json"]

    def talk(self, child: Child) -> None:
        address = next((found[1] for raw in child.lines() if (found := _ADDRESS.search(raw))), b"").decode()
        if not address:
            raise Gone
        try:
            self._visit(urlsplit(address))
        finally:
            with suppress(OSError):  # the server stays; whoever closes the lid does not end it in order
                os.kill(child.pid, signal.SIGKILL)

    def _visit(self, address: Any) -> None:
        guest = _Guest(address.netloc)
        guest.join(address.path)
        room = f"/items/{self.item}/room"
        guest.send(f"{room}/open")
        answered = 0
        for name, data in guest.follow(f"{room}/events"):
            if name == "line":
                self._take(json.loads(data))
            if name != "table":
                continue
            table = json.loads(data)
            if not table["open"]:
                return
            if table["listen"] <= answered:
                continue
            form = guest.get(f"{room}/form")
            awaits = found[1] if (found := _AWAITS.search(form)) else ""
            words = "resume" if awaits == "choice" else self.next_words(awaits)
            if words is None:
                return
            answered = table["listen"]
            guest.send(f"{room}/say", text=words, at=str(answered))

    def _take(self, html: str) -> None:
        if found := _ENTRY.search(html):
            text = re.sub(r"<[^>]+>", "", found["text"]).strip()
            text = "E" if text == "Elaboration Mode" else text
            speaker = USER if found["by"] == "person" else found["by"]
            self.hear(found["kind"], speaker, int(found["turn"]) if found["turn"] else None, text)


_ADDRESS = re.compile(rb'"address": "([^"]+)"')


class _Guest:
    """Somebody with a browser."""

    def __init__(self, place: str) -> None:
        self._place, self._cookie, self._check = place, "", ""
        self._connection = http.client.HTTPConnection(place, timeout=SECONDS)

    def join(self, path: str) -> None:
        answer = self._ask("POST", path, {"name": "Ana"})
        self._cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        answer.read()
        self._check = found[1] if (found := _CHECK.search(self.get("/"))) else ""

    def get(self, path: str) -> str:
        return self._ask("GET", path).read().decode()

    def send(self, path: str, **fields: str) -> None:
        answer = self._ask("POST", path, {"check": self._check, **fields})
        answer.read()

    def follow(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the name and the data of each event that the server sends."""
        connection = http.client.HTTPConnection(self._place, timeout=SECONDS)
        connection.request("GET", path, headers={"Cookie": self._cookie})
        answer = connection.getresponse()
        name = ""
        for raw in answer:
            key, _, value = raw.decode().rstrip("\r\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                yield name, value

    def _ask(self, method: str, path: str, form: dict[str, str] | None = None) -> http.client.HTTPResponse:
        headers = {"Cookie": self._cookie, "Origin": f"http://{self._place}", "Accept": "application/json"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, urlencode(form) if form is not None else None, headers)
        return self._connection.getresponse()
