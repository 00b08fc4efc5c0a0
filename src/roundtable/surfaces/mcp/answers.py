"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...core.analysis import Analysis
from ...core.commands import Brief
from ...core.elaboration import Awaited
from ...core.synthesis import render_review
from ...core.turns import USER
from ...project import ADD, Project
from .briefs import cut, write_brief, write_context
from .moves import host_text
from .sessions import HostedSession

MAX_LINE_LENGTH, MAX_LINES_LENGTH, MAX_ECHO_LENGTH = 4_000, 12_000, 300
MAX_ITEMS = 50
_MORE_TURNS = 4
_LISTED_FIELDS = ("slug", "title", "analysis_status", "next_step", "discussion", "problem")


def write_answer(hosted: HostedSession, *, can_ask: bool, note: str = "") -> str:
    """Return the lines since the last move that counted, what is new to know, and the move that is open."""
    move, sent = hosted.move, hosted.sent
    if sent.last is not None and sent.last[0] is move:
        body = sent.last[1]
    else:
        body = {"session": hosted.slug}
        if lines := _list_lines(hosted):
            body["lines"] = lines
        if context := write_context(move, hosted.session.analysis, sent):
            body["context"] = context
        body["move"] = write_brief(move, hosted.session.analysis, sent) if move is not None else ""
        sent.last = (move, body) if move is not None else None
    shown = {**body, "move": _describe_move(hosted, body["move"], can_ask=can_ask)}
    return to_json({**shown, "note": note} if note else shown)


def to_json(body: object) -> str:
    """Return JSON text, as short as it can be, with every character as it is."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def report_items(project: Project) -> str:
    """Return all items; the first ones where there are many."""
    found = project.items()
    reports = project.report(found[:MAX_ITEMS])
    body: dict[str, Any] = {"items": [{key: each[key] for key in _LISTED_FIELDS} for each in reports]}
    if len(found) > MAX_ITEMS:
        body["more"] = len(found) - MAX_ITEMS
    if not found:
        body["hint"] = f"There is no item yet. add_item adds one, in the person's words; so does: {ADD}"
    return to_json(body)


def _list_lines(hosted: HostedSession) -> list[dict[str, Any]]:
    """Return what was shown since the last move, the person's own words too, as they were taken."""
    left, rows, sent = MAX_LINES_LENGTH, [], hosted.sent
    analysis = hosted.session.analysis
    talk = analysis.elaboration if analysis is not None else None
    turns = {turn.number: turn for turn in talk.turns} if talk is not None else {}
    for line in hosted.lines:
        if line.turn in turns:
            sent.add_turn(turns[line.turn])
        is_echo = line.speaker == USER and line.turn is None
        text = cut(line.text, min(MAX_ECHO_LENGTH if is_echo else MAX_LINE_LENGTH, max(left, 0)), " (cut)")
        left -= len(text)
        row: dict[str, Any] = {"kind": line.kind, "text": text}
        if line.speaker == USER:
            row["speaker"] = USER
        if line.turn is not None:
            row["turn"] = line.turn
        rows.append(row)
    is_discussing = hosted.move is not None and hosted.move.kind == "discussion"
    if talk is not None and talk.warned and is_discussing and sent.add(("warned", talk.max_turns)):
        limit = talk.max_turns
        more = {"left": limit - len(talk.turns), "limit": limit, "more": limit + _MORE_TURNS}
        rows.append({"kind": "notice", "text": host_text("person", "more", **more)})
    return rows


def show_unseen(analysis: Analysis | None) -> Iterator[str]:
    """Yield all that a host worded and the person has not seen in a form, so that an answer can accept it."""
    if analysis is None:
        return
    for section in analysis.unaccepted if analysis.elaboration is None else ():
        yield f"### {section.target.section} ({section.target.output})\n\n{section.text.strip()}"
    talk = analysis.elaboration
    if talk is None:
        return
    for turn in talk.turns:
        who = host_text("person", "relayed") if turn.speaker == USER else talk.roster[turn.speaker].title
        if turn.relayed:
            yield f"{turn.number}. {who}: {turn.text}"
    for point in talk.parked:
        if point.relayed:
            yield host_text("person", "put-off", subject=point.subject)
    if talk.awaits is Awaited.REVIEW:
        yield render_review(talk.draft, talk.turns, talk.roster)
        if talk.draft.summary:
            yield host_text("person", "summary", summary=talk.draft.summary)


def show_draft(analysis: Analysis | None) -> Iterator[str]:
    """Yield the draft that an empty answer takes, so that nobody takes one unseen."""
    if analysis is not None and analysis.open_draft:
        yield host_text("person", "draft", draft=analysis.open_draft)


def _describe_move(hosted: HostedSession, brief: str, *, can_ask: bool) -> dict[str, Any]:
    move = hosted.move
    if move is None:
        kind = "done" if hosted.lines and hosted.lines[-1].kind == "done" else "paused"
        return {"kind": kind, "brief": host_text("asking", kind), "legal": ["start(item)", "list_items()"]}
    shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
    if move.request is not None and isinstance(turn := move.request.grounds, Brief):
        shown |= {"purpose": turn.purpose, "turn": f"{turn.number} of {turn.table.max_turns}"}
    asking = host_text("asking", "ask" if can_ask else "cannot") if move.request is None else ""
    shown["brief"] = f"{brief} {asking}".strip()
    return {**shown, "limits": move.limits, "legal": move.list_calls(can_ask=can_ask)}
