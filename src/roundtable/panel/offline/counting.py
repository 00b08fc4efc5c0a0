"""Counting: the figures that answer "how many", multiplied where the text gives two that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .claims import NAMED, amounts
from .phrases import content, quote
from .reading import Reading, Sentence

_PER = r"(?:a|an|per|each|every) (?:second|minute|hour|day|night|week|month|year|shift|season|person)"
_EACH = re.compile(
    rf"\b(?P<one>\d{{1,6}}) (?:[a-z-]+ )?[a-z]+s\b[^.\d]{{0,40}}?(?P<most>\b(?:up to|at most|no more than) )?"
    rf"\b(?P<other>\d{{1,6}}) (?P<what>(?:[a-z-]+ )?[a-z]+s) (?P<per>{_PER})\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\bhow (?:long|soon|often|fast|late)\b|\bwhen\b|\bdeadline\b", re.IGNORECASE)
_DURATION = re.compile(
    r"\b(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|ms|times|every|twice)\b",
    re.IGNORECASE,
)
_STANDS_FOR_ITSELF = 2


def counted(
    reading: Reading, question: str, told: tuple[Sentence, ...] = ()
) -> Iterator[tuple[Sentence, str]]:
    """The sentences whose figures answer a question, each with the figure, the closest first."""
    asked = set(content(question))
    time = bool(_TIME.search(question))
    numbers = set(re.findall(r"\d+", question))
    found = []
    for place, sentence in enumerate((*told, *reading.sentences)):
        shared = asked & set(content(sentence.text))
        if not shared:
            continue
        figure = product(sentence.text, asked) or next(
            (
                each
                for each in amounts(sentence.text)
                if bool(_DURATION.search(each)) == time and _answers(each, asked, shared, time)
            ),
            None,
        )
        if figure:
            same = len(numbers.intersection(re.findall(r"\d+", sentence.text)))
            found.append((-len(shared) - 2 * same, place, sentence, figure))
    for _, _, sentence, figure in sorted(found, key=lambda each: each[:2])[:3]:
        yield sentence, figure


def _answers(figure: str, asked: set[str], shared: set[str], time: bool) -> bool:
    """True where the figure counts what is asked for, or enough else of the sentence is asked about."""
    return not asked.isdisjoint(content(figure)) or len(shared) >= _STANDS_FOR_ITSELF + (not time)


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
