"""What steps wrote to files that have no room for a marker, by its fingerprint.

Without this file nothing is lost: every data file then counts as edited by a person.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..core.errors import DiskFailed, ItemCorrupt
from . import files, json_text
from .inside import read_journal_file
from .lock import journal_folder

_NAME = "written.json"


def is_own(folder: Path, name: str, step_id: str, document: bytes) -> bool:
    """True where the step wrote the file exactly as it stands."""
    return _digest(document) in _digests(_known(folder), name, step_id)


def remember(folder: Path, name: str, step_id: str, document: bytes) -> None:
    """Note what the step is about to write; what it wrote before counts until the new file is in place."""
    known = _known(folder)
    before = _digests(known, name, step_id)
    new = _digest(document)
    if before[-1:] == [new]:
        return
    known[name] = {"step": step_id, "digests": [*before[-1:], new]}
    files.write(journal_folder(folder) / _NAME, json_text.render(known).encode())


def _known(folder: Path) -> dict[str, Any]:
    try:
        found = json_text.parse(read_journal_file(folder, _NAME))
    except (FileNotFoundError, DiskFailed, ItemCorrupt, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digests(known: dict[str, Any], name: str, step_id: str) -> list[str]:
    entry = known.get(name)
    if not isinstance(entry, dict) or entry.get("step") != step_id:
        return []
    digests = entry.get("digests")
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def _digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()
