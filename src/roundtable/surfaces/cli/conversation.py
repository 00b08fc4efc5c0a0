"""The conversation: a session's lines out, the user's messages in, until it is done or interrupted."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Protocol

from ...core.errors import DiskFailed
from ...core.lines import Line
from .output import ReaderGone, fit, put, put_json
from .signals import Interrupted, heeded, ignore

if TYPE_CHECKING:
    from ...session import Session
    from .answers import Answers

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
    before = {number: signal.getsignal(number) for number in heeded()}
    try:
        asyncio.run(_heeding_signals(conversation))
    except (asyncio.CancelledError, KeyboardInterrupt):
        ignore()
        leave()
        raise Interrupted(f"Interrupted. Everything is saved. Go on with: {again}") from None
    finally:
        with suppress(ValueError):  # not in the main thread
            for number in heeded():  # the loop has set them to their defaults
                signal.signal(number, before[number])
    return 0


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
    for number in heeded():
        with suppress(NotImplementedError, ValueError, RuntimeError):  # Windows, or not the main thread
            loop.add_signal_handler(number, task.cancel)
    await conversation
