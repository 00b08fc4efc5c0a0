"""A project's own patterns: how many ways there are to match one, so that none can keep the program busy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST_WAYS = 50_000
# A repeat without an end counts as this many, which is about the length of the text that is searched.
_ENDLESS = 4_000
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_BLANKS = ((codes.LITERAL, ord(" ")), (codes.IN, [(codes.CATEGORY, codes.CATEGORY_SPACE)]))


def is_bounded(pattern: str) -> bool:
    """Whether the pattern, which must compile, takes a short time on any text; ours are tested one by one."""
    return _is_ours(pattern) or _ways(list(parser.parse(pattern))) <= MOST_WAYS


def _ways(nodes: Sequence[Any]) -> int:
    """Return in how many ways the nodes can be tried at one place; past the limit it is not counted on."""
    ways = 1
    for code, value in nodes:
        if code in _REPEATS:
            ways *= _ways_to_repeat(*value)
        elif code is codes.SUBPATTERN:
            ways *= _ways(list(value[-1]))
        elif code is codes.ATOMIC_GROUP:
            ways *= _ways(list(value))
        elif code is codes.BRANCH:
            ways *= sum(_ways(list(branch)) for branch in value[1])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            ways *= _ways(list(value[1]))
        elif code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            ways *= _ENDLESS
        if ways > MOST_WAYS:
            return MOST_WAYS + 1
    return ways


def _ways_to_repeat(least: int, most: int, body: Any) -> int:
    nodes = list(body)
    if len(nodes) == 1 and nodes[0] in _BLANKS:  # no more than two stand side by side
        return 1
    inner = _ways(nodes)
    if inner == 1:
        return min(int(most), _ENDLESS) - min(least, _ENDLESS) + 1
    ways = 1
    for _ in range(min(int(most), _ENDLESS)):
        ways = 1 + inner * ways
        if ways > MOST_WAYS:
            break
    return ways


def _is_ours(pattern: str) -> bool:
    return f"pattern: {pattern}\n" in _our_personas()


@lru_cache(maxsize=1)
def _our_personas() -> str:
    folder = files("roundtable.content").joinpath("personas")
    return "".join(file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".md"))
