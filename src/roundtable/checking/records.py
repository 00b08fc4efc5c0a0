"""Records: whether a meta.json keeps to the rules, whoever wrote it (META-2, META-4, META-5, ENTRY-2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..core.personas import Roster
from ..core.records import analysis_status, faulty_fields
from ..core.steps import PHASE_KEYS, Step
from .findings import Finding

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
) -> Iterator[Finding]:
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
        for said in _wrong(record, limit, roster, known, completed):
            yield _found(line, said)


def kept_records(text: str, meta: Mapping[str, Any]) -> tuple[Kept, ...]:
    """The records that name a step, an instant and a number of turns."""
    return tuple(
        Kept(record["step_id"], record["timestamp"], record["turn_count"], line)
        for record, line in _records(text, meta)
        if isinstance(record, dict)
        and not {"step_id", "timestamp", "turn_count"} & set(faulty_fields(record))
    )


def _check_phases(meta: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Finding]:
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
        yield f"step_id is {_shown(record, 'step_id')}, and no step has that id."
    elif step_id not in completed:
        yield f"Step {step_id} was discussed but is not in steps_completed."
    if "turn_count" in faulty:
        yield f"turn_count is {_shown(record, 'turn_count')}; it has to be a whole number from 1."
    elif isinstance(turns, int) and turns > limit:
        yield f"turn_count is {turns}, above the limit of {limit} turns."
    personas = record.get("personas_active")
    if "personas_active" in faulty or not personas:
        yield f"personas_active is {_shown(record, 'personas_active')}; it has to list who was at the table."
    else:
        strangers = [str(key) for key in personas or () if key not in roster]
        if strangers:
            yield f"personas_active names {', '.join(strangers)}, and no persona has that key."
    if "timestamp" in faulty:
        shown = _shown(record, "timestamp")
        yield f"timestamp is {shown}; it has to read like 2026-01-31T12:00:00.000Z."
    yield from _wrong_summary(record)


def _wrong_summary(record: Mapping[str, Any]) -> Iterator[str]:
    summary = record.get("synthesis_summary")
    if not isinstance(summary, str) or not summary.strip():
        shown = _shown(record, "synthesis_summary")
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


def _found(line: int, text: str) -> Finding:
    return Finding(META, line, "record", text)


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
