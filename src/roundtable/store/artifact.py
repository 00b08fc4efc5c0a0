"""One artifact in the item's folder: which names may be used, and how a shared file is changed."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import TypeVar

from ..core.errors import DiskFailed, RuleBroken
from ..core.text import strip_unprintable
from . import files
from .files import leads_out

MAX_ARTIFACT_SIZE = 5_000_000
"""The most bytes of a file that are taken in."""

DRAFT = "draft.md"
PARKING_LOT = "parking-lot.md"
RESERVED = frozenset({"meta.json", "state.json", DRAFT, PARKING_LOT})
"""Names that no step may write to."""

_AGAIN = 3
_WIDE_MARKS = (BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_LE, BOM_UTF32_BE)
Result = TypeVar("Result")


def is_markdown(name: str) -> bool:
    """True for the outputs that take text for people."""
    return name.lower().endswith(".md")


def shown(text: str) -> str:
    """A text from outside on one line, fit for a screen."""
    return " ".join(strip_unprintable(text).split())


def refusal(folder: Path, name: str) -> str | None:
    """Why a step may not use this name, in words for a person; None where it may (ART-1)."""
    # Windows knows every separator and drive, so that a name is refused on all systems alike.
    if PureWindowsPath(name).parts != (name,) or name == ".." or not name.isprintable():
        return "it is not a plain file name"
    if name.startswith(".") or name.lower() in RESERVED:
        return "the name belongs to the item itself"
    return _leads_out(folder, name)


def read_artifact(folder: Path, name: str) -> bytes:
    """The artifact's bytes; FileNotFoundError where there is none, DiskFailed where it may not be used."""
    return files.read(_require_allowed(folder, name), limit=MAX_ARTIFACT_SIZE)


def change_artifact(
    folder: Path, name: str, change: Callable[[bytes | None], tuple[bytes | None, Result]]
) -> Result:
    """Write what `change` makes of the file (None: missing, or leave it), on what it holds at that moment.

    Where somebody else wrote to the file meanwhile, `change` is asked again with what it holds now.
    """
    return _change_file(_require_allowed(folder, name), change)


def change_own(
    folder: Path, name: str, change: Callable[[bytes | None], tuple[bytes | None, Result]]
) -> Result:
    """The same for a reserved file that Roundtable keeps itself."""
    if reason := _leads_out(folder, name):
        raise _refuse(name, reason)
    return _change_file(folder / name, change)


def reason_of(error: DiskFailed | RuleBroken) -> str:
    """What went wrong, short enough for an announcement."""
    if isinstance(error, DiskFailed):
        return one_line(error.failed.rpartition(": ")[2].rstrip("."))
    sentence = one_line(str(error)).partition(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def _allowed(folder: Path, name: str) -> Path:
    if reason := explain_refusal(folder, name):
        raise _refuse(name, reason)
    return folder / name


def _refused(name: str, reason: str) -> DiskFailed:
    return DiskFailed(
        f"Could not use {one_line(name)}: {reason}.",
        saved="Nothing was changed.",
        do="Put a plain file in its place, or correct the outputs in the step's file.",
    )


def _leads_out(folder: Path, name: str) -> str | None:
    if reason := leads_out(folder, name):
        return reason
    home, target = folder.resolve(), (folder / name).resolve()
    if target != home / name and (target.parent != home or target.name.lower() in RESERVED):
        return "it is a link to a file that belongs to the item itself"
    return None


def _changed(path: Path, change: Callable[[bytes | None], tuple[bytes | None, Result]]) -> Result:
    before = _read_if_there(path)
    if before is not None and _is_wide_text(before):
        raise RuleBroken(
            "It is UTF-16 or UTF-32 text, and UTF-8 cannot be added to that. "
            "Nothing was changed. Save it as UTF-8. Run the same command again."
        )
    for _ in range(1 + _AGAIN):
        after, result = change(before)
        now = _read_if_there(path)
        if now == before:
            if after is not None and after != before:
                files.write(path, after, follow_link=True)
            return result
        before = now
    raise DiskFailed(
        f"Could not write {path}: another program keeps changing it.",
        saved="The file is as that program left it.",
        do="Close it there. Run the same command again.",
    )


def _is_wide_text(document: bytes) -> bool:
    """Whether the bytes are UTF-16 or UTF-32: by their mark, or by the many NULs that Latin letters bring."""
    beginning = document[:2_000]
    return document.startswith(_WIDE_MARKS) or 3 * beginning.count(0) > len(beginning)


def _found(path: Path) -> bytes | None:
    try:
        return files.read(path, limit=MAX_ARTIFACT_SIZE)
    except FileNotFoundError:
        return None
