"""Slots: the values that one sentence gives to the words about it; what is not certain is not given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .lexicon import words
from .phrases import actor, camel, is_plural, noun_phrase
from .quoting import quote
from .reading import Reading, Sentence, attributed
from .template import PLURAL

_LONGEST_NAME = 30
_NEAR = 40
_NUMBER = r"\d+(?:[.,]\d+)*"
_SPELLED = r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty)"
_SPAN = r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|quarters?|years?)"
_MEASURED = re.compile(
    r"(?<![\w.,:#$/-])"
    r"(?:(?:up to|at least|at most|about|around|roughly|nearly|more than|less than|under|over) )?"
    rf"(?:{_NUMBER}(?:\s?%|\s?(?:ms|kB|KB|MB|GB|TB|km|kg|px|°C)\b| (?P<unit>[a-z]{{2,20}})\b)"
    rf"|{_SPELLED} {_SPAN}\b)(?![:/]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d\b")


def known(reading: Reading) -> Iterator[tuple[str, str]]:
    """The values that hang on no sentence."""
    yield "title", reading.step.title
    yield "item", quote(reading.item.name)


def values_of(sentence: Sentence, reading: Reading, at: int = 0) -> dict[str, str]:
    """The values of a sentence; those that stand at the place of the cue where there is one."""
    values = dict(known(reading))
    quoted = quote(sentence.text, around=at)
    if quoted:
        values |= {"quote": quoted, "says": attributed(sentence, quoted)}
    person = actor([sentence.text])
    if person:
        values["actor"] = person
    figure = measured(sentence.text, at)
    if figure and figure in quoted:
        values["figure"] = figure
    return values


def measured(text: str, at: int = 0) -> str:
    """The first figure with its unit, or the one near a cue; empty where there is none."""
    for found in _MEASURED.finditer(text):
        unit = found["unit"]
        if unit and not _counts(unit.lower(), found.group()):
            continue
        if not at or abs(found.start() - at) <= _NEAR:
            return found.group()
    return ""


def _counts(unit: str, figure: str) -> bool:
    """True where a word after a figure is what it counts."""
    number = re.search(_NUMBER, figure)
    if unit in words("bound") or unit in words("no_noun") or unit in words("adverb") or _YEAR.search(figure):
        return False
    return is_plural(unit) or unit in words("people") or (number is not None and number.group() == "1")


def thing_of(rest: str) -> Iterator[tuple[str, str]]:
    """The noun phrase with which a text begins, and its names in code."""
    found = noun_phrase(rest)
    if found is None:
        return
    yield "thing", found
    if is_plural(found):
        yield PLURAL, "yes"
    name = camel(found)
    if name and len(name) <= _LONGEST_NAME:
        yield "cls", name
        yield "fn", name[0].lower() + name[1:]


def single(word: str) -> str:
    """One of what a word names: `reminder` for `Reminders`, while `SMS` stays."""
    small = word if word.isupper() else word.lower()
    return small[:-1] if is_plural(small) else small
