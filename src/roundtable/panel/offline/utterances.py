"""Utterances: the user's message cut into what is said and what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.words import words_of
from .phrases import message_sentences, without_address
from .questions import AUXILIARY

_AFTER_A_QUESTION = re.compile(r"(?<=[?？])[\"')]*\s+")
_NO = re.compile(r"\bno\s+$", re.IGNORECASE)
_WH = frozenset({"what", "how", "why", "where", "who", "which", "whose", "whom"})
# With these in front a sentence asks, unless its subject is missing: "could be worse".
_ASKS = frozenset({"is", "are", "was", "were", "does", "did", "can", "could", "should", "would"})
_NO_SUBJECT = frozenset({"be", "do", "have", "not", "also", "still", "work", "help", "love", "like", ""})
_DO_THEY = frozenset({"we", "i", "you", "they", "people", "these", "those"})
_HOW = frozenset({"many", "much", "long", "often", "big", "soon", "late", "far", "about", "come", "do"})


def utterances(message: str) -> tuple[str, ...]:
    """The sentences of a message; what follows a question mark is another one, however it begins."""
    pieces = (piece for sentence in message_sentences(message) for piece in _AFTER_A_QUESTION.split(sentence))
    return tuple(piece for piece in pieces if piece.strip())


def asks(sentence: str) -> bool:
    """True where a sentence asks: by its mark, or by a question word with a verb after it."""
    if sentence.rstrip("\"')* ").endswith(("?", "？")):
        return True
    first, second, *_ = (*words_of(sentence)[:2], "", "")
    if first in _ASKS and second not in _NO_SUBJECT and not sentence.rstrip().endswith((".", "!")):
        return True
    if first == "do" and second in _DO_THEY and not sentence.rstrip().endswith((".", "!")):
        return True
    if first == "when":
        return second in AUXILIARY
    if first in _WH and second not in ("a", "an", "matters", "counts", "i", "we", "you", "they"):
        return True
    return first == "how" and second in _HOW


def plainly(sentence: str, names: Iterable[str]) -> str:
    """A sentence without address and fillers; a "no" that belongs to what follows stays."""
    plain = without_address(sentence, names)
    before = sentence.strip()[: len(sentence.strip()) - len(plain)]
    return f"no {plain}" if _NO.search(before) else plain
