"""Undo: each change to a document is noted before it is made (MENU-7).

Undoing restores the earlier bytes, unless the file was edited since. An elaboration can also be undone later,
and on another machine: its marker locates its block, and its transcript shows whether that was edited.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct, field

from ..core.errors import DiskFailed, RuleBroken
from ..core.markers import ElaborationMarker
from ..core.steps import is_markdown
from ..documents.additions import BlockPlace, find_block, take_out_block
from ..documents.blocks import TranscriptContent
from ..documents.outline import read_outline
from . import files
from .artifact import changed_meanwhile, explain_refusal, one_line, read_artifact
from .meta import list_undone, read_meta
from .transcript import find_discussion, parse_transcripts

_FILE = "undo.log"
_MAX_SIZE = 8 * 1024 * 1024


class ChangeNote(Struct, frozen=True):
    """One change of one file: its moment, packed bytes before (None: no file) and a digest of those after."""

    moment: str
    file: str
    packed: bytes | None = field(name="before")
    after: str
    step: str

    @property
    def before(self) -> bytes | None:
        limit = files.MAX_FILE_SIZE  # anybody may have written it
        return None if self.packed is None else zlib.decompressobj().decompress(self.packed, limit)


class Restored(Struct, frozen=True):
    """A file's bytes now and after an undo; None means no file."""

    name: str
    current: bytes | None
    document: bytes | None


class UndoLog:
    """The notes on changes to the documents of one item."""

    def __init__(self, folder: Path, moment: Callable[[], str] = str) -> None:
        """`moment` returns the name for new notes; `problems` will say which changes could not be noted."""
        self._folder, self._moment = folder, moment
        self.problems: dict[str, str] = {}

    def note_change(self, step_id: str, name: str, before: bytes | None, after: bytes) -> None:
        """Note a change that a step is about to make; a failure goes to `problems` and stops nothing."""
        packed = None if before is None else zlib.compress(before)
        note = ChangeNote(self._moment(), name, packed, _digest(after), step_id)
        try:
            path = files.journal_folder(self._folder) / _FILE
            if files.is_regular_file(path) and path.stat().st_size > _MAX_SIZE:
                notes = self._read()  # only the later half is kept
                files.write(path, b"".join(map(files.encode_record, notes[len(notes) // 2 :])))
            files.append(path, files.encode_record(note))
            self.problems.pop(name, None)
        except DiskFailed as failure:
            self.problems[name] = f"This change of {one_line(name)} cannot be undone. {failure.failed}"

    def find_makers(self, name: str, document: bytes) -> list[ChangeNote]:
        """Return the notes of the changes that gave a file these bytes."""
        wanted = (name, _digest(document))
        return [note for note in self._read() if (note.file, note.after) == wanted]

    def has_notes(self, moment: str) -> bool:
        return any(note.moment == moment for note in self._read())

    def plan_undo(self, moment: str) -> tuple[Restored, ...]:
        """Return the files as they were before a moment; raise DiskFailed if one was edited since."""
        notes = [note for note in self._read() if note.moment == moment]
        if not notes:
            raise _cannot_undo("There is no undo information for this change.")
        plan = []
        for name in dict.fromkeys(note.file for note in notes):
            document = current = read_artifact(self._folder, name)
            own = [note for note in reversed(notes) if note.file == name]
            for note in own:
                if document is not None and _digest(document) == note.after:
                    document = note.before
            # The write that was noted may never have been made.
            if document == current and all(note.before != current for note in own):
                raise _cannot_undo(f"{one_line(name)} was edited since, so this cannot be taken back.")
            plan.append(Restored(name, current, document))
        return tuple(plan)

    def _read(self) -> list[ChangeNote]:
        return files.read_records(self._folder, _FILE, ChangeNote)


def carry_out_undo(folder: Path, plan: tuple[Restored, ...], what: str) -> tuple[str, ...]:
    """Write a plan's files and return what to announce; raise DiskFailed if one has changed meanwhile."""
    announcements = []
    for each in plan:
        path, name = folder / each.name, one_line(each.name)
        if read_artifact(folder, each.name) != each.current:
            raise changed_meanwhile(each.name)
        if each.document is None:
            files.remove(path)
        else:
            files.write(path, each.document)
        announcements.append(f"Removed {name}." if each.document is None else f"Took back {what} in {name}.")
    return tuple(announcements)


def show_diff(changes: Iterable[tuple[str, bytes | None, bytes | None]]) -> str:
    """Return a unified diff of files, each with its bytes before and after."""
    import difflib  # late: seldom asked for

    parts: list[str] = []
    for name, *sides in changes:
        old, new = ((side or b"").decode("utf-8", "replace").splitlines() for side in sides)
        parts += difflib.unified_diff(old, new, f"a/{one_line(name)}", f"b/{one_line(name)}", lineterm="")
    return "\n".join(parts)


class ElaborationUndo(Struct, frozen=True):
    """The changes to documents that undo one elaboration, and where and how it was edited since."""

    step_id: str
    timestamp: str
    changes: tuple[Restored, ...]
    edits: tuple[tuple[str, str], ...]

    def list_entries(self) -> tuple[str, ...]:
        """Return the list entries that would be removed, each once."""
        gone = (line[1:] for line in self.show_diff().splitlines() if line.startswith("-- "))
        return tuple(dict.fromkeys(line for line in gone if line != "- None"))

    def show_diff(self) -> str:
        """Return the changes as a unified diff."""
        return show_diff((each.name, each.current, each.document) for each in self.changes)


def _choose_elaboration(folder: Path, number: int | None) -> tuple[str, str]:
    """Return the step and time of elaboration `number`, or the last; raise RuleBroken if there is none."""
    if number is not None:
        talks = {each.number: each.content.key for each in parse_transcripts(folder) if each.content}
        if number not in talks:
            known = ", ".join(f"{at} (step {step_id})" for at, (step_id, _) in talks.items())
            raise RuleBroken(f"There is no elaboration {number}. There is: {known or 'none'}.")
        return talks[number]
    meta = read_meta(folder) or {}
    for record in reversed(meta.get("elaborations", [])):
        match record:
            case {"step_id": str(step_id), "timestamp": str(at)} if at not in list_undone(meta):
                return step_id, at
    raise RuleBroken("There is no elaboration to undo. Nothing was changed.")


def plan_elaboration_undo(folder: Path, number: int | None) -> ElaborationUndo:
    """Return what undoing elaboration `number`, or the last, would do; change nothing."""
    step_id, at = _choose_elaboration(folder, number)
    marker, found = ElaborationMarker(step_id, at), find_discussion(folder, step_id, at)
    changes: list[Restored] = []
    edits: list[tuple[str, str]] = []
    for name in sorted(path.name for path in folder.iterdir() if is_markdown(path.name)):
        current = None if explain_refusal(folder, name) else read_artifact(folder, name)
        if current is None or not marker.stands_in(current):
            continue
        shape = read_outline(current)
        if (place := find_block(shape, marker)) is None:
            edits.append((name, "the marker stands inside other text"))
            continue
        makers = UndoLog(folder).find_makers(name, current)
        document = take_out_block(shape, place)
        if makers and (before := makers[0].before) is not None and not marker.stands_in(before):
            document = before
        elif reason := _find_edit(place, found.content if found else None):
            edits.append((name, reason))
        changes.append(Restored(name, current, document))
    return ElaborationUndo(step_id, at, tuple(changes), tuple(edits))


def _find_edit(place: BlockPlace, transcript: TranscriptContent | None) -> str:
    """Return how a block differs from what was written; empty if it does not."""
    if transcript is None:
        return "there is no transcript to compare it with"
    written = list(transcript.entries)
    for heading, bullet in place.bullets:
        entry = next((each for each in written if each.part == heading and each.is_written_as(bullet)), None)
        if entry is None:
            return f'an entry was edited or added: "{one_line(bullet)[:80]}"'
        written.remove(entry)
    if written:
        return f'an entry is gone: "{one_line(written[0].text)[:80]}"'
    return "something was added to it" if place.has_more else ""


def _cannot_undo(failed: str) -> DiskFailed:
    return DiskFailed(failed, saved=files.UNCHANGED, do="Edit the document by hand.")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
