"""Needles: pieces of plain text of which one has to stand wherever an expression is met.

Looking for them costs a hundredth of compiling the expression, and most expressions are never met in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_SHORTEST = 3


def needles(expression: str) -> tuple[str, ...]:
    """The pieces, in small letters; none where the expression promises nothing, or is no expression."""
    try:
        # The parser of the standard library; where it is kept elsewhere we only lose some speed.
        from re import _parser as parser  # type: ignore[attr-defined]

        found = _of(parser.parse(expression))
    except (ImportError, re.error, RecursionError, OverflowError):
        return ()
    return tuple(sorted(found)) if found else ()


def _of(parts: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    """Of all that has to stand there one after another, what is longest even at its shortest."""
    offered: list[frozenset[str]] = []
    run = ""
    for operation, value in parts:
        name = str(operation)
        if name == "LITERAL":
            run += chr(value).lower()
            continue
        if run:
            offered.append(frozenset({run}))
            run = ""
        inner = _inside(name, value)
        if inner:
            offered.append(inner)
    if run:
        offered.append(frozenset({run}))
    best = max(offered, key=lambda each: min(map(len, each)), default=None)
    return best if best and min(map(len, best)) >= _SHORTEST else None


def _inside(name: str, value: Any) -> frozenset[str] | None:
    match name:
        case "BRANCH":
            branches = [_of(branch) for branch in value[1]]
            known = [branch for branch in branches if branch]
            return frozenset().union(*known) if len(known) == len(branches) else None
        case "SUBPATTERN":
            return _of(value[3])
        case "MAX_REPEAT" | "MIN_REPEAT" if value[0] >= 1:
            return _of(value[2])
        case _:
            return None
