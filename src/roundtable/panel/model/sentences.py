"""Sentences of a draft: each rests on answers that were given; one that does not is an open question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...core.commands import Answer
from ...core.events import SectionText
from ...core.markup import harmless
from ...core.steps import Target
from .shapes import DraftShape, SentenceShape

MOST = 4
"""How many sentences a section takes."""


def pages(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The sections that take sentences: those of pages, not of data."""
    return tuple(target for target in targets if target.output.lower().endswith(".md"))


def with_sentences(
    written: Sequence[SectionText], shape: DraftShape, answers: Sequence[Answer]
) -> tuple[SectionText, ...]:
    """The sections as they were written from the answers, and below them what the sentences add."""
    known = {_folded(answer.label) for answer in answers if not answer.unknown}
    numbers = {target: number for number, target in enumerate(pages([each.target for each in written]), 1)}
    return tuple(_added(each, shape, numbers.get(each.target), known) for each in written)


def _added(section: SectionText, shape: DraftShape, number: int | None, known: set[str]) -> SectionText:
    if number is None:
        return section
    own = [each for each in shape.sentences if each.section == number and each.text.strip()][: 2 * MOST]
    resting = [each for each in own if _cited(each, known)][:MOST]
    told = " ".join(_sentence(each, known) for each in resting)
    asked = "\n".join(f"- Open question: {harmless(each.text)}" for each in own if not _cited(each, known))
    text = "\n\n".join(part for part in (section.text, harmless(told) if told else "", asked) if part)
    return replace(section, text=text)


def _sentence(sentence: SentenceShape, known: set[str]) -> str:
    text = " ".join(sentence.text.split())
    labels = ", ".join(_cited(sentence, known))
    return f"{text.rstrip('.')} (from: {labels})."


def _cited(sentence: SentenceShape, known: set[str]) -> tuple[str, ...]:
    """The labels that a sentence cites and that were answered."""
    labels = (" ".join(label.split()) for label in sentence.answers)
    return tuple(dict.fromkeys(label for label in labels if _folded(label) in known))


def _folded(label: str) -> str:
    return " ".join(label.casefold().split())
