"""Earlier answers, as they stand in the documents (rule STEP-4): under their labels, or in another form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..core.steps import DEPTHS, Step
from ..core.text import strip_unprintable, unescape_markdown
from ..core.validation import says_none
from .design import CHOICE, DECISION, ERRORS_LABEL
from .ids import (
    ERRORS,
    MATRIX,
    NONE_COMMENT,
    OVERVIEW,
    SCAN,
    SPEC,
    list_requirements,
    list_rows,
    list_stories,
    sections_with_ids,
    story_entries,
)
from .outline import (
    LABELLED,
    MarkdownBlock,
    Outline,
    find_labelled,
    find_named_sections,
    section_text,
)
from .page import OPEN_QUESTION
from .requirements import ACCEPTANCE, FEATURES, STORIES, read_priority_table

_NEXT = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t])")
_KINDS = ("paragraph", "bullet_list", "ordered_list", "fence")

AnswersByLabel = dict[tuple[str, str], str]
"""Answers by step and label."""


def read_answers(documents: Mapping[str, str], title: str) -> AnswersByLabel:
    """Return the answers that stand in the documents in another form than they were given in.

    `title` is the item's: where it had to stand in for the features, nobody gave it as an answer.
    """
    requirements, stories = list_requirements(documents), list_stories(documents)
    features = [each.text for each in requirements]
    rows = [row for row in list_rows(documents.get(ERRORS, ""), "E") if len(row) > 2]
    found = {
        ("01-06", FEATURES): "" if features == [unescape_markdown(title)] else "\n".join(features),
        ("01-06", ACCEPTANCE): "\n".join(each.text for owner in requirements for each in owner.criteria),
        ("01-07", STORIES[0]): "\n".join(story.text for story in stories if not story.unhappy),
        ("01-07", STORIES[1]): "\n".join(story.text for story in stories if story.unhappy),
        ("04-04", ERRORS_LABEL): "\n".join(
            when if name in when else f"{name}: {when}" for _, name, when, *_ in rows
        ),
        **_read_decisions(documents.get(OVERVIEW, "")),
        **_read_size(documents.get(SCAN, "")),
    }
    for _, label, measure, *_ in (row for row in list_rows(documents.get(MATRIX, ""), "NFR") if len(row) > 2):
        found["01-05", label] = measure
    must = read_priority_table(documents.get(SPEC, ""))
    if must and not any(find_labelled(documents.get(SPEC, ""), each) for each in ("Priorities", "Must")):
        found["01-08", "Priorities"] = must
    for note in story_entries(documents, "notes"):
        found["01-07", str(note.get("label", ""))] = str(note.get("text", ""))
    return {key: text for key, text in found.items() if text}


def number_requirements(documents: Mapping[str, str]) -> AnswersByLabel:
    """Return the requirements with their ids, for questions that show them."""
    listed = [f"{each.id}: {each.text}" for each in list_requirements(documents)]
    return {("01-06", "Requirements"): "\n".join(listed)} if listed else {}


def _read_decisions(overview: str) -> AnswersByLabel:
    """Return what stands under `Decision` in each record, by the step that writes its section."""
    options, choices = (
        [
            _read_decision("\n".join(lines))
            for _, lines in sections_with_ids(section_text(overview, each), "ADR")
        ]
        for each in ("Options and Tradeoffs", "Technology Decisions")
    )
    if len(choices) > 1:
        choices = [f"- {' '.join(choice.split())}" for choice in choices]
    return {("03-01", DECISION): "\n".join(options[:1]), ("03-02", CHOICE): "\n".join(choices)}


def _read_decision(record: str) -> str:
    """Return what a record decides, and after it what it turns down."""
    taken, rejected = (
        record.partition(f"#### {heading}\n")[2].partition("\n#### ")[0].partition("\n### ")[0].split("\n")
        for heading in ("Decision", "Turned Down")
    )
    lines = [unescape_markdown(line.removeprefix("- ").strip()) for line in taken if line.strip()]
    turned_down = [unescape_markdown(line) for line in rejected if line.strip()]
    return "\n".join([" ".join([*lines, *turned_down])] if turned_down else lines)


def _read_size(scan: str) -> AnswersByLabel:
    """Return scope and complexity with their reasons; the scope with both, as briefly only that is asked."""
    labels = ("Scope", "Complexity", "Why this scope", "Why this complexity")
    scope, complexity, why, why_complex = (find_labelled(scan, label) for label in labels)
    size, difficulty = ("; ".join(filter(None, each)) for each in ((scope, why), (complexity, why_complex)))
    both = f"{size}, complexity: {complexity}" if scope and complexity else size
    found = {("00-03", "Scope"): scope and both, ("00-03", "Complexity"): complexity and difficulty}
    return {key: text for key, text in found.items() if text}


def read_labelled_answers(shape: Outline, step: Step, heading: str) -> dict[str, str]:
    """Return the answers under the step's labels in the section it writes; of several, the last."""
    questions = [question for depth in DEPTHS for question in step.questions(depth)]
    labels = {question.formerly: question.label for question in questions if question.formerly}
    labels |= {question.label.replace("*", ""): question.label for question in questions}
    found: dict[str, str] = {}
    for section in find_named_sections(shape.sections, heading):
        own = shape.document[section.body : section.end].decode("utf-8", "replace")
        nones = [label for each in NONE_COMMENT.finditer(own) for label in each["labels"].split("; ")]
        found.update((labels[label], "None.") for label in nones if label in labels)
        plain = next((line for line in own.splitlines() if line.strip() and not line.startswith("<!--")), "")
        if nones and nones[0] in labels and says_none(unescape_markdown(plain)):
            found[labels[nones[0]]] = unescape_markdown(plain)  # a section that holds nothing else
        listed, gathered, last = "", list[str](), ""
        for piece in _own_blocks(shape, section.body, section.end):
            lines = shape.document[piece.start : piece.end].decode("utf-8", "replace").splitlines()
            # An open question right after a list reads as its last entry.
            asked = (at for at, line in enumerate(lines) if at and line.startswith(OPEN_QUESTION))
            lines = lines[: next(asked, len(lines))]
            # Code may stand between the entries; a second list right after the first is somebody else's.
            more = piece.kind != "paragraph" and not (gathered and "fence" not in (piece.kind, last))
            last = piece.kind
            if listed and more and not lines[0].startswith(OPEN_QUESTION):
                gathered.append("\n".join(lines).strip() if piece.kind == "fence" else _entries(lines))
                found[listed] = "\n".join(gathered)
                continue
            pairs = [("", "")] if piece.kind == "fence" else list(_read_labelled_lines(lines))
            found.update((labels[label], text) for label, text in pairs if label in labels and text)
            label, text = pairs[-1]
            listed, gathered = "" if text else labels.get(label, ""), []
    return found


def _own_blocks(shape: Outline, start: int, end: int) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a section that are neither an elaboration's nor feedback."""
    sections = shape.sections
    before: MarkdownBlock | None = None
    for piece in shape.within(start, end):
        owner = [section for section in sections if section.start <= piece.start][-1]
        feedback = before is not None and before.text.lstrip().startswith("<!-- Feedback:")
        if piece.kind in _KINDS and not owner.elaboration and not feedback:
            yield piece
        before = piece


def _entries(lines: list[str]) -> str:
    """Return the entries of a list, one on each line, with what runs on below them."""
    entries: list[list[str]] = []
    for line in lines:
        if begins := _NEXT.match(line):
            entries.append([line[begins.end() :]])
        elif line.strip():
            entries = entries or [[]]
            entries[-1].append(line)
    return "\n".join(_text(words) for words in entries)


def _read_labelled_lines(lines: list[str]) -> Iterator[tuple[str, str]]:
    label = ""
    words: list[str] = []
    for line in lines:
        if begins := LABELLED.fullmatch(line.strip()):
            yield label, _text(words)
            label, words = unescape_markdown(begins["label"].strip()), [begins["text"]]
        elif _NEXT.match(line) or not line.strip():
            yield label, _text(words)
            label, words = "", []
        else:
            words.append(line)
    yield label, _text(words)


def _text(words: list[str]) -> str:
    return unescape_markdown(" ".join(" ".join(strip_unprintable(line) for line in words).split()))
