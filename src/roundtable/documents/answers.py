"""Earlier answers, as they stand in the artifacts (rule STEP-4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.steps import DEPTHS, Question, Step
from ..core.text import unescape_markdown, strip_unprintable
from .outline import Outline, MarkdownBlock, find_named_sections, sections_of

_LABELLED = re.compile(r"(?:[-*+][ \t]++)?\*\*(?P<label>[^*\n]+?)(?::\*\*|\*\*:)[ \t]*+(?P<text>.*)")
_NEXT = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t])")
_KINDS = ("paragraph", "bullet_list", "ordered_list", "fence")
OPEN_QUESTION = "- Open question: "


def answers_in(shape: Outline, step: Step, heading: str) -> dict[str, str]:
    """The answers under the step's labels in the section it writes; of several, the last."""
    labels = {question.label.replace("*", ""): question.label for question in _questions(step)}
    found: dict[str, str] = {}
    for section in find_named_sections(sections_of(shape), heading):
        listed, gathered, last = "", list[str](), ""
        for piece in _own_pieces(shape, section.body, section.end):
            lines = shape.document[piece.start : piece.end].decode("utf-8", "replace").splitlines()
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


def _own_pieces(shape: Outline, start: int, end: int) -> Iterator[MarkdownBlock]:
    """The text of a section that is neither an elaboration's nor feedback."""
    sections = sections_of(shape)
    before: MarkdownBlock | None = None
    for piece in shape.within(start, end):
        owner = [section for section in sections if section.start <= piece.start][-1]
        feedback = before is not None and before.text.lstrip().startswith("<!-- Feedback:")
        if piece.kind in _KINDS and not owner.elaboration and not feedback:
            yield piece
        before = piece


def _questions(step: Step) -> Iterator[Question]:
    for depth in DEPTHS:
        yield from step.questions(depth)


def _entries(lines: list[str]) -> str:
    """The entries of a list, one on each line, with what runs on below them."""
    entries: list[list[str]] = []
    for line in lines:
        if begins := _NEXT.match(line):
            entries.append([line[begins.end() :]])
        elif line.strip():
            entries = entries or [[]]
            entries[-1].append(line)
    return "\n".join(_text(words) for words in entries)


def _labelled(lines: list[str]) -> Iterator[tuple[str, str]]:
    label = ""
    words: list[str] = []
    for line in lines:
        if begins := _LABELLED.fullmatch(line.strip()):
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
