"""The standard `re`, but a pattern is compiled when it is first used: 250 of them took a third of a start.

Modules with many patterns write `from . import lazy_re as re`, and the rest of their code stays as it is.
"""

from __future__ import annotations

import re
from functools import cached_property
from re import *  # noqa: F403
from typing import Any


class LazyPattern:
    """Stands in for a compiled pattern until something is asked of it."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        """Return what the compiled pattern has under a name, and keep it, so that this is asked once."""
        if name.startswith("__"):  # what copying asks for before there is anything to copy
            raise AttributeError(name)
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value


def compile(pattern: str | bytes, flags: int = 0) -> Any:  # type: ignore[no-redef]  # noqa: A001
    """Return what can be used as the compiled pattern; an error in it shows when it is first used."""
    return LazyPattern(pattern, flags)
