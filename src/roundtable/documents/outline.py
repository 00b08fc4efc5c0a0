"""Read our markdown: blocks with their bytes, sections, lines outside of code, labels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from ..core import lazy_re as re
from ..core import markers
from ..core.errors import RuleBroken
from ..core.synthesis import strip_mark
from ..core.text import parse_heading, stem_word, unescape_markdown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


MAX_DOCUMENT_SIZE = 5_000_000

_BOM = b"\xef\xbb\xbf"
_SIGNS = {"table": "|", "fence": "`~", "blockquote": ">", "reference": "[", "html_block": "<"}
_RULER = re.compile(r"---[ \t]*")
_RULER_END = re.compile(r"(?:---|\.\.\.)[ \t]*")
_KEY = re.compile(r"[\w\"'][^:]*:(?:\s|$)")
_MARKUP = re.compile(r"[\\`*_\[\]<&\n]")


class MarkdownBlock(NamedTuple):
    """One top-level block, in whole lines and in bytes; `open` if only the document's end closes it."""

    kind: str
    start: int
    end: int
    level: int = 0
    text: str = ""
    open: bool = False

    @property
    def marker(self) -> markers.Marker | None:
        """Return this block as a marker; None if it is anything else."""
        return markers.parse_marker(self.text) if self.kind == "html_block" else None

    @property
    def is_elaboration_marker(self) -> bool:
        """Whether this is the comment before an elaboration block, even if somebody edited it."""
        return self.kind == "html_block" and markers.begins_like_elaboration(self.text)


class Outline(Struct, frozen=True, dict=True):
    """A document, its pieces in order, and its line starts, from after a byte order mark to its end."""

    document: bytes
    lines: tuple[int, ...]
    pieces: tuple[MarkdownBlock, ...]

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Return every section, in order, sub-sections included."""
        found: list[Section] = []
        unended: list[int] = []
        own_level = block_end = 0
        for at, piece in enumerate(self.pieces):
            if piece.kind != "heading":
                continue
            follows_marker = at > 0 and self.pieces[at - 1].is_elaboration_marker
            is_below = piece.level > own_level or own_level == DEEPEST
            is_marked = follows_marker and is_below and piece.text != ADDITIONAL
            below = "".join(each.text for each in self.pieces[at + 1 : at + 2])
            if piece.level == 2 and markers.begins_like_section(below):
                block_end = at  # a step's section, whatever was pasted before it
            elif at >= block_end and (is_marked or piece.text.casefold().startswith(_BLOCK_HEADING)):
                block_end = find_block_end(self.pieces, at - 1)
            is_added = at < block_end
            own_level = own_level if is_added else piece.level
            for earlier in tuple(unended):
                # A heading in an earlier addition, whatever its level, ends only sections of additions.
                if piece.level <= found[earlier].level and (found[earlier].elaboration or not is_added):
                    found[earlier] = found[earlier]._replace(end=piece.start)
                    unended.remove(earlier)
            unended.append(len(found))
            name, end = strip_numbering(piece.text), len(self.document)
            found.append(Section(piece.text, name, piece.level, piece.start, piece.end, end, is_added))
        return tuple(found)

    @property
    def newline(self) -> str:
        """Return the line ending that most lines have."""
        crlf = self.document.count(b"\r\n")
        lf, cr = (self.document.count(ending) - crlf for ending in (b"\n", b"\r"))
        return max((lf, "\n"), (crlf, "\r\n"), (cr, "\r"), key=lambda counted: counted[0])[1]

    def within(self, start: int, end: int) -> list[MarkdownBlock]:
        """Return the pieces that start in a stretch of the document."""
        return [piece for piece in self.pieces if start <= piece.start < end]

    def line_after(self, place: int) -> int:
        """Return the start of the first line after a place, or the end of the document."""
        return self.lines[min(bisect_right(self.lines, place), len(self.lines) - 1)]

    def settle(self, start: int, end: int) -> int:
        """Return the place after the last line with text between two line starts; else `start`."""
        text = self.document[start:end].rstrip(b" \t\r\n")
        return self.line_after(start + len(text) - 1) if text else start


def decode_document(document: bytes) -> str:
    """Return a document as text with plain line ends."""
    return document.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def check_size(document: bytes) -> None:
    """Raise RuleBroken if the document is too long to be read."""
    if len(document) > MAX_DOCUMENT_SIZE:
        failed = f"The document has {len(document):,} bytes; at most {MAX_DOCUMENT_SIZE:,} can be added to."
        raise RuleBroken(f"{failed} Nothing was changed. Split the file, or add the text by hand.")


def read_outline(document: bytes) -> Outline:
    """Return the document's pieces as a CommonMark reader with tables and front matter sees them."""
    check_size(document)
    begin = len(_BOM) if document.startswith(_BOM) else 0
    lengths = map(len, document[begin:].splitlines(keepends=True))
    lines = tuple(accumulate(lengths, initial=begin)) if len(document) > begin else (begin, begin)
    source = decode_document(document).replace("\0", "\ufffd").split("\n")
    pieces: list[MarkdownBlock] = []
    if front := _front_matter(source):
        pieces.append(MarkdownBlock("front_matter", lines[0], lines[front]))
        source[:front] = [""] * front
    text = "\n".join(source)
    # To save time, the parser does not look for kinds of blocks that the text has no sign of.
    absent = frozenset(rule for rule, signs in _SIGNS.items() if not any(sign in text for sign in signs))
    parser, tokens = _parser(absent), _TopLevelTokens()
    parser.block.parse(text, parser, {}, tokens)
    for index, token in enumerate(tokens):
        if token.level or token.map is None:
            continue
        start, end = (lines[each] for each in token.map)
        kind, level, text = token.type.removesuffix("_open"), 0, token.content
        if kind == "heading":
            level, text = int(token.tag[1]), _render_heading(tokens[index + 1].content)
        is_left_open = token is tokens[-1] and is_open(token, source)
        pieces.append(MarkdownBlock(kind, start, end, level, text, is_left_open))
    return Outline(document, lines, tuple(pieces))


class _TopLevelTokens(list["Token"]):
    """The tokens of top-level blocks, each heading followed by its words; nested tokens are dropped."""

    def append(self, token: Token, /) -> None:
        if token.nesting >= 0 and token.level <= (token.type == "inline"):
            super().append(token)


def parse(text: str) -> tuple[list[Token], dict[str, Any]]:
    """Return the block tokens of a text, inline content left as written, and the link definitions found."""
    env: dict[str, Any] = {}
    return _parser().parse(text, env), env


def is_open(token: Token, source: list[str]) -> bool:
    """Whether the document's last block is a fence or HTML that nothing closes."""
    if token.type not in ("fence", "html_block") or token.map is None:
        return False
    # An unclosed block swallows a further paragraph.
    tokens, _ = parse("\n".join([*source[token.map[0] : token.map[1]], "", "."]))
    return tokens[-1].type == token.type


def _front_matter(source: list[str]) -> int:
    if not _RULER.fullmatch(source[0]):
        return 0
    last = next((at for at, line in enumerate(source[1:], 1) if _RULER_END.fullmatch(line)), 0)
    # After a blank line, only a key distinguishes front matter from a rule.
    first = next((line for line in source[1:last] if line.strip()), "")
    return last + 1 if last and (source[1].strip() or _KEY.match(first)) else 0


def _render_heading(content: str) -> str:
    if not _MARKUP.search(content.strip()):
        return " ".join(content.split())
    tokens: list[Token] = []
    _parser().inline.parse(content.strip(), _parser(), {}, tokens)
    breaks = ("softbreak", "hardbreak", "html_inline")
    words = (" " if token.type in breaks else token.content for token in tokens)
    return " ".join("".join(words).split())


@cache
def _parser(left_out: frozenset[str] = frozenset()) -> MarkdownIt:
    # Imported when first used: loading it is slower than everything else a command does at its start.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join", *left_out])
    parser.block.ruler.getRules("")  # compiled now, so that no other thread sees it half done
    return parser


LABELLED = re.compile(r"(?:[-*+][ \t]++)?\*\*(?P<label>[^*\n]+?)(?::\*\*|\*\*:)[ \t]*+(?P<text>.*)")
"""A line such as `**Label**: text`."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# The start of a line that does not continue the paragraph before it.
_BREAK = re.compile(
    r"\s*+(?:$|[-*+]\s|\d{1,3}[.)]\s|[-=]++\s*+$|>|\|.*\|\s*+$|<!--|\*\*(?:[^*\n]*:\*\*|[^*\n]+\*\*:))"
)


def prose_lines(document: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of fenced code, each with its number."""
    return ((number, line) for number, line, is_code in _tell_code(document) if not is_code)


def joined_lines(document: str) -> Iterator[tuple[int, str, bool]]:
    """Yield headings, entries and paragraphs as one line each, and code whole: number, text, is_code."""
    kept: list[str] = []
    first, was_code, can_go_on = 0, False, False
    for number, line, is_code in _tell_code(document):
        is_heading = parse_heading(line) is not None
        goes_on = was_code if is_code else can_go_on and not is_heading and not _BREAK.match(line)
        if kept and not goes_on:
            yield first, ("\n" if was_code else " ").join(kept), was_code
            kept = []
        first = first if kept else number
        kept.append(line.strip() if kept and not is_code else line.rstrip())
        was_code, can_go_on = is_code, bool(line.strip()) and not is_heading and not is_code
    yield first, ("\n" if was_code else " ").join(kept), was_code


def _tell_code(document: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each line with its number and whether it belongs to fenced code."""
    fence = ""
    for number, line in enumerate(document.split("\n"), 1):
        mark = _FENCE.match(line)
        yield number, line, bool(fence or mark)
        if not fence and mark:
            fence = mark[1]
        elif fence and mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""


def find_labelled(document: str, label: str) -> str:
    """Return the words after a label on its first line; empty if the document does not have it."""
    lines = (LABELLED.fullmatch(line.strip()) for line in document.split("\n"))
    words = (found["text"].strip() for found in lines if found and found["label"] == label)
    return unescape_markdown(next(words, ""))


ADDITIONAL = "Additional Insights from Elaboration"

_BLOCK_HEADING = "elaboration insights ("
_BLOCK_PARTS = frozenset({"key insights", "decisions", "decisions made", "open questions", "action items"})
DEEPEST = 6
CLOSING_SIGNS = re.compile(r"(?:(?<![\\#])|(?<=\\#))#+$")
"""A run of `#` at the end of a heading's words that markdown would drop as closing signs."""
_NUMBERING = re.compile(
    r"^(?:(?i:section|chapter|part)\s+(?=[\dIVX])|§\s*)?"
    r"(?:\(?\d{1,9}(?:\.\d{1,9}){0,9}[.):]|\d{1,9}(?:\.\d{1,9}){1,9}|\d{1,2}|[A-Z][.)](?=\s)|[IVXLC]{1,9}[.):](?=\s))"
    r"(?:\s+[-–—:]\s+|\s+|(?<=[.):])(?=[^\W\d]))"
)
_WORD = re.compile(r"[^\W_]+")
# Includes the words that all criteria and stories share.
_STOP_WORD = re.compile(
    r"an?|and|are|as|at|by|for|from|in|into|is|it|of|on|or|our|per|the|this|to|via|with|given|when|then|want|so|that"
)


class Section(NamedTuple):
    """A heading as read, its name without numbering, its level, and its start, body and end in bytes."""

    heading: str
    name: str
    level: int
    start: int
    body: int
    end: int
    elaboration: bool = False  # whether an earlier elaboration added it


def find_block_end(pieces: Sequence[MarkdownBlock], at: int) -> int:
    """Return where the block after a marker ends: at any other marker, or a heading that is not its own."""
    level = 0
    ending = markers.StepMarker | markers.FeedbackMarker | markers.EndMarker
    for place in range(at + 1, len(pieces)):
        piece = pieces[place]
        if piece.kind == "heading":
            name = _fold(piece.text)
            # At the deepest level a block's parts cannot be told from what follows by their level.
            is_own = piece.level > level or (piece.level == DEEPEST and name in _BLOCK_PARTS)
            if not is_own or name == _fold(ADDITIONAL):
                return place
        elif piece.is_elaboration_marker or isinstance(piece.marker, ending):
            return place
        level = level or piece.level  # the first heading is the block's own
    return len(pieces)


def section_text(document: str, heading: str) -> str:
    """Return the text under the first heading of that name; empty if there is none."""
    data = document.encode("utf-8", "surrogatepass")
    found = find_named_sections(read_outline(data).sections, heading)
    return data[found[0].body : found[0].end].decode("utf-8", "replace") if found else ""


def choose_section(found: Sequence[Section], *, topic: str, section: str | None = None) -> Section | None:
    """Return the section that an addition on a topic goes into; `section` is the one that the step writes."""
    for wanted in (section, topic):
        if wanted is not None and (same := find_named_sections(found, wanted)):
            return same[0]
    words = content_words(topic)
    candidates = [each for each in list_open_sections(found) if words and each.name != ADDITIONAL]
    shares = [len(words & content_words(each.name)) / len(words) for each in candidates]
    if shares and max(shares) >= 0.5:
        return candidates[shares.index(max(shares))]
    return next(iter(find_named_sections(found, ADDITIONAL)), None)


def find_named_sections(found: Sequence[Section], heading: str) -> tuple[Section, ...]:
    """Return the sections of that name, ignoring numbering and case."""
    wanted = _fold(strip_numbering(heading))
    return tuple(section for section in list_open_sections(found) if wanted and _fold(section.name) == wanted)


def list_open_sections(found: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections that text may be added to: named, no earlier addition, not the only title."""
    titles = sum(section.level == 1 for section in found)
    own = (each for each in found if each.name and not each.elaboration)
    return tuple(each for each in own if each.level > 1 or titles > 1)


def strip_numbering(heading: str) -> str:
    """Return the heading without its numbering; unchanged if nothing would remain."""
    return _NUMBERING.sub("", heading.strip())


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    words = (word for word in _WORD.findall(strip_mark(text).casefold()) if not _STOP_WORD.fullmatch(word))
    return frozenset(map(stem_word, words))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
