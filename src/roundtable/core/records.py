"""Records in meta.json: what a sound elaboration record is, and the status that follows from the phases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from .steps import PHASE_KEYS

Status = Literal["raw", "partial", "analyzed"]
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def analysis_status(phases_completed: object) -> Status:
    """How far an analysis is: of the five known phases none, some or all (META-4)."""
    recorded = phases_completed if isinstance(phases_completed, list | tuple) else ()
    count = sum(key in recorded for key in PHASE_KEYS)
    return "raw" if count == 0 else "analyzed" if count == len(PHASE_KEYS) else "partial"


def faulty_fields(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of an elaboration record that are missing or of the wrong kind (META-5)."""
    step_id, turns = record.get("step_id"), record.get("turn_count")
    personas, instant = record.get("personas_active"), record.get("timestamp")
    sound = {
        "step_id": isinstance(step_id, str) and bool(step_id),
        "turn_count": isinstance(turns, int) and not isinstance(turns, bool) and turns >= 1,
        "personas_active": isinstance(personas, list | tuple)
        and all(isinstance(key, str) for key in personas),
        "timestamp": isinstance(instant, str) and TIMESTAMP.fullmatch(instant) is not None,
        "synthesis_summary": _is_line(record.get("synthesis_summary")),
    }
    return tuple(field for field, is_sound in sound.items() if not is_sound)


def _is_line(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.splitlines() == [text]
