"""Briefs: what the host is told about a move: only what the persona that speaks needs, each part once."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.analysis import Analysis
from ...core.commands import Table
from ...core.personas import Persona, Roster
from ...core.steps import Step
from ...core.synthesis import flat, shortened
from ...core.turns import Material
from ...panel.host.requests import Reading
from . import guide
from .moves import Move
from .tasks import name_of, task
from .told import Told

LONGEST_ITEM, LONGEST_DOCUMENTS = 4_000, 12_000


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
    parts = [_card(request.speaker, analysis, told)] if request.speaker is not None else []
    parts.append(task(request, told))
    if request.again:
        parts.append(guide.text("asking", "again", reasons=" ".join(request.again)))
    return "\n".join(part for part in parts if part)


def cut(text: str, longest: int, rest: str = "") -> str:
    """The text up to a length, and where the rest is."""
    return text if len(text) <= longest else f"{shortened(text, longest)}{rest}"


# --- the speaker's card --------------------------------------------------------------------------------


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
        said = "\n".join(f"{turn.number}. {name_of(turn, table.roster)}: {turn.text}" for turn in missing)
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


def _joined(parts: Iterable[str]) -> str:
    return " / ".join(flat(part) for part in parts)
