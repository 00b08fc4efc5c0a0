"""What a project knows about an item besides its own documents: other decisions that bear on it (TABLE-1)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ..core.errors import DiskFailed
from ..core.steps import Item
from ..core.turns import Known, Material
from ..documents.decided import find_related, list_decisions_made, read_record, write_pages
from .artifact import RESERVED, decode_text, is_markdown, read_artifact
from .files import read_inside
from .meta import list_undone, read_meta
from .parking import read_all_parked

RECORD_FOLDERS = (
    "docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/architecture/adr",
    "docs/architecture-decisions", "doc/adr", "doc/adrs", "doc/decisions", "doc/architecture/decisions",
    "adr",
)  # fmt: skip
"""Where projects keep their own decision records."""
_MAX_FILES = 300
_MAX_KEPT = 2_000
_MAX_RECORD_SIZE = 100_000
_MOST_RECORDS, _MOST_DECISIONS = 3, 5


def read_background(root: Path, folder: Path, item: Item, documents: Sequence[Material]) -> Known:
    """Return what was decided, is open and was put off, and the decisions elsewhere that bear on the item."""
    texts = {each.name: each.text for each in documents}
    pages = write_pages(texts, list_undone(read_meta(folder)), read_all_parked(folder))
    about = f"{item.name}\n{item.text}"
    elsewhere = find_related(about, list(_read_other_items(folder)), _MOST_DECISIONS)
    records = find_related(about, list(_read_records(root)), _MOST_RECORDS)
    return Known((*records, *elsewhere), pages)


def _read_other_items(folder: Path) -> Iterator[Material]:
    """Yield each decision of the other items, under the item's name."""
    for name, is_link in _list_entries(folder.parent):
        other = folder.parent / name
        if name == folder.name or is_link or (seen := _describe_item(other)) is None:
            continue
        for decision in _read_decisions(other, seen):
            yield Material(f"another item, {name}", decision)


_Files = tuple[tuple[str, int, int, int], ...]


def _describe_item(folder: Path) -> _Files | None:
    """Return name, time, size and number of the files that hold an item's decisions; None if it is none."""
    found, has_meta = [], False
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name == "meta.json" or (is_markdown(name) and name.lower() not in RESERVED):
                with suppress(OSError):  # a link that leads nowhere
                    status = entry.stat()
                    has_meta |= name == "meta.json" and stat.S_ISREG(status.st_mode)
                    found.append((name, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(sorted(found)[:_MAX_FILES]) if has_meta else None


@lru_cache(maxsize=_MAX_KEPT)
def _read_decisions(folder: Path, seen: _Files) -> tuple[str, ...]:
    """Return the decisions of an item; read anew when one of its files has changed."""
    texts = {}
    for name in (each[0] for each in seen if each[0] != "meta.json"):
        with suppress(DiskFailed, OSError):
            texts[name] = decode_text(read_artifact(folder, name))
    return tuple(list_decisions_made(texts, list_undone(read_meta(folder))))


def _read_records(root: Path) -> Iterator[Material]:
    for home in RECORD_FOLDERS:
        for entry, _ in _list_entries(root / home):
            name = f"{home}/{entry}"
            if is_markdown(entry) and (root / name).is_file():
                with suppress(DiskFailed, OSError):
                    record = read_record(name, decode_text(read_inside(root, name, limit=_MAX_RECORD_SIZE)))
                    if record is not None:
                        yield record


def _list_entries(folder: Path) -> list[tuple[str, bool]]:
    """Return the names in a folder in order, and which are links; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted((entry.name, entry.is_symlink()) for entry in entries)[:_MAX_FILES]
    except OSError:
        return []
