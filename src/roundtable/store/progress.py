"""How far an analysis is, as meta.json and quick-scan.md tell it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.depth import read_scope
from ..core.errors import DiskFailed
from ..core.progress import Past, Progress
from ..core.text import strip_unprintable
from .artifact import read_artifact
from .meta import change_meta


def progress_of(meta: Mapping[str, Any]) -> Progress:
    """Return what meta.json says is done; what is malformed or was undone is passed over (GREET-3)."""
    undone = _list(meta, "elaborations_undone")
    records = [each for each in _list(meta, "elaborations") if isinstance(each, dict)]
    return Progress(
        tuple(each for each in _list(meta, "steps_completed") if isinstance(each, str)),
        tuple(each for each in _list(meta, "phases_completed") if isinstance(each, str)),
        tuple(
            Past(strip_unprintable(record["step_id"]), strip_unprintable(record["synthesis_summary"]))
            for record in records
            if _is_text(record.get("step_id")) and _is_text(record.get("synthesis_summary"))
            if record.get("timestamp") not in undone
        ),
    )


def facts_of(folder: Path, meta: Mapping[str, Any]) -> dict[str, str]:
    """Return what a step's `skip_if` may ask for: scope, complexity and source, if they are known."""
    try:
        quick_scan = read_artifact(folder, "quick-scan.md").decode("utf-8-sig", "replace")
    except (FileNotFoundError, DiskFailed):
        quick_scan = ""
    scope, complexity = read_scope(quick_scan)
    source = meta.get("source")
    known = {"scope": scope, "complexity": complexity, "source": source if _is_text(source) else None}
    return {name: value for name, value in known.items() if value}


def start_over(folder: Path) -> None:
    """Forget which steps and phases are complete; everything written stays."""

    def forget(meta: dict[str, Any]) -> None:
        meta["steps_completed"] = []
        meta["phases_completed"] = []
        meta.pop("track", None)
        meta.pop("steps_not_needed", None)

    change_meta(folder, forget)


def _list(meta: Mapping[str, Any], field: str) -> list[Any]:
    value = meta.get(field)
    return value if isinstance(value, list) else []


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
