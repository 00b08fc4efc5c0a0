"""What a question asks for, the case it puts, and both sides of a choice."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.asking import acts, asked
from roundtable.panel.offline.cases import case
from roundtable.panel.offline.choices import Choice, choice
from roundtable.panel.offline.utterances import asks, utterances


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how long do we keep it?", "limit"),
        ("how many codes may somebody try?", "limit"),
        ("how many forms is that?", "measure"),
        ("what does it cost us?", "measure"),
        ("what if the network drops?", "case"),
        ("what about part-timers?", "case"),
        ("the phone is full, what then?", "case"),
        ("who signs it?", "who"),
        ("what does the guest see then?", "see"),
        ("how would we notice?", "sign"),
        ("how do we tell one from the other?", "apart"),
        ("what stops somebody from taking two?", "prevent"),
        ("how does a packer undo it?", "undo"),
        ("which tile wins?", "wins"),
        ("is it the old text or the new one?", "choice"),
        ("may an editor override it?", "may"),
        ("can a crew work with the map?", "able"),
        ("is a POST retried as well?", "also"),
        ("should the file be kept?", "should"),
        ("does the donor have to agree?", "must"),
        ("why not renew it automatically?", "suggest"),
        ("cheaper sensors or fewer of them?", "choice"),
        ("does payroll read half days?", "fact"),
        ("what other states are there?", "list"),
        ("what exactly counts as the same?", "define"),
        ("what is stored about it?", "kept"),
        ("how does the list get there?", "how"),
        ("where would we remember that?", "place"),
        ("when is an entry thrown away?", "time"),
        ("which date would you pick for a test?", "advice"),
        ("why is it refused?", "why"),
        ("what would the clerk have to learn?", "plain"),
    ],
)
def test_the_kind_of_answer(question: str, kind: str) -> None:
    assert asked(question).kind == kind


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "when", "kind"),
    [
        ("what if two waiters take the last beer at the same time?",
         "if two waiters take the last beer at the same time", "race"),
        ("what happens when both devices disagree?", "when both devices disagree", "differ"),
        ("and if my phone is offline?", "if your phone is offline", "outage"),
        ("what about the logs that are on disk already?", "for the logs that are on disk already", "old"),
        ("what happens to an episode somebody is half way through?",
         "for an episode somebody is half way through", "busy"),
        ("what if the file changed since then?", "if the file changed since then", "change"),
        ("what about events without a zone?", "for events without a zone", "missing"),
        ("what do we answer for a town that does not exist?", "for a town that does not exist", "unknown"),
        ("what if the type is set wrongly?", "if the type is set wrongly", "wrong"),
        ("the disk is full, what then?", "if the disk is full", "full"),
        ("what if somebody forgets to switch it off?", "if somebody forgets to switch it off", "forget"),
        ("what if somebody turns it off by hand?", "if somebody turns it off by hand", "act"),
        ("what if a match is abandoned?", "if a match is abandoned", "plain"),
        ("what if an agent is silent, is that a state too?", "if an agent is silent", "outage"),
        ("what happens in a run of 300 when 4 fail?", "in a run of 300 when 4 fail", "outage"),
    ],
)  # fmt: skip
def test_a_case_is_said_again_in_its_own_words(question: str, when: str, kind: str) -> None:
    found = case(question)
    assert found is not None
    assert (found.when, found.kind) == (when, kind)


@pytest.mark.parametrize(
    "question", ["when is it sent?", "who signs it?", "how long does it wait after closing?"]
)
def test_a_question_without_a_case_puts_none(question: str) -> None:
    assert case(question) is None


@pytest.mark.rule("HEAR-4")
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what counts as short, five minutes or ten?", Choice("five minutes", "ten")),
        ("which value do we take, the one before or the newest?", Choice("the one before", "the newest")),
        ("is it per person or for the whole house?", Choice("per person", "for the whole house")),
        ("is a link dead at midnight or after 168 hours?", Choice("at midnight", "after 168 hours")),
        ("do they see the old text or the new one until then?", Choice("the old text", "the new one")),
        ("is it deleted before or after the copy?", Choice("before", "after the copy", True)),
        ("does the customer care or only the accountant?", Choice()),
        ("is it done in a week or so?", None),
        ("who signs it?", None),
    ],
)  # fmt: skip
def test_both_sides_of_a_choice_only_where_they_are_certain(question: str, found: Choice | None) -> None:
    assert choice(question) == found


def test_who_has_to_act_is_told_from_who_is_meant() -> None:
    assert acts("who may write off a debt")
    assert not acts("who reads that list")
    assert asked("what does the waiter do when a guest leaves?").who == "the waiter"


@pytest.mark.parametrize(
    "words", ["Only for display?", "what a waiter does?", "when is it sent", "how many are there"]
)
def test_a_mark_or_a_question_word_asks(words: str) -> None:
    assert asks(words)


@pytest.mark.parametrize(
    "words", ["When in doubt it is replaced.", "what a waste of time", "What matters is speed."]
)
def test_a_question_word_alone_does_not_ask(words: str) -> None:
    assert not asks(words)


def test_what_follows_a_question_mark_is_said_and_not_asked() -> None:
    assert utterances("here or there? two different designs") == ("here or there?", "two different designs")
