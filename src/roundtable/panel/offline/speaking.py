"""Speaking: one contribution, about this item, in the persona's voice, never said before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from ...core.commands import Brief, Table
from ...core.turns import NEUTRAL, USER, Turn, Verdict
from ...core.voice import Said, check_voice
from ..base import Speech
from .framing import focus_topic, raised_before
from .memory import Made, recall_all
from .phrases import SHORT_QUOTE, quote, subject
from .probes import Library, Phrase
from .reading import Hit, Reading, Sentence, attributed, hits
from .template import Template, capital

_LONGEST_HEARD = 3_000
_MOST_TRIES = 60
_MOST_QUOTES = 6
ALONE = "alone"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that might be said, and the turn that they oppose."""

    text: str
    opposes: int | None = None


Candidates: TypeAlias = Iterator[Candidate]


@dataclass(frozen=True)
class Floor:
    """What a speaker knows when it is asked to speak."""

    brief: Brief
    reading: Reading
    library: Library

    @property
    def table(self) -> Table:
        return self.brief.table

    @cached_property
    def made(self) -> tuple[Made, ...]:
        """The points made so far."""
        return recall_all(self.table, self.library)

    @cached_property
    def first_names(self) -> tuple[str, ...]:
        return tuple(persona.first_name for persona in self.table.roster.personas)

    @cached_property
    def earlier(self) -> tuple[Said, ...]:
        return tuple(Said(turn.speaker, turn.text[:_LONGEST_HEARD]) for turn in self.table.turns)

    @cached_property
    def said(self) -> frozenset[str]:
        """Every sentence that stands in an earlier turn."""
        return frozenset(each for turn in self.earlier for each in plain_sentences(turn.text))

    @cached_property
    def heard(self) -> str:
        return "\n".join(each.text for each in self.earlier).lower()

    @cached_property
    def focus(self) -> str | None:
        """The topic of the focus question."""
        return focus_topic(self.table.focus_question, self.table.lead.key, self.library)

    @cached_property
    def answered(self) -> Turn | None:
        """The user's turn that is answered."""
        number = self.brief.answers
        return self.table.turns[number - 1] if number and number <= len(self.table.turns) else None

    @property
    def base(self) -> Mapping[str, str]:
        """The values that are always known."""
        values = {
            "actor": self.reading.actor,
            "item": quote(self.table.item.name),
            "title": self.table.step.title,
            "step": self.table.step.step_id,
            "number": str(self.brief.number),
            "lens": self.brief.speaker.lens[self.brief.number % len(self.brief.speaker.lens)]
            if self.brief.speaker.lens
            else self.brief.speaker.perspective,
        }
        if self.answered is not None:
            values["subject"] = subject(self.answered.text, self.first_names)
        return values

    def stock(self, use: str, values: Mapping[str, str] | None = None) -> Iterator[Candidate]:
        """The lines for an occasion, those not heard yet first, beginning at another one with each turn."""
        lines = self.library.lines(use, self.brief.speaker.key)
        start = self.brief.number % len(lines) if lines else 0
        turned = (*lines[start:], *lines[:start])
        for line in sorted(turned, key=lambda each: each.fragment in self.heard):
            text = line.fill({**self.base, **(values or {})})
            if text:
                yield Candidate(capital(text))


def deliver(floor: Floor, candidates: Iterator[Candidate]) -> Speech | None:
    """The first candidate that keeps the voice and repeats nothing; the next one where one was refused."""
    skip = 1 if floor.brief.again else 0
    kept: Candidate | None = None
    for tries, candidate in enumerate(candidates):
        if tries >= _MOST_TRIES:
            break
        if not sound(floor, candidate.text):
            continue
        kept = candidate
        if not skip:
            break
        skip -= 1
    return _speech(kept) if kept else None


def sound(floor: Floor, text: str) -> bool:
    """True where the words keep the speaker's voice, fit the limit and say no sentence a second time."""
    brief = floor.brief
    if len(text.split()) > brief.word_limit or not floor.said.isdisjoint(plain_sentences(text)):
        return False
    names = [persona.name for persona in floor.table.roster.personas]
    return not check_voice(text, brief.speaker, earlier=floor.earlier, names=names, free=brief.free)


def plain_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a contribution as they are compared."""
    pieces = re.split(r"(?<=[.!?])[\"']?\s+|\n+", text.casefold())
    return tuple(piece.strip(" \"'.") for piece in pieces if piece.strip(" \"'."))


def last_words(floor: Floor) -> Speech:
    """One short sentence that is honest and was not said before, whatever was."""
    made = deliver(floor, floor.stock("last"))
    if made is not None:
        return made
    fallback = next(floor.stock("last"), Candidate(f"Turn {floor.brief.number}: no further point from me."))
    return _speech(fallback)


def points(floor: Floor, called: Sequence[Hit] | None = None) -> Iterator[Candidate]:
    """The speaker's probes that were not spoken yet, the most fitting first."""
    spoken = {made.probe.id for made in floor.made}
    found = hits(floor.reading, floor.library, floor.brief.speaker.key) if called is None else called
    fresh = [hit for hit in found if hit.probe.id not in spoken]
    for hit in sorted(fresh, key=lambda each: -_priority(floor, each)):
        yield from phrased(floor, hit)


def _priority(floor: Floor, hit: Hit) -> int:
    raised = [made for made in floor.made if set(made.probe.topics) & set(hit.probe.topics)]
    opposed = any(made.probe.id == hit.probe.opposes for made in raised)
    return (
        hit.weight
        + (20 if hit.sentence.origin == "user" else 0)
        + (12 if floor.focus in hit.probe.topics else 0)
        + (3 if opposed else 0)
        - (3 * max(0, len(raised) - 1))
        - (20 if raised_before(hit, floor.reading) else 0)
    )


def phrased(floor: Floor, hit: Hit) -> Iterator[Candidate]:
    """The ways to say a probe: against the point it opposes first, and not in the form used last."""
    own = [made for made in floor.made if made.speaker == floor.brief.speaker.key]
    last_form = own[-1].phrase.form if own else ""
    opposed = next(
        (made for made in reversed(floor.made) if made.probe.id == hit.probe.opposes), None
    ) if hit.probe.opposes else None  # fmt: skip
    phrases = sorted(hit.probe.says, key=lambda phrase: (not phrase.against, phrase.form == last_form))
    hit = _fresh(floor, hit)
    for phrase in phrases:
        if phrase.against and (opposed is None or opposed.speaker == floor.brief.speaker.key):
            continue
        values = dict(hit.values)
        if phrase.against and opposed is not None:
            values |= {"name": floor.table.roster[opposed.speaker].first_name, "their": opposed.phrase.handle}
        text = _with_lead(floor, phrase, hit, values)
        if text:
            yield Candidate(capital(text), opposed.turn if phrase.against and opposed else None)


def _fresh(floor: Floor, hit: Hit) -> Hit:
    """The hit on a sentence that was not quoted yet; where there is none, with a shorter quotation."""
    for each in (hit, *hit.others):
        if each.values["quote"].lower() not in floor.heard:
            return each
    if len(hit.values["quote"]) <= SHORT_QUOTE:
        return hit
    short = quote(hit.sentence.text, SHORT_QUOTE, hit.at)
    return replace(hit, values={**hit.values, "quote": short, "says": attributed(hit.sentence, short)})


def _with_lead(floor: Floor, phrase: Phrase, hit: Hit, values: dict[str, str]) -> str | None:
    """The phrase filled, after a word on the point that it builds on, where there is one."""
    if "lead" not in phrase.text.slots:
        return phrase.text.fill(values)
    leads = dict(phrase.leads)
    before = _before(floor, hit)
    lead = ""
    if before is not None:
        template = leads.get(before.speaker) or leads.get("*")
        name = floor.table.roster[before.speaker].first_name
        lead = (template.fill({"name": name, "their": before.phrase.handle}) if template else "") or ""
    lead = lead or (leads.get(ALONE) or Template("")).text
    # An empty lead is no missing value.
    text = phrase.text.text.replace("{lead}", lead.replace("{", "(").replace("}", ")"), 1)
    return Template(text).fill(values)


def _before(floor: Floor, hit: Hit) -> Made | None:
    """The latest point of somebody else on the same topic that nobody has built on yet."""
    me = floor.brief.speaker.key
    for made in reversed(floor.made):
        if (
            made.speaker != me
            and made.speaker in floor.table.roster
            and set(made.probe.topics) & set(hit.probe.topics)
        ):
            return made
    return None


def quotable(floor: Floor) -> Iterator[Mapping[str, str]]:
    """The sentences to ask about, or whatever else there is to point at; those quoted least come first."""
    found: list[Sentence] = list(floor.reading.sentences)
    if not found:
        found = [Sentence(name, "document", "the code") for name in floor.reading.names]
        found += [Sentence(heading, "document", document) for heading, document in floor.reading.empty]
    quoted = [(each, quote(each.text)) for each in found]
    for each, words in sorted(quoted, key=lambda pair: floor.heard.count(pair[1].lower() or pair[0].text)):
        if words:
            yield {"quote": words, "says": attributed(each, words)}


def next_points(floor: Floor) -> Iterator[Candidate]:
    """What a speaker says of its own accord: a probe, else a question about a sentence nobody took up."""
    yield from points(floor)
    for values in islice(quotable(floor), _MOST_QUOTES):
        yield from floor.stock("next", values)
    if not any(line.persona == floor.brief.speaker.key for line in floor.library.stock):
        yield from patterns(floor)
    if not floor.reading.sentences:
        yield from floor.stock("bare")


def patterns(floor: Floor) -> Iterator[Candidate]:
    """The speaker's own sentence patterns, where everything in them is known."""
    values = dict(floor.base)
    for pattern in floor.brief.speaker.patterns:
        text = Template(pattern).fill(values)
        if text:
            yield Candidate(capital(text))


def tradeoff(floor: Floor) -> Iterator[Candidate]:
    """Who opposes whom, with both points, and the question to the user."""
    for turn in reversed(floor.table.turns):
        number = turn.verdict.opposes
        if number is None or turn.speaker == USER:
            continue
        against = floor.table.turns[number - 1]
        if against.speaker == USER:
            continue
        values = {
            "one": _whose(floor, turn), "point": _handle(floor, turn),
            "other": _whose(floor, against), "counterpoint": _handle(floor, against),
        }  # fmt: skip
        yield from floor.stock("tradeoff", values)
        return


def _whose(floor: Floor, turn: Turn) -> str:
    if turn.speaker == floor.brief.speaker.key:
        return "my"
    return f"{floor.table.roster[turn.speaker].first_name}'s"


def _handle(floor: Floor, turn: Turn) -> str:
    made = next((each for each in floor.made if each.turn == turn.number), None)
    return made.phrase.handle if made else f"point in turn {turn.number}"


def _speech(candidate: Candidate) -> Speech:
    verdict = NEUTRAL if candidate.opposes is None else Verdict(opposes=candidate.opposes)
    return Speech(candidate.text, verdict)
