"""Inside: whether a file or folder is where it seems to be, and not elsewhere through a link.

A project comes from others. A link in it may lead to a private file, which would then be shown or sent to a
model, or to a file outside that would then be written over. Whoever reads or writes in an item's folder asks
here first.
"""

from __future__ import annotations

import stat
from pathlib import Path

from ..core.errors import DiskFailed, ItemCorrupt
from . import files

JOURNAL_FOLDER = ".journal"

_CANNOT_FOLLOW = "it is a link that cannot be followed"


def leads_out(folder: Path, name: str) -> str | None:
    """Return why a file of the item's folder may not be used; None where it lies in that folder."""
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # the folder is gone, a circle of links, a NUL byte
        return _CANNOT_FOLLOW
    return None if inside else "it leads out of the item's folder"


def read_inside(folder: Path, name: str, *, limit: int = files.LIMIT) -> bytes:
    """Return the bytes of a file in the item's folder; DiskFailed where it lies elsewhere."""
    require_inside(folder, name)
    return files.read(folder / name, limit=limit)


def require_inside(folder: Path, name: str) -> None:
    """Raise DiskFailed where a file of the item's folder lies elsewhere."""
    if reason := leads_out(folder, name):
        raise DiskFailed(
            f"Could not use {folder / name}: {reason}.",
            saved="Nothing was changed.",
            do="Remove the link. Run the same command again.",
        )


def leads_out_of_project(root: Path, folder: Path) -> str | None:
    """Return why a folder of the project may not hold items; None where it lies in the project.

    A link may lead to another folder of the project, but not to a hidden one, which is some program's own.
    """
    try:
        place = folder.resolve().relative_to(root.resolve())
    except ValueError:
        return "it is a link that leads out of the project"
    except (OSError, RuntimeError):
        return _CANNOT_FOLLOW
    if place == Path() and folder.is_symlink():
        return "it is a link to the project itself"
    hidden = [part for part in place.parts if part.startswith(".") and part not in folder.parts]
    return "it leads to a hidden folder" if hidden or ".git" in map(str.lower, place.parts) else None


def require_in_project(root: Path, folder: Path) -> Path:
    """Return the folder, there or not; ItemCorrupt where it does not lie in the project."""
    if reason := leads_out_of_project(root, folder):
        raise _not_ours(folder, reason)
    return folder


def journal_home(folder: Path) -> Path:
    """Return the item's `.journal` folder, there or not; ItemCorrupt where a link has its name."""
    home = folder / JOURNAL_FOLDER
    if home.is_symlink():
        raise _not_ours(home, "it is a link")
    return home


def read_journal_file(folder: Path, name: str, *, limit: int = files.LIMIT) -> bytes:
    """Return the bytes of a file in `.journal`, where no link is ever followed."""
    return files.read(journal_home(folder) / name, limit=limit, follow_link=False)


def is_regular_file(path: Path) -> bool:
    """Whether a regular file has this name; a link to one has not."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _not_ours(path: Path, reason: str) -> ItemCorrupt:
    return ItemCorrupt(
        f"{path} cannot be used: {reason}.",
        saved="Nothing was changed.",
        do="Remove the link, or put a folder in its place. Run the same command again.",
    )
