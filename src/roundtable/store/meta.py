"""An item's meta.json: read, changed and written under its lock, without altering any other value."""

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..core.errors import DiskFailed, ItemCorrupt, ItemLocked, RuleBroken
from ..core.hearing import find_corrections
from ..core.progress import Past, Progress, analysis_status, faulty_fields, read_scope
from ..core.steps import PHASE_KEYS
from ..core.text import strip_unprintable
from . import files
from .artifact import read_texts
from .lock import meta_lock

MAX_JSON_DEPTH = 200
_TOO_DEEP = f"it is nested more than {MAX_JSON_DEPTH} deep"
_SURROGATE = re.compile("[\ud800-\udfff]")


class Number(float):
    """A number that Python would write differently, such as `1.00` or `1e400`, with its original text."""

    def __init__(self, text: str) -> None:
        self.text = text


def parse_json(data: bytes) -> Any:
    """Return the value of a JSON text; raise ValueError, with the reason, if it is not JSON."""
    text = data.removeprefix(BOM_UTF8).decode()
    if not text.strip():
        raise ValueError("it is empty")
    try:
        value = json.loads(text, parse_float=_number, parse_int=_number, parse_constant=_number)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    _check_depth(value)
    return value


def render_json(value: object) -> str:
    """Return the value as JSON, indented by two; raise RuleBroken if `parse_json` could not read it."""
    try:
        _check_depth(value)
        text = _render(value, "\n")
    except (TypeError, ValueError) as error:
        raise RuleBroken(f"This cannot be written as JSON: {error}.") from error
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _render(value: object, margin: str) -> str:
    inner = f"{margin}  "
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict) and value:
        rows = [f"{inner}{_render(str(key), '')}: {_render(item, inner)}" for key, item in value.items()]
        return f"{{{','.join(rows)}{margin}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{','.join([inner + _render(item, inner) for item in value])}{margin}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _number(text: str) -> int | float:
    if text in ("NaN", "Infinity", "-Infinity"):
        raise ValueError(f"it holds {text}, which JSON does not know")
    with suppress(ValueError):  # it has more digits than Python converts
        number = float(text) if set(text) & set(".eE") else int(text)
        if str(number) == text:
            return number
    return Number(text)


def _check_depth(value: object, allowed: int = MAX_JSON_DEPTH) -> None:
    if isinstance(value, dict | list | tuple):
        if not allowed:
            raise ValueError(_TOO_DEEP)
        for each in value.values() if isinstance(value, dict) else value:
            _check_depth(each, allowed - 1)


class StartPhase(Struct, frozen=True):
    """Where an analysis goes on: phases completed without a gap, the next, those remaining, and warnings."""

    completed: tuple[str, ...]
    next: str | None
    remaining: tuple[str, ...]
    warnings: tuple[str, ...]


def read_meta(folder: Path | str) -> dict[str, Any] | None:
    """Return the item's meta.json with its defaults filled in; None if it is missing or cannot be used."""
    return examine_meta(folder)[0]


def examine_meta(folder: Path | str) -> tuple[dict[str, Any] | None, str | None]:
    """Return the result of `read_meta` and, if meta.json cannot be used, the reason for a person."""
    try:
        found = _load(Path(folder))
    except ItemCorrupt as error:
        return None, error.failed
    return (None if found is None else _with_defaults(found)), None


def has_meta(folder: Path | str) -> bool:
    """Whether the item has a meta.json, sound or not."""
    return os.path.lexists(Path(folder) / "meta.json")


def missing_meta(folder: Path | str) -> ItemCorrupt:
    """Return the error for a meta.json that disappeared during the work on the item."""
    failed = f"{Path(folder) / 'meta.json'} is gone; it was there when this step began."
    saved = f"What was said is kept in {files.JOURNAL_FOLDER}; no new meta.json was made."
    do = "If another branch was checked out, check out the one before and run the same command again. "
    do += "To begin anew without it: roundtable analyze ITEM --start-over"
    return ItemCorrupt(failed, saved=saved, do=do)


def write_meta(folder: Path | str, meta: Mapping[str, Any]) -> None:
    """Replace the item's meta.json with `meta`; if it is corrupt, raise ItemCorrupt and change nothing."""
    with meta_lock(Path(folder)):
        _load(Path(folder))
        _save(Path(folder), dict(meta))


def change_meta(folder: Path | str, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Apply `change` to meta.json, or a new one, write and return it; raise ItemCorrupt if it is corrupt."""
    with edit_meta(folder) as meta:
        change(meta)
    return meta


@contextmanager
def edit_meta(folder: Path | str) -> Iterator[dict[str, Any]]:
    """Yield meta.json, or a new one, to be changed, then write it; nothing is written if the block fails."""
    with meta_lock(Path(folder)):
        meta = _with_defaults(_load(Path(folder)) or {})
        yield meta
        _save(Path(folder), meta)


def keep_corrections(folder: Path, words: str, *, relayed: bool = False) -> None:
    """Save what the user, not a host, says about the code; the latest on a file counts (TABLE-2, ART-8)."""
    found = () if relayed else find_corrections(words)
    if found and has_meta(folder):
        rows = {new.path: {"path": new.path, "touched": new.is_touched, "words": new.words} for new in found}
        with edit_meta(folder) as meta:
            kept = {each["path"]: each for each in _read_corrections(meta)}
            meta["code_corrections"] = list((kept | rows).values())


def read_corrections(folder: Path) -> tuple[str, ...]:
    """Return the user's current sentences about the code, each once, however many files it names."""
    return tuple(dict.fromkeys(str(each["words"]) for each in _read_corrections(read_meta(folder))))


def read_excluded(folder: Path) -> tuple[str, ...]:
    """Return each file or `path:line` that the user says is not touched."""
    found = _read_corrections(read_meta(folder))
    return tuple(str(each["path"]) for each in found if not each.get("touched"))


def _read_corrections(meta: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    rows = _list(meta, "code_corrections")
    return [each for each in rows if isinstance(each, dict) and each.get("path") and each.get("words")]


def note_undone(meta: dict[str, Any], at: str) -> None:
    """Note, once, that an elaboration was undone; its record stays (MENU-7)."""
    meta["elaborations_undone"] = list(dict.fromkeys([*list_undone(meta), at]))


def list_undone(meta: Mapping[str, Any] | None) -> list[Any]:
    """Return the timestamps of the elaborations that were undone."""
    return _list(meta, "elaborations_undone")


def _list(meta: Mapping[str, Any] | None, field: str) -> list[Any]:
    value = (meta or {}).get(field)
    return value if isinstance(value, list) else []


def append_elaboration(folder: Path | str, record: Mapping[str, Any]) -> None:
    """Append an elaboration record, unless it exists; raise RuleBroken if a field is wrong (META-5)."""
    if wrong := faulty_fields(record):
        raise RuleBroken(f"The elaboration record was not saved: {', '.join(wrong)} is missing or wrong.")
    with edit_meta(folder) as meta:
        others = (other for other in meta["elaborations"] if isinstance(other, dict))
        key = {name: record[name] for name in ("step_id", "timestamp")}
        if not any(key.items() <= other.items() for other in others):
            meta["elaborations"].append(dict(record))


def set_aside(folder: Path | str) -> Path:
    """Rename a corrupt meta.json to `meta.json.corrupt-…`, and return its new path."""
    with meta_lock(Path(folder)):
        if examine_meta(folder)[1] is None:
            raise RuleBroken(f"There is no corrupt meta.json in {folder}; nothing was set aside.")
        return files.set_aside(Path(folder) / "meta.json")


def max_turns(meta: Mapping[str, Any] | None) -> int:
    """Return the turn limit of the item's configuration if it is a whole number of at least 3, else 10."""
    config = (meta or {}).get("elaboration_config")
    limit = config.get("max_turns") if isinstance(config, dict) else None
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit % 1 != 0 or limit < 3:
        return 10
    return int(limit)


def save_limit(folder: Path, limit: int) -> bool:
    """Save the turn limit; return False, and change nothing, if that fails or the config is not an object."""
    with suppress(DiskFailed, ItemCorrupt, ItemLocked), edit_meta(folder) as meta:
        config = meta.get("elaboration_config")
        if config is None or isinstance(config, dict):
            meta["elaboration_config"] = {**(config or {}), "max_turns": limit}
            return True
    return False


def start_phase(meta: Mapping[str, Any] | None) -> StartPhase:
    """Return where the analysis goes on, with a warning for each misfit in `phases_completed`."""
    recorded = _list(meta, "phases_completed")
    count = next((n for n, key in enumerate(PHASE_KEYS) if key not in recorded), len(PHASE_KEYS))
    remaining = PHASE_KEYS[count:]
    following = remaining[0] if remaining else None
    gap = f"is recorded as complete, but {following} before it is not; the analysis goes on there."
    warnings = [f"{key} {gap}" for key in remaining if key in recorded]
    unknown = [entry for entry in recorded if entry not in PHASE_KEYS]
    warnings += [f"{repr(entry)[:60]} in phases_completed is not a phase." for entry in unknown]
    return StartPhase(PHASE_KEYS[:count], following, remaining, tuple(warnings))


def progress_of(meta: Mapping[str, Any]) -> Progress:
    """Return the progress in meta.json; malformed and undone entries are skipped (GREET-3)."""
    undone, past = list_undone(meta), []
    for record in _list(meta, "elaborations"):
        match record:
            case {"step_id": str(step_id), "synthesis_summary": str(words)} if (
                step_id.strip() and words.strip() and record.get("timestamp") not in undone
            ):
                past.append(Past(strip_unprintable(step_id), strip_unprintable(words)))
    done = (_list(meta, field) for field in ("steps_completed", "phases_completed"))
    steps, phases = (tuple(each for each in listed if isinstance(each, str)) for listed in done)
    return Progress(steps, phases, tuple(past))


def facts_of(folder: Path, meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts that a step's `skip_if` may test: scope, complexity and source, if known."""
    scope, complexity = read_scope(read_texts(folder, ["quick-scan.md"]).get("quick-scan.md", ""))
    known = {"scope": scope, "complexity": complexity, "source": meta.get("source")}
    return {name: value for name, value in known.items() if isinstance(value, str) and value.strip()}


def start_over(folder: Path) -> None:
    """Forget which steps and phases are complete; everything written stays."""
    with edit_meta(folder) as meta:
        meta.update(steps_completed=[], phases_completed=[])
        for key in ("track", "steps_not_needed"):
            meta.pop(key, None)


def _load(folder: Path) -> dict[str, Any] | None:
    """Return the object in meta.json, None if there is no file; raise ItemCorrupt if it cannot be used."""
    path = folder / "meta.json"
    try:
        found = parse_json(files.read(path, follow_link=False))
        if isinstance(found, dict):
            return found
        failed = f"{path} cannot be used: it does not hold an object."
    except FileNotFoundError:
        return None
    except (ValueError, DiskFailed) as error:
        failed = error.failed if isinstance(error, DiskFailed) else f"{path} cannot be used: {error}."
    do = "Repair it, or start over: the file is then set aside under another name."
    raise ItemCorrupt(failed, saved="The file was not changed.", do=do)


def _with_defaults(meta: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults of META-2, in place."""
    _migrate(meta)
    for key, default in (("source", "manual"), ("created_at", files.timestamp()), ("analysis_status", "raw")):
        meta[key] = meta.get(key) or default
    for key in ("phases_completed", "steps_completed", "elaborations"):
        meta[key] = _list(meta, key)
    if not isinstance(meta.get("depth_overrides"), dict):
        meta["depth_overrides"] = {}
    return meta


def _migrate(meta: dict[str, Any]) -> None:
    """Translate the `phase_a_completed` of an older file into today's fields."""
    if "phase_a_completed" in meta and not meta.get("analysis_status"):
        complete = meta["phase_a_completed"] is True
        meta["analysis_status"] = "analyzed" if complete else "raw"
        meta["phases_completed"] = list(PHASE_KEYS) if complete else []


def _save(folder: Path, meta: dict[str, Any]) -> None:
    _migrate(meta)
    meta.pop("phase_a_completed", None)
    meta["analysis_status"] = analysis_status(meta.get("phases_completed"))
    files.write(folder / "meta.json", render_json(meta).encode())
