"""The largest gap of any markdown document: what a roundtable on it is about first (MENU-8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from ..core.text import cut_words, parse_heading, unescape_markdown
from . import outline
from .page import OPEN_QUESTION

_ASKED_UNDER = re.compile(r"(?:open|unresolved|outstanding)\b.*|questions", re.IGNORECASE)
_ENTRY = re.compile(r"^ ?(?:[-*+]|\d{1,3}[.)])\s+(?!\[[xX]\])(?:\[ \]\s+)?")
_ASKS = re.compile(r".*?\?(?=[\s:]|$)")
_COMMENT = re.compile(r"^ {0,3}(?:<!--.*?(?:-->|\Z)|//[^\n]*)", re.MULTILINE | re.DOTALL)
_UNDONE = re.compile(r"[-*+\s]*+(?:(?:TBD|TODO|FIXME|XXX|\?\?\?).*)?")
_NOTHING = frozenset({"", "none", "n/a", "nothing", "-"})
_NAMED = re.compile(r"^(?:title|[-*+] \**+Feature Name\**+):\**+[ \t]++(?P<title>[^\n]+)", re.MULTILINE)
_MAX_WORDS_QUOTED = 25


class DocumentGap(Struct, frozen=True):
    """Where a document says least: its section, the question that follows, and both in a few words."""

    section: str
    question: str
    topic: str
    summary: str


def read_title(document: bytes, name: str) -> str:
    """Return the document's title: its one main heading, else what it is named at its top, else `name`."""
    every = outline.read_outline(document).sections
    sections = [each for each in every if each.name and not each.elaboration]
    main = [each.heading for each in sections if each.level == 1]
    if len(main) == 1:
        return main[0]
    named = _NAMED.search(outline.decode_document(document[: sections[0].start] if sections else document))
    return named["title"].strip("\"'` ") if named else next(iter(main), name)


def find_gap(document: bytes, discussed: Collection[str] = ()) -> DocumentGap:
    """Return an open question, an empty section or the longest; what was `discussed` before comes last."""
    shape = outline.read_outline(document)
    found = [*_find_asked(outline.decode_document(document)), *_find_empty(shape), *_find_longest(shape)]
    return next((each for each in found if each.question not in discussed), found[0])


def _find_asked(text: str) -> Iterator[DocumentGap]:
    """Yield the open questions, asked as they are where they ask."""
    section, is_list = "", False
    for _, line, is_code in outline.joined_lines(_COMMENT.sub("", text)):
        if is_code:
            continue
        if heading := parse_heading(line):
            section = outline.strip_numbering(heading[1])
            is_list = _ASKED_UNDER.fullmatch(section) is not None
        elif line.startswith(OPEN_QUESTION) or (is_list and _ENTRY.match(line)):
            entry = _ENTRY.sub("", line, count=1).replace("**", "")
            words = unescape_markdown(entry).removeprefix(OPEN_QUESTION[2:]).strip()
            asks, short = _ASKS.match(words), cut_words(words, _MAX_WORDS_QUOTED)
            question = asks[0] if asks and short == words else f'How is this settled: "{short.rstrip(".")}"?'
            if words.casefold().rstrip(".") not in _NOTHING:
                yield DocumentGap(section, question, "the open questions", "There are questions open in it.")


def _find_empty(shape: outline.Outline) -> Iterator[DocumentGap]:
    """Yield the sections that hold nothing, or only a comment or what is still to do."""
    for each in outline.list_open_sections(shape.sections):
        own = _COMMENT.sub("", outline.decode_document(shape.document[each.body : each.end]))
        if all(map(_UNDONE.fullmatch, own.split("\n"))):
            question = f'What belongs under "{each.name}", and who can say so?'
            said = f'Nothing is written under "{each.name}".'
            yield DocumentGap(each.heading, question, f'"{each.name}"', said)


def _find_longest(shape: outline.Outline) -> Iterator[DocumentGap]:
    """Yield the sections by the length of their own text, without their subsections; else the document."""
    ends = (*(each.start for each in shape.sections[1:]), len(shape.document))
    sizes = {each: end - each.body for each, end in zip(shape.sections, ends, strict=False)}
    longest = sorted(outline.list_open_sections(shape.sections), key=sizes.__getitem__, reverse=True)
    for heading in [each.heading for each in longest] or [""]:
        name = f'"{outline.strip_numbering(heading)}"' if heading else "the document"
        question = f"What does {name} leave out, and who would notice it first?"
        yield DocumentGap(heading, question, name, "Nothing in it is marked as open.")
