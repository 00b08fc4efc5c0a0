"""What a host has been told, so that nothing is sent to it twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from ...core.analysis import Analysis
from ...core.commands import AskFeedback, AskFollowUp, AskSynthesis, Brief, Table
from ...core.personas import Persona, Roster
from ...core.steps import Step
from ...core.synthesis import decision_turns, join_lines, shorten_text
from ...core.turns import USER, Material, Turn
from ...panel.host import Reading, Request, Section
from . import moves
from .moves import Move


class Told:
    """Remembers what the host knows."""

    def __init__(self) -> None:
        self._known: set[object] = set()

    @property
    def nothing(self) -> bool:
        """True before anything was told."""
        return not self._known

    def first(self, what: object) -> bool:
        """True the first time."""
        new = what not in self._known
        self._known.add(what)
        return new

    def turn(self, turn: Turn) -> bool:
        """True the first time for that turn."""
        return self.first((turn.number, turn.text))


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
            return moves.text(
                "speaker", "follow-up", name=name, question=grounds.question.text, said=_said(grounds.answer),
                criterion=grounds.criterion.follow_up,
            )  # fmt: skip
        case AskFeedback():
            title = grounds.brief.step.title
            return moves.text("speaker", "feedback", name=name, title=title, said=_said(grounds.words))
        case Section(_, target, draft):
            return moves.text(
                "speaker", "section", name=name, section=target.section, output=target.output, draft=draft
            )
        case Reading():
            return moves.text("speaker", "reading", name=name, title=grounds.brief.step.title)
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
    return moves.text(
        "speaker", ask.purpose, name=speaker.name, first=speaker.first_name, title=table.step.title,
        focus=table.focus_question, topic=table.focus_topic, answers=ask.answers, said=_said(said),
        lens=", ".join(speaker.lens),
    )  # fmt: skip


def _tradeoff(ask: Brief) -> str:
    """Both sides in their own words: whoever weighs them adds nothing to either."""
    table = ask.table
    pairs = _to_weigh(table)
    parts = [
        moves.text(
            "speaker", "against", which=_pair(one, other, table.roster), first=other.number,
            first_said=_said(other.text), second=one.number, second_said=_said(one.text),
        )
        for one, other in pairs
    ]  # fmt: skip
    parts.append(moves.text("speaker", "tradeoff", name=ask.speaker.name))
    if any(ask.speaker.key in (one.speaker, other.speaker) for one, other in pairs):
        parts.append(moves.text("speaker", "party"))
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
    return moves.text(
        "judgement", "verdict" if first else "verdict-again", number=len(table.turns),
        focus=table.focus_question,
    )  # fmt: skip


def _synthesis(table: Table) -> str:
    turns, roster = table.turns, table.roster
    marked = decision_turns(turns)
    known = [
        moves.text("judgement", "decided", turns=", ".join(map(str, marked)))
        if marked
        else moves.text("judgement", "undecided")
    ]
    drifts = [
        f"{turn.number} ({join_lines(turn.verdict.off_topic.subject)})"
        for turn in turns
        if turn.verdict.off_topic
    ]
    if drifts:
        known.append(moves.text("judgement", "put-off", turns=", ".join(drifts)))
    settled = max(marked, default=0)
    pairs = [
        _pair(one, other, roster) + ("" if one.number <= settled else moves.text("judgement", "open"))
        for one, other in _contradictions(turns)
    ]
    if pairs:
        known.append(moves.text("judgement", "contradictions", pairs="; ".join(pairs)))
    said = "\n".join(_opening(turn, roster) for turn in turns)
    return moves.text("judgement", "synthesis", known=" ".join(known), turns=said)


def _contradictions(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Each turn that contradicts another, and that other."""
    for turn in turns:
        if turn.verdict.opposes is not None:
            yield turn, turns[turn.verdict.opposes - 1]


def _pair(one: Turn, other: Turn, roster: Roster) -> str:
    return moves.text(
        "judgement", "pair", one=one.number, who=name_of(one, roster), other=other.number,
        whom=name_of(other, roster),
    )  # fmt: skip


def _opening(turn: Turn, roster: Roster) -> str:
    return f"{turn.number}. {name_of(turn, roster)}: {shorten_text(join_lines(turn.text), _OPENING)}"


def _said(text: str) -> str:
    return f'"{shorten_text(join_lines(text), LONGEST_SAID)}"'


LONGEST_ITEM, LONGEST_DOCUMENTS = 4_000, 12_000


def context(move: Move | None, analysis: Analysis | None, told: Told) -> str:
    """What has to be known for the move and has not been told yet; empty where there is nothing."""
    if analysis is None:
        return ""
    item = analysis.opening.item
    parts = []
    if told.first(("item", item)):
        parts.append(moves.text("context", "item", name=item.name, text=cut(item.text, LONGEST_ITEM)))
    grounds = move.request.grounds if move is not None and move.request is not None else None
    talk = analysis.elaboration
    if talk is not None:
        parts += _discussion(talk.table, told)
    elif isinstance(grounds, Reading):
        parts += _documents(grounds.material, told)
    elif (step := analysis.opening.step) is not None and told.first(("step", step.step_id)):
        parts.append(_step(analysis, step))
    return "\n\n".join(parts)


def brief(move: Move, analysis: Analysis | None, told: Told) -> str:
    """What is to be done in the move."""
    if move.request is None:
        return moves.text("user", move.kind) if told.first(("user", move.kind)) else ""
    request = move.request
    parts = [_card(request.speaker, analysis, told)] if request.speaker is not None else []
    parts.append(task(request, told))
    if request.again:
        parts.append(moves.text("asking", "again", reasons=" ".join(request.again)))
    return "\n".join(part for part in parts if part)


def cut(text: str, longest: int, rest: str = "") -> str:
    """The text up to a length, and where the rest is."""
    return text if len(text) <= longest else f"{shorten_text(text, longest)}{rest}"


# --- the speaker's card --------------------------------------------------------------------------------


def _card(persona: Persona, analysis: Analysis | None, told: Told) -> str:
    """The persona's own card, once; afterwards a word that it stands."""
    if not told.first(("card", persona)):
        return moves.text("card", "known", name=persona.name)
    roster = analysis.opening.roster if analysis is not None else Roster((persona,))
    towards = [text for key, text in persona.towards if key in roster]
    reasons = list(dict.fromkeys(ban.reason for ban in persona.bans))
    head = moves.text(
        "card", "head", name=persona.name, role=persona.role, lens=", ".join(persona.lens),
        identity=join_lines(persona.identity),
    )  # fmt: skip
    rows = (("principles", persona.principles), ("patterns", persona.patterns), ("towards", towards))
    lists = [moves.text("card", name, all=_joined(each)) for name, each in (*rows, ("bans", reasons)) if each]
    return "\n".join([head, *lists, moves.text("card", "turns")])


# --- the context ----------------------------------------------------------------------------------------


def _discussion(table: Table, told: Told) -> list[str]:
    """The table, its documents, and the turns that were not told when they were taken."""
    parts = []
    if told.first(("table", table.step.step_id, table.material)):
        parts.append(_seats(table))
        parts += _documents(table.material, told)
    missing = [turn for turn in table.turns if told.turn(turn)]
    if missing:
        said = "\n".join(f"{turn.number}. {name_of(turn, table.roster)}: {turn.text}" for turn in missing)
        parts.append(moves.text("context", "said", turns=said))
        parts.append(moves.text("context", "focus", focus=table.focus_question))
    return parts


def _seats(table: Table) -> str:
    personas = ", ".join(f"{persona.title}, key {persona.key}" for persona in table.roster.personas)
    return moves.text(
        "context", "table", step_id=table.step.step_id, title=table.step.title, personas=personas,
        lead=table.lead.name, limit=table.max_turns,
    )  # fmt: skip


def _step(analysis: Analysis, step: Step) -> str:
    persona = analysis.opening.conductor
    return moves.text(
        "context", "step", step_id=step.step_id, title=step.title, depth=analysis.depth,
        name=persona.title, key=persona.key,
    )  # fmt: skip


def _documents(material: Iterable[Material], told: Told) -> list[str]:
    left, parts = LONGEST_DOCUMENTS, []
    for each in material:
        if told.first(each) and left > 0:
            shown = cut(each.text.strip(), left, f" (the rest: resource artifact/{each.name})")
            left -= len(shown)
            parts.append(moves.text("context", "document", name=each.name, text=shown))
    return parts


def _joined(parts: Iterable[str]) -> str:
    return " / ".join(join_lines(part) for part in parts)
