"""Traces: the words of a message as cues look for them, whatever their endings and whatever stands between.

A cue is one to five words; `lose * data` allows up to three others between one or two words on either side,
`^who` stands at the beginning of a sentence, and `#` is any number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .lexicon import words
from .phrases import message_sentences, stem, without_address

MOST_WORDS = 5
"""How many words in a row a cue may have."""

MOST_BESIDE = 2
"""How many words may stand on each side of a `*`."""

_WIDEST_GAP = 4
_FIRST_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*|%")
_POSSESSIVE = re.compile(r"(?<=\w)['’](?:s|re|ve|d|ll|m)\b")
_NUMBER = "#"
_SHORT = 4


def stems(text: str) -> tuple[str, ...]:
    """All words of a text by their stems, numbers as a sign."""
    plain = _POSSESSIVE.sub("", text.lower())
    found = _WORD.findall(plain.replace("'", "").replace("’", ""))
    return tuple(_sign(each) for each in found)


def _sign(word: str) -> str:
    """A word as it is compared; of numbers only nothing and something are told apart."""
    if word[0].isdigit():
        return _stem("zero") if word == "0" else _NUMBER
    return "percent" if word == "%" else _stem(word)


@lru_cache(maxsize=8_192)
def _stem(word: str) -> str:
    """A word by its stem: "ran" and "runs" are met by "run"."""
    plain = _irregular().get(word, word)
    if len(plain) == _SHORT and plain.endswith("s") and plain[-2] not in "siu":
        return plain[:-1]
    return stem(plain)


@lru_cache(maxsize=1)
def _irregular() -> Mapping[str, str]:
    """Forms of verbs that no ending shows, by what they are forms of."""
    listed = (entry.partition("=") for entry in words("irregular"))
    return {form: verb for verb, _, forms in listed for form in forms.split("/")}


@lru_cache(maxsize=64)
def traces(message: str, names: tuple[str, ...] = ()) -> frozenset[str]:
    """Everything that a cue may be met by in a message."""
    found: set[str] = set()
    for sentence in message_sentences(message):
        told = stems(without_address(sentence, names))
        for at in range(len(told)):
            for size in range(1, MOST_WORDS + 1):
                run = " ".join(told[at : at + size])
                found.add(run)
                if at < _FIRST_WORDS:
                    found.add(f"^{run}")
            found.update(_with_gap(told, at))
    return frozenset(found)


def _with_gap(told: tuple[str, ...], at: int) -> Iterator[str]:
    """One or two words at a place with one or two that follow after a few others."""
    for size in range(1, MOST_BESIDE + 1):
        first = " ".join(told[at : at + size])
        for start in range(at + size, min(at + size + _WIDEST_GAP, len(told))):
            for length in range(1, MOST_BESIDE + 1):
                yield f"{first} * {' '.join(told[start : start + length])}"


def cue(listed: str) -> str:
    """One cue as it is compared with traces."""
    mark = "^" if listed.startswith("^") else ""
    pieces = (piece.split() for piece in listed.removeprefix("^").split("*"))
    told = (
        " ".join(each if each == _NUMBER else " ".join(stems(each)) for each in piece) for piece in pieces
    )
    return mark + " * ".join(told)


def can_be_met(each: str) -> bool:
    """True where a cue, as it is compared, may stand among the traces of a message."""
    sides = [side.split() for side in each.removeprefix("^").split(" * ")]
    match sides:
        case [words]:
            return 1 <= len(words) <= MOST_WORDS
        case [one, other]:
            return not each.startswith("^") and all(1 <= len(side) <= MOST_BESIDE for side in (one, other))
        case _:
            return False
