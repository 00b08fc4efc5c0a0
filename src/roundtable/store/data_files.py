"""JSON and CSV outputs: always valid, and nothing that a person put there is lost (rule STEP-5).

A step replaces what it wrote itself. Where the file holds anything else, what is there stays, and only
what is missing is added.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.text import strip_unprintable
from . import meta

_DELIMITERS = ",;\t"
_KEY = re.compile(r"(?:^|[\W_])(?:id|key|label|requirement)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Merged:
    """The file's new bytes (None: it stays as it is) and a remark for the person, where there is one."""

    document: bytes | None
    remark: str = ""


KEPT = "What others wrote there is kept; only what was missing was added"


def data_text(name: str, section: str, text: str) -> bytes:
    """The step's text as a valid file of its kind."""
    if name.lower().endswith(".json"):
        return (meta.render_json(_json(section, text)) + "\n").encode()
    if name.lower().endswith(".csv"):
        return _csv_text(_table(section, strip_unprintable(text)), ",", "\n").encode()
    return (strip_unprintable(text).rstrip() + "\n").encode()


def merged(name: str, old: bytes, new: bytes) -> Merged:
    """The file that others wrote to, with what is missing in it of the step's data."""
    if name.lower().endswith(".json"):
        return _merge_json(old, new)
    if name.lower().endswith(".csv"):
        return _merge_csv(old, new)
    return Merged(None, "it was edited by hand")


def _json(section: str, text: str) -> Any:
    """The document that the text is; text that is none still becomes one, so that nothing said is lost."""
    try:
        return meta.parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return {section: strip_unprintable(text)}


def _merged_json(old: bytes, new: bytes) -> Merged:
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


def _joined(theirs: Any, ours: Any) -> Any:
    """Theirs, with the keys and entries of ours that it lacks."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        added = {key: value for key, value in ours.items() if key not in theirs}
        return {
            key: _join_values(value, ours[key]) if key in ours else value for key, value in theirs.items()
        } | added
    if isinstance(theirs, list) and isinstance(ours, list):
        return _join_lists(theirs, ours)
    return theirs


def _joined_lists(theirs: list[Any], ours: list[Any]) -> list[Any]:
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


def _merged_csv(old: bytes, new: bytes) -> Merged:
    start = BOM_UTF8 if old.startswith(BOM_UTF8) else b""
    text = old.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    try:
        theirs, ours = _rows(text, delimiter), _rows(new.decode(), ",")
    except csv.Error as error:
        return Merged(None, f"it is not valid CSV: {error}")
    if not theirs or not ours:
        return Merged(old if theirs else start + new)
    header, columns = theirs[0], [*theirs[0], *(name for name in ours[0] if name not in theirs[0])]
    added = [_place_row(row, ours[0], columns) for row in _find_missing_rows(theirs, ours)]
    if not added:
        return Merged(old)
    newline = "\r\n" if "\r\n" in text else "\n"
    if columns == header:
        joint = "" if text.endswith(("\n", "\r")) else newline
        text += joint + _csv_text(added, delimiter, newline)
    else:
        text = _csv_text(_even([columns, *theirs[1:], *added]), delimiter, newline)
    return Merged(start + text.encode("utf-8", "surrogateescape"), KEPT)


def _missing(theirs: Sequence[list[str]], ours: Sequence[list[str]]) -> list[list[str]]:
    """Our rows that theirs lack, known by an id or label where that tells them apart, else as a whole."""
    names = [name for name in ours[0] if _KEY.search(name) and name in theirs[0]]
    keys = [_place_row(row, ours[0], names) for row in ours[1:]]
    if not names or any(keys.count(key) > 1 for key in keys):
        return [row for row in ours[1:] if row not in theirs]
    known = [_place_row(row, theirs[0], names) for row in _even(theirs)[1:]]
    return [row for row, key in zip(ours[1:], keys, strict=True) if key not in known]


def _placed(row: list[str], names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The row's cells under other columns."""
    if names == columns:
        return row
    cells = dict(zip(names, row, strict=False))
    return [cells.get(column, "") for column in columns]


def _table(section: str, text: str) -> list[list[str]]:
    """The rows that the text is; text that is no table still becomes one, so that nothing said is lost."""
    try:
        return _even(_rows(text, ","))
    except csv.Error:
        return [[section], [text]]


def _rows(text: str, delimiter: str) -> list[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return [row for row in rows if any(cell.strip() for cell in row)]


def _even(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows, all as long as the longest."""
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _csv_text(rows: Sequence[Sequence[str]], delimiter: str, newline: str) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return text.getvalue()
