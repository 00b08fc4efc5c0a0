"""The journal of one leg: its opening, then one line per event, on disk before the event counts.

A torn last line, left by a kill, does not count. Anything else that does not read is reported; the session
sets it aside and resumes from meta.json alone (META-6). Reading never changes the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import msgspec

from ..core import events as on
from ..core.analysis import Opening
from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from ..core.steps import PHASE_KEYS, Step, is_output_name, is_step_id
from . import files
from .files import JOURNAL_FOLDER, is_regular_file, journal_folder, journal_home, read_journal_file
from .meta import has_meta

RULES = 1
"""The version of the rules; a journal of another version is not replayed."""

_SUFFIX = ".jsonl"
DISCUSSION = "discussion"
"""The name of a journal that is not on a step of an item (MENU-8)."""
_NAME = re.compile(rf"[0-9]{{2}}-[0-9]{{2}}(?:\.elaborate)?|[0-9]{{2}}-menu|finished|{DISCUSSION}")
_NOBODYS_WORDS = on.ContextRead | on.Judged | on.PersonaPassed | on.ArtifactsUpdated | on.RecordSaved
"""Events that a power cut may take back: what led to them is on disk, and is carried out again."""


_EVENTS: dict[str, type[on.Event]] = {
    # These are the names that older journals have for some of them.
    **dict.fromkeys(("StepSaved", "DepthSaved", "TrackSaved", "PhaseSaved"), on.Saved),
    **dict.fromkeys(("StepWritten", "FeedbackWritten", "DraftsWritten"), on.DocumentsWritten),
    **{kind.__name__: kind for kind in get_args(on.Event)},
}


class Journal:
    """The journal of one leg, by name, in the item's folder."""

    def __init__(self, folder: Path, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise RuleBroken(f"{name[:60]!r} is not the name of a journal.")
        self.name = name
        self.path = journal_home(folder) / (name + _SUFFIX)
        self.has_meta = False
        """Whether there was a meta.json when the leg opened."""
        self.panels: tuple[str, ...] = ()
        """Who gave the personas their words in the last discussion, in the order they came."""
        self.count = 0
        """How many events count so far."""
        self.opened = ""
        """When the leg was opened, which tells it from earlier legs of the same name."""
        self._folder = folder

    @property
    def moment(self) -> str:
        """Return a name for where the leg stands; it is the same after a kill and a new start."""
        return f"{self.name}.{self.count}"

    def begin(self, opening: Opening) -> None:
        """Start over with an opening and no events."""
        journal_folder(self._folder)
        self.has_meta = has_meta(self._folder)
        self.opened = files.timestamp()
        head = {"rules": RULES, "opening": opening, "meta": self.has_meta, "opened": self.opened}
        files.write(self.path, files.encode_record(head))
        self.count, self.panels = 0, ()

    def append(self, event: on.Event, panel: str = "") -> None:
        """Write an event to disk, with the panel whose words it holds; when this returns, it counts.

        A power cut may take back events that hold nobody's words; then they are done again.
        """
        record = {"n": self.count + 1, "event": type(event).__name__, "data": event}
        record |= {"at": files.timestamp()} | ({"panel": panel} if panel else {})
        files.append(self.path, files.encode_record(record), durable=waits_for_disk(event))
        self.count += 1
        self.panels = _add_panel(self.panels, event, panel)

    def read(self) -> tuple[Opening, tuple[on.Event, ...]] | None:
        """Return the opening and the events since, without a torn last line; None if nothing was recorded.

        The file stays as it is, so anybody may read. Raises ItemCorrupt if it does not read.
        """
        try:
            whole, newline, _ = self._data().rpartition(b"\n")
            return self._decode(whole.split(b"\n")) if newline else None
        except FileNotFoundError:
            return None
        except DiskFailed as failure:
            raise self.corrupt(f"cannot be read ({failure.failed})") from failure
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self.corrupt(f"cannot be read ({error})") from error

    def _decode(self, lines: list[bytes]) -> tuple[Opening, tuple[on.Event, ...]]:
        head, *rest = map(json.loads, lines)
        if head["rules"] != RULES:
            raise ValueError(f"it follows version {head['rules']} of the rules, this program version {RULES}")
        opening = msgspec.convert(head["opening"], Opening)
        events: list[on.Event] = []
        panels: tuple[str, ...] = ()
        for number, record in enumerate(rest, start=1):
            if record["n"] != number:
                raise ValueError(f"event {number} is missing")
            events.append(msgspec.convert(record["data"], _EVENTS[record["event"]]))
            panels = _add_panel(panels, events[-1], str(record.get("panel", "")))
        for wrong in _find_strange_ids(opening, events, has_step=self.name != DISCUSSION):
            raise ValueError(f"{wrong[:60]!r} in it is not an id or a file name of an analysis")
        self.count, self.panels = len(events), panels
        self.has_meta, self.opened = head.get("meta") is True, str(head.get("opened", ""))[:40]
        return opening, tuple(events)

    def repair(self) -> None:
        """Cut off a torn last line, which a kill left. Only the session that holds the lock may do this."""
        try:
            data = self._data()
        except (FileNotFoundError, DiskFailed):  # `read` says why
            return
        whole, newline, torn = data.rpartition(b"\n")
        if not newline:
            files.remove(self.path)
        elif torn:
            files.write(self.path, whole + newline)

    def set_aside(self) -> Path | None:
        """Move the file out of the way, never over another one; None where even that fails.

        Only the session that holds the lock may do this.
        """
        names = (self.path.with_name(f"{self.name}.corrupt-{number}") for number in range(1, 1000))
        with suppress(DiskFailed, StopIteration):
            aside = next(path for path in names if not path.exists())
            files.rename(self.path, aside)
            return aside
        return None

    def close(self) -> None:
        """Remove the journal of a leg that is over; what is worth keeping of it stands elsewhere."""
        files.remove(self.path)

    def corrupt(self, problem: str) -> ItemCorrupt:
        """Return the error for a journal that cannot be used; `problem` completes "The journal ..."."""
        return ItemCorrupt(
            f"The journal {JOURNAL_FOLDER}/{self.path.name} {problem}.",
            saved="meta.json and the artifacts are not touched.",
            do="The analysis goes on from what meta.json says.",
        )

    def _data(self) -> bytes:
        return read_journal_file(self._folder, self.path.name, limit=files.MAX_LOG_SIZE)


def waits_for_disk(event: on.Event) -> bool:
    """Whether an event counts only when it is synced, so that no power cut takes it back."""
    return not isinstance(event, _NOBODYS_WORDS)


def list_journals(folder: Path) -> tuple[Journal, ...]:
    """Return the journals of an item that are open, the one written to last first."""
    found = [
        path
        for path in journal_home(folder).glob("*" + _SUFFIX)
        if _NAME.fullmatch(path.name.removesuffix(_SUFFIX)) and is_regular_file(path)
    ]
    found.sort(key=lambda path: (-path.stat().st_mtime_ns, path.name))
    return tuple(Journal(folder, path.name.removesuffix(_SUFFIX)) for path in found)


def _find_strange_ids(opening: Opening, events: list[on.Event], *, has_step: bool) -> Iterator[str]:
    """Yield ids and names of the wrong form, which would become paths: anybody may have made the journal."""
    phases = (opening.phase, opening.handed_over_by)
    yield from (phase.key for phase in phases if phase is not None and phase.key not in PHASE_KEYS)
    steps: tuple[Step, ...] = (*opening.steps, *((opening.step,) if opening.step is not None else ()))
    ids = [step.step_id for step in steps if has_step or step.step_id]
    yield from (step_id for step_id in ids if not is_step_id(step_id))
    drafts = [section for event in events if isinstance(event, on.Drafted) for section in event.sections]
    outputs = [output for step in steps for output in step.outputs]
    outputs += [target.output for step in steps for target in step.targets]
    outputs += [section.target.output for section in drafts]
    yield from (output for output in outputs if not is_output_name(output))


def _add_panel(panels: tuple[str, ...], event: on.Event, panel: str) -> tuple[str, ...]:
    """Return the panels of a discussion with one more; a framing begins a new discussion."""
    before = () if isinstance(event, on.Framed) else panels
    return (*before, panel) if panel and panel not in before else before
