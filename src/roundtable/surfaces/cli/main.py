"""The entry point. Ctrl-C, SIGTERM and SIGHUP end a command cleanly; a second one ends it at once."""

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130


class Interrupted(KeyboardInterrupt):
    """A signal ended the command; the text, if there is one, says how to go on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    with interruptible():
        try:
            from .program import run

            return run(given)
        except KeyboardInterrupt as interrupt:
            end_at_once()
            from .output import tell

            tell(str(interrupt) or "Interrupted.")
            return INTERRUPTED


def signals_to_handle() -> tuple[int, ...]:
    """Return the signals that interrupt; those ignored before we began, as under nohup, stay ignored."""
    known = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP"))
    return tuple(number for number in known if number and signal.getsignal(number) is not signal.SIG_IGN)


@contextmanager
def interruptible(on_signal: Callable[[], object] | None = None) -> Iterator[None]:
    """Let the first signal call `on_signal` or raise Interrupted, and a second one end the process."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        end_at_once()
        if on_signal is None:
            raise Interrupted
        on_signal()

    before = {number: signal.getsignal(number) for number in signals_to_handle()}
    with suppress(ValueError):  # not in the main thread
        for number in before:
            signal.signal(number, handle)
    try:
        yield
    finally:
        with suppress(ValueError):
            for number, handler in before.items():
                signal.signal(number, handler)


def end_at_once() -> None:
    """Let the next signal end the process immediately; what is saved stays saved."""
    with suppress(ValueError):
        for number in signals_to_handle():
            signal.signal(number, signal.SIG_DFL)
