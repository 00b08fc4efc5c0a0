"""A markdown document as its top-level pieces, each with its place in bytes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ..core.errors import RuleBroken

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


LARGEST = 5_000_000

_BOM = b"\xef\xbb\xbf"
_NEWLINE = re.compile(rb"\r\n?|\n")
_RULER = re.compile(r"---[ \t]*")
_RULER_END = re.compile(r"(?:---|\.\.\.)[ \t]*")
_KEY = re.compile(r"[\w\"'][^:]*:(?:\s|$)")
# The HTML blocks that a blank line does not end: how they open, and what closes them.
_HTML_UNTIL: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
)


@dataclass(frozen=True, slots=True)
class Piece:
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
    pieces: tuple[Piece, ...]

    @property
    def first(self) -> int:
        """Where text may begin: after a byte order mark."""
        return self.lines[0]

    @property
    def newline(self) -> str:
        """The line ending that most lines have."""
        crlf = self.document.count(b"\r\n")
        lf = self.document.count(b"\n") - crlf
        cr = self.document.count(b"\r") - crlf
        return max((lf, "\n"), (crlf, "\r\n"), (cr, "\r"), key=lambda counted: counted[0])[1]

    def within(self, start: int, end: int) -> list[Piece]:
        """The pieces that start in a stretch of the document."""
        return [piece for piece in self.pieces if start <= piece.start < end]

    def settle(self, start: int, end: int) -> int:
        """The place after the last line with text between two line starts; `start` where there is none."""
        line = bisect_left(self.lines, end)
        while line > 0 and self.lines[line - 1] >= start:
            if self.document[self.lines[line - 1] : self.lines[line]].strip(b" \t\r\n"):
                return self.lines[line]
            line -= 1
        return start


def outline(document: bytes) -> Outline:
    """The document's pieces as a CommonMark reader with tables and front matter sees them."""
    if len(document) > LARGEST:
        raise RuleBroken(
            f"The document has {len(document):,} bytes; at most {LARGEST:,} can be added to. "
            "Nothing was changed. Split the file, or add the text by hand."
        )
    lines = _line_starts(document)
    text = document.decode("utf-8", "replace").removeprefix("\ufeff")
    source = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    pieces: list[Piece] = []
    if front := _front_matter(source):
        pieces.append(Piece("front_matter", lines[0], lines[front]))
        source[:front] = [""] * front
    tokens, env = parse("\n".join(source))
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0 and token.map:
            first, last = token.map
            start, end = lines[first], lines[last]
            kind = token.type.removesuffix("_open")
            if kind == "heading":
                heading = _shown(tokens[index + 1].content, env)
                pieces.append(Piece(kind, start, end, int(token.tag[1]), heading))
            else:
                pieces.append(Piece(kind, start, end, 0, token.content, is_open(token, source)))
    return Outline(document, lines, tuple(pieces))


def parse(text: str) -> tuple[list[Token], dict[str, Any]]:
    """The block tokens of a text, inline content left as written, and the link definitions found."""
    env: dict[str, Any] = {}
    return _parser().parse(text, env), env


def is_open(token: Token, source: list[str]) -> bool:
    """True for a fence or HTML block that nothing closes."""
    assert token.map is not None
    first, last = token.map
    if token.type == "fence":
        closing = source[last - 1].expandtabs(4).rstrip() if last - 1 > first else ""
        bare = closing.lstrip(" ")
        return not (bare.startswith(token.markup) and not bare.strip(token.markup[0])) or (
            len(closing) - len(bare) > 3
        )
    if token.type == "html_block":
        for opening, closing_mark in _HTML_UNTIL:
            if opening.match(token.content.lstrip(" ")):
                return not closing_mark.search(token.content)
    return False


def _line_starts(document: bytes) -> tuple[int, ...]:
    begin = len(_BOM) if document.startswith(_BOM) else 0
    starts = [begin, *(newline.end() for newline in _NEWLINE.finditer(document))]
    if starts[-1] != len(document) or len(starts) == 1:
        starts.append(len(document))
    return tuple(starts)


def _front_matter(source: list[str]) -> int:
    """How many lines the front matter takes: none where the first rule opens no such block."""
    if not _RULER.fullmatch(source[0]):
        return 0
    last = next((at for at, line in enumerate(source[1:], 1) if _RULER_END.fullmatch(line)), 0)
    body = source[1:last]
    if not last or not body or body[0].strip():
        return last and last + 1
    # After a blank line only a key tells front matter from a rule.
    return last + 1 if _KEY.match(next((line for line in body if line.strip()), "")) else 0


def _shown(content: str, env: dict[str, Any]) -> str:
    """A heading's words without its markup."""
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


ADDITIONAL = "Additional Insights from Elaboration"

_BLOCK_MARKER = re.compile(r"<!-- Elaboration(?:: step | enrichment \(step )", re.IGNORECASE)
# What stands under a section made for a step: right after a marker, it is no part of an elaboration.
_OURS = re.compile(r"<!-- (?:Step|Feedback: step) ")
_BLOCK_HEADING = "elaboration insights (step"
_BLOCK_PARTS = frozenset({"key insights", "decisions", "decisions made", "open questions", "action items"})
_DEEPEST = 6
_NUMBERING = re.compile(
    r"(?:(?i:section|chapter|part)\s+(?=[\dIVX])|§\s*)?"
    r"(?:\(?\d{1,9}(?:\.\d{1,9}){0,9}[.):]|\d{1,9}(?:\.\d{1,9}){1,9}|\d{1,2}|[A-Z][.)](?=\s)|[IVXLC]{1,9}[.):](?=\s))"
    r"(?:\s+[-–—:]\s+|\s+|(?<=[.):])(?=[^\W\d]))"
)
_WORD = re.compile(r"[^\W_]+")
_STOP_WORD = re.compile(r"an?|and|are|as|at|by|for|from|in|into|is|it|of|on|or|our|per|the|this|to|via|with")
_ENDINGS = (
    ("isation", "ization"),
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
)


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
    """Every section of the document, in order, sub-sections included."""
    return sections_of(outline(document))


def sections_of(shape: Outline) -> tuple[Section, ...]:
    """The sections of a document whose outline is known."""
    found: list[Section] = []
    own_level = block_level = 0
    before: Piece | None = None
    for piece, after in zip_longest(shape.pieces, shape.pieces[1:]):
        if piece.kind == "heading":
            name = name_of(piece.text)
            ours = after is not None and piece.level == 2 and _OURS.match(after.text) is not None
            if not ours and _opens_block(piece, before, own_level):
                block_level = piece.level
            elif ours or not _continues_block(piece, block_level):
                block_level = 0
                own_level = piece.level
            size = len(shape.document)
            found.append(
                Section(piece.text, name, piece.level, piece.start, piece.end, size, block_level > 0)
            )
        before = piece
    return tuple(_ended(found))


def choose(found: Iterable[Section], *, topic: str, section: str | None = None) -> Section | None:
    """The section that an addition on a topic goes into; `section` is the one that the step itself writes."""
    everything = tuple(found)
    open_to_all = targets(everything)
    for wanted in (section, topic):
        if wanted is not None and (same := find_named_sections(everything, wanted)):
            return same[0]
    words = words_of(topic)
    best, closeness = None, 0.5
    for candidate in open_to_all:
        share = len(words & words_of(candidate.name)) / len(words) if words else 0.0
        if candidate.name != ADDITIONAL and (share > closeness or (best is None and share == closeness)):
            best, closeness = candidate, share
    return best or next(iter(find_named_sections(everything, ADDITIONAL)), None)


def find_named_sections(found: Iterable[Section], heading: str) -> tuple[Section, ...]:
    """The sections that bear a name, numbering and case aside."""
    wanted = _folded(name_of(heading))
    return tuple(section for section in targets(found) if wanted and _folded(section.name) == wanted)


def targets(found: Iterable[Section]) -> tuple[Section, ...]:
    """The sections that text may be added to: no earlier additions, no lone title, none without a name."""
    everything = tuple(found)
    titles = sum(section.level == 1 for section in everything)
    return tuple(
        section
        for section in everything
        if section.name and not section.elaboration and (section.level > 1 or titles > 1)
    )


def name_of(heading: str) -> str:
    """The heading without its numbering; as it is where nothing would remain."""
    words = heading.strip()
    numbering = _NUMBERING.match(words)
    return words[numbering.end() :] if numbering else words


def words_of(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if not _STOP_WORD.fullmatch(word))


def is_elaboration_marker(piece: Piece) -> bool:
    """True for the comment that stands before an elaboration block."""
    return piece.kind == "html_block" and _BLOCK_MARKER.match(piece.text.lstrip(" ")) is not None


def _opens_block(piece: Piece, before: Piece | None, own_level: int) -> bool:
    if piece.text.casefold().startswith(_BLOCK_HEADING):
        return True
    marked = before is not None and is_elaboration_marker(before)
    return marked and piece.text != ADDITIONAL and (piece.level > own_level or own_level == _DEEPEST)


def _continues_block(piece: Piece, block_level: int) -> bool:
    if not block_level or _folded(piece.text) == _folded(ADDITIONAL):
        return False
    # At the deepest level a block's parts cannot be told from what follows by their level.
    return piece.level > block_level or (piece.level == _DEEPEST and _folded(piece.text) in _BLOCK_PARTS)


def _ended(found: list[Section]) -> list[Section]:
    """Each section with its end; an earlier addition, whatever its level, ends no section but its own."""
    ended = list(found)
    unended: list[int] = []
    for index, later in enumerate(found):
        still: list[int] = []
        for earlier in unended:
            section = found[earlier]
            if later.level <= section.level and (section.elaboration or not later.elaboration):
                ended[earlier] = replace(section, end=later.start)
            else:
                still.append(earlier)
        unended = [*still, index]
    return ended


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _stem(word: str) -> str:
    for ending, shorter in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            word = word.removesuffix(ending) + shorter
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            word = word[:-1]
    for ending, least in (("ment", 5), ("ing", 4), ("ion", 4), ("ed", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e") if len(word) > 3 else word
