"""Replies: a figure, a line of the text or honesty; the user's words are taken up by their content."""

from __future__ import annotations

import pytest

from offline_talk import Discussion
from roundtable.core.items import Item
from roundtable.core.turns import Material, Turn
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.probefile import read_library
from roundtable.panel.offline.probes import Library

BIKES = Item(
    "bikes", "Reserve a campus bike",
    "On most mornings somebody walks to the office and finds every rack empty. Today a clerk has two "
    "actions, check out and check in. 40 students rent up to 3 bikes a week. "
    "It should not make the life of walk-in riders worse.",
)  # fmt: skip
BUILT_IN, _ = read_library()
# The lines alone, so that what is tested does not depend on which probes there are.
LINES = OfflinePanel(library=Library(topics=BUILT_IN.topics, stock=BUILT_IN.stock, places=BUILT_IN.places))


def replies(*says: str, item: Item = BIKES, material: tuple[Material, ...] = ()) -> list[Turn]:
    """What each message is answered with, by whoever answers first."""
    case = Discussion(item, "01-03", material, says, max_turns=30, panel=LINES)
    asked = [turn for turn in case.turns if turn.speaker == "user"]
    return [case.turns[turn.number] for turn in asked if turn.number < len(case.turns)]


@pytest.mark.rule("HEAR-4")
def test_how_many_is_answered_with_the_texts_own_figures() -> None:
    (reply,) = replies("Alex, how many bikes is that?")
    assert "120 bikes a week at most (40 times 3)" in reply.text


@pytest.mark.rule("HEAR-4")
def test_a_figure_that_counts_something_else_is_no_answer() -> None:
    (reply,) = replies("Alex, how many clerks are there?")
    assert "40" not in reply.text
    assert "how many clerks" in reply.text


@pytest.mark.rule("HEAR-2", "HEAR-4")
def test_what_is_written_is_quoted() -> None:
    (reply,) = replies("Maya, what would the clerk do at check out?")
    assert '"Today a clerk has two actions, check out and check in"' in reply.text


@pytest.mark.rule("HEAR-2", "HEAR-4")
@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Maya, who signs the invoice?", "who signs the invoice"),
        ("Alex, does payroll read half days?", "whether payroll reads half days"),
        ("Jordan, what if the printer is offline?", "if the printer is offline"),
        ("Jordan, did the printer stop?", '"did the printer stop"'),
    ],
)
def test_where_nothing_is_known_the_question_is_named(question: str, named: str) -> None:
    (reply,) = replies(question)
    assert named in reply.text.lower() or question.partition(", ")[2].rstrip("?") in reply.text
    assert len(reply.text.split()) < 45


@pytest.mark.rule("LOOP-3")
def test_the_same_question_is_not_answered_twice_in_the_same_words() -> None:
    first, second, third = replies(*("Maya, who signs the invoice?",) * 3)
    assert len({first.text, second.text, third.text}) == 3


@pytest.mark.rule("HEAR-4")
def test_a_statement_an_objection_and_a_decision_are_taken_up_by_content() -> None:
    stated, minded, decided = replies(
        "last year the desk corrected 38 rentals by hand",
        "counting page visits is not good enough",
        "Agreed: a bike is kept for 15 minutes.",
    )
    assert "ast year the desk corrected 38 rentals by hand" in stated.text
    assert "counting page visits is not good enough" in minded.text
    assert '"a bike is kept for 15 minutes"' in decided.text


@pytest.mark.rule("HEAR-4")
def test_a_message_of_two_sentences_is_taken_up_whole() -> None:
    (reply,) = replies("I don't think we should lock every rack. My bike was stolen unlocked and locked.")
    assert "My bike was stolen unlocked and locked" in reply.text


@pytest.mark.rule("HEAR-4")
def test_what_comes_near_is_said_to_come_near_and_no_more() -> None:
    (reply,) = replies("Alex, what happens to walk-in riders when every bike is reserved?")
    assert '"It should not make the life of walk-in riders worse"' in reply.text
    assert "record" in reply.text


@pytest.mark.rule("HEAR-4")
def test_an_objection_to_a_decision_names_the_decision() -> None:
    _, minded = replies("Agreed: a rack is never locked.", "then nobody can reserve a bike any more")
    assert '"a rack is never locked"' in minded.text


@pytest.mark.rule("HEAR-4", "SYN-3")
def test_a_decision_that_takes_one_back_says_so() -> None:
    _, later = replies(
        "Agreed: a bike is kept for 15 minutes.", "No, let's go with 30 minutes: a bike is kept for 30."
    )
    assert '"a bike is kept for 15 minutes"' in later.text


@pytest.mark.rule("HEAR-4")
def test_a_statement_is_put_next_to_the_line_it_bears_on() -> None:
    (reply,) = replies("walk-in riders come without any plan, riders with a reservation do not")
    assert "It should not make the life of walk-in riders worse" in reply.text


@pytest.mark.rule("FOCUS-1")
def test_displeasure_is_heard_and_not_sent_away() -> None:
    useless, idiots, waste = replies("this is useless", "you idiots", "what a waste of time")
    assert len({useless.text, idiots.text, waste.text}) == 3
    for reply, words in (
        (useless, "this is useless"),
        (idiots, "you idiots"),
        (waste, "what a waste of time"),
    ):
        assert f'"{words}"' in reply.text


@pytest.mark.rule("LOOP-8")
def test_a_short_item_still_gives_everybody_something_to_say() -> None:
    case = Discussion(
        Item("w", "Worker timeouts", "Workers time out at night."), "02-03", (), (), panel=LINES
    )
    for turn in case.spoken:
        assert "Workers time out at night" in turn.text


@pytest.mark.rule("LOOP-3")
def test_nobody_asks_about_one_sentence_before_the_others_were_taken_up() -> None:
    case = Discussion(BIKES, "01-03", (), ("", ""), max_turns=12, panel=LINES)
    sentences = ("finds every rack", "two actions", "40 students")
    quoted = [sentence for turn in case.spoken for sentence in sentences if sentence in turn.text]
    assert len(set(quoted[:3])) == len(quoted[:3])


@pytest.mark.rule("SYN-3")
def test_a_later_decision_replaces_the_one_it_takes_back() -> None:
    case = Discussion(
        BIKES, "01-03", (),
        ("We go with locks: a bike is locked for 10 minutes.", "No, actually no locks, the last one wins."),
        panel=LINES,
    )  # fmt: skip
    (kept,) = case.draft.decisions
    assert kept.text.startswith("No, actually no locks")
    assert "replaces: We go with locks" in kept.detail


@pytest.mark.rule("SYN-3")
def test_a_pasted_log_is_kept_by_its_telling_line() -> None:
    log = "\n".join(f"12:00 worker {n} {'ERROR timeout' if n == 30 else 'ok'}" for n in range(5_000))
    case = Discussion(BIKES, "02-03", (), (log,), panel=LINES)
    reply = case.turns[4]
    assert "5000 lines" in reply.text
    assert '"12:00 worker 30 ERROR timeout"' in reply.text
    assert any('Pasted 5000 lines, among them "12:00 worker 30' in each.text for each in case.draft.insights)
