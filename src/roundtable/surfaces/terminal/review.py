"""Reviewing a synthesis before it is written: entries are struck or reworded, one line at a time."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from ...core.commands import Table
from ...core.errors import PanelFailed
from ...core.synthesis import Draft, Entry, attribution, decision_turns, join_lines

Show = Callable[[str], None]
Ask = Callable[[], Awaitable[str | None]]

HOW = "Enter writes these. A number strikes an entry, a number and words reword it, `all` brings all back."
_CHANGE = re.compile(
    r"(?:strike\s+)?-?(?P<number>\d{1,4})\s*[:.]?(?:\s+(?P<words>\S.*))?", re.DOTALL | re.IGNORECASE
)
_PARTS = ("insights", "decisions", "questions", "actions")
_HEADS = ("Key Insights", "Decisions Made", "Open Questions", "Action Items")


@dataclass(slots=True)
class _Numbered:
    """An entry under review, with the number that it keeps."""

    part: str
    entry: Entry
    original: Entry
    struck: bool = False


async def review(draft: Draft, table: Table, show: Show, ask: Ask) -> Draft:
    """The draft as the user wants it; PanelFailed where the user leaves before it is done."""
    rows = [_Numbered(part, entry, entry) for part in _PARTS for entry in getattr(draft, part)]
    while rows:
        show(_listed(rows, table))
        show(HOW)
        words = await ask()
        if words is None:
            raise PanelFailed("The review was left before it was done, so nothing was written.")
        if not words.strip():
            break
        if problem := _change(rows, words.strip(), table):
            show(problem)
    kept = [tuple(row.entry for row in rows if row.part == part and not row.struck) for part in _PARTS]
    insights, decisions, questions, actions = kept
    return replace(draft, insights=insights, decisions=decisions, questions=questions, actions=actions)


def _change(rows: list[_Numbered], words: str, table: Table) -> str:
    """Do what was asked for; what is wrong with it, where something is."""
    if words.lower() == "all":
        for row in rows:
            row.struck, row.entry = False, row.original
        return ""
    change = _CHANGE.fullmatch(words)
    number = int(change["number"]) if change else 0
    if change is None or not 1 <= number <= len(rows):
        return f"Please begin with a number from 1 to {len(rows)}, or press Enter to write them."
    row = rows[number - 1]
    if change["words"]:
        row.entry, row.struck = Entry(join_lines(change["words"]), row.entry.turns), False
    elif row.part == "decisions" and (
        turns := [turn for turn in row.entry.turns if turn in decision_turns(table.turns)]
    ):
        said = ", ".join(str(turn) for turn in turns)
        return f"It was decided in turn {said}, so it stays; it can be reworded."
    else:
        row.struck = not row.struck
    return ""


def _listed(rows: list[_Numbered], table: Table) -> str:
    parts = []
    for part, head in zip(_PARTS, _HEADS, strict=True):
        lines = [f"{number}. {_text(row, table)}" for number, row in enumerate(rows, 1) if row.part == part]
        if lines:
            parts.append("\n".join([head, *(f"  {line}" for line in lines)]))
    return "\n".join(parts)


def _text(row: _Numbered, table: Table) -> str:
    entry = row.entry
    detail = f": {entry.detail}" if entry.detail else ""
    who = attribution(entry.turns, table.turns, table.roster)
    return f"{'(struck) ' if row.struck else ''}[{who}] {entry.text}{detail}"
