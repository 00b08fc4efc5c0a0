"""Blocks: whether what elaborations added to a document has the shape of SYN-1 and a record beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.markup import heading_of
from ..core.personas import Roster
from ..core.synthesis import marker
from ..drafting.register import prose
from .findings import Finding
from .records import META, Kept

_MARKER = re.compile(r" {0,3}<!-- Elaboration: step (?P<step>\S+), (?P<at>\S+) -->\s*")
_TITLE = re.compile(r"Elaboration Insights \(Step (?P<step>\S+): .+\)")
_TURNS = re.compile(
    r"\*\*Turns\*\*: (?P<turns>\d{1,4}) \| \*\*Exit\*\*: (?P<exit>user-initiated|turn-limit)\s*"
)
_ATTRIBUTED = re.compile(r"[-*] \\?\[(?P<who>[^\]\\]+)\\?\] \S.*")
_SECTIONS = ("Key Insights", "Decisions Made", "Open Questions")
_TAKEAWAY = "Key takeaway:"


@dataclass(frozen=True, slots=True)
class Block:
    """What follows a marker in a document, up to the next marker or the end of its section."""

    file: str
    line: int
    step_id: str
    timestamp: str
    lines: tuple[tuple[int, str], ...]


def blocks_in(name: str, text: str) -> tuple[Block, ...]:
    """The blocks of a document in their order."""
    lines = list(prose(text))
    starts = [(at, found) for at, (_, line) in enumerate(lines) if (found := _MARKER.fullmatch(line))]
    blocks = []
    for place, (at, mark) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        body = tuple(_own(lines[at + 1 : end]))
        blocks.append(Block(name, lines[at][0], mark["step"], mark["at"], body))
    return tuple(blocks)


def check_blocks(blocks: Sequence[Block], *, limit: int, roster: Roster) -> Iterator[Finding]:
    """What is wrong with the shape of the blocks."""
    names = {"User", "All", *(persona.first_name for persona in roster.personas)}
    for block in blocks:
        for line, said in _wrong(block, limit, names):
            yield Finding(block.file, line, "block", said)


def check_pairs(
    blocks: Sequence[Block], records: Sequence[Kept], updatable: frozenset[str]
) -> Iterator[Finding]:
    """Blocks without a record, and records of steps with a markdown output without a block."""
    recorded = {(record.step_id, record.timestamp): record for record in records}
    written = {(block.step_id, block.timestamp) for block in blocks}
    for block in blocks:
        record = recorded.get((block.step_id, block.timestamp))
        if record is None:
            said = f"{marker(block.step_id, block.timestamp)} has no record in {META}."
            yield Finding(block.file, block.line, "block", said)
        elif (turns := _turns_of(block)) is not None and turns != record.turn_count:
            said = f"The block says {turns} turns, the record in {META} says {record.turn_count}."
            yield Finding(block.file, block.line, "block", said)
    for (step_id, at), record in recorded.items():
        if (step_id, at) not in written and step_id in updatable:
            said = f"No document holds the block of step {step_id}, {at}."
            yield Finding(META, record.line, "record", said)


def _wrong(block: Block, limit: int, names: set[str]) -> Iterator[tuple[int, str]]:
    headings = [(number, found[1]) for number, line in block.lines if (found := heading_of(line))]
    if any(line.startswith(_TAKEAWAY) for _, line in block.lines):
        return
    title = _TITLE.fullmatch(headings[0][1]) if headings else None
    if title is None:
        yield block.line, "After the marker there is no heading 'Elaboration Insights (Step NN-NN: title)'."
    elif title["step"] != block.step_id:
        yield headings[0][0], f"The heading names step {title['step']}, the marker {block.step_id}."
    turns = _turns_of(block)
    if turns is None:
        yield block.line, "The block has no line '**Turns**: N | **Exit**: user-initiated or turn-limit'."
    elif turns > limit:
        yield block.line, f"The block says {turns} turns, above the limit of {limit}."
    if not any(line.startswith("**Participants**: ") for _, line in block.lines):
        yield block.line, "The block has no line '**Participants**: ...'."
    for section in _SECTIONS:
        if section not in (text for _, text in headings):
            yield block.line, f"The block has no section '{section}'."
    yield from _wrong_insights(block, names)


def _wrong_insights(block: Block, names: set[str]) -> Iterator[tuple[int, str]]:
    inside = False
    for number, line in block.lines:
        if heading := heading_of(line):
            inside = heading[1] == _SECTIONS[0]
        elif inside and line.startswith(("- ", "* ")) and line[2:].strip().rstrip(".") != "None":
            entry = _ATTRIBUTED.fullmatch(line)
            if entry is None:
                yield number, "The insight does not say who it comes from, such as [Maya]."
                continue
            strangers = [each for each in entry["who"].split("/") if each not in names]
            if strangers:
                yield number, f"The insight credits {', '.join(strangers)}, who was not at the table."


def _turns_of(block: Block) -> int | None:
    found = (_TURNS.fullmatch(line) for _, line in block.lines)
    return next((int(each["turns"]) for each in found if each), None)


def _own(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that belong to the block: up to a heading as high as its own."""
    level = 0
    for number, line in lines:
        heading = heading_of(line)
        if heading and level and heading[0] <= level:
            return
        if heading and not level:
            level = heading[0]
        yield number, line
