"""`add` and `list`: items come in, and are seen together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import RuleBroken
from .flags import Command, Flags
from .output import command, one_line, put_json, put_text, table

if TYPE_CHECKING:
    from ...core.steps import Step
    from ...store.items import ItemEntry

_TRACKED = re.compile(r"#\d+|[A-Za-z][A-Za-z0-9]*-\d+")


@click.command(cls=Command)
@click.argument("text", nargs=-1, required=True)
@click.pass_obj
def add(flags: Flags, text: tuple[str, ...]) -> None:
    """Add an item described by TEXT; its first line is the title."""
    from ...store.commit import current_commit
    from ...store.items import add_item, read_item

    settings, words = flags.settings(), " ".join(text)
    if _TRACKED.fullmatch(words.strip()):
        raise RuleBroken(
            f"{one_line(words)} names an issue in a tracker; items are described in words for now. "
            'Try: roundtable add "what it is about"'
        )
    folder = add_item(
        settings.root,
        words,
        items_folder=settings.items_folder,
        commit=current_commit(settings.root),
    )
    item = read_item(folder)
    if flags.json:
        put_json({"slug": item.slug, "title": item.name, "folder": str(folder)}, indent=2)
    else:
        put_text(f"Added {item.slug}: {item.name}\nGo on with: {command('analyze', item.slug)}")


@click.command("list", cls=Command)
@click.pass_obj
def list_(flags: Flags) -> None:
    """List the items: how far each has come."""
    from ...content.catalogue import load_steps
    from ...store.items import list_items

    settings = flags.settings()
    entries = list_items(settings.root, items_folder=settings.items_folder)
    steps = load_steps(settings.root)
    rows = [_row(entry, steps) for entry in entries]
    if flags.json:
        put_json(rows, indent=2)
    elif rows:
        put_text(table(("item", "status", "steps", "elaborations", "title"), [_cells(row) for row in rows]))
    else:
        put_text('No items yet. Add one with: roundtable add "what it is about"')


def _row(entry: ItemEntry, steps: tuple[Step, ...]) -> dict[str, Any]:
    meta = entry.meta or {}
    completed = meta.get("steps_completed", [])
    return {
        "slug": entry.slug,
        "title": entry.title,
        "analysis_status": "corrupt" if entry.problem else str(meta.get("analysis_status", "raw")),
        "steps_completed": sum(step.step_id in completed for step in steps),
        "steps": len(steps),
        "elaborations": len(meta.get("elaborations", [])),
        "problem": entry.problem,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["slug"],
        row["analysis_status"],
        f"{row['steps_completed']}/{row['steps']}",
        str(row["elaborations"]),
        row["title"],
    )
