"""The journal of one leg: its opening, then one line per event, on disk before the event counts.

Reading never changes it. A torn last line, left by a kill, is ignored; the rest must be valid (META-6).
"""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import get_args

import msgspec

from ..core import events as on
from ..core.analysis import Opening
from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from . import files
from .meta import has_meta

RULES = 1  # a journal of another version is not replayed
_SUFFIX = ".jsonl"
DISCUSSION = "discussion"
"""The name of the journal of a roundtable on any document (MENU-8)."""
_NAME = re.compile(rf"[0-9]{{2}}-[0-9]{{2}}(?:\.elaborate)?|[0-9]{{2}}-menu|finished|{DISCUSSION}")
_NOBODYS_WORDS = on.ContextRead | on.Judged | on.PersonaPassed | on.RecordSaved
"""Events that a power cut may lose: their cause is on disk, and is carried out again."""
_EVENTS: dict[str, type[on.Event]] = {
    # Names from older journals.
    **dict.fromkeys(("StepSaved", "DepthSaved", "TrackSaved", "PhaseSaved", "LimitSaved"), on.Saved),
    **dict.fromkeys(("ArtifactsRead", "FollowedUp"), on.PersonaReplied),
    **dict.fromkeys(("StepWritten", "FeedbackWritten", "DraftsWritten"), on.DocumentsWritten),
    "ArtifactsUpdated": on.DocumentsWritten,
    **dict.fromkeys(("ContextUnreadable", "SynthesisFailed", "RecordFailed"), on.TaskFailed),
    "BudgetSpent": on.WrappedUp,
    **{kind.__name__: kind for kind in get_args(on.Event)},
}


class Journal:
    """The journal of one leg: its name, how many events count, when it was opened, and which panels spoke."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self._folder = name, folder
        self.path = files.journal_home(folder) / (name + _SUFFIX)
        self.has_meta, self.opened, self.count = False, "", 0
        self.panels: tuple[str, ...] = ()

    @property
    def moment(self) -> str:
        """Return a name for the leg's current position, the same after a kill and a restart."""
        return f"{self.name}.{self.count}"

    def begin(self, opening: Opening) -> None:
        """Start over with an opening and no events."""
        files.journal_folder(self._folder)
        self.has_meta, self.opened = has_meta(self._folder), files.timestamp()
        head = {"rules": RULES, "opening": opening, "meta": self.has_meta, "opened": self.opened}
        files.write(self.path, files.encode_record(head))
        self.count, self.panels = 0, ()

    def _count(self, event: on.Event, panel: str) -> None:
        self.count += 1
        self.panels = () if isinstance(event, on.Framed) else self.panels  # a new discussion
        if panel and panel not in self.panels:
            self.panels = (*self.panels, panel)

    def append(self, event: on.Event, panel: str = "") -> None:
        """Write an event to disk, with the panel whose words it holds; when this returns, it counts."""
        record = {"n": self.count + 1, "event": type(event).__name__, "data": event}
        record |= {"at": files.timestamp()} | ({"panel": panel} if panel else {})
        is_durable = not isinstance(event, _NOBODYS_WORDS)
        files.append(self.path, files.encode_record(record), durable=is_durable)
        self._count(event, panel)

    def read(self) -> tuple[Opening, tuple[on.Event, ...]] | None:
        """Return the opening and the events, None if missing; raise ItemCorrupt if they are invalid."""
        try:
            whole, newline, _ = files.read_journal_file(self._folder, self.path.name).rpartition(b"\n")
            return self._decode(whole.split(b"\n")) if newline else None
        except FileNotFoundError:
            return None
        except (DiskFailed, RuleBroken, ValueError, TypeError, KeyError, RecursionError) as error:
            reason = error.failed if isinstance(error, DiskFailed) else error
            raise self.corrupt(f"cannot be read ({reason})") from error

    def _decode(self, lines: list[bytes]) -> tuple[Opening, tuple[on.Event, ...]]:
        head, *rest = map(json.loads, lines)
        if head["rules"] != RULES:
            raise ValueError(f"it follows version {head['rules']} of the rules, this program version {RULES}")
        # Malformed ids and file names are refused here: anybody may have written the journal.
        opening = msgspec.convert(head["opening"], Opening)
        events: list[on.Event] = []
        self.count, self.panels = 0, ()
        for number, record in enumerate(rest, start=1):
            if record["n"] != number:
                raise ValueError(f"event {number} is missing")
            events.append(msgspec.convert(record["data"], _EVENTS[record["event"]]))
            self._count(events[-1], str(record.get("panel", "")))
        self.has_meta, self.opened = head.get("meta") is True, str(head.get("opened", ""))[:40]
        return opening, tuple(events)

    def repair(self) -> None:
        """Cut off a torn last line that a kill left. Only the session that holds the lock may do this."""
        with suppress(FileNotFoundError, DiskFailed):  # `read` says why
            whole, newline, torn = files.read_journal_file(self._folder, self.path.name).rpartition(b"\n")
            if not newline:
                files.remove(self.path)
            elif torn:
                files.write(self.path, whole + newline)

    def set_aside(self) -> Path | None:
        """Rename the file and return its new path, or None if that fails; the caller must hold the lock."""
        with suppress(DiskFailed, FileNotFoundError):
            return files.set_aside(self.path)
        return None

    def close(self) -> None:
        """Remove the journal of a leg that is over; its results are stored elsewhere."""
        files.remove(self.path)

    def corrupt(self, problem: str) -> ItemCorrupt:
        """Return the error for a journal that cannot be used; `problem` completes "The journal ..."."""
        failed = f"The journal {files.JOURNAL_FOLDER}/{self.path.name} {problem}."
        do = "The analysis goes on from what meta.json says."
        return ItemCorrupt(failed, saved="meta.json and the artifacts are not touched.", do=do)


def list_journals(folder: Path) -> tuple[Journal, ...]:
    """Return an item's open journals, the most recently written first."""
    found = [path for path in files.journal_home(folder).glob("*" + _SUFFIX) if files.is_regular_file(path)]
    found.sort(key=lambda path: (-path.stat().st_mtime_ns, path.name))
    return tuple(Journal(folder, path.stem) for path in found if _NAME.fullmatch(path.stem))
