"""meta.json: how far an item's analysis has come (rules META-1 to META-5, META-8 and ENTRY-2).

What others wrote in the file stays as they wrote it, the order of the fields included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from ..core.records import analysis_status, faulty_fields
from ..core.steps import PHASE_KEYS
from . import files, json_text
from .files import timestamp
from .inside import JOURNAL_FOLDER, leads_out
from .lock import meta_lock

__all__ = [
    "StartPhase",
    "append_elaboration",
    "change_meta",
    "has_meta",
    "is_stale",
    "max_turns",
    "meta_gone",
    "meta_problem",
    "read_meta",
    "set_aside",
    "start_phase",
    "timestamp",
    "write_meta",
]

DEFAULT_MAX_TURNS = 10
LEAST_MAX_TURNS = 3


@dataclass(frozen=True, slots=True)
class StartPhase:
    """Where an analysis goes on: the phases complete without a gap, the next, what remains, and warnings."""

    completed: tuple[str, ...]
    next: str | None
    remaining: tuple[str, ...]
    warnings: tuple[str, ...]


def read_meta(folder: Path | str) -> dict[str, Any] | None:
    """The item's meta.json with its defaults filled in; None where it is missing or cannot be used."""
    try:
        found = _load(Path(folder))
    except ItemCorrupt:
        return None
    return None if found is None else _with_defaults(found)


def meta_problem(folder: Path | str) -> str | None:
    """Why meta.json cannot be used, in words for a person; None where it is fine or missing."""
    try:
        _load(Path(folder))
    except ItemCorrupt as error:
        return error.failed
    return None


def has_meta(folder: Path | str) -> bool:
    """Whether the item has a meta.json, sound or not."""
    path = Path(folder) / "meta.json"
    return path.is_symlink() or path.exists()


def meta_gone(folder: Path | str) -> ItemCorrupt:
    """The error for a meta.json that was there when the work on the item began."""
    return ItemCorrupt(
        f"{Path(folder) / 'meta.json'} is gone; it was there when this step began.",
        saved=f"What was said is kept in {JOURNAL_FOLDER}; no new meta.json was made.",
        do="If another branch was checked out, check out the one before and run the same command again. "
        "To begin anew without it: roundtable analyze ITEM --start-over",
    )


def write_meta(folder: Path | str, meta: Mapping[str, Any]) -> None:
    """Put `meta` in place of the item's meta.json; ItemCorrupt, and no change, where that cannot be used."""
    folder = Path(folder)
    with meta_lock(folder):
        _load(folder)
        _save(folder, dict(meta))


def change_meta(folder: Path | str, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Read meta.json anew, let `change` change it in place, write it and return it, under the lock.

    A missing file starts out with the defaults; ItemCorrupt, and no change, where the file cannot be used.
    """
    folder = Path(folder)
    with meta_lock(folder):
        meta = _with_defaults(_load(folder) or {})
        change(meta)
        return _save(folder, meta)


def append_elaboration(folder: Path | str, record: Mapping[str, Any]) -> bool:
    """Append an elaboration record; False, and no change, where that step and instant are there already."""
    _check_record(record)
    folder = Path(folder)
    with meta_lock(folder):
        meta = _with_defaults(_load(folder) or {})
        if any(_is_same(other, record) for other in meta["elaborations"]):
            return False
        meta["elaborations"].append(dict(record))
        _save(folder, meta)
        return True


def set_aside(folder: Path | str) -> Path:
    """Rename a meta.json that cannot be used to `meta.json.corrupt-…`, and return its new path."""
    folder = Path(folder)
    with meta_lock(folder):
        if meta_problem(folder) is None:
            raise RuleBroken(f"There is no corrupt meta.json in {folder}; nothing was set aside.")
        instant = timestamp().replace("-", "").replace(":", "")  # Windows allows no colon in a name
        new = folder / f"meta.json.corrupt-{instant}"
        taken = {entry.name for entry in folder.iterdir()}
        while new.name in taken:
            new = new.with_name(f"{new.name}-again")
        files.rename(folder / "meta.json", new)
        return new


def max_turns(meta: Mapping[str, Any] | None) -> int:
    """The turn limit that the item is configured with, where it is a whole number of at least 3; else 10."""
    config = (meta or {}).get("elaboration_config")
    limit = config.get("max_turns") if isinstance(config, dict) else None
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return DEFAULT_MAX_TURNS
    if isinstance(limit, float) and not limit.is_integer():
        return DEFAULT_MAX_TURNS
    return int(limit) if limit >= LEAST_MAX_TURNS else DEFAULT_MAX_TURNS


def start_phase(meta: Mapping[str, Any] | None) -> StartPhase:
    """Where the analysis goes on, and what in `phases_completed` does not fit."""
    recorded = (meta or {}).get("phases_completed")
    recorded = recorded if isinstance(recorded, list) else []
    count = next((n for n, key in enumerate(PHASE_KEYS) if key not in recorded), len(PHASE_KEYS))
    completed, remaining = PHASE_KEYS[:count], PHASE_KEYS[count:]
    warnings = [
        f"{key} is recorded as complete, but {remaining[0]} before it is not; the analysis goes on there."
        for key in remaining
        if key in recorded
    ]
    unknown = [entry for entry in recorded if entry not in PHASE_KEYS]
    warnings += [f"{repr(entry)[:60]} in phases_completed is no phase." for entry in unknown]
    return StartPhase(completed, remaining[0] if remaining else None, remaining, tuple(warnings))


def is_stale(codebase_hash: object, commit: object) -> bool:
    """True where the code has moved on: neither of the two commits is the beginning of the other."""
    if not isinstance(codebase_hash, str) or not isinstance(commit, str):
        return False
    return not (commit.startswith(codebase_hash) or codebase_hash.startswith(commit))


def _load(folder: Path) -> dict[str, Any] | None:
    """The object in meta.json as it stands; None where there is no file, ItemCorrupt where it is unusable."""
    path = folder / "meta.json"
    if reason := leads_out(folder, "meta.json"):
        raise _corrupt(f"{path} cannot be used: {reason}.")
    try:
        found = json_text.parse(files.read(path))
    except FileNotFoundError as error:
        if path.is_symlink():
            raise _corrupt(f"{path} cannot be used: it is a link to a file that is not there.") from error
        return None
    except DiskFailed as error:
        raise _corrupt(error.failed) from error
    except ValueError as error:
        raise _corrupt(f"{path} cannot be used: {error}.") from error
    if not isinstance(found, dict):
        raise _corrupt(f"{path} cannot be used: it holds no object.")
    return found


def _corrupt(failed: str) -> ItemCorrupt:
    return ItemCorrupt(
        failed,
        saved="The file was not changed.",
        do="Repair it, or start over: the file is then set aside under another name.",
    )


def _with_defaults(meta: dict[str, Any]) -> dict[str, Any]:
    """META-2, in place."""
    _migrate(meta)
    for key, default in (("source", "manual"), ("created_at", timestamp()), ("analysis_status", "raw")):
        meta[key] = meta.get(key) or default
    for key in ("phases_completed", "steps_completed", "elaborations"):
        meta[key] = meta[key] if isinstance(meta.get(key), list) else []
    overrides = meta.get("depth_overrides")
    meta["depth_overrides"] = overrides if isinstance(overrides, dict) else {}
    return meta


def _migrate(meta: dict[str, Any]) -> None:
    """Say in today's fields what an older file says with `phase_a_completed`."""
    if "phase_a_completed" in meta and not meta.get("analysis_status"):
        complete = meta["phase_a_completed"] is True
        meta["analysis_status"] = "analyzed" if complete else "raw"
        meta["phases_completed"] = list(PHASE_KEYS) if complete else []


def _save(folder: Path, meta: dict[str, Any]) -> dict[str, Any]:
    """META-4; the lock is the caller's business."""
    _migrate(meta)
    meta.pop("phase_a_completed", None)
    meta["analysis_status"] = analysis_status(meta.get("phases_completed"))
    files.write(folder / "meta.json", json_text.render(meta).encode(), follow_link=True)
    return meta


def _is_same(other: object, record: Mapping[str, Any]) -> bool:
    return isinstance(other, dict) and all(other.get(key) == record[key] for key in ("step_id", "timestamp"))


def _check_record(record: Mapping[str, Any]) -> None:
    """RuleBroken where a field of META-5 is missing or wrong."""
    wrong = faulty_fields(record)
    if wrong:
        raise RuleBroken(f"The elaboration record was not saved: {', '.join(wrong)} is missing or wrong.")
