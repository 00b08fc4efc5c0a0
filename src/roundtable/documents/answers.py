"""Read earlier answers from the documents (rule STEP-5): under their labels, or in another form."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from textwrap import dedent

from msgspec import Struct

from ..core.markers import NoneMarker, begins_like_feedback, parse_marker
from ..core.steps import Step
from ..core.text import parse_heading, strip_unprintable, unescape_markdown
from ..core.validation import is_settled
from . import drafting, ids, outline
from .blocks import find_elaboration_blocks
from .page import OPEN_QUESTION, split_lines

_ENTRY = re.compile(r"\s*+(?:[-*+]|\d{1,9}[.)])(?:\s++|$)")


def read_answers(documents: Mapping[str, str], title: str) -> dict[tuple[str, str], str]:
    """Return the answers that the documents hold in another form than they were given, by step and label.

    `title` is the item's; if it was used because no features were given, it is not an answer.
    """
    requirements, stories = ids.list_requirements(documents), ids.list_stories(documents)
    features = [each.text for each in requirements]
    criteria = [each.text for owner in requirements for each in owner.criteria]
    happy, unhappy = ([each.text for each in stories if each.unhappy is sad] for sad in (False, True))
    options = _read_decisions(documents, "Options and Tradeoffs")
    choices = _read_decisions(documents, "Technology Decisions")
    listed = [f"- {' '.join(choice.split())}" for choice in choices] if len(choices) > 1 else choices
    lists = {
        ("01-06", drafting.FEATURES): [] if features == [unescape_markdown(title)] else features,
        ("01-06", drafting.ACCEPTANCE): criteria,
        ("01-07", drafting.STORY_LABELS[0]): happy,
        ("01-07", drafting.STORY_LABELS[1]): unhappy,
        ("03-01", drafting.DECISION): options[:1],
        ("03-02", drafting.CHOICE): listed,
    }
    found = {key: "\n".join(texts) for key, texts in lists.items()}
    # Earlier versions wrote errors in a table, and a size apart from its reason.
    errors, scan = documents.get("error-taxonomy.md", ""), documents.get(ids.SCAN, "")
    if "**Errors**" not in errors:
        told = (": ".join(filter(None, cells)) for _, *cells in ids.list_rows(errors, "E"))
        found["04-04", "Errors"] = "\n".join(told)
    for label in ("Scope", "Complexity"):
        value, why = (outline.find_labelled(scan, each) for each in (label, f"Why this {label.lower()}"))
        if why:
            found["00-03", label] = why if value.lower() in why.lower() else f"{value}; {why}"
    for _, label, *cells in ids.list_attributes(documents):
        found["01-05", label] = "".join(cells[:1])
    for note in ids.read_json_list(documents.get(ids.STORIES_FILE, ""), "notes", dict):
        found["01-07", str(note.get("label", ""))] = str(note.get("text", ""))
    return {key: text for key, text in found.items() if text}


def _read_decisions(documents: Mapping[str, str], section: str) -> list[str]:
    page = outline.section_text(documents.get(ids.OVERVIEW, ""), section)
    decided = (split_lines(each.part("Decision")) for each in ids.list_records({ids.OVERVIEW: page}))
    return ["\n".join(map(unescape_markdown, lines)) for lines in decided]


class LabelledAnswer(Struct, frozen=True):
    """An answer in a document: the words after its label, or the entries and the code below it."""

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
    """Yield a document's labelled answers, except in elaboration blocks and, by default, in feedback.

    Below one of `labels`, an entry that begins with a label of its own still belongs to the list.
    """
    skipped = {number for block in find_elaboration_blocks("", text) for number, _ in block.lines}
    section = label = words = ""
    parts: list[str] = []
    is_feedback = False
    for number, line, is_fenced in (*outline.joined_lines(text), (0, "# The end", False)):
        heading = None if is_fenced else parse_heading(line)
        is_marked = begins_like_feedback(line)
        begins = None if is_fenced else outline.LABELLED.fullmatch(line.strip())
        is_entry = not is_fenced and not line.startswith(OPEN_QUESTION) and (not begins or label in labels)
        entry = _ENTRY.match(line) if is_entry else None
        # A list is the answer only if no words follow the label.
        if label and not words and (is_fenced or entry):
            parts += filter(None, [(line[entry.end() :] if entry else dedent(line)).strip()])
            begins = None
        elif label and parts and not is_code(parts[-1]) and line.startswith("  ") and not begins:
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


def read_labelled_answers(shape: outline.Outline, step: Step, heading: str) -> Iterator[tuple[str, str]]:
    """Yield the step's labels with their answers in the section it writes; of several, the last counts."""
    labels = {question.label.replace("*", ""): question.label for question in step.every_question}
    for section in outline.find_named_sections(shape.sections, heading):
        own = outline.decode_document(shape.document[section.body : section.end])
        markers = (parse_marker(line) for _, line in outline.prose_lines(own))
        nones = [label for each in markers if isinstance(each, NoneMarker) for label in each.labels]
        yield from ((labels[label], "None.") for label in nones if label in labels)
        plain = next((line for line in own.splitlines() if line.strip() and not line.startswith("<!--")), "")
        if nones and nones[0] in labels and is_settled(unescape_markdown(plain)):
            yield labels[nones[0]], unescape_markdown(plain)  # a section that holds nothing else
        answers = ((labels.get(each.label), each.text) for each in read_labelled(own, labels))
        yield from ((label, text) for label, text in answers if label and text)


def read_step_answers(steps: Iterable[Step], output: str, text: str) -> dict[tuple[str, str], str]:
    """Return the labelled answers of a document, by step and label; RuleBroken if it is too long."""
    shape = outline.read_outline(text.encode("utf-8", "replace"))
    named = ((step, each.section) for step in steps for each in step.sections if each.output == output)
    return {
        (step.step_id, label): answer
        for step, section in named
        for label, answer in read_labelled_answers(shape, step, section)
    }


def is_code(part: str) -> bool:
    """Whether a part of an answer is a block of code."""
    return part.startswith(("```", "~~~"))


def _read_words(markdown: str) -> str:
    return unescape_markdown(" ".join(strip_unprintable(markdown).split()))
