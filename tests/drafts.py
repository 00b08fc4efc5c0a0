"""A whole analysis without questions: each step drafted from given answers and written to a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from people import ITEM, MAYA, ROSTER
from roundtable.catalogue import load_steps
from roundtable.core.commands import Answer, StepBrief, WriteStep
from roundtable.core.steps import DEPTHS, Depth, Item, Question, Step
from roundtable.documents.drafting import draft
from roundtable.store.outputs import Outputs

STEPS = load_steps()
Answers = Callable[[Step, Question], str | None]


def example(_step: Step, question: Question) -> str:
    """The question's own example."""
    return question.example


def step_of(step_id: str) -> Step:
    return next(step for step in STEPS if step.step_id == step_id)


def ask(
    step_id: str, answers: dict[str, str | None], *, item: Item = ITEM, depth: Depth = "standard"
) -> StepBrief:
    """What a step is drafted from: answers by label; None is "I don't know"."""
    step = step_of(step_id)
    texts = {question.label: question.text for each in DEPTHS for question in step.questions(each)}
    given = tuple(
        Answer(label, texts.get(label, f"What about {label}?"), text or "I don't know", unknown=text is None)
        for label, text in answers.items()
    )
    return StepBrief(item, step, MAYA, ROSTER, depth, given)


def drafted(
    step_id: str, answers: dict[str, str | None], documents: dict[str, str] | None = None, *, at: int = 0
) -> str:
    """The text of one section of a step; `at` is its place among the sections that the step writes."""
    return draft(ask(step_id, answers), documents or {})[at].text


def write(folder: Path, brief: StepBrief) -> tuple[str, ...]:
    """Draft and write one step, as a session does."""
    outputs = Outputs(folder, STEPS)
    documents = outputs.documents()
    return outputs.write_step(WriteStep(brief.step, draft(brief, documents)))


def play(folder: Path, depth: Depth, answers: Answers = example) -> dict[str, str]:
    """All 24 steps at a depth; what stands in the folder afterwards."""
    for step in STEPS:
        given = {question.label: answers(step, question) for question in step.questions(depth)}
        write(folder, ask(step.step_id, given, depth=depth))
    return documents(folder)


def documents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}
