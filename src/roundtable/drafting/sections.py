"""Which section is written how: the answers of a step become the text of its sections."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..artifacts.sections import name_of
from ..core.commands import AskDraft
from ..core.events import SectionText
from ..core.markup import escape_markdown, printable
from ..core.steps import Target
from . import decisions, failures, flow, journeys, priorities, quality, requirements, size, stories
from .entries import one
from .page import NOTHING, labelled, open_questions, section
from .sheet import Sheet

Writer = Callable[[Sheet], str]

SURVEY = "survey"
"""Under this name the survey's findings for the step come with the documents; no file can have it."""


def answers_as_they_are(sheet: Sheet) -> str:
    """Every answer under its label, then the open questions."""
    return section(labelled(sheet.answers), open_questions(sheet.answers))


def review_of_design(sheet: Sheet) -> str:
    """Which documents the design is in, and the answers on it."""
    names = [name for name in _DESIGN if name in sheet.documents]
    pointer = [f"The design stands in {', '.join(names)}."] if names else []
    return section(pointer, labelled(sheet.answers), open_questions(sheet.answers))


_DESIGN = ("module-design.md", "interface-spec.md", "data-flow.md", "error-taxonomy.md")
_WRITERS: Mapping[tuple[str, str], Writer] = {
    ("quick-scan.md", "Size and Complexity"): size.size,
    ("requirements-spec.md", "User Journeys"): journeys.journeys,
    ("requirements-spec.md", "Quality Attributes and Risks"): quality.attributes_and_risks,
    ("nfr-matrix.md", "Quality Attributes"): quality.matrix,
    ("requirements-spec.md", "Functional Requirements"): requirements.functional,
    ("requirements-spec.md", "Out of Scope"): requirements.out_of_scope,
    ("user-stories.json", "stories"): stories.story_data,
    ("requirements-spec.md", "Prioritization"): priorities.prioritization,
    ("traceability-matrix.csv", "rows"): priorities.trace,
    ("architecture-overview.md", "Options and Tradeoffs"): decisions.options,
    ("architecture-overview.md", "Technology Decisions"): decisions.technology,
    ("architecture-overview.md", "Review"): decisions.review,
    ("data-flow.md", "Data Flow and State"): flow.data_flow,
    ("error-taxonomy.md", "Errors and Validation"): failures.taxonomy,
    ("design-summary.md", "Design Review"): review_of_design,
}


def draft(ask: AskDraft, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they stand.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    sheets = [Sheet(ask.brief, target, ask.targets, documents) for target in ask.targets]
    written = [_write(sheet) for sheet in sheets]
    surveyed = documents.get(SURVEY, "")
    if not surveyed:
        return tuple(written)
    return tuple(
        replace(each, text=f"{each.text}\n\n{surveyed}") if _is_page(each.target) else each
        for each in written
    )


def _write(sheet: Sheet) -> SectionText:
    target = sheet.target
    try:
        return SectionText(target, _writer(target)(sheet))
    except Exception as error:
        # The answers are journalled by now: raised here, the same error would end every later start.
        notice = (
            f'Could not draft {target.output}, section "{target.section}" ({type(error).__name__}). '
            "It holds your answers as you gave them. Please report this."
        )
        return SectionText(target, _plain_list(sheet), notice)


def _plain_list(sheet: Sheet) -> str:
    """Every answer as it is: in the target's own format, with no reading of what it says."""
    name = sheet.target.output.lower()
    if name.endswith((".json", ".csv")):
        return _as_json(sheet) if name.endswith(".json") else _as_csv(sheet)
    known = [
        f"- **{escape_markdown(answer.label.replace('*', ''))}**: {escape_markdown(answer.text)}"
        for answer in sheet.answers
        if not answer.unknown
    ]
    unknown = [
        f"- Open question: {escape_markdown(answer.question)}" for answer in sheet.answers if answer.unknown
    ]
    return "\n".join([*known, *unknown]) or NOTHING


def _is_page(target: Target) -> bool:
    return target.output.lower().endswith(".md")


def _writer(target: Target) -> Writer:
    found = _WRITERS.get((target.output, name_of(target.section)))
    if found is not None:
        return found
    if target.output.lower().endswith(".json"):
        return _as_json
    return _as_csv if target.output.lower().endswith(".csv") else answers_as_they_are


def _as_json(sheet: Sheet) -> str:
    """One object with the step, the item, an entry for each answer and the open questions."""
    content = {
        "step": sheet.brief.step.step_id,
        "item": printable(sheet.brief.item.name),
        "answers": [
            {"label": answer.label, "text": printable(answer.text)}
            for answer in sheet.answers
            if not answer.unknown
        ],
        "open_questions": [answer.question for answer in sheet.answers if answer.unknown],
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _as_csv(sheet: Sheet) -> str:
    """A header and one row for each answer; no cell can act as a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("step", "label", "answer", "open"))
    for answer in sheet.answers:
        text = answer.question if answer.unknown else one(answer.text)
        cells = (sheet.brief.step.step_id, answer.label, text, "yes" if answer.unknown else "no")
        rows.writerow([priorities.guarded(cell) for cell in cells])
    return out.getvalue()
