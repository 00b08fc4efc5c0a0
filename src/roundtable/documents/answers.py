"""Earlier answers, as they stand in the documents (rule STEP-4): under their labels, or in another form."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from textwrap import dedent

from msgspec import Struct

from ..core.markers import NoneMarker, begins_like_feedback, parse_marker
from ..core.steps import DEPTHS, Step
from ..core.text import fold_text, parse_heading, strip_unprintable, unescape_markdown
from ..core.validation import is_settled
from .blocks import find_elaboration_blocks
from .drafting import (
    ACCEPTANCE,
    CHOICE,
    DECISION,
    ERRORS_LABEL,
    FEATURES,
    SIZE_WORDS,
    STORY_LABELS,
    read_priority_table,
    read_sizes,
)
from .ids import (
    ERRORS,
    MATRIX,
    OVERVIEW,
    SCAN,
    SPEC,
    DecisionRecord,
    list_records,
    list_requirements,
    list_rows,
    list_stories,
    story_entries,
)
from .outline import (
    LABELLED,
    Outline,
    decode_document,
    find_labelled,
    find_named_sections,
    joined_lines,
    prose_lines,
    section_text,
)
from .page import OPEN_QUESTION

_ENTRY = re.compile(r"(?P<indent>\s*+)(?:\d{1,9}(?=[.)]))?(?P<sign>(?<!\d)[-*+]|(?<=\d)[.)])(?:\s++|$)")

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
        ("01-07", STORY_LABELS[0]): "\n".join(story.text for story in stories if not story.unhappy),
        ("01-07", STORY_LABELS[1]): "\n".join(story.text for story in stories if story.unhappy),
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
        [_read_decision(each) for each in list_records({OVERVIEW: section_text(overview, heading)})]
        for heading in ("Options and Tradeoffs", "Technology Decisions")
    )
    if len(choices) > 1:
        choices = [f"- {' '.join(choice.split())}" for choice in choices]
    return {("03-01", DECISION): "\n".join(options[:1]), ("03-02", CHOICE): "\n".join(choices)}


def _read_decision(record: DecisionRecord) -> str:
    """Return what a record decides, and after it what it turns down, as earlier versions wrote it."""
    lines = f"{record.part('Decision')}\n{record.part('Turned Down')}".split("\n")
    return "\n".join(unescape_markdown(line.removeprefix("- ").strip()) for line in lines if line.strip())


def _read_size(scan: str) -> AnswersByLabel:
    """Return the words on scope and complexity; where values are all, the scope names both, as when asked."""
    found: AnswersByLabel = {}
    for label in ("Scope", "Complexity"):
        value, why = find_labelled(scan, label), find_labelled(scan, f"Why this {label.lower()}")
        # Earlier versions left the value out of the reason.
        is_named = read_sizes(label, why).get(label) == fold_text(value)
        found["00-03", label] = why if is_named else "; ".join(filter(None, (value, why)))
    scope, complexity = found["00-03", "Scope"], find_labelled(scan, "Complexity")
    if SIZE_WORDS.issuperset(map(fold_text, (scope, complexity))):
        found["00-03", "Scope"] = f"{scope}, complexity: {complexity}"
    return found


class LabelledAnswer(Struct, frozen=True):
    """An answer as it stands in a document: its words, or the entries and the code below its label."""

    label: str
    words: str
    parts: tuple[str, ...]
    section: str

    @property
    def text(self) -> str:
        """Return the answer as it was given."""
        parts = (part if is_code(part) else _read_words(part) for part in self.parts)
        return _read_words(self.words) or "\n".join(parts)


def read_labelled(
    text: str, labels: Container[str] = (), *, with_feedback: bool = False
) -> Iterator[LabelledAnswer]:
    """Yield the labelled answers of a document, but for those in elaboration blocks and mostly in feedback.

    Below one of `labels`, an entry that begins with a label of its own still belongs to the list.
    """
    skipped = {number for block in find_elaboration_blocks("", text) for number, _ in block.lines}
    section = label = words = sign = ""
    parts: list[str] = []
    indent, is_feedback = 0, False
    for number, line, is_fenced in (*joined_lines(text), (0, "# The end", False)):
        heading = None if is_fenced else parse_heading(line)
        is_marked = begins_like_feedback(line)
        begins = None if is_fenced else LABELLED.fullmatch(line.strip())
        is_entry = not is_fenced and not line.startswith(OPEN_QUESTION) and (not begins or label in labels)
        entry = _ENTRY.match(line) if is_entry else None
        is_in_list = bool(parts) and not is_code(parts[-1])
        if entry and not is_in_list:
            sign, indent = entry["sign"], len(entry["indent"])
        elif entry and entry["sign"] != sign and len(entry["indent"]) < indent + 2:
            entry = None  # a second list right after the first is somebody else's
        # Only after a label without words is a list the answer.
        if label and not words and (is_fenced or entry):
            parts += filter(None, [(line[entry.end() :] if entry else dedent(line)).strip()])
            begins = None
        elif label and is_in_list and line.startswith("  ") and not begins:
            parts[-1] += f" {line.strip()}"  # a further paragraph of the entry
        elif label and line.strip() and (words or parts or is_marked or not line.lstrip().startswith("<!--")):
            yield LabelledAnswer(label, words, tuple(parts), section)
            label = ""
        if heading and number not in skipped:
            section = heading[1] if heading[0] <= 2 else section
        if begins and number not in skipped and (with_feedback or not is_feedback):
            label, words, parts = unescape_markdown(begins["label"].strip()), begins["text"].strip(), []
        if line.strip():
            is_feedback = is_marked


def read_labelled_answers(shape: Outline, step: Step, heading: str) -> dict[str, str]:
    """Return the answers under the step's labels in the section it writes; of several, the last."""
    questions = [question for depth in DEPTHS for question in step.questions(depth)]
    labels = {question.formerly: question.label for question in questions if question.formerly}
    labels |= {question.label.replace("*", ""): question.label for question in questions}
    found: dict[str, str] = {}
    for section in find_named_sections(shape.sections, heading):
        own = decode_document(shape.document[section.body : section.end])
        markers = (parse_marker(line) for _, line in prose_lines(own))
        nones = [label for each in markers if isinstance(each, NoneMarker) for label in each.labels]
        found.update((labels[label], "None.") for label in nones if label in labels)
        plain = next((line for line in own.splitlines() if line.strip() and not line.startswith("<!--")), "")
        if nones and nones[0] in labels and is_settled(unescape_markdown(plain)):
            # A section that holds nothing else; earlier versions left out the label also where it says why.
            found[labels[nones[0]]] = unescape_markdown(plain)
        answers = ((labels.get(each.label), each.text) for each in read_labelled(own, labels))
        found.update((label, text) for label, text in answers if label and text)
    return found


def is_code(part: str) -> bool:
    """Whether a part of an answer is a block of code."""
    return part.startswith(("```", "~~~"))


def _read_words(markdown: str) -> str:
    return unescape_markdown(" ".join(strip_unprintable(markdown).split()))
