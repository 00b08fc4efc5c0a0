"""How much two texts say the same, by their words."""

from __future__ import annotations

from collections.abc import Iterator

from ..artifacts.sections import words_of

_CJK = "\u2e80"


def tokens(text: str) -> frozenset[str]:
    """The stems of a text's words; scripts without spaces are taken in pairs of characters."""
    return frozenset(token for word in words_of(text) for token in _tokens(word))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """From 0, nothing in common, to 1, the same words."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of the one is in the other, from 0 to 1."""
    return len(one & other) / len(one) if one else 0.0


def _tokens(word: str) -> Iterator[str]:
    if max(word) < _CJK or len(word) < 2:
        yield word
    else:
        yield from (word[at : at + 2] for at in range(len(word) - 1))
