"""A program as a model: it gets the conversation on stdin, and what it prints is the reply."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from ...core.errors import RuleBroken
from ...core.text import strip_unprintable
from .model import CHARACTERS_PER_TOKEN, FailureKind, Request, Usage, make_failure

PREFIX = "command:"

_ROOM = 2
_CHUNK = 64 * 1024
_KEPT_OF_STDERR = 8 * 1024
_GRACE, _BURIAL = 0.5, 5.0  # seconds
# The arguments that are keys by their names: `--api-key K`, `--api-key=K`, `NAME_TOKEN=K`.
_SECRET = re.compile(r"(?i)(?:key|token|secret|password|credential|auth)[^=\0]{0,40}[=\0](?=([^\0]+))")
_CHECK = "Install it, or check the command in --model, ROUNDTABLE_MODEL or your own settings."
_BY_HAND = "Try the command by hand, or name another model with --model."


class CommandModel:
    """A program that is started anew for each reply, in an empty folder.

    An assistant takes settings and hooks from the folder it is in, and a project may come from anybody.
    """

    def __init__(self, command: str) -> None:
        """The command as the user writes it, `command:` left out; RuleBroken where it names no program."""
        try:
            self._command = shlex.split(command)
        except ValueError:
            raise RuleBroken("The command after command: has a quotation mark without its partner.") from None
        if not self._command or not self._command[0].strip():
            raise RuleBroken("There is no program after command:, such as command:llm.")

    @property
    def name(self) -> str:
        """The program without its folder and arguments."""
        return PREFIX + (strip_unprintable(Path(self._command[0]).name) or "program")

    def program(self) -> str | None:
        """The file that would be run; None where there is none."""
        # A relative folder of PATH may be one of the project; a path that the user gives is meant.
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        path = os.pathsep.join(each for each in folders if Path(each).is_absolute())
        found = shutil.which(self._command[0], path=path)
        return str(Path(found).absolute()) if found else None

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """Yield what the program prints as it comes; cut more than was asked for, as a service would."""
        deadline = asyncio.get_running_loop().time() + request.seconds
        most = request.output_tokens * CHARACTERS_PER_TOKEN * _ROOM
        said, ended, decoder = "", False, codecs.getincrementaldecoder("utf-8")("replace")
        with TemporaryDirectory(prefix="roundtable-", ignore_cleanup_errors=True) as folder:
            running = await self._start(request, folder)
            try:
                while not ended and len(said) < most:
                    data = await self._read(running, deadline, request.seconds)
                    ended = not data
                    piece = strip_unprintable(decoder.decode(data, ended))[: most - len(said)]
                    said += piece
                    if piece:
                        yield piece
                if len(said) < most:
                    self._check(running.transport.get_returncode() or 0, said, bytes(running.errors))
            finally:
                request.report(Usage.estimate(request.conversation, said))
                await running.end()

    async def _start(self, request: Request, folder: str) -> RunningProgram:
        """Start the program in a session of its own, so that it cannot ask at our terminal."""
        program, given = self.program(), request.conversation.text
        command = [program or "", *self._command[1:]]
        start = asyncio.get_running_loop().subprocess_exec
        try:
            started = await start(lambda: RunningProgram(given), *command, cwd=folder, start_new_session=True)
            return started[1]
        except (OSError, ValueError):
            request.report(Usage())
        why = "It cannot be run here." if program else "There is no such program here."
        raise make_failure("not-installed", self.name, detail=why, do=_CHECK)

    async def _read(self, running: RunningProgram, deadline: float, seconds: float) -> bytes:
        """Return the next of the output; empty when the program has ended, whoever still holds its pipes."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout_at(min(deadline, loop.time() + _GRACE)):
                    return await running.output.read(_CHUNK)
            except TimeoutError:
                if running.transport.get_returncode() is not None:
                    return b""
                if loop.time() >= deadline:
                    detail = f"It was given {seconds:g} seconds."
                    raise make_failure("time-out", self.name, detail=detail) from None

    def _check(self, status: int, said: str, errors: bytes) -> None:
        if status == 0:
            if not said.strip():
                raise make_failure("nonsense", self.name, detail="It printed nothing.", do=_BY_HAND)
            return
        how = f"It was ended by signal {-status}" if status < 0 else f"It ended with status {status}"
        if len(errors) == _KEPT_OF_STDERR:  # the first word may be a part of a key
            errors = b"".join(errors.split(maxsplit=1)[1:])
        # What it wrote to stdout explains its end only where it wrote nothing else.
        written = strip_unprintable(errors.decode("utf-8", "replace")).strip()
        last = (written or (said.strip() if status > 0 else "")).rpartition("\n")[2]
        detail = f"{how}: {last.rstrip('.')}." if last else f"{how}."
        kind: FailureKind = "cut" if said.strip() else "server"
        secrets = _SECRET.findall("\0".join(self._command))
        raise make_failure(kind, self.name, detail=detail, do=_BY_HAND, more=secrets)


class RunningProgram(asyncio.SubprocessProtocol):
    """A program that runs: its output, which ends with the program, and the last of its stderr."""

    def __init__(self, given: str) -> None:
        self.output = asyncio.StreamReader()
        self.errors = bytearray()
        self._given = given.encode("utf-8", "replace") + b"\n"
        self._has_ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.SubprocessTransport", transport)
        self._stdin = cast("asyncio.WriteTransport", self.transport.get_pipe_transport(0))
        self._stdin.write(self._given)
        self._stdin.close()
        self.output.set_transport(cast("asyncio.BaseTransport", self.transport.get_pipe_transport(1)))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.output.feed_data(data)
        else:  # read without end, so that the program never blocks
            self.errors += data
            del self.errors[:-_KEPT_OF_STDERR]

    def process_exited(self) -> None:
        self._has_ended.set()

    def connection_lost(self, _exc: Exception | None) -> None:
        self.output.feed_eof()  # the program has ended, and nobody holds its pipes any more

    async def end(self) -> None:
        """End the program with all that it started, and let go of its pipes."""
        # The group: where the program itself is gone, those that it left keep the group's number.
        with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
            os.killpg(self.transport.get_pid(), signal.SIGKILL)
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()
        self.transport.close()  # which kills a program that still runs
        with suppress(TimeoutError):  # a process that the system itself cannot end
            async with asyncio.timeout(_BURIAL):
                await self._has_ended.wait()
