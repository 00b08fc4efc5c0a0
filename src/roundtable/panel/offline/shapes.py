"""Shapes: what kind of message something is by how it is put, whatever it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

SHAPED = ("question", "objection")
"""What a shape may be of; how a fact or a decision is put does not show what follows from it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a message is one of, and the patterns of which one stands in its words."""

    id: str
    to: str
    like: tuple[str, ...]

    def stands_in(self, told: str) -> bool:
        """True where one of the patterns is found."""
        return any(_pattern(each).search(told) for each in self.like)


def shape_of(words: str, to: str, shapes: Iterable[Shape]) -> str | None:
    """The id of the first shape that a question or an objection has."""
    told = " ".join(words.lower().replace("’", "'").split()).rstrip(" ?!.？。")
    return next((each.id for each in shapes if each.to == to and each.stands_in(told)), None)


@lru_cache(maxsize=1_024)
def _pattern(like: str) -> re.Pattern[str]:
    """Made when it is first looked for, since most never are."""
    return re.compile(like)
