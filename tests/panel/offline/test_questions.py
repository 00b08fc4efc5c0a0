"""A question as a clause of another sentence, and the kind of answer it asks for."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.probes import KINDS
from roundtable.panel.offline.questions import asked


@pytest.mark.parametrize(
    ("question", "clause"),
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
        ("what's the line for salt?", "what the line is for salt"),
        ("how many balances are wrong?", "how many balances are wrong"),
        ("can I see both?", "whether you can see both"),
        ("do you know who reads it?", "who reads it"),
    ],
)
def test_a_question_becomes_a_clause(question: str, clause: str) -> None:
    assert asked(question).clause == clause


@pytest.mark.parametrize(
    "question",
    [
        "do reminders that were already scheduled fire?",  # where the subject ends is not certain
        "is a link dead at midnight?",
        "did the clerk see it?",
        "what does A cost for somebody?",
        'is "a b" the same as "c d" here?',
        "and?",
    ],
)
def test_where_the_subject_is_not_certain_there_is_none(question: str) -> None:
    assert asked(question).clause is None


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how many forms is that?", "count"),
        ("what does it cost us?", "count"),
        ("what if the network drops?", "break"),
        ("what about part-timers?", "case"),
        ("can a crew work while it is refreshing?", "case"),
        ("who signs it?", "who"),
        ("what does the guest see then?", "see"),
        ("how would we notice?", "sign"),
        ("which tile wins?", "choice"),
        ("is it the old text or the new one?", "choice"),
        ("is a POST retried as well?", "whether"),
        ("how does a packer undo it?", "how"),
        ("what exactly counts as the same?", "what"),
        ("what is stored about it?", "kept"),
        ("where would we remember that?", "where"),
        ("which date would you pick for a test?", "advice"),
        ("why is it refused?", "why"),
    ],
)
def test_the_kind_of_answer(question: str, kind: str) -> None:
    assert kind in KINDS
    assert asked(question).kind == kind


def test_what_a_question_names() -> None:
    assert asked("what limit would you start with?").topic == "the limit"
    assert asked("what about grades that went out?").topic == "the grades"
    assert asked("what happens then?").topic is None
