"""Figures in a text: numbers, dates and times, and which of them stand in no source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from .citations import is_marked
from .marks import trusted_text
from .text import words_of

_UNITS = (
    "percent|per cent|milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?"
    "|euros?|eur|dollars?|usd|pounds?|cents?|people|users?|customers?|times|megabytes?|gigabytes?"
    "|[kmgt]b|km|metres?|meters?"
)
_FIGURE = re.compile(
    rf"""
      (?P<skip>
        https?://\S+
      | (?<![\w./@+-])[\w./@+-]{{1,200}}\.[A-Za-z]\w{{0,7}}:\d+(?:-\d+)?  # a line of a file
      | \b[A-Za-z]{{1,6}}-\d[\d-]*\b          # FR-001, turn-3
      | \b(?:turns?|steps?|phases?|sections?|options?|lines?|entry|entries)\s\d[\d,\s-]*(?:and\s\d+)?
      | \b\d{{2}}-\d{{2}}\b(?!-)               # a step
      | \bv\d[\w.]*                            # a version
      | \b\d{{1,9}}(?:\.\d{{1,9}}){{2,}}\b
      | (?m:^)[ \t]{{0,12}}\d{{1,2}}[.)]\s               # the number of a list's entry
      | \b[A-Za-z_]\w{{0,60}}\d\w*\b                # a name such as utf8
      | \b\d+(?:st|nd|rd|th)\b
      )
    | (?P<date>\b\d{{4}}-\d\d(?:-\d\d)?\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)?\b)
    | (?P<time>\b\d{{1,2}}[:.]\d\d(?=\s?(?:[ap]\.?m\b|o'clock|h\b))|\b\d{{1,2}}:\d\d\b)
      (?P<half>\s?[ap]\.?m\b)?
    | (?P<number>\b\d{{1,12}}(?:[.,'\u2009]\d{{1,12}}){{0,6}})(?P<unit>\s?%|k\b|\s?(?:{_UNITS})\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        words_of("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen")
    )
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
     "eighty": "80", "ninety": "90", "fifteen": "15", "hundred": "100",
     "thousand": "1000", "dozen": "12", "half": "50",
     "million": "1000000", "once": "1", "twice": "2", "couple": "2"}  # fmt: skip
_BOUND = "at least|at most|about|around|roughly|over|under|up to|more than|less than|nearly|exactly|almost"
_SPELLED = re.compile(
    rf"(?:\b(?:{_BOUND})\s(?P<bound>{'|'.join(_NUMBER_WORDS)})\b)"
    rf"|(?:\b(?P<counted>{'|'.join(_NUMBER_WORDS)})\s(?:{_UNITS})\b)",
    re.IGNORECASE,
)
_BOUNDED = re.compile(rf"\b(?:{_BOUND})\s\Z", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'\u2009]\d{3})+")
_SMALL = 3


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure in a text: its value, as it is compared, and where it ends."""

    value: str
    words: str
    end: int
    counts: bool
    """Whether it only counts a few things that stand beside it."""


def find_unknown_figures(text: str, sources: Iterable[str], *, exempt: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the figures of a text that stand in no source and carry no mark, each with where it ends.

    Small counts up to `exempt` are free.
    """
    stands = frozenset[str]().union(*map(_known_values, sources))
    for figure in _figures(text):
        is_counted = figure.value.isdecimal() and int(figure.value) <= exempt
        if not (figure.counts or is_counted or figure.value in stands or is_marked(text, figure.end)):
            yield figure.words, figure.end


def _figures(text: str) -> Iterator[_Figure]:
    for found in _FIGURE.finditer(text):
        if found["skip"]:
            continue
        if found["date"]:
            yield _Figure(_date_value(found["date"]), found["date"], found.end(), counts=False)
        elif found["time"]:
            yield _Figure(
                _time_value(found["time"], found["half"] or ""), found[0], found.end(), counts=False
            )
        else:
            value = _number_value(found["number"], found["unit"] or "")
            bounded = _BOUNDED.search(text[max(0, found.start() - 20) : found.start()])
            is_small = value.isdecimal() and int(value) <= _SMALL
            yield _Figure(value, found[0], found.end(), counts=is_small and not (bounded or found["unit"]))
    for found in _SPELLED.finditer(text):
        word = (found["bound"] or found["counted"]).lower()
        if word not in ("one", "once"):
            yield _Figure(_NUMBER_WORDS[word], found[0], found.end(), counts=False)


@lru_cache(maxsize=256)
def _known_values(text: str) -> frozenset[str]:
    """Return the values that a source gives."""
    trusted = trusted_text(text)
    values = {_NUMBER_WORDS[word] for word in words_of(trusted) if word in _NUMBER_WORDS}
    for found in _FIGURE.finditer(trusted):
        if found["date"]:
            values.add(_date_value(found["date"]))
        elif found["time"]:
            values.add(_time_value(found["time"], found["half"] or ""))
        elif found["number"]:
            values.add(_number_value(found["number"], found["unit"] or ""))
        # An id or a version holds its numbers too: "version 3" of v3, "port 80" of web-80.
        values.update(str(int(part)) for part in re.findall(r"\d{1,12}", found[0]))
    return frozenset(values)


def _number_value(number: str, unit: str) -> str:
    if _THOUSANDS.fullmatch(number):
        number = re.sub(r"\D", "", number)
    number = number.replace(",", ".").replace("'", "")
    whole, _, rest = number.partition(".")
    whole, rest = str(int(whole)), rest.rstrip("0")
    if unit.lower() == "k" and not rest:
        whole += "000"
    return f"{whole}.{rest}" if rest else whole


def _time_value(time: str, half: str) -> str:
    hour, minute = (int(part) for part in re.split("[:.]", time))
    if half.strip().lower().startswith("p") and hour < 12:
        hour += 12
    return f"{hour}:{minute:02}"


def _date_value(date: str) -> str:
    return "-".join(str(int(part)) for part in re.findall(r"\d+", date))
