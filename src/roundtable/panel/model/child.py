"""The child: a program that runs beside us, with all that it starts, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_MOST_UNREAD = 256 * 1024
_KEPT_OF_STDERR = 8 * 1024
_GRACE = 0.5
_BURIAL = 5.0


class Child(asyncio.SubprocessProtocol):
    """A running program in a process group and session of its own: it cannot ask at our terminal.

    What it writes to stderr is read without end, so that it never blocks, and all but the tail is forgotten.
    """

    def __init__(self) -> None:
        self._errors = b""
        self._unread: deque[bytes] = deque()
        self._waiting = 0
        self._news = asyncio.Event()
        self._open = {_STDOUT, _STDERR}
        self._exited = asyncio.Event()
        self._gone = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None

    @classmethod
    async def start(cls, command: Sequence[str], said: bytes) -> Child:
        """Run the command with our environment and `said` on its stdin; OSError where it cannot be run."""
        loop = asyncio.get_running_loop()
        _, child = await loop.subprocess_exec(cls, *command, start_new_session=True)
        stdin = cast(asyncio.WriteTransport, child._pipe(_STDIN))
        stdin.write(said)
        stdin.close()
        return child

    async def read(self) -> bytes:
        """The next bytes of its output; empty where no more will come."""
        while not self._unread:
            if _STDOUT not in self._open:
                return b""
            self._news.clear()
            try:
                # Somebody whom it started and left may hold the output open for ever.
                async with asyncio.timeout(_GRACE if self._exited.is_set() else None):
                    await self._news.wait()
            except TimeoutError:
                return b""
        data = self._unread.popleft()
        self._waiting -= len(data)
        if self._waiting <= _MOST_UNREAD and _STDOUT in self._open:
            cast(asyncio.ReadTransport, self._pipe(_STDOUT)).resume_reading()
        return data

    @property
    def errors(self) -> bytes:
        """The last that it wrote to stderr, from the beginning of a word."""
        if len(self._errors) < _KEPT_OF_STDERR:
            return self._errors
        return b"".join(self._errors.split(maxsplit=1)[1:])

    async def status(self) -> int:
        """Its exit status once it has ended and its errors are read; less than 0 where a signal ended it."""
        await self._exited.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                while _STDERR in self._open:
                    self._news.clear()
                    await self._news.wait()
        assert self._transport is not None
        status = self._transport.get_returncode()
        assert status is not None
        return status

    async def end(self) -> None:
        """End it with all that it started, and let go of its pipes."""
        assert self._transport is not None
        if self._open or not self._exited.is_set():
            self._kill()
        stdin = cast(asyncio.WriteTransport, self._pipe(_STDIN))
        if stdin.get_write_buffer_size():
            stdin.abort()
        self._transport.close()
        with suppress(TimeoutError):  # a process that the system itself cannot end
            async with asyncio.timeout(_BURIAL):
                await self._gone.wait()

    # --- what the loop reports --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self._errors = (self._errors + data[-_KEPT_OF_STDERR:])[-_KEPT_OF_STDERR:]
            return
        self._unread.append(data)
        self._waiting += len(data)
        if self._waiting > _MOST_UNREAD:
            cast(asyncio.ReadTransport, self._pipe(fd)).pause_reading()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        self._open.discard(fd)
        self._news.set()

    def process_exited(self) -> None:
        self._exited.set()
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._gone.set()

    def _pipe(self, fd: int) -> asyncio.BaseTransport:
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(fd)
        assert pipe is not None
        return pipe

    def _kill(self) -> None:
        """End the group: where the program itself is gone, those that it left keep the group's number."""
        assert self._transport is not None
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
        with suppress(ProcessLookupError):
            self._transport.kill()
