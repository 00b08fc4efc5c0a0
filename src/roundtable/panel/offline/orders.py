"""Orders: sentences that begin with a verb and say what is to be done, told from nouns by what follows."""

from __future__ import annotations

import re

from ...core.words import words_of
from .lexicon import sign, words

_BEFORE = re.compile(r"^(?:(?:please|just|simply|also|now|at least|and)\s+)+", re.IGNORECASE)
_ALWAYS = re.compile(
    r"^(?:never|always|don't|do not|only|rather|better|not)\s+(?:ever\s+|just\s+)?", re.IGNORECASE
)
_AT = frozenset(
    words_of(
        "after before at until when for every only from with by whenever as down up to in into on "
        "off out over back "
        "under per once without away through if where instead against"
    )
)
# A clause with a verb of its own may follow these without making the first word a noun.
_OPENS = re.compile(
    r"\b(?:if|when|whenever|until|once|that|who|which|what|whatever|because|after|before|while|as"
    r"|unless|so|where|than"
    r"|how|whose|and|or|but|then)\b|[,;:(]",
    re.IGNORECASE,
)
_FINITE = frozenset(
    words_of(
        "is are was were has have had will would can could should does did do may might must isn't "
        "aren't wasn't don't "
        "doesn't won't can't cannot that's it's came went took got made said gave knew lost broke fell"
    )
)
_JOINS = ("of", "or", "and", "plus")
_SHORTEST = 4


def orders(told: str) -> bool:
    """True where words without address and fillers order something done to the item."""
    plain = _BEFORE.sub("", told)
    if sign("to_panel").match(plain):
        return False
    always = _ALWAYS.match(plain)
    rest = plain[always.end() :] if always else plain
    low = words_of(rest[:200])
    if not low or sign("to_panel").match(rest) or low[0] in words("talk"):
        return False
    if always and plain[:4].lower() == "only":
        return False
    if always:
        return _is_verb(low[0]) and (len(low) > 1 or plain[0].lower() == "d")
    return _begins(low, rest)


def _begins(low: tuple[str, ...], rest: str) -> bool:
    verb, following = low[0], low[1] if len(low) > 1 else ""
    if not _is_verb(verb) or following in _FINITE:
        return False
    if verb == "have":
        return following in words("determiner") or following in ("it", "them")
    if verb not in words("act_noun"):
        return bool(following) and following not in _JOINS
    if following in words("determiner") or (following in words("ordered") and not following.isdigit()):
        return True
    return following not in ("", *_JOINS) and not _has_verb(rest)


def _has_verb(rest: str) -> bool:
    """True where the first clause holds a finite verb behind its first word, so that this is its subject."""
    opened = _OPENS.search(rest)
    low = words_of(rest[: opened.start()] if opened else rest)
    if opened and opened.group().lower() in ("and", "or", ","):
        low = words_of(rest)
    for before, word, after in zip(low, low[1:], (*low[2:], ""), strict=False):
        # "Show days marked as full" against "Place names changed": only a mere noun is a subject there.
        if word.endswith("ed") and low[0] not in words("act") and before not in words("determiner"):
            return True
        if word in _FINITE or (_third(word) and before not in _AT and before not in words("determiner")):
            return True
        plural = before.endswith("s") and before not in _AT and word not in _AT
        if plural and (_is_verb(word) or word in words("verb") or after in words("determiner")):
            return True
    return False


def _third(word: str) -> bool:
    """True for "arrives": a verb with its ending that cannot be a noun in the plural."""
    if not word.endswith("s") or len(word) < _SHORTEST:
        return False
    known = (words("act") | words("verb") | words("unwilled")) - words("act_noun")
    return word[:-1] in known or word[:-2] in known or word[:-3] + "y" in known


def _is_verb(word: str) -> bool:
    return word in words("act") or word in words("act_noun") or word == "have"
