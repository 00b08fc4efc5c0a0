"""The voice check at its thresholds: how much of an earlier contribution makes an echo (VOICE-2, VOICE-3)."""

from __future__ import annotations

import pytest

from roundtable.core.personas import Ban, Persona
from roundtable.core.turns import Turn
from roundtable.core.voice import check_voice

ALEX = "solutions-architect"
PLAIN = Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", ())
EIGHT = "alpha bravo charlie delta foxtrot golf hotel india"


def banning(*bans: Ban) -> Persona:
    return Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", (), bans=bans)


def is_echo(text: str, before: str) -> bool:
    found = check_voice(text, PLAIN, earlier=(Turn(1, ALEX, before),), names=())
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
    assert check_voice("The schema hurts.", strict, earlier=(Turn(1, ALEX, "Schemas!"),), names=()) == ()


@pytest.mark.rule("VOICE-2", "VOICE-3")
def test_a_long_contribution_needs_a_fifth_of_new_words() -> None:
    backwards = " ".join(reversed(EIGHT.split()))
    assert is_echo(f"{EIGHT} yankee", backwards)
    assert not is_echo(f"{EIGHT} xray yankee", backwards)
    assert not is_echo(EIGHT.removesuffix(" india"), backwards)


@pytest.mark.rule("VOICE-2")
def test_the_reason_quotes_twelve_words() -> None:
    twelve = f"{EIGHT} kilo lima mike november"
    (found,) = check_voice(twelve, PLAIN, earlier=(Turn(1, ALEX, twelve),), names=())
    assert found.reason == f"It repeats what was said before: {twelve}"
    thirteen = f"{twelve} oscar"
    (found,) = check_voice(thirteen, PLAIN, earlier=(Turn(1, ALEX, thirteen),), names=())
    assert found.reason == f"It repeats what was said before: {twelve} ..."
