"""The standard `re`, but a pattern is compiled when it is first used: 250 of them took a third of a start.

Modules with many patterns write `from . import lazy_re as re`, and the rest of their code stays as it is.
"""

from __future__ import annotations

import re
from re import *  # noqa: F403
from typing import Any, cast


class LazyPattern:
    """Stands in for a compiled pattern until something is asked of it."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying asks for before there is anything to copy
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)  # which `re` keeps for the next name
        value = compiled if name == "compiled" else getattr(compiled, name)
        setattr(self, name, value)
        return value


def compile(pattern: str, flags: int = 0) -> re.Pattern[str]:  # type: ignore[no-redef]  # noqa: A001
    """Return what can be used as the compiled pattern; an error in it shows when it is first used."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
