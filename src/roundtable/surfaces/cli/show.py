"""`show`: the documents and transcripts of an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...core.errors import RuleBroken
from .flags import Command, Flags
from .output import fit, one_line, put_json, put_text, table

if TYPE_CHECKING:
    from pathlib import Path

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
    from ...store.transcript import transcripts

    documents = [(path.name, _size(path)) for path in _documents(folder)]
    talks = [(path.name, _size(path)) for path in transcripts(folder)]
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
    from ...store.inside import leads_out

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
    from ...store.inside import leads_out

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
    from ...store.transcript import FOLDER, transcripts

    found = transcripts(folder)
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
