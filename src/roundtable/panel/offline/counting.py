"""Counting: the figures that answer "how many", multiplied where the text gives two that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .claims import NAMED
from .phrases import content, quote
from .reading import Reading, Sentence

_PER = r"(?:a|an|per|each|every) (?:second|minute|hour|day|night|week|month|year|shift|season|person)"
_EACH = re.compile(
    rf"\b(?P<one>\d{{1,6}}) (?:[a-z-]+ )?[a-z]+s\b[^.\d]{{0,40}}?(?P<most>\b(?:up to|at most|no more than) )?"
    rf"\b(?P<other>\d{{1,6}}) (?P<what>(?:[a-z-]+ )?[a-z]+s) (?P<per>{_PER})\b",
    re.IGNORECASE,
)


def products(
    reading: Reading, question: str, told: tuple[Sentence, ...] = ()
) -> Iterator[tuple[Sentence, str]]:
    """The sentences of which two figures, multiplied, answer a question, each with the result."""
    asked = set(content(question))
    for sentence in (*told, *reading.sentences):
        figure = product(sentence.text, asked)
        if figure:
            yield sentence, figure


def product(sentence: str, asked: set[str]) -> str | None:
    """What "60 inspectors fill in up to 8 forms a day" comes to, where it is asked for the forms."""
    found = _EACH.search(sentence)
    if found is None or asked.isdisjoint(content(found["what"])):
        return None
    one, other = int(found["one"]), int(found["other"])
    if one < 2 or NAMED.search(sentence[: found.start()]):
        return None
    most = " at most" if found["most"] else ""
    return f"{one * other} {found['what']} {found['per']}{most} ({one} times {other})"


def figure_line(sentence: Sentence, figure: str) -> str:
    """The sentence as it is quoted next to its figure."""
    number = re.search(r"\d[\d.,]*", figure)
    at = sentence.text.find(number.group()) if number else -1
    return quote(sentence.text, around=max(at, 0))
