"""How a question is asked where there is a draft answer, and where there is none (STEP-4)."""

from __future__ import annotations

import pytest

from roundtable import load_steps
from roundtable.core.steps import Question


@pytest.mark.rule("STEP-4")
def test_a_question_that_points_at_a_draft_has_other_words_without_one() -> None:
    question = Question("Matches", "Which of these?", draft="survey", without="Where does it live?")
    assert question.choose_wording(with_draft=True) == "Which of these?"
    assert question.choose_wording(with_draft=False) == "Where does it live?"
    assert Question("Matches", "Which?").choose_wording(with_draft=False) == "Which?"


@pytest.mark.rule("STEP-4")
def test_no_built_in_question_points_at_a_list_that_is_not_there() -> None:
    pointing = ("these ", "this is where", "the list")
    for step in load_steps():
        for question in (*step.brief, *step.standard, *step.deep):
            if question.draft != "survey" or not question.text.lower().startswith(("these", "i looked")):
                continue
            assert not any(word in question.choose_wording(with_draft=False).lower() for word in pointing), (
                question
            )
