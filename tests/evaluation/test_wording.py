"""Sentences, quotations and terms, as they are compared."""

from __future__ import annotations

import pytest

from roundtable.evaluation import wording


@pytest.mark.parametrize(
    ("one", "other"),
    [("forms", "form"), ("merging", "merge"), ("planned", "plan"), ("copies", "copy"), ("copied", "copy")],
)
def test_the_forms_of_a_word_meet(one: str, other: str) -> None:
    assert wording.stem(one) == wording.stem(other)


@pytest.mark.parametrize(("one", "other"), [("process", "proces"), ("press", "pres"), ("bed", "b")])
def test_short_words_and_double_letters_stay_apart(one: str, other: str) -> None:
    assert wording.stem(one) != wording.stem(other)


def test_words_that_say_nothing_are_no_content() -> None:
    assert wording.content("What happens when we merge the inspector's 30 forms?") == {
        wording.stem("merge"), wording.stem("inspector"), "30", "form"
    }  # fmt: skip


def test_a_full_stop_in_a_quotation_ends_no_sentence() -> None:
    text = 'The item says "It fails. Then it waits." and stops. See `a. b`! Next'
    assert wording.sentences(text) == (
        'The item says "It fails Then it waits." and stops.',
        "See `a b`!",
        "Next",
    )


def test_quotations_are_what_stands_between_double_marks() -> None:
    assert wording.quotations("A \"b c\" and “d e”, but not 'f' or `g`.") == ("b c", "d e")
    assert wording.without_quotations('A "b c" d `e`.').split() == ["A", "d", "."]


@pytest.mark.parametrize(
    ("quotation", "verbatim"),
    [
        ("forms in basements", True),
        ("Forms, in BASEMENTS", True),
        ("Inspectors fill ... without signal", True),
        ("forms in cellars", False),
        ("fill basements", False),
        ("...", False),
        ("arm", False),
    ],
)
def test_a_quotation_is_verbatim_where_each_part_stands_in_a_source(quotation: str, verbatim: bool) -> None:
    sources = ["Another text.", "Inspectors fill in forms in basements without signal."]
    assert wording.is_verbatim(quotation, sources) is verbatim


def test_three_words_make_a_quotation() -> None:
    assert wording.is_long("one two three")
    assert not wording.is_long("one two")
