"""A point that is ascribed to somebody was made by then (LOOP-7)."""

from __future__ import annotations

import pytest

from roundtable.evaluation import references
from trials import discussion, says, trial


@pytest.mark.rule("LOOP-7")
@pytest.mark.parametrize(
    "text", ["Alex's option is dear.", "As Alex said, it is dear.", "Alex’s option", "In turn 4 it was dear."]
)
def test_a_reference_to_a_point_that_nobody_made_is_found(text: str) -> None:
    talk = discussion(says("Maya", "Who waits?"), says("Jordan", text))
    (found,) = references.empty_references(talk)
    assert found.startswith("01-forms turn 2: ")
    (figure,) = references.measure([trial(talk)])
    assert (figure.value, figure.counted, figure.holds) == (1, "1 references", False)


@pytest.mark.parametrize(
    "text",
    [
        "Maya's question stands.",
        "As Maya asked in turn 1, who waits?",
        "Alex, what would it cost?",
        'The item says "Alex\'s desk".',
        "Turn 2: I have nothing more.",
    ],
)
def test_a_point_that_was_made_an_address_and_a_quotation_are_none(text: str) -> None:
    talk = discussion(says("Maya", "Who waits?"), says("Jordan", text))
    assert list(references.empty_references(talk)) == []


def test_whoever_speaks_later_has_made_no_point_yet() -> None:
    talk = discussion(says("Jordan", "Alex's option is dear."), says("Alex", "One option."))
    assert len(list(references.empty_references(talk))) == 1
