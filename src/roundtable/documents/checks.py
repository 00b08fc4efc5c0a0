"""The checks of an item: each finding names a file, a line and what is the matter there.

First what the documents say: ids, citations, markers. Then the rules that a meta.json keeps, whoever wrote it
(META-2, META-4, META-5), what the elaboration blocks claim (ART-8), and what was lost on the way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal

from msgspec import Struct

from ..core.citations import (
    CITATION,
    LinesOf,
    check_citation,
    find_paths,
    find_unknown_figures,
    is_address,
    is_marked,
)
from ..core.claims import shares_words
from ..core.markers import ElaborationMarker, WithdrawnMarker, find_malformed_marker, parse_marker
from ..core.personas import Roster
from ..core.progress import analysis_status, faulty_fields
from ..core.steps import PHASE_KEYS, Step
from ..core.synthesis import HEADINGS, UNVERIFIED
from ..core.text import parse_heading, unescape_markdown
from ..core.turns import Material
from .blocks import ElaborationBlock, TranscriptContent, find_elaboration_blocks
from .ids import CRITERION, HEADING, MENTION, ROW, STORIES_FILE, read_json
from .outline import prose_lines

META = "meta.json"
_LONGEST_QUOTE = 60

FindingKind = Literal[
    "dangling", "duplicate", "no-acceptance", "citation", "marker", "unreadable", "open", "record", "block",
    "lost", "decision", "figure", "unverified",
]  # fmt: skip


class CheckFinding(Struct, frozen=True):
    """One thing in one line of a file.

    `open` is a question left open, `unverified` what nobody accepted; everything else is a problem.
    """

    file: str
    line: int
    kind: FindingKind
    text: str


def check_documents(documents: Mapping[str, str], lines_of: LinesOf) -> tuple[CheckFinding, ...]:
    """Return every problem that is found in the documents, by file in their order and by line."""
    found = list(_check_ids(documents))
    for name, text in documents.items():
        if name.lower().endswith(".md"):
            found += _check_lines(name, text, lines_of)
        elif name.lower().endswith(".json") and read_json(text) is None:
            found.append(CheckFinding(name, 1, "unreadable", "It is not valid JSON."))
    order = list(documents)
    return tuple(sorted(found, key=lambda each: (order.index(each.file), each.line, each.text)))


def _check_lines(name: str, text: str, lines_of: LinesOf) -> Iterator[CheckFinding]:
    """Yield markers that mark nothing, and citations that lead nowhere and are not marked."""
    read = {block.line for block in find_elaboration_blocks(name, text)}
    for number, line in prose_lines(text):
        marker = parse_marker(line)
        if isinstance(marker, ElaborationMarker) and marker.step_id and number not in read:
            where = "stands inside other text, or in too large a file"
            yield CheckFinding(
                name, number, "marker", f"The elaboration marker {where}: its block is not read."
            )
        if kind := find_malformed_marker(line):
            problem = "marker is malformed, so that what it marks is taken for a hand edit"
            yield CheckFinding(name, number, "marker", f"The {kind} {problem}.")
        for found in CITATION.finditer(line):
            if is_address(found["path"]) or is_marked(line, found.end()):
                continue
            if problem := check_citation(found, lines_of):
                yield CheckFinding(name, number, "citation", problem)


# What earlier versions wrote of an id that is no longer in use.
_WITHDRAWN = "- Withdrawn: "
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')


def _check_ids(documents: Mapping[str, str]) -> Iterator[CheckFinding]:
    """Yield dangling references, ids defined twice, and requirements without acceptance criteria."""
    first: dict[str, tuple[str, int]] = {}
    mentions: list[tuple[str, str, int]] = []
    for name, text in documents.items():
        for number, line in prose_lines(text) if name.endswith(".md") else enumerate(text.split("\n"), 1):
            if name == STORIES_FILE:
                defined, line = _STORY.findall(line), _STORY.sub("", line)
            else:
                defined = [
                    found["id"] for each in (HEADING, CRITERION, ROW) if (found := each.fullmatch(line))
                ]
            for each in defined:
                if each in first:
                    file, at = first[each]
                    problem = f"{each} is defined a second time; first in {file}, line {at}."
                    yield CheckFinding(name, number, "duplicate", problem)
                first.setdefault(each, (name, number))
            if not line.startswith(_WITHDRAWN) and not isinstance(parse_marker(line), WithdrawnMarker):
                mentions += [(each, name, number) for each in dict.fromkeys(MENTION.findall(line))]
    for each, name, number in mentions:
        if each not in first:
            yield CheckFinding(name, number, "dangling", f"{each} is defined nowhere.")
    for each, (name, number) in first.items():
        criteria = each.replace("FR-", "AC-") + "-"
        if each.startswith("FR-") and not any(other.startswith(criteria) for other in first):
            yield CheckFinding(name, number, "no-acceptance", f"{each} has no acceptance criterion.")


def find_unverified(file: str, text: str) -> Iterator[CheckFinding]:
    """Yield the lines that carry the mark, each with its beginning (ART-8)."""
    for number, line in enumerate(text.split("\n"), 1):
        if UNVERIFIED in line:
            yield CheckFinding(file, number, "unverified", _quote(line))


# --- what a meta.json and the blocks have to keep -------------------------------------------------------

_WANTED = {
    "step_id": "the id of a step",
    "turn_count": "a whole number from 1",
    "personas_active": "a list of keys of personas",
    "timestamp": "an instant such as 2026-01-31T12:00:00.000Z",
    "synthesis_summary": "one sentence on one line",
}


def check_meta(
    text: str, meta: Mapping[str, Any], *, limit: int, roster: Roster, steps: tuple[Step, ...]
) -> Iterator[CheckFinding]:
    """Yield what is wrong in a meta.json that can be read."""

    def find(place: object, problem: str) -> CheckFinding:
        return CheckFinding(META, _find_line(text, place), "record", problem)

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
    for step_id in dict.fromkeys(map(str, completed)):
        if step_id not in known:
            yield find("steps_completed", f"There is no step {step_id}.")
    for record in _list(meta, "elaborations"):
        if not isinstance(record, dict):
            yield find("elaborations", "The elaboration record is not an object.")
            continue
        for problem in _check_record(record, limit, roster, known, completed):
            yield find(record.get("timestamp", "elaborations"), problem)


def _check_record(
    record: Mapping[str, Any], limit: int, roster: Roster, known: set[str], completed: Sequence[object]
) -> Iterator[str]:
    """Yield what is wrong with one record, in words."""
    faulty = faulty_fields(record)
    for field in faulty:
        shown = json.dumps(record[field], ensure_ascii=False, default=str) if field in record else "missing"
        yield f"{field} is {_shorten(shown)}; it has to be {_WANTED[field]}."
    sound = {field: value for field, value in record.items() if field not in faulty}
    if (step_id := sound.get("step_id")) and step_id not in known:
        yield f"There is no step {step_id}, which the record names."
    elif step_id and step_id not in completed:
        yield f"Step {step_id} was discussed but is not in steps_completed."
    if sound.get("turn_count", 0) > limit:
        yield f"turn_count is {sound['turn_count']}, above the limit of {limit} turns."
    if strangers := [key for key in sound.get("personas_active", ()) if key not in roster]:
        yield f"personas_active names {', '.join(strangers)}, and no persona has that key."


def _list(meta: Mapping[str, Any], field: str) -> list[Any]:
    found = meta.get(field)
    return found if isinstance(found, list) else []


def _find_line(text: str, place: object) -> int:
    """Return the line of meta.json in which a field's name or a value first stands."""
    return text.count("\n", 0, max(text.find(json.dumps(place, ensure_ascii=False)), 0)) + 1


_CREDIT = re.compile(r"\\?\[(?P<who>[^\]\\]+)\\?\] ")
_SILENT = "| **User**: silent"
_TAKEAWAY = "Key takeaway:"


def check_claims(
    blocks: Sequence[ElaborationBlock],
    transcripts: Sequence[TranscriptContent],
    documents: Mapping[str, str],
    lines_of: LinesOf,
    roster: Roster,
) -> Iterator[CheckFinding]:
    """Yield the credits, paths, figures and decisions in the blocks that nothing bears out (ART-8).

    Before that, the sections that it lacks: entries under another heading are not read (SYN-1). Figures and
    decisions are held against the transcript, if it is not lost. What is marked claims nothing.
    """
    names = {"User", "All", *(persona.first_name for persona in roster.personas)}
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
        headings = {found[1] for _, line in block.lines if (found := parse_heading(line))}
        for part in (HEADINGS["insights"], HEADINGS["decisions"], HEADINGS["questions"]):
            if part not in headings and not any(line.startswith(_TAKEAWAY) for _, line in block.lines):
                yield CheckFinding(block.file, block.line, "block", f"The block has no section '{part}'.")
        for number, part, words in block.entries():
            entry = unescape_markdown(words)
            credit = _CREDIT.match(words) if part == HEADINGS["insights"] else None
            strangers = [each for each in credit["who"].split("/") if each not in names] if credit else []
            if strangers:
                problem = f"The insight credits {', '.join(strangers)}, who was not at the table."
                yield CheckFinding(block.file, number, "block", problem)
            for path in find_paths(entry):
                known = any(path["path"] in each for each in sources)
                problem = "" if known or is_marked(entry, path.end()) else check_citation(path, lines_of)
                if problem:
                    yield CheckFinding(block.file, number, "citation", problem)
            for figure, _ in find_unknown_figures(entry, sources) if transcript is not None else ():
                problem = f"{figure} is not in the transcript or the documents."
                yield CheckFinding(block.file, number, "figure", problem)
            if part == HEADINGS["decisions"] and not _is_decided(words.strip(), transcript, is_silent):
                problem = f"Nothing that the user said decides this: {_quote(entry)}"
                yield CheckFinding(block.file, number, "decision", problem)


def _is_decided(line: str, transcript: TranscriptContent | None, is_silent: bool) -> bool:
    """Whether the user can have decided what a line says, by the transcript; marked, it claims nothing."""
    if transcript is None or UNVERIFIED in line:
        return UNVERIFIED in line or not is_silent
    users = transcript.users_turns
    noted = next((each for each in transcript.entries if line in each.text), None)
    if noted is not None:
        return bool(users.keys() & {*noted.turns}) or bool(noted.review)
    return shares_words(unescape_markdown(line), " ".join(users.values()))


def check_pairs(
    text: str,
    meta: Mapping[str, Any],
    blocks: Sequence[ElaborationBlock],
    updatable: Collection[str],
    excused: Collection[str],
) -> Iterator[CheckFinding]:
    """Yield blocks without a record, and records of `updatable` steps without a block.

    `excused` are the instants of discussions that were taken back (MENU-7) or had nothing to write.
    """
    records = (record for record in _list(meta, "elaborations") if isinstance(record, dict))
    turns = {
        (record["step_id"], record["timestamp"]): record["turn_count"]
        for record in records
        if not {"step_id", "timestamp", "turn_count"} & {*faulty_fields(record)}
    }
    for block in blocks:
        if block.key not in turns:
            problem = f"{ElaborationMarker(block.step_id, block.timestamp)} has no record in {META}."
        elif block.turns not in (None, turns[block.key]):
            problem = f"The block says {block.turns} turns, the record in {META} says {turns[block.key]}."
        else:
            continue
        yield CheckFinding(block.file, block.line, "block", problem)
    written = {block.key for block in blocks}
    for step_id, at in turns:
        if (step_id, at) not in written and step_id in updatable and at not in excused:
            problem = f"No document holds the block of step {step_id}, {at}."
            yield CheckFinding(META, _find_line(text, at), "record", problem)


# --- what git remembers ---------------------------------------------------------------------------------


def check_growth(file: str, versions: Sequence[Material], undone: Collection[str]) -> Iterator[CheckFinding]:
    """Yield lines that were lost where an elaboration was added, and blocks that lost some later.

    A version is called by its moment. `undone` are the instants of those that were taken back (MENU-7).
    """
    for before, after in pairwise(versions):
        earlier = {block.key: block for block in find_elaboration_blocks(file, before.text)}
        later = {block.key: block for block in find_elaboration_blocks(file, after.text)}
        lines = before.text.splitlines()
        for key, block in earlier.items():
            if block.timestamp in undone:
                for number in (block.line, *(number for number, _ in block.lines)):
                    lines[number - 1] = ""
            elif key not in later:
                problem = f"The block of step {key[0]}, {key[1]}"
                yield CheckFinding(
                    file, 1, "lost", f"{problem} was in {before.name}, but not in {after.name}."
                )
            elif missing := _missing_lines(
                *([line for _, line in each.lines if line.strip()] for each in (block, later[key]))
            ):
                problem = f"A line of the block is gone since {before.name}: {_quote(missing[0][1])}"
                yield CheckFinding(file, later[key].line, "lost", problem)
        if later.keys() - earlier.keys():
            for number, line in _missing_lines(lines, after.text.splitlines()):
                if line.strip():
                    lost = f"Line {number} of {before.name} was lost when {after.name} added to it"
                    yield CheckFinding(file, 1, "lost", f"{lost}: {_quote(line)}")


def check_answers(
    file: str, versions: Sequence[Material], answers_in: Callable[[str], Collection[tuple[str, str]]]
) -> Iterator[CheckFinding]:
    """Yield answers that stood in an earlier version and are missing in the last one (STEP-5).

    `answers_in` returns the answers that a document holds, each by step and label; an open question counts.
    """
    if not versions:
        return
    *earlier, last = versions
    there = answers_in(last.text)
    stood = {key: version.name for version in earlier for key in answers_in(version.text)}
    for (step_id, label), name in stood.items():
        if (step_id, label) not in there:
            answer = f"The answer on {label} of step {step_id}"
            yield CheckFinding(file, 1, "lost", f"{answer} was in {name}, but not in {last.name}.")


def _missing_lines(earlier: Sequence[str], later: Sequence[str]) -> list[tuple[int, str]]:
    """Return the earlier lines, each with its number, that the later text does not have in that order."""
    rest = iter(later)
    if all(line in rest for line in earlier):
        return []
    blocks = SequenceMatcher(None, earlier, later, autojunk=False).get_matching_blocks()
    kept = {at for block in blocks for at in range(block.a, block.a + block.size)}
    return [(at, line) for at, line in enumerate(earlier, 1) if at - 1 not in kept]


def _quote(line: str) -> str:
    return f'"{_shorten(" ".join(line.split()))}"'


def _shorten(words: str) -> str:
    return words if len(words) <= _LONGEST_QUOTE else f"{words[: _LONGEST_QUOTE - 3]}..."
