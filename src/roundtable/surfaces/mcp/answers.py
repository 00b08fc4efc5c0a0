"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, assert_never

from ...core.analysis import Analysis
from ...core.commands import AskFeedback, AskFollowUp, AskReading, AskSynthesis, Brief, Table
from ...core.elaboration import Awaited
from ...core.hearing import address
from ...core.personas import Persona, Roster
from ...core.synthesis import decision_turns, join_lines, render_review
from ...core.turns import USER, PartKind, Turn, lay_out
from ...panel.host import HostRequest
from .sessions import AlreadySent, HostedSession, host_text

_MAX_TEXT_LENGTH = 4_000  # of a line, and of the item's own text
_MAX_TABLE_LENGTH = 30_000
_MAX_QUOTE_LENGTH = 700
_OPENING_LENGTH = 100


def to_json(body: object) -> str:
    """Return JSON text, as short as it can be, with every character as it is."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def show_unseen(analysis: Analysis | None) -> Iterator[str]:
    """Yield all that a host worded and the person has not seen in a form, so that an answer can accept it."""
    if analysis is None:
        return
    talk = analysis.elaboration
    if talk is None:
        for section in analysis.unaccepted:
            yield f"### {section.target.section} ({section.target.output})\n\n{section.text.strip()}"
        return
    for turn in talk.turns:
        if turn.from_host:
            who = host_text("person", "relayed") if turn.speaker == USER else talk.roster[turn.speaker].title
            yield f"{turn.number}. {who}: {turn.text}"
    for point in talk.parked:
        if point.from_host:
            yield host_text("person", "put-off", subject=point.subject)
    if talk.awaits is Awaited.REVIEW:
        yield render_review(talk.draft, talk.turns, talk.roster)
        if talk.draft.summary:
            yield host_text("person", "summary", summary=talk.draft.summary)


def write_answer(hosted: HostedSession, *, can_ask: bool) -> str:
    """Return the lines since the last move that counted, what is new to know, and the move that is open."""
    move, sent, analysis = hosted.move, hosted.sent, hosted.session.analysis
    if sent.last is not None and sent.last[0] is move and sent.last[1] == can_ask:
        return sent.last[2]
    answer: dict[str, Any] = {"session": hosted.slug, "lines": list(_list_lines(hosted, analysis))}
    if analysis is not None:
        answer["context"] = _write_context(move.request if move else None, analysis, sent)
    if move is None:
        is_done = bool(hosted.lines) and hosted.lines[-1].kind == "done"
        answer["move"] = describe_end(hosted.slug, "done" if is_done else "paused")
    else:
        shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
        if (request := move.request) is not None:
            assert analysis is not None  # whose leg asks
            brief = "\n".join(_write_brief(request, analysis.opening.roster, sent))
            if request.words:
                shown["limits"] = f"about {request.words} words, at most {request.most}"
            if isinstance(turn := request.grounds, Brief):
                shown |= {"purpose": turn.purpose, "turn": f"{turn.number} of {turn.table.max_turns}"}
        else:
            brief = host_text("asking", "ask" if can_ask else "cannot")
            if sent.is_new(("user", move.kind)):
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


def _list_lines(hosted: HostedSession, analysis: Analysis | None) -> Iterator[dict[str, Any]]:
    """Yield what was shown since the last move, the person's own words too, as they were taken."""
    talk = analysis.elaboration if analysis is not None else None
    turns = {turn.number: turn.text for turn in talk.turns} if talk is not None else {}
    for line in hosted.lines:
        speaker = {"speaker": USER} if line.speaker == USER else {}
        number = {"turn": line.turn} if line.turn is not None else {}
        hosted.sent.add((line.turn, turns.get(line.turn or 0)))
        yield {"kind": line.kind, "text": _shorten(line.text, _MAX_TEXT_LENGTH), **speaker, **number}


def _write_context(request: HostRequest | None, analysis: Analysis, sent: AlreadySent) -> str:
    """Return what the host has to know for the move and has not been sent yet."""
    parts = [text for part, text in _list_context(request, analysis, sent) if sent.is_new(part)]
    if analysis.elaboration is not None:
        table = analysis.elaboration.table
        missing = [turn for turn in table.turns if sent.is_new((turn.number, turn.text))]
        said = "\n".join(f"{turn.number}. {_name(turn, table.roster)}: {turn.text}" for turn in missing)
        parts += [host_text("context", "said", turns=said, focus=table.focus_question)] if missing else []
    return "\n\n".join(parts)


def _list_context(
    request: HostRequest | None, analysis: Analysis, sent: AlreadySent
) -> Iterator[tuple[object, str]]:
    """Yield each thing that bears on the move, and how it is told."""
    item, step, persona = analysis.opening.item, analysis.opening.step, analysis.opening.conductor
    yield item, host_text("context", "item", name=item.name, text=_shorten(item.text, _MAX_TEXT_LENGTH))
    if analysis.elaboration is not None:
        table = analysis.elaboration.table
        yield (
            (table.step.step_id, table.material),
            host_text(
                "context", "table", step_id=table.step.step_id, title=table.step.title,
                personas=", ".join(f"{each.title}, key {each.key}" for each in table.roster.personas),
                lead=table.lead.name, limit=table.max_turns,
            ),
        )  # fmt: skip
        documents, known = (*table.documents, *table.material), table.known
    elif request is not None and isinstance(grounds := request.grounds, AskReading):
        documents, known = grounds.material, grounds.brief.known
    else:
        if step is not None:
            who = {"name": persona.title, "key": persona.key, "depth": analysis.depth}
            yield step.step_id, host_text("context", "step", step_id=step.step_id, title=step.title, **who)
        return
    parts, left_out = lay_out(documents, known, _MAX_TABLE_LENGTH, _write_part, sent)
    yield from ((each, host_text("context", "left-out", name=each.name)) for each in left_out)
    yield from parts
    yield "tools", host_text("context", "tools")


def _write_part(kind: PartKind, name: str, text: str, longest: int) -> str:
    shown = _shorten(text, longest)
    if kind == "document" and shown != text:
        shown += f" (the rest: resource artifact/{name})"
    return host_text("context", kind, name=name, text=shown)


def _write_brief(request: HostRequest, roster: Roster, sent: AlreadySent) -> Iterator[str]:
    """Yield who the host speaks for, and what is to be done in the move."""
    grounds, name = request.grounds, ""
    if request.speaker is not None:
        name = request.speaker.name
        yield _write_card(request.speaker, roster, sent)
    match grounds:
        case Brief(table, speaker, purpose):
            if purpose == "tradeoff":
                yield from _quote_disagreement(table)
            task = host_text(
                "speaker", purpose, name=name, first=speaker.first_name, title=table.step.title,
                focus=table.focus_question, topic=table.focus_topic, answers=grounds.answers,
                lens=", ".join(speaker.lens),
            )  # fmt: skip
            may_yield = [host_text("speaker", "yield")] if grounds.may_yield else []
            yield " ".join((task, *may_yield, *_ask_to_judge(grounds, sent)))
        case AskSynthesis(table):
            yield _write_synthesis(table)
        case AskFollowUp(question=question, answer=answer, criterion=criterion):
            more = {"question": question.text, "said": _quote(answer), "criterion": criterion.follow_up}
            yield host_text("speaker", "follow-up", name=name, **more)
        case AskFeedback(brief, words):
            kind = "aside" if grounds.aside else "feedback"
            yield host_text("speaker", kind, name=name, title=brief.step.title, said=_quote(words))
        case AskReading(brief):
            yield host_text("speaker", "reading", name=name, title=brief.step.title)
        case other:
            assert_never(other)
    if request.again:
        yield host_text("asking", "again", reasons=" ".join(request.again))


def _write_card(persona: Persona, roster: Roster, sent: AlreadySent) -> str:
    """Return the persona's own card once, and afterwards a reminder that it still holds."""
    if not sent.is_new(("card", persona)):
        return host_text("card", "known", name=persona.name)
    about = {"name": persona.name, "role": persona.role, "identity": join_lines(persona.identity)}
    head = host_text("card", "head", lens=", ".join(persona.lens), **about)
    traits = roster.traits_of(persona).items()
    rows = [host_text("card", trait, all=" / ".join(entries)) for trait, entries in traits]
    return "\n".join([head, *rows, host_text("card", "turns")])


def _ask_to_judge(brief: Brief, sent: AlreadySent) -> Iterator[str]:
    table = brief.table
    if not brief.follows_user:
        return
    if table.insists:
        yield host_text("speaker", "insists")
        return
    kind = "judge" if sent.is_new(("judge", table.focus_question)) else "judge-again"
    yield host_text("speaker", kind, number=table.turns[-1].number)
    if table.suspected is not None:
        yield host_text("speaker", "suspected", subject=table.suspected.subject)
    if brief.speaker == table.lead and address(table.turns[-1].text, table.roster).kind == "open":
        yield host_text("speaker", "redirect", topic=table.focus_topic)


def _quote_disagreement(table: Table) -> Iterator[str]:
    """Quote both sides of what personas contradicted since the user spoke: who weighs adds to neither."""
    since = max((turn.number for turn in table.turns if turn.speaker == USER), default=0)
    for one, other, pair in _contradictions(table):
        if one.number > since and USER != other.speaker != one.speaker:
            said = {"first_said": _quote(other.text), "second_said": _quote(one.text)}
            yield host_text("speaker", "against", which=pair, first=other.number, second=one.number, **said)


def _write_synthesis(table: Table) -> str:
    marked = decision_turns(table.turns)
    known = [host_text("judgement", "decided" if marked else "undecided", turns=", ".join(map(str, marked)))]
    if pairs := "; ".join(pair for _, _, pair in _contradictions(table)):
        known.append(host_text("judgement", "contradictions", pairs=pairs))
    said = "\n".join(
        f"{turn.number}. {_name(turn, table.roster)}: {_shorten(join_lines(turn.text), _OPENING_LENGTH)}"
        for turn in table.turns
    )
    return host_text("judgement", "synthesis", known=" ".join(known), turns=said)


def _contradictions(table: Table) -> Iterator[tuple[Turn, Turn, str]]:
    """Yield each turn that contradicts another, that other, and how both are named."""
    for one in table.turns:
        if one.verdict.opposes is not None:
            other = table.turns[one.verdict.opposes - 1]
            who = {"who": _name(one, table.roster), "whom": _name(other, table.roster)}
            yield one, other, host_text("judgement", "pair", one=one.number, other=other.number, **who)


def _name(turn: Turn, roster: Roster) -> str:
    return "the user" if turn.speaker == USER else roster[turn.speaker].first_name


def _quote(text: str) -> str:
    return f'"{_shorten(join_lines(text), _MAX_QUOTE_LENGTH)}"'


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length].rstrip()} ..."
