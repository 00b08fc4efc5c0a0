"""How a question is asked where there is a draft answer, and where there is none (STEP-4)."""

from __future__ import annotations

import pytest

from roundtable import load_steps
from roundtable.core.lines import record_saved
from roundtable.core.steps import Question


@pytest.mark.rule("STEP-4")
def test_a_question_that_points_at_a_draft_has_other_words_without_one() -> None:
    question = Question("Matches", "Which of these?", draft="survey", without="Where does it live?")
    assert question.asked(with_draft=True) == "Which of these?"
    assert question.asked(with_draft=False) == "Where does it live?"
    assert Question("Matches", "Which?").asked(with_draft=False) == "Which?"


@pytest.mark.rule("STEP-4")
def test_no_built_in_question_points_at_a_list_that_is_not_there() -> None:
    pointing = ("these ", "this is where", "the list")
    for step in load_steps():
        for question in (*step.brief, *step.standard, *step.deep):
            if question.draft != "survey" or not question.text.lower().startswith(("these", "i looked")):
                continue
            assert not any(word in question.asked(with_draft=False).lower() for word in pointing), question


@pytest.mark.rule("FOCUS-2")
def test_what_was_put_off_is_said_when_the_discussion_is_saved() -> None:
    plain = "Saved the discussion (9 turns) to meta.json; the transcript is elaborations/01-03-1.md."
    assert record_saved(9, "elaborations/01-03-1.md") == plain
    told = record_saved(9, "elaborations/01-03-1.md", ("the meal plan?", "storage\n cost"))
    assert told == f"{plain} Put off and kept in parking-lot.md: the meal plan; storage cost."
