"""What a message means, at the edges: names alone, clauses, half-typed choices, short refusals to say."""

from __future__ import annotations

import pytest

from people import ALEX, MAYA, persona
from roundtable.core.analysis import LEAVE, START_OVER
from roundtable.core.hearing import Heard, hear, hear_choice, hear_exit
from roundtable.core.personas import Roster

ROBIN = persona("robin", "Robin")


@pytest.mark.rule("HEAR-2")
@pytest.mark.parametrize("said", ["Robin", "Robin - any view", "Robin, why", "so, Robin?", "robin why"])
def test_a_persona_with_one_name_is_addressed_like_the_others(said: str) -> None:
    assert hear(said, Roster((MAYA, ROBIN))) == Heard("direct", "robin")
    assert hear("Robinson said so.", Roster((MAYA, ROBIN))) == Heard("open")


@pytest.mark.rule("HEAR-2")
def test_of_two_personas_with_one_first_name_the_first_is_addressed() -> None:
    twin = persona("twin", "Alex Stone")
    assert hear("Alex, why?", Roster((MAYA, ALEX, twin))) == Heard("direct", ALEX.key)
    assert hear("Alex, why?", Roster((MAYA, twin, ALEX))) == Heard("direct", "twin")


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    ("said", "heard"),
    [("Not yet done", None), ("Not yet, done", "unclear-exit"), ("Not really. Done", "unclear-exit")],
)
def test_a_negation_reaches_no_further_than_its_clause(said: str, heard: str | None) -> None:
    assert hear_exit(said) == heard


@pytest.mark.rule("GREET-5")
def test_a_choice_is_known_by_the_beginning_of_its_words_and_never_by_none() -> None:
    assert hear_choice("start ov", (LEAVE, START_OVER)) == START_OVER
    assert hear_choice("start", (LEAVE, START_OVER)) == START_OVER
    assert hear_choice("...", (LEAVE,)) is None
    assert hear_choice("", (LEAVE,)) == LEAVE
