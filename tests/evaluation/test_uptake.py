"""A reply takes up the user's subject, by a word that carries a meaning or by a quotation."""

from __future__ import annotations

from roundtable.evaluation import uptake
from roundtable.evaluation.figure import Figure
from roundtable.evaluation.scripts import Message
from trials import Talk, discussion, says, trial, user

ASKED = Message("question", "Alex, what happens with the photos then?")


def measure(*talk: Talk) -> Figure:
    (figure,) = uptake.measure([trial(discussion(*talk))])
    return figure


def test_sharing_a_word_takes_it_up() -> None:
    figure = measure(
        user(ASKED),
        says("Alex", "A photo waits until the form is there.", "answer"),
        says("Maya", "Who would miss it?", "follow"),
    )
    assert figure.value == 100.0
    assert figure.counted == "1 of 1; by whom the message was for; 0 of 1 by those who added something"


def test_a_reply_to_something_else_does_not() -> None:
    figure = measure(user(ASKED), says("Alex", "Who would miss it?", "answer"))
    assert figure.value == 0.0
    assert figure.misses == (
        'to "Alex, what happens with the photos then?" 01-forms turn 2, Alex: Who would miss it?',
    )


def test_a_name_or_an_empty_word_does_not() -> None:
    assert measure(user(ASKED), says("Jordan", "What happens then, Alex?", "answer")).value == 0.0


def test_a_quotation_takes_up_what_has_no_other_words() -> None:
    message = Message("question", "yes but why so big?")
    quoting = says("Maya", '"yes but why" is fair.', "answer")
    assert measure(user(message), quoting).value == 100.0


def test_nothing_to_take_up_is_not_counted() -> None:
    silent = measure(user(Message("ok", "ok great work")), says("Maya", "Next, the lamp.", "answer"))
    assert silent.value is None
    assert measure(user(Message("question", "why?")), says("Maya", "A lamp.", "answer")).value is None
    assert measure(user(ASKED), says("Maya", "A lamp.", "go-on")).value is None
