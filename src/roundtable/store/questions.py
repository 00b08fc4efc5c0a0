"""What the documents of one item leave open, and what they say to whoever builds it (ART-9).

Open questions are listed with who can resolve them, and answered in the documents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from ..core.errors import RuleBroken
from ..core.personas import Roster
from ..core.steps import Step
from ..documents.additions import insert_addition
from ..documents.handoff import HandOff, collect_hand_off
from ..documents.questions import (
    OpenQuestion,
    add_answer,
    find_asked_questions,
    find_listed_questions,
    list_questions,
    quote_answer,
)
from . import files
from .artifact import change_artifact, is_markdown, one_line
from .items import read_item
from .outputs import Outputs


def read_questions(folder: Path, steps: tuple[Step, ...], roster: Roster) -> tuple[OpenQuestion, ...]:
    """Return every question that the documents leave or left open, in the order of the steps."""
    documents = {each.name: each.text for each in Outputs(folder, steps).documents()}
    asked: dict[str, list[tuple[int, str]]] = {}
    for name, text in documents.items():
        if is_markdown(name):
            asked[name] = list(find_asked_questions(text))
        elif name.lower().endswith(".json"):
            asked[name] = list(find_listed_questions(text))
        else:
            asked[name] = []
    found = list_questions(documents, asked)
    return tuple(each if each.resolver else _name_asker(each, steps, roster) for each in found)


def write_answer(folder: Path, steps: tuple[Step, ...], question: OpenQuestion, answer: str) -> str:
    """Add an answer where its question stands, with today's date, and return the file.

    A question in a data file is answered in a document of the same phase. The lock is the caller's business.
    """
    if not one_line(answer):
        raise RuleBroken("The answer is empty. Nothing was changed.")
    date = files.timestamp()[:10]
    owner = next((step for step in steps if question.file in step.outputs), None)
    phase = [step for step in steps if owner is not None and step.phase == owner.phase]
    names = [name for step in phase for name in step.outputs if is_markdown(name)]
    there = (name for name in names if (folder / name).is_file())
    file = question.file if is_markdown(question.file) else next(there, "")
    if not file:
        raise RuleBroken("There is no document of this phase to put the answer into. Nothing was changed.")

    def change(found: bytes | None) -> tuple[bytes, None]:
        if found is None:
            raise RuleBroken(f"{one_line(file)} is gone. Nothing was changed.")
        if file == question.file:
            return add_answer(found, question.line, question.words, answer, date), None
        words = quote_answer(question.words, answer, date)
        return insert_addition(found, words, topic=owner.title if owner else "").document, None

    change_artifact(folder, file, change)
    return file


def _name_asker(question: OpenQuestion, steps: tuple[Step, ...], roster: Roster) -> OpenQuestion:
    """Return a question that a step left open, with who asked it."""
    for step in steps:
        for each in (*step.brief, *step.standard, *step.deep):
            if question.words in (each.text, each.without) and question.file in step.outputs:
                persona = roster[step.persona].title if step.persona in roster else step.persona
                return replace(question, resolver=f"asked by {persona}, step {step.step_id}")
    return question


def read_hand_off(folder: Path, steps: tuple[Step, ...], roster: Roster) -> HandOff:
    """Return what the item's documents say to whoever builds it."""
    documents = {each.name: each.text for each in Outputs(folder, steps).documents()}
    questions = (each for each in read_questions(folder, steps, roster) if each.is_open)
    return collect_hand_off(read_item(folder), documents, questions)


def write_new_files(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files that are not there yet, all or none; return their paths.

    Raises RuleBroken if one of them exists and holds something else.
    """
    for name, text in texts.items():
        path = folder / name
        if os.path.lexists(path) and not (files.is_regular_file(path) and files.read(path) == text.encode()):
            raise RuleBroken(f"{path} is there already. Nothing was written. Name another place with --out.")
    files.make_folder(folder, parents=True)
    for name, text in texts.items():
        files.write(folder / name, text.encode())
    return tuple(folder / name for name in texts)
