"""Drafting: the answers of a step as the text of its sections, in markdown, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import re

from ...core.commands import Answer, AskDraft
from ...core.events import SectionText
from ...core.markup import harmless

_ENTRY = re.compile(r"^\s*(?:[-+*•]|\d{1,3}[.)])\s+")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_OPEN = "**Open questions**"


def draft(ask: AskDraft) -> tuple[SectionText, ...]:
    """The text of every section that the step writes."""
    made = []
    for target in ask.targets:
        if target.output.endswith(".json"):
            text = as_json(ask)
        elif target.output.endswith(".csv"):
            text = as_csv(ask)
        else:
            text = as_markdown(ask.brief.answers)
        made.append(SectionText(target, text))
    return tuple(made)


def as_markdown(answers: tuple[Answer, ...]) -> str:
    """Each answer under its label, then the questions that nobody could answer."""
    parts = [_answer(answer) for answer in answers if not answer.unknown]
    unknown = [f"- {harmless(answer.question)}" for answer in answers if answer.unknown]
    if unknown:
        parts.append("\n".join([f"{_OPEN}:", "", *unknown]))
    return "\n\n".join(parts) or "No answers were given."


def as_json(ask: AskDraft) -> str:
    """One object with the step, the item and an entry for each answer; unknown ones are null."""
    brief = ask.brief
    content: dict[str, object] = {"step": brief.step.step_id, "item": brief.item.name}
    for answer in brief.answers:
        label = answer.label if answer.label not in ("step", "item") else f"{answer.label} (answer)"
        content[label] = None if answer.unknown else answer.text
    unknown = [answer.question for answer in brief.answers if answer.unknown]
    if unknown:
        content["open_questions"] = unknown
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def as_csv(ask: AskDraft) -> str:
    """A header and one row for each answer; no cell can act as a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("step", "label", "answer", "open"))
    for answer in ask.brief.answers:
        text = answer.question if answer.unknown else answer.text
        cells = (ask.brief.step.step_id, answer.label, text, "yes" if answer.unknown else "no")
        rows.writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def _answer(answer: Answer) -> str:
    """One line after its label; several lines as a list below it."""
    label = f"**{harmless(answer.label).replace('*', '')}**:"
    lines = [line for line in answer.text.splitlines() if line.strip()]
    if len(lines) < 2:
        return f"{label} {harmless(answer.text)}"
    entries = [f"- {harmless(_ENTRY.sub('', line, count=1))}" for line in lines]
    return "\n".join([label, "", *entries])


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
