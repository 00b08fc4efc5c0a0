"""The lines of the three personas: each can be said in full, in its persona's voice, and in a few words."""

from __future__ import annotations

from itertools import combinations

import pytest

from offline_talk import ROSTER
from roundtable.core.voice import check_voice
from roundtable.panel.offline.occasions import ANSWERS, NEXT, STATED, USES
from roundtable.panel.offline.probefile import read_library
from roundtable.panel.offline.probes import ANYBODY, Stock
from roundtable.panel.offline.template import PICK, capital

LIBRARY, _ = read_library()
LINES = [line for line in LIBRARY.stock if line.persona != ANYBODY]
VALUES = {
    "when": "if the tablet breaks", "asked": "does the tablet break", "clause": "whether the tablet breaks",
    "says": 'the item says "the form is lost"', "quote": "the form is lost", "claim": "forms are lost",
    "figure": "40 forms", "one": "at noon", "other": "after lunch", "before": "we keep both",
    "name": "Alex's", "question": "Alex's question", "open": "Who pays?",
    "subject": '"forms are lost"', "handle": "snapshot", "actor": "the clerk",
    "item": "Forms", "title": "Journeys", "step": "01-03", "number": "5", "lens": "needs", "doc": "a.md",
    "point": "snapshot", "counterpoint": "journal", "label": "Forms Kept", "thing": "test",
    "share": "about one in nine",
}  # fmt: skip
LONGEST = 75
WAYS = 4


def said(line: Stock, way: int) -> str | None:
    return line.text.fill({**VALUES, PICK: str(way)})


@pytest.mark.rule("VOICE-1", "VOICE-2")
def test_every_line_keeps_its_voice() -> None:
    names = [persona.name for persona in ROSTER.personas]
    for line in LINES:
        for way in range(WAYS):
            text = said(line, way)
            assert text is not None, line
            persona = ROSTER[line.persona]
            free = line.use == "tradeoff"
            assert check_voice(capital(text), persona, earlier=(), names=names, free=free) == (), text


@pytest.mark.rule("HEAR-4")
def test_every_line_is_short() -> None:
    long = [text for line in LINES if (text := said(line, 0)) and len(text.split()) > LONGEST]
    assert long == []


@pytest.mark.rule("HEAR-4")
def test_every_answer_can_be_given_with_the_question_as_it_was_asked() -> None:
    """Where no clause and no case can be made of a question, its own words are left."""
    for use in ANSWERS:
        for key in ROSTER.keys:
            known = {name: value for name, value in VALUES.items() if name not in ("clause", "when")}
            said = [line.fill({**known, PICK: "0"}) for line in LIBRARY.lines(use, key)]
            assert any(
                text and ("does the tablet break" in text or "form is lost" in text) for text in said
            ), use


@pytest.mark.rule("HEAR-4")
def test_what_was_said_is_said_again() -> None:
    assert [line for line in LINES if line.use in STATED and "claim" not in line.text.slots] == []


@pytest.mark.rule("VOICE-1")
def test_the_three_open_in_different_words() -> None:
    for use in (*ANSWERS, *STATED):
        openings = [
            {said(line, 0) for line in LINES if (line.use, line.persona) == (use, key)} for key in ROSTER.keys
        ]
        assert all(one.isdisjoint(other) for one, other in combinations(openings, 2)), use


def test_each_of_the_three_has_words_of_its_own_for_every_occasion() -> None:
    own = {(line.use, line.persona) for line in LINES}
    missing = {(use, key) for use in {*ANSWERS, *STATED, *NEXT} for key in ROSTER.keys} - own
    assert missing == set()
    assert all(LIBRARY.lines(use, "somebody-else") for use in USES)
