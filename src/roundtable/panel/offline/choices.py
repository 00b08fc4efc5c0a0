"""Choices: the two sides of "X or Y?", only where it is certain where each of them begins and ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_WORDS = 9
_START = (
    r"(?:the|a|an|one|two|three|five|ten|\d[\w.,%]*|every|each|all|per|by|on|in|at|for|from|before"
    r"|after|with|without|until|our|their|its|his|her)"
)
_PLACE = r"(?:on|in|at|by|for|from|per|after|before|with|without|until)"
_STOP = re.compile(
    r"[,;:(]|\s(?:until|when|if|while|because|so that|since|unless|that|who|which)\s.*$", re.IGNORECASE
)
_LISTED = re.compile(rf"[,:]\s*(?P<one>{_START}\b[^,:?]*?)\s+or\s+(?P<other>[^,:?]+)$", re.IGNORECASE)
_ORDER = re.compile(r"\bbefore or after\s+(?P<what>[^,?]+)$", re.IGNORECASE)
_IT_IS = re.compile(
    rf"^(?:is|are|was|would|will|should) (?:it|this|that"
    rf"|they)(?: be)? (?P<one>{_START}\b[^,?]*?)\s+or\s+(?P<other>{_START}\b[^,?]+)$",
    re.IGNORECASE,
)
_PLACES = re.compile(
    rf"\b(?P<one>{_PLACE} (?:[\w'-]+ ){{0,3}}[\w'-]+)\s+or\s+(?P<other>{_PLACE} [^,?]+)$", re.IGNORECASE
)
_THINGS = re.compile(
    r"\b(?P<one>(?:the|a|an|our|their) (?:[\w'-]+ ){0,2}[\w'-]+)\s+or\s+(?P<other>(?:the|a|an|our"
    r"|their) [^,?]+)$",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_TAKES_AWAY = re.compile(
    r"\b(?:delet|remov|replac|overwrit|drop|discard|clear|eras|switch)\w*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Both sides in the user's own words; empty where they are not certain."""

    one: str = ""
    other: str = ""
    keeps: bool = False
    """True where one side takes something away before its successor is there."""


def choice(question: str) -> Choice | None:
    """The choice that a question puts; None where it puts none."""
    plain = question.strip(" ?!.").replace("’", "'")
    if len(_OR.findall(plain)) != 1 or re.search(r"\bor (?:so|not|more|less|something|anything)\b", plain):
        return None
    order = _ORDER.search(plain)
    if order:
        what = order["what"].strip()
        return Choice("before", f"after {what}", bool(_TAKES_AWAY.search(plain)))
    for pattern in (_LISTED, _IT_IS, _PLACES, _THINGS):
        found = pattern.search(plain)
        if found:
            one, other = found["one"].strip(), _STOP.sub("", found["other"]).strip()
            if one and other and max(len(one.split()), len(other.split())) <= _MOST_WORDS:
                return Choice(one, other)
    return Choice()
