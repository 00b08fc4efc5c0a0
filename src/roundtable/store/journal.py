"""The journal of one leg: its opening, then one line per event, on disk before the event counts.

A torn last line is what a kill leaves behind: it is dropped. Anything else that does not read is reported and
set aside; the analysis then resumes from meta.json alone (META-6).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from ..core import events as on
from ..core.analysis import Opening
from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from ..core.steps import PHASE_KEYS, Step, is_output_name, is_step_id
from . import files
from .files import JOURNAL_FOLDER, is_regular_file, journal_home, read_journal_file
from .lock import journal_folder
from .meta import has_meta

RULES = 1
"""The version of the rules; a journal of another version is not replayed."""

_SUFFIX = ".jsonl"
_NAME = re.compile(r"[0-9]{2}-[0-9]{2}(?:\.elaborate)?|[0-9]{2}-menu|finished")
_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a journal holds: the opening of its leg, the events since, the panels of the last discussion."""

    opening: Opening
    events: tuple[on.Event, ...]
    panels: tuple[str, ...] = ()
    has_meta: bool = False


class Journal:
    """The journal of one leg, by name, in the item's folder."""

    def __init__(self, folder: Path, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise RuleBroken(f"{name[:60]!r} is not the name of a journal.")
        self.name = name
        self.path = journal_home(folder) / (name + _SUFFIX)
        self.has_meta = False
        """Whether there was a meta.json when the leg opened."""
        self._folder = folder
        self._count = 0
        self._panels: tuple[str, ...] = ()

    @property
    def panels(self) -> tuple[str, ...]:
        """Who gave the personas their words in the last discussion, in the order they came."""
        return self._panels

    @property
    def count(self) -> int:
        """How many events count so far."""
        return self._count

    def begin(self, opening: Opening) -> None:
        """Start over with an opening and no events."""
        import msgspec

        journal_folder(self._folder)
        self.has_meta = has_meta(self._folder)
        head = {"rules": RULES, "opening": msgspec.to_builtins(opening), "meta": self.has_meta}
        files.write(self.path, _line(head))
        self._count, self._panels = 0, ()

    def append(self, event: on.Event, panel: str = "") -> None:
        """Write an event to disk, with the panel whose words it holds; when this returns, it counts."""
        import msgspec

        record = {
            "n": self._count + 1,
            "event": type(event).__name__,
            "data": msgspec.to_builtins(event),
            "at": files.timestamp(),
        }
        files.append(self.path, _line({**record, "panel": panel} if panel else record))
        self._count += 1
        self._panels = _add_panel(self._panels, event, panel)

    def read(self) -> Recorded | None:
        """What was recorded, None where nothing was; one that does not read is set aside with ItemCorrupt."""
        try:
            data = read_journal_file(self._folder, self.path.name, limit=_LIMIT)
        except FileNotFoundError:
            return None
        except DiskFailed as failure:
            raise self._corrupt(failure.failed) from failure
        whole, newline, torn = data.rpartition(b"\n")
        try:
            recorded = _decode(whole.split(b"\n")) if newline else None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._corrupt(str(error)) from error
        if recorded is None:
            files.remove(self.path)
            return None
        if torn:
            files.write(self.path, whole + b"\n")
        self._count, self._panels = len(recorded.events), recorded.panels
        self.has_meta = recorded.has_meta
        return recorded

    def close(self) -> None:
        """The leg is over; what is worth keeping of it stands elsewhere."""
        files.remove(self.path)

    def set_aside(self) -> Path | None:
        """Move the file out of the way, never over another one; None where even that fails."""
        for number in range(1, 1000):
            aside = self.path.with_name(f"{self.name}.corrupt-{number}")
            if not aside.exists():
                try:
                    files.rename(self.path, aside)
                except DiskFailed:
                    return None
                return aside
        return None

    def _corrupt(self, reason: str) -> ItemCorrupt:
        aside = self.set_aside()
        kept = f"It is kept as {JOURNAL_FOLDER}/{aside.name}." if aside else ""
        return ItemCorrupt(
            f"The journal {JOURNAL_FOLDER}/{self.path.name} cannot be read ({reason}).",
            saved=f"{kept} meta.json and the artifacts are not touched.".strip(),
            do="The analysis goes on from what meta.json says.",
        )


def list_journals(folder: Path) -> tuple[Journal, ...]:
    """The journals of an item that are open, the one written to last first."""
    found = [
        path
        for path in journal_home(folder).glob("*" + _SUFFIX)
        if _NAME.fullmatch(path.name.removesuffix(_SUFFIX)) and is_regular_file(path)
    ]
    found.sort(key=lambda path: (-path.stat().st_mtime_ns, path.name))
    return tuple(Journal(folder, path.name.removesuffix(_SUFFIX)) for path in found)


def _line(record: dict[str, Any]) -> bytes:
    # Escaped, so that even half a character that meta.json can hold does not stop the session.
    return json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"


def _decode(lines: list[bytes]) -> Recorded:
    import msgspec

    head, *rest = (json.loads(line) for line in lines)
    if head["rules"] != RULES:
        raise ValueError(f"it follows version {head['rules']} of the rules, this program version {RULES}")
    opening = msgspec.convert(head["opening"], Opening)
    events: list[on.Event] = []
    panels: tuple[str, ...] = ()
    for number, record in enumerate(rest, start=1):
        if record["n"] != number:
            raise ValueError(f"event {number} is missing")
        events.append(msgspec.convert(record["data"], _event_types()[record["event"]]))
        panels = _add_panel(panels, events[-1], str(record.get("panel", "")))
    for wrong in _strange_ids(opening, events):
        raise ValueError(f"{wrong[:60]!r} in it is not an id or a file name of an analysis")
    return Recorded(opening, tuple(events), panels, head.get("meta") is True)


def _strange_ids(opening: Opening, events: list[on.Event]) -> Iterator[str]:
    """What would become a path and is not of its form: a journal may come with a project, made by anyone."""
    phases = (opening.phase, opening.handed_over_by)
    yield from (phase.key for phase in phases if phase is not None and phase.key not in PHASE_KEYS)
    steps: tuple[Step, ...] = (*opening.steps, *((opening.step,) if opening.step is not None else ()))
    yield from (step.step_id for step in steps if not is_step_id(step.step_id))
    outputs = [output for step in steps for output in step.outputs]
    outputs += [target.output for step in steps for target in step.targets]
    outputs += [
        section.target.output
        for event in events
        if isinstance(event, on.Drafted)
        for section in event.sections
    ]
    yield from (output for output in outputs if not is_output_name(output))


def _add_panel(panels: tuple[str, ...], event: on.Event, panel: str) -> tuple[str, ...]:
    """The panels of a discussion, with one more; a framing begins a new discussion."""
    before = () if isinstance(event, on.Framed) else panels
    return (*before, panel) if panel and panel not in before else before


@cache
def _event_types() -> dict[str, type[on.Event]]:
    return {kind.__name__: kind for kind in get_args(on.Event)}
