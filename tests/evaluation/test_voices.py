"""Who speaks is told from the words alone, and who forgets their voice is found."""

from __future__ import annotations

import pytest

from people import ITEM, ROSTER
from roundtable.content.catalogue import load_roster
from roundtable.evaluation import voices
from roundtable.evaluation.discussion import Discussion
from trials import discussion, says, trial

WHO = "Somebody stands there and wonders who would miss it."
COSTS = "Two ways exist and either one has its price later on."
RETURNS = "It returns nothing unless both values are given."


def talk(name: str, *texts: str) -> Discussion:
    speakers = ("Maya", "Alex", "Jordan")
    return discussion(*(says(who, text) for who, text in zip(speakers, texts, strict=True)), name=name)


@pytest.mark.rule("VOICE-1")
def test_distinct_voices_are_told_apart_on_an_item_that_was_not_read() -> None:
    items = [trial(talk(f"0{at}", WHO, COSTS, RETURNS)) for at in range(3)]
    told, _ = voices.measure(items)
    assert (told.value, told.counted) == (100.0, "9 of 9")


def test_one_voice_for_all_cannot_be_told_apart() -> None:
    items = [trial(talk(f"0{at}", WHO, WHO, WHO)) for at in range(3)]
    told, _ = voices.measure(items)
    assert told.value == pytest.approx(100 / 3)
    assert len(told.misses) == 6
    assert told.misses[0].startswith("taken for ")


def test_what_was_learnt_from_the_item_itself_does_not_count() -> None:
    alone = talk("03", "Quark zither.", "Fjord nymph.", "Glyph vext.")
    others = [trial(talk(f"0{at}", WHO, COSTS, RETURNS)) for at in range(2)]
    told, _ = voices.measure([*others, trial(alone)])
    assert told.value is not None
    assert told.value < 100


def test_the_framing_is_not_counted() -> None:
    framed = discussion(says("Maya", WHO, "framing"), says("Maya", WHO), name="01")
    told, _ = voices.measure([trial(framed)])
    assert told.counted.endswith("of 1")


def test_marker_phrases_quotations_and_code_are_masked() -> None:
    hidden = voices.markers(load_roster())
    text = 'Option A: Jordan\'s contract, "as you said", `save()`; the acceptance criterion stays blue.'
    assert voices.masked(text, hidden) == ("_", "a", "_", "_", "the", "_", "_", "stays", "blue")


@pytest.mark.rule("VOICE-2", "VOICE-4")
def test_forbidden_words_and_echoes_are_found_with_what_was_said() -> None:
    roster = load_roster()
    assert roster.keys == ROSTER.keys
    wrong = discussion(
        says("Maya", "The latency of this is too high for the inspector in the basement."),
        says("Jordan", "Inspectors go down with eight forms and come back with five signed ones."),
        says("Maya", "Inspectors go down with eight forms and come back with five signed ones."),
        item=ITEM,
    )
    real = Discussion(
        wrong.script, wrong.step, roster, wrong.item, wrong.material, wrong.turns, (), wrong.contributions,
        wrong.heard, wrong.draft,
    )  # fmt: skip
    forbidden, echo = voices.violations(real)
    assert forbidden.startswith("forbidden (latency) 01-forms turn 1, Maya: The latency")
    assert echo.startswith("echo (It repeats what was said before: Inspectors go down")
    _, found = voices.measure([trial(real)])
    assert (found.value, found.counted, found.holds) == (2, "3 contributions", False)
