"""Finding: what answers a question is quoted, what only shares a word with it is not."""

from __future__ import annotations

import pytest

from offline_talk import STEPS, step
from roundtable.core.items import Item
from roundtable.panel.offline.finding import bearing, find, fits, passage, telling
from roundtable.panel.offline.reading import Reading, read

CLINIC = Item(
    "clinic", "Appointments",
    "A reminder is sent two days before the appointment. Patients who cancel get a new slot from the "
    "front desk. "
    "The doctor sees the list in the morning because the rooms are given out then. "
    "A restore takes 20 GB of disk each time. Nobody reads the fax.",
)  # fmt: skip


def clinic() -> Reading:
    return read(CLINIC, step("01-03"), (), STEPS)


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "kind", "answer"),
    [
        ("how long before the appointment is the reminder sent", "limit", "two days before"),
        ("why does the doctor see the list in the morning", "why", "because the rooms"),
    ],
)
def test_what_is_written_answers(question: str, kind: str, answer: str) -> None:
    first, *_ = find(clinic(), question, kind)
    assert first.answers
    assert answer in first.sentence.text


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how many reminders were lost in march", "measure"),  # shares one word
        ("how long does the doctor see the list", "limit"),  # no span of time in that line
        ("why is the fax read", "why"),  # no reason in that line
        ("who paints the house", "who"),
    ],
)
def test_what_shares_a_word_or_lacks_the_kind_of_thing_asked_is_no_answer(question: str, kind: str) -> None:
    assert not any(each.answers for each in find(clinic(), question, kind))


def test_the_kind_of_thing_asked() -> None:
    assert fits("It takes 20 minutes.", "how long does it take", "limit")
    assert not fits("It takes 20 boxes.", "how long does it take", "limit")
    assert fits("The nurse signs the form.", "who signs the form", "who")
    assert not fits("The form is signed.", "who signs the form", "who")


@pytest.mark.rule("HEAR-4")
def test_a_line_bears_on_words_with_which_it_shares_two_that_are_rare() -> None:
    found = bearing(clinic(), "patients who cancel by phone have no slot at all")
    assert [each.text for each in found] == ["Patients who cancel get a new slot from the front desk."]


@pytest.mark.parametrize(
    "words",
    [
        "who reads the letters of the doctor",  # one rare word
        "somebody should read the list every morning",  # words that stand everywhere
        "who paints the house",
    ],
)
def test_one_word_shared_is_too_little(words: str) -> None:
    assert bearing(clinic(), words) == ()


def test_rare_is_what_stands_there_once_or_twice() -> None:
    assert telling(clinic(), "the doctor reads a letter in the morning") == {"doctor"}


def test_of_a_long_sentence_the_part_that_is_asked_about_is_quoted() -> None:
    sentence = (
        "There was a long meeting about all kinds of things, and in the end somebody said that the pump "
        "of the old house "
        "stops at night, which nobody had known before and which explains the cold showers of the last "
        "winter."
    )
    assert "pump" in passage(sentence, "why does the pump of the house stop", 120)
    assert passage(sentence, "who pays the gardener", 120) == ""
