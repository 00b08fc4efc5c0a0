"""Taking back what was written: each change of a document is noted before it is made (MENU-7).

The notes lie beside the journal, one line each: the file's bytes from before, and a digest of those after.
Undoing restores the bytes from before; where the file was changed elsewhere since, only the text that was
inserted is taken out, if it still stands there as it was written.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..core.errors import DiskFailed
from . import files
from .artifact import one_line, read_artifact, remove_artifact, replace_artifact
from .files import journal_home, read_journal_file
from .lock import journal_folder

_FILE = "undo.log"
_MAX_SIZE = 8 * 1024 * 1024


class ChangeNote(msgspec.Struct, frozen=True):
    """One change of one file: when, what it was before (packed; None where there was none) and after."""

    moment: str
    file: str
    before: str | None
    after: str
    inserted: str | None = None
    """The text that was inserted, packed, where the change was one insertion."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A file as it is and as it will be after an undo; None where there is none."""

    name: str
    current: bytes | None
    document: bytes | None


class UndoLog:
    """The notes on what was written into the documents of one item."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def note_change(self, moment: str, name: str, before: bytes | None, after: bytes) -> None:
        """Note a change that is about to be made; a note that cannot be kept does not stop the change."""
        inserted = find_insertion(before or b"", after)
        note = ChangeNote(
            moment,
            name,
            None if before is None else _pack(before),
            _digest(after),
            None if inserted is None else _pack(inserted),
        )
        try:
            journal_folder(self._folder)
            self._trim()
            files.append(journal_home(self._folder) / _FILE, msgspec.json.encode(note) + b"\n")
        except DiskFailed:
            return

    def has_notes(self, moment: str) -> bool:
        """Whether anything was changed at a moment."""
        return any(note.moment == moment for note in self._read())

    def plan_undo(self, moment: str) -> tuple[Restored, ...]:
        """Return the files as they were before a moment; DiskFailed where one was edited since."""
        changes: dict[str, list[ChangeNote]] = {}
        for note in self._read():
            if note.moment == moment:
                chain = changes.setdefault(note.file, [])
                # A note that does not go on from the one before is of a write that was never made.
                if chain and (note.before is None or _digest(_unpack(note.before)) != chain[-1].after):
                    chain.clear()
                chain.append(note)
        if not changes:
            raise DiskFailed(
                "There is no undo information for this change.",
                saved="Nothing was changed.",
                do="Edit the document by hand.",
            )
        return tuple(self._restore(name, chain) for name, chain in changes.items())

    def _restore(self, name: str, chain: list[ChangeNote]) -> Restored:
        """Return a file without the changes of one moment, which follow one another."""
        first = chain[0].before
        before = None if first is None else _unpack(first)
        try:
            current = read_artifact(self._folder, name)
        except FileNotFoundError:
            current = None
        if current == before or (current is not None and _digest(current) == chain[-1].after):
            return Restored(name, current, before)
        document = current
        for note in reversed(chain):
            inserted = _unpack(note.inserted) if note.inserted else b""
            if document is None or not inserted or document.count(inserted) != 1:
                raise DiskFailed(
                    f"{one_line(name)} was edited since, so what was written there cannot be taken back.",
                    saved="Nothing was changed.",
                    do="Edit the document by hand.",
                )
            document = document.replace(inserted, b"", 1)
        return Restored(name, current, document)

    def _read(self) -> list[ChangeNote]:
        try:
            lines = read_journal_file(self._folder, _FILE).splitlines()
        except (FileNotFoundError, DiskFailed):
            return []
        found = []
        for line in lines:
            try:
                found.append(msgspec.json.decode(line, type=ChangeNote))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                continue  # cut off when the process was killed
        return found

    def _trim(self) -> None:
        """Keep the later half of the notes where they have grown large."""
        path = journal_home(self._folder) / _FILE
        if files.is_regular_file(path) and path.stat().st_size > _MAX_SIZE:
            notes = self._read()
            kept = notes[len(notes) // 2 :]
            files.write(path, b"".join(msgspec.json.encode(note) + b"\n" for note in kept))


def carry_out_undo(folder: Path, plan: tuple[Restored, ...]) -> tuple[str, ...]:
    """Write the files of a plan, and say what was done to each; DiskFailed where one has changed."""
    announcements = []
    for restored in plan:
        name = one_line(restored.name)
        if restored.document is None:
            if restored.current is not None:
                remove_artifact(folder, restored.name, restored.current)
            announcements.append(f"Removed {name}, which this step had created.")
        else:
            replace_artifact(folder, restored.name, restored.current, restored.document)
            announcements.append(f"Took back what was written last in {name}.")
    return tuple(announcements)


def find_insertion(before: bytes, after: bytes) -> bytes | None:
    """Return the bytes that were inserted in one piece; None where anything else was changed."""
    if len(after) <= len(before):
        return None
    size = len(after) - len(before)
    start = _shared_length(before, after)
    return after[start : start + size] if after[start + size :] == before[start:] else None


def _shared_length(one: bytes, other: bytes) -> int:
    """Return how many bytes two documents share at their beginning, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


def _unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
