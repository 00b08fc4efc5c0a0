"""Texts as sentences: a document, an item or a message without its markup, cut where a sentence ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_SENTENCES = 200
LONGEST_LINE = 2_000
_LONG_CELL = 4
_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(?P<text>.+?)\s*#*\s*$")
_LEAD = re.compile(r"^\s*(?:>\s*)*(?:[-+*•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A\ufeff?---\n.*?\n---\n", re.DOTALL)
_EMPHASIS = re.compile(r"(\*\*|__|\*(?=\S)|(?<=\S)\*)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)])|(?<=[.!?][\"'”’)]{2}))\s+(?=[\"'“‘(]?[^\W\d_a-z]|\d)|(?<=[。！？])"
)
_BOLD_LABEL = re.compile(r"^\s*(?:[-+*•]\s+)?\*\*(?P<label>[^*\n]{1,60}?)(?::\*\*|\*\*\s*:)")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|no|z\.B|bzw|ca|Dr|Mr|Mrs|St)\.$", re.IGNORECASE)
# What an issue form asks; the answer below it is what counts.
_BOILERPLATE = re.compile(
    r"is your feature request related|describe the (?:bug|solution|feature|problem)"
    r"|describe (?:alternatives|what)"
    r"|steps to reproduce|(?:expected|actual) (?:behaviou?r|result)s?$|additional context$|to reproduce$",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*\|[\s:|-]*-[\s:|-]*$")
_ASKED = re.compile(r"open questions?:", re.IGNORECASE)
_IDENTITY = re.compile(r"[A-Z]{1,4}-\d{1,4}(?:-\d{1,3})?")
_CODE_SIGN = re.compile(r"[{}();=<>\[\]|&$\\]")
_CODE_START = re.compile(
    r"\s*(?:def|class|import|from|return|func|fn|const|let|var|public|private|#include|SELECT|if \(|for \(|@)"
)
# A line of words may end in a colon too; one of code is short.
_CODE_END = re.compile(r"[;{]\s*$|^.{0,60}\w\)?:\s*$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, empty before the first one, and the lines below it up to the next."""

    heading: str
    level: int
    lines: tuple[str, ...]


def sections(text: str) -> tuple[Section, ...]:
    """The text cut at its headings, without front matter, comments and fenced code."""
    plain = _COMMENT.sub("", _FRONT_MATTER.sub("", text.replace("\r\n", "\n"), count=1))
    found: list[Section] = []
    heading, level, lines, fenced = "", 0, list[str](), False
    for line in plain.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        match = _HEADING.match(line[:LONGEST_LINE])
        if match:
            found.append(Section(heading, level, tuple(lines)))
            heading, level, lines = plain_line(match["text"]), len(match[1]), []
        else:
            lines.append(line[:LONGEST_LINE])
    found.append(Section(heading, level, tuple(lines)))
    return tuple(found)


def sentences(lines: tuple[str, ...]) -> Iterator[str]:
    """The sentences of some lines: wrapped lines joined, list entries apart, code and rules left out."""
    return (piece for _, piece in labelled(lines))


def labelled(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The sentences, each with the bold label under which it stands, empty where there is none."""
    held = ""
    # The head of a table names its columns; nobody says anything there.
    told = tuple(line for line, below in zip(lines, (*lines[1:], ""), strict=False) if not _RULE.match(below))
    for label, paragraph in _paragraphs(told):
        held = label or held
        if paragraph.startswith("|"):
            yield from _cells(paragraph)
            continue
        if _ASKED.match(paragraph):
            yield held, paragraph
            continue
        for piece in split(paragraph):
            if _is_said(piece):
                yield held, piece


def _cells(row: str) -> Iterator[tuple[str, str]]:
    """What the cells of a table row say, under the first of them where it is a word."""
    first, *others = (cell.strip() for cell in row.strip("| ").split("|"))
    first = "" if _IDENTITY.fullmatch(first) else first
    for cell in others:
        if len(cell.split()) >= _LONG_CELL and _is_said(cell):
            yield first, cell


def split(text: str) -> list[str]:
    """One paragraph as its sentences."""
    pieces: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if not piece or not piece.strip():
            continue
        if pieces and (_ABBREVIATION.search(pieces[-1]) or _inside_quotation(pieces[-1])):
            pieces[-1] += " " + piece.strip()
        else:
            pieces.append(piece.strip())
    return pieces


def _inside_quotation(piece: str) -> bool:
    """True where a quotation that opens in a sentence has not ended with it."""
    return piece.count('"') % 2 == 1 or piece.count("“") > piece.count("”")


def plain_line(line: str) -> str:
    """A line of markdown as it is read: without list marks, emphasis, links and tags."""
    text = _TAG.sub("", _LINK.sub(r"\1", _LEAD.sub("", line, count=1)))
    return " ".join(_EMPHASIS.sub("", text).replace("`", "").split())


def is_code(line: str) -> bool:
    """True where a line is more likely code than words."""
    stripped = line.strip()
    if not stripped:
        return False
    signs = len(_CODE_SIGN.findall(stripped))
    return signs * 8 >= len(stripped) or bool(
        _CODE_START.match(stripped) and (signs or stripped.endswith(":"))
    )


def mostly_code(text: str) -> bool:
    """True where a text is code rather than words with some code between."""
    lines = [line for line in text.split("\n") if line.strip()]
    coded = [
        line
        for line in lines
        if is_code(line) or line.startswith(("    ", "\t")) or _CODE_END.search(line[-80:])
    ]
    letters = sum(len(line.strip()) for line in coded)
    return len(coded) > 1 and letters * 2 > sum(len(line.strip()) for line in lines)


def identifiers(text: str) -> tuple[str, ...]:
    """The names in a code, those that are defined there first."""
    defined = re.findall(
        r"\b(?:def|class|function|func|fn|interface|struct|table)\s+([A-Za-z_]\w{2,40})", text
    )
    used = re.findall(r"\b([a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,})\b", text)
    return tuple(dict.fromkeys([*defined, *used]))[:40]


def _paragraphs(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The paragraphs and list entries, each with the label that begins there."""
    label, held = "", list[str]()
    for line in (*lines, ""):
        bold = _BOLD_LABEL.match(line)
        starts_entry = bool(bold or re.match(r"\s*(?:[-+*•]\s|\d{1,3}[.)]\s|\||>)", line))
        if held and (not line.strip() or starts_entry or is_code(line)):
            yield label, " ".join(held)
            label, held = "", []
        if bold:
            label, line = plain_line(bold["label"]), line[bold.end() :]
        if line.strip() and not is_code(line):
            held.append(plain_line(line))


def _is_said(piece: str) -> bool:
    """True for a sentence worth quoting: some letters, no table row, no bare rule."""
    if _BOILERPLATE.match(piece):
        return False
    letters = sum(char.isalpha() for char in piece)
    return letters >= 6 and letters * 2 >= len(piece.replace(" ", "")) and not piece.startswith("|")
