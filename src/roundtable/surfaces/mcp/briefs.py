"""Briefs: what the host is told about a move: only what the persona that speaks needs, each part once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ...core.analysis import Analysis
from ...core.commands import AskFeedback, AskFollowUp, AskSynthesis, Brief, Table
from ...core.personas import Persona, Roster
from ...core.steps import Step
from ...core.synthesis import decided, flat, shortened
from ...core.turns import USER, Material, Turn
from ...panel.host.requests import Reading, Request, Section
from . import guide
from .moves import Move

LONGEST_ITEM, LONGEST_DOCUMENTS, LONGEST_SAID = 4_000, 12_000, 600
_OPENING = 60


class Told:
    """What the host has been told, so that it is told once."""

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


def context(move: Move | None, analysis: Analysis | None, told: Told) -> str:
    """What has to be known for the move and has not been told yet; empty where there is nothing."""
    if analysis is None:
        return ""
    item = analysis.opening.item
    parts = []
    if told.first(("item", item)):
        parts.append(guide.text("context", "item", name=item.name, text=cut(item.text, LONGEST_ITEM)))
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
        return guide.text("user", move.kind) if told.first(("user", move.kind)) else ""
    request = move.request
    # A section is the document's text, not the persona's.
    speaker = request.speaker if request.kind != "section" else None
    parts = [_card(speaker, analysis, told)] if speaker is not None else []
    parts.append(_task(request))
    if request.again:
        parts.append(guide.text("asking", "again", reasons=" ".join(request.again)))
    return "\n".join(part for part in parts if part)


def cut(text: str, longest: int, rest: str = "") -> str:
    """The text up to a length, and where the rest is."""
    return text if len(text) <= longest else f"{shortened(text, longest)}{rest}"


# --- the task -------------------------------------------------------------------------------------------


def _task(request: Request) -> str:
    grounds, name = request.grounds, request.speaker.name if request.speaker else ""
    match grounds:
        case Brief():
            return _turn_task(grounds)
        case Table():
            focus = grounds.focus_question
            return guide.text("judgement", "verdict", number=len(grounds.turns), focus=focus)
        case AskSynthesis(table):
            numbers = ", ".join(str(number) for number in decided(table.turns)) or "none"
            turns = "\n".join(_opening(turn, table.roster) for turn in table.turns)
            return guide.text("judgement", "synthesis", decided=numbers, turns=turns)
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


def _turn_task(ask: Brief) -> str:
    table, speaker = ask.table, ask.speaker
    said = table.turns[ask.answers - 1].text if ask.answers else ""
    return guide.text(
        "speaker", ask.purpose, name=speaker.name, first=speaker.first_name, title=table.step.title,
        focus=table.focus_question, topic=table.focus_topic, answers=ask.answers, said=_said(said),
    )  # fmt: skip


def _card(persona: Persona, analysis: Analysis | None, told: Told) -> str:
    """The persona's own card, once; afterwards a word that it stands."""
    if not told.first(("card", persona)):
        return guide.text("card", "known", name=persona.name)
    roster = analysis.opening.roster if analysis is not None else Roster((persona,))
    towards = [text for key, text in persona.towards if key in roster]
    reasons = list(dict.fromkeys(ban.reason for ban in persona.bans))
    head = guide.text(
        "card", "head", name=persona.name, role=persona.role, lens=", ".join(persona.lens),
        identity=flat(persona.identity),
    )  # fmt: skip
    rows = (("principles", persona.principles), ("patterns", persona.patterns), ("towards", towards))
    lists = [guide.text("card", name, all=_joined(each)) for name, each in (*rows, ("bans", reasons)) if each]
    return "\n".join([head, *lists, guide.text("card", "turns")])


# --- the context ----------------------------------------------------------------------------------------


def _discussion(table: Table, told: Told) -> list[str]:
    """The table, its documents, and the turns that were not told when they were taken."""
    parts = []
    if told.first(("table", table.step.step_id, table.material)):
        parts.append(_seats(table))
        parts += _documents(table.material, told)
    missing = [turn for turn in table.turns if told.turn(turn)]
    if missing:
        said = "\n".join(f"{turn.number}. {_name(turn, table.roster)}: {turn.text}" for turn in missing)
        parts.append(guide.text("context", "said", turns=said))
        parts.append(guide.text("context", "focus", focus=table.focus_question))
    return parts


def _seats(table: Table) -> str:
    personas = ", ".join(f"{persona.title}, key {persona.key}" for persona in table.roster.personas)
    return guide.text(
        "context", "table", step_id=table.step.step_id, title=table.step.title, personas=personas,
        lead=table.lead.name, limit=table.max_turns,
    )  # fmt: skip


def _step(analysis: Analysis, step: Step) -> str:
    persona = analysis.opening.conductor
    return guide.text(
        "context", "step", step_id=step.step_id, title=step.title, depth=analysis.depth,
        name=persona.title, key=persona.key,
    )  # fmt: skip


def _documents(material: Iterable[Material], told: Told) -> list[str]:
    left, parts = LONGEST_DOCUMENTS, []
    for each in material:
        if told.first(each) and left > 0:
            shown = cut(each.text.strip(), left, f" (the rest: resource artifact/{each.name})")
            left -= len(shown)
            parts.append(guide.text("context", "document", name=each.name, text=shown))
    return parts


def _opening(turn: Turn, roster: Roster) -> str:
    return f"{turn.number}. {_name(turn, roster)}: {shortened(flat(turn.text), _OPENING)}"


def _name(turn: Turn, roster: Roster) -> str:
    return "the user" if turn.speaker == USER else roster[turn.speaker].first_name


def _said(text: str) -> str:
    return f'"{shortened(flat(text), LONGEST_SAID)}"'


def _joined(parts: Iterable[str]) -> str:
    return " / ".join(flat(part) for part in parts)
