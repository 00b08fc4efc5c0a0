"""Voices: whether a reader could tell who speaks without the names, and whether anybody forgets their voice.

The reader is a naive Bayes classifier on words and pairs of words. It learns from all items but one, those
of the other sets too, and is asked about that one. What gives a persona away too easily is taken out first:
names, roles, lens, the words of its sentence patterns, quotations and code. The framing is left out: its
words are the rule's (FRAME-1).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..core.personas import Persona, Roster
from ..core.voice import Said, check_voice
from ..core.words import words_of
from .discussion import Contribution, Discussion, Trial
from .figure import Bound, Figure, count, share
from .wording import carries, stem, without_quotations

_SLOT = re.compile(r"\{\w+\}|`[^`]*`")
_SMOOTHING = 0.5
_MASK = "_"
Features = Counter[str]


@dataclass(frozen=True, slots=True)
class _Sample:
    item: str
    speaker: str
    features: Features
    named: str


def measure(trials: Sequence[Trial], heard: Sequence[Trial] = ()) -> Iterator[Figure]:
    """Blind identification of the speaker by a reader who `heard` others too, then what the check finds."""
    told = _identified(_samples(trials), _samples(heard))
    yield share("speaker told from the words alone", told, Bound("at least", 95))
    discussions = [discussion for trial in trials for discussion in trial.discussions]
    spoken = sum(len(discussion.contributions) for discussion in discussions)
    found = [each for discussion in discussions for each in violations(discussion)]
    yield count("violations of a voice", found, among=f"{spoken} contributions")


def violations(discussion: Discussion) -> Iterator[str]:
    """What the voice check finds in the contributions as they were spoken, slot values and all."""
    names = [persona.name for persona in discussion.roster.personas]
    for each in discussion.contributions:
        earlier = [Said(turn.speaker, turn.text) for turn in discussion.turns[: each.turn.number - 1]]
        free = each.purpose in ("framing", "tradeoff")
        persona = discussion.roster[each.speaker]
        for found in check_voice(each.text, persona, earlier=earlier, names=names, free=free):
            words = found.found if found.kind == "forbidden" else found.reason
            yield f"{found.kind} ({words}) {discussion.named(each)}"


def markers(roster: Roster) -> frozenset[str]:
    """The stems of the words that give a persona away: its names, its lens and its sentence patterns."""
    return frozenset(
        stem(word.removesuffix("'s"))
        for persona in roster.personas
        for text in _telling(persona)
        for word in words_of(_SLOT.sub(" ", text))
        if carries(word)
    )


def masked(text: str, hidden: frozenset[str]) -> tuple[str, ...]:
    """The words of a text, with a mark in place of those that give the speaker away."""
    plain = (word.removesuffix("'s") for word in words_of(without_quotations(text)))
    return tuple(_MASK if stem(word) in hidden else word for word in plain)


def _telling(persona: Persona) -> tuple[str, ...]:
    own = (persona.name, persona.role, persona.short_role, persona.perspective, "option", "criteria")
    return (*own, *persona.lens, *persona.patterns)


def _samples(trials: Iterable[Trial]) -> list[_Sample]:
    made = []
    for trial in trials:
        for discussion in trial.discussions:
            hidden = markers(discussion.roster)
            made += [_sample(discussion, each, hidden) for each in discussion.contributions if _counts(each)]
    return made


def _counts(contribution: Contribution) -> bool:
    return contribution.purpose != "framing"


def _sample(discussion: Discussion, contribution: Contribution, hidden: frozenset[str]) -> _Sample:
    words = masked(contribution.text, hidden)
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    features = Counter(word for word in (*words, *pairs) if word != _MASK)
    return _Sample(discussion.script.name, contribution.speaker, features, discussion.named(contribution))


def _identified(samples: Sequence[_Sample], heard: Sequence[_Sample]) -> Iterator[tuple[bool, str]]:
    """Each sample, and whether a reader who knows only the other items names its speaker."""
    known = _Known()
    for sample in (*heard, *samples):
        known.learn(sample)
    for item in dict.fromkeys(sample.item for sample in samples):
        asked = [sample for sample in samples if sample.item == item]
        for sample in asked:
            known.forget(sample)
        for sample in asked:
            guess = known.guess(sample.features)
            yield guess == sample.speaker, f"taken for {guess}: {sample.named}"
        for sample in asked:
            known.learn(sample)


class _Known:
    """What was learnt: how often each speaker uses each feature."""

    def __init__(self) -> None:
        self._used: dict[str, Counter[str]] = {}
        self._spoke: Counter[str] = Counter()

    def learn(self, sample: _Sample) -> None:
        self._used.setdefault(sample.speaker, Counter()).update(sample.features)
        self._spoke[sample.speaker] += 1

    def forget(self, sample: _Sample) -> None:
        self._used[sample.speaker].subtract(sample.features)
        self._spoke[sample.speaker] -= 1

    def guess(self, features: Features) -> str | None:
        """The likeliest speaker; features that nobody used say nothing."""
        seen = [(word, times) for word, times in features.items() if self._is_used(word)]
        vocabulary = len({word for used in self._used.values() for word in used}) or 1
        spoken = sum(self._spoke.values())
        best: tuple[float, str] | None = None
        for speaker, used in self._used.items():
            if not self._spoke[speaker]:
                continue
            total = used.total() + _SMOOTHING * vocabulary
            score = math.log(self._spoke[speaker] / spoken)
            score += sum(times * math.log((used[word] + _SMOOTHING) / total) for word, times in seen)
            best = max(best or (score, speaker), (score, speaker))
        return best[1] if best else None

    def _is_used(self, word: str) -> bool:
        return any(used[word] > 0 for used in self._used.values())
