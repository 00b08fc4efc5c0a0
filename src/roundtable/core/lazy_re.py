"""The standard `re`, but a pattern is compiled when it is first used: 250 of them took a third of a start.

Modules with many patterns write `from . import lazy_re as re`, and the rest of their code stays as it is.
"""

from __future__ import annotations

import re
from re import (
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    Match,
    Pattern,
    error,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, AnyStr, cast

__all__ = (
    "DOTALL", "IGNORECASE", "MULTILINE", "VERBOSE", "Match", "Pattern", "compile", "error", "escape",
    "findall", "finditer", "fullmatch", "match", "search", "split", "sub",
)  # fmt: skip


class LazyPattern:
    """Stands in for a compiled pattern until something is asked of it."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Return what the compiled pattern has under a name, and keep it, so that this is asked once."""
        if name.startswith("__"):  # what copying asks for before there is anything to copy
            raise AttributeError(name)
        if name == "compiled":
            self.compiled = re.compile(self.pattern, self._flags)
            return self.compiled
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:  # noqa: A001
    """Return what can be used as the compiled pattern; an error in it shows when it is first used."""
    return cast("Pattern[AnyStr]", LazyPattern(pattern, flags))
