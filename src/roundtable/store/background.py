"""What a project knows about an item besides its own documents: related decisions elsewhere (TABLE-1)."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ..content import read_tables
from ..core.errors import DiskFailed
from ..core.steps import Item
from ..core.turns import Known, Material
from ..documents.outline import content_words, find_labelled, section_text
from ..documents.questions import describe_decisions, read_title, write_pages
from .artifact import decode_text, read_documents
from .files import read_inside
from .meta import list_undone, read_meta
from .parking import read_points

RECORD_FOLDERS = tuple(read_tables("survey.toml")["folders"]["records"].split())
"""The folders for a project's own decision records."""
_MAX_FILES = 300
_MAX_RECORD_LENGTH = 1_200
_STATUS_GONE = re.compile(r"\b(?:superseded|deprecated|rejected|withdrawn)\b", re.IGNORECASE)
_LEAST_SHARED = 2


def read_background(root: Path, folder: Path, item: Item, documents: Sequence[Material]) -> Known:
    """Return what is decided, open and put off for the item, and related decisions from elsewhere."""
    texts = {each.name: each.text for each in documents}
    parked = [f"{step_id}: {text}" for step_id, text in read_points(folder)]
    pages = write_pages(texts, list_undone(read_meta(folder)), parked)
    about = f"{item.name}\n{item.text}"
    elsewhere = _find_related(about, list(_read_other_items(folder)), 5)
    records = _find_related(about, list(_read_records(root)), 3)
    return Known((*records, *elsewhere), pages)


def _read_other_items(folder: Path) -> Iterator[Material]:
    for meta in sorted(folder.parent.glob("*/meta.json"))[:_MAX_FILES]:
        other = meta.parent
        with suppress(OSError):
            if other != folder and not other.is_symlink():
                states = ((path.name, path.lstat()) for path in other.iterdir())
                seen = frozenset((name, own.st_mtime_ns, own.st_size) for name, own in states)
                for decision in _read_decisions(other, seen):
                    yield Material(f"another item, {other.name}", decision)


@lru_cache(maxsize=2_000)
def _read_decisions(folder: Path, _seen: frozenset[tuple[str, int, int]]) -> tuple[str, ...]:
    return describe_decisions(read_documents(folder, (".md",)), list_undone(read_meta(folder)))


def _read_records(root: Path) -> Iterator[Material]:
    for home in RECORD_FOLDERS:
        for name in sorted(f"{home}/{path.name}" for path in (root / home).glob("*.md"))[:_MAX_FILES]:
            with suppress(DiskFailed, OSError):
                text = decode_text(read_inside(root, name, limit=100_000))
                status = section_text(text, "Status") or find_labelled(text, "Status")
                if not _STATUS_GONE.search(status):
                    decision = section_text(text, "Decision") or section_text(text, "Decision Outcome")
                    words = (decision.strip() or text.strip())[:_MAX_RECORD_LENGTH]
                    yield Material(name, f"{read_title(text.encode('utf-8', 'replace'), name)}\n{words}")


def _find_related(about: str, candidates: Sequence[Material], most: int) -> tuple[Material, ...]:
    """Return the candidates that share the most words with a text."""
    wanted = content_words(about)
    shared = [len(content_words(each.text) & wanted) for each in candidates]
    ranked = sorted(range(len(candidates)), key=lambda at: -shared[at])
    return tuple(candidates[at] for at in ranked if shared[at] >= _LEAST_SHARED)[:most]
