"""Shares: what "37 of 412" comes to, said so that one can picture it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(?P<{}>\d{{1,3}}(?:,\d{{3}})+|\d{{1,7}})(?!\d|[.:]\d)"
_OF = re.compile(
    r"(?<!page )(?<!step )(?<!part )(?<!version )(?<!chapter )(?<!volume )(?<![\w.,:/-])"
    + _NUMBER.format("part")
    + r"(?: [a-z-]+s)? (?:out of|of|among)(?: the| our| these| all| about| around| roughly)* "
    + _NUMBER.format("whole") + r"(?!\s*(?:%|percent|am|pm|st|nd|rd|th)\b)(?! ?%)",
    re.IGNORECASE,
)  # fmt: skip
_LAST = re.compile(
    r"\b(?:of|in) (?:my|our|the|these|those)(?: last| past)? " + _NUMBER.format("whole")
    + r" [a-z-]+s,?(?: (?:i|we|there))?(?: (?:had|were|saw|counted))? " + _NUMBER.format("part") + r"(?! ?%)",
    re.IGNORECASE,
)  # fmt: skip
_IN_WORDS = (
    "",
    "",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_FEW, _MOST = 0.05, 0.5
_SMALLEST_WHOLE = 5


@dataclass(frozen=True, slots=True)
class Share:
    """How large a share is: `few`, `some` or `most`, and its words."""

    size: str
    words: str


def share(text: str) -> Share | None:
    """The first share that a text states; None where it states none."""
    for found in (*_OF.finditer(text), *_LAST.finditer(text)):
        part, whole = (int(found[name].replace(",", "")) for name in ("part", "whole"))
        if 0 < part < whole and whole >= _SMALLEST_WHOLE:
            ratio = part / whole
            size = "few" if ratio < _FEW else "most" if ratio >= _MOST else "some"
            return Share(size, _words(ratio))
    return None


def _words(ratio: float) -> str:
    """A ratio as people say it: one in eleven, two thirds, 78 %."""
    if ratio >= _MOST:
        return f"{round(100 * ratio)} %"
    one_in = round(1 / ratio)
    return f"about one in {_IN_WORDS[one_in] if one_in < len(_IN_WORDS) else one_in}"
