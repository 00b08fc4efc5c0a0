"""What a project knows about an item besides its own documents: other decisions that bear on it (TABLE-1)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..core.errors import DiskFailed
from ..core.steps import Item
from ..core.turns import Known, Material
from ..documents.decided import find_related, list_decisions_made, read_record, write_pages
from .artifact import decode_text, read_documents
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
    with suppress(OSError), os.scandir(folder.parent) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        for other in (folder.parent / name for name in names[:_MAX_FILES] if name != folder.name):
            meta = read_meta(other)
            documents = read_documents(other, (".md",)) if meta is not None else {}
            for decision in list_decisions_made(documents, list_undone(meta)):
                yield Material(f"another item, {other.name}", decision)


def _read_records(root: Path) -> Iterator[Material]:
    for home in RECORD_FOLDERS:
        for name in sorted(f"{home}/{path.name}" for path in (root / home).glob("*.md"))[:_MAX_FILES]:
            with suppress(DiskFailed, OSError):
                record = read_record(name, decode_text(read_inside(root, name, limit=_MAX_RECORD_SIZE)))
                if record is not None:
                    yield record
