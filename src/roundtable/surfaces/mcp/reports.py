"""Reports: the items of the project and how far each is, as bounded JSON text."""

from __future__ import annotations

from typing import Any

from ...content.catalogue import load_steps
from ...core.errors import ItemUnknown
from ...settings import Settings
from ...store.commit import current_commit
from ...store.items import find_item, list_items
from ..cli.status import report
from .answers import as_json

MOST_ITEMS = 50
_BRIEFLY = ("slug", "title", "analysis_status", "next_step", "discussion", "problem")


def items(settings: Settings) -> str:
    """All items, the first ones where there are many."""
    found = list_items(settings.root, items_folder=settings.items_folder)
    steps, commit = load_steps(settings.root), current_commit(settings.root)
    shown = [report(entry, steps, commit) for entry in found[:MOST_ITEMS]]
    body: dict[str, Any] = {"items": [{key: each[key] for key in _BRIEFLY} for each in shown]}
    if len(found) > MOST_ITEMS:
        body["more"] = len(found) - MOST_ITEMS
    if not found:
        body["hint"] = 'There is no item yet. The person adds one with: roundtable add "what it is about"'
    return as_json(body)


def item(settings: Settings, name: str) -> str:
    """One item; ItemUnknown where there is none of that name."""
    folder = find_item(settings.root, name, items_folder=settings.items_folder)
    for entry in list_items(settings.root, items_folder=settings.items_folder):
        if entry.folder == folder:
            return as_json(report(entry, load_steps(settings.root), current_commit(settings.root)))
    raise ItemUnknown(f"There is no item {name[:60]!r}.")
