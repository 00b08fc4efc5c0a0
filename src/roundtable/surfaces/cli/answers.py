"""Answers: the user's messages, one per line, from a file, a pipe or a terminal, read when asked for."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from contextlib import suppress
from pathlib import Path

from ...core.errors import RuleBroken

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
