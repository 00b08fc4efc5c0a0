"""An open discussion, seen from outside: reading about it changes nothing, even while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import RoundtableError
from ...store import files
from ...store.files import JOURNAL_FOLDER, journal_home
from .options import Command, Flags
from .output import command, pairs, put_json, put_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.elaboration import Elaboration
    from ...core.progress import Position
    from ...core.steps import Step
    from ...store.items import ItemEntry
    from ...store.journal import Journal
    from ...store.ledger import Total


_LARGEST = 64 * 1024 * 1024
# The events that every discussion begins with, and ends with.
_BEGUN, _ENDED = b'"ContextRead"', (b'"RecordSaved"', b'"RecordFailed"')


@dataclass(frozen=True, slots=True)
class Discussion:
    """A discussion that was begun and not ended."""

    step_id: str
    turn: int
    max_turns: int


def open_discussion(folder: Path) -> Discussion | None:
    """The discussion that the journals hold; None where there is none, or none that can be read."""
    try:
        is_open = any(_may_be_open(_data(path)) for path in journal_home(folder).glob("*.jsonl"))
    except (OSError, RoundtableError):
        return None
    if not is_open:
        return None
    from ...store.journal import list_journals  # late: it brings the whole machine along

    for journal in list_journals(folder):
        elaboration = _elaboration(journal)
        if elaboration is not None:
            turns = len(elaboration.turns)
            return Discussion(elaboration.step.step_id, turns, elaboration.max_turns)
    return None


def _may_be_open(data: bytes) -> bool:
    """False where a glance at the journal shows that no discussion is open in it."""
    return data.rfind(_BEGUN) > max(data.rfind(event) for event in _ENDED)


def _data(path: Path) -> bytes:
    return files.read(path, limit=_LARGEST, follow_link=False)


def _elaboration(journal: Journal) -> Elaboration | None:
    from tempfile import TemporaryDirectory

    from ...core.analysis import Analysis
    from ...core.events import Failed

    # Reading mends a journal or sets it aside, which is not for an onlooker to do: a copy is read.
    try:
        with TemporaryDirectory(prefix="roundtable-") as copy:
            home = Path(copy) / JOURNAL_FOLDER
            home.mkdir()
            (home / journal.path.name).write_bytes(_data(journal.path))
            recorded = type(journal)(Path(copy), journal.name).read()
        if recorded is None:
            return None
        analysis, _ = Analysis.begin(recorded.opening)
        for event in recorded.events:
            if not isinstance(event, Failed):
                analysis, _ = analysis.receive(event)
    except (OSError, RoundtableError):
        return None
    return analysis.elaboration


@click.command(cls=Command)
@click.argument("item", required=False)
@click.pass_obj
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    from ...catalogue import load_steps
    from ...git import current_commit
    from ...store.items import find_item, list_items

    settings = flags.settings()
    entries = list_items(settings.root, items_folder=settings.items_folder)
    if item is not None:
        folder = find_item(settings.root, item, items_folder=settings.items_folder)
        entries = tuple(entry for entry in entries if entry.folder == folder)
    steps, commit = load_steps(settings.root), current_commit(settings.root)
    reports = [report(entry, steps, commit) for entry in entries]
    if flags.json:
        put_json(reports[0] if item is not None and reports else reports, indent=2)
    elif reports:
        put_text("\n\n".join(_for_people(each, steps) for each in reports))
    else:
        put_text('No items yet. Add one with: roundtable add "what it is about"')


def report(entry: ItemEntry, steps: Sequence[Step], commit: str | None) -> dict[str, Any]:
    """All that can be said of an item's progress, for a program."""
    from ...store.meta import is_stale, start_phase

    meta = entry.meta or {}
    start = start_phase(meta)
    where = None if entry.problem else _position(entry.folder, meta, steps)
    discussion = open_discussion(entry.folder)
    return {
        "slug": entry.slug,
        "title": entry.title,
        "folder": str(entry.folder),
        "source": _text(meta.get("source")) or "manual",
        "source_id": _text(meta.get("source_id")),
        "analysis_status": None if entry.problem else _text(meta.get("analysis_status")) or "raw",
        "phases_completed": _texts(meta.get("phases_completed")),
        "steps_completed": _texts(meta.get("steps_completed")),
        "next_step": where.step.step_id if where is not None and where.step is not None else None,
        "start_phase": {
            "completed": list(start.completed),
            "next": start.next,
            "remaining": list(start.remaining),
            "warnings": [*start.warnings, *(where.warnings if where is not None else ())],
        },
        "elaborations": len(meta.get("elaborations", [])),
        "stale": is_stale(meta.get("codebase_hash"), commit),
        "discussion": None
        if discussion is None
        else {"step": discussion.step_id, "turn": discussion.turn, "max_turns": discussion.max_turns},
        "spent": _spent(entry.folder),
        "problem": entry.problem,
    }


def _spent(folder: Path) -> dict[str, Any] | None:
    """What models have used for an item, in all and for each discussion; None where none was asked."""
    from ...store import ledger

    entries = ledger.read(folder)
    if not entries:
        return None
    numbers = sorted({entry.discussion for entry in entries if entry.discussion is not None})
    talks = [[entry for entry in entries if entry.discussion == number] for number in numbers]
    each = [
        {"number": number, "step": calls[0].step, **_figures(ledger.add_up(calls))}
        for number, calls in zip(numbers, talks, strict=True)
    ]
    return {**_figures(ledger.add_up(entries)), "elaborations": each}


def _figures(total: Total) -> dict[str, Any]:
    return {
        "calls": total.calls,
        "input_tokens": total.input,
        "output_tokens": total.output,
        "cached_tokens": total.cached,
        "estimated": not total.whole,
        "money": str(total.money) if total.priced else None,
    }


def _position(folder: Path, meta: dict[str, Any], steps: Sequence[Step]) -> Position | None:
    """Where the analysis goes on; none when all is done."""
    from ...core.progress import find_position
    from ...store.progress import facts_of, progress_of

    return find_position(steps, progress_of(meta), facts_of(folder, meta))


def _for_people(found: dict[str, Any], steps: Sequence[Step]) -> str:
    head = f"{found['slug']}: {found['title']}"
    rows = [("status", _progress(found, steps)), ("next", _next(found, steps))]
    if found["source_id"]:
        rows.append(("source", f"{found['source']} {found['source_id']}"))
    if talk := found["discussion"]:
        rows.append(
            ("discussion", f"open on step {talk['step']}, turn {talk['turn']} of {talk['max_turns']}")
        )
    if found["stale"]:
        rows.append(("code", "has moved on since the last phase was completed"))
    if found["spent"]:
        rows.append(("spent", _told(found["spent"])))
    rows.extend(("warning", warning) for warning in found["start_phase"]["warnings"])
    if found["problem"]:
        rows.append(("problem", found["problem"]))
    return f"{head}\n{pairs(rows)}"


def _told(spent: dict[str, Any]) -> str:
    from decimal import Decimal

    from ...store.ledger import Total, describe_total

    money = spent["money"]
    return describe_total(
        Total(
            spent["calls"], spent["input_tokens"], spent["output_tokens"], spent["cached_tokens"],
            Decimal(money or 0), money is not None, not spent["estimated"],
        )
    )  # fmt: skip


def _progress(found: dict[str, Any], steps: Sequence[Step]) -> str:
    if found["problem"]:
        return "corrupt"
    phases = len(found["start_phase"]["completed"])
    done = sum(step.step_id in found["steps_completed"] for step in steps)
    talks = found["elaborations"]
    return (
        f"{found['analysis_status']}: {phases} of 5 phases, {done} of {len(steps)} steps, "
        f"{talks} {'elaboration' if talks == 1 else 'elaborations'}"
    )


def _next(found: dict[str, Any], steps: Sequence[Step]) -> str:
    """What comes next, and the command for it."""
    again = command("analyze", found["slug"])
    if found["problem"]:
        return f"repair meta.json, or begin anew and keep it aside: {again} --start-over"
    step = next((step for step in steps if step.step_id == found["next_step"]), None)
    if step is not None:
        phase = f" ({step.phase.name})" if step.phase else ""
        return f"step {step.step_id}, {step.title}{phase}: {again}"
    if found["start_phase"]["next"]:
        return f"the menu of phase {found['start_phase']['next'][:2]}: {again}"
    return f"nothing, all phases are complete: {command('show', found['slug'])}"


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
