"""The floor of a speaker: what it knows when it is asked to speak, and whether words may be said there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from zlib import crc32

from ...core.commands import Brief, Table
from ...core.turns import NEUTRAL, USER, Turn, Verdict
from ...core.voice import Said, check_voice
from ..base import Speech
from .framing import focus_topic
from .memory import Made, recall_all
from .phrases import actor, quote, subject
from .probes import Library
from .quoting import as_quoted
from .reading import Reading, Sentence
from .template import PICK, Template, capital

_LONGEST_HEARD = 3_000
_MOST_TRIES = 60
_MOST_MENTIONS = 2
_QUOTED = re.compile(r'"([^"\n]{4,})"')


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
    def quoted(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Who quoted what since the framing."""
        spoken = (turn for turn in self.table.turns[1:] if turn.speaker != USER)
        return tuple(
            (turn.speaker, tuple(each.lower() for each in _QUOTED.findall(turn.text))) for turn in spoken
        )

    def may_quote(self, sentence: Sentence) -> bool:
        """True where the speaker has not quoted the sentence yet, and not two others have."""
        text = as_quoted(sentence.text).lower()
        who = [speaker for speaker, quoted in self.quoted if any(each in text for each in quoted)]
        return self.brief.speaker.key not in who and len(who) < _MOST_MENTIONS

    @cached_property
    def own_last(self) -> Turn | None:
        """What the speaker said last."""
        me = self.brief.speaker.key
        return next((turn for turn in reversed(self.table.turns) if turn.speaker == me), None)

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
            text = line.fill({**known, PICK: f"{self.seed}|{place}"})
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
        order = {line: crc32(f"{self.seed}|{line.text}".encode()) for line in lines}
        return sorted(lines, key=lambda each: (each.fragment in self.heard, order[each]))

    @cached_property
    def seed(self) -> str:
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


def _speech(candidate: Candidate) -> Speech:
    verdict = NEUTRAL if candidate.opposes is None else Verdict(opposes=candidate.opposes)
    return Speech(candidate.text, verdict)
