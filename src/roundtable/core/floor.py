"""The floor: who speaks next (rules LOOP-1, LOOP-4, LOOP-7, LOOP-8, HEAR-2 to HEAR-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .hearing import Heard, address
from .personas import Persona, Roster
from .turns import USER, Turn

Purpose = Literal["framing", "first-round", "answer", "follow", "go-on", "tradeoff"]


@dataclass(frozen=True, slots=True)
class Due:
    """A persona whose contribution is due, and what for.

    With `may_pass` it speaks only if it has something distinct to add. With `may_yield` it should speak, but
    may yield if it has nothing left: then the next in order speaks, or the lead asks whether to wrap up.
    """

    persona: str
    purpose: Purpose
    may_pass: bool = False
    may_yield: bool = False


def first_round(roster: Roster, lead: Persona) -> tuple[Due, ...]:
    """Everybody but the lead, beginning with the one whom the framing addressed."""
    return tuple(Due(persona.key, "first-round") for persona in roster.others(lead))


def go_on(roster: Roster, lead: Persona, turns: Sequence[Turn]) -> tuple[Due, ...]:
    """The user was silent: one persona speaks, first whoever was addressed and has not answered (LOOP-6)."""
    order = (lead, *roster.others(lead))
    spoke = next((turn.speaker for turn in reversed(turns) if turn.speaker != USER), lead.key)
    at = next((place for place, persona in enumerate(order) if persona.key == spoke), 0)
    waiting = unanswered(roster, lead, turns)
    rest = [persona.key for persona in (*order[at + 1 :], *order[: at + 1]) if persona.key not in waiting]
    return tuple(Due(key, "go-on", may_yield=True) for key in (*waiting, *rest))


def unanswered(roster: Roster, lead: Persona, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Whoever the user addressed last, by name or as the group, and has not spoken since (LOOP-8)."""
    asked = [turn for turn in turns if turn.speaker == USER and address(turn.text, roster).kind != "open"]
    if not asked:
        return ()
    heard = address(asked[-1].text, roster)
    spoke = {turn.speaker for turn in turns[asked[-1].number :]}
    return tuple(key for key in _addressed(heard, roster, lead) if key not in spoke)


def reply(heard: Heard, roster: Roster, lead: Persona, waiting: Sequence[str] = ()) -> tuple[Due, ...]:
    """Who answers the user: the addressed one, all, or the lead; others only with something to add.

    `waiting` were addressed before and not heard; they speak before the lead does.
    """
    addressed = _addressed(heard, roster, lead)
    if heard.kind == "group":
        return tuple(Due(key, "answer") for key in addressed)
    obliged = addressed or tuple(key for key in waiting if key != lead.key) or (lead.key,)
    followers = [persona.key for persona in (lead, *roster.others(lead)) if persona.key not in obliged]
    return (
        *(Due(key, "answer", may_yield=key == lead.key and not addressed) for key in obliged),
        *(Due(key, "follow", may_pass=True) for key in followers),
    )


def _addressed(heard: Heard, roster: Roster, lead: Persona) -> tuple[str, ...]:
    """The keys of those whom a message addresses, in the order in which they answer."""
    if heard.kind == "group":
        others = sorted(roster.others(lead), key=lambda persona: persona.first_name.casefold())
        return tuple(persona.key for persona in (lead, *others))
    return (heard.persona,) if heard.persona else ()


def weigh(due: tuple[Due, ...], lead: Persona, *, closing: bool) -> tuple[Due, ...]:
    """The lead sums up a disagreement after those who must speak; at the end it takes the last place."""
    obliged = tuple(each for each in due if each.purpose == "first-round" or not (closing or each.may_pass))
    return (*obliged, Due(lead.key, "tradeoff"))


def close(due: tuple[Due, ...]) -> tuple[Due, ...]:
    """What is left of a round once one persona has spoken after the warning."""
    return tuple(each for each in due if each.purpose == "first-round")
