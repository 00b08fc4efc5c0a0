"""The entry point. It imports the program late, so that Ctrl-C is heeded from the first moment."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .signals import end_at_once, interruptible

INTERRUPTED = 130


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
