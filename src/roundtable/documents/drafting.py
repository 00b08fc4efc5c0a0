"""Drafts: what a step writes into its sections, from its answers and the item's documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from ..core.commands import AskDraft
from ..core.depth import read_scope
from ..core.events import SectionText
from ..core.text import escape_markdown, strip_unprintable
from . import design, requirements
from .entries import join_lines, strip_punctuation
from .outline import strip_numbering
from .page import (
    NOTHING,
    DraftContext,
    join_section,
    list_nones,
    write_csv,
    write_labelled,
    write_nones,
    write_open_question,
    write_open_questions,
    write_paragraph,
)

_COMPLEXITY = re.compile(
    r"\b(?:(?:and|but|with) )?(?:the )?complexity\b(?: is)?[\s:=]*+(?=(?:low|medium|high)\b)", re.IGNORECASE
)
_SIZE_IS = re.compile(r"^(?:(?:the )?(?:scope|size)\b(?: is)?|it(?: is|'s))[\s:=]++", re.IGNORECASE)
_VALUES = re.compile(r"^(?:\W*\b(?:scope|complexity|size|small|medium|large|low|high)\b)+\W*", re.IGNORECASE)


def draft(ask: AskDraft, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they stand.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    sections = [
        _draft_section(DraftContext(ask.brief, target, ask.targets, documents)) for target in ask.targets
    ]
    nones = list_nones(ask.brief.answers)
    pages = [at for at, each in enumerate(sections) if each.target.output.lower().endswith(".md")]
    if nones and pages:
        first = sections[pages[0]]
        text = escape_markdown(nones[0].text) if first.text == NOTHING else first.text
        sections[pages[0]] = replace(first, text=join_section([text], write_nones(nones)))
    return tuple(sections)


def _draft_section(context: DraftContext) -> SectionText:
    target = context.target
    name = target.output.lower()
    by_format = _write_json if name.endswith(".json") else _write_csv if name.endswith(".csv") else None
    writer = _WRITERS.get((target.output, strip_numbering(target.section)))
    try:
        return SectionText(target, (writer or by_format or write_answers)(context))
    except Exception as error:
        # The answers are journalled by now: raised here, the same error would end every later start.
        notice = (
            f'Could not draft {target.output}, section "{target.section}" ({type(error).__name__}). '
            "It holds your answers as you gave them. Please report this."
        )
        return SectionText(target, (by_format or _list_answers)(context), notice)


def write_answers(context: DraftContext) -> str:
    """Write every answer under its label, then the open questions."""
    return join_section(write_labelled(context.answers), write_open_questions(context.answers))


def _list_answers(context: DraftContext) -> str:
    """Write every answer on a line of its own, with no reading of what it says."""
    known = [
        f"- **{escape_markdown(answer.label.replace('*', ''))}**: {escape_markdown(answer.text)}"
        for answer in context.answers
        if not answer.unknown
    ]
    unknown = [write_open_question(answer.question) for answer in context.answers if answer.unknown]
    return "\n".join([*known, *unknown]) or NOTHING


def _write_json(context: DraftContext) -> str:
    """Write one object with the step, the item, an entry for each answer and the open questions."""
    content = {
        "step": context.brief.step.step_id,
        "item": strip_unprintable(context.brief.item.name),
        "answers": [
            {"label": answer.label, "text": strip_unprintable(answer.text)}
            for answer in context.answers
            if not answer.unknown
        ],
        "open_questions": [answer.question for answer in context.answers if answer.unknown],
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _write_csv(context: DraftContext) -> str:
    """Write a row for each answer."""
    step_id = context.brief.step.step_id
    rows = [
        (step_id, each.label, each.question, "yes")
        if each.unknown
        else (step_id, each.label, join_lines(each.text), "no")
        for each in context.answers
    ]
    return write_csv(("step", "label", "answer", "open"), rows)


def write_size(context: DraftContext) -> str:
    """Write scope and complexity on lines of their own, then why, then the rest."""
    said = _split_size(context)
    found: dict[str, str] = {}
    for label, texts in said.items():
        for line in "\n".join(texts).splitlines():
            # The later line corrects the earlier; "small, low" says both.
            sizes = zip(said, read_scope(f"{label}: {line}"), strict=True)
            found |= {each: value for each, value in sizes if value}
    values: list[str] = []
    words: list[str] = []
    reasons: list[str] = []
    for label, texts in said.items():
        if label in found:
            values.append(write_paragraph(label, found[label]))
        elif texts:
            words.append(write_paragraph(label, "\n".join(texts)))
            continue
        reason = " ".join(filter(None, map(_strip_values, texts)))
        if reason and not any(each.endswith(f": {escape_markdown(reason)}") for each in reasons):
            reasons.append(write_paragraph(f"Why this {label.lower()}", reason))
    rest = write_labelled(context.without("Scope", "Complexity"))
    return join_section(values, words, reasons, rest, write_open_questions(context.answers))


def _split_size(context: DraftContext) -> dict[str, list[str]]:
    """Return what is said about scope and complexity; the first answer may speak of both."""
    scope, complexity = context.text("Scope"), [context.text("Complexity")]
    if both := _COMPLEXITY.search(scope):
        complexity.append(scope[both.end() :])
        scope = scope[: both.start()].rstrip(" ,;.\n")
    return {"Scope": [*filter(None, [_SIZE_IS.sub("", scope)])], "Complexity": [*filter(None, complexity)]}


def _strip_values(text: str) -> str:
    """Return what is said besides the values."""
    return strip_punctuation(_VALUES.sub("", join_lines(text), count=1))


_WRITERS: Mapping[tuple[str, str], Callable[[DraftContext], str]] = {
    ("quick-scan.md", "Size and Complexity"): write_size,
    ("requirements-spec.md", "Quality Attributes and Risks"): requirements.write_attributes,
    ("nfr-matrix.md", "Quality Attributes"): requirements.write_matrix,
    ("requirements-spec.md", "Functional Requirements"): requirements.write_functional,
    ("requirements-spec.md", "Out of Scope"): requirements.write_out_of_scope,
    ("user-stories.json", "stories"): requirements.write_stories,
    ("requirements-spec.md", "Prioritization"): requirements.write_priorities,
    ("traceability-matrix.csv", "rows"): requirements.write_trace,
    ("architecture-overview.md", "Options and Tradeoffs"): design.write_options,
    ("architecture-overview.md", "Technology Decisions"): design.write_technology,
    ("architecture-overview.md", "Review"): design.write_review,
    ("design-summary.md", "Design Review"): design.write_review,
    ("error-taxonomy.md", "Errors and Validation"): design.write_errors,
}
