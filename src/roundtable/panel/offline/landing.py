"""Landing: where a step has landed, in a clean sentence made of what was really answered."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.lines import listed
from .anchoring import leans, quotable
from .phrases import content, is_question, quote
from .reading import Reading, Sentence

_MOST = 2
_UNFIT = 9
_SHORTEST, _LONGEST = 5, 30


def landed(reading: Reading, question: str = "", focus: str = "") -> str:
    """What there is, in one sentence that leaves what is asked after it to the question."""
    if not reading.sentences:
        return _nothing_written(reading)
    told = list(_telling(reading, question))
    chosen = ([each for each in told if not focus or each.label != focus] or told)[:_MOST]
    chosen = chosen or [central(reading)]
    note = ""
    if reading.language == "foreign":
        note = " The text is in a language that the offline panel cannot read, so we quote it and stay brief."
    return f"{_joined(chosen)}.{note}{_thin(reading)}"


def central(reading: Reading) -> Sentence:
    """The sentence of the step, or of the item, that comes closest to the title and can stand alone."""
    titled = set(content(reading.item.name))
    whole = [
        each
        for each in reading.sentences
        if _SHORTEST < len(each.text.split()) < _LONGEST and not is_question(each.text)
    ]
    own = [each for each in whole if each.origin == "section"]
    return max(
        own or whole or reading.sentences, key=lambda each: len(titled.intersection(content(each.text)))
    )


def _telling(reading: Reading, question: str) -> Iterator[Sentence]:
    """One sentence for each label, the best that it has; the item's own only where the step has none."""
    labels = dict.fromkeys(each.label for each in reading.sentences if each.origin == "section")
    told = 0
    for label in labels:
        own = quotable(label, reading)
        best = next((each for each in own if _weakness(each, question) < _UNFIT), None)
        if best is not None:
            told += 1
            yield best
    if not told:
        fit = (each for each in reading.sentences if each.origin == "item")
        yield from (each for each in fit if not _weakness(each, question))


def _weakness(sentence: Sentence, question: str) -> int:
    """How little a sentence can stand alone; unfit is what asks or is quoted already."""
    if is_question(sentence.text) or quote(sentence.text) in question:
        return _UNFIT
    return leans(sentence.text) + (len(sentence.text.split()) < _SHORTEST)


def _joined(chosen: list[Sentence]) -> str:
    first, *others = chosen
    parts = [first.said]
    for each in others:
        if each.origin != first.origin:
            parts.append(each.said)
        elif each.label and each.label != first.label:
            parts.append(f'under {each.label} "{quote(each.text)}"')
        else:
            parts.append(f'"{quote(each.text)}"')
    return " and ".join(parts)


def _thin(reading: Reading) -> str:
    """A word on headings that wait for a text, where there are many."""
    if len(reading.empty) < 3:
        return ""
    return f" {len(reading.empty)} sections have a heading and no text yet."


def _nothing_written(reading: Reading) -> str:
    if reading.names:
        shown = listed([f'"{name}"' for name in reading.names[:3]])
        return f"the item is code without a sentence about it; it names {shown}."
    if reading.empty:
        heads = listed([f'"{quote(heading, 50)}"' for heading, _ in reading.empty[:3]])
        return f"{reading.empty[0][1]} has headings ({heads}) and no text below them."
    return f'there is the title "{quote(reading.item.name)}" and no text yet.'
