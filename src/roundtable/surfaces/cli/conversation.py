"""The conversation: a session's lines out, the user's messages in, until it is done or interrupted."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import aclosing, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from ...core.errors import DiskFailed
from ...core.lines import Line
from .output import ReaderGone, fit, put, put_json
from .signals import Interrupted, end_at_once, heeded

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
