"""What is said twice: in a discussion, with every item, and in a second elaboration."""

from __future__ import annotations

from roundtable.core.items import Item
from roundtable.core.synthesis import Draft, Entry
from roundtable.evaluation import echo
from roundtable.evaluation.discussion import Discussion
from roundtable.evaluation.figure import Figure
from trials import discussion, says, trial

FORMS = Item("forms", "Offline forms", "Inspectors fill in forms.")
LOANS = Item("loans", "Loans by text", "Members renew loans.")


def between(one: str, other: str) -> list[Figure]:
    items = [
        trial(discussion(says("Maya", one), name="01", item=FORMS)),
        trial(discussion(says("Maya", other), name="02", item=LOANS)),
    ]
    return list(echo.measure(items))


def insights(*texts: str) -> Draft:
    return Draft(insights=tuple(Entry(text, (1,)) for text in texts))


def test_a_sentence_said_twice_is_found_whoever_says_it() -> None:
    talk = discussion(
        says("Maya", "Who waits? The form is gone."),
        says("Alex", "the form is gone! And then?"),
        says("Alex", 'It says "The form is gone. Who waits?" there.'),
    )
    assert list(echo.repeats(talk)) == ["01-forms turn 2: the form is gone!"]
    repeated = next(iter(echo.measure([trial(talk)])))
    assert (repeated.value, repeated.counted) == (1, "5 sentences")


def test_a_sentence_with_other_words_in_its_slots_is_shared() -> None:
    _, anywhere, average, *_ = between(
        "So who waits for the forms in the end?", "So who waits for the loans in the end?"
    )
    assert (anywhere.value, anywhere.holds, anywhere.counted) == (100.0, False, "2 of 2")
    assert (average.value, average.bound) == (100.0, None)


def test_figures_quotations_code_and_names_are_slots() -> None:
    one = 'The text says "inspectors" and `saveForm` at 12:30 for Delia, which is early.'
    other = 'The text says "members of all ages" and `renew` at 9 for Paul, which is early.'
    assert between(one, other)[1].value == 100.0


def test_other_words_than_the_items_own_make_another_sentence() -> None:
    _, anywhere, average, *_ = between(
        "So who waits for the forms in the end?", "So who waits for the lawyers in the end?"
    )
    assert (anywhere.value, average.value) == (0.0, 0.0)


def test_what_two_items_share_is_averaged_over_all_pairs() -> None:
    same = "So who waits for this in the end?"
    items = [
        trial(discussion(says("Maya", same), says("Alex", "Nobody asked the lamp."), name="01", item=FORMS)),
        trial(discussion(says("Maya", same), name="02", item=LOANS)),
        trial(discussion(says("Maya", "A kettle sings below deck."), name="03", item=LOANS)),
    ]
    _, anywhere, average, *_ = echo.measure(items)
    assert anywhere.counted == "2 of 4"
    assert average.value is not None
    assert round(average.value, 1) == round(100 * (0.5 + 1) / 6, 1)


def test_the_framing_is_the_rules_and_not_compared() -> None:
    def framed(name: str) -> Discussion:
        return discussion(says("Maya", "We just covered the journeys in full.", "framing"), name=name)

    _, anywhere, average, *_ = echo.measure([trial(framed("01")), trial(framed("02"))])
    assert (anywhere.value, average.value) == (None, None)


def test_a_second_elaboration_brings_points_that_the_first_did_not_hold() -> None:
    first = discussion(says("Maya", "One."), draft=insights("A photo may be lost in the basement."))
    again = discussion(says("Maya", "One."), says("Alex", "One. Two."), draft=insights("Photos may be lost."))
    fresh = discussion(draft=insights("Photos may be lost.", "Nobody signs the yellow sheet."))
    assert echo.new_points(trial(first, again)) == ()
    assert echo.new_points(trial(first, fresh)) == ("Nobody signs the yellow sheet.",)
    *_, news, sentences = echo.measure([trial(first, again), trial(first, fresh)])
    assert (news.value, news.misses, news.counted) == (50.0, ("01-forms",), "1 of 2; 1 of 3 points are new")
    assert (sentences.counted, sentences.holds) == ("1 of 2", None)
