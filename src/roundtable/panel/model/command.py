"""A program as a model: it gets the conversation on stdin, and what it prints is the reply."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator, Awaitable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, cast

from ...core.errors import RuleBroken
from ...core.text import strip_unprintable
from .model import CHARACTERS_PER_TOKEN, Request, Usage, hide, make_failure

_KEPT_OF_STDERR = 8 * 1024
_GRACE = 0.5
_BURIAL = 5.0


class Child(asyncio.SubprocessProtocol):
    """A running program in a process group and session of its own: it cannot ask at our terminal.

    What it writes to stderr is read without end, so that it never blocks, and all but the tail is forgotten.
    """

    def __init__(self) -> None:
        self.errors = b""
        self.output: asyncio.Queue[bytes] = asyncio.Queue()
        """What it prints; nothing more will come after an empty piece."""
        self._over, self._is_gone = asyncio.Event(), False
        self._transport: asyncio.SubprocessTransport

    @classmethod
    async def start(cls, command: Sequence[str], said: bytes, folder: str) -> Child:
        """Run the command with our environment and `said` on its stdin; OSError where it cannot be run."""
        loop = asyncio.get_running_loop()
        transport, child = await loop.subprocess_exec(cls, *command, cwd=folder, start_new_session=True)
        child._transport = transport
        child._stdin.write(said)
        child._stdin.close()
        return child

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    async def status(self) -> int:
        """Return its exit status once its errors are read; less than 0 where a signal ended it."""
        await self._over.wait()
        return cast(int, self._transport.get_returncode())

    async def end(self) -> None:
        """End it with all that it started, and let go of its pipes."""
        if not self._is_gone and hasattr(os, "killpg"):
            # The group: where the program itself is gone, those that it left keep the group's number.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
        if self._stdin.get_write_buffer_size():
            self._stdin.abort()
        self._transport.close()  # which kills a program that still runs
        with suppress(TimeoutError):  # a process that the system itself cannot end
            async with asyncio.timeout(_BURIAL):
                await self._over.wait()

    # --- what the loop reports --------------------------------------------------------------------------

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.output.put_nowait(data)
        else:
            self.errors = (self.errors + data)[-_KEPT_OF_STDERR:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        if fd == 1:
            self.output.put_nowait(b"")

    def process_exited(self) -> None:
        # Somebody whom it started and left may hold its pipes open for ever.
        asyncio.get_running_loop().call_later(_GRACE, self._stop_reading)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._is_gone = True
        self._stop_reading()

    def _stop_reading(self) -> None:
        self.output.put_nowait(b"")
        self._over.set()


PREFIX = "command:"

_T = TypeVar("_T")
_ROOM = 2
_LONGEST_TAIL = 120
_SECRET_NAME = re.compile(r"key|token|secret|password|credential|auth", re.IGNORECASE)
_CHECK = "Install it, or check the command in --model, ROUNDTABLE_MODEL or your own settings."
_BY_HAND = "Try the command by hand, or name another model with --model."


class CommandModel:
    """A program that is started anew for each reply.

    It runs in an empty folder: an assistant takes settings, hooks and programs from the folder that it is
    started in, and a project may come from anybody.
    """

    def __init__(self, command: str) -> None:
        """The command as the user writes it, `command:` left out; RuleBroken where it names no program."""
        if os.name == "nt":
            command = command.replace("\\", "\\\\")  # a backslash is part of a path there
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
        name = self._command[0]
        if Path(name).name != name:
            found = shutil.which(name)
            return str(Path(found).absolute()) if found else None
        # A relative folder of PATH may be one of the project.
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        return shutil.which(name, path=os.pathsep.join(each for each in folders if Path(each).is_absolute()))

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """What the program prints, as it comes; more than was asked for is cut, as a service would."""
        deadline = asyncio.get_running_loop().time() + request.seconds
        most = request.output_tokens * CHARACTERS_PER_TOKEN * _ROOM
        said, ended, decoder = "", False, codecs.getincrementaldecoder("utf-8")("replace")
        with TemporaryDirectory(prefix="roundtable-", ignore_cleanup_errors=True) as folder:
            child = await self._start_child(request, folder)
            try:
                while not ended and len(said) < most:
                    data = await self._in_time(child.output.get(), deadline, request)
                    ended = not data
                    piece = strip_unprintable(decoder.decode(data, ended))[: most - len(said)]
                    said += piece
                    if piece:
                        yield piece
                if len(said) < most:
                    status = await self._in_time(child.status(), deadline, request)
                    self._check(status, said, child.errors)
            finally:
                request.report(Usage.estimate(request.conversation, said))
                await child.end()

    async def _start_child(self, request: Request, folder: str) -> Child:
        program, why = self.program(), "There is no such program here."
        if program is not None:
            prompt = request.conversation.text.encode("utf-8", "replace") + b"\n"
            try:
                return await Child.start([program, *self._command[1:]], prompt, folder)
            except (OSError, ValueError):
                why = "It is no program that can be run here."
        request.report(Usage())
        raise make_failure("not-installed", self.name, detail=why, do=_CHECK)

    async def _in_time(self, what: Awaitable[_T], deadline: float, request: Request) -> _T:
        try:
            async with asyncio.timeout_at(deadline):
                return await what
        except TimeoutError:
            detail = f"It was given {request.seconds:g} seconds."
            raise make_failure("time-out", self.name, detail=detail) from None

    def _check(self, status: int, said: str, errors: bytes) -> None:
        """Raise where the program did not end well or had nothing to say."""
        if status == 0:
            if not said.strip():
                raise make_failure("nonsense", self.name, detail="It printed nothing.", do=_BY_HAND)
            return
        signals = {each.value: each.name for each in signal.Signals}
        ended_by = signals.get(-status, f"signal {-status}")
        how = f"It was ended by {ended_by}" if status < 0 else f"It ended with status {status}"
        if len(errors) == _KEPT_OF_STDERR:  # the first word may be a part of a key
            errors = b"".join(errors.split(maxsplit=1)[1:])
        # What it wrote to stdout explains its end only where it wrote nothing else.
        tail = self._tail(errors.decode("utf-8", "replace")) or (self._tail(said) if status > 0 else "")
        detail = f"{how}: {tail.rstrip('.')}." if tail else f"{how}."
        raise make_failure("cut" if said.strip() else "server", self.name, detail=detail, do=_BY_HAND)

    def _tail(self, text: str) -> str:
        """Return the end of the last line; keys are hidden before it is cut, lest a part of one stays."""
        last = " ".join(hide(text, self._secrets()).strip().rpartition("\n")[2].split())
        return last if len(last) <= _LONGEST_TAIL else "..." + last[-_LONGEST_TAIL:]

    def _secrets(self) -> Iterator[str]:
        """The arguments that are keys by their names: `--api-key K`, `--api-key=K`, `NAME_TOKEN=K`."""
        for before, word in pairwise(self._command):
            name, equals, value = word.partition("=")
            if equals and _SECRET_NAME.search(name):
                yield value
            if before.startswith("-") and "=" not in before and _SECRET_NAME.search(before):
                yield word
