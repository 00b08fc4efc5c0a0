"""A markdown document as its top-level pieces, each with its place in bytes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
