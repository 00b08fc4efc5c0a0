"""Answers: what a tool gives back, as bounded JSON text: the lines to show, the context, the next move.

The context is what the host needs and has not been sent yet; a move comes with its brief, which says what is
to be done in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, assert_never

from ...core.analysis import Analysis
from ...core.commands import AskFeedback, AskFollowUp, AskReading, AskSynthesis, Brief, Table
from ...core.elaboration import Awaited
from ...core.hearing import address
from ...core.personas import Persona, Roster
from ...core.synthesis import decision_turns, join_lines, render_review, shorten_text
from ...core.turns import USER, Known, Material, PartKind, Turn, lay_out
from ...panel.host import HostRequest
from ...project import Project
from .sessions import AlreadySent, HostedSession, host_text

_MAX_LINE_LENGTH, _MAX_ITEM_LENGTH, _MAX_TABLE_LENGTH = 4_000, 4_000, 30_000
_MAX_QUOTE_LENGTH, _OPENING_LENGTH, _MAX_WORD_LENGTH = 700, 100, 200
MAX_ITEMS = 50
_LISTED_FIELDS = ("slug", "title", "analysis_status", "next", "discussion", "problem")


def to_json(body: object) -> str:
    """Return JSON text, as short as it can be, with every character as it is."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def report_items(project: Project) -> str:
    """Return the first items, and how many there are besides."""
    found = project.items()
    reports = project.report(found[:MAX_ITEMS])
    rows = [{key: data[key] for key in _LISTED_FIELDS} for data in (each.to_data() for each in reports)]
    hint = {} if found else {"hint": "There is no item yet. add_item adds one, in the person's words."}
    return to_json({"items": rows, "more": len(found) - len(rows)} | hint)


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
        who = host_text("person", "relayed") if turn.speaker == USER else talk.roster[turn.speaker].title
        if turn.from_host:
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
    request = move.request if move is not None else None
    answer: dict[str, Any] = {"session": hosted.slug}
    if lines := _list_lines(hosted):
        answer["lines"] = lines
    if context := _write_context(request, analysis, sent):
        answer["context"] = context
    if move is None:
        is_done = bool(hosted.lines) and hosted.lines[-1].kind == "done"
        answer["move"] = describe_end(hosted.slug, "done" if is_done else "paused")
    else:
        shown: dict[str, Any] = {"id": move.id, "kind": move.kind, "speaker": move.speaker}
        if request is not None:
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
        shown |= {"brief": brief, "legal": move.list_calls(can_ask=can_ask)}
        answer["move"] = shown
    sent.last = (move, can_ask, to_json(answer))
    return sent.last[2]


def describe_end(item: str, kind: Literal["done", "paused"]) -> dict[str, Any]:
    """Return what stands in place of a move where none is open."""
    names = ["hand_off", "start"] if kind == "done" else ["start"]
    calls = [*(f'{name}(item="{item}")' for name in names), "list_items()"]
    return {"kind": kind, "brief": host_text("asking", kind), "legal": calls}


def _list_lines(hosted: HostedSession) -> list[dict[str, Any]]:
    """Return what was shown since the last move, the person's own words too, as they were taken."""
    rows = []
    talk = hosted.session.analysis.elaboration if hosted.session.analysis is not None else None
    turns = {turn.number: turn.text for turn in talk.turns} if talk is not None else {}
    for line in hosted.lines:
        row: dict[str, Any] = {"kind": line.kind, "text": _shorten(line.text, _MAX_LINE_LENGTH)}
        if line.speaker == USER:
            row["speaker"] = USER
        if line.turn is not None:
            row["turn"] = line.turn
            hosted.sent.add((line.turn, turns.get(line.turn)))
        rows.append(row)
    return rows


# --- the context ----------------------------------------------------------------------------------------


def _write_context(request: HostRequest | None, analysis: Analysis | None, sent: AlreadySent) -> str:
    """Return what the host has to know for the move and has not been sent yet."""
    if analysis is None:
        return ""
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
    yield item, host_text("context", "item", name=item.name, text=_shorten(item.text, _MAX_ITEM_LENGTH))
    if analysis.elaboration is not None:
        table = analysis.elaboration.table
        personas = ", ".join(f"{persona.title}, key {persona.key}" for persona in table.roster.personas)
        yield (
            (table.step.step_id, table.material),
            host_text(
                "context", "table", step_id=table.step.step_id, title=table.step.title, personas=personas,
                lead=table.lead.name, limit=table.max_turns,
            ),
        )  # fmt: skip
        yield from _list_material((*table.documents, *table.material), table.known, sent)
    elif request is not None and isinstance(grounds := request.grounds, AskReading):
        yield from _list_material(grounds.material, grounds.brief.known, sent)
    elif step is not None:
        who = {"name": persona.title, "key": persona.key, "depth": analysis.depth}
        yield step.step_id, host_text("context", "step", step_id=step.step_id, title=step.title, **who)


def _list_material(
    documents: Sequence[Material], known: Known, sent: AlreadySent
) -> Iterator[tuple[object, str]]:
    """Yield what is on the table and was not sent yet; documents without room are only named."""
    parts, left_out = lay_out(documents, known, _MAX_TABLE_LENGTH, _write_part, sent)
    yield from ((each, host_text("context", "left-out", name=each.name)) for each in left_out)
    yield from parts
    yield "tools", host_text("context", "tools")


def _write_part(kind: PartKind, name: str, text: str, longest: int) -> str:
    shown = _shorten(text, longest)
    if kind == "document" and shown != text:
        shown += f" (the rest: resource artifact/{name})"
    return host_text("context", kind, name=name, text=shown)


# --- the brief of a move --------------------------------------------------------------------------------


def _write_brief(request: HostRequest, roster: Roster, sent: AlreadySent) -> Iterator[str]:
    """Yield who the host speaks for, and what is to be done in the move."""
    speaker = request.speaker
    if speaker is not None:
        yield _write_card(speaker, roster, sent)
    name, grounds = speaker.name if speaker is not None else "", request.grounds
    match grounds:
        case Brief(purpose="tradeoff"):
            yield from _write_tradeoff(grounds)
        case Brief(table, speaker):
            task = host_text(
                "speaker", grounds.purpose, name=name, first=speaker.first_name, title=table.step.title,
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
    head = host_text(
        "card", "head", name=persona.name, role=persona.role, lens=", ".join(persona.lens),
        identity=join_lines(persona.identity),
    )  # fmt: skip
    traits = roster.traits_of(persona).items()
    rows = [host_text("card", trait, all=" / ".join(entries)) for trait, entries in traits]
    return "\n".join([head, *rows, host_text("card", "turns")])


def _ask_to_judge(brief: Brief, sent: AlreadySent) -> Iterator[str]:
    """Ask whoever follows the user to judge that turn."""
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


def _write_tradeoff(ask: Brief) -> Iterator[str]:
    """Quote both sides in their own words: whoever weighs them adds nothing to either.

    The contradictions between personas since the user spoke are weighed, else the last.
    """
    table = ask.table
    pairs = [
        (one, other)
        for one, other in _contradictions(table.turns)
        if USER not in (one.speaker, other.speaker) and one.speaker != other.speaker
    ]
    since = max((turn.number for turn in table.turns if turn.speaker == USER), default=0)
    for one, other in [pair for pair in pairs if pair[0].number > since] or pairs[-1:]:
        yield host_text(
            "speaker", "against", which=_describe_pair(one, other, table.roster), first=other.number,
            first_said=_quote(other.text), second=one.number, second_said=_quote(one.text),
        )  # fmt: skip
    yield host_text("speaker", "tradeoff", name=ask.speaker.name)


def _write_synthesis(table: Table) -> str:
    turns, roster = table.turns, table.roster
    marked = decision_turns(turns)
    known = [host_text("judgement", "decided" if marked else "undecided", turns=", ".join(map(str, marked)))]
    drifts = [
        f"{turn.number} ({join_lines(turn.verdict.off_topic.subject)})"
        for turn in turns
        if turn.verdict.off_topic and turn.number not in marked
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
        f"{turn.number}. {_name(turn, roster)}: {_shorten(join_lines(turn.text), _OPENING_LENGTH)}"
        for turn in turns
    )
    return host_text("judgement", "synthesis", known=" ".join(known), turns=said)


def _contradictions(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Yield each turn that contradicts another, and that other."""
    for turn in turns:
        if turn.verdict.opposes is not None:
            yield turn, turns[turn.verdict.opposes - 1]


def _describe_pair(one: Turn, other: Turn, roster: Roster) -> str:
    who, whom = _name(one, roster), _name(other, roster)
    return host_text("judgement", "pair", one=one.number, who=who, other=other.number, whom=whom)


def _name(turn: Turn, roster: Roster) -> str:
    return "the user" if turn.speaker == USER else roster[turn.speaker].first_name


def _quote(text: str) -> str:
    return f'"{_shorten(join_lines(text), _MAX_QUOTE_LENGTH)}"'


def _shorten(text: str, length: int) -> str:
    """Return the text to the end of a word; what has no spaces, such as an image's data, is cut anywhere."""
    shown = shorten_text(text, length)
    return shown if len(shown) <= length + _MAX_WORD_LENGTH else f"{text[:length]} ..."
