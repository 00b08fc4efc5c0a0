"""Signals: Ctrl-C, SIGTERM and SIGHUP all end a command in the same orderly way."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupted(KeyboardInterrupt):
    """A signal ended the command; the text says how to go on, where there is something to go on with."""


def heeded() -> tuple[int, ...]:
    """The signals to be heeded; those that were ignored before we began, as under nohup, stay ignored."""
    known = (getattr(signal, name, None) for name in _NAMES)
    return tuple(number for number in known if number and signal.getsignal(number) is not signal.SIG_IGN)


@contextmanager
def interruptible() -> Iterator[None]:
    """Each of the signals raises Interrupted; afterwards they do what they did before."""
    before = {number: signal.getsignal(number) for number in heeded()}
    with suppress(ValueError):  # not in the main thread
        for number in before:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        with suppress(ValueError):
            for number, handler in before.items():
                signal.signal(number, handler)


def ignore() -> None:
    """Once is enough: a second signal does not disturb the end."""
    with suppress(ValueError):
        for number in heeded():
            signal.signal(number, signal.SIG_IGN)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted
