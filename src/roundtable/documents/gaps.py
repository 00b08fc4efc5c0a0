"""The largest gap of any markdown document: what a roundtable on it is about first (MENU-8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from ..core.text import parse_heading, split_sentences, unescape_markdown
from .outline import (
    Outline,
    decode_document,
    joined_lines,
    list_open_sections,
    read_outline,
    strip_numbering,
)
from .page import OPEN_QUESTION

_ASKED_UNDER = re.compile(r"(?:open|unresolved|outstanding)\b.*|questions", re.IGNORECASE)
_ENTRY = re.compile(r"^ ?(?:[-*+]|\d{1,3}[.)])\s+(?!\[[xX]\])(?:\[ \]\s+)?")
_ASKS = re.compile(r".*?\?(?=[\s:]|$)")
_COMMENT = re.compile(r"^ {0,3}(?:<!--.*?(?:-->|\Z)|//[^\n]*)", re.MULTILINE | re.DOTALL)
_UNDONE = re.compile(r"\b(?:TBD|TODO|FIXME|XXX|to be (?:decided|determined|defined|written))\b|\?\?\?")
_NOTHING = frozenset({"none", "n/a", "nothing", "-"})
_NAMED = re.compile(r"^(?:title|[-*+] \**+Feature Name\**+):\**+[ \t]++(?P<title>[^\n]+)", re.MULTILINE)
_MAX_QUOTE_LENGTH = 160


class DocumentGap(Struct, frozen=True):
    """Where a document says least: its section, the question that follows, and both in a few words."""

    section: str
    question: str
    topic: str
    summary: str


def read_title(document: bytes, name: str) -> str:
    """Return the document's title: its one main heading, else what it is named at its top, else `name`."""
    sections = [each for each in read_outline(document).sections if each.name and not each.elaboration]
    main = [each.heading for each in sections if each.level == 1]
    if len(main) == 1:
        return main[0]
    top = decode_document(document[: sections[0].start] if sections else document)
    named = _NAMED.search(top)
    return named["title"].strip("\"'` ") if named else next(iter(main), name)


def find_gap(document: bytes, discussed: Collection[str] = ()) -> DocumentGap:
    """Return the first that applies of: an open question, an empty section, a TODO, the longest section.

    Questions that were `discussed` before come last.
    """
    shape = read_outline(document)
    asked, undone = _read_lines(decode_document(document))
    found = [*asked, *_find_empty(shape), *undone, *_find_longest(shape)]
    return next((each for each in found if each.question not in discussed), found[0])


def _read_lines(text: str) -> tuple[list[DocumentGap], list[DocumentGap]]:
    """Return the open questions, asked as they are where they ask, and what is still to be filled in."""
    asked: list[DocumentGap] = []
    undone: list[DocumentGap] = []
    section, level, is_list = "", 0, False
    # A comment holds no questions, but it may say what is still to do.
    text = _COMMENT.sub(lambda found: " ".join(found[0].split()) if _UNDONE.search(found[0]) else "", text)
    for _, line, is_code in joined_lines(text):
        heading = None if is_code else parse_heading(line)
        entry = _ENTRY.sub("", line, count=1).strip()
        words = ""
        if heading and is_list and heading[0] > level:
            words = strip_numbering(heading[1])  # each question may have a heading of its own
        elif heading:
            section, level = strip_numbering(heading[1]), heading[0]
            is_list = _ASKED_UNDER.fullmatch(section) is not None
        elif not is_code and (line.startswith(OPEN_QUESTION) or (is_list and _ENTRY.match(line))):
            words = unescape_markdown(entry.replace("**", ""))
            words = words.removeprefix(OPEN_QUESTION.removeprefix("- "))
        elif not is_code and _UNDONE.search(line):
            entry = unescape_markdown(entry)
            quoted = _shorten(next(filter(_UNDONE.search, split_sentences(entry)), entry))
            name = section or "the beginning"
            question = f'What has to be decided under "{name}" so that this can be filled in: "{quoted}"?'
            summary = f'Under "{name}" something is still to be filled in.'
            undone.append(DocumentGap(section, question, f'"{name}"', summary))
        if words and words.casefold().rstrip(".") not in _NOTHING:
            asks = _ASKS.match(words)
            question = asks[0] if asks and len(asks[0]) <= _MAX_QUOTE_LENGTH else ""
            question = question or f'How is this settled: "{_shorten(words).rstrip(".")}"?'
            asked.append(
                DocumentGap(section, question, "the open questions", "There are questions open in it.")
            )
    return asked, undone


def _find_empty(shape: Outline) -> Iterator[DocumentGap]:
    """Yield the sections that hold nothing, or only a comment that says what belongs there."""
    for each in list_open_sections(shape.sections):
        if not _COMMENT.sub("", decode_document(shape.document[each.body : each.end])).strip():
            question = f'What belongs under "{each.name}", and who can say so?'
            summary = f'Nothing is written under "{each.name}".'
            yield DocumentGap(each.heading, question, f'"{each.name}"', summary)


def _find_longest(shape: Outline) -> Iterator[DocumentGap]:
    """Yield the sections by the length of their own text, without their subsections; else the document."""
    ends = (*(each.start for each in shape.sections[1:]), len(shape.document))
    own = {
        each: len(shape.document[each.body : end].strip())
        for each, end in zip(shape.sections, ends, strict=False)
    }
    filled = [each for each in list_open_sections(shape.sections) if own[each]]
    longest = [each.heading for each in sorted(filled, key=own.__getitem__, reverse=True)]
    for heading in longest or [""]:
        name = f'"{strip_numbering(heading)}"' if heading else "the document"
        question = f"What does {name} leave out, and who would notice it first?"
        yield DocumentGap(heading, question, name, "Nothing in it is marked as open.")


def _shorten(words: str) -> str:
    return words if len(words) <= _MAX_QUOTE_LENGTH else words[:_MAX_QUOTE_LENGTH].rsplit(" ", 1)[0] + " ..."
