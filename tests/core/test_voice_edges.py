"""The voice check at its thresholds: how much of an earlier contribution makes an echo (VOICE-2, VOICE-3)."""

from __future__ import annotations

import pytest

from people import find_slips
from roundtable.core.personas import Ban, Persona
from roundtable.core.turns import Turn

ALEX = "solutions-architect"
PLAIN = Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", ())
EIGHT = "alpha bravo charlie delta foxtrot golf hotel india"


def banning(*bans: Ban) -> Persona:
    return Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", (), bans=bans)


def is_echo(text: str, before: str) -> bool:
    found = find_slips(text, PLAIN, (Turn(1, ALEX, before),))
    return [violation.kind for violation in found] == ["echo"]


# --- forbidden patterns ---------------------------------------------------------------------------------


@pytest.mark.rule("VOICE-2")
def test_a_ban_holds_whatever_the_case_and_the_apostrophe() -> None:
    strict = banning(Ban("form", r"\bdon't\b", "No."), Ban("vocabulary", "coupling", "Jargon."))
    found = find_slips("I don’t like Coupling.", strict)
    assert [violation.found for violation in found] == ["don't", "Coupling"]


@pytest.mark.rule("VOICE-4")
def test_a_lifted_ban_does_not_lift_those_after_it_and_none_is_lifted_unasked() -> None:
    strict = banning(Ban("question", r"\?", "No."), Ban("vocabulary", "schema", "Jargon."))
    free = find_slips("Which schema?", strict, free=True)
    assert [violation.found for violation in free] == ["schema"]
    bound = find_slips("Which schema?", strict)
    assert [violation.found for violation in bound] == ["?", "schema"]


@pytest.mark.rule("VOICE-3")
def test_a_word_may_be_taken_up_that_was_all_another_said() -> None:
    strict = banning(Ban("vocabulary", "schema", "Jargon."))
    assert find_slips("The schema hurts.", strict, (Turn(1, ALEX, "Schemas!"),)) == ()


@pytest.mark.rule("VOICE-2", "VOICE-3")
def test_a_long_contribution_needs_a_fifth_of_new_words() -> None:
    backwards = " ".join(reversed(EIGHT.split()))
    assert is_echo(f"{EIGHT} yankee", backwards)
    assert not is_echo(f"{EIGHT} xray yankee", backwards)
    assert not is_echo(EIGHT.removesuffix(" india"), backwards)


@pytest.mark.rule("VOICE-2")
def test_the_reason_quotes_twelve_words() -> None:
    twelve = f"{EIGHT} kilo lima mike november"
    (found,) = find_slips(twelve, PLAIN, (Turn(1, ALEX, twelve),))
    assert found.reason == f"It repeats what was said before: {twelve}"
    thirteen = f"{twelve} oscar"
    (found,) = find_slips(thirteen, PLAIN, (Turn(1, ALEX, thirteen),))
    assert found.reason == f"It repeats what was said before: {twelve} ..."
