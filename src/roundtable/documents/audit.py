"""Records: whether a meta.json keeps to the rules, whoever wrote it (META-2, META-4, META-5, ENTRY-2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..core.personas import Roster
from ..core.progress import analysis_status, faulty_fields
from ..core.steps import PHASE_KEYS, Step
from ..core.synthesis import marker
from ..core.text import parse_heading
from .checks import CheckFinding
from .ids import prose_lines

META = "meta.json"
_LONGEST_SUMMARY = 130
_SPACE = re.compile(r"[ \t\n\r]*")
_LISTS = ("phases_completed", "steps_completed", "elaborations")


@dataclass(frozen=True, slots=True)
class Kept:
    """An elaboration record that can be used, and the line where it begins."""

    step_id: str
    timestamp: str
    turn_count: int
    line: int


def check_meta(
    text: str, meta: Mapping[str, Any], *, limit: int, roster: Roster, steps: tuple[Step, ...]
) -> Iterator[CheckFinding]:
    """What is wrong in a meta.json that can be read."""
    lines = _lines_of_fields(text)
    known = {step.step_id for step in steps}
    for field in _LISTS:
        if field in meta and not isinstance(meta[field], list):
            yield _found(lines.get(field, 1), f"{field} is no list, so it counts as empty.")
    yield from _check_phases(meta, lines)
    completed = _list(meta, "steps_completed")
    for step_id in dict.fromkeys(str(each) for each in completed):
        if step_id not in known:
            yield _found(lines.get("steps_completed", 1), f"There is no step {step_id}.")
        if sum(str(each) == step_id for each in completed) > 1:
            yield _found(lines.get("steps_completed", 1), f"Step {step_id} is listed more than once.")
    for record, line in _records(text, meta):
        for said in _check_record(record, limit, roster, known, completed):
            yield _found(line, said)


def kept_records(text: str, meta: Mapping[str, Any]) -> tuple[ElaborationRecord, ...]:
    """The records that name a step, an instant and a number of turns."""
    return tuple(
        ElaborationRecord(record["step_id"], record["timestamp"], record["turn_count"], line)
        for record, line in _records(text, meta)
        if isinstance(record, dict)
        and not {"step_id", "timestamp", "turn_count"} & set(faulty_fields(record))
    )


def _check_phases(meta: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[CheckFinding]:
    phases = _list(meta, "phases_completed")
    line = lines.get("phases_completed", 1)
    for key in phases:
        if key not in PHASE_KEYS:
            yield _found(line, f"There is no phase {key}.")
    count = sum(key in phases for key in PHASE_KEYS)
    wanted = analysis_status(phases)
    status = meta.get("analysis_status")
    if status and status != wanted:
        said = f"analysis_status is {status!r}; with {count} of {len(PHASE_KEYS)} phases it is {wanted!r}."
        yield _found(lines.get("analysis_status", 1), said)


def _wrong(
    record: object, limit: int, roster: Roster, known: set[str], completed: list[Any]
) -> Iterator[str]:
    """What is wrong with one record, in words."""
    if not isinstance(record, dict):
        yield "The elaboration record is no object."
        return
    faulty = faulty_fields(record)
    step_id, turns = record.get("step_id"), record.get("turn_count")
    if not isinstance(step_id, str) or step_id not in known:
        yield f"step_id is {_show_field(record, 'step_id')}, and no step has that id."
    elif step_id not in completed:
        yield f"Step {step_id} was discussed but is not in steps_completed."
    if "turn_count" in faulty:
        yield f"turn_count is {_show_field(record, 'turn_count')}; it has to be a whole number from 1."
    elif isinstance(turns, int) and turns > limit:
        yield f"turn_count is {turns}, above the limit of {limit} turns."
    personas = record.get("personas_active")
    if "personas_active" in faulty or not personas:
        yield f"personas_active is {_show_field(record, 'personas_active')}; it has to list who was at the table."
    else:
        strangers = [str(key) for key in personas or () if key not in roster]
        if strangers:
            yield f"personas_active names {', '.join(strangers)}, and no persona has that key."
    if "timestamp" in faulty:
        shown = _show_field(record, "timestamp")
        yield f"timestamp is {shown}; it has to read like 2026-01-31T12:00:00.000Z."
    yield from _check_summary(record)


def _wrong_summary(record: Mapping[str, Any]) -> Iterator[str]:
    summary = record.get("synthesis_summary")
    if not isinstance(summary, str) or not summary.strip():
        shown = _show_field(record, "synthesis_summary")
        yield f"synthesis_summary is {shown}; it has to be one sentence."
    elif len(summary.splitlines()) > 1:
        yield "synthesis_summary has several lines; it has to be one."
    elif len(summary) > _LONGEST_SUMMARY:
        yield f"synthesis_summary has {len(summary)} characters; about 100 are wanted."


def _shown(record: Mapping[str, Any], field: str) -> str:
    if field not in record:
        return "missing"
    shown = json.dumps(record[field], ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _found(line: int, text: str) -> CheckFinding:
    return CheckFinding(META, line, "record", text)


def _list(meta: Mapping[str, Any], field: str) -> list[Any]:
    found = meta.get(field)
    return found if isinstance(found, list) else []


def _records(text: str, meta: Mapping[str, Any]) -> list[tuple[object, int]]:
    """The elaboration records, each with the line where it begins."""
    records = _list(meta, "elaborations")
    place = dict(_fields(text)).get("elaborations")
    lines: list[int] = []
    if place is not None and text[place : place + 1] == "[":
        place += 1
        for _ in records:
            place = _skip(text, place)
            lines.append(_line(text, place))
            place = _skip(text, _after(text, place)) + 1
    return list(zip(records, lines or [1] * len(records), strict=False))


def _lines_of_fields(text: str) -> dict[str, int]:
    return {name: _line(text, place) for name, place in _fields(text)}


def _fields(text: str) -> Iterator[tuple[str, int]]:
    """The fields of the outermost object, each with the place of its value."""
    place = text.find("{") + 1
    while (place := _skip(text, place)) < len(text) and text[place] == '"':
        name, place = json.JSONDecoder(strict=False).raw_decode(text, place)
        place = _skip(text, _skip(text, place) + 1)
        yield name, place
        place = _skip(text, _after(text, place)) + 1


def _after(text: str, place: int) -> int:
    return json.JSONDecoder(strict=False).raw_decode(text, place)[1]


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


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


def blocks_in(name: str, text: str) -> tuple[ElaborationBlock, ...]:
    """The blocks of a document in their order."""
    lines = list(prose_lines(text))
    starts = [(at, found) for at, (_, line) in enumerate(lines) if (found := _MARKER.fullmatch(line))]
    blocks = []
    for place, (at, mark) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        body = tuple(_own(lines[at + 1 : end]))
        blocks.append(ElaborationBlock(name, lines[at][0], mark["step"], mark["at"], body))
    return tuple(blocks)


def check_blocks(blocks: Sequence[ElaborationBlock], *, limit: int, roster: Roster) -> Iterator[CheckFinding]:
    """What is wrong with the shape of the blocks."""
    names = {"User", "All", *(persona.first_name for persona in roster.personas)}
    for block in blocks:
        for line, said in _check_block(block, limit, names):
            yield CheckFinding(block.file, line, "block", said)


def check_pairs(
    blocks: Sequence[ElaborationBlock], records: Sequence[ElaborationRecord], updatable: frozenset[str]
) -> Iterator[CheckFinding]:
    """Blocks without a record, and records of steps with a markdown output without a block."""
    recorded = {(record.step_id, record.timestamp): record for record in records}
    written = {(block.step_id, block.timestamp) for block in blocks}
    for block in blocks:
        record = recorded.get((block.step_id, block.timestamp))
        if record is None:
            said = f"{marker(block.step_id, block.timestamp)} has no record in {META}."
            yield CheckFinding(block.file, block.line, "block", said)
        elif (turns := _turns_of(block)) is not None and turns != record.turn_count:
            said = f"The block says {turns} turns, the record in {META} says {record.turn_count}."
            yield CheckFinding(block.file, block.line, "block", said)
    for (step_id, at), record in recorded.items():
        if (step_id, at) not in written and step_id in updatable:
            said = f"No document holds the block of step {step_id}, {at}."
            yield CheckFinding(META, record.line, "record", said)


def _wrong_blocks(block: ElaborationBlock, limit: int, names: set[str]) -> Iterator[tuple[int, str]]:
    headings = [(number, found[1]) for number, line in block.lines if (found := parse_heading(line))]
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
    yield from _check_insights(block, names)


def _wrong_insights(block: ElaborationBlock, names: set[str]) -> Iterator[tuple[int, str]]:
    inside = False
    for number, line in block.lines:
        if heading := parse_heading(line):
            inside = heading[1] == _SECTIONS[0]
        elif inside and line.startswith(("- ", "* ")) and line[2:].strip().rstrip(".") != "None":
            entry = _ATTRIBUTED.fullmatch(line)
            if entry is None:
                yield number, "The insight does not say who it comes from, such as [Maya]."
                continue
            strangers = [each for each in entry["who"].split("/") if each not in names]
            if strangers:
                yield number, f"The insight credits {', '.join(strangers)}, who was not at the table."


def _turns_of(block: ElaborationBlock) -> int | None:
    found = (_TURNS.fullmatch(line) for _, line in block.lines)
    return next((int(each["turns"]) for each in found if each), None)


def _own(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that belong to the block: up to a heading as high as its own."""
    level = 0
    for number, line in lines:
        heading = parse_heading(line)
        if heading and level and heading[0] <= level:
            return
        if heading and not level:
            level = heading[0]
        yield number, line


_SHOWN = 60

AnswersIn = Callable[[str], Collection[tuple[str, str]]]
"""Says which answers a document holds, each by step and label; an open question counts as one."""


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it once stood, and what that moment is called."""

    name: str
    text: str


def check_growth(file: str, versions: Sequence[DocumentVersion]) -> Iterator[CheckFinding]:
    """Lines that were lost where an elaboration was added, and blocks that lost some later."""
    for before, after in pairwise(versions):
        earlier = {
            (block.step_id, block.timestamp): block for block in find_elaboration_blocks(file, before.text)
        }
        later = {
            (block.step_id, block.timestamp): block for block in find_elaboration_blocks(file, after.text)
        }
        for key, block in earlier.items():
            found = later.get(key)
            if found is None:
                block_name = f"The block of step {key[0]}, {key[1]}"
                said = f"{block_name} stood in {before.name}; {after.name} has it no more."
                yield CheckFinding(file, 1, "lost", said)
            elif missing := _missing_lines(_words(block.lines), _words(found.lines)):
                said = f"A line of the block is gone since {before.name}: {_short(missing[0][1])}"
                yield CheckFinding(file, found.line, "lost", said)
        if later.keys() - earlier.keys():
            yield from _find_lost_lines(file, before, after)


def check_answers(
    file: str, versions: Sequence[DocumentVersion], answers_in: AnswersIn
) -> Iterator[CheckFinding]:
    """Answers that stood in an earlier version and are missing in the last one (STEP-5)."""
    if not versions:
        return
    *earlier, last = versions
    there = answers_in(last.text)
    stood = {key: version.name for version in earlier for key in answers_in(version.text)}
    for (step_id, label), name in stood.items():
        if (step_id, label) not in there:
            said = f"The answer on {label} of step {step_id} stood in {name}; {last.name} has it no more."
            yield CheckFinding(file, 1, "lost", said)


def _lost(file: str, before: DocumentVersion, after: DocumentVersion) -> Iterator[CheckFinding]:
    """The lines of the earlier version that an addition took away."""
    missing = _missing_lines(before.text.splitlines(), after.text.splitlines())
    for number, line in missing:
        if line.strip():
            said = f"Line {number} of {before.name} was lost when {after.name} added to it: {_short(line)}"
            yield CheckFinding(file, 1, "lost", said)


def _missing(earlier: Sequence[str], later: Sequence[str]) -> list[tuple[int, str]]:
    """The lines of the earlier text, each with its number, that the later one does not have in that order."""
    from difflib import SequenceMatcher

    if _is_within(earlier, later):
        return []
    matcher = SequenceMatcher(None, earlier, later, autojunk=False)
    kept = {at for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)}
    return [(at + 1, line) for at, line in enumerate(earlier) if at not in kept]


def _is_within(earlier: Sequence[str], later: Sequence[str]) -> bool:
    rest = iter(later)
    return all(line in rest for line in earlier)


def _words(lines: Sequence[tuple[int, str]]) -> list[str]:
    return [line for _, line in lines if line.strip()]


def _short(line: str) -> str:
    words = " ".join(line.split())
    return f'"{words}"' if len(words) <= _SHOWN else f'"{words[: _SHOWN - 3]}..."'
