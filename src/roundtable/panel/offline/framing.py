"""Framing: what the step's documents say, the largest gap in them, and the question that goes to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from ...core.commands import Brief
from ...core.lines import framing as framed
from ...core.voice import check_voice
from ..base import Framing
from .calling import Hit, hits
from .labels import OPEN, Stake, by_label, raised_before
from .landing import central, landed
from .phrases import quote
from .probes import Library
from .reading import Reading, Sentence
from .template import capital

_LONGEST_TOPIC = 90
# Gaps that fit nearly every text: the step's own question is better than any of them.
_PLAIN = frozenset({"happy", "hedge", "term", "quality"})
_LAST_TOPIC, _FOREIGN, _CODE, _THIN = "bare", "foreign", "code", "thin"


def frame(brief: Brief, reading: Reading, library: Library) -> Framing:
    """The framing on the topic at which most is open, in words that keep the lead's voice."""
    table = brief.table
    names = [persona.name for persona in table.roster.personas]
    first = table.roster.others(table.lead)[0]
    last: Framing | None = None
    for made in _candidates(brief, reading, library):
        last = made
        said = framed(
            title=table.step.title, summary=made.summary, focus_question=made.focus_question, first=first
        )
        if not check_voice(said, table.lead, earlier=(), names=names, free=True):
            return made
    return last or Framing(landed(reading), f"What is still open in {table.step.title}?", table.step.title)


@lru_cache(maxsize=64)
def focus_topic(table_question: str, lead: str, library: Library) -> str | None:
    """The topic that a focus question was made from."""
    for topic in library.topics:
        asked = topic.question(lead)
        if asked and asked.recover(table_question) is not None:
            return topic.id.removesuffix(OPEN)
    return None


def _candidates(brief: Brief, reading: Reading, library: Library) -> Iterator[Framing]:
    # What hangs on words is looked for only where no label leads to a question.
    for stake in chain(by_label(brief, reading, library), _from_words(brief, reading, library)):
        for topic in library.variants(stake.topic):
            asked = topic.question(brief.table.lead.key)
            question = asked.fill(stake.values) if asked else None
            gap, name = topic.gap.fill(stake.values), topic.name.fill(stake.values)
            if question and gap and name:
                short = name if len(name) <= _LONGEST_TOPIC else brief.table.step.title
                before = landed(reading, f"{question} {gap}", stake.sentence.label)
                summary = f"{before} {capital(gap)}"
                yield Framing(summary, question[:1].lower() + question[1:], short)


def _from_words(brief: Brief, reading: Reading, library: Library) -> Iterator[Stake]:
    yield from _stakes(brief, reading, library)


def _stakes(brief: Brief, reading: Reading, library: Library) -> list[Stake]:
    """The topics by how many of the others would speak to them, how well, and whether that is news."""
    best: dict[str, list[Hit]] = {}
    for persona in brief.table.roster.others(brief.table.lead):
        seen: set[str] = set()
        for hit in hits(reading, library, persona.key):
            for topic in hit.probe.topics:
                if topic not in seen:
                    seen.add(topic)
                    best.setdefault(topic, []).append(hit)
    stakes = []
    for topic, called in best.items():
        anchor = max(called, key=lambda hit: hit.weight)
        weight = sum(hit.weight for hit in called)
        if all(raised_before(hit, reading) for hit in called):
            weight -= 40
        stakes.append(Stake(topic, anchor.values, anchor.sentence, weight))
    stakes.sort(key=lambda stake: -stake.weight)
    bare = Sentence(reading.item.name, "item")
    values = {
        "actor": reading.actor, "title": reading.step.title, "item": quote(reading.item.name),
        "quote": quote(reading.item.name), "says": bare.said, "word": reading.step.title,
    }  # fmt: skip
    last = _LAST_TOPIC
    if reading.language == "foreign":
        last = _FOREIGN
        values["quote"] = quote(reading.sentences[-1].text)
    elif reading.sentences:
        last = _THIN
        values["quote"] = quote(central(reading).text)
    elif reading.names:
        last = _CODE
        values["word"] = reading.names[0]
    known = [stake for stake in stakes if stake.topic != _LAST_TOPIC]
    special = [stake for stake in known if stake.topic not in _PLAIN]
    plain = [stake for stake in known if stake.topic in _PLAIN]
    titled = {**values, "quote": quote(reading.item.name)}
    own = [Stake(f"step-{reading.step.step_id}", titled, bare, 0)] if last == _THIN else []
    return [*special, *own, *plain, Stake(last, values, bare, 0), Stake(_LAST_TOPIC, values, bare, 0)]
