"""The largest gap of any markdown document: what a roundtable on it is about first (MENU-8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ..core.text import parse_heading, unescape_markdown
from .outline import Outline, Section, decode_document, prose_lines, read_outline, strip_numbering
from .page import OPEN_QUESTION

_ASKED_UNDER = re.compile(r"(?:open|unresolved|outstanding)\b.*|questions", re.IGNORECASE)
_ENTRY = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+(?!\[[xX]\])(?:\[ \]\s+)?")
_UNDONE = re.compile(r"\b(?:TBD|TODO|FIXME|XXX|to be (?:decided|determined|defined|written))\b|\?\?\?")
_NOTHING = frozenset({"none", "n/a", "nothing", "-"})
_MAX_QUOTE_LENGTH = 160


class DocumentGap(Struct, frozen=True):
    """Where a document says least: its section, the question that follows, and both in a few words."""

    section: str
    question: str
    topic: str
    summary: str


def read_title(document: bytes, name: str) -> str:
    """Return the document's title: its first heading of the highest level, else its name."""
    sections = [each for each in read_outline(document).sections if each.name and not each.elaboration]
    highest = min((each.level for each in sections), default=0)
    return next((each.heading for each in sections if each.level == highest), name)


def find_gap(document: bytes, discussed: Collection[str] = ()) -> DocumentGap:
    """Return the first that applies of: an open question, an empty section, a TODO, the longest section.

    Questions that were `discussed` before come last.
    """
    shape = read_outline(document)
    sections = [each for each in shape.sections if each.level > 1 and not each.elaboration]
    parts = [each for each in sections if not any(each.start < other.start < each.end for other in sections)]
    text = decode_document(document)
    found = [*_find_questions(text), *_find_empty(shape, parts), *_find_undone(text), _find_longest(parts)]
    return next((each for each in found if each.question not in discussed), found[0])


def _find_questions(text: str) -> Iterator[DocumentGap]:
    for section, words in _list_questions(text):
        question = words if words.endswith("?") else f'How is this settled: "{words.rstrip(".")}"?'
        yield DocumentGap(section, question, "the open questions", "There are questions open in it.")


def _list_questions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the questions that a document lists as open, each with its section."""
    section, level, is_list = "", 0, False
    for _, line in prose_lines(text):
        if heading := parse_heading(line):
            name = strip_numbering(heading[1])
            if is_list and heading[0] > level:
                yield section, _shorten(name)  # each question may have a heading of its own
            else:
                section, level, is_list = name, heading[0], _ASKED_UNDER.fullmatch(name) is not None
        elif line.startswith(OPEN_QUESTION) or (is_list and _ENTRY.match(line)):
            words = unescape_markdown(_ENTRY.sub("", line, count=1).strip().replace("**", ""))
            words = words.removeprefix(OPEN_QUESTION.removeprefix("- "))
            if words and words.casefold().rstrip(".") not in _NOTHING:
                yield section, _shorten(words)


def _find_empty(shape: Outline, parts: Sequence[Section]) -> Iterator[DocumentGap]:
    for each in parts:
        if not shape.document[each.body : each.end].strip():
            name = strip_numbering(each.heading)
            question = f'What belongs under "{name}", and who can say so?'
            yield DocumentGap(each.heading, question, f'"{name}"', f'Nothing is written under "{name}".')


def _find_undone(text: str) -> Iterator[DocumentGap]:
    section = ""
    for _, line in prose_lines(text):
        if heading := parse_heading(line):
            section = heading[1]
        elif _UNDONE.search(line):
            words = _shorten(unescape_markdown(_ENTRY.sub("", line, count=1).strip()))
            name = strip_numbering(section) or "the beginning"
            question = f'What has to be decided under "{name}" so that this can be filled in: "{words}"?'
            summary = f'Under "{name}" something is still to be filled in.'
            yield DocumentGap(section, question, f'"{name}"', summary)


def _find_longest(parts: Sequence[Section]) -> DocumentGap:
    longest = max(parts, key=lambda each: each.end - each.body, default=None)
    name = f'"{strip_numbering(longest.heading)}"' if longest else "the document"
    question = f"What does {name} leave out, and who would notice it first?"
    heading = longest.heading if longest else ""
    return DocumentGap(heading, question, name, "Nothing in it is marked as open.")


def _shorten(words: str) -> str:
    return words if len(words) <= _MAX_QUOTE_LENGTH else words[:_MAX_QUOTE_LENGTH].rsplit(" ", 1)[0] + " ..."
