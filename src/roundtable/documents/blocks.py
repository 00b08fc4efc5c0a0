"""Elaboration blocks as lines of a document: each from its marker to the next or its section's end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.synthesis import HEADINGS
from ..core.text import parse_heading
from .outline import prose_lines

_MARKER = re.compile(r" {0,3}<!-- Elaboration: step (?P<step>\S+), (?P<at>\S+) -->\s*")
_TURNS = re.compile(
    r"\*\*Turns\*\*: (?P<turns>\d{1,4}) \| \*\*Exit\*\*: (?P<exit>user-initiated|turn-limit)"
    r"(?: \(unverified\))?(?: \| \*\*User\*\*: silent)?\s*"
)


@dataclass(frozen=True, slots=True)
class ElaborationBlock:
    """What follows a marker in a document, up to the next marker or the end of its section."""

    file: str
    line: int
    step_id: str
    timestamp: str
    lines: tuple[tuple[int, str], ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.step_id, self.timestamp

    @property
    def filled_lines(self) -> list[str]:
        return [line for _, line in self.lines if line.strip()]

    @property
    def turns(self) -> int | None:
        found = (_TURNS.fullmatch(line) for _, line in self.lines)
        return next((int(each["turns"]) for each in found if each), None)

    def decisions(self) -> Iterator[tuple[int, str]]:
        """Yield the decisions that the block lists, as they are written, each with its line."""
        part = ""
        for number, line in self.lines:
            if heading := parse_heading(line):
                part = heading[1]
            elif part == HEADINGS["decisions"] and line.startswith("- ") and line[2:].strip() != "None":
                yield number, line[2:].rstrip()


def find_elaboration_blocks(name: str, text: str) -> tuple[ElaborationBlock, ...]:
    """Return the blocks of a document in their order."""
    lines = list(prose_lines(text))
    starts = [(at, found) for at, (_, line) in enumerate(lines) if (found := _MARKER.fullmatch(line))]
    ends = [*(at for at, _ in starts[1:]), len(lines)]
    return tuple(
        ElaborationBlock(name, lines[at][0], mark["step"], mark["at"], _own_lines(lines[at + 1 : end]))
        for (at, mark), end in zip(starts, ends, strict=False)
    )


def _own_lines(lines: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """Return the lines that belong to a block: up to a heading as high as its own."""
    level = 0
    for place, (_, line) in enumerate(lines):
        heading = parse_heading(line)
        if heading and level and heading[0] <= level:
            return tuple(lines[:place])
        level = level or (heading[0] if heading else 0)
    return tuple(lines)
