"""Whether a message is meant to end the discussion (rule EXIT-1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .words import WORD, folded, place_of, words_of

Exit = Literal["exit", "unclear-exit"]

_WRAP_UPS = (("wrap", "up"), ("wrap", "it", "up"), ("wrap", "this", "up"))
_KEYWORDS = (("done",), ("exit",), ("back",), ("wrap-up",), *_WRAP_UPS)
_FILLERS = tuple(
    words_of(phrase)
    for phrase in (
        *(
            "ok",
            "okay",
            "thanks",
            "thank you",
            "please",
            "let's",
            "i'm",
            "we're",
            "i am",
            "we are",
            "i think",
        ),
        *("so", "well", "alright"),
    )
)
_LONGEST_FILLER = max(len(filler) for filler in _FILLERS)
_QUESTION_WORDS = frozenset(words_of("what how why when where who which"))
_CONDITIONS = tuple(
    words_of(phrase)
    for phrase in (
        *("if", "when", "whenever", "once", "until", "till", "after", "before", "unless", "while"),
        *("as soon as", "as long as", "in case", "provided", "assuming"),
    )
)
_NEGATIONS = frozenset(words_of("not never cannot dont cant wont isnt arent"))
# What may stand between a negation and its keyword without weakening it: "not quite done".
_SOFTENERS = frozenset(
    words_of(
        "quite yet really fully entirely completely totally nearly exactly even all sure think ready to go"
    )
    + words_of("going want")
)
_AUXILIARIES = frozenset(
    words_of(
        "are aren't am is can can't could couldn't shall should shouldn't may might must will would do don't"
    )
    + words_of("did have")
)
_CLAUSE_ENDS = frozenset(",.;:!?–—\n")
_LONGEST_UNCLEAR = 4
_LONGEST_QUESTION = 6


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that is no filler, and what stood between it and the one before."""

    text: str
    after_clause: bool
    after_filler: bool


def without_fillers(text: str) -> tuple[str, ...]:
    """The folded words of the text that are neither punctuation nor filler."""
    return tuple(word.text for word in _kept(text))


def hear_exit(text: str) -> Exit | None:
    """Whether the message ends the discussion, may mean to, or is a contribution (None)."""
    kept = _kept(text)
    words = tuple(word.text for word in kept)
    if words in _KEYWORDS or any(words[: len(start)] == start for start in _WRAP_UPS):
        return "exit"
    if not words or words[0].split("'")[0] in _QUESTION_WORDS or len(words) > _LONGEST_QUESTION:
        return None
    places = [place for place in _keyword_places(words) if _is_meant(kept, *place)]
    if not places:
        return None
    at_an_edge = any(start == 0 or end == len(words) for start, end in places)
    if at_an_edge and len(words) <= _LONGEST_UNCLEAR:
        return "unclear-exit"
    return "unclear-exit" if _is_short_question(text, words) else None


def _kept(text: str) -> tuple[_Word, ...]:
    said = folded(text)
    matches = list(WORD.finditer(said))
    words = [match.group() for match in matches]
    kept: list[_Word] = []
    at, end_before, after_filler = 0, 0, False
    while at < len(words):
        skipped = _filler_length(words[at : at + _LONGEST_FILLER])
        if skipped:
            at, after_filler = at + skipped, True
            continue
        between = said[end_before : matches[at].start()]
        kept.append(_Word(words[at], not _CLAUSE_ENDS.isdisjoint(between), after_filler))
        end_before, after_filler = matches[at].end(), False
        at += 1
    return tuple(kept)


def _filler_length(words: Sequence[str]) -> int:
    return next((len(filler) for filler in _FILLERS if tuple(words[: len(filler)]) == filler), 0)


def _keyword_places(words: tuple[str, ...]) -> list[tuple[int, int]]:
    return [
        (start, start + len(keyword))
        for start in range(len(words))
        for keyword in _KEYWORDS
        if words[start : start + len(keyword)] == keyword
    ]


def _is_meant(kept: tuple[_Word, ...], start: int, end: int) -> bool:
    """True where the keyword at this place is neither negated, conditional, nor the way back to something."""
    words = tuple(word.text for word in kept)
    if words[start : end + 1] == ("back", "to"):
        return False
    if any(place_of(condition, words[:start]) is not None for condition in _CONDITIONS):
        return False
    return not _is_negated(kept, start)


def _is_negated(kept: tuple[_Word, ...], start: int) -> bool:
    for at in range(start, 0, -1):
        before = kept[at - 1].text
        if kept[at].after_clause:
            return False
        if before in _NEGATIONS or before.endswith("n't"):
            return True
        if before == "no":
            # "no, I'm done" answers something else; only "no exit" denies the keyword.
            return at == start and not kept[at].after_filler
        if before not in _SOFTENERS:
            return False
    return False


def _is_short_question(text: str, words: tuple[str, ...]) -> bool:
    asks = folded(text).rstrip(" \t\r\n\"')]}!.*_").endswith("?")
    return (
        asks
        and len(words) <= _LONGEST_QUESTION
        and any(first in _AUXILIARIES and second in {"we", "i"} for first, second in pairwise(words))
    )
