"""One insertion into a markdown document, and nothing else (rules ART-3 to ART-5, ART-7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import RuleBroken
from .blocks import child_of, fitted, flattened
from .claims import claims
from .outline import Outline, outline
from .sections import ADDITIONAL, Section, choose, sections_of

_ADDITIONAL_LEVEL = 3
_BLANK_LINE = re.compile(rb"[ \t]*(?:[\r\n]|\Z)")
_JOINING = re.compile(rb"(?:[ \t]*[\r\n])*(?:[ \t]+[^ \t\r\n]|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\r\n]|\Z))")


@dataclass(frozen=True, slots=True)
class Addition:
    """A document with text added: which bytes are new, and the section they went into, if one fitted."""

    document: bytes
    start: int
    length: int
    heading: str | None


def insert_addition(document: bytes, block: str, *, topic: str, section: str | None = None) -> Addition:
    """The document with the block at the end of the section that fits, and nothing else changed."""
    shape = outline(document)
    own_texts = [claim for claim in claims(shape) if claim.intact]
    # The headings inside a step's own text are part of it: text among them would count as an edit.
    free = [
        found
        for found in sections_of(shape)
        if not any(claim.start <= found.start < claim.end for claim in own_texts)
    ]
    chosen = choose(free, topic=topic, section=section)
    if chosen is None:
        heading = f"{'#' * _ADDITIONAL_LEVEL} {ADDITIONAL}\n\n"
        return added(shape, shape_end(shape), block, level=_ADDITIONAL_LEVEL, heading=heading, named=None)
    return added(shape, end_of(shape, chosen), block, level=chosen.level, named=chosen.heading)


def added(
    shape: Outline, position: int, block: str, *, level: int, named: str | None, heading: str = ""
) -> Addition:
    """The block at a place of the document, under a heading of that level, in the gentlest safe form."""
    attempts = (fitted(block, child_of(level), marked=True), flattened(block, level, marked=True))
    for text in attempts:
        if not text:
            return Addition(shape.document, position, 0, named)
        addition = spliced(shape, position, position, heading + text, named)
        if unharmed(shape, addition, removed=0):
            return addition
    raise RuleBroken(
        "The text cannot be added without changing how the rest of the document reads. "
        "Nothing was changed. Add it by hand."
    )


def end_of(shape: Outline, section: Section) -> int:
    """The place after all that a section holds, before its closing rule and before anything left open."""
    pieces = shape.within(section.body, section.end)
    end = section.end
    if pieces and pieces[-1].open:
        end = pieces[-1].start
    else:
        while pieces and pieces[-1].kind == "hr":
            end = pieces.pop().start
    position = shape.settle(section.body, end)
    for claim in claims(shape):
        if claim.intact and claim.start < position <= claim.end:
            return line_end(shape, claim.end)
    return position


def shape_end(shape: Outline) -> int:
    """The place at the end of the document, before anything left open."""
    left_open = bool(shape.pieces) and shape.pieces[-1].open
    return shape.settle(shape.first, shape.pieces[-1].start if left_open else len(shape.document))


def line_end(shape: Outline, position: int) -> int:
    """The start of the line after the one that a place is in; the document's end on its last line."""
    return next((start for start in shape.lines if start > position), len(shape.document))


def spliced(shape: Outline, start: int, end: int, text: str, heading: str | None = None) -> Addition:
    """The document with the bytes between two places replaced by text that blank lines set apart."""
    newline = shape.newline
    before, after = shape.document[:start], shape.document[end:]
    text += guard(after)
    lead = 0 if start <= shape.first else 1 if before.endswith((b"\n", b"\r")) else 2
    tail = 1 if _BLANK_LINE.match(after) else 2
    # A lone carriage return and a line feed that meet would count as one line ending.
    lead += lead > 0 and before.endswith(b"\r") and newline == "\n"
    tail += newline == "\r" and after.startswith(b"\n")
    new = (newline * lead + text.replace("\n", newline) + newline * tail).encode("utf-8")
    return Addition(before + new + after, start, len(new), heading)


def guard(after: bytes) -> str:
    """What keeps indented text or a list that follows from joining a list; nothing, where none follows."""
    return "\n\n<!-- End of addition -->" if _JOINING.match(after) else ""


def unharmed(shape: Outline, addition: Addition, *, removed: int) -> bool:
    """True where everything outside the new bytes is there, in its place, and reads as before."""
    start, length = addition.start, addition.length
    old, new = shape.document, addition.document
    if new[:start] != old[:start] or new[start + length :] != old[start + removed :]:
        return False
    after = outline(new)
    return _outline_of(shape, start, removed, length) == _outline_of(after, start, length, length)


def _outline_of(shape: Outline, start: int, size: int, length: int) -> Sequence[object]:
    """What a reader finds outside of a stretch, placed as if the stretch had `length` bytes."""
    move = length - size
    pieces = [
        (piece.kind, piece.level, piece.start if piece.start < start else piece.start + move)
        for piece in shape.pieces
        if not start <= piece.start < start + size
    ]
    names = [section.heading for section in sections_of(shape) if not start <= section.start < start + size]
    return [pieces, names]
