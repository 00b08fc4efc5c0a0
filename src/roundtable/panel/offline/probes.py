"""Probes: what a discipline asks about a kind of topic, as data (see `content/probes`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ...core.steps import Step
from ...core.words import folded
from .occasions import NEXT as NEXT
from .occasions import USES as USES
from .recognition import Index
from .template import Template

if TYPE_CHECKING:
    from .ranking import Ranking
    from .replybook import ReplyBook

ANYBODY = "*"
"""The persona of what every persona may say."""

GAPS = ("unanswered", "quality", "happy", "hedge", "empty", "term", "bare")
"""What a reading finds missing: an answer, a measure, the failure, a decision, a text, a definition, all."""

UNANSWERED = "unanswered"
"""The gap that may be narrowed to one question of a step."""

ROLES = (
    "wish", "complaint", "workaround", "cause", "expected", "reason", "compare", "count", "limit", "when",
    "choice",
)  # fmt: skip
"""What a sentence may do in an item; its cues are data."""

ITEMS = ("bug", "feature")
"""What kind of item there may be."""


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

    @property
    def quotes(self) -> bool:
        """True where it needs a sentence to quote."""
        return not self.text.slots.isdisjoint({"quote", "says"})


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
    answer: str = ""
    """The label of the question whose answer it speaks to; with a gap, whose answer is missing."""
    role: str = ""
    """What the sentence does in the item that it speaks to."""
    item: str = ""
    """The kind of item that it is for."""
    unless: tuple[str, ...] = ()
    settled_by: tuple[str, ...] = ()
    opposes: str = ""
    own: bool = False
    """True for a probe that the project itself has written."""

    @property
    def certain(self) -> bool:
        """True where its place is given by a label: it is right in sense wherever it speaks."""
        return bool(self.answer)

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
class Role:
    """What shows that a sentence has a role, and what casts a doubt on it."""

    cues: tuple[str, ...]
    unless: tuple[str, ...] = ()

    def is_played(self, text: str) -> bool:
        """True where a cue is met and nothing speaks against it."""
        return any_of(self.cues, text) and not any_of(self.unless, text)

    def place(self, text: str) -> int:
        """Where the first of its cues stands."""
        met = (pattern(cue).search(text) for cue in self.cues)
        return min((found.start() for found in met if found), default=0)


@dataclass(frozen=True, slots=True)
class Stock:
    """A line for an occasion that no probe covers, in one persona's voice or in anybody's."""

    use: str
    persona: str
    text: Template


@dataclass(frozen=True, eq=False)
class Library:
    """Everything that the offline panel knows."""

    probes: tuple[Probe, ...] = ()
    topics: tuple[Topic, ...] = ()
    stock: tuple[Stock, ...] = ()
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The phrases that belong to a step, by its id: where a point fits that strays from another."""
    vocabulary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words that are at home in a step, by its id."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """What shows the role of a sentence, by its name, and the kind of an item."""
    needles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For a cue, pieces of text of which one has to be there where it is met."""
    replies: Callable[[], ReplyBook] | None = None
    """Where the replies come from; they are read with the user's first words."""

    @cached_property
    def book(self) -> ReplyBook:
        """What is said to the user's words."""
        from .replybook import ReplyBook

        return self.replies() if self.replies else ReplyBook()

    def of(self, persona: str) -> tuple[Probe, ...]:
        """The probes of a persona; those of anybody where it has none."""
        return self._by_persona.get(persona) or self._by_persona.get(ANYBODY, ())

    def answering(self, persona: str, label: str) -> tuple[Probe, ...]:
        """The probes of a persona that speak to the answer under a label."""
        if persona not in self._answering:
            found: dict[str, list[Probe]] = {}
            for probe in self.of(persona):
                if probe.answer:
                    found.setdefault(folded(probe.answer), []).append(probe)
            self._answering[persona] = {key: tuple(probes) for key, probes in found.items()}
        return self._answering[persona].get(folded(label), ())

    def phrases(self, persona: str) -> Index[tuple[Probe, Phrase]]:
        """Everything that a persona's probes can say, by the piece of text that it is known by."""
        if persona not in self._known_by:
            said = ((probe, phrase) for probe in self.of(persona) for phrase in probe.says)
            self._known_by[persona] = Index.of((each.text.fragment, (probe, each)) for probe, each in said)
        return self._known_by[persona]

    def spoken_replies(self, persona: str) -> Index[tuple[Probe, Phrase]]:
        """Everything that a persona may say to the user's words, likewise."""
        if persona not in self._replied:
            self._replied[persona] = Index.of(self.book.phrases(persona))
        return self._replied[persona]

    @cached_property
    def rankings(self) -> list[tuple[tuple[Step, ...], Ranking]]:
        """The ranking of the steps that were ranked last."""
        return []

    @cached_property
    def _by_persona(self) -> Mapping[str, tuple[Probe, ...]]:
        found: dict[str, tuple[Probe, ...]] = {}
        for probe in self.probes:
            found[probe.persona] = (*found.get(probe.persona, ()), probe)
        return found

    @cached_property
    def _answering(self) -> dict[str, dict[str, tuple[Probe, ...]]]:
        return {}

    @cached_property
    def _replied(self) -> dict[str, Index[tuple[Probe, Phrase]]]:
        return {}

    @cached_property
    def _known_by(self) -> dict[str, Index[tuple[Probe, Phrase]]]:
        return {}

    @cached_property
    def _by_use(self) -> Mapping[tuple[str, str], tuple[Template, ...]]:
        found: dict[tuple[str, str], list[Template]] = {}
        for line in self.stock:
            found.setdefault((line.use, line.persona), []).append(line.text)
        return {key: tuple(texts) for key, texts in found.items()}

    def lines(self, use: str, persona: str) -> tuple[Template, ...]:
        """The stock lines of a persona for an occasion; those of anybody where it has none.

        A special use such as `next-figure` falls back on the plain one.
        """
        for wanted in (use, use.partition("-")[0]) if use in NEXT else (use,):
            for key in (persona, ANYBODY):
                if (wanted, key) in self._by_use:
                    return self._by_use[wanted, key]
        return ()

    def variants(self, topic_id: str) -> tuple[Topic, ...]:
        """The ways to frame a topic, the one that needs most to be known first."""
        return tuple(topic for topic in self.topics if topic.id == topic_id)


@lru_cache(maxsize=8_192)
def pattern(text: str) -> re.Pattern[str]:
    """A cue as a regular expression."""
    return re.compile(text, re.IGNORECASE)


def any_of(patterns: tuple[str, ...], text: str) -> bool:
    """True where one of the patterns is found."""
    return any(pattern(each).search(text) for each in patterns)
