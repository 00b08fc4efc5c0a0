"""Reviewing a synthesis before it is written: entries are struck or reworded, one line at a time."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from ...core.commands import Table
from ...core.errors import PanelFailed
from ...core.synthesis import Draft, Entry, attribution, decision_turns, join_lines

HOW = "Enter writes these. A number strikes an entry, a number and words reword it, `all` brings all back."
_CHANGE = re.compile(
    r"(?:strike\s+)?-?(?P<number>\d{1,4})\s*[:.]?(?:\s+(?P<words>\S.*))?", re.DOTALL | re.IGNORECASE
)
_HEADS = {
    "insights": "Key Insights",
    "decisions": "Decisions Made",
    "questions": "Open Questions",
    "actions": "Action Items",
}


@dataclass(slots=True)
class _ReviewedEntry:
    """An entry under review, with the number that it keeps."""

    number: int
    part: str
    entry: Entry
    original: Entry
    struck: bool = False


async def review(
    draft: Draft, table: Table, show: Callable[[str], None], ask: Callable[[], Awaitable[str | None]]
) -> Draft:
    """Return the draft as the user wants it; raise PanelFailed where the user leaves before it is done."""
    found = [(part, entry) for part in _HEADS for entry in getattr(draft, part)]
    rows = [_ReviewedEntry(number, part, entry, entry) for number, (part, entry) in enumerate(found, 1)]
    while rows:
        show(_list_entries(rows, table))
        show(HOW)
        words = await ask()
        if words is None:
            raise PanelFailed("The review was left before it was done, so nothing was written.")
        if not words.strip():
            break
        if problem := _change_entry(rows, words.strip(), table):
            show(problem)
    insights, decisions, questions, actions = (
        tuple(row.entry for row in rows if row.part == part and not row.struck) for part in _HEADS
    )
    return replace(draft, insights=insights, decisions=decisions, questions=questions, actions=actions)


def _change_entry(rows: list[_ReviewedEntry], words: str, table: Table) -> str:
    """Do what the user asked for; return what is wrong with it, if anything is."""
    if words.lower() == "all":
        for row in rows:
            row.struck, row.entry = False, row.original
        return ""
    change = _CHANGE.fullmatch(words)
    if change is None or not 1 <= int(change["number"]) <= len(rows):
        return f"Please begin with a number from 1 to {len(rows)}, or press Enter to write them."
    row = rows[int(change["number"]) - 1]
    if change["words"]:
        row.entry, row.struck = Entry(join_lines(change["words"]), row.entry.turns), False
        return ""
    turns = [str(turn) for turn in row.entry.turns if turn in decision_turns(table.turns)]
    if row.part == "decisions" and turns:
        return f"It was decided in turn {', '.join(turns)}, so it stays; it can be reworded."
    row.struck = not row.struck
    return ""


def _list_entries(rows: list[_ReviewedEntry], table: Table) -> str:
    lines, head = [], ""
    for row in rows:
        if _HEADS[row.part] != head:
            head = _HEADS[row.part]
            lines.append(head)
        who = attribution(row.entry.turns, table.turns, table.roster)
        detail = f": {row.entry.detail}" if row.entry.detail else ""
        struck = "(struck) " if row.struck else ""
        lines.append(f"  {row.number}. {struck}[{who}] {row.entry.text}{detail}")
    return "\n".join(lines)
