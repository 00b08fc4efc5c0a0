"""How our markdown is read: blocks with their bytes, sections, lines outside of code, labels."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ..core.errors import RuleBroken
from ..core.text import stem_word, unescape_markdown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MAX_DOCUMENT_SIZE = 5_000_000

_BOM = b"\xef\xbb\xbf"
_NEWLINE = re.compile(rb"\r\n?|\n")
_RULER = re.compile(r"---[ \t]*")
_RULER_END = re.compile(r"(?:---|\.\.\.)[ \t]*")
_KEY = re.compile(r"[\w\"'][^:]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One top-level block, in bytes and whole lines; `open` where only the document's end ends it."""

    kind: str
    start: int
    end: int
    level: int = 0
    text: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A document, where its lines start (its end is the last entry), and its pieces in order."""

    document: bytes
    lines: tuple[int, ...]
    pieces: tuple[MarkdownBlock, ...]

    @property
    def first(self) -> int:
        """Return where text may begin: after a byte order mark."""
        return self.lines[0]

    @property
    def newline(self) -> str:
        """Return the line ending that most lines have."""
        crlf = self.document.count(b"\r\n")
        lf = self.document.count(b"\n") - crlf
        cr = self.document.count(b"\r") - crlf
        return max((lf, "\n"), (crlf, "\r\n"), (cr, "\r"), key=lambda counted: counted[0])[1]

    def within(self, start: int, end: int) -> list[MarkdownBlock]:
        """Return the pieces that start in a stretch of the document."""
        return [piece for piece in self.pieces if start <= piece.start < end]

    def settle(self, start: int, end: int) -> int:
        """Return the place after the last line with text between two line starts; else `start`."""
        line = bisect_left(self.lines, end)
        while line > 0 and self.lines[line - 1] >= start:
            if self.document[self.lines[line - 1] : self.lines[line]].strip(b" \t\r\n"):
                return self.lines[line]
            line -= 1
        return start


def read_outline(document: bytes) -> Outline:
    """Return the document's pieces as a CommonMark reader with tables and front matter sees them."""
    if len(document) > MAX_DOCUMENT_SIZE:
        raise RuleBroken(
            f"The document has {len(document):,} bytes; at most {MAX_DOCUMENT_SIZE:,} can be added to. "
            "Nothing was changed. Split the file, or add the text by hand."
        )
    lines = _line_starts(document)
    text = document.decode("utf-8", "replace").removeprefix("\ufeff")
    source = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    pieces: list[MarkdownBlock] = []
    if front := _front_matter(source):
        pieces.append(MarkdownBlock("front_matter", lines[0], lines[front]))
        source[:front] = [""] * front
    tokens, env = parse("\n".join(source))
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0 and token.map:
            first, last = token.map
            start, end = lines[first], lines[last]
            kind = token.type.removesuffix("_open")
            if kind == "heading":
                heading = _render_heading(tokens[index + 1].content, env)
                pieces.append(MarkdownBlock(kind, start, end, int(token.tag[1]), heading))
            else:
                left_open = token is tokens[-1] and is_open(token, source)
                pieces.append(MarkdownBlock(kind, start, end, 0, token.content, left_open))
    return Outline(document, lines, tuple(pieces))


def parse(text: str) -> tuple[list[Token], dict[str, Any]]:
    """Return the block tokens of a text, inline content left as written, and the link definitions found."""
    env: dict[str, Any] = {}
    return _parser().parse(text, env), env


def is_open(token: Token, source: list[str]) -> bool:
    """Whether the document's last block is a fence or HTML that nothing closes."""
    if token.type not in ("fence", "html_block") or token.map is None:
        return False
    # What nothing closes takes in a further paragraph.
    tokens, _ = parse("\n".join([*source[token.map[0] : token.map[1]], "", "."]))
    return tokens[-1].type == token.type


def _line_starts(document: bytes) -> tuple[int, ...]:
    begin = len(_BOM) if document.startswith(_BOM) else 0
    starts = [begin, *(newline.end() for newline in _NEWLINE.finditer(document))]
    if starts[-1] != len(document) or len(starts) == 1:
        starts.append(len(document))
    return tuple(starts)


def _front_matter(source: list[str]) -> int:
    """Return how many lines the front matter takes: none where the first rule opens no such block."""
    if not _RULER.fullmatch(source[0]):
        return 0
    last = next((at for at, line in enumerate(source[1:], 1) if _RULER_END.fullmatch(line)), 0)
    body = source[1:last]
    if not last or not body or body[0].strip():
        return last and last + 1
    # After a blank line only a key tells front matter from a rule.
    return last + 1 if _KEY.match(next((line for line in body if line.strip()), "")) else 0


def _render_heading(content: str, env: dict[str, Any]) -> str:
    """Return a heading's words without its markup."""
    tokens: list[Token] = []
    _parser().inline.parse(content, _parser(), env, tokens)
    return " ".join("".join(_words(tokens)).split())


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield from _words(token.children or [])
        elif token.type != "html_inline":
            yield token.content


@cache
def _parser() -> MarkdownIt:
    # Imported when first used: loading it is slower than everything else a command does at its start.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


LABELLED = re.compile(r"(?:[-*+][ \t]++)?\*\*(?P<label>[^*\n]+?)(?::\*\*|\*\*:)[ \t]*+(?P<text>.*)")
"""A line such as `**Label**: text`."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def prose_lines(document: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of fenced code, each with its number."""
    fence = ""
    for number, line in enumerate(document.split("\n"), 1):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            yield number, line


def find_labelled(document: str, label: str) -> str:
    """Return the words after a label on its first line; empty where the document does not have it."""
    lines = (LABELLED.fullmatch(line.strip()) for line in document.split("\n"))
    return next(
        (unescape_markdown(found["text"].strip()) for found in lines if found and found["label"] == label), ""
    )


ADDITIONAL = "Additional Insights from Elaboration"

_BLOCK_MARKER = re.compile(r"<!-- Elaboration(?:: step | enrichment \(step )", re.IGNORECASE)
# What stands under a section made for a step: right after a marker, it is no part of an elaboration.
_OURS = re.compile(r"<!-- (?:Step|Feedback: step) ")
_BLOCK_HEADING = "elaboration insights (step"
_BLOCK_PARTS = frozenset({"key insights", "decisions", "decisions made", "open questions", "action items"})
DEEPEST = 6
CLOSING_SIGNS = re.compile(r"(?:(?<![\\#])|(?<=\\#))#+$")
"""The run of signs at the end of a heading's words that would be taken for the heading's own."""
_NUMBERING = re.compile(
    r"(?:(?i:section|chapter|part)\s+(?=[\dIVX])|§\s*)?"
    r"(?:\(?\d{1,9}(?:\.\d{1,9}){0,9}[.):]|\d{1,9}(?:\.\d{1,9}){1,9}|\d{1,2}|[A-Z][.)](?=\s)|[IVXLC]{1,9}[.):](?=\s))"
    r"(?:\s+[-–—:]\s+|\s+|(?<=[.):])(?=[^\W\d]))"
)
_WORD = re.compile(r"[^\W_]+")
_STOP_WORD = re.compile(r"an?|and|are|as|at|by|for|from|in|into|is|it|of|on|or|our|per|the|this|to|via|with")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading as a person reads it, its name without numbering, its level, and its bytes.

    `start` is the heading's line, `body` what follows the heading, `end` the next heading of the same or a
    higher level; `elaboration` marks what an earlier elaboration added.
    """

    heading: str
    name: str
    level: int
    start: int
    body: int
    end: int
    elaboration: bool = False


def read_sections(document: bytes) -> tuple[Section, ...]:
    """Return every section of the document, in order, sub-sections included."""
    return sections_of(read_outline(document))


def sections_of(shape: Outline) -> tuple[Section, ...]:
    """Return the sections of a document whose outline is known."""
    found: list[Section] = []
    unended: list[int] = []
    own_level = block_level = 0
    size = len(shape.document)
    for before, block, after in zip(
        (None, *shape.pieces), shape.pieces, (*shape.pieces[1:], None), strict=False
    ):
        if block.kind != "heading":
            continue
        level, folded = block.level, _fold(block.text)
        is_ours = after is not None and level == 2 and _OURS.match(after.text) is not None
        is_marked = before is not None and is_elaboration_marker(before) and block.text != ADDITIONAL
        opens = is_marked and (level > own_level or own_level == DEEPEST)
        # At the deepest level a block's parts cannot be told from what follows by their level.
        is_below = level > block_level or (level == DEEPEST and folded in _BLOCK_PARTS)
        continues = block_level and is_below and folded != _fold(ADDITIONAL)
        if not is_ours and (opens or block.text.casefold().startswith(_BLOCK_HEADING)):
            block_level = level
        elif is_ours or not continues:
            block_level, own_level = 0, level
        name, is_added = strip_numbering(block.text), block_level > 0
        for earlier in tuple(unended):
            section = found[earlier]
            # An earlier addition, whatever its level, ends no section but its own.
            if level <= section.level and (section.elaboration or not is_added):
                found[earlier] = replace(section, end=block.start)
                unended.remove(earlier)
        unended.append(len(found))
        found.append(Section(block.text, name, level, block.start, block.end, size, is_added))
    return tuple(found)


def section_text(document: str, heading: str) -> str:
    """Return what stands under the first heading of that name; empty where there is none."""
    data = document.encode("utf-8", "surrogatepass")
    found = find_named_sections(read_sections(data), heading)
    return data[found[0].body : found[0].end].decode("utf-8", "replace") if found else ""


def choose_section(found: Iterable[Section], *, topic: str, section: str | None = None) -> Section | None:
    """Return the section that an addition on a topic goes into; `section` is the one that the step writes."""
    everything = tuple(found)
    for wanted in (section, topic):
        if wanted is not None and (same := find_named_sections(everything, wanted)):
            return same[0]
    words = content_words(topic)
    best, closeness = None, 0.5
    for candidate in list_open_sections(everything):
        share = len(words & content_words(candidate.name)) / len(words) if words else 0.0
        if candidate.name != ADDITIONAL and (share > closeness or (best is None and share == closeness)):
            best, closeness = candidate, share
    return best or next(iter(find_named_sections(everything, ADDITIONAL)), None)


def find_named_sections(found: Iterable[Section], heading: str) -> tuple[Section, ...]:
    """Return the sections that bear a name, numbering and case aside."""
    wanted = _fold(strip_numbering(heading))
    return tuple(section for section in list_open_sections(found) if wanted and _fold(section.name) == wanted)


def list_open_sections(found: Iterable[Section]) -> tuple[Section, ...]:
    """Return the sections that text may be added to: no earlier additions, no lone title, all with a name."""
    everything = tuple(found)
    titles = sum(section.level == 1 for section in everything)
    return tuple(
        section
        for section in everything
        if section.name and not section.elaboration and (section.level > 1 or titles > 1)
    )


def strip_numbering(heading: str) -> str:
    """Return the heading without its numbering; as it is where nothing would remain."""
    words = heading.strip()
    numbering = _NUMBERING.match(words)
    return words[numbering.end() :] if numbering else words


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    words = (word for word in _WORD.findall(text.casefold()) if not _STOP_WORD.fullmatch(word))
    return frozenset(map(stem_word, words))


def is_elaboration_marker(piece: MarkdownBlock) -> bool:
    """Whether this is the comment that stands before an elaboration block."""
    return piece.kind == "html_block" and _BLOCK_MARKER.match(piece.text.lstrip(" ")) is not None


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
