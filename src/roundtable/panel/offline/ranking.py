"""Ranking: how much a sentence speaks of each step, by BM25 and by the words that each step owns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from ...core.steps import Step
from .lexicon import words
from .phrases import content
from .probes import Library

_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Ranking:
    """The steps as documents: their words, how rare each word is, and the phrases that belong to each."""

    counts: Mapping[str, Counter[str]]
    rarity: Mapping[str, float]
    lengths: Mapping[str, float]
    phrases: Mapping[str, tuple[str, ...]]
    vocabulary: Mapping[str, frozenset[str]]
    work: frozenset[str]
    """Every word of the steps: what people speak of at work."""
    strong: Mapping[str, frozenset[str]]
    """Of the vocabulary, the words that point to a step alone."""

    def scores(self, stems: Iterable[str]) -> dict[str, float]:
        """The BM25 score of each step for some stems."""
        asked = set(stems) & self.rarity.keys()
        return {step_id: self._score(step_id, asked) for step_id in self.counts}

    def weight(self, stems: Iterable[str]) -> float:
        """How telling some stems are, whatever step they come from."""
        return sum(self.rarity.get(stem, 1.0) for stem in stems)

    def _score(self, step_id: str, asked: set[str]) -> float:
        counts, length = self.counts[step_id], self.lengths[step_id]
        return sum(
            self.rarity[stem] * counts[stem] * (_K1 + 1) / (counts[stem] + _K1 * (1 - _B + _B * length))
            for stem in asked
            if counts[stem]
        )


def ranking(steps: tuple[Step, ...], library: Library) -> Ranking:
    """The ranking of these steps, made once."""
    for known, made in library.rankings:
        if known is steps:
            return made
    made = _ranking(steps, tuple(sorted(library.places.items())), tuple(sorted(library.vocabulary.items())))
    library.rankings[:] = [(steps, made)]
    return made


_ByStep = tuple[tuple[str, tuple[str, ...]], ...]


def _ranking(steps: tuple[Step, ...], places: _ByStep, vocabulary: _ByStep) -> Ranking:
    owned = dict(places)
    at_home = {step_id: frozenset(content(" ".join(listed))) for step_id, listed in vocabulary}
    strong = {
        step_id: frozenset(content(" ".join(word for word in listed if word.endswith("!"))))
        for step_id, listed in vocabulary
    }
    counts = {step.step_id: Counter(content(_told(step))) for step in steps}
    total = len(counts) or 1
    mean = sum(sum(each.values()) for each in counts.values()) / total or 1.0
    holding = Counter(stem for each in counts.values() for stem in each)
    rarity = {stem: log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in holding.items()}
    lengths = {step_id: sum(each.values()) / mean for step_id, each in counts.items()}
    phrases = {step.step_id: (*owned.get(step.step_id, ()), _plain(step.title)) for step in steps}
    told = " ".join(each.example for step in steps for each in (*step.brief, *step.standard, *step.deep))
    work = frozenset(holding).union(content(told), content(" ".join(words("verb"))), *at_home.values())
    return Ranking(counts, rarity, lengths, phrases, at_home, work, strong)


def _told(step: Step) -> str:
    """What a step is about in its own words; its examples are other people's items and are left out."""
    asked = {f"{each.label} {each.text} {each.help}" for each in (*step.brief, *step.standard, *step.deep)}
    return " ".join((step.title, step.title, *sorted(asked), *(each.follow_up for each in step.validation)))


def _plain(title: str) -> str:
    return "".join(char if char.isalnum() or char == " " else "." for char in title)
