"""`status`: how far each item has come, what comes next, and what is wrong.

Looking at an open discussion changes nothing, even while it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...catalogue import load_steps
from ...core.errors import RoundtableError
from ...core.progress import find_position
from ...core.steps import Step
from ...git import current_commit
from ...store import files, ledger
from ...store.files import JOURNAL_FOLDER, journal_home
from ...store.items import ItemEntry, list_items
from ...store.meta import is_stale, start_phase
from ...store.progress import facts_of, progress_of
from .options import Command, Flags
from .output import NO_ITEMS, command, count, pairs

if TYPE_CHECKING:
    from ...core.elaboration import Elaboration
    from ...store.journal import Journal

_MAX_JOURNAL = 64 * 1024 * 1024
# The events that every discussion begins with, and ends with.
_BEGINNING, _ENDS = b'"ContextRead"', (b'"RecordSaved"', b'"RecordFailed"')


@click.command(cls=Command)
@click.argument("item", required=False)
@click.pass_obj
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    settings, folder = flags.find_item(item) if item is not None else (flags.settings(), None)
    steps, commit = load_steps(settings.root), current_commit(settings.root)
    entries = list_items(settings.root, items_folder=settings.items_folder)
    reports = [report(entry, steps, commit) for entry in entries if folder in (None, entry.folder)]
    texts = [_describe(each, steps) for each in reports]
    flags.show_result(
        reports[0] if folder is not None and reports else reports, "\n\n".join(texts) or NO_ITEMS
    )


def report(entry: ItemEntry, steps: Sequence[Step], commit: str | None) -> dict[str, Any]:
    """Return all that can be said of an item's progress, for a program."""
    meta = entry.meta or {}
    start = start_phase(meta)
    progress = progress_of(meta)
    where = None if entry.problem else find_position(steps, progress, facts_of(entry.folder, meta))
    discussion = _open_discussion(entry.folder)
    return {
        "slug": entry.slug,
        "title": entry.title,
        "folder": str(entry.folder),
        "source": _text(meta.get("source")) or "manual",
        "source_id": _text(meta.get("source_id")),
        "analysis_status": None if entry.problem else _text(meta.get("analysis_status")) or "raw",
        "phases_completed": list(progress.phases_completed),
        "steps_completed": list(progress.steps_completed),
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
        else {
            "step": discussion.step.step_id,
            "turn": len(discussion.turns),
            "max_turns": discussion.max_turns,
        },
        "spent": _sum_costs(entry.folder),
        "problem": entry.problem,
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _open_discussion(folder: Path) -> Elaboration | None:
    """Return the discussion that was begun and not ended; None if there is none that can be read."""
    try:
        data = [_read_journal(path) for path in journal_home(folder).glob("*.jsonl")]
        # A glance at the events saves the time to load and replay the machine.
        if not any(each.rfind(_BEGINNING) > max(map(each.rfind, _ENDS)) for each in data):
            return None
    except (OSError, RoundtableError):
        return None
    from ...store.journal import list_journals  # late: it brings the whole machine along

    return next(filter(None, map(_replay_copy, list_journals(folder))), None)


def _replay_copy(journal: Journal) -> Elaboration | None:
    """Return the discussion of a journal, read from a copy: reading may repair a journal or set it aside."""
    from tempfile import TemporaryDirectory

    from ...core.analysis import Analysis
    from ...core.events import Failed

    try:
        with TemporaryDirectory(prefix="roundtable-") as copy:
            home = Path(copy) / JOURNAL_FOLDER
            home.mkdir()
            (home / journal.path.name).write_bytes(_read_journal(journal.path))
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


def _read_journal(path: Path) -> bytes:
    return files.read(path, limit=_MAX_JOURNAL, follow_link=False)


def _sum_costs(folder: Path) -> dict[str, Any] | None:
    """Return what models have used for an item, in all and for each discussion; None if none was asked."""
    entries = ledger.read(folder)
    if not entries:
        return None
    talks: dict[int, list[ledger.LedgerEntry]] = {}
    for entry in entries:
        if entry.discussion is not None:
            talks.setdefault(entry.discussion, []).append(entry)
    each = [
        {"number": number, "step": calls[0].step, **_figures(ledger.add_up(calls))}
        for number, calls in sorted(talks.items())
    ]
    return {**_figures(ledger.add_up(entries)), "elaborations": each}


def _figures(total: ledger.Total) -> dict[str, Any]:
    return {
        "calls": total.calls,
        "input_tokens": total.input,
        "output_tokens": total.output,
        "cached_tokens": total.cached,
        "estimated": not total.whole,
        "money": str(total.money) if total.priced else None,
    }


def _describe(found: dict[str, Any], steps: Sequence[Step]) -> str:
    """Return a report as text for a person."""
    rows = [("status", _summarise(found, steps)), ("next", _say_next(found, steps))]
    if found["source_id"]:
        rows.append(("source", f"{found['source']} {found['source_id']}"))
    if talk := found["discussion"]:
        rows.append(
            ("discussion", f"open on step {talk['step']}, turn {talk['turn']} of {talk['max_turns']}")
        )
    if found["stale"]:
        rows.append(("code", "has moved on since the last phase was completed"))
    if found["spent"]:
        rows.append(("spent", ledger.describe_total(ledger.add_up(ledger.read(Path(found["folder"]))))))
    rows.extend(("warning", warning) for warning in found["start_phase"]["warnings"])
    if found["problem"]:
        rows.append(("problem", found["problem"]))
    return f"{found['slug']}: {found['title']}\n{pairs(rows)}"


def _summarise(found: dict[str, Any], steps: Sequence[Step]) -> str:
    if found["problem"]:
        return "corrupt"
    phases = len(found["start_phase"]["completed"])
    done = sum(step.step_id in found["steps_completed"] for step in steps)
    return (
        f"{found['analysis_status']}: {phases} of 5 phases, {done} of {len(steps)} steps, "
        f"{count(found['elaborations'], 'elaboration')}"
    )


def _say_next(found: dict[str, Any], steps: Sequence[Step]) -> str:
    """Return what comes next, and the command for it."""
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
