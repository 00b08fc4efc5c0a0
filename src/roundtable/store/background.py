"""What a project knows about an item besides its own documents: other decisions that bear on it (TABLE-1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..core.errors import DiskFailed
from ..core.steps import Item
from ..core.text import strip_unprintable
from ..core.turns import Known, Material
from ..documents.decided import find_related, list_decisions_made, read_record, write_pages
from .artifact import RESERVED, is_markdown, read_artifact
from .files import read_inside
from .meta import read_meta
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
    meta = read_meta(folder) or {}
    undone = meta.get("elaborations_undone")
    texts = {each.name: each.text for each in documents}
    pages = write_pages(
        texts, frozenset(map(str, undone)) if isinstance(undone, list) else (), read_all_parked(folder)
    )
    about = f"{item.name}\n{item.text}"
    elsewhere = find_related(about, list(_read_other_items(folder)), _MOST_DECISIONS)
    records = find_related(about, list(_read_records(root)), _MOST_RECORDS)
    return Known((*records, *elsewhere), pages)


def _read_other_items(folder: Path) -> Iterator[Material]:
    """Yield each decision of the other items, under the item's name."""
    for other in _list_folder(folder.parent):
        if other.name == folder.name or other.is_symlink() or not (other / "meta.json").is_file():
            continue
        meta = read_meta(other) or {}
        undone = meta.get("elaborations_undone")
        texts = {}
        for path in _list_folder(other):
            if is_markdown(path.name) and path.name.lower() not in RESERVED:
                with suppress(DiskFailed, OSError):
                    texts[path.name] = _decode(read_artifact(other, path.name))
        for decision in list_decisions_made(texts, undone if isinstance(undone, list) else ()):
            yield Material(f"another item, {other.name}", decision)


def _read_records(root: Path) -> Iterator[Material]:
    for home in RECORD_FOLDERS:
        for path in _list_folder(root / home):
            if is_markdown(path.name) and path.is_file():
                with suppress(DiskFailed, OSError):
                    name = f"{home}/{path.name}"
                    record = read_record(name, _decode(read_inside(root, name, limit=_MAX_RECORD_SIZE)))
                    if record is not None:
                        yield record


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:_MAX_FILES]
    except OSError:
        return []


def _decode(data: bytes) -> str:
    return strip_unprintable(data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n"))
