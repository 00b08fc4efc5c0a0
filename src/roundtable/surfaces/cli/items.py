"""`add`, `list` and `show`: items come in, are seen together, and are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from ...core.errors import RuleBroken, TrackerFailed
from ...git import current_commit
from ...project import Project
from ...store import files
from ...store.files import leads_out
from ...store.items import add_item, list_outside_links, read_item
from ...store.transcript import list_transcripts
from .options import Command, Flags
from .output import NO_ITEMS, command, fit, one_line, table, tell

_TRANSCRIPT = "transcript"


@click.command(cls=Command)
@click.argument("text", nargs=-1, required=True)
@click.option("--title", help="The item's title; an issue with one is not looked up in its tracker.")
@click.pass_obj
def add(flags: Flags, text: tuple[str, ...], title: str | None) -> None:
    """Add an item described by TEXT; its first line is the title.

    TEXT may name an issue instead: GH-21, '#21', ABC-12, or its address on GitHub or Jira; - is stdin.
    """
    from ...trackers import fetch_issue, parse_reference  # late: a connection is needed for nothing else

    settings = flags.settings()
    words, source, source_id = _read_stdin() if text == ("-",) else " ".join(text), "manual", None
    if reference := parse_reference(words):
        words, source, source_id = "", reference.source, reference.source_id
        if title is None:
            try:
                issue = fetch_issue(reference, settings.root, os.environ)
                words, title, source, source_id = issue.text, issue.title, issue.source, issue.source_id
            except TrackerFailed as failure:
                title = _ask_for_title(flags, failure)
    folder = add_item(
        settings.root,
        words,
        title=title,
        source=source,
        source_id=source_id,
        items_folder=settings.items_folder,
        commit=current_commit(settings.root),
    )
    item = read_item(folder)
    flags.show_result(
        {"slug": item.slug, "title": item.name, "folder": str(folder)},
        f"Added {item.slug}: {item.name}\nGo on with: {command('analyze', item.slug)}",
    )


def _read_stdin() -> str:
    text = sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
    if not text.strip():
        raise RuleBroken("There was no text on stdin. Nothing was added.")
    return text


def _ask_for_title(flags: Flags, failure: TrackerFailed) -> str:
    """Ask for the title at a terminal; raise the failure if there is none."""
    streams = (sys.stdin, sys.stderr)
    if flags.json or flags.answers or not all(stream and stream.isatty() for stream in streams):
        raise failure
    tell(str(failure))
    try:
        title: str = click.prompt("Title (Enter leaves)", default="", show_default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    if not title.strip():
        raise RuleBroken("No title was given, so nothing was added.")
    return title


@click.command("list", cls=Command)
@click.pass_obj
def list_backlog(flags: Flags) -> None:
    """List the items and how far each has come."""
    settings = flags.settings()
    rows = Project(settings.root, items_folder=settings.items_folder).list_progress()
    for name in list_outside_links(settings.root, items_folder=settings.items_folder):
        tell(f"{settings.items_folder}/{one_line(name)} is a link out of the project, so it is not an item.")
    head = ("item", "steps", "status", "elaborations", "last activity", "title")
    flags.show_result(rows, table(head, [_cells(row) for row in rows]) if rows else NO_ITEMS)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    done, steps = row["steps_completed"], row["steps"]
    return (
        row["slug"],
        f"[{'#' * done}{'-' * (steps - done)}] {done}/{steps}",
        row["analysis_status"] + (", stale" if row["stale"] else ""),
        str(row["elaborations"]),
        (row["last_activity"] or "")[:16].replace("T", " "),
        row["title"],
    )


@click.command(cls=Command)
@click.argument("item")
@click.argument("what", nargs=-1, metavar="[FILE|transcript N]")
@click.pass_obj
def show(flags: Flags, item: str, what: tuple[str, ...]) -> None:
    """Show the files of ITEM, one of them, or a transcript.

    Without FILE it lists what there is. `transcript 1` is the first discussion in that list.
    """
    _, folder = flags.find_item(item)
    match what:
        case ():
            _show_names(flags, folder)
        case (name,) if name != _TRANSCRIPT:
            _show_file(flags, folder, name)
        case (kind, *rest) if kind == _TRANSCRIPT and len(rest) <= 1:
            _show_file(flags, folder, _find_transcript(folder, rest[0] if rest else None))
        case _:
            raise RuleBroken(f"Name one file, or `transcript` and a number. {_offer(folder)}")


def _show_names(flags: Flags, folder: Path) -> None:
    documents = [{"file": path.name, "bytes": path.lstat().st_size} for path in _documents(folder)]
    talks = [
        {"number": number, "file": path.name, "bytes": path.lstat().st_size}
        for number, path in enumerate(list_transcripts(folder), start=1)
    ]
    rows = [(str(each["file"]), f"{each['bytes']:,} bytes") for each in documents]
    rows += [
        (f"{_TRANSCRIPT} {each['number']}", f"{each['bytes']:,} bytes  {each['file']}") for each in talks
    ]
    flags.show_result(
        {"slug": folder.name, "folder": str(folder), "documents": documents, "transcripts": talks},
        table(("file", "size"), rows),
    )


def _show_file(flags: Flags, folder: Path, name: str) -> None:
    path = folder / name
    try:
        is_file = path.is_file()
    except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL byte
        is_file = False
    if leads_out(folder, name) and (path.is_symlink() or ".." in path.parts or path.is_absolute()):
        raise RuleBroken(f"{one_line(name)} is not in the item's folder. {_offer(folder)}")
    if not is_file:
        raise RuleBroken(f"There is no file {one_line(name)}. {_offer(folder)}")
    text = fit(files.read(path).decode("utf-8-sig", "replace"))
    data = {"slug": folder.name, "file": str(path.relative_to(folder)), "text": text}
    flags.show_result(data, text.removesuffix("\n"))


def _find_transcript(folder: Path, wanted: str | None) -> str:
    """Return the transcript of that number or name, or the only one if none is named."""
    found = list_transcripts(folder)
    if not found:
        raise RuleBroken(f"{folder.name} has no transcript yet. They are written when a discussion ends.")
    for number, path in enumerate(found, start=1):
        if wanted in (str(number), path.name, path.stem) or (wanted is None and len(found) == 1):
            return f"{path.parent.name}/{path.name}"
    names = ", ".join(f"{number} ({path.stem})" for number, path in enumerate(found, start=1))
    raise RuleBroken(f"Name one of the transcripts: {names}.")


def _documents(folder: Path) -> list[Path]:
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if not path.name.startswith(".") and not leads_out(folder, path.name) and path.is_file()
        )
    except OSError:
        return []


def _offer(folder: Path) -> str:
    names = ", ".join(path.name for path in _documents(folder)[:30])
    return f"There is: {names}." if names else "There are no files yet."
