"""Judging: whether the user's words drift, and whether they decide something. In doubt they do not drift."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ...core.commands import Table
from ...core.turns import USER, OffTopic, Verdict
from ...core.words import words_of
from .decisions import deciding
from .lexicon import sign, words
from .phrases import content, noun_phrase, quote, without_address
from .probes import Library
from .ranking import Ranking, ranking
from .reading import Reading
from .smalltalk import Surroundings, is_far_off, sounds_far_off, subject_word
from .utterances import asks, utterances
from .weighing import phase_weights

_LONGEST = 60
_GOES_ON = re.compile(r"\s*(?:and|but|or)\b(?! by the way)", re.IGNORECASE)
_MANY_LINES = 20
# How much more of another step than of this one a question has to hold.
_MARGIN = 1.5
_LEAST = 2.0
# From where on the words alone show another phase; fitted on items kept back.
_OTHER_PHASE = 11.0


def judge(table: Table, reading: Reading, library: Library) -> Verdict:
    """The verdict on the last turn, the user's."""
    if not table.turns:
        return Verdict()
    turn = table.turns[-1]
    names = tuple(persona.first_name for persona in table.roster.personas)
    off_topic = drift(table, reading, library, names)
    # "Let's grab a beer" is settled elsewhere.
    strays = off_topic is not None and off_topic.belongs_to is None
    decides = (turn.number,) if not strays and deciding(turn.text, names) else ()
    return Verdict(off_topic=off_topic, decisions=decides)


def drift(table: Table, reading: Reading, library: Library, names: Iterable[str]) -> OffTopic | None:
    """What the last turn drifts to; None unless it is clear."""
    turn = table.turns[-1]
    known_names = tuple(names)
    pieces = [without_address(piece, known_names) for piece in utterances(turn.text)]
    questions = [piece for piece in pieces if _puts(piece)]
    asked = questions or pieces
    if not asked or turn.text.count("\n") > _MANY_LINES:
        return None
    home = _home(table, reading)
    steps = ranking(table.steps, library)
    addressed = any(
        re.match(rf"\s*{re.escape(name)}\s*[,:]", turn.text, re.IGNORECASE) for name in known_names
    )
    around = Surroundings(home, _asked(table), addressed)
    passing = _is_passing(turn.text)
    if passing and all(is_far_off(piece, around, surely=True) for piece in pieces):
        return OffTopic(_subject(asked[0]), None)
    place = _place(questions[0], table, steps, home) if questions else None
    if place is not None and _leans(" ".join(questions), place[0], table, home):
        return OffTopic(place[1], place[0])
    if passing and not deciding(turn.text, known_names):
        far = all(is_far_off(piece, around) for piece in pieces)
        if far or sounds_far_off(turn.text, around, known_names):
            return OffTopic(_subject(asked[0]), None)
    if questions:
        return _later(" ".join(questions), table, steps, home)
    return None


def _leans(asked: str, step_id: str, table: Table, home: frozenset[str]) -> bool:
    """True where the words of a question do not speak more for the step at hand than for another one."""
    weights = phase_weights(asked, home)
    here, there = table.step.step_id[:2], step_id[:2]
    return here == there or weights.get(there, 0.0) > weights.get(here, 0.0)


def _later(asked: str, table: Table, steps: Ranking, home: frozenset[str]) -> OffTopic | None:
    """The step of a later phase that the words of a question belong to, where they leave no doubt."""
    weights = phase_weights(asked, home)
    own = table.step.step_id[:2]
    later = {phase: weight for phase, weight in weights.items() if phase > own}
    best = max(later, key=lambda phase: later[phase], default="")
    if not best or later[best] - max(weights.get(own, 0.0), 0.0) <= _OTHER_PHASE:
        return None
    scores = steps.scores(content(asked))
    there = [step.step_id for step in table.steps if step.step_id.startswith(best)]
    if not there:
        return None
    return OffTopic(f'"{quote(asked, _LONGEST)}"', max(there, key=lambda each: scores.get(each, 0.0)))


def _is_passing(text: str) -> bool:
    """True where words may be small talk: no displeasure, and not "and twins?", which goes on."""
    return words("upset").isdisjoint(words_of(text)) and _GOES_ON.match(text) is None


def _puts(piece: str) -> bool:
    """True for a question, also one that lacks its mark or has its question word behind a comma."""
    return asks(piece) or bool(sign("openly").match(piece)) or bool(sign("tagged").search(piece))


def _asked(table: Table) -> str:
    """The question with which somebody has just ended; empty where the last words were none."""
    before = table.turns[-2] if len(table.turns) > 1 else None
    if before is None or before.speaker == USER:
        return ""
    last = utterances(before.text)[-1:]
    return last[0] if last and asks(last[0]) else ""


def _home(table: Table, reading: Reading) -> frozenset[str]:
    """The stems that are at home here: of the item, the focus, and what the user has said before."""
    told = [
        turn.text[:2_000]
        for turn in table.turns[:-1]
        if turn.speaker == USER and turn.verdict.off_topic is None
    ]
    own = " ".join((table.step.title, table.focus_question, table.focus_topic, *told))
    return reading.stems | frozenset(content(own))


def _place(sentence: str, table: Table, steps: Ranking, home: frozenset[str]) -> tuple[str, str] | None:
    """The other step whose subject a sentence names, with the words that name it."""
    own = table.step.step_id
    said = content(sentence)
    foreign = set(said) - home
    evidence = {step.step_id: _evidence(steps, step.step_id, sentence, foreign, home) for step in table.steps}
    here = max((found for step_id, found in evidence.items() if step_id[:2] == own[:2]), default=0.0)
    scores = steps.scores(said)
    away = {step_id: found for step_id, found in evidence.items() if step_id != own and found >= _LEAST}
    if not away or evidence.get(own, 0.0) >= _LEAST:
        return None
    best = max(away, key=lambda step_id: (away[step_id], scores.get(step_id, 0.0)))
    near = best[:2] == own[:2]
    # Inside one phase the steps share most of their words, so only a phrase of its own tells them apart.
    phrase = _longest(steps.phrases.get(best, ()), sentence)
    if near and phrase is None:
        return None
    if not near and away[best] <= here:
        return None
    if phrase is None and scores.get(own, 0.0) > _MARGIN * scores.get(best, 0.0) + away[best]:
        return None
    return best, _named(sentence, steps, best, foreign)


def _evidence(steps: Ranking, step_id: str, sentence: str, foreign: set[str], home: frozenset[str]) -> float:
    """How much a sentence speaks of a step, by its phrases and by words that the item itself lacks."""
    phrase = _longest(steps.phrases.get(step_id, ()), sentence)
    worth = 0.0
    if phrase and not (content(phrase) and home.issuperset(content(phrase))):
        worth = 2.0 + len(phrase) / 100
    strong = foreign & steps.strong.get(step_id, frozenset())
    return worth + len(strong) + len(foreign & steps.vocabulary.get(step_id, frozenset()))


def _named(sentence: str, steps: Ranking, step_id: str, foreign: set[str]) -> str:
    """The words by which the other step was known."""
    phrase = _longest(steps.phrases.get(step_id, ()), sentence)
    if phrase is None:
        wanted = foreign & steps.vocabulary.get(step_id, frozenset())
        known = [word for word in words_of(sentence) if set(content(word)) & wanted]
        phrase = " and ".join(dict.fromkeys(known)) or sentence
    return phrase if phrase.isupper() else phrase.lower()


def _longest(phrases: tuple[str, ...], sentence: str) -> str | None:
    found = _any(phrases).finditer(sentence) if phrases else ()
    return max((match.group() for match in found), key=len, default=None)


@lru_cache(maxsize=64)
def _any(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


def _subject(sentence: str) -> str:
    named = subject_word(sentence)
    if named:
        at = sentence.lower().find(named)
        return noun_phrase("the " + sentence[at:]) or f"the {named}"
    return f'"{quote(sentence, _LONGEST)}"'
