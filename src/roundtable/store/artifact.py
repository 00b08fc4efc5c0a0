"""One artifact in the item's folder: which names may be used, and how a shared file is changed."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import TypeVar

from ..core.errors import DiskFailed, RuleBroken
from ..core.steps import ITEM_FILES
from ..core.text import strip_unprintable
from ..documents.outline import MAX_DOCUMENT_SIZE, decode_document
from . import files
from .files import AGAIN, UNCHANGED

DRAFT = "draft.md"
PARKING_LOT = "parking-lot.md"

Result = TypeVar("Result")
Change = Callable[[bytes | None], tuple[bytes | None, Result]]


def one_line(text: str) -> str:
    """Return untrusted text on one line, safe to show."""
    return " ".join(strip_unprintable(text).split())


def explain_refusal(folder: Path, name: str) -> str | None:
    """Return why a step may not use this name, in words for a person; None if it may (ART-1)."""
    # PureWindowsPath knows every separator and drive, so a name is refused on all systems alike.
    if PureWindowsPath(name).parts != (name,) or name == ".." or not name.isprintable():
        return "it is not a plain file name"
    if name.startswith(".") or name.lower() in ITEM_FILES:
        return "the name belongs to the item itself"
    return "it is a link" if (folder / name).is_symlink() else None


def read_artifact(folder: Path, name: str, *, is_reserved: bool = False) -> bytes | None:
    """Return the artifact's bytes, or None if there is no file; raise DiskFailed if it may not be used."""
    if not is_reserved and (reason := explain_refusal(folder, name)):
        do = "Put a plain file in its place, or correct the outputs in the step's file."
        raise DiskFailed(f"Could not use {one_line(name)}: {reason}.", saved=UNCHANGED, do=do)
    with suppress(FileNotFoundError):
        return files.read(folder / name, limit=MAX_DOCUMENT_SIZE, follow_link=False)
    return None


def read_own_text(folder: Path, name: str) -> tuple[str, str | None]:
    """Return the text of draft.md or another of the item's own files, and the reason if it is unreadable."""
    try:
        return decode_text(files.read_inside(folder, name, limit=MAX_DOCUMENT_SIZE)), None
    except (FileNotFoundError, DiskFailed) as failure:
        return "", failure.failed if isinstance(failure, DiskFailed) else None


def read_documents(folder: Path, endings: tuple[str, ...] = (".md", ".json", ".csv")) -> dict[str, str]:
    """Return the texts of an item's documents by name, without those that cannot be read."""
    names = sorted(path.name for path in folder.glob("*") if path.name.lower().endswith(endings))
    return read_texts(folder, names)


def read_texts(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of the files by name, without those that cannot be read."""
    found = {}
    for name in dict.fromkeys(names):
        with suppress(DiskFailed, OSError):  # OSError: the folder may be listed but not entered
            if (data := read_artifact(folder, name)) is not None:
                found[name] = decode_text(data)
    return found


def decode_text(document: bytes) -> str:
    """Return a document as text with plain line ends, safe to show."""
    return strip_unprintable(decode_document(document))


def change_artifact(folder: Path, name: str, change: Change[Result], *, is_reserved: bool = False) -> Result:
    """Write what `change` makes of the file's bytes (None: no file, or no change); return its result."""
    before = read_artifact(folder, name, is_reserved=is_reserved)
    beginning = (before or b"")[:2_000]
    # Recognised by a byte order mark, or by the NULs between Latin letters.
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")) or 3 * beginning.count(0) > len(beginning):
        raise RuleBroken(f"It is UTF-16 or UTF-32 text. {UNCHANGED} Save it as UTF-8. {AGAIN}")
    for _ in range(4):
        after, result = change(before)
        now = read_artifact(folder, name, is_reserved=is_reserved)
        if now == before:
            if after is not None and after != before:
                files.write(folder / name, after)
            return result
        before = now
    raise changed_meanwhile(name)


def changed_meanwhile(name: str) -> DiskFailed:
    """Return the error for a file that another program is changing."""
    failed = f"Could not change {one_line(name)}: another program changed it meanwhile."
    return DiskFailed(failed, saved="The file is as that program left it.", do=f"Close it there. {AGAIN}")


def reason_of(error: DiskFailed | RuleBroken) -> str:
    """Return what went wrong in a few words."""
    if isinstance(error, DiskFailed):
        return one_line(error.failed.rpartition(": ")[2].rstrip("."))
    sentence = one_line(str(error)).partition(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
