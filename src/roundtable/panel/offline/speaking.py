"""Speaking: one contribution, about this item, in the persona's voice, never said before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TypeAlias
from zlib import crc32

from ...core.commands import Brief, Table
from ...core.turns import NEUTRAL, USER, Turn, Verdict
from ...core.voice import Said, check_voice
from ...core.words import words_of
from ..base import Speech
from .calling import Hit, hits
from .claims import amounts
from .framing import focus_topic, raised_before
from .lexicon import words
from .memory import Made, recall_all, still_open
from .phrases import SHORT_QUOTE, actor, is_question, quote, subject
from .probes import Library, Phrase
from .reading import Reading, Sentence, attributed
from .template import PICK, Template, capital

_LONGEST_HEARD = 3_000
_MOST_TRIES = 60
_MOST_QUOTES = 6
_FEWEST_WORDS = 5
_CLAIM = re.compile(r"\b(?:must|shall|should|can|will|needs? to|has to|have to|want|would)\b", re.IGNORECASE)
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

    @cached_property
    def base(self) -> Mapping[str, str]:
        """The values that are always known."""
        values = {
            "actor": (actor([self.answered.text]) if self.answered else None) or self.reading.actor,
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
        known = {**self.base, **(values or {})}
        for place, line in enumerate(self._turned(self.library.lines(use, self.brief.speaker.key))):
            text = line.fill({**known, PICK: f"{self._seed}|{place}"})
            if text:
                yield Candidate(capital(text))

    def joined(
        self, openings: Sequence[str], use: str, values: Mapping[str, str] | None = None
    ) -> Iterator[Candidate]:
        """Each opening with a line for an occasion, so that both change from one to the next."""
        fresh = [each for each in openings if self.said.isdisjoint(plain_sentences(each))]
        bodies = [each.text for each in self.stock(use, values)]
        bodies = [each for each in bodies if self.said.isdisjoint(plain_sentences(each))]
        for turn in range(len(bodies)):
            for place, opening in enumerate(fresh):
                yield Candidate(f"{opening} {bodies[(place + turn) % len(bodies)]}")

    def _turned(self, lines: tuple[Template, ...]) -> list[Template]:
        """The lines in an order of this place's own, those heard before last."""
        order = {line: crc32(f"{self._seed}|{line.text}".encode()) for line in lines}
        return sorted(lines, key=lambda each: (each.fragment in self.heard, order[each]))

    @cached_property
    def _seed(self) -> str:
        """What tells this place from all others, so that two items do not hear the same lines."""
        told = self.answered.text[:_LONGEST_HEARD] if self.answered else ""
        return f"{self.table.item.slug}|{self.brief.number}|{len(self.reading.elaborated)}|{told}"


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
    fresh = [hit for hit in found if hit.probe.id not in spoken and not raised_before(hit, floor.reading)]
    # The plainest gap is worth one mention in a discussion, not one from everybody.
    if any(made.probe.gap == "happy" for made in floor.made):
        fresh = [hit for hit in fresh if hit.probe.gap != "happy"]
    for hit in sorted(fresh, key=lambda each: -_priority(floor, each)):
        yield from phrased(floor, hit)


def _priority(floor: Floor, hit: Hit) -> int:
    raised = [made for made in floor.made if set(made.probe.topics) & set(hit.probe.topics)]
    opposed = any(made.probe.id == hit.probe.opposes for made in raised)
    return (
        hit.weight
        + (20 if hit.sentence.origin == "user" else 0)
        + (12 if floor.focus in hit.probe.topics else 0)
        + (8 if opposed else 0)
        - (3 * max(0, len(raised) - 1))
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


def quotable(floor: Floor) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The sentences, each with what it speaks of; those quoted least and those that say most come first."""
    found: list[Sentence] = list(floor.reading.sentences)
    if not found:
        found = [Sentence(name, "document", "the code") for name in floor.reading.names]
        found += [Sentence(heading, "document", document) for heading, document in floor.reading.empty]
    whole = [each for each in found if len(each.text.split()) >= _FEWEST_WORDS] or found
    shown = [(each, quote(each.text), spoken_of(each)) for each in whole]
    # The framing does not count: what it quotes is what the others are to speak of.
    since = "\n".join(each.text for each in floor.earlier[1:]).lower()
    for each, quoted, use in sorted(shown, key=lambda one: (since.count(one[1].lower()), one[2] == "next")):
        if quoted:
            yield use, {"quote": quoted, "says": attributed(each, quoted)}


def spoken_of(sentence: Sentence) -> str:
    """The use of the lines that fit a sentence: by its figure, its person, its failure or its claim."""
    told = set(words_of(sentence.text))
    if is_question(sentence.text):
        return "next"
    if any(each[:1].isdigit() for each in amounts(sentence.text)):
        return "next-figure"
    if told & words("failure"):
        return "next-failure"
    if actor([sentence.text]):
        return "next-person"
    return "next-claim" if _CLAIM.search(sentence.text) else "next"


def next_points(floor: Floor) -> Iterator[Candidate]:
    """What a speaker says of its own accord: a probe, an open question, a sentence nobody took up."""
    yield from points(floor)
    taken_up = list(islice(quotable(floor), _MOST_QUOTES))
    # Every other time a question that somebody left open, so that a silent discussion also looks back.
    if floor.brief.number % 2 and floor.brief.purpose != "first-round":
        yield from recalled(floor)
    for use, values in taken_up:
        yield from floor.stock(use, values)
    yield from recalled(floor)
    if not any(line.persona == floor.brief.speaker.key for line in floor.library.stock):
        yield from patterns(floor)
    if not floor.reading.sentences:
        yield from floor.stock("bare")


def recalled(floor: Floor) -> Iterator[Candidate]:
    """A question that somebody else left open and nobody has come back to."""
    for made, question in still_open(floor.made, floor.table):
        other = made.speaker != floor.brief.speaker.key and made.speaker in floor.table.roster
        if other and question.lower() not in floor.heard:
            name = f"{floor.table.roster[made.speaker].first_name}'s"
            yield from floor.stock("recall", {"name": name, "open": question})


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
