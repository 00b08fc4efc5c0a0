"""What a step wrote in a document, and whether anyone has edited it since (rule STEP-5)."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from dataclasses import dataclass

from .outline import Outline

_MARKER = re.compile(r"<!-- Step (\S+): (\d{1,9}) characters, ([0-9a-f]{8}) -->\s*")


@dataclass(frozen=True, slots=True)
class Claim:
    """A step's marker and the text it vouches for, `start` to `end` in bytes, without the last line ending.

    Where the text is not intact, only the marker's own line is known to be the step's.
    """

    step_id: str
    size: int
    digest: str
    start: int
    end: int
    intact: bool

    def vouches_for(self, text: str) -> bool:
        """True where the step wrote exactly this text and it still stands."""
        return self.intact and (self.size, self.digest) == (len(text), digest_of(text))


def claims(shape: Outline) -> tuple[Claim, ...]:
    """Every step's marker in the document, in order."""
    found: list[Claim] = []
    for piece in shape.pieces:
        if piece.kind == "html_block" and (marker := _MARKER.fullmatch(piece.text)):
            size = int(marker[2])
            end = _end_of_own(shape, piece.end, size, marker[3])
            found.append(
                Claim(
                    step_id=marker[1],
                    size=size,
                    digest=marker[3],
                    start=piece.start,
                    end=_without_ending(shape, piece.end) if end is None else end,
                    intact=end is not None,
                )
            )
    return tuple(found)


def claimed(step_id: str, text: str) -> str:
    """A step's text under the marker that vouches for it."""
    marker = f"<!-- Step {step_id}: {len(text)} characters, {digest_of(text)} -->"
    return f"{marker}\n\n{text}" if text else marker


def digest_of(text: str) -> str:
    """A short fingerprint of a text with plain line endings."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _end_of_own(shape: Outline, start: int, size: int, digest: str) -> int | None:
    """Where the vouched text ends; None where it is not what the step wrote."""
    line = bisect_left(shape.lines, start)
    count = len(shape.lines) - 1
    if size:
        while line < count and not _text(shape, line):
            line += 1
    own: list[str] = []
    left = size
    while left > 0 and line < count:
        own.append(_raw(shape, line))
        left -= len(own[-1]) + (len(own) > 1)
        line += 1
    if left or digest_of("\n".join(own)) != digest:
        return None
    end = shape.lines[line]
    attached = line < count and _text(shape, line)
    return None if attached or _runs_on(shape, start, end) else _without_ending(shape, end)


def _runs_on(shape: Outline, start: int, end: int) -> bool:
    """True where a block of the text goes on after it: whoever wrote that edited the step's text."""
    return any(shape.settle(piece.start, piece.end) > end for piece in shape.within(start, end))


def _raw(shape: Outline, line: int) -> str:
    chunk = shape.document[shape.lines[line] : shape.lines[line + 1]]
    return chunk.decode("utf-8", "surrogateescape").rstrip("\r\n")


def _text(shape: Outline, line: int) -> str:
    return _raw(shape, line).strip(" \t")


def _without_ending(shape: Outline, end: int) -> int:
    for ending in (b"\r\n", b"\n", b"\r"):
        if shape.document.endswith(ending, 0, end):
            return end - len(ending)
    return end
