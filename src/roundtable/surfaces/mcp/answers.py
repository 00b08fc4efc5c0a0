"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move."""

from __future__ import annotations

import json
from typing import Any

from ...core.lines import Line
from ...core.turns import USER
from ...project import Project
from ...settings import Settings
from . import briefs, moves
from .briefs import Told, cut
from .moves import DONE, PAUSED, Move
from .table import Table

LONGEST_LINE, LONGEST_LINES, LONGEST_ECHO = 4_000, 12_000, 300
MORE_TURNS = 4
_CUT = " (cut)"


class Reader:
    """A host as the reader of a table's answers: what it knows is not sent again, unless it asks for it."""

    def __init__(self) -> None:
        self._told = Told()
        self._last: tuple[Move, dict[str, Any]] | None = None

    def answer(self, table: Table, *, can_ask: bool, note: str = "") -> str:
        """The lines since the last move that counted, what is new to know, and the move that is open."""
        move = table.move
        if self._last is not None and self._last[0] is move:
            body = self._last[1]
        else:
            body = self._body(table)
            self._last = (move, body) if move is not None else None
        shown = {**body, "move": _move(table, body["move"], can_ask=can_ask)}
        return as_json({**shown, "note": note} if note else shown)

    def _body(self, table: Table) -> dict[str, Any]:
        body: dict[str, Any] = {"session": table.slug}
        analysis = table.session.analysis
        if lines := [*_lines(table, self._told), *_more_turns(table, self._told)]:
            body["lines"] = lines
        if context := briefs.context(table.move, analysis, self._told):
            body["context"] = context
        body["move"] = briefs.brief(table.move, analysis, self._told) if table.move is not None else ""
        return body


def as_json(body: object) -> str:
    """JSON text, as short as it can be, with every character as it is."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _move(table: Table, brief: str, *, can_ask: bool) -> dict[str, Any]:
    move = table.move
    if move is None:
        kind = DONE if table.lines and table.lines[-1].kind == DONE else PAUSED
        return {"kind": kind, "brief": moves.text("asking", kind), "legal": ["start(item)", "list_items()"]}
    shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
    if move.brief is not None:
        shown["purpose"] = move.brief.purpose
        shown["turn"] = f"{move.brief.number} of {move.brief.table.max_turns}"
    asking = moves.text("asking", "ask" if can_ask else "cannot") if move.request is None else ""
    shown["brief"] = f"{brief} {asking}".strip()
    shown["limits"] = move.limits
    shown["legal"] = move.legal(can_ask=can_ask)
    return shown


def _lines(table: Table, told: Told) -> list[dict[str, Any]]:
    """What was shown since the last move; the person's words only where the host does not have them."""
    left, shown, whole = LONGEST_LINES, [], told.nothing
    analysis = table.session.analysis
    talk = analysis.elaboration if analysis is not None else None
    turns = {turn.number: turn for turn in talk.turns} if talk is not None else {}
    for line in table.lines:
        if line.turn in turns:
            told.turn(turns[line.turn])
        if not whole and table.came_from_host(line):
            continue
        text = cut(line.text, min(_longest(line), max(left, 0)), _CUT)
        left -= len(text)
        entry: dict[str, Any] = {"kind": line.kind, "text": text}
        if line.speaker == USER:
            entry["speaker"] = USER
        if line.turn is not None:
            entry["turn"] = line.turn
        shown.append(entry)
    return shown


def _more_turns(table: Table, told: Told) -> list[dict[str, Any]]:
    """After the warning the person is told, once, how to get more turns."""
    analysis = table.session.analysis
    talk = analysis.elaboration if analysis is not None else None
    if talk is None or not talk.warned or table.move is None or table.move.kind != "discussion":
        return []
    if not told.first(("warned", talk.max_turns)):
        return []
    left, limit = talk.max_turns - len(talk.turns), talk.max_turns
    text = moves.text("person", "more", left=left, limit=limit, more=limit + MORE_TURNS)
    return [{"kind": "notice", "text": text}]


def _longest(line: Line) -> int:
    return LONGEST_ECHO if line.speaker == USER and line.turn is None else LONGEST_LINE


MOST_ITEMS = 50
_BRIEFLY = ("slug", "title", "analysis_status", "next_step", "discussion", "problem")


def report_items(settings: Settings) -> str:
    """All items, the first ones where there are many."""
    project = Project(settings.root, items_folder=settings.items_folder)
    found = project.items()
    shown = project.report(found[:MOST_ITEMS])
    body: dict[str, Any] = {"items": [{key: each[key] for key in _BRIEFLY} for each in shown]}
    if len(found) > MOST_ITEMS:
        body["more"] = len(found) - MOST_ITEMS
    if not found:
        body["hint"] = 'There is no item yet. The person adds one with: roundtable add "what it is about"'
    return as_json(body)


def report_item(settings: Settings, name: str) -> str:
    """One item; ItemUnknown where there is none of that name."""
    return as_json(Project(settings.root, items_folder=settings.items_folder).status(name))
