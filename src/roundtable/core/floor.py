"""The floor: who speaks next (rules LOOP-1, LOOP-4, LOOP-7, LOOP-8, HEAR-2 to HEAR-4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .hearing import Heard
from .personas import Persona, Roster

Purpose = Literal["framing", "first-round", "answer", "follow", "go-on", "tradeoff"]


@dataclass(frozen=True, slots=True)
class Due:
    """A persona whose contribution is due, what for, and whether it may be silent."""

    persona: str
    purpose: Purpose
    may_pass: bool = False


def first_round(roster: Roster, lead: Persona) -> tuple[Due, ...]:
    """Everybody but the lead, beginning with the one whom the framing addressed."""
    return tuple(Due(persona.key, "first-round") for persona in roster.others(lead))


def go_on(roster: Roster, lead: Persona) -> tuple[Due, ...]:
    """All speak, lead first: the user was silent."""
    return tuple(Due(persona.key, "go-on") for persona in (lead, *roster.others(lead)))


def reply(heard: Heard, roster: Roster, lead: Persona) -> tuple[Due, ...]:
    """Who answers the user: the addressed one, all, or the lead; others only with something to add."""
    if heard.kind == "group":
        others = sorted(roster.others(lead), key=lambda persona: persona.first_name.casefold())
        return tuple(Due(persona.key, "answer") for persona in (lead, *others))
    first = roster[heard.persona] if heard.persona else lead
    followers = [persona for persona in (lead, *roster.others(lead)) if persona.key != first.key]
    return (
        Due(first.key, "answer"),
        *(Due(persona.key, "follow", may_pass=True) for persona in followers),
    )


def weigh(due: tuple[Due, ...], lead: Persona, *, closing: bool) -> tuple[Due, ...]:
    """The lead sums up a disagreement after those who must speak; at the end it takes the last place."""
    obliged = tuple(each for each in due if each.purpose == "first-round" or not (closing or each.may_pass))
    return (*obliged, Due(lead.key, "tradeoff"))


def close(due: tuple[Due, ...]) -> tuple[Due, ...]:
    """What is left of a round once one persona has spoken after the warning."""
    return tuple(each for each in due if each.purpose == "first-round")
