"""Earlier answers, as they stand in the artifacts (rule STEP-4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..artifacts.outline import Outline, Piece
from ..artifacts.sections import named, sections_of
from ..core.markup import printable
from ..core.steps import DEPTHS, Question, Step

_LABELLED = re.compile(r"(?:[-*+][ \t]+)?\*\*(?P<label>[^*\n]+?)(?::\*\*|\*\*:)[ \t]*(?P<text>.*)")
_NEXT = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t])")
# What `harmless` puts before a sign that would open a block, and before a lone backtick.
_ESCAPE = re.compile(r"^\\(?=[#>+*~|=_\[-])|(?<=^\d)\\(?=[.)])|(?<=^\d\d)\\(?=[.)])|\\(?=`)|\\(?=\\$)")
_KINDS = ("paragraph", "bullet_list", "ordered_list")


def answers_in(shape: Outline, step: Step, heading: str) -> dict[str, str]:
    """The answers under the step's labels in the section it writes; of several, the last."""
    labels = {question.label.replace("*", ""): question.label for question in _questions(step)}
    found: dict[str, str] = {}
    for section in named(sections_of(shape), heading):
        listed = ""
        for piece in _own_pieces(shape, section.body, section.end):
            lines = shape.document[piece.start : piece.end].decode("utf-8", "replace").splitlines()
            pairs = list(_labelled(lines))
            if listed and piece.kind == "bullet_list":
                found[listed] = _entries(lines)
            found.update((labels[label], text) for label, text in pairs if label in labels and text)
            label, text = pairs[-1]
            listed = "" if text else labels.get(label, "")
    return found


def plain(text: str) -> str:
    """Text from a document without what keeps it from acting as markup."""
    return _ESCAPE.sub("", text).replace("&lt;", "<").replace("--&gt;", "-->")


def _own_pieces(shape: Outline, start: int, end: int) -> Iterator[Piece]:
    """The text of a section that is neither an elaboration's nor feedback."""
    sections = sections_of(shape)
    before: Piece | None = None
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
    """The entries of a list, one on each line."""
    return "\n".join(_text([_NEXT.sub("", line, count=1)]) for line in lines if line.strip())


def _labelled(lines: list[str]) -> Iterator[tuple[str, str]]:
    label = ""
    words: list[str] = []
    for line in lines:
        if begins := _LABELLED.fullmatch(line.strip()):
            yield label, _text(words)
            label, words = plain(begins["label"].strip()), [begins["text"]]
        elif _NEXT.match(line) or not line.strip():
            yield label, _text(words)
            label, words = "", []
        else:
            words.append(line)
    yield label, _text(words)


def _text(words: list[str]) -> str:
    return plain(" ".join(" ".join(printable(line) for line in words).split()))
