"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from ...core.turns import USER
from ...panel.host import write_turn
from .sessions import HostedSession, host_text

_MAX_TEXT_LENGTH = 4_000  # of a line


def to_json(body: object) -> str:
    """Return JSON text, as short as it can be, with every character as it is."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def write_answer(hosted: HostedSession, *, can_ask: bool) -> str:
    """Return the lines since the last move that counted, what is new to know, and the move that is open."""
    move, sent = hosted.move, hosted.sent
    if sent.last is not None and sent.last[0] is move and sent.last[1] == can_ask:
        return sent.last[2]
    answer: dict[str, Any] = {"session": hosted.slug, "lines": list(_list_lines(hosted))}
    if move is None:
        is_done = bool(hosted.lines) and hosted.lines[-1].kind == "done"
        answer["move"] = describe_end(hosted.slug, "done" if is_done else "paused")
    else:
        shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
        if (request := move.request) is not None:
            told = request.conversation  # no text of others has an empty line in it
            parts = (*told.system.split("\n\n"), *told.turns)
            answer["context"] = "\n\n".join(part for part in parts if sent.is_new(part))
            brief = told.brief.strip()
            if request.words:
                shown["limits"] = f"about {request.words} words, at most {request.most}"
            if (turn := request.brief) is not None:
                shown |= {"purpose": turn.purpose, "turn": f"{turn.number} of {turn.table.max_turns}"}
        else:
            brief = host_text("asking", "ask" if can_ask else "cannot")
            if sent.is_new(f"user {move.kind}"):
                brief = f"{host_text('user', move.kind)} {brief}"
        answer["move"] = shown | {"brief": brief, "legal": move.list_calls(can_ask=can_ask)}
    text = to_json({key: value for key, value in answer.items() if value})
    sent.last = (move, can_ask, text)
    return text


def describe_end(item: str, kind: Literal["done", "paused"]) -> dict[str, Any]:
    """Return what stands in place of a move where none is open."""
    names = ["hand_off", "start"] if kind == "done" else ["start"]
    calls = [*(f'{name}(item="{item}")' for name in names), "list_items()"]
    return {"kind": kind, "brief": host_text("asking", kind), "legal": calls}


def _list_lines(hosted: HostedSession) -> Iterator[dict[str, Any]]:
    """Yield what was shown since the last move, the person's own words too, as they were taken."""
    talk = hosted.session.analysis.elaboration if hosted.session.analysis is not None else None
    for line in hosted.lines:
        speaker = {"speaker": USER} if line.speaker == USER else {}
        number = {"turn": line.turn} if line.turn is not None else {}
        if talk is not None and line.turn:
            hosted.sent.add(write_turn(talk.turns[line.turn - 1], talk.roster))
        text = line.text if len(line.text) <= _MAX_TEXT_LENGTH else f"{line.text[:_MAX_TEXT_LENGTH]} ..."
        yield {"kind": line.kind, "text": text, **speaker, **number}
