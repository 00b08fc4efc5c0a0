"""The sections of a markdown document, and which of them a topic belongs to (rule ART-3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest

from .outline import Outline, Piece, outline

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


def sections(document: bytes) -> tuple[Section, ...]:
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
        if wanted is not None and (same := named(everything, wanted)):
            return same[0]
    words = words_of(topic)
    best, closeness = None, 0.5
    for candidate in open_to_all:
        share = len(words & words_of(candidate.name)) / len(words) if words else 0.0
        if candidate.name != ADDITIONAL and (share > closeness or (best is None and share == closeness)):
            best, closeness = candidate, share
    return best or next(iter(named(everything, ADDITIONAL)), None)


def named(found: Iterable[Section], heading: str) -> tuple[Section, ...]:
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
