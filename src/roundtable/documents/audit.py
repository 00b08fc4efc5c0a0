"""The rules that a meta.json and the elaboration blocks keep, whoever wrote them (META-2, META-4, META-5)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from msgspec import Struct

from ..core.citations import LinesOf, check_citation, find_paths, find_unknown_figures, is_marked
from ..core.claims import shares_words
from ..core.personas import Roster
from ..core.progress import analysis_status, faulty_fields
from ..core.steps import PHASE_KEYS, Step
from ..core.synthesis import UNVERIFIED, marker
from ..core.text import parse_heading, unescape_markdown
from ..core.turns import Material
from .blocks import ElaborationBlock, TranscriptContent, find_elaboration_blocks
from .checks import CheckFinding

META = "meta.json"
_LONGEST_SUMMARY = 130
_LONGEST_QUOTE = 60
_FIELD = re.compile(r'"(?P<name>\w+)"\s*:')
_RECORDS = re.compile(r'"elaborations"\s*:\s*\[')
_NEEDED = frozenset({"step_id", "timestamp", "turn_count"})


class ElaborationRecord(Struct, frozen=True):
    """An elaboration record that can be used, and the line where it begins."""

    step_id: str
    timestamp: str
    turn_count: int
    line: int


def check_meta(
    text: str, meta: Mapping[str, Any], *, limit: int, roster: Roster, steps: tuple[Step, ...]
) -> Iterator[CheckFinding]:
    """Yield what is wrong in a meta.json that can be read."""

    def find(field: str, problem: str) -> CheckFinding:
        place = next((found.start() for found in _FIELD.finditer(text) if found["name"] == field), 0)
        return CheckFinding(META, text.count("\n", 0, place) + 1, "record", problem)

    for field in ("phases_completed", "steps_completed", "elaborations"):
        if field in meta and not isinstance(meta[field], list):
            yield find(field, f"{field} is not a list, so it counts as empty.")
    phases, completed = _list(meta, "phases_completed"), _list(meta, "steps_completed")
    for key in phases:
        if key not in PHASE_KEYS:
            yield find("phases_completed", f"There is no phase {key}.")
    status, wanted = meta.get("analysis_status"), analysis_status(phases)
    if status and status != wanted:
        done = f"{sum(key in phases for key in PHASE_KEYS)} of {len(PHASE_KEYS)} phases"
        yield find("analysis_status", f"analysis_status is {status!r}; with {done} it is {wanted!r}.")
    known = {step.step_id for step in steps}
    for step_id in dict.fromkeys(str(each) for each in completed):
        if step_id not in known:
            yield find("steps_completed", f"There is no step {step_id}.")
        if sum(str(each) == step_id for each in completed) > 1:
            yield find("steps_completed", f"Step {step_id} is listed more than once.")
    for record, line in _records(text, meta):
        for problem in _check_record(record, limit, roster, known, completed):
            yield CheckFinding(META, line, "record", problem)


def list_elaboration_records(text: str, meta: Mapping[str, Any]) -> tuple[ElaborationRecord, ...]:
    """Return the records that name a step, an instant and a number of turns."""
    return tuple(
        ElaborationRecord(record["step_id"], record["timestamp"], record["turn_count"], line)
        for record, line in _records(text, meta)
        if isinstance(record, dict) and not _NEEDED & set(faulty_fields(record))
    )


def _check_record(
    record: object, limit: int, roster: Roster, known: set[str], completed: list[Any]
) -> Iterator[str]:
    """Yield what is wrong with one record, in words."""
    if not isinstance(record, dict):
        yield "The elaboration record is not an object."
        return

    def show(field: str) -> str:
        shown = json.dumps(record[field], ensure_ascii=False, default=str) if field in record else "missing"
        return f"{field} is {shown if len(shown) <= _LONGEST_QUOTE else shown[: _LONGEST_QUOTE - 3] + '...'}"

    faulty = faulty_fields(record)
    step_id, turns, personas = record.get("step_id"), record.get("turn_count"), record.get("personas_active")
    if not isinstance(step_id, str) or step_id not in known:
        yield f"{show('step_id')}, and no step has that id."
    elif step_id not in completed:
        yield f"Step {step_id} was discussed but is not in steps_completed."
    if "turn_count" in faulty:
        yield f"{show('turn_count')}; it has to be a whole number from 1."
    elif isinstance(turns, int) and turns > limit:
        yield f"turn_count is {turns}, above the limit of {limit} turns."
    if "personas_active" in faulty or not personas:
        yield f"{show('personas_active')}; it has to list who was at the table."
    elif strangers := [str(key) for key in personas if key not in roster]:
        yield f"personas_active names {', '.join(strangers)}, and no persona has that key."
    if "timestamp" in faulty:
        yield f"{show('timestamp')}; it has to read like 2026-01-31T12:00:00.000Z."
    summary = record.get("synthesis_summary")
    if not isinstance(summary, str) or not summary.strip():
        yield f"{show('synthesis_summary')}; it has to be one sentence."
    elif len(summary.splitlines()) > 1:
        yield "synthesis_summary has several lines; it has to be one."
    elif len(summary) > _LONGEST_SUMMARY:
        yield f"synthesis_summary has {len(summary)} characters; about 100 are wanted."


def _list(meta: Mapping[str, Any], field: str) -> list[Any]:
    found = meta.get(field)
    return found if isinstance(found, list) else []


def _records(text: str, meta: Mapping[str, Any]) -> Iterator[tuple[object, int]]:
    """Yield the elaboration records, each with the line where it begins."""
    start = _RECORDS.search(text)
    place = start.end() if start else len(text)
    for record in _list(meta, "elaborations"):
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        yield record, text.count("\n", 0, place) + 1
        if place < len(text) and text[place] != "]":
            place = json.JSONDecoder(strict=False).raw_decode(text, place)[1]


_TITLE = re.compile(r"Elaboration Insights \(Step (?P<step>\S+): .+\)")
_ATTRIBUTED = re.compile(r"\\?\[(?P<who>[^\]\\]+)\\?\] \S.*")
_SECTIONS = ("Key Insights", "Decisions Made", "Open Questions")
_TAKEAWAY = "Key takeaway:"


def check_blocks(blocks: Sequence[ElaborationBlock], *, limit: int, roster: Roster) -> Iterator[CheckFinding]:
    """Yield what is wrong with the shape of the blocks."""
    names = {"User", "All", *(persona.first_name for persona in roster.personas)}
    for block in blocks:
        if not any(line.startswith(_TAKEAWAY) for _, line in block.lines):
            for line, problem in _check_block(block, limit, names):
                yield CheckFinding(block.file, line, "block", problem)


def _check_block(block: ElaborationBlock, limit: int, names: set[str]) -> Iterator[tuple[int, str]]:
    headings = [(number, found[1]) for number, line in block.lines if (found := parse_heading(line))]
    title = _TITLE.fullmatch(headings[0][1]) if headings else None
    if title is None:
        yield block.line, "After the marker there is no heading 'Elaboration Insights (Step NN-NN: title)'."
    elif title["step"] != block.step_id:
        yield headings[0][0], f"The heading names step {title['step']}, the marker {block.step_id}."
    if block.turns is None:
        yield block.line, "The block has no line '**Turns**: N | **Exit**: user-initiated or turn-limit'."
    elif block.turns > limit:
        yield block.line, f"The block says {block.turns} turns, above the limit of {limit}."
    if not any(line.startswith("**Participants**: ") for _, line in block.lines):
        yield block.line, "The block has no line '**Participants**: ...'."
    for section in _SECTIONS:
        if section not in (text for _, text in headings):
            yield block.line, f"The block has no section '{section}'."
    for number, part, words in block.entries():
        if part == _SECTIONS[0]:
            entry = _ATTRIBUTED.fullmatch(words)
            if entry is None:
                yield number, "The insight does not say who it comes from, such as [Maya]."
            elif strangers := [each for each in entry["who"].split("/") if each not in names]:
                yield number, f"The insight credits {', '.join(strangers)}, who was not at the table."


_SILENT = "| **User**: silent"


def check_claims(
    blocks: Sequence[ElaborationBlock],
    transcripts: Sequence[TranscriptContent],
    documents: Mapping[str, str],
    lines_of: LinesOf,
) -> Iterator[CheckFinding]:
    """Yield the paths, figures and decisions in the blocks that nothing bears out, unless marked (ART-8).

    Figures and decisions are held against the transcript; where it is lost, nobody can tell.
    """
    written = {(block.file, number) for block in blocks for number, _ in block.lines}
    others = [
        "\n".join(line for number, line in enumerate(text.split("\n"), 1) if (name, number) not in written)
        for name, text in documents.items()
    ]
    held = {transcript.key: transcript for transcript in transcripts}
    for block in blocks:
        transcript = held.get(block.key)
        is_silent = any(line.rstrip().endswith(_SILENT) for _, line in block.lines)
        sources = [*others, *(turn.text for turn in transcript.turns)] if transcript is not None else []
        for number, part, words in block.entries():
            entry = unescape_markdown(words)
            for path in find_paths(entry):
                known = any(path["path"] in each for each in sources)
                problem = "" if known or is_marked(entry, path.end()) else check_citation(path, lines_of)
                if problem:
                    yield CheckFinding(block.file, number, "citation", problem)
            for figure, _ in find_unknown_figures(entry, sources) if transcript is not None else ():
                problem = f"{figure} stands neither in the transcript nor in the documents."
                yield CheckFinding(block.file, number, "figure", problem)
            if part == _SECTIONS[1] and not _is_decided(words.strip(), transcript, is_silent):
                problem = f"Nothing that the user said decides this: {_quote(entry)}"
                yield CheckFinding(block.file, number, "decision", problem)


def _is_decided(line: str, transcript: TranscriptContent | None, is_silent: bool) -> bool:
    """Whether the user can have decided what a line says, by the transcript; marked, it claims nothing."""
    if UNVERIFIED in line or (transcript is None and not is_silent):
        return True
    if transcript is None:
        return False
    users = transcript.users_turns
    noted = next((each for each in transcript.entries if line in each.text), None)
    if noted is not None:
        return bool(users.keys() & {*noted.turns}) or bool(noted.review)
    return shares_words(unescape_markdown(line), " ".join(users.values()))


def find_unverified(file: str, text: str) -> Iterator[CheckFinding]:
    """Yield the lines that carry the mark, each with its beginning (ART-8)."""
    for number, line in enumerate(text.split("\n"), 1):
        if UNVERIFIED in line:
            yield CheckFinding(file, number, "unverified", _quote(line))


def check_pairs(
    blocks: Sequence[ElaborationBlock],
    records: Sequence[ElaborationRecord],
    updatable: frozenset[str],
    undone: frozenset[str] = frozenset(),
) -> Iterator[CheckFinding]:
    """Yield blocks without a record, and records of steps with a markdown output without a block.

    `undone` are the instants of those that were taken back (MENU-7).
    """
    recorded = {(record.step_id, record.timestamp): record for record in records}
    for block in blocks:
        record = recorded.get(block.key)
        if record is None:
            problem = f"{marker(block.step_id, block.timestamp)} has no record in {META}."
        elif block.turns not in (None, record.turn_count):
            problem = f"The block says {block.turns} turns, the record in {META} says {record.turn_count}."
        else:
            continue
        yield CheckFinding(block.file, block.line, "block", problem)
    written = {block.key for block in blocks}
    for (step_id, at), record in recorded.items():
        if (step_id, at) not in written and step_id in updatable and at not in undone:
            problem = f"No document holds the block of step {step_id}, {at}."
            yield CheckFinding(META, record.line, "record", problem)


AnswersIn = Callable[[str], Collection[tuple[str, str]]]
"""Returns which answers a document holds, each by step and label; an open question counts as one."""


def check_growth(
    file: str, versions: Sequence[Material], undone: frozenset[str] = frozenset()
) -> Iterator[CheckFinding]:
    """Yield lines that were lost where an elaboration was added, and blocks that lost some later.

    A version is called by its moment. `undone` are the instants of those that were taken back (MENU-7).
    """
    for before, after in pairwise(versions):
        earlier = {block.key: block for block in find_elaboration_blocks(file, before.text)}
        later = {block.key: block for block in find_elaboration_blocks(file, after.text)}
        for key, block in earlier.items():
            found = later.get(key)
            if found is None and key[1] in undone:
                continue
            if found is None:
                block_name = f"The block of step {key[0]}, {key[1]}"
                problem = f"{block_name} stood in {before.name}; {after.name} has it no more."
                yield CheckFinding(file, 1, "lost", problem)
            elif missing := _missing_lines(block.filled_lines, found.filled_lines):
                problem = f"A line of the block is gone since {before.name}: {_quote(missing[0][1])}"
                yield CheckFinding(file, found.line, "lost", problem)
        if later.keys() - earlier.keys():
            lines = before.text.splitlines()
            for block in earlier.values():
                if block.timestamp in undone:  # what was taken back is not lost
                    for number in (block.line, *(number for number, _ in block.lines)):
                        lines[number - 1] = ""
            for number, line in _missing_lines(lines, after.text.splitlines()):
                if line.strip():
                    lost = f"Line {number} of {before.name} was lost when {after.name} added to it"
                    yield CheckFinding(file, 1, "lost", f"{lost}: {_quote(line)}")


def check_answers(file: str, versions: Sequence[Material], answers_in: AnswersIn) -> Iterator[CheckFinding]:
    """Yield answers that stood in an earlier version and are missing in the last one (STEP-5)."""
    if not versions:
        return
    *earlier, last = versions
    there = answers_in(last.text)
    stood = {key: version.name for version in earlier for key in answers_in(version.text)}
    for (step_id, label), name in stood.items():
        if (step_id, label) not in there:
            answer = f"The answer on {label} of step {step_id}"
            yield CheckFinding(file, 1, "lost", f"{answer} stood in {name}; {last.name} has it no more.")


def _missing_lines(earlier: Sequence[str], later: Sequence[str]) -> list[tuple[int, str]]:
    """Return the earlier lines, each with its number, that the later text does not have in that order."""
    rest = iter(later)
    if all(line in rest for line in earlier):
        return []
    matcher = SequenceMatcher(None, earlier, later, autojunk=False)
    kept = {at for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)}
    return [(at + 1, line) for at, line in enumerate(earlier) if at not in kept]


def _quote(line: str) -> str:
    words = " ".join(line.split())
    return f'"{words}"' if len(words) <= _LONGEST_QUOTE else f'"{words[: _LONGEST_QUOTE - 3]}..."'
