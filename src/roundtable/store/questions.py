"""The open questions of one item: listed with who can resolve them, and answered in its documents (ART-9)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..core.errors import RuleBroken
from ..core.personas import Roster
from ..core.steps import Step
from ..documents.additions import insert_addition
from ..documents.checks import check_stories
from ..documents.questions import OpenQuestion, add_answer, find_asked_questions, list_questions, quote_answer
from .artifact import change_artifact, is_markdown, one_line
from .files import timestamp
from .outputs import Outputs


def read_questions(folder: Path, steps: tuple[Step, ...], roster: Roster) -> tuple[OpenQuestion, ...]:
    """Return every question that the documents leave or left open, in the order of the steps."""
    documents = {each.name: each.text for each in Outputs(folder, steps).documents()}
    asked = {name: _find_asked(name, text) for name, text in documents.items()}
    found = list_questions(documents, asked)
    return tuple(each if each.resolver else _name_asker(each, steps, roster) for each in found)


def write_answer(folder: Path, steps: tuple[Step, ...], question: OpenQuestion, answer: str) -> str:
    """Add an answer where its question stands, with today's date, and return the file.

    A question in a data file is answered in a document of the same phase. The lock is the caller's business.
    """
    if not one_line(answer):
        raise RuleBroken("The answer is empty. Nothing was changed.")
    date = timestamp()[:10]
    owner = next((step for step in steps if question.file in step.outputs), None)
    file = question.file if is_markdown(question.file) else _find_neighbour(folder, steps, owner)

    def change(found: bytes | None) -> tuple[bytes, None]:
        if found is None:
            raise RuleBroken(f"{one_line(file)} is gone. Nothing was changed.")
        if file == question.file:
            return add_answer(found, question.line, question.words, answer, date), None
        words = quote_answer(question.words, answer, date)
        return insert_addition(found, words, topic=owner.title if owner else "").document, None

    change_artifact(folder, file, change)
    return file


def _find_asked(name: str, text: str) -> list[tuple[int, str]]:
    if is_markdown(name):
        return list(find_asked_questions(text))
    if not name.lower().endswith(".json"):
        return []
    return [(each.line, each.text) for each in check_stories(text) if each.kind == "open"]


def _find_neighbour(folder: Path, steps: tuple[Step, ...], owner: Step | None) -> str:
    """Return the first document of the phase that is there."""
    phase = [step for step in steps if owner is not None and step.phase == owner.phase]
    names = [
        name for step in phase for name in step.outputs if is_markdown(name) and (folder / name).is_file()
    ]
    if not names:
        raise RuleBroken("There is no document of this phase to put the answer into. Nothing was changed.")
    return names[0]


def _name_asker(question: OpenQuestion, steps: tuple[Step, ...], roster: Roster) -> OpenQuestion:
    """Return a question that a step left open, with who asked it."""
    for step in steps:
        for each in (*step.brief, *step.standard, *step.deep):
            if question.words in (each.text, each.without) and question.file in step.outputs:
                persona = roster[step.persona].title if step.persona in roster else step.persona
                return replace(question, resolver=f"asked by {persona}, step {step.step_id}")
    return question
