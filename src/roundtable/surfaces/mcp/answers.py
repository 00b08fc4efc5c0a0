"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move.

The context is what the host needs and has not been sent yet; a move comes with its brief, which says what is
to be done in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, assert_never

from ...core.analysis import Analysis
from ...core.commands import AskFeedback, AskFollowUp, AskReading, AskSynthesis, Brief, Table
from ...core.elaboration import Awaited
from ...core.hearing import address
from ...core.personas import Persona, Roster
from ...core.synthesis import decision_turns, join_lines, render_review, shorten_text
from ...core.turns import USER, Known, Material, Turn
from ...panel.host import HostRequest
from ...project import ADD, Project
from .sessions import AlreadySent, HostedSession, OpenMove, host_text

MAX_LINE_LENGTH, MAX_LINES_LENGTH, MAX_ECHO_LENGTH = 4_000, 12_000, 300
MAX_ITEM_LENGTH, MAX_DOCUMENTS_LENGTH, MAX_KNOWN_LENGTH, MAX_QUOTE_LENGTH = 4_000, 24_000, 12_000, 700
_OPENING_LENGTH = 100
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


# --- the brief of a move -------------------------------------------------------------------------------


def write_brief(move: OpenMove, analysis: Analysis | None, sent: AlreadySent) -> str:
    """Return what is to be done in the move."""
    request = move.request
    if request is None:
        return host_text("user", move.kind) if sent.add(("user", move.kind)) else ""
    parts = [_write_card(request.speaker, analysis, sent)] if request.speaker is not None else []
    parts.append(_write_task(request, sent))
    if request.again:
        parts.append(host_text("asking", "again", reasons=" ".join(request.again)))
    return "\n".join(part for part in parts if part)


def write_context(move: OpenMove | None, analysis: Analysis | None, sent: AlreadySent) -> str:
    """Return what the host has to know for the move and has not been sent yet; empty for nothing."""
    if analysis is None:
        return ""
    opening, talk, parts = analysis.opening, analysis.elaboration, []
    if sent.add(("item", opening.item)):
        text = cut(opening.item.text, MAX_ITEM_LENGTH)
        parts.append(host_text("context", "item", name=opening.item.name, text=text))
    grounds = move.request.grounds if move is not None and move.request is not None else None
    if talk is not None:
        parts += _write_discussion(talk.table, sent)
    elif isinstance(grounds, AskReading):
        parts += [*_write_documents(grounds.material, sent), *_write_known(grounds.brief.known, sent)]
    elif (step := opening.step) is not None and sent.add(("step", step.step_id)):
        persona = opening.conductor
        parts.append(
            host_text(
                "context", "step", step_id=step.step_id, title=step.title, depth=analysis.depth,
                name=persona.title, key=persona.key,
            )
        )  # fmt: skip
    return "\n\n".join(parts)


def cut(text: str, length: int, rest: str = "") -> str:
    """Return the text up to a length, and where the rest is."""
    return text if len(text) <= length else f"{shorten_text(text, length)}{rest}"


# --- the context ----------------------------------------------------------------------------------------


def _write_card(persona: Persona, analysis: Analysis | None, sent: AlreadySent) -> str:
    """Return the persona's own card once, and afterwards a reminder that it still holds."""
    if not sent.add(("card", persona)):
        return host_text("card", "known", name=persona.name)
    roster = analysis.opening.roster if analysis is not None else Roster((persona,))
    head = host_text(
        "card", "head", name=persona.name, role=persona.role, lens=", ".join(persona.lens),
        identity=join_lines(persona.identity),
    )  # fmt: skip
    lists: dict[str, Iterable[str]] = {
        "principles": persona.principles,
        "patterns": persona.patterns,
        "towards": [text for key, text in persona.towards if key in roster],
        "bans": dict.fromkeys(ban.reason for ban in persona.bans),
    }
    rows = [
        host_text("card", name, all=" / ".join(map(join_lines, each))) for name, each in lists.items() if each
    ]
    return "\n".join([head, *rows, host_text("card", "turns")])


def _write_discussion(table: Table, sent: AlreadySent) -> list[str]:
    """Return the table, its documents, and the turns that were not sent when they were taken."""
    parts = []
    if sent.add(("table", table.step.step_id, table.material)):
        personas = ", ".join(f"{persona.title}, key {persona.key}" for persona in table.roster.personas)
        seats = host_text(
            "context", "table", step_id=table.step.step_id, title=table.step.title, personas=personas,
            lead=table.lead.name, limit=table.max_turns,
        )  # fmt: skip
        # The step's own come first to the budget, and last in the order (TABLE-1).
        own = _write_documents(table.material, sent)
        room = MAX_DOCUMENTS_LENGTH - sum(map(len, own))
        others = _write_documents(table.documents, sent, room)
        parts += [seats, *others, *own, *_write_known(table.known, sent)]
    missing = [turn for turn in table.turns if sent.add_turn(turn)]
    if missing:
        said = "\n".join(f"{turn.number}. {_name(turn, table.roster)}: {turn.text}" for turn in missing)
        parts.append(host_text("context", "said", turns=said))
        parts.append(host_text("context", "focus", focus=table.focus_question))
    return parts


def _write_documents(
    material: Iterable[Material], sent: AlreadySent, room: int = MAX_DOCUMENTS_LENGTH
) -> list[str]:
    """Return the documents that were not sent yet; the oldest give way, and what is left out is named."""
    parts: list[str] = []
    left_out: list[str] = []
    for each in reversed(tuple(material)):
        if each.text.strip() and sent.add(each):
            if room <= 0:
                left_out.insert(0, each.name)
                continue
            text = cut(each.text.strip(), room, f" (the rest: resource artifact/{each.name})")
            room -= len(text)
            parts.insert(0, host_text("context", "document", name=each.name, text=text))
    return [host_text("context", "left-out", names=", ".join(left_out)), *parts] if left_out else parts


def _write_known(known: Known, sent: AlreadySent) -> list[str]:
    """Return what was decided, is open and was put off, what bears on it elsewhere, and the code."""
    kinds = (("related", known.related), ("page", known.pages), ("excerpt", known.excerpts))
    parts = [
        host_text("context", kind, name=each.name, text=cut(each.text, MAX_KNOWN_LENGTH))
        for kind, pages in kinds
        for each in pages
        if sent.add(each)
    ]
    if known.corrections and sent.add(known.corrections):
        parts.append(host_text("context", "corrections", text="\n".join(known.corrections)))
    if sent.add("tools"):
        parts.append(host_text("context", "tools"))
    return parts


# --- the task -------------------------------------------------------------------------------------------


def _write_task(request: HostRequest, sent: AlreadySent) -> str:
    grounds, name = request.grounds, request.speaker.name if request.speaker else ""
    match grounds:
        case Brief(purpose="tradeoff"):
            return _write_tradeoff(grounds)
        case Brief(table, speaker):
            task = host_text(
                "speaker", grounds.purpose, name=name, first=speaker.first_name, title=table.step.title,
                focus=table.focus_question, topic=table.focus_topic, answers=grounds.answers,
                lens=", ".join(speaker.lens),
            )  # fmt: skip
            return " ".join(filter(None, (task, _describe_place(grounds), _ask_to_judge(grounds, sent))))
        case AskSynthesis(table):
            return _write_synthesis(table)
        case AskFollowUp():
            return host_text(
                "speaker", "follow-up", name=name, question=grounds.question.text,
                said=_quote(grounds.answer), criterion=grounds.criterion.follow_up,
            )  # fmt: skip
        case AskFeedback():
            title = grounds.brief.step.title
            if grounds.aside:
                return host_text("speaker", "aside", name=name, said=_quote(grounds.words))
            return host_text("speaker", "feedback", name=name, title=title, said=_quote(grounds.words))
        case AskReading():
            return host_text("speaker", "reading", name=name, title=grounds.brief.step.title)
        case other:
            assert_never(other)


def _describe_place(brief: Brief) -> str:
    """Say how much room is left, once it is short."""
    left = brief.table.max_turns - brief.number
    is_short = brief.purpose != "framing" and len(brief.table.turns) >= brief.table.max_turns - 2
    return host_text("speaker", "place", left=left) if is_short else ""


def _ask_to_judge(brief: Brief, sent: AlreadySent) -> str:
    """Ask whoever speaks right after the user to judge that turn; in full once, then in a few words."""
    table = brief.table
    if not brief.follows_user:
        return ""
    if table.insists:
        return host_text("speaker", "insists")
    number = table.turns[-1].number
    text = host_text(
        "speaker", "judge" if sent.add(("judge", table.focus_question)) else "judge-again", number=number
    )
    if table.suspected is not None:
        text += " " + host_text("speaker", "suspected", subject=table.suspected.subject)
    is_open = brief.speaker == table.lead and address(table.turns[-1].text, table.roster).kind == "open"
    return f"{text} {host_text('speaker', 'redirect', topic=table.focus_topic)}" if is_open else text


def _write_tradeoff(ask: Brief) -> str:
    """Quote both sides in their own words: whoever weighs them adds nothing to either.

    The contradictions between personas since the user spoke or the lead went on are weighed, else the last.
    """
    table = ask.table
    pairs = [
        (one, other)
        for one, other in _contradictions(table.turns)
        if USER not in (one.speaker, other.speaker) and one.speaker != other.speaker
    ]
    opposing = {one.number for one, _ in pairs}
    rests = (turn.number for turn in reversed(table.turns) if turn.speaker in (USER, table.lead.key))
    since = next((number for number in rests if number not in opposing), 0)
    pairs = [pair for pair in pairs if pair[0].number > since] or pairs[-1:]
    parts = [
        host_text(
            "speaker", "against", which=_describe_pair(one, other, table.roster), first=other.number,
            first_said=_quote(other.text), second=one.number, second_said=_quote(one.text),
        )
        for one, other in pairs
    ]  # fmt: skip
    parts.append(host_text("speaker", "tradeoff", name=ask.speaker.name))
    if any(ask.speaker.key in (one.speaker, other.speaker) for one, other in pairs):
        parts.append(host_text("speaker", "party"))
    return "\n".join(parts)


def _write_synthesis(table: Table) -> str:
    turns, roster = table.turns, table.roster
    marked = decision_turns(turns)
    known = [host_text("judgement", "decided" if marked else "undecided", turns=", ".join(map(str, marked)))]
    drifts = [
        f"{turn.number} ({join_lines(turn.verdict.off_topic.subject)})"
        for turn in turns
        if turn.verdict.off_topic
    ]
    if drifts:
        known.append(host_text("judgement", "put-off", turns=", ".join(drifts)))
    settled = max(marked, default=0)
    pairs = [
        _describe_pair(one, other, roster) + ("" if one.number <= settled else host_text("judgement", "open"))
        for one, other in _contradictions(turns)
    ]
    if pairs:
        known.append(host_text("judgement", "contradictions", pairs="; ".join(pairs)))
    said = "\n".join(
        f"{turn.number}. {_name(turn, roster)}: {shorten_text(join_lines(turn.text), _OPENING_LENGTH)}"
        for turn in turns
    )
    return host_text("judgement", "synthesis", known=" ".join(known), turns=said)


def _contradictions(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Return each turn that contradicts another, and that other."""
    for turn in turns:
        if turn.verdict.opposes is not None:
            yield turn, turns[turn.verdict.opposes - 1]


def _describe_pair(one: Turn, other: Turn, roster: Roster) -> str:
    who, whom = _name(one, roster), _name(other, roster)
    return host_text("judgement", "pair", one=one.number, who=who, other=other.number, whom=whom)


def _name(turn: Turn, roster: Roster) -> str:
    return "the user" if turn.speaker == USER else roster[turn.speaker].first_name


def _quote(text: str) -> str:
    return f'"{shorten_text(join_lines(text), MAX_QUOTE_LENGTH)}"'
