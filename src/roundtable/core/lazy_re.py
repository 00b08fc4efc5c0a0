"""The standard `re`, but patterns are compiled on first use: compiling 250 took a third of the start.

Modules with many patterns write `from . import lazy_re as re`, and the rest of their code stays as it is.
"""

import re
from re import *  # noqa: F403
from typing import Any, cast


class LazyPattern:
    """Stands in for a compiled pattern until one of its attributes is used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying asks for these before there is a pattern
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)  # cached by `re` for the next name
        setattr(self, name, value)
        return value


def compile(pattern: str, flags: int = 0) -> re.Pattern[str]:  # type: ignore[no-redef]  # noqa: A001
    """Return a stand-in for the compiled pattern; a faulty pattern raises when it is first used."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
