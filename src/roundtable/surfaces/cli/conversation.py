"""Answers: the user's messages, one per line, from a file, a pipe or a terminal, read when asked for."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from ...core.errors import DiskFailed, RuleBroken
from ...core.lines import Line
from .main import Interrupted, end_at_once, heeded
from .output import ReaderGone, fit, put, put_json

if TYPE_CHECKING:
    from ...runtime.session import Session


_CHUNK = 64 * 1024
_LONGEST = 1024 * 1024  # no message has a line of that size: it is another kind of file


class Answers:
    """Messages from an open file; an empty line is silence, the end of the file is the end."""

    def __init__(self, handle: int | None, name: str) -> None:
        self.name = name
        self.from_terminal = handle is not None and os.isatty(handle)
        self._handle = handle
        self._buffer = b""
        self._number = 0
        self._ended = handle is None

    async def next(self) -> str | None:
        """The next message; None where no more will come."""
        while (line := self._whole_line()) is None:
            if self._handle is None or self._ended:
                return None
            if len(self._buffer) > _LONGEST:
                raise RuleBroken(
                    f"Line {self._number + 1} of {self.name} is longer than {_LONGEST:,} bytes, "
                    "so it cannot be a message. Everything before it is saved."
                )
            chunk = await self._read(self._handle)
            self._ended = not chunk
            self._buffer += chunk
        self._number += 1
        text = line.decode("utf-8", "replace").replace("\x00", "")
        if self._number == 1:
            text = text.removeprefix("\ufeff")
        return text.rstrip("\r").replace("\r", " ")

    def _whole_line(self) -> bytes | None:
        line, newline, rest = self._buffer.partition(b"\n")
        if not newline and not (self._ended and line):
            return None
        self._buffer = rest
        return line

    async def _read(self, handle: int) -> bytes:
        try:
            return await _read(handle)
        except OSError as error:
            if self.from_terminal:  # it was closed
                return b""
            raise _unreadable(self.name, error) from error


def open_answers(name: str | None) -> Answers:
    """The answers that `--answers` names; stdin where it says `-` or nothing."""
    if name is None or name == "-":
        # Where stdin was closed before we began, its number may belong to another file by now.
        return Answers(None if sys.stdin is None else 0, "the standard input")
    try:
        handle = os.open(Path(name), os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            os.close(handle)
            raise IsADirectoryError(None, "it is a folder")
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    return Answers(handle, name)


def _unreadable(name: str, error: OSError | ValueError) -> RuleBroken:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return RuleBroken(f"Could not read the answers in {name}: {reason[:1].lower()}{reason[1:]}.")


async def _read(handle: int) -> bytes:
    """Some bytes, read in a thread: a read from a terminal cannot be ended, only left behind."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[bytes] = loop.create_future()

    def settle(data: bytes, error: OSError | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(data)
        else:
            outcome.set_exception(error)

    def read() -> None:
        data, failure = b"", None
        try:
            data = _wait_and_read(handle)
        except OSError as error:
            failure = error
        with suppress(RuntimeError):  # the loop has been closed meanwhile
            loop.call_soon_threadsafe(settle, data, failure)

    threading.Thread(target=read, name="answers", daemon=True).start()
    return await outcome


def _wait_and_read(handle: int) -> bytes:
    while True:
        try:
            return os.read(handle, _CHUNK)
        except BlockingIOError:  # another program made it so
            import select

            select.select([handle], [], [])


_USER = "user"


class Page(Protocol):
    """Where the lines of a conversation are shown."""

    def show(self, line: Line) -> None:
        """Show one line."""

    def leave(self) -> None:
        """The user goes without an answer; nothing is raised."""


class JsonLines:
    """One JSON object per line, for a program."""

    def __init__(self) -> None:
        self._count = 0

    def show(self, line: Line) -> None:
        self._count += 1
        record: dict[str, object] = {
            "seq": self._count,
            "kind": line.kind,
            "state": line.state,
            "speaker": line.speaker,
            "turn": line.turn,
            "text": line.text,
        }
        if line.kind == "listen":
            record["awaits"] = line.awaits
        put_json(record)

    def leave(self) -> None:
        pass


class Plain:
    """Lines as text with a blank line between, for a person."""

    def __init__(self, user_name: str | None, *, echo: bool, prompt: bool) -> None:
        """`echo` shows the user's words (a terminal does so itself); `prompt` asks for them with a sign."""
        self._name = user_name or "You"
        self._echo = echo
        self._prompt = prompt
        self._between = ""

    def show(self, line: Line) -> None:
        if line.kind == "listen":
            if self._prompt:
                put(f"{self._between}> ")
            return
        text = fit(line.text)
        # What was said in an earlier run stands on no screen; everything else was typed on this one.
        seen = line.speaker == _USER and not self._echo and line.kind != "resume"
        if seen or not text.strip():
            return
        name = f"{self._name}: " if line.speaker == _USER else ""
        put(f"{self._between}{name}{text}\n")
        self._between = "\n"

    def leave(self) -> None:
        if self._prompt:
            with suppress(ReaderGone, DiskFailed):
                put("\n")


def hold(session: Session, answers: Answers, page: Page, again: str) -> int:
    """Hold the conversation to its end; a signal raises Interrupted, which names the command that goes on."""
    return run(_hold(session, answers, page), page.leave, again)


def run(conversation: Coroutine[Any, Any, None], leave: Callable[[], None], again: str) -> int:
    """Run a conversation to its end; a signal raises Interrupted, which names the command that goes on."""
    try:
        with _handlers_restored():
            asyncio.run(_heeding_signals(conversation))
    except (asyncio.CancelledError, KeyboardInterrupt):
        end_at_once()
        leave()
        raise Interrupted(f"Interrupted. Everything is saved. Go on with: {again}") from None
    return 0


@contextmanager
def _handlers_restored() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in heeded()}
    try:
        yield
    finally:
        with suppress(ValueError):  # not in the main thread
            for number, handler in before.items():
                signal.signal(number, handler)


async def _hold(session: Session, answers: Answers, page: Page) -> None:
    async with aclosing(session.lines()) as lines:
        async for line in lines:
            page.show(line)
            if line.kind != "listen":
                continue
            words = await answers.next()
            if words is None:
                page.leave()
                session.hang_up()
            else:
                session.say(words)


async def _heeding_signals(conversation: Coroutine[Any, Any, None]) -> None:
    """A signal cancels the conversation between two moves; what is being written is written."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def cancel(_number: int, _frame: FrameType | None) -> None:
        end_at_once()
        loop.call_soon_threadsafe(task.cancel)

    with suppress(ValueError):  # not in the main thread
        for number in heeded():
            signal.signal(number, cancel)
    await conversation
