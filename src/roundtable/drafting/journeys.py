"""Journeys: what a person does, step by step."""

from __future__ import annotations

from ..core.commands import Answer
from .entries import steps_in
from .page import labelled, numbered, open_questions, paragraph, said, section
from .sheet import Sheet


def journeys(sheet: Sheet) -> str:
    """The journey as numbered steps where it is a sequence; the other answers under their labels."""
    parts = [_journey(each) if each.label == "Journey" else labelled([each]) for each in sheet.answers]
    return section(*parts, open_questions(sheet.answers))


def _journey(answer: Answer) -> tuple[str, ...]:
    steps = () if answer.unknown or "```" in answer.text else steps_in(answer.text)
    if not steps:
        return labelled([answer])
    return (f"{paragraph(answer.label, '').rstrip()}\n\n{numbered(map(said, steps))}",)
