"""JSON and CSV outputs: always valid, and nothing that a person put there is lost (rule STEP-5).

A step replaces what it wrote itself. Where the file holds anything else, what is there stays, and only
what is missing is added.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..core.errors import DiskFailed, ItemCorrupt
from ..core.text import strip_unprintable
from . import files, meta
from .files import read_journal_file
from .lock import journal_folder

KEPT = "What others wrote there is kept; only what was missing was added"

_WRITTEN = "written.json"
_KEY = re.compile(r"(?:^|[\W_])(?:id|key|label|requirement)$", re.IGNORECASE)


class Merged(Struct, frozen=True):
    """The file's new bytes (None: it stays as it is) and a remark for the person, where there is one."""

    document: bytes | None
    remark: str = ""


def render_data(name: str, section: str, text: str) -> bytes:
    """Return the step's text as a valid file of its kind."""
    # Text that is no JSON and no table still becomes one, so that nothing said is lost.
    if name.lower().endswith(".json"):
        try:
            value = meta.parse_json(text.encode("utf-8", "replace"))
        except ValueError:
            value = {section: strip_unprintable(text)}
        return (meta.render_json(value) + "\n").encode()
    text = strip_unprintable(text)
    if name.lower().endswith(".csv"):
        try:
            rows = _rows(text)
        except csv.Error:
            rows = [[section], [text]]
        width = max(map(len, rows), default=0)
        return _csv_text([row + [""] * (width - len(row)) for row in rows]).encode()
    return (text.rstrip() + "\n").encode()


def merge_data(name: str, old: bytes, new: bytes) -> Merged:
    """Return the file that others wrote to, with what is missing in it of the step's data."""
    if name.lower().endswith(".json"):
        return _merge_json(old, new)
    if name.lower().endswith(".csv"):
        return _merge_csv(old, new)
    return Merged(None, "it was edited by hand")


def is_own(folder: Path, name: str, step_id: str, document: bytes) -> bool:
    """Whether the step wrote the file exactly as it stands."""
    return _digest(document) in _digests(_read_written(folder), name, step_id)


def remember(folder: Path, name: str, step_id: str, document: bytes) -> None:
    """Note what the step is about to write; what it wrote before counts until the new file is in place."""
    known = _read_written(folder)
    before, new = _digests(known, name, step_id), _digest(document)
    if before[-1:] != [new]:
        known[name] = {"step": step_id, "digests": [*before[-1:], new]}
        files.write(journal_folder(folder) / _WRITTEN, meta.render_json(known).encode())


def _read_written(folder: Path) -> dict[str, Any]:
    try:
        found = meta.parse_json(read_journal_file(folder, _WRITTEN))
    except (FileNotFoundError, DiskFailed, ItemCorrupt, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digests(known: dict[str, Any], name: str, step_id: str) -> list[str]:
    entry = known.get(name)
    found = entry.get("digests") if isinstance(entry, dict) and entry.get("step") == step_id else None
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


def _merge_json(old: bytes, new: bytes) -> Merged:
    try:
        theirs = meta.parse_json(old)
    except ValueError as error:
        return Merged(None, f"it is not valid JSON: {error}")
    ours = meta.parse_json(new)
    if type(theirs) is not type(ours):
        return Merged(None, "it was edited by hand and holds something else than the step writes")
    both = _join_values(theirs, ours)
    if both == theirs:
        return Merged(old)
    start = BOM_UTF8 if old.startswith(BOM_UTF8) else b""
    return Merged(start + meta.render_json(both).encode() + b"\n", KEPT)


def _join_values(theirs: Any, ours: Any) -> Any:
    """Theirs, with the keys and entries of ours that it lacks."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        added = {key: value for key, value in ours.items() if key not in theirs}
        return {
            key: _join_values(value, ours[key]) if key in ours else value for key, value in theirs.items()
        } | added
    if isinstance(theirs, list) and isinstance(ours, list):
        return _join_lists(theirs, ours)
    return theirs


def _join_lists(theirs: list[Any], ours: list[Any]) -> list[Any]:
    by_id = {_id(entry): entry for entry in ours if _id(entry) is not None}
    known = {_id(entry) for entry in theirs}
    kept = [_join_values(entry, by_id.get(_id(entry), entry)) for entry in theirs]
    added = [
        entry for entry in ours if (entry not in theirs if _id(entry) is None else _id(entry) not in known)
    ]
    return kept + added


def _id(entry: Any) -> str | None:
    """What an entry is known by, whatever else in it was edited."""
    found = entry.get("id") if isinstance(entry, dict) else None
    return found if isinstance(found, str) and found else None


def _merge_csv(old: bytes, new: bytes) -> Merged:
    """Return their table with the rows of ours that it lacks, known by their ids or labels."""
    text = old.decode("utf-8-sig", "surrogateescape")
    try:
        theirs, ours = _rows(text), _rows(new.decode())
    except csv.Error as error:
        return Merged(None, f"it is not valid CSV: {error}")
    if not theirs or not ours:
        return Merged(old if theirs else new)
    if theirs[0] != ours[0]:
        return Merged(None, "it was edited by hand and has other columns than the step writes")
    keys = [at for at, name in enumerate(ours[0]) if _KEY.search(name)]
    known = [_key(row, keys) for row in theirs]
    added = [row for row in ours if _key(row, keys) not in known]
    if not added:
        return Merged(old)
    newline = "\r\n" if "\r\n" in text else "\n"
    joint = b"" if old.endswith((b"\n", b"\r")) else newline.encode()
    return Merged(old + joint + _csv_text(added, newline).encode(), KEPT)


def _key(row: list[str], places: Sequence[int]) -> list[str]:
    return [row[at] for at in places if at < len(row)] if places else row


def _rows(text: str) -> list[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    return [row for row in rows if any(cell.strip() for cell in row)]


def _csv_text(rows: Sequence[Sequence[str]], newline: str = "\n") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=newline).writerows(rows)
    return text.getvalue()
