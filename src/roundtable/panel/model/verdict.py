"""The trailer: a speaker's own verdict on its words, given with them on a line that is never shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...core.markup import printable
from ...core.personas import Roster
from ...core.steps import PHASES, Step, phase_of
from ...core.synthesis import flat
from ...core.turns import NEUTRAL, OffTopic, Verdict
from ...core.words import words_of

SIGN = "@@"
_FIELD = re.compile(r"(?:(?<=[\s;,])|^)(?P<name>opposes|decides|drifts|next)\s*[=:]", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,4}")
_PLACE = re.compile(r"(?P<step>\d{2}(?:-\d{2}|-[a-z-]+)?)\s*[:,]?\s*(?P<subject>.*)", re.DOTALL)
_NOTHING = frozenset({"", "none", "no", "nobody", "null", "n/a", "-", "nothing", "false"})
_LONGEST_SUBJECT = 80
_SHORT = 3


@dataclass(frozen=True, slots=True)
class Trailer:
    """The verdict, and who else has something to add; None where the speaker did not say."""

    verdict: Verdict = NEUTRAL
    next: tuple[str, ...] | None = None


def read_trailer(text: str, roster: Roster, steps: Sequence[Step], current: str, number: int) -> Trailer:
    """What a trailer says that came with turn `number`; what cannot be understood is left out."""
    found = tuple(_FIELD.finditer(text))
    ends = (*(each.start() for each in found[1:]), len(text))
    fields = {
        each["name"].lower(): text[each.end() : end].strip().strip(" ;,.")
        for each, end in zip(found, ends, strict=False)
    }
    opposed = _numbers(fields.get("opposes", ""))
    verdict = Verdict(
        opposes=opposed[0] if opposed else None,
        off_topic=_drift(fields.get("drifts", ""), steps, current),
        decisions=tuple(sorted(set(_numbers(fields.get("decides", ""))))),
    ).within(number)
    return Trailer(verdict, _named(fields["next"], roster) if "next" in fields else None)


def place_of(place: str, subject: str, steps: Sequence[Step], current: str) -> str | None:
    """The step that a point belongs to, by its id or by the phase and the point's words; else the phase."""
    named = place.strip()
    if any(step.step_id == named for step in steps):
        return named
    phase = next(
        (phase for phase in PHASES if named and named in (phase.number, phase.key, phase.name)), None
    )
    if phase is None:
        return None
    words = _telling(subject)
    own = [step for step in steps if step.phase == phase and step.step_id != current]
    best = max(own, key=lambda step: len(words & _telling(step.title)), default=None)
    if best is not None and words & _telling(best.title):
        return best.step_id
    return None if phase == phase_of(current) else phase.key


def off_topic(subject: str, step: str, steps: Sequence[Step], current: str) -> OffTopic | None:
    """A drift as it is parked, with the step or phase where it belongs; what belongs here does not drift."""
    words = flat(printable(subject))[:_LONGEST_SUBJECT].strip()
    belongs_to = place_of(step, words, steps, current)
    return OffTopic(words, belongs_to) if words and belongs_to != current else None


def _drift(value: str, steps: Sequence[Step], current: str) -> OffTopic | None:
    if value.lower() in _NOTHING:
        return None
    found = _PLACE.fullmatch(value)
    return (
        off_topic(found["subject"], found["step"], steps, current)
        if found
        else off_topic(value, "", steps, current)
    )


def _telling(text: str) -> set[str]:
    return {word.rstrip("s") for word in words_of(text) if len(word) > _SHORT}


def _numbers(value: str) -> tuple[int, ...]:
    return tuple(int(found) for found in _NUMBER.findall(value))


def _named(value: str, roster: Roster) -> tuple[str, ...]:
    said = {word.casefold() for word in re.findall(r"[\w'-]+", value)}
    return tuple(persona.key for persona in roster.personas if persona.first_name.casefold() in said)
