"""Anchoring: probes whose place is certain, on the answer under a label or on a sentence with a role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...core.words import words_of
from .answers import Answer
from .lexicon import words
from .probes import Library, Probe, any_of, pattern
from .quoting import as_quoted, quote
from .reading import WEIGHT, Reading, Sentence
from .slots import known, single, thing_of, values_of

SURE = 40
"""The weight of what is right by its place."""

NARROWED = 4
"""What it counts that a probe was written for answers of this very kind."""

_ENTRY = re.compile(r"(?:^|\n|\s)(?:[-*•]|\d{1,2}[.)])\s+\S")
_MOST_OTHERS = 4
_FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A probe that a sentence calls for, with the values for its slots and how well it fits."""

    probe: Probe
    sentence: Sentence
    values: Mapping[str, str]
    weight: int
    at: int = 0
    """Where in the sentence the cue stands."""
    others: tuple[Hit, ...] = ()
    """The same probe on other sentences."""
    whole: bool = True
    """True where all its cues were met, not only the first."""


def on_answer(probe: Probe, given: Answer, reading: Reading) -> Hit | None:
    """The probe on a sentence of the answer under its label, or on the question that nobody could answer."""
    if not probe.fits(reading.step.step_id) or bool(probe.gap) == given.known:
        return None
    if any_of(probe.unless, given.text) or reading.settles(probe):
        return None
    if not given.known:
        values = {**dict(known(reading)), "quote": quote(given.asked), "word": given.label}
        return Hit(probe, Sentence(given.asked, "section", given.document, given.label), values, SURE)
    if not all(pattern(cue).search(given.text) for cue in probe.calls_for):
        return None
    found = [_on(probe, each, reading) for each in quotable(given.label, reading)]
    if not found:
        return None
    if probe.calls_for:
        # The sentence with the cue is what the probe speaks of; another one would be beside the point.
        found = [hit for hit in found if _meets(probe, hit.sentence.text)] or found[:1]
    elif not _is_list(given.text):
        # The other sentences of an answer often say something else, such as what it costs.
        found = found[:1]
    best, *others = found
    weight = SURE + (NARROWED if probe.calls_for else 0)
    return replace(best, weight=weight, others=tuple(others[:_MOST_OTHERS]))


def on_role(probe: Probe, sentences: Sequence[Sentence], reading: Reading, library: Library) -> Hit | None:
    """The probe on one of the sentences that play its role."""
    if not sentences or (probe.item and reading.kind(library) != probe.item):
        return None
    role = library.roles[probe.role or probe.item]
    found = [
        # At the very beginning too the clause of the cue is meant, and not just any.
        _on(probe, sentence, reading, max(1, role.place(sentence.text)))
        for sentence in sentences
        if all(pattern(cue).search(sentence.text) for cue in probe.calls_for)
        and not any_of(probe.unless, sentence.text)
    ]
    if not found or reading.settles(probe):
        return None
    best, *others = sorted(found, key=lambda hit: leans(hit.sentence.text))
    return replace(best, others=tuple(others[:_MOST_OTHERS]))


def quotable(label: str, reading: Reading) -> tuple[Sentence, ...]:
    """A short answer whole, else its first sentence, then those that can be understood alone."""
    found = [each for each in reading.sentences if each.label == label and each.origin == "section"]
    if not found:
        return ()
    first, *others = found
    rest = sorted(others, key=lambda each: leans(each.text))
    # "The filter. If it is too greedy ..." loses its point when only one half of it is quoted.
    lengths = (len(found), *((2,) if leans(first.text) else ()))
    whole = next((text for text in (_joined(found[:each]) for each in lengths) if others and text), "")
    return (replace(first, text=whole), *rest) if whole else (first, *rest)


def _is_list(text: str) -> bool:
    """True for an answer of several entries, each of the same kind."""
    return len(_ENTRY.findall(text)) > 1 or text.count("\n") > 1


def _joined(sentences: Sequence[Sentence]) -> str:
    """Sentences as one text; empty where they were no running text or are too much to quote."""
    if not all(each.text.rstrip().endswith((".", "!", "?")) for each in sentences[:-1]):
        return ""
    text = " ".join(each.text for each in sentences)
    return text if quote(text) == as_quoted(text) else ""


def leans(text: str) -> int:
    """How much a sentence needs another one: it is hardly one, or it points back; 0 where it stands alone."""
    said = words_of(text)
    return 2 * (len(said) < _FEWEST_WORDS) + (bool(said) and said[0] in words("leaning"))


def _meets(probe: Probe, text: str) -> bool:
    return bool(probe.calls_for) and bool(pattern(probe.calls_for[0]).search(text))


def _on(probe: Probe, sentence: Sentence, reading: Reading, at: int = 0) -> Hit:
    values = values_of(sentence, reading, at)
    for cue in probe.calls_for:
        match = pattern(cue).search(sentence.text)
        if match and match.groupdict().get("thing"):
            values.update(thing_of(match["thing"]))
        if match and "word" not in values:
            values["word"] = single(match.group(1) if match.re.groups and match.group(1) else match.group())
    return Hit(probe, sentence, values, 4 + WEIGHT[sentence.origin] + fit(probe, reading), at)


def fit(probe: Probe, reading: Reading) -> int:
    """What it counts that a probe was written for the step."""
    return 2 if probe.fits(reading.step.step_id) else -2
