"""A contribution is about this item where it quotes it, or names what no other discussion names."""

from __future__ import annotations

from roundtable.core.items import Item
from roundtable.evaluation import specificity
from roundtable.evaluation.figure import Figure
from roundtable.evaluation.scripts import Message
from trials import Talk, discussion, says, trial, user

FORMS = Item("forms", "Offline forms", "Inspectors fill in forms in damp basements.")
LOANS = Item("loans", "Loans by text", "Members renew loans in damp basements by text message.")


def measure(*talk: Talk, other: tuple[Talk, ...] = ()) -> list[Figure]:
    items = [trial(discussion(*talk, item=FORMS)), trial(discussion(*other, name="02-loans", item=LOANS))]
    return list(specificity.measure(items))


def test_a_quotation_of_three_words_is_specific() -> None:
    specific, invented = measure(says("Maya", 'You wrote "forms in damp basements".'))
    assert (specific.value, specific.counted) == (100.0, "1 of 1; 1 by a quotation")
    assert invented.value == 0


def test_a_term_of_this_item_alone_is_specific() -> None:
    specific, _ = measure(says("Maya", "Picture the inspector."), other=(says("Alex", "It is damp there."),))
    assert specific.counted == "2 of 2; 0 by a quotation"
    assert measure(says("Maya", "It is damp."), other=(says("Alex", "So damp."),))[0].value == 0.0


def test_a_word_of_the_panel_that_falls_once_is_not() -> None:
    specific, _ = measure(says("Maya", "Picture the hippopotamus."))
    assert (specific.value, specific.holds) == (0.0, False)
    assert specific.misses == ("01-forms turn 1, Maya: Picture the hippopotamus.",)


def test_what_the_user_said_can_be_quoted_and_two_words_are_too_few() -> None:
    asked = Message("question", "who signs the yellow sheet?")
    specific, _ = measure(user(asked), says("Maya", 'On "signs the yellow sheet": nobody.'))
    assert specific.value == 100.0
    assert (
        measure(says("Alex", 'It is "damp basements" again.'), other=(says("Alex", "damp basement"),))[
            0
        ].value
        == 0
    )


def test_a_quotation_that_nobody_wrote_is_named() -> None:
    _, invented = measure(
        says("Alex", "I would lock the form."),
        says("Maya", 'You wrote "forms in dry attics", and Alex "would lock the form".'),
    )
    assert invented.value == 1
    assert invented.misses[0].startswith('"forms in dry attics" 01-forms turn 2, Maya: ')
