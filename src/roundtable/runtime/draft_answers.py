"""What was answered before: offered for a question again, and kept where it is not asked (STEP-4, STEP-5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.analysis import UNKNOWN
from ..core.commands import Answer, AskDraft, AskOffers, StepBrief
from ..core.depth import read_scope
from ..core.events import Offer
from ..core.steps import Item, Question
from ..core.text import strip_unprintable

if TYPE_CHECKING:
    from ..survey import Survey


Stored = Mapping[tuple[str, str], str]
"""Answers that stand in the documents, by step and label."""
Surveyed = Callable[[str], str | None]
"""What the code survey suggests for a label of the step in hand."""

_MAX_OFFER_LENGTH = 400
_ANSWER = re.compile(r"answer\s++(?:(?P<step>\d\d-\d\d)\s++)?(?P<label>.+)", re.IGNORECASE)


def collect(ask: AskOffers, stored: Stored, surveyed: Surveyed) -> tuple[Offer, ...]:
    """The draft answers for the questions, from where each question says that one may come."""
    offers = (_offer(ask.brief, question, stored, surveyed) for question in ask.questions)
    return tuple(offer for offer in offers if offer is not None)


def keep_answers(ask: AskDraft, stored: Stored, open_questions: Collection[str]) -> AskDraft:
    """Return the request with the step's answers that stand in the documents and were not asked for again.

    `open_questions` are the questions that stand there as open; they stay open.
    """
    step, given = ask.brief.step, {answer.label: answer for answer in ask.brief.answers}
    answers: dict[str, Answer] = {}
    for question in (*step.deep, *step.standard, *step.brief):
        text = stored.get((step.step_id, question.label), "")
        if question.label in given:
            answers[question.label] = given[question.label]
        elif text and not _is_superseded(question.label, text, given):
            answers.setdefault(question.label, Answer(question.label, question.text, text))
        elif question.text in open_questions:
            answers.setdefault(question.label, Answer(question.label, question.text, UNKNOWN, unknown=True))
    return replace(ask, brief=replace(ask.brief, answers=tuple((answers | given).values())))


def _is_superseded(label: str, text: str, given: Mapping[str, Answer]) -> bool:
    """Whether another answer says otherwise: asked briefly, the scope is given with the complexity."""
    scope = given.get("Scope")
    if label != "Complexity" or scope is None:
        return False
    complexity = read_scope(f"Scope: {scope.text}")[1]
    return complexity is not None and complexity != read_scope(f"Complexity: {text}")[1]


def _offer(brief: StepBrief, question: Question, stored: Stored, surveyed: Surveyed) -> Offer | None:
    source = question.draft.strip()
    given = stored.get((brief.step.step_id, question.label))
    if given:
        # Whole: taken as it is, it replaces what stands there.
        return Offer(question.label, given, "what stands in the document")
    if source.casefold() == "item":
        text = _first_sentences(brief.item.text) or brief.item.name
        return Offer(question.label, text, "the item") if text else None
    if source.casefold() == "survey":
        text = surveyed(question.label) or ""
        return Offer(question.label, text, "the code") if text else None
    if source.casefold().startswith("text:"):
        return Offer(question.label, source[5:].strip(), "")
    if answer := _ANSWER.fullmatch(source):
        step_id = answer["step"] or brief.step.step_id
        return _offer_earlier_answer(brief, question, step_id, answer["label"].strip(), stored)
    return None


def _earlier(brief: StepBrief, question: Question, step_id: str, label: str, stored: Stored) -> Offer | None:
    if step_id == brief.step.step_id:
        own = next((each for each in brief.answers if each.label == label and not each.unknown), None)
        return Offer(question.label, _shorten(own.text), f"your answer on {label}") if own else None
    text = stored.get((step_id, label))
    return Offer(question.label, _shorten(text), f"step {step_id}, {label}") if text else None


def _first_sentences(text: str) -> str:
    """The first sentences of the item's prose that fit: no headings, no lists, no code."""
    paragraphs = re.split(r"\n\s*\n", strip_unprintable(text).strip())
    prose = [part for part in paragraphs if part.strip() and not re.match(r"\s*(#|[-*+] |```|>|\|)", part)]
    return _shorten(" ".join(prose[0].split())) if prose else ""


def _short(text: str) -> str:
    """The text, cut at the end of a sentence or a word where it is too long to confirm at a glance."""
    if len(text) <= _MAX_OFFER_LENGTH:
        return text
    cut = text[:_MAX_OFFER_LENGTH]
    sentence = max(cut.rfind(". "), cut.rfind("? "), cut.rfind("! "))
    return cut[: sentence + 1] if sentence > _MAX_OFFER_LENGTH // 3 else cut.rsplit(" ", 1)[0] + " ..."


_REPORTED = frozenset({"00-02", "00-03", "02-01", "02-02"})


class Surveyor:
    """What the project's files say about an item, for the steps that rest on it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._own = (".roundtable", _below(root, folder.parent))
        self._seen: dict[str, Survey] = {}

    def offer(self, item: Item, step_id: str, label: str) -> str | None:
        """The draft answer to a question of a step, where the code suggests one."""
        from ..survey import offer

        return offer(self._survey(item), step_id, label)

    def report(self, item: Item, step_id: str) -> str | None:
        """What was found, as the step's section shows it; none for steps that do not rest on it."""
        if step_id not in _REPORTED:
            return None
        from ..survey.report import write_report

        return write_report(self._survey(item), step_id)

    def _survey(self, item: Item) -> Survey:
        if item.slug not in self._seen:
            from ..survey import survey

            self._seen[item.slug] = survey(self._root, item, leave_out=self._own)
        return self._seen[item.slug]


def _below(root: Path, folder: Path) -> str:
    """The folder of the items as the project names it; what we wrote ourselves is no evidence."""
    try:
        return folder.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return folder.name
