"""Framing: what the step's documents say, the largest gap in them, and the question that goes to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...core.commands import Brief
from ...core.lines import framing as framed
from ...core.lines import listed
from ...core.voice import check_voice
from ..base import Framing
from .calling import Hit, hits
from .phrases import content, figures, is_question, quote
from .probes import Library
from .reading import Reading, Sentence

_LONGEST_TOPIC = 90
# Gaps that fit nearly every text: the step's own question is better than any of them.
_PLAIN = frozenset({"happy", "hedge", "term", "quality"})
_LAST_TOPIC, _FOREIGN, _CODE, _THIN = "bare", "foreign", "code", "thin"


@dataclass(frozen=True, slots=True)
class Stake:
    """A topic on which the others have something to ask, the sentence it hangs on, and its weight."""

    topic: str
    values: Mapping[str, str]
    sentence: Sentence
    weight: int


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
    return last or Framing(_opening(reading), f"What is still open in {table.step.title}?", table.step.title)


@lru_cache(maxsize=64)
def focus_topic(table_question: str, lead: str, library: Library) -> str | None:
    """The topic that a focus question was made from."""
    for topic in library.topics:
        asked = topic.question(lead)
        if asked and asked.recover(table_question) is not None:
            return topic.id
    return None


def _candidates(brief: Brief, reading: Reading, library: Library) -> Iterator[Framing]:
    for stake in _stakes(brief, reading, library):
        for topic in library.variants(stake.topic):
            asked = topic.question(brief.table.lead.key)
            question = asked.fill(stake.values) if asked else None
            gap, name = topic.gap.fill(stake.values), topic.name.fill(stake.values)
            if question and gap and name:
                short = name if len(name) <= _LONGEST_TOPIC else brief.table.step.title
                anchor = stake.sentence if stake.weight else None
                summary = f"{_opening(reading, anchor)} {gap}"
                yield Framing(summary, question[:1].lower() + question[1:], short)


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
        values["quote"] = quote(_central(reading).text)
    elif reading.names:
        last = _CODE
        values["word"] = reading.names[0]
    known = [stake for stake in stakes if stake.topic != _LAST_TOPIC]
    special = [stake for stake in known if stake.topic not in _PLAIN]
    plain = [stake for stake in known if stake.topic in _PLAIN]
    titled = {**values, "quote": quote(reading.item.name)}
    own = [Stake(f"step-{reading.step.step_id}", titled, bare, 0)] if last == _THIN else []
    return [*special, *own, *plain, Stake(last, values, bare, 0), Stake(_LAST_TOPIC, values, bare, 0)]


def _central(reading: Reading) -> Sentence:
    """The sentence of the step, or of the item, that comes closest to the title and can stand alone."""
    titled = set(content(reading.item.name))
    whole = [
        each for each in reading.sentences if 5 < len(each.text.split()) < 30 and not is_question(each.text)
    ]
    own = [each for each in whole if each.origin == "section"]
    return max(
        own or whole or reading.sentences, key=lambda each: len(titled.intersection(content(each.text)))
    )


def raised_before(hit: Hit, reading: Reading) -> bool:
    """True where an earlier discussion left this very point in the documents."""
    left = reading.elaborated.lower()
    return bool(left) and any(phrase.insight.fragment in left for phrase in hit.probe.says)


def _opening(reading: Reading, anchor: Sentence | None = None) -> str:
    """What there is, in one sentence or two."""
    if not reading.sentences:
        return _nothing_written(reading)
    chosen = [each for each in reading.sentences if each.origin == "section"] or list(reading.sentences)
    first = chosen[0]
    second = next((each for each in chosen[1:] if figures(each.text)), None) or next(iter(chosen[1:]), None)
    if anchor is not None and anchor.origin == first.origin and anchor != first:
        second = anchor
    said = first.said
    if second is not None and second.document == first.document:
        under = f"under {second.label} " if second.label and second.label != first.label else ""
        said += f' and {under}"{quote(second.text)}"'
    note = ""
    if reading.language == "foreign":
        note = " The text is in a language that the offline panel cannot read, so we quote it and stay brief."
    return f"{said}.{note}{_thin(reading)}"


def _thin(reading: Reading) -> str:
    """A word on headings that wait for a text, where there are many."""
    if len(reading.empty) < 3:
        return ""
    return f" {len(reading.empty)} sections have a heading and no text yet."


def _nothing_written(reading: Reading) -> str:
    if reading.names:
        shown = listed([f'"{name}"' for name in reading.names[:3]])
        return f"the item is code without a sentence about it; it names {shown}."
    if reading.empty:
        heads = listed([f'"{quote(heading, 50)}"' for heading, _ in reading.empty[:3]])
        return f"{reading.empty[0][1]} has headings ({heads}) and no text below them."
    return f'there is the title "{quote(reading.item.name)}" and no text yet.'
