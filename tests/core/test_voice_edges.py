"""The voice check at its thresholds: how much of an earlier contribution makes an echo (VOICE-2, VOICE-3)."""

from __future__ import annotations

import pytest

from roundtable.core.personas import Ban, Persona
from roundtable.core.voice import Said, check_voice

ALEX = "solutions-architect"
PLAIN = Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", ())
EIGHT = "alpha bravo charlie delta foxtrot golf hotel india"


def banning(*bans: Ban) -> Persona:
    return Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", (), bans=bans)


def is_echo(text: str, before: str) -> bool:
    found = check_voice(text, PLAIN, earlier=(Said(ALEX, before),), names=())
    return [violation.kind for violation in found] == ["echo"]


# --- forbidden patterns ---------------------------------------------------------------------------------


@pytest.mark.rule("VOICE-2")
def test_a_ban_holds_whatever_the_case_and_the_apostrophe() -> None:
    strict = banning(Ban("form", r"\bdon't\b", "No."), Ban("vocabulary", "coupling", "Jargon."))
    found = check_voice("I don’t like Coupling.", strict, earlier=(), names=())
    assert [violation.found for violation in found] == ["don't", "Coupling"]


@pytest.mark.rule("VOICE-4")
def test_a_lifted_ban_does_not_lift_those_after_it_and_none_is_lifted_unasked() -> None:
    strict = banning(Ban("question", r"\?", "No."), Ban("vocabulary", "schema", "Jargon."))
    free = check_voice("Which schema?", strict, earlier=(), names=(), free=True)
    assert [violation.found for violation in free] == ["schema"]
    bound = check_voice("Which schema?", strict, earlier=(), names=())
    assert [violation.found for violation in bound] == ["?", "schema"]


@pytest.mark.rule("VOICE-3")
def test_a_word_may_be_taken_up_that_was_all_another_said() -> None:
    strict = banning(Ban("vocabulary", "schema", "Jargon."))
    assert check_voice("The schema hurts.", strict, earlier=(Said(ALEX, "Schemas!"),), names=()) == ()


# --- short contributions: three to seven words of their own ------------------------------------------


@pytest.mark.rule("VOICE-2")
@pytest.mark.parametrize(
    ("text", "before", "echo"),
    [
        ("Alpha bravo charlie.", "Alpha bravo charlie delta.", True),  # three words are enough
        ("Alpha bravo charlie.", "Alpha, bravo; charlie!", True),  # all of it
        ("Alpha bravo.", "Alpha bravo charlie delta.", False),  # two are too few
        ("Alpha bravo charlie delta.", "Alpha bravo so charlie delta.", True),  # two pairs of three
        ("Alpha bravo charlie delta kilo.", "Alpha bravo charlie so delta so kilo.", True),  # half the pairs
        ("Alpha bravo charlie delta kilo.", "Alpha bravo so charlie so delta so kilo.", False),  # fewer
        ("Alpha's bravo charlie.", "Alpha bravo charlie delta.", True),
        ("Logs bravo charlie.", "Log bravo charlie delta.", True),
        ("Gas bravo charlie.", "Ga bravo charlie delta.", False),  # three letters have no plural
        ("Pass bravo charlie.", "Pas bravo charlie delta.", False),
    ],
)
def test_a_short_contribution_echoes_where_words_and_half_their_order_are_another_s(
    text: str, before: str, echo: bool
) -> None:
    assert is_echo(text, before) is echo


# --- long contributions: eight words and more -----------------------------------------------------------


@pytest.mark.rule("VOICE-2")
def test_of_eight_words_not_all_need_to_be_another_s() -> None:
    assert is_echo(EIGHT, EIGHT.replace("india", "yankee"))
    seven = EIGHT.removesuffix(" india")
    assert not is_echo(seven, EIGHT.replace("hotel", "yankee"))


@pytest.mark.rule("VOICE-2")
def test_four_fifths_of_the_words_make_an_echo_in_any_order() -> None:
    backwards = " ".join(reversed(EIGHT.split()))
    assert is_echo(f"{EIGHT} xray yankee", backwards)
    assert not is_echo(f"{EIGHT} xray yankee zulu", backwards)


@pytest.mark.rule("VOICE-2")
def test_half_of_the_runs_of_five_make_an_echo() -> None:
    assert is_echo(f"{EIGHT} whiskey xray yankee zulu", EIGHT)
    assert not is_echo(f"{EIGHT} victor whiskey xray yankee zulu", EIGHT)


@pytest.mark.rule("VOICE-2", "VOICE-3")
def test_two_new_words_after_a_repeated_sentence_are_an_answer_to_it() -> None:
    assert not is_echo(f"{EIGHT}. Yankee zulu.", EIGHT)
    assert is_echo(f"{EIGHT}. Yankee alpha.", EIGHT)
    assert is_echo(f"{EIGHT}. Golf hotel. Yankee alpha.", EIGHT)


@pytest.mark.rule("VOICE-2")
def test_the_reason_quotes_twelve_words() -> None:
    twelve = f"{EIGHT} kilo lima mike november"
    (found,) = check_voice(twelve, PLAIN, earlier=(Said(ALEX, twelve),), names=())
    assert found.reason == f"It repeats what was said before: {twelve}"
    thirteen = f"{twelve} oscar"
    (found,) = check_voice(thirteen, PLAIN, earlier=(Said(ALEX, thirteen),), names=())
    assert found.reason == f"It repeats what was said before: {twelve} ..."
