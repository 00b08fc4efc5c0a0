"""Discussions as plain values, for tests of what is measured on them."""

from __future__ import annotations

from dataclasses import dataclass

from people import ITEM, JOURNEYS, ROSTER
from roundtable.core.floor import Purpose
from roundtable.core.items import Item
from roundtable.core.synthesis import Draft
from roundtable.core.turns import NEUTRAL, USER, Material, Turn, Verdict
from roundtable.evaluation.discussion import Contribution, Discussion, Heard, Trial
from roundtable.evaluation.scripts import Message, Script


@dataclass(frozen=True, slots=True)
class Talk:
    """One contribution: who, what, what for; a message makes it the user's."""

    speaker: str
    text: str
    purpose: Purpose = "go-on"
    message: Message | None = None
    verdict: Verdict = NEUTRAL


def says(speaker: str, text: str, purpose: Purpose = "go-on") -> Talk:
    """A persona by first name."""
    keys = {persona.first_name: persona.key for persona in ROSTER.personas}
    return Talk(keys[speaker], text, purpose)


def user(message: Message, verdict: Verdict = NEUTRAL) -> Talk:
    return Talk(USER, message.text, message=message, verdict=verdict)


def discussion(
    *talk: Talk, name: str = "01-forms", item: Item = ITEM, material: str = "", draft: Draft | None = None
) -> Discussion:
    """A discussion of these turns; a reply answers the last message before it."""
    turns: list[Turn] = []
    contributions: list[Contribution] = []
    heard: list[Heard] = []
    for number, each in enumerate(talk, 1):
        turn = Turn(number, each.speaker, each.text, each.verdict)
        turns.append(turn)
        if each.message is not None:
            heard.append(Heard(each.message, turn))
            continue
        answers = heard[-1].message if heard and each.purpose in ("answer", "follow") else None
        contributions.append(Contribution(turn, each.purpose, answers, float(number)))
    script = Script(name, item, "01-03", messages=tuple(each.message for each in heard))
    return Discussion(
        script, JOURNEYS, ROSTER, item, (Material("requirements-spec.md", material),), tuple(turns), (),
        tuple(contributions), tuple(heard), draft or Draft(),
    )  # fmt: skip


def trial(first: Discussion, second: Discussion | None = None) -> Trial:
    """A script played; without a second discussion nobody spoke in it."""
    return Trial(first.script, first, second or discussion(name=first.script.name, item=first.item))
