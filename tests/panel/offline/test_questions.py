"""A question as a clause of another sentence, where its subject is certain."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.questions import clause, topic


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what would the clerk have to do differently?", "what the clerk would have to do differently"),
        ("how long do we keep a bike?", "how long we keep a bike"),
        ("does payroll read half days at all?", "whether payroll reads half days at all"),
        ("does a student have to be told?", "whether a student has to be told"),
        ("does strict also mean that?", "whether strict also means that"),
        ("who has to be told at night?", "who has to be told at night"),
        ("which half is it, does anybody care?", "which half it is"),
        ("which of the two is the right one?", "which of the two is the right one"),
        ("what state is the database in?", "what state the database is in"),
        ("what is on the screen when it is full?", "what is on the screen when it is full"),
        ("is the mail in the folder during that?", "whether the mail is in the folder during that"),
        ("are the names translated, we have 20 languages?", "whether the names are translated"),
        ("what if the file changed?", "what happens if the file changed"),
        ("if I change the servings, what happens?", "what happens if you change the servings"),
        ("what about events without a zone?", "what holds for events without a zone"),
        ("how many balances are wrong?", "how many balances are wrong"),
        ("can I see both?", "whether you can see both"),
    ],
)
def test_a_question_becomes_a_clause(question: str, said: str) -> None:
    assert clause(question.rstrip("?")) == said


@pytest.mark.parametrize(
    "question",
    [
        "do reminders that were already scheduled fire?",  # where the subject ends is not certain
        "is a link dead at midnight?",
        "did the clerk see it?",
        "what does A cost for somebody?",
        'is "a b" the same as "c d" here?',
        "and?",
        "can a pull request from outside put something there?",
        "what would somebody who comes back want to see?",
    ],
)
def test_where_the_subject_is_not_certain_there_is_none(question: str) -> None:
    assert clause(question.rstrip("?")) is None


def test_what_a_question_names() -> None:
    assert topic("what limit would you start with") == "the limit"
    assert topic("what about grades that went out") == "the grades"
    assert topic("what happens then") is None
