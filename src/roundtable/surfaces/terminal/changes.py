"""Changes: what has been added to the item's documents since a moment ago, as a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from ...core.errors import DiskFailed
from ...store.artifact import read_artifact
from ..cli.output import fit

_SUFFIXES = (".md", ".json", ".csv")
_OWN = ("meta.json",)
_AROUND = 1


def documents(folder: Path) -> dict[str, str]:
    """The item's documents by name; what cannot be read is passed over."""
    found: dict[str, str] = {}
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix in _SUFFIXES)
    except OSError:
        return found
    for name in names:
        if name not in _OWN:
            try:
                found[name] = fit(read_artifact(folder, name).decode("utf-8-sig", "replace"))
            except (FileNotFoundError, DiskFailed):
                continue
    return found


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """What differs, file by file, as lines that begin with `+`, `-`, `@` or a blank."""
    for name in sorted({*before, *after}):
        old, new = (texts.get(name, "").splitlines() for texts in (before, after))
        changed = difflib.unified_diff(old, new, n=_AROUND, lineterm="")
        lines = [line for line in changed if not line.startswith(("---", "+++"))]
        if lines:
            added = sum(line.startswith("+") for line in lines)
            yield f"@ {name}: {added} {'line' if added == 1 else 'lines'} added"
            yield from (line for line in lines if not line.startswith("@@"))
