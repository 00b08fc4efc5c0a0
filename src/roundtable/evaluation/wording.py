"""Wording: sentences, quotations and the words that carry a meaning, as they are compared here.

It is not the panel's own reading of a text: who measures with the ruler of the measured finds no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..core.words import words_of

SHORTEST_QUOTATION = 3
"""How many words make a quotation that shows something was read."""

_QUOTATION = re.compile(r'"([^"\n]+)"|“([^”\n]+)”')
_CODE = re.compile(r"`[^`\n]+`")
_END = re.compile(r"(?<=[.!?])[)\"”]*\s+(?=[^a-z])|\n+")
_INNER_END = re.compile(r"[.!?]+(?=\s|$)")
_GAP = re.compile(r"\.\.\.|…")
# Words that say nothing of what a text is about.
_EMPTY = frozenset(
    words_of(
        """
        a about above across after again against all almost along already also always am among an
        and another any anybody anyone anything are aren't around as at away back be became because
        become been before behind being below besides between both but by came can can't cannot case
        cases come comes could did didn't do does doesn't doing don't done down during each either
        else enough even ever every everybody everyone everything few first for from further get
        gets getting give given gives go goes going gone got had hadn't happen happened happening
        happens has hasn't have haven't having he he's her here hers him his how however i i'd i'll
        i'm i've if in indeed instead into is isn't it it's its itself just keep keeps kept know
        known last later least less let let's like likely look looks made make makes making many
        matter matters may maybe me mean means might mine more most much must my need needed needs
        neither never next no nobody none nor not nothing now of off often ok okay on once one only
        onto or other others otherwise our ours out over own part people per perhaps please point
        points put puts question questions quite rather really right said same say says see seem
        seems seen set shall she should shouldn't since so some somebody someone something sometimes
        start starts still stop stops such sure take taken takes tell than thank thanks that that's
        the their theirs them themselves then there there's these they they're thing things think
        this those though through thus to together told too toward towards two under unless until up
        upon us use used uses using very via want wanted wants was wasn't way we we'd we'll we're
        we've well went were weren't what what's when where whether which while who whoever whole
        whom whose why will with within without won't work working works would wouldn't yes yet you
        you'd you'll you're you've your yours
        """
    )
)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its commonest endings, so that its forms meet."""
    for ending, rest in (
        ("ies", "y"),
        ("ied", "y"),
        ("ings", ""),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + rest
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@lru_cache(maxsize=20_000)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry a meaning."""
    plain = (word.removesuffix("'s") for word in words_of(text))
    return frozenset(stem(word) for word in plain if carries(word))


def carries(word: str) -> bool:
    """True for a folded word that carries a meaning."""
    return word not in _EMPTY and (len(word) > 2 or not word.isascii() or word.isdigit())


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text; a full stop inside a quotation or code ends none."""
    for kept in (_QUOTATION, _CODE):
        text = kept.sub(lambda found: _INNER_END.sub("", found.group()), text)
    return tuple(piece.strip() for piece in _END.split(text) if words_of(piece))


def quotations(text: str) -> tuple[str, ...]:
    """What stands between double quotation marks."""
    return tuple(found[1] or found[2] for found in _QUOTATION.finditer(text))


def without_quotations(text: str) -> str:
    """The text without its quotations and without code."""
    return _CODE.sub(" ", _QUOTATION.sub(" ", text))


@lru_cache(maxsize=4_000)
def running(text: str) -> str:
    """The folded words of a text one after another, so that a run of words can be looked up in it."""
    return f" {' '.join(words_of(text))} "


def is_long(quotation: str) -> bool:
    """True for a quotation long enough to show that something was read."""
    return len(words_of(quotation)) >= SHORTEST_QUOTATION


def is_verbatim(quotation: str, sources: Iterable[str]) -> bool:
    """True where each unbroken part of a quotation stands in one of the sources, word for word."""
    parts = [running(part) for part in _GAP.split(quotation) if words_of(part)]
    held = [running(source) for source in sources]
    return bool(parts) and all(any(part in source for source in held) for part in parts)
