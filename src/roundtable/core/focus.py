"""The focus: what a verdict leads to, and where a point that is put off belongs (FOCUS-1, FOCUS-2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .personas import Persona
from .steps import PHASES, Step, phase_of
from .turns import USER, OffTopic, Parked, Turn
from .words import words_of

LATER = "We can come back to that after this discussion."
# Words that never begin a name.
_OPENERS = frozenset(
    words_of("a an the what who whom whose when where which why how whether this that these those")
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a point belongs and still can be taken up: the name to say, and the phase's name."""

    name: str
    phase: str


def place(belongs_to: str | None, *, steps: Sequence[Step], current: str) -> Place | None:
    """The step or phase ahead where a point belongs; none where it is past or unknown."""
    if belongs_to is None:
        return None
    step = next((step for step in steps if step.step_id == belongs_to), None)
    if step is not None:
        phase = phase_of(step.step_id)
        if phase is None or step.step_id <= current:
            return None
        return Place(step.title if phase.number == current[:2] else phase.name, phase.name)
    ahead = next((phase for phase in PHASES if phase.key == belongs_to and phase.number > current[:2]), None)
    return Place(ahead.name, ahead.name) if ahead else None


def redirect(lead: Persona, speaker: str, drift: OffTopic, *, topic: str, ahead: Place | None) -> str:
    """The lead's gentle redirect of a persona, by name, or of the user."""
    if speaker == USER:
        if ahead is None:
            return f"{lead.title}: That is a great question. For now, let us focus on {topic}. {LATER}"
        return f"{lead.title}: That is a great question for {ahead.phase}. For now, let us focus on {topic}."
    then = f"We can explore that when we get to {ahead.name}." if ahead else LATER
    return (
        f"{lead.title}: {speaker} raises an interesting point about {drift.subject}, "
        f"but let us stay focused on {topic}. {then}"
    )


def park(turn: Turn, drift: OffTopic) -> Parked:
    """The point as it is kept for the step where it belongs."""
    return Parked(drift.subject, drift.belongs_to, turn.number, turn.speaker, " ".join(turn.text.split()))


def within_sentence(topic: str) -> str:
    """A topic as it stands inside a sentence: one line, no full stop, no capital that only a heading has."""
    words = " ".join(topic.split()).rstrip(".?!")
    first = words.split(" ")[0]
    return first.lower() + words[len(first) :] if first.lower() in _OPENERS else words
