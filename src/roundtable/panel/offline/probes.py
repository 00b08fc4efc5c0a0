"""Probes: what a discipline asks about a kind of topic, as data (see `content/probes`)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from .template import Template

ANYBODY = "*"
"""The persona of what every persona may say."""

GAPS = ("quality", "happy", "hedge", "empty", "term", "bare")
"""What a reading finds missing: a measure, the failure, a decision, a text, a definition, everything."""

USES = (
    "figure", "no-figure", "found", "absent", "decided", "decided-open", "stated", "next", "pasted",
    "foreign", "bare", "why", "upset", "last", "tradeoff", "feedback", "reading", "ahead",
)  # fmt: skip
"""What stock lines are for."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say a probe, with the handle, insight, question and action that belong to these words."""

    form: str
    text: Template
    handle: str
    insight: Template
    open: Template | None = None
    action: Template | None = None
    leads: tuple[tuple[str, Template], ...] = ()
    """What may stand before the text when a persona, by key, made a point on the same topic."""
    against: bool = False
    """Said only in opposition to the probe that is named in `opposes`."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Who, about what, at which steps, what calls for it, what forbids or settles it, and how it is said."""

    id: str
    persona: str
    topics: tuple[str, ...]
    says: tuple[Phrase, ...]
    steps: tuple[str, ...] = ()
    calls_for: tuple[str, ...] = ()
    gap: str = ""
    unless: tuple[str, ...] = ()
    settled_by: tuple[str, ...] = ()
    opposes: str = ""

    def fits(self, step_id: str) -> bool:
        """True where the probe was written for the step."""
        return step_id.startswith(self.steps) if self.steps else True


@dataclass(frozen=True, slots=True)
class Topic:
    """What is at stake: the gap for a summary, the focus question by lead, and the topic in a few words."""

    id: str
    name: Template
    gap: Template
    questions: tuple[tuple[str, Template], ...]

    def question(self, lead: str) -> Template | None:
        """The question that a lead asks; the one for anybody where it has none of its own."""
        asked = dict(self.questions)
        return asked.get(lead) or asked.get(ANYBODY)


@dataclass(frozen=True, slots=True)
class Stock:
    """A line for an occasion that no probe covers, in one persona's voice or in anybody's."""

    use: str
    persona: str
    text: Template


@dataclass(frozen=True, slots=True)
class Library:
    """Everything that the offline panel knows."""

    probes: tuple[Probe, ...] = ()
    topics: tuple[Topic, ...] = ()
    stock: tuple[Stock, ...] = ()
    places: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False, compare=False)
    """The phrases that belong to a step, by its id: where a point fits that strays from another."""

    def of(self, persona: str) -> tuple[Probe, ...]:
        """The probes of a persona; those of anybody where it has none."""
        own = tuple(probe for probe in self.probes if probe.persona == persona)
        return own or tuple(probe for probe in self.probes if probe.persona == ANYBODY)

    def lines(self, use: str, persona: str) -> tuple[Template, ...]:
        """The stock lines of a persona for an occasion; those of anybody where it has none."""
        fitting = [line for line in self.stock if line.use == use]
        own = tuple(line.text for line in fitting if line.persona == persona)
        return own or tuple(line.text for line in fitting if line.persona == ANYBODY)

    def variants(self, topic_id: str) -> tuple[Topic, ...]:
        """The ways to frame a topic, the one that needs most to be known first."""
        return tuple(topic for topic in self.topics if topic.id == topic_id)


@lru_cache(maxsize=2048)
def pattern(text: str) -> re.Pattern[str]:
    """A cue as a regular expression."""
    return re.compile(text, re.IGNORECASE)


def any_of(patterns: tuple[str, ...], text: str) -> bool:
    """True where one of the patterns is found."""
    return any(pattern(each).search(text) for each in patterns)
