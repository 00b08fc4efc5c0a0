"""Labels: which answer of a step leaves most open, and so becomes the focus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from ...core.commands import Brief
from ...core.words import folded, words_of
from .anchoring import quotable
from .answers import Answer
from .calling import Hit, certain_hits
from .lexicon import sign
from .phrases import quote
from .probes import Library, Probe
from .reading import Reading, Sentence
from .slots import known, values_of

OPEN = ".open"
"""What the id of a topic ends in that frames a question without an answer."""

_SHORT_ANSWER = 8
_LEAST_QUOTED = 4


@dataclass(frozen=True, slots=True)
class Stake:
    """A topic on which the others have something to ask, the sentence it hangs on, and its weight."""

    topic: str
    values: Mapping[str, str]
    sentence: Sentence
    weight: int


def topic_of(step_id: str, label: str) -> str:
    """The topic of what is said about the answer under a label: `01-03.detour`."""
    return f"{step_id}.{'-'.join(words_of(label))}"


def speaks_to(probe: Probe, step_id: str, topic: str | None) -> bool:
    """True where a probe is about the topic, by its topics or by its label."""
    return topic is not None and (
        topic in probe.topics or (bool(probe.answer) and topic == topic_of(step_id, probe.answer))
    )


def by_label(brief: Brief, reading: Reading, library: Library) -> list[Stake]:
    """The labels by what they leave open: the unanswered first, then those on which most is unsaid."""
    if reading.language == "foreign":
        return []
    waiting, raised = _waiting(brief, reading, library)
    found = []
    for given in reading.answers:
        key = folded(given.label)
        count = len(waiting.get(key, ()))
        stake = _stake(given, topic_of(reading.step.step_id, given.label), reading)
        if stake is None or (not count and reading.elaborated):
            continue
        order = crc32(f"{reading.item.slug}|{given.label}".encode())
        # What was raised before comes last, and of that what came first: it was the focus then.
        before = raised.get(key, [])
        unknown = not given.known and bool(count)
        weight = (-len(before), min(before, default=0), unknown, count, _openness(given), order)
        found.append((weight, stake))
    return [stake for _, stake in sorted(found, key=lambda each: each[0], reverse=True)]


def raised_before(hit: Hit, reading: Reading) -> bool:
    """True where an earlier discussion left this very point in the documents."""
    return _raised_at(hit, reading) >= 0


def _raised_at(hit: Hit, reading: Reading) -> int:
    """Where in what earlier discussions left the point stands; -1 where it does not."""
    left = reading.elaborated_low
    places = [left.find(phrase.insight.fragment) for phrase in hit.probe.says] if left else []
    return min((place for place in places if place >= 0), default=-1)


def _waiting(
    brief: Brief, reading: Reading, library: Library
) -> tuple[dict[str, set[str]], dict[str, list[int]]]:
    """Who of the others has something unsaid on each label, and where it was spoken to before."""
    waiting: dict[str, set[str]] = {}
    raised: dict[str, list[int]] = {}
    for persona in brief.table.roster.others(brief.table.lead):
        for hit in certain_hits(reading, library, persona.key):
            label, place = folded(hit.probe.answer), _raised_at(hit, reading)
            if place >= 0:
                raised.setdefault(label, []).append(place)
            else:
                waiting.setdefault(label, set()).add(persona.key)
    return waiting, raised


def _openness(given: Answer) -> int:
    """How much an answer leaves open by its own words."""
    doubts = bool(sign("doubt").search(given.text))
    return 2 * doubts + (len(words_of(given.text)) < _SHORT_ANSWER)


def _stake(given: Answer, topic: str, reading: Reading) -> Stake | None:
    if not given.known:
        sentence = Sentence(given.asked, "section", given.document, given.label)
        values = {**dict(known(reading)), "quote": quote(given.asked), "word": given.label}
        return Stake(topic + OPEN, values, sentence, 1)
    found = quotable(given.label, reading)
    said = [each for each in found if len(quote(each.text).split()) >= _LEAST_QUOTED] or found
    return Stake(topic, {**values_of(said[0], reading), "word": given.label}, said[0], 1) if said else None
