"""Answers that stand in the documents in another form than they were given, for when a step is run again."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..core.commands import Answer, AskDraft
from ..core.depth import read_scope
from ..core.events import SectionText
from ..core.steps import Target
from ..core.text import escape_markdown, unescape_markdown, strip_unprintable
from . import decisions, design, requirements, stories
from .decisions import CHOICE, DECISION
from .design import ERRORS_LABEL
from .entries import strip_punctuation, join_lines, split_steps
from .ids import (
    ERRORS,
    OVERVIEW,
    SCAN,
    bodies,
    list_decisions,
    list_requirements,
    list_stories,
    list_rows,
    read_story_file,
)
from .outline import strip_numbering
from .page import (
    NOTHING,
    SectionContext,
    write_labelled,
    write_numbered,
    write_open_questions,
    write_paragraph,
    show_words,
    join_section,
)
from .requirements import ACCEPTANCE, FEATURES
from .stories import STORIES

Recalled = dict[tuple[str, str], str]


def recall_answers(documents: Mapping[str, str], title: str) -> Recalled:
    """The answers by step and label, as far as the documents hold them; `title` is the item's."""
    found = {
        ("01-06", FEATURES): _features(documents, title),
        ("01-06", ACCEPTANCE): "\n".join(
            each.text for requirement in list_requirements(documents) for each in requirement.criteria
        ),
        ("01-07", STORIES[0]): "\n".join(
            story.text for story in list_stories(documents) if not story.unhappy
        ),
        ("01-07", STORIES[1]): "\n".join(story.text for story in list_stories(documents) if story.unhappy),
        ("04-04", ERRORS_LABEL): "\n".join(
            row.cells[1] if row.cells[0] in row.cells[1] else f"{row.cells[0]}: {row.cells[1]}"
            for row in list_rows(documents.get(ERRORS, ""), "E")
            if len(row.cells) > 1
        ),
        **_notes(documents),
        **_decided(documents),
        **_sized(documents.get(SCAN, "")),
    }
    return {key: text for key, text in found.items() if text}


def _features(documents: Mapping[str, str], title: str) -> str:
    """The requirements in the user's words; none where the item's title had to stand in for them."""
    listed = list_requirements(documents)
    alone = len(listed) == 1 and listed[0].text == unescape_markdown(title)
    return "" if alone else "\n".join(each.text for each in listed)


def _notes(documents: Mapping[str, str]) -> Recalled:
    listed = read_story_file(documents).get("notes")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {("01-07", str(each.get("label", ""))): str(each.get("text", "")) for each in entries}


def _decided(documents: Mapping[str, str]) -> Recalled:
    """What stands under the heading `Decision` of each record, by the step that writes its section."""
    found: Recalled = {}
    document = documents.get(OVERVIEW, "")
    parts = bodies(document, "ADR")
    for number, record in enumerate(list_decisions(documents)):
        words = (
            parts[record.id].partition("#### Decision\n")[2].partition("\n#### ")[0].partition("\n### ")[0]
        )
        show_words = "\n".join(
            unescape_markdown(line.removeprefix("- ").strip()) for line in words.split("\n") if line.strip()
        )
        key = ("03-01", DECISION) if number == 0 and _before(document, record.id) else ("03-02", CHOICE)
        found[key] = f"{found[key]}\n\n{show_words}" if key in found else show_words
    choices = found.get(("03-02", CHOICE), "").split("\n\n")
    if len(choices) > 1:
        found["03-02", CHOICE] = "\n".join(f"- {' '.join(choice.split())}" for choice in choices)
    return found


def _before(document: str, identity: str) -> bool:
    """True where a record stands before the section of the technology decisions."""
    place, technology = document.find(f" {identity}: "), document.find("Technology Decisions")
    return technology < 0 or place < technology


def _sized(scan: str) -> Recalled:
    """Scope and complexity, each with its reason; the scope with both, since briefly only that is asked."""
    scope, complexity, why, why_complex = (
        _labelled(scan, label) for label in ("Scope", "Complexity", "Why this scope", "Why this complexity")
    )
    both = f"{scope}, complexity: {complexity}" if scope and complexity else scope
    found = {("00-03", "Scope"): (both, why), ("00-03", "Complexity"): (complexity, why_complex)}
    return {key: "; ".join(filter(None, parts)) for key, parts in found.items() if parts[0]}


def _labelled(document: str, label: str) -> str:
    lines = (line.partition(f"**{label}**: ") for line in document.split("\n"))
    return next((unescape_markdown(text.strip()) for before, sign, text in lines if sign and not before), "")


def journeys(sheet: SectionContext) -> str:
    """The journey as numbered steps where it is a sequence; the other answers under their labels."""
    parts = [_journey(each) if each.label == "Journey" else write_labelled([each]) for each in sheet.answers]
    return join_section(*parts, write_open_questions(sheet.answers))


def _journey(answer: Answer) -> tuple[str, ...]:
    steps = () if answer.unknown or "```" in answer.text else split_steps(answer.text)
    if not steps:
        return write_labelled([answer])
    return (f"{write_paragraph(answer.label, '').rstrip()}\n\n{write_numbered(map(show_words, steps))}",)


_VALUES = re.compile(r"^(?:\W*\b(?:scope|complexity|size|small|medium|large|low|high)\b)+\W*", re.IGNORECASE)


def size(sheet: SectionContext) -> str:
    """Scope and complexity on lines of their own, then why, then the rest."""
    scope, complexity = _read(sheet)
    labels = ("Scope", "Complexity")
    found = [
        write_paragraph(label, value)
        for label, value in zip(labels, (scope, complexity), strict=True)
        if value
    ]
    reasons, words = [], []
    for label, value in zip(labels, (scope, complexity), strict=True):
        text = sheet.text(label)
        if text and not value:
            words.append(write_paragraph(label, text))
        elif reason := strip_punctuation(_VALUES.sub("", join_lines(text), count=1)):
            reasons.append(write_paragraph(f"Why this {label.lower()}", reason))
    rest = sheet.without(*labels)
    return join_section(found, words, reasons, write_labelled(rest), write_open_questions(sheet.answers))


def _read(sheet: SectionContext) -> tuple[str | None, str | None]:
    """What the two answers say, line by line: the later line corrects the earlier."""
    scope = complexity = None
    for line in sheet.text("Scope").splitlines():
        both = read_scope(f"Scope: {line}")
        scope, complexity = both[0] or scope, both[1] or complexity
    for line in sheet.text("Complexity").splitlines():
        complexity = read_scope(f"Complexity: {line}")[1] or complexity
    return scope, complexity


Writer = Callable[[SectionContext], str]

SURVEY = "survey"
"""Under this name the survey's findings for the step come with the documents; no file can have it."""


def answers_as_they_are(sheet: SectionContext) -> str:
    """Every answer under its label, then the open questions."""
    return join_section(write_labelled(sheet.answers), write_open_questions(sheet.answers))


def review_of_design(sheet: SectionContext) -> str:
    """Which documents the design is in, and the answers on it."""
    names = [name for name in _DESIGN if name in sheet.documents]
    pointer = [f"The design stands in {', '.join(names)}."] if names else []
    return join_section(pointer, write_labelled(sheet.answers), write_open_questions(sheet.answers))


_DESIGN = ("module-design.md", "interface-spec.md", "data-flow.md", "error-taxonomy.md")
_WRITERS: Mapping[tuple[str, str], Writer] = {
    ("quick-scan.md", "Size and Complexity"): write_size,
    ("requirements-spec.md", "User Journeys"): write_journeys,
    ("requirements-spec.md", "Quality Attributes and Risks"): requirements.write_attributes,
    ("nfr-matrix.md", "Quality Attributes"): requirements.write_matrix,
    ("requirements-spec.md", "Functional Requirements"): requirements.write_functional,
    ("requirements-spec.md", "Out of Scope"): requirements.write_out_of_scope,
    ("user-stories.json", "stories"): stories.write_stories,
    ("requirements-spec.md", "Prioritization"): requirements.write_priorities,
    ("traceability-matrix.csv", "rows"): requirements.write_trace,
    ("architecture-overview.md", "Options and Tradeoffs"): decisions.write_options,
    ("architecture-overview.md", "Technology Decisions"): decisions.write_technology,
    ("architecture-overview.md", "Review"): decisions.write_review,
    ("data-flow.md", "Data Flow and State"): design.write_data_flow,
    ("error-taxonomy.md", "Errors and Validation"): design.write_errors,
    ("design-summary.md", "Design Review"): write_design_review,
}


def draft(ask: AskDraft, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they stand.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    sheets = [SectionContext(ask.brief, target, ask.targets, documents) for target in ask.targets]
    written = [_write(sheet) for sheet in sheets]
    surveyed = documents.get(SURVEY, "")
    if not surveyed:
        return tuple(written)
    return tuple(
        replace(each, text=f"{each.text}\n\n{surveyed}") if _is_page(each.target) else each
        for each in written
    )


def _write(sheet: SectionContext) -> SectionText:
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


def _plain_list(sheet: SectionContext) -> str:
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
    found = _WRITERS.get((target.output, strip_numbering(target.section)))
    if found is not None:
        return found
    if target.output.lower().endswith(".json"):
        return _as_json
    return _as_csv if target.output.lower().endswith(".csv") else write_answers


def _as_json(sheet: SectionContext) -> str:
    """One object with the step, the item, an entry for each answer and the open questions."""
    content = {
        "step": sheet.brief.step.step_id,
        "item": strip_unprintable(sheet.brief.item.name),
        "answers": [
            {"label": answer.label, "text": strip_unprintable(answer.text)}
            for answer in sheet.answers
            if not answer.unknown
        ],
        "open_questions": [answer.question for answer in sheet.answers if answer.unknown],
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _as_csv(sheet: SectionContext) -> str:
    """A header and one row for each answer; no cell can act as a formula."""
    out = io.StringIO()
    list_rows = csv.writer(out, lineterminator="\n")
    list_rows.writerow(("step", "label", "answer", "open"))
    for answer in sheet.answers:
        text = answer.question if answer.unknown else join_lines(answer.text)
        cells = (sheet.brief.step.step_id, answer.label, text, "yes" if answer.unknown else "no")
        list_rows.writerow([requirements.guard_cell(cell) for cell in cells])
    return out.getvalue()
