"""Judging: whether the user's words drift, and whether they decide something. In doubt they do not drift."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.commands import Table
from ...core.turns import OffTopic, Verdict
from ...core.words import words_of
from .decisions import deciding
from .lexicon import words
from .phrases import content, is_question, message_sentences, noun_phrase, quote, without_address
from .probes import Library
from .reading import Reading

_LAST_TURNS = 3
_LONGEST = 60


def judge(table: Table, reading: Reading, library: Library) -> Verdict:
    """The verdict on the last turn, the user's."""
    if not table.turns:
        return Verdict()
    turn = table.turns[-1]
    names = tuple(persona.first_name for persona in table.roster.personas)
    decides = (turn.number,) if deciding(turn.text, names) else ()
    return Verdict(off_topic=drift(table, reading, library, names), decisions=decides)


def drift(table: Table, reading: Reading, library: Library, names: Iterable[str]) -> OffTopic | None:
    """What the last turn drifts to; None unless it is clear."""
    turn = table.turns[-1]
    pieces = [without_address(piece, names) for piece in message_sentences(turn.text)]
    asked = [piece for piece in pieces if is_question(piece)] or pieces
    if not asked or turn.text.count("\n") > 20:
        return None
    known = _known(table, reading)
    if all(_far_off(piece, known) for piece in asked):
        return OffTopic(_subject(asked[0], words("far_off")), None)
    places = [_place(piece, table, library, known) for piece in asked]
    if any(place is None for place in places):
        return None
    step_id, phrase = next(place for place in places if place)
    return OffTopic(phrase, step_id)


def _known(table: Table, reading: Reading) -> frozenset[str]:
    """The stems that are at home in this discussion."""
    recent = " ".join(turn.text[:2_000] for turn in table.turns[:-1][-_LAST_TURNS:])
    own = " ".join((table.step.title, table.focus_question, table.focus_topic, recent))
    return reading.stems | frozenset(content(own))


def _far_off(sentence: str, known: frozenset[str]) -> bool:
    said = set(words_of(sentence))
    far = said & words("far_off")
    return (
        bool(far)
        and known.isdisjoint(content(" ".join(sorted(far))))
        and len(known & set(content(sentence))) < 2
    )


def _place(sentence: str, table: Table, library: Library, known: frozenset[str]) -> tuple[str, str] | None:
    """The other step whose subject a sentence names, with the words that name it."""
    own = table.step.step_id
    best: tuple[int, str, str] | None = None
    for step in table.steps:
        for phrase in (*library.places.get(step.step_id, ()), step.title):
            found = re.search(rf"\b{re.escape(phrase)}(?:s|es)?\b", sentence, re.IGNORECASE)
            if not found:
                continue
            if step.step_id == own:
                return None
            strength = len(found.group())
            if best is None or strength > best[0]:
                best = (strength, step.step_id, found.group())
    if best is None:
        return None
    # Only what shares nothing else with this discussion is sent away.
    rest = set(content(sentence)) - set(content(best[2]))
    if not rest.isdisjoint(known) or not known.isdisjoint(content(best[2])):
        return None
    return best[1], best[2].lower() if not best[2].isupper() else best[2]


def _subject(sentence: str, wanted: frozenset[str]) -> str:
    named = next((word for word in words_of(sentence) if word in wanted), None)
    if named:
        at = sentence.lower().find(named)
        return noun_phrase("the " + sentence[at:]) or f"the {named}"
    return f'"{quote(sentence, _LONGEST)}"'
