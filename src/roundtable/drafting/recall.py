"""Answers that stand in the documents in another form than they were given, for when a step is run again."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.markup import plain
from .decisions import CHOICE, DECISION
from .failures import LABEL as ERRORS_LABEL
from .register import ERRORS, OVERVIEW, SCAN, bodies, decisions, requirements, rows, stories, story_file
from .requirements import ACCEPTANCE, FEATURES
from .stories import STORIES

Recalled = dict[tuple[str, str], str]


def recall(documents: Mapping[str, str], title: str) -> Recalled:
    """The answers by step and label, as far as the documents hold them; `title` is the item's."""
    found = {
        ("01-06", FEATURES): _features(documents, title),
        ("01-06", ACCEPTANCE): "\n".join(
            each.text for requirement in requirements(documents) for each in requirement.criteria
        ),
        ("01-07", STORIES[0]): "\n".join(story.text for story in stories(documents) if not story.unhappy),
        ("01-07", STORIES[1]): "\n".join(story.text for story in stories(documents) if story.unhappy),
        ("04-04", ERRORS_LABEL): "\n".join(
            row.cells[1] if row.cells[0] in row.cells[1] else f"{row.cells[0]}: {row.cells[1]}"
            for row in rows(documents.get(ERRORS, ""), "E")
            if len(row.cells) > 1
        ),
        **_notes(documents),
        **_decided(documents),
        **_sized(documents.get(SCAN, "")),
    }
    return {key: text for key, text in found.items() if text}


def _features(documents: Mapping[str, str], title: str) -> str:
    """The requirements in the user's words; none where the item's title had to stand in for them."""
    listed = requirements(documents)
    alone = len(listed) == 1 and listed[0].text == plain(title)
    return "" if alone else "\n".join(each.text for each in listed)


def _notes(documents: Mapping[str, str]) -> Recalled:
    listed = story_file(documents).get("notes")
    entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {("01-07", str(each.get("label", ""))): str(each.get("text", "")) for each in entries}


def _decided(documents: Mapping[str, str]) -> Recalled:
    """What stands under the heading `Decision` of each record, by the step that writes its section."""
    found: Recalled = {}
    document = documents.get(OVERVIEW, "")
    parts = bodies(document, "ADR")
    for number, record in enumerate(decisions(documents)):
        words = (
            parts[record.id].partition("#### Decision\n")[2].partition("\n#### ")[0].partition("\n### ")[0]
        )
        said = "\n".join(plain(line.removeprefix("- ").strip()) for line in words.split("\n") if line.strip())
        key = ("03-01", DECISION) if number == 0 and _before(document, record.id) else ("03-02", CHOICE)
        found[key] = f"{found[key]}\n\n{said}" if key in found else said
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
    return next((plain(text.strip()) for before, sign, text in lines if sign and not before), "")
