"""What a question wants as far as its form shows it, the case it puts, and how it can be named."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.asking import asked, unaddressed
from roundtable.panel.offline.cases import case
from roundtable.panel.offline.utterances import asks, utterances


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how long do we keep it?", "limit"),
        ("how many codes may somebody try?", "limit"),
        ("how many forms is that?", "measure"),
        ("how much of this is about typing?", "open"),
        ("what if the network drops?", "case"),
        ("what about part-timers?", "case"),
        ("and twins?", "case"),
        ("and the mails that go out for each vote?", "case"),
        ("the phone is full, what then?", "case"),
        ("what does A do about a guest who leaves early?", "case"),
        ("who signs it?", "who"),
        ("who could sign in the name of a station?", "who-can"),
        ("who could tell us?", "who"),
        ("the lamp blinks twice, does that look like a loose wire to you?", "view"),
        ("who is hurt more, the sender or the reader?", "either"),
        ("how does the packer know when it is full?", "open"),
        ("what does the guest see then?", "see"),
        ("what should the screen say at the end?", "see"),
        ("what does a user see in the days when the split hasn't arrived?", "shown"),
        ("how would we notice that it never arrived?", "sign"),
        ("what would be a sign in the first week?", "sign"),
        ("how do we know that it comes from the owner?", "open"),
        ("which other tabs read that field?", "list"),
        ("is it the old text or the new one?", "either"),
        ("can the original be deleted or must we keep it?", "choice"),
        ("should the file be kept?", "choice"),
        ("may an editor override it?", "choice"),
        ("does the donor have to agree?", "choice"),
        ("do we show the sender that it has started?", "choice"),
        ("why not renew it automatically?", "choice"),
        ("why is it refused?", "why"),
        ("did the printer stop?", "fact"),
        ("is it the same in the other pack?", "fact"),
        ("can we get the deleted days back?", "fact"),
        ("where does it choose the file from?", "fact"),
        ("does payroll read half days?", "yes-no"),
        ("can a crew work with the map?", "yes-no"),
        ("would a sender be angry then?", "yes-no"),
        ("when is an entry thrown away?", "time"),
        ("what exactly counts as the same?", "open"),
        ("which test comes first?", "open"),
    ],
)
def test_what_a_question_wants(question: str, kind: str) -> None:
    assert asked(question).kind == kind


@pytest.mark.rule("HEAR-4")
def test_a_question_is_named_in_its_own_words() -> None:
    found = asked("Maya who signs the invoice?", ("Maya", "Alex"))
    assert (found.asked, found.clause, found.when) == ("who signs the invoice", "who signs the invoice", "")
    assert asked('is "jan" allowed?').asked == "is 'jan' allowed"


def test_where_a_second_side_follows_there_is_no_clause() -> None:
    assert asked("should it be a story of its own or do we drop it?").clause == ""
    assert asked("which half is it, does anybody care?").clause == ""


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("what if two waiters take the last beer?", "if two waiters take the last beer"),
        ("what happens when both devices disagree?", "when both devices disagree"),
        ("and if my phone is offline?", "if your phone is offline"),
        ("the disk is full, what then?", "if the disk is full"),
        ("if I change the servings, what happens?", "if you change the servings"),
    ],
)
def test_a_case_is_said_again_in_its_own_words(question: str, when: str) -> None:
    assert case(question) == when


@pytest.mark.parametrize(
    "question",
    [
        "when is it sent?",
        "who signs it?",
        "what if an agent is silent, is that a state too?",  # two questions
        "what about events without a zone?",
    ],
)
def test_a_case_that_cannot_be_said_again_whole_is_not_cut(question: str) -> None:
    assert case(question) is None


def test_whom_a_question_addresses_does_not_count() -> None:
    assert unaddressed("Maya how much of this is typing", ("Maya",)) == "how much of this is typing"
    assert unaddressed("Alex, who signs it?", ("Maya", "Alex")) == "who signs it?"
    assert unaddressed("Maya signs it", ("Maya",)) == "Maya signs it"


@pytest.mark.parametrize(
    "words",
    [
        "Only for display?", "what a waiter does?", "when is it sent", "how many are there",
        "is hail in there as well or only rain",
    ],
)  # fmt: skip
def test_a_mark_or_a_question_word_asks(words: str) -> None:
    assert asks(words)


@pytest.mark.parametrize(
    "words",
    ["When in doubt it is replaced.", "what a waste of time", "What matters is speed.", "could be worse"],
)
def test_a_question_word_alone_does_not_ask(words: str) -> None:
    assert not asks(words)


def test_what_follows_a_question_mark_is_said_and_not_asked() -> None:
    assert utterances("here or there? two different designs") == ("here or there?", "two different designs")


@pytest.mark.rule("HEAR-4")
def test_do_we_asks_without_a_mark_and_do_the_does_not() -> None:
    assert asks("do we also show it for trips that are already past")
    assert not asks("do the simple thing first")
    assert not asks("do we.")
