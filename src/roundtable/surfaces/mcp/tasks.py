"""Tasks: what is to be done in a move, from what was said so far and what the program knows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from ...core.commands import AskFeedback, AskFollowUp, AskSynthesis, Brief, Table
from ...core.personas import Roster
from ...core.synthesis import decided, flat, shortened
from ...core.turns import USER, Turn
from ...panel.host.requests import Reading, Request, Section
from . import guide
from .told import Told

LONGEST_SAID = 700
_OPENING = 100


def task(request: Request, told: Told) -> str:
    """What the request asks for."""
    grounds, name = request.grounds, request.speaker.name if request.speaker else ""
    match grounds:
        case Brief():
            return _turn(grounds)
        case Table():
            return _verdict(grounds, told)
        case AskSynthesis(table):
            return _synthesis(table)
        case AskFollowUp():
            return guide.text(
                "speaker", "follow-up", name=name, question=grounds.question.text, said=_said(grounds.answer),
                criterion=grounds.criterion.follow_up,
            )  # fmt: skip
        case AskFeedback():
            title = grounds.brief.step.title
            return guide.text("speaker", "feedback", name=name, title=title, said=_said(grounds.words))
        case Section(_, target, draft):
            return guide.text(
                "speaker", "section", name=name, section=target.section, output=target.output, draft=draft
            )
        case Reading():
            return guide.text("speaker", "reading", name=name, title=grounds.brief.step.title)
        case other:
            assert_never(other)


def name_of(turn: Turn, roster: Roster) -> str:
    """Who spoke, by first name."""
    return "the user" if turn.speaker == USER else roster[turn.speaker].first_name


# --- a turn ---------------------------------------------------------------------------------------------


def _turn(ask: Brief) -> str:
    table, speaker = ask.table, ask.speaker
    if ask.purpose == "tradeoff":
        return _tradeoff(ask)
    said = table.turns[ask.answers - 1].text if ask.answers else ""
    return guide.text(
        "speaker", ask.purpose, name=speaker.name, first=speaker.first_name, title=table.step.title,
        focus=table.focus_question, topic=table.focus_topic, answers=ask.answers, said=_said(said),
        lens=", ".join(speaker.lens),
    )  # fmt: skip


def _tradeoff(ask: Brief) -> str:
    """Both sides in their own words: whoever weighs them adds nothing to either."""
    table = ask.table
    pairs = _to_weigh(table)
    parts = [
        guide.text(
            "speaker", "against", which=_pair(one, other, table.roster), first=other.number,
            first_said=_said(other.text), second=one.number, second_said=_said(one.text),
        )
        for one, other in pairs
    ]  # fmt: skip
    parts.append(guide.text("speaker", "tradeoff", name=ask.speaker.name))
    if any(ask.speaker.key in (one.speaker, other.speaker) for one, other in pairs):
        parts.append(guide.text("speaker", "party"))
    return "\n".join(parts)


def _to_weigh(table: Table) -> list[tuple[Turn, Turn]]:
    """The contradictions between personas since the user spoke or the lead went on, else the last one."""
    found = [
        (one, other)
        for one, other in _contradictions(table.turns)
        if USER not in (one.speaker, other.speaker) and one.speaker != other.speaker
    ]
    opposing = {one.number for one, _ in found}
    rests = (turn.number for turn in reversed(table.turns) if turn.speaker in (USER, table.lead.key))
    since = next((number for number in rests if number not in opposing), 0)
    return [pair for pair in found if pair[0].number > since] or found[-1:]


# --- a judgement ----------------------------------------------------------------------------------------


def _verdict(table: Table, told: Told) -> str:
    first = told.first(("verdict", table.focus_question))
    return guide.text(
        "judgement", "verdict" if first else "verdict-again", number=len(table.turns),
        focus=table.focus_question,
    )  # fmt: skip


def _synthesis(table: Table) -> str:
    turns, roster = table.turns, table.roster
    marked = decided(turns)
    known = [
        guide.text("judgement", "decided", turns=", ".join(map(str, marked)))
        if marked
        else guide.text("judgement", "undecided")
    ]
    drifts = [
        f"{turn.number} ({flat(turn.verdict.off_topic.subject)})" for turn in turns if turn.verdict.off_topic
    ]
    if drifts:
        known.append(guide.text("judgement", "put-off", turns=", ".join(drifts)))
    settled = max(marked, default=0)
    pairs = [
        _pair(one, other, roster) + ("" if one.number <= settled else guide.text("judgement", "open"))
        for one, other in _contradictions(turns)
    ]
    if pairs:
        known.append(guide.text("judgement", "contradictions", pairs="; ".join(pairs)))
    said = "\n".join(_opening(turn, roster) for turn in turns)
    return guide.text("judgement", "synthesis", known=" ".join(known), turns=said)


def _contradictions(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Each turn that contradicts another, and that other."""
    for turn in turns:
        if turn.verdict.opposes is not None:
            yield turn, turns[turn.verdict.opposes - 1]


def _pair(one: Turn, other: Turn, roster: Roster) -> str:
    return guide.text(
        "judgement", "pair", one=one.number, who=name_of(one, roster), other=other.number,
        whom=name_of(other, roster),
    )  # fmt: skip


def _opening(turn: Turn, roster: Roster) -> str:
    return f"{turn.number}. {name_of(turn, roster)}: {shortened(flat(turn.text), _OPENING)}"


def _said(text: str) -> str:
    return f'"{shortened(flat(text), LONGEST_SAID)}"'
