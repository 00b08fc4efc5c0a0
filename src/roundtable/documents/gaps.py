"""The largest gap of any markdown document: what a roundtable on it is about first (MENU-8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from ..core.lines import join_names
from ..core.text import parse_heading, unescape_markdown
from .outline import Outline, prose_lines, read_outline, strip_numbering
from .page import OPEN_QUESTION

_ASKED_UNDER = re.compile(r"(?:open|unresolved|outstanding)\b.*|questions", re.IGNORECASE)
_ENTRY = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[ \]\s+)?")
_UNDONE = re.compile(r"\b(?:TBD|TODO|FIXME|XXX|to be (?:decided|determined|defined|written))\b|\?\?\?")
_NOTHING = frozenset({"none", "n/a", "nothing", "-"})
_MAX_QUOTE_LENGTH = 160
_MAX_NAMES = 5
_LEAST_QUESTION_LENGTH = 8


@dataclass(frozen=True, slots=True)
class DocumentGap:
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
    text = document.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    sections = [each for each in shape.sections if each.level > 1 and not each.elaboration]
    names = [f'"{strip_numbering(each.heading)}"' for each in sections]
    if len(names) > _MAX_NAMES:
        names = [*names[:_MAX_NAMES], f"{len(names) - _MAX_NAMES} more"]
    found = [*_find_questions(text), *_find_empty(shape), *_find_undone(text), _find_longest(shape)]
    gap = next((each for each in found if each.question not in discussed), found[0])
    listed = f"the document has {join_names(names)}. " if names else ""
    return replace(gap, summary=f"{listed}{gap.summary}")


def _find_questions(text: str) -> Iterator[DocumentGap]:
    asked = list(_list_questions(text))
    count = "One question is" if len(asked) == 1 else f"{len(asked)} questions are"
    for section, words in asked:
        question = words if words.endswith("?") else f'How is this settled: "{words.rstrip(".")}"?'
        yield DocumentGap(section, question, "the open questions", f"{count} open in it.")


def _list_questions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the questions that a document lists as open, each with its section."""
    section, level, is_list = "", 0, False
    for _, line in prose_lines(text):
        if heading := parse_heading(line):
            name = strip_numbering(heading[1])
            if not (is_list and heading[0] > level):
                level, is_list = heading[0], _ASKED_UNDER.fullmatch(name) is not None
                section = name
            elif len(name) >= _LEAST_QUESTION_LENGTH:
                yield section, _shorten(name)  # each question may have a heading of its own
        elif line.startswith(OPEN_QUESTION) or is_list:
            words = unescape_markdown(_ENTRY.sub("", line, count=1).strip().replace("**", ""))
            words = words.removeprefix(OPEN_QUESTION.removeprefix("- "))
            is_entry = _ENTRY.match(line) is not None or words.endswith("?")
            is_done = "[x]" in line.casefold() or line.lstrip() != line
            if is_entry and not is_done and words.casefold().rstrip(".") not in _NOTHING and words:
                yield section, _shorten(words)


def _find_empty(shape: Outline) -> Iterator[DocumentGap]:
    for at, each in enumerate(shape.sections):
        following = shape.sections[at + 1] if at + 1 < len(shape.sections) else None
        has_parts = following is not None and following.level > each.level
        body = shape.document[each.body : each.end].strip()
        if each.level > 1 and not body and not has_parts and not each.elaboration:
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
            yield DocumentGap(
                section, question, f'"{name}"', f'Under "{name}" something is still to be filled in.'
            )


def _find_longest(shape: Outline) -> DocumentGap:
    sections = [each for each in shape.sections if each.level > 1 and not each.elaboration]
    innermost = [
        each for each in sections if not any(each.start < other.start < each.end for other in sections)
    ]
    if not innermost:
        question = "What does the document leave out, and who would notice it first?"
        return DocumentGap("", question, "what it leaves out", "Nothing in it is marked as open.")
    longest = max(innermost, key=lambda each: each.end - each.body)
    name = strip_numbering(longest.heading)
    question = f'What does "{name}" leave out, and who would notice it first?'
    return DocumentGap(
        longest.heading, question, f'"{name}"', f'Nothing is marked as open; "{name}" says most.'
    )


def _shorten(words: str) -> str:
    return words if len(words) <= _MAX_QUOTE_LENGTH else words[:_MAX_QUOTE_LENGTH].rsplit(" ", 1)[0] + " ..."
