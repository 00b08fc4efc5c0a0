"""Greeting, hand-off and recovery, in the words that the rules fix (GREET-1 to GREET-5)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .lines import listed
from .personas import Persona
from .progress import Past
from .steps import Phase

_REMEMBERED = 3


def new_in_phase(persona: Persona, phase: Phase) -> str:
    """The first words in a phase (GREET-1)."""
    return (
        f"{persona.name}: Hi, I'm {persona.first_name}, your {persona.role}. "
        f"I'll be guiding you through {phase.description}. Let's get started."
    )


def welcome_back(persona: Persona, *, titles: Sequence[str], past: Sequence[Past], ahead: str) -> str:
    """The first words after a pause: what was done, discussed, and comes next (GREET-2, GREET-3)."""
    said = ["Welcome back."]
    if titles:
        said.append(f"Last time we completed {listed(list(titles)[-_REMEMBERED:])}.")
    said += [
        f"We also had a roundtable discussion on step {each.step_id} where {woven(each.summary)}"
        for each in list(past)[-_REMEMBERED:]
    ]
    said.append(f"Let us pick up from {ahead}.")
    return f"{persona.name}: " + " ".join(said)


def woven(summary: str) -> str:
    """A summary as the end of a sentence: `Identified 3 gaps` becomes `we identified 3 gaps.`"""
    text = " ".join(summary.split()).rstrip(".")
    if re.match(r"\w+ed\b", text):
        text = f"we {text[0].lower()}{text[1:]}"
    return text + "."


def hand_off(outgoing: Persona, done: Phase, incoming: Persona, ahead: Phase) -> str:
    """The line between two leads (GREET-4)."""
    return (
        f"{outgoing.name} has finished {done.description}. "
        f"Handing off to {incoming.title} who will {_guide(ahead)}."
    )


def all_done(item_name: str, *, moved_on: bool) -> str:
    """What is said when nothing is left (GREET-5)."""
    text = f"All five phases of {item_name} are complete."
    if moved_on:
        return text + " The code has moved on since: some findings may be out of date."
    return text + " The code has not moved on since."


def _guide(phase: Phase) -> str:
    return f"guide you through {phase.description}"
