"""A conversation in plain lines or JSON: where the user's messages come from, and how lines are shown."""

from __future__ import annotations

import asyncio
import os
import select
import stat
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import DiskFailed, RuleBroken
from ...core.lines import Line
from ...core.text import clean_text
from ...core.turns import USER
from ..terminal.slash import run_command
from .main import Interrupted, end_at_once, interruptible
from .output import ReaderGone, put, put_json

if TYPE_CHECKING:
    from ...runtime.session import Session
    from ..terminal.conversation import TerminalConversation
    from ..terminal.seat import TableSeat

_CHUNK = 64 * 1024
_MAX_LINE = 1024 * 1024  # a longer line is not a message: the file is of another kind


class Answers:
    """The user's messages from an open file, one per line; an empty line is silence.

    Nothing is read before it is asked for, so that another program can hold the conversation over pipes.
    """

    def __init__(self, handle: int | None, name: str) -> None:
        self.name = name
        self.from_terminal = handle is not None and os.isatty(handle)
        self._handle = handle
        self._buffer = b""
        self._number = 0

    async def next(self) -> str | None:
        """Return the next message, or None if no more will come."""
        while b"\n" not in self._buffer and self._handle is not None:
            if len(self._buffer) > _MAX_LINE:
                raise RuleBroken(
                    f"Line {self._number + 1} of {self.name} is longer than {_MAX_LINE:,} bytes, "
                    "so it cannot be a message. Everything before it is saved."
                )
            try:
                chunk = await _read(self._handle)
            except OSError as error:
                if not self.from_terminal:
                    raise _unreadable(self.name, error) from error
                chunk = b""  # the terminal was closed
            self._buffer += chunk
            self._handle = self._handle if chunk else None
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        self._number += 1
        text = line.decode("utf-8-sig" if self._number == 1 else "utf-8", "replace")
        return text.rstrip("\r").replace("\r", " ").replace("\x00", "")


def open_answers(name: str | None) -> Answers:
    """Open the file that `--answers` names, or stdin if it names `-` or nothing."""
    if name is None or name == "-":
        # If stdin was closed before we began, its number may belong to another file by now.
        return Answers(None if sys.stdin is None else 0, "the standard input")
    try:
        handle = os.open(Path(name), os.O_RDONLY | getattr(os, "O_BINARY", 0))
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            os.close(handle)
            raise IsADirectoryError(None, "it is a folder")
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    return Answers(handle, name)


def _unreadable(name: str, error: OSError | ValueError) -> RuleBroken:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return RuleBroken(f"Could not read the answers in {name}: {reason[:1].lower()}{reason[1:]}.")


def ask_once(answers: Answers, question: str) -> str | None:
    """Ask before a conversation begins; None if no answer will come."""

    async def ask() -> str | None:
        put(question)  # inside the loop, because Ctrl-C would meet a half-made one before it
        return await answers.next()

    words = asyncio.run(ask())
    if words is None:
        put("\n")
    return words


async def _read(handle: int) -> bytes:
    """Return some bytes; a thread reads, because a terminal cannot be interrupted."""
    outcome = Future[bytes]()
    outcome.set_running_or_notify_cancel()  # whoever waits may be cancelled, the thread cannot be

    def read() -> None:
        while not outcome.done():
            try:
                outcome.set_result(os.read(handle, _CHUNK))
            except BlockingIOError:  # another program made the file non-blocking
                select.select([handle], [], [])
            except OSError as error:
                outcome.set_exception(error)

    threading.Thread(target=read, name="answers", daemon=True).start()
    return await asyncio.wrap_future(outcome)


class Withdrawn(Exception):
    """What was asked is not asked any more."""


async def converse(session: Session | TableSeat, page: Plain | TerminalConversation) -> None:
    """Show every line, and hear the user whenever it is the user's turn; commands are answered here."""
    async with aclosing(session.lines()) as lines:
        async for line in lines:
            page.show(line)
            while line.kind == "listen":
                try:
                    words = await page.ask(line)
                except Withdrawn:
                    break
                result = run_command(words, session, line.awaits, is_strict=page.is_strict) if words else None
                if result is not None and result.text:
                    page.show(Line("notice", result.text))
                    page.show(line)
                    continue
                words = result.say if result is not None else words
                if words is None:
                    session.hang_up()
                else:
                    session.say(words)
                break


class Plain:
    """Shows a conversation as text with blank lines between, for a person."""

    is_strict = False

    def __init__(self, answers: Answers, user_name: str | None, *, is_prompting: bool) -> None:
        """With `is_prompting` a sign asks for the user's words, and leaving ends its line."""
        self._answers = answers
        self._name = user_name or "You"
        self._is_prompting = is_prompting
        self._between = ""

    def show(self, line: Line) -> None:
        if line.kind == "listen":
            if self._is_prompting:
                put(f"{self._between}> ")
            return
        text = clean_text(line.text)
        # A terminal shows itself what is typed; words from an earlier run are not on this screen.
        is_on_screen = line.speaker == USER and self._answers.from_terminal and line.kind != "resume"
        if is_on_screen or not text.strip():
            return
        name = f"{self._name}: " if line.speaker == USER else ""
        put(f"{self._between}{name}{text}\n")
        self._between = "\n"

    async def ask(self, _line: Line) -> str | None:
        words = await self._answers.next()
        if words is None:
            self.leave()
        return words

    def leave(self) -> None:
        if self._is_prompting:
            with suppress(ReaderGone, DiskFailed):
                put("\n")


class JsonLines(Plain):
    """Shows a conversation as one JSON object per line, for a program."""

    def __init__(self, answers: Answers) -> None:
        super().__init__(answers, None, is_prompting=False)
        self._count = 0

    def show(self, line: Line) -> None:
        self._count += 1
        fields = ("kind", "state", "speaker", "turn", "text", *(("awaits",) if line.kind == "listen" else ()))
        put_json({"seq": self._count, **{name: getattr(line, name) for name in fields}}, indent=None)


def run(conversation: Coroutine[Any, Any, None], leave: Callable[[], None], again: str) -> int:
    """Run a conversation to its end and return its exit status.

    A signal calls `leave` and raises Interrupted, which names the command that goes on: `again`.
    """

    async def converse() -> None:
        """Let a signal cancel the conversation between two moves; what is being written is written."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with interruptible(lambda: loop.call_soon_threadsafe(task.cancel)):
            await conversation

    try:
        with interruptible():
            asyncio.run(converse())
    except (asyncio.CancelledError, KeyboardInterrupt):
        end_at_once()
        leave()
        raise Interrupted(f"Interrupted. Everything is saved. Go on with: {again}") from None
    return 0
