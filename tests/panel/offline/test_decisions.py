"""Decisions on many messages: found by their form in any domain, hardly ever invented."""

from __future__ import annotations

import pytest

from decision_samples import HALVES, lines
from roundtable.panel.offline.messages import find_decisions, read_message

NAMES = ("Maya", "Alex", "Jordan")


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize("half", HALVES)
def test_nearly_every_decision_is_found(half: str) -> None:
    decided = lines("decisions", half)
    missed = [words for words in decided if not find_decisions(words, NAMES)]
    assert len(decided) >= 80
    assert len(missed) <= 0.05 * len(decided), missed


@pytest.mark.rule("SYN-7")
def test_a_reason_in_a_sentence_of_its_own_belongs_to_the_decision_before_it() -> None:
    (piece,) = read_message("We go with counting first. Because half an order is worse than none.").pieces
    assert piece.kind == "decision" and piece.text.endswith("worse than none.")


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize("half", HALVES)
def test_hardly_any_decision_is_invented(half: str) -> None:
    others = lines("others", half)
    invented = [words for words in others if find_decisions(words, NAMES)]
    assert len(others) >= 160
    assert len(invented) <= 0.02 * len(others), invented


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "Use Postgres.",
        "Limit uploads to 20 MB.",
        "If the file has no date, reject it.",
        "Show past days greyed out and never send them back on saving.",
        "We go ahead today with the fix.",
        "then lets compute our own total and leave the old one alone",
        "Tell the caller what is missing.",
        "let's hold it to 5 points from year 10 onwards",
        "let's say only drawn cards can go back",
        "We take text messages only, no mail.",
    ],
)
def test_a_condition_a_day_or_a_typing_error_does_not_hide_a_decision(words: str) -> None:
    assert find_decisions(words, NAMES) == (words,)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "If the driver has no signal he will be stuck and we will pay for it.",
        "If the customer cancels, we will refund them by hand.",
        "Log files are full.",
        "take() subtracts before it knows if there is enough.",
        "read() returns None at the end.",
        "log.py is read twice.",
        "I wouldn't touch the total itself, the upload needs it the way it is.",
        "Restore plus save take 90 seconds.",
        "Live recordings are the worst, every track has it",
        "Let's be quick.",
        "hm no, that is not the end of anything for us",
        "Right now we send one mail per child.",
        "Alex, tell me more.",
        "let's have a look at it",
        "we use it only at night, there is no light",
    ],
)
def test_an_objection_a_noun_or_a_habit_decides_nothing(words: str) -> None:
    assert find_decisions(words, NAMES) == ()


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("message", "decided"),
    [
        ("We use Redis. Scratch that: we use Postgres.", ("Scratch that: we use Postgres.",)),
        ("Let's use Redis. No wait, rather Postgres.", ("No wait, rather Postgres.",)),
        ("Use Redis. Show the date. Strike that, hide it.", ("Use Redis.", "Strike that, hide it.")),
        ("Use Redis. Scratch that.", ()),
        ("Use Redis. No wait, what about Postgres?", ("Use Redis.",)),
        ("Use Redis. Forget that the queue is full.", ("Use Redis.",)),
    ],
)
def test_what_stands_instead_of_a_decision_is_one(message: str, decided: tuple[str, ...]) -> None:
    assert find_decisions(message, NAMES) == decided


@pytest.mark.rule("SYN-3")
def test_every_order_of_a_message_is_a_decision() -> None:
    orders = ("Store orders in UTC.", "Log errors to a file.")
    assert find_decisions(" ".join(orders), NAMES) == orders


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words", ["do it like Maya suggested", "yes please do that", "let's do what Alex proposed"]
)
def test_what_a_persona_proposed_is_pointed_at(words: str) -> None:
    assert find_decisions(words, NAMES)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("message", "is_decided"),
    [
        ("Alex, RFC 9110 lets a server ignore a header that it cannot parse. What speaks for 400?", False),
        ("Okay, lets refuse it with 400.", True),
        ("We close the response and let the exception through, because raising is the main use.", True),
        ("We know that because Maya said so.", False),
    ],
)
def test_who_lets_something_is_not_let_us_and_a_reason_makes_what_we_do_a_decision(
    message: str, is_decided: bool
) -> None:
    assert bool(find_decisions(message, ("Alex", "Maya", "Jordan"))) is is_decided


@pytest.mark.rule("SYN-3", "SYN-9")
@pytest.mark.parametrize(
    "said",
    [
        "We clamp at 0, because negative totals confuse the ledger.",
        "We throttle at 20 a minute because the provider does.",
        "We batch the mails, because one by one takes too long.",
        "We hash the key because the log is public.",
        "We enqueue it because the desk must not wait.",
    ],
)
def test_what_we_do_for_a_reason_is_decided(said: str) -> None:
    assert find_decisions(said) == (said,)


@pytest.mark.rule("SYN-3", "SYN-9")
@pytest.mark.parametrize(
    "said",
    [
        "We have 3 servers because the old one was slow.",
        "We see this because the clock jumps.",
        "We lose rows because the batch is cut.",
        "We get 40 mails a day because nobody reads the page.",
        "We know it because the clamp is logged.",
        "We fail there because the hash differs.",
        "We miss them because throttling starts at 20.",
        "We expect more because the season begins.",
        "Batches fail because the disk is full.",
        "The total is clamped at 0 because of the ledger.",
    ],
)
def test_a_fact_with_a_reason_is_not_decided(said: str) -> None:
    assert find_decisions(said) == ()
