"""`add` and `list`: items come in, and are seen together."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import RuleBroken, TrackerFailed
from .options import Command, Flags
from .output import command, fit, one_line, put_json, put_text, table, tell

if TYPE_CHECKING:
    from pathlib import Path

    from ...core.steps import Step
    from ...store.items import ItemEntry


@dataclass(frozen=True, slots=True)
class _Described:
    """What a new item is made of."""

    text: str
    title: str | None
    source: str = "manual"
    source_id: str | None = None


@click.command(cls=Command)
@click.argument("text", nargs=-1, required=True)
@click.option("--title", help="The item's title; an issue with one is not looked up in its tracker.")
@click.pass_obj
def add(flags: Flags, text: tuple[str, ...], title: str | None) -> None:
    """Add an item described by TEXT; its first line is the title.

    TEXT may name an issue instead: GH-21, '#21', ABC-12, or its address on GitHub or Jira; - is stdin.
    """
    from ...git import current_commit
    from ...store.items import add_item, read_item

    settings = flags.settings()
    words = _typed() if text == ("-",) else " ".join(text)
    found = _described(flags, settings.root, words, title)
    folder = add_item(
        settings.root,
        found.text,
        title=found.title,
        source=found.source,
        source_id=found.source_id,
        items_folder=settings.items_folder,
        commit=current_commit(settings.root),
    )
    item = read_item(folder)
    if flags.json:
        put_json({"slug": item.slug, "title": item.name, "folder": str(folder)}, indent=2)
    else:
        put_text(f"Added {item.slug}: {item.name}\nGo on with: {command('analyze', item.slug)}")


def _typed() -> str:
    """The text from stdin; a blank one is no item."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
    if not text.strip():
        raise RuleBroken("There was no text on stdin. Nothing was added.")
    return text


def _described(flags: Flags, root: Path, words: str, title: str | None) -> _Described:
    """What the words are, or what the tracker says about the issue that they name."""
    from ...trackers import fetch_issue, parse_reference

    reference = parse_reference(words)
    if reference is None:
        return _Described(words, title)
    if title is None:
        try:
            issue = fetch_issue(reference, root, os.environ)
        except TrackerFailed as failure:
            title = _asked_title(flags, failure)
        else:
            return _Described(issue.text, issue.title, issue.source, issue.source_id)
    return _Described("", title, reference.source, reference.source_id)


def _asked_title(flags: Flags, failure: TrackerFailed) -> str:
    """The title from the user at a terminal; the failure stands where there is none."""
    streams = (sys.stdin, sys.stderr)
    if flags.json or flags.answers or not all(stream and stream.isatty() for stream in streams):
        raise failure
    tell(str(failure))
    try:
        title: str = click.prompt("Title (Enter leaves)", default="", show_default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    if not title.strip():
        raise RuleBroken("No title, so nothing was added.")
    return title


@click.command("list", cls=Command)
@click.pass_obj
def list_(flags: Flags) -> None:
    """List the items: how far each has come."""
    from ...catalogue import load_steps
    from ...git import current_commit
    from ...store.items import list_outside_links, list_items

    settings = flags.settings()
    entries = list_items(settings.root, items_folder=settings.items_folder)
    steps, commit = load_steps(settings.root), current_commit(settings.root)
    rows = [_row(entry, steps, commit) for entry in entries]
    for name in list_outside_links(settings.root, items_folder=settings.items_folder):
        tell(f"{settings.items_folder}/{one_line(name)} is a link out of the project, and so no item.")
    if flags.json:
        put_json(rows, indent=2)
    elif rows:
        head = ("item", "steps", "status", "elaborations", "last activity", "title")
        put_text(table(head, [_cells(row) for row in rows]))
    else:
        put_text('No items yet. Add one with: roundtable add "what it is about"')


def _row(entry: ItemEntry, steps: tuple[Step, ...], commit: str | None) -> dict[str, Any]:
    from ...store.items import last_activity
    from ...store.meta import is_stale

    meta = entry.meta or {}
    completed = meta.get("steps_completed", [])
    return {
        "slug": entry.slug,
        "title": entry.title,
        "analysis_status": "corrupt" if entry.problem else str(meta.get("analysis_status", "raw")),
        "steps_completed": sum(step.step_id in completed for step in steps),
        "steps": len(steps),
        "elaborations": len(meta.get("elaborations", [])),
        "last_activity": last_activity(entry.folder),
        "stale": is_stale(meta.get("codebase_hash"), commit),
        "problem": entry.problem,
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["slug"],
        _bar(row["steps_completed"], row["steps"]),
        row["analysis_status"] + (", stale" if row["stale"] else ""),
        str(row["elaborations"]),
        (row["last_activity"] or "")[:16].replace("T", " "),
        row["title"],
    )


def _bar(done: int, of: int) -> str:
    """One sign per step, readable without colours."""
    return f"[{'#' * done}{'-' * (of - done)}] {done}/{of}"


_TRANSCRIPT = "transcript"


@click.command(cls=Command)
@click.argument("item")
@click.argument("what", nargs=-1, metavar="[FILE|transcript N]")
@click.pass_obj
def show(flags: Flags, item: str, what: tuple[str, ...]) -> None:
    """Show the files of ITEM, one of them, or a transcript.

    Without FILE it lists what there is. `transcript 1` is the first discussion in that list.
    """
    from ...store.items import find_item

    settings = flags.settings()
    folder = find_item(settings.root, item, items_folder=settings.items_folder)
    match what:
        case ():
            _show_all(flags, folder)
        case (name,) if name != _TRANSCRIPT:
            _show_file(flags, folder, _within(folder, name))
        case (kind, *rest) if kind == _TRANSCRIPT and len(rest) <= 1:
            _show_file(flags, folder, _transcript(folder, rest[0] if rest else None))
        case _:
            raise RuleBroken(f"Name one file, or `transcript` and a number. {_offer(folder)}")


def _show_all(flags: Flags, folder: Path) -> None:
    from ...store.transcript import list_transcripts

    documents = [(path.name, _size(path)) for path in _documents(folder)]
    talks = [(path.name, _size(path)) for path in list_transcripts(folder)]
    if flags.json:
        listed = {
            "slug": folder.name,
            "folder": str(folder),
            "documents": [{"file": name, "bytes": size} for name, size in documents],
            "transcripts": [
                {"number": number, "file": name, "bytes": size}
                for number, (name, size) in enumerate(talks, start=1)
            ],
        }
        put_json(listed, indent=2)
        return
    rows = [(name, f"{size:,} bytes") for name, size in documents]
    rows += [
        (f"{_TRANSCRIPT} {number}", f"{size:,} bytes  {name}")
        for number, (name, size) in enumerate(talks, start=1)
    ]
    put_text(table(("file", "size"), rows))


def _show_file(flags: Flags, folder: Path, path: Path) -> None:
    from ...store import files

    text = fit(files.read(path).decode("utf-8-sig", "replace"))
    if flags.json:
        put_json({"slug": folder.name, "file": str(path.relative_to(folder)), "text": text}, indent=2)
    else:
        put_text(text.removesuffix("\n"))


def _documents(folder: Path) -> list[Path]:
    from ...store.files import leads_out

    try:
        return sorted(
            path
            for path in folder.iterdir()
            if not path.name.startswith(".") and not leads_out(folder, path.name) and path.is_file()
        )
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _within(folder: Path, name: str) -> Path:
    """The file of that name; refused where it does not lie inside the item's folder."""
    from ...store.files import leads_out

    path = folder / name
    try:
        there = path.is_file()
    except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL byte
        there = False
    if leads_out(folder, name) and (path.is_symlink() or ".." in path.parts or path.is_absolute()):
        raise RuleBroken(f"{one_line(name)} does not lie in the item's folder. {_offer(folder)}")
    if not there:
        raise RuleBroken(f"There is no file {one_line(name)}. {_offer(folder)}")
    return path


def _transcript(folder: Path, wanted: str | None) -> Path:
    """The transcript of that number or name; the only one where none is named."""
    from ...store.transcript import FOLDER, list_transcripts

    found = list_transcripts(folder)
    if not found:
        raise RuleBroken(f"{folder.name} has no transcript yet. They are written when a discussion ends.")
    if wanted is None and len(found) == 1:
        return _within(folder, f"{FOLDER}/{found[0].name}")
    for number, path in enumerate(found, start=1):
        if wanted in (str(number), path.name, path.stem):
            return _within(folder, f"{FOLDER}/{path.name}")
    listed = ", ".join(f"{number} ({path.stem})" for number, path in enumerate(found, start=1))
    raise RuleBroken(f"Name one of the transcripts: {listed}.")


def _offer(folder: Path) -> str:
    names = ", ".join(path.name for path in _documents(folder)[:30])
    return f"There is: {names}." if names else "There are no files yet."
