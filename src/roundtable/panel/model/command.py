"""The command: a program that the user already has, such as `claude -p` or `llm`, as a model.

The whole conversation goes to its stdin and its stdout is the reply. It runs with the user's own login and
environment, without a shell; its arguments, which may hold a key, stand in no name.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator, Awaitable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from ...core.errors import RuleBroken
from ...core.markup import printable
from .child import Child
from .failures import FailureKind, ModelFailed, failed, hide
from .model import CHARACTERS_PER_TOKEN, Request, Usage
from .plaintext import PlainText

PREFIX = "command:"

_T = TypeVar("_T")
_ROOM = 2
_LONGEST_TAIL = 120
_SECRET_NAME = re.compile(r"key|token|secret|password|credential|auth", re.IGNORECASE)
_CHECK = "Install it, or check the command in --model, ROUNDTABLE_MODEL or your own settings."
_BY_HAND = "Try the command by hand, or name another model with --model."


class CommandModel:
    """A program that is started anew for each reply."""

    def __init__(self, command: str) -> None:
        """The command as the user writes it, `command:` left out; RuleBroken where it names no program."""
        self._command = _split(command)
        self._secrets = tuple(_secrets(self._command))

    @property
    def name(self) -> str:
        """The program without its folder and arguments."""
        return PREFIX + (printable(Path(self._command[0]).name) or "program")

    def program(self) -> str | None:
        """The file that would be run; None where there is none."""
        return shutil.which(self._command[0])

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """What the program prints, as it comes; more than was asked for is cut, as a service would."""
        deadline = asyncio.get_running_loop().time() + request.seconds
        most = request.output_tokens * CHARACTERS_PER_TOKEN * _ROOM
        said, text = "", PlainText()
        child = await self._started(request)
        try:
            ended = False
            while not ended and len(said) < most:
                data = await self._in_time(child.read(), deadline, request)
                ended = not data
                piece = text.take(data, last=ended)[: most - len(said)]
                said += piece
                if piece:
                    yield piece
            if len(said) < most:
                status = await self._in_time(child.status(), deadline, request)
                self._check(status, said, child)
        finally:
            request.report(Usage.estimate(request.conversation, said))
            await child.end()

    async def _started(self, request: Request) -> Child:
        try:
            program = self.program()
            if program is None:
                raise FileNotFoundError
            prompt = request.conversation.text.encode("utf-8", "replace") + b"\n"
            return await Child.start([program, *self._command[1:]], prompt)
        except (OSError, ValueError) as error:
            request.report(Usage())
            raise self._not_started(error) from None

    async def _in_time(self, what: Awaitable[_T], deadline: float, request: Request) -> _T:
        try:
            async with asyncio.timeout_at(deadline):
                return await what
        except TimeoutError:
            detail = f"It was given {request.seconds:g} seconds."
            raise failed("time-out", self.name, detail=detail) from None

    def _not_started(self, error: Exception) -> ModelFailed:
        missing = isinstance(error, FileNotFoundError)
        why = "There is no such program here." if missing else "It is no program that can be run here."
        return failed("not-installed", self.name, detail=why, do=_CHECK)

    def _check(self, status: int, said: str, child: Child) -> None:
        """Raise where the program did not end well or had nothing to say."""
        if status:
            kind: FailureKind = "cut" if said.strip() else "server"
            raise failed(kind, self.name, detail=self._told(status, said, child), do=_BY_HAND) from None
        if not said.strip():
            raise failed("nonsense", self.name, detail="It printed nothing.", do=_BY_HAND) from None

    def _told(self, status: int, said: str, child: Child) -> str:
        """How it ended, and the last that it wrote to stderr, or to stdout where that is all it wrote."""
        how = f"It was ended by {_signal(-status)}" if status < 0 else f"It ended with status {status}"
        tail = self._tail(PlainText().take(child.errors, last=True)) or (
            self._tail(said) if status > 0 else ""
        )
        return f"{how}: {tail.rstrip('.')}." if tail else f"{how}."

    def _tail(self, text: str) -> str:
        """The end of the last line; keys are hidden before it is cut, lest a part of one stays."""
        lines = hide(text, self._secrets).split("\n")
        last = next(filter(None, (" ".join(line.split()) for line in reversed(lines))), "")
        return last if len(last) <= _LONGEST_TAIL else "..." + last[-_LONGEST_TAIL:]


def _split(command: str) -> list[str]:
    reader = shlex.shlex(command, posix=True, punctuation_chars=False)
    reader.whitespace_split = True
    reader.commenters = ""
    if os.name == "nt":
        reader.escape = ""  # a backslash is part of a path there
    try:
        words = list(reader)
    except ValueError:
        raise RuleBroken("The command after command: has a quotation mark without its partner.") from None
    if not words or not words[0].strip():
        raise RuleBroken("There is no program after command:, such as command:llm.")
    return words


def _secrets(command: Sequence[str]) -> Iterator[str]:
    """The arguments that are keys by their names: `--api-key K`, `--api-key=K`, `NAME_TOKEN=K`."""
    for before, word in pairwise(command):
        name, equals, value = word.partition("=")
        if equals and _SECRET_NAME.search(name):
            yield value
        if before.startswith("-") and "=" not in before and _SECRET_NAME.search(before):
            yield word


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
