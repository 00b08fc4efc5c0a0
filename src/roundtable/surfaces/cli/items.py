"""`add`, `list`, `status`, `show`, `rename` and `remove`: items come in, are seen and read, and go."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.errors import RuleBroken
from ...core.text import clean_text
from ...store.files import read_inside
from ...store.transcript import list_transcripts
from .options import Flags, command
from .output import count, one_line, pairs, table

if TYPE_CHECKING:
    from ...project import ItemStatus, Project


@command()
@click.argument("text", nargs=-1, required=True)
@click.option("--title", help="The item's title; then an issue is not looked up in its tracker.")
def add(flags: Flags, text: tuple[str, ...], title: str | None) -> None:
    """Add an item described by TEXT; its first line is the title.

    TEXT may name an issue instead: GH-21, '#21', ABC-12, or its address on GitHub or Jira; - reads stdin. The
    words of the item decide which track `analyze` proposes: feature, bug fix or small change.
    """
    words = " ".join(text)
    if words == "-":
        words = sys.stdin.buffer.read().decode("utf-8", "replace") if sys.stdin else ""
        if not words.strip():
            raise RuleBroken("There was no text on stdin. Nothing was added.")
    project = flags.open_project()
    entry = project.add_item(words, title=title)
    flags.show_result(
        {"slug": entry.slug, "title": entry.title, "folder": str(entry.folder)},
        f"Added {entry.slug}: {entry.title}\nGo on with: {project.command('analyze', entry.slug)}",
    )


@command("list")
def list_backlog(flags: Flags) -> None:
    """List the items and how far each is.

    An item is raw before its first phase is complete, partial after it, and analyzed after the last one.
    """
    project = flags.open_project()
    rows = project.list_progress()
    head = ("item", "steps", "status", "elaborations", "last activity", "title")
    width = shutil.get_terminal_size((0, 0)).columns  # 0 where there is no terminal
    cells = []
    for row in rows:
        done, state = f"{row['steps_completed']}/{row['steps']}", row["analysis_status"]
        seen = (row["last_activity"] or "")[:16].replace("T", " ")
        state += ", stale" if row["stale"] else ""
        cells.append((row["slug"], done, state, str(row["elaborations"]), seen, row["title"]))
    flags.show_result(rows, table(head, cells, width=width) if rows else f"No items yet. {project.add_one}")


@command(item="optional")
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    project = flags.open_project()
    reports = project.report(project.items()) if item is None else (project.status(item),)
    data = [each.to_data() for each in reports]
    text = "\n\n".join(_describe_status(each, project) for each in reports)
    flags.show_result(data if item is None else data[0], text or f"No items yet. {project.add_one}")


def _describe_status(found: ItemStatus, project: Project) -> str:
    entry, talk = found.entry, found.discussion
    phases = {step.phase.key for step, _ in found.steps if step.phase}
    complete = phases.intersection(found.start.completed)
    summary = (
        f"{entry.analysis_status}: {len(complete)} of {len(phases)} phases, "
        f"{found.steps_done} of {len(found.steps)} steps, "
        f"{count(len(found.progress.elaborations), 'elaboration')}"
    )
    goes_on = entry.problem or found.next_step or found.start.next
    words = ("analyze" if goes_on else "handoff", entry.slug, *(["--start-over"] if entry.problem else []))
    rows = {
        "status": "corrupt" if entry.problem else summary,
        "next": f"{found.next}: {project.command(*words)}",
        "discussion": talk and f"step {talk.step.step_id}, turn {len(talk.turns)} of {talk.max_turns}",
        "code": found.is_stale and "has moved on since the last phase was completed",
        "spent": found.cost,
        "warning": " ".join(found.start.warnings),
        "problem": entry.problem,
    }
    return f"{entry.slug}: {entry.title}\n{pairs([(name, text) for name, text in rows.items() if text])}"


@command(item="needed")
@click.argument("title", nargs=-1, required=True)
def rename(flags: Flags, item: str, title: tuple[str, ...]) -> None:
    """Change the title of ITEM to TITLE. Its folder is renamed to match; other documents stay as they are."""
    project, old = flags.find_item(item)
    entry = project.rename_item(old.slug, " ".join(title))
    flags.show_result(
        {"slug": entry.slug, "title": entry.title, "folder": str(entry.folder), "before": old.slug},
        f"Renamed {old.slug} to {entry.slug}: {entry.title}",
    )


@command(item="needed")
@click.option("--yes", is_flag=True, help="Delete without asking.")
def remove(flags: Flags, item: str, yes: bool) -> None:
    """Delete ITEM with all its files. At a terminal it asks first, elsewhere it needs --yes."""
    project, entry = flags.find_item(item)
    documents = count(len(_list_documents(entry.folder)), "document")
    what = f"This deletes {entry.slug} ({one_line(entry.title)}) with {documents}."
    flags.require_yes(yes, what, "Nothing was deleted.")
    project.remove_item(entry.slug)
    flags.show_result({"slug": entry.slug, "folder": str(entry.folder)}, f"Deleted {entry.slug}.")


@command()
@click.argument("what", nargs=-1, metavar="[ITEM] [FILE|transcript N]")
def show(flags: Flags, what: tuple[str, ...]) -> None:
    """Show the files of ITEM, one of them, or a transcript. Without ITEM it uses the one that is open."""
    project, entry, words = flags.split_item(what)
    talks = list_transcripts(entry.folder)
    files = {path.name: path for path in _list_documents(entry.folder)}
    files |= {f"transcript {number}": path for number, path in enumerate(talks, start=1)}
    if not words:
        sizes = [(name, path.lstat().st_size, path.name) for name, path in files.items()]
        rows = [(name, f"{size:,} bytes", file if file != name else "") for name, size, file in sizes]
        data = [{"name": name, "bytes": size, "file": file} for name, size, file in sizes]
        text = table(("file", "size", ""), rows)
        flags.show_result({"slug": entry.slug, "folder": str(entry.folder), "files": data}, text)
        return
    found = files | {f"elaborations/{path.name}": path for path in talks}
    if (path := found.get(" ".join(words))) is None:
        if words == what and words[0] != "transcript":
            project.find_item(words[0])  # which says what items there are
        wanted, names = one_line(" ".join(words)), ", ".join(list(files)[:30])
        raise RuleBroken(f"{wanted} is none of the files and transcripts of {entry.slug}: {names}.")
    name = path.relative_to(entry.folder).as_posix()
    text = clean_text(read_inside(entry.folder, name).decode("utf-8-sig", "replace"))
    flags.show_result({"slug": entry.slug, "file": name, "text": text}, text.removesuffix("\n"))


def _list_documents(folder: Path) -> list[Path]:
    found = (path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    return sorted(path for path in found if not path.name.startswith("."))
