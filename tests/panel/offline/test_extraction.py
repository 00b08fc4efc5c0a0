"""The synthesis by extraction: in the words of those who spoke, with the turns they spoke in."""

from __future__ import annotations

import pytest

from offline_talk import ROSTER, STEPS, run, step
from roundtable.core.commands import AskSynthesis, ExtractSynthesis, Table
from roundtable.core.items import Item
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import NEUTRAL, OffTopic, Turn, Verdict
from roundtable.panel.offline import OfflinePanel

PANEL = OfflinePanel()
OPTIONS = "Option A: keep it on the tablet; cheap. Option B: send it at once; dear. I would start small."


def synthesised(*said: tuple[str, str], decided: tuple[int, ...] = ()) -> Draft:
    turns = tuple(
        Turn(n, speaker, text, Verdict(decisions=(n,)) if n in decided else NEUTRAL)
        for n, (speaker, text) in enumerate(said, 1)
    )
    table = Table(
        Item("forms", "Forms"), step("01-03"), ROSTER, ROSTER.personas[0], STEPS, (), 10,
        "Who decides?", "who decides", turns,
    )  # fmt: skip
    draft = run(PANEL.synthesise(AskSynthesis(table)))
    assert draft == run(PANEL.synthesise(ExtractSynthesis(table)))
    return draft


MAYA, ALEX, JORDAN, USER = "business-analyst", "solutions-architect", "system-designer", "user"
FRAME = (MAYA, "We just covered the journeys. Who decides?")


@pytest.mark.rule("SYN-3")
def test_a_decision_keeps_the_users_words_and_reason() -> None:
    draft = synthesised(FRAME, (USER, "We go with merging because nobody may lose work."), decided=(2,))
    assert draft.decisions == (Entry("We go with merging.", (2,), "nobody may lose work"),)
    assert draft.insights == ()


@pytest.mark.rule("SYN-3")
def test_do_that_is_resolved_to_what_was_proposed() -> None:
    draft = synthesised(FRAME, (ALEX, OPTIONS), (USER, "ok, do that"), decided=(3,))
    assert draft.decisions == (Entry("Ok, do that: I would start small.", (2, 3)),)


@pytest.mark.rule("SYN-3")
def test_an_option_is_spelled_out() -> None:
    draft = synthesised(FRAME, (ALEX, OPTIONS), (USER, "Let's take B."), decided=(3,))
    assert draft.decisions == (Entry("Let's take B.", (2, 3), "option B is send it at once; dear"),)


@pytest.mark.rule("SYN-3")
def test_a_later_decision_stands_and_the_change_is_noted() -> None:
    draft = synthesised(
        FRAME,
        (USER, "We keep versions for ten days."),
        (USER, "No, keep versions for five days."),
        decided=(2, 3),
    )
    assert draft.decisions == (
        Entry("No, keep versions for five days.", (2, 3), "replaces: We keep versions for ten days."),
    )


@pytest.mark.rule("SYN-2", "SYN-3")
def test_the_rest_of_a_deciding_message_is_an_insight_of_the_user() -> None:
    draft = synthesised(FRAME, (USER, "Basements are dark. We go with red."), decided=(2,))
    assert [entry.text for entry in draft.decisions] == ["We go with red."]
    assert draft.insights == (Entry("Basements are dark.", (2,)),)


@pytest.mark.rule("SYN-2")
def test_words_that_the_verdict_does_not_count_as_a_decision_are_an_insight() -> None:
    draft = synthesised(FRAME, (USER, "Let's go with A."))
    assert draft.decisions == ()
    assert draft.insights == (Entry("Let's go with A.", (2,)),)


@pytest.mark.rule("SYN-4")
def test_words_of_another_panel_give_their_strongest_sentence() -> None:
    said = "It is a nice day. The contract must name who wins. What now?"
    draft = synthesised(FRAME, (JORDAN, said))
    assert draft.insights == (Entry("The contract must name who wins.", (2,)),)


@pytest.mark.rule("SYN-1")
def test_a_question_without_a_reply_stays_open() -> None:
    draft = synthesised(FRAME, (USER, "Maya, who pays for it?"))
    assert draft.questions == (Entry("Who pays for it?", (2,), "asked by the user"),)


@pytest.mark.rule("SYN-1")
def test_a_promise_is_an_action_with_its_owner() -> None:
    draft = synthesised(FRAME, (USER, "I will ask the depot on Monday. Jordan should write the test."))
    assert draft.actions == (
        Entry("Ask the depot on Monday", (2,), "User"),
        Entry("Write the test", (2,), "Jordan"),
    )


@pytest.mark.rule("SYN-5")
def test_nothing_said_leaves_a_takeaway_and_no_entry() -> None:
    draft = synthesised(FRAME, (ALEX, "Hm."), (USER, "ok"))
    assert draft.entries == ()
    assert draft.takeaway == "Discussed User Experience & Journeys without a point that could be kept"
    assert draft.summary == "Discussed User Experience & Journeys"


@pytest.mark.rule("META-5")
def test_the_summary_counts_what_there_is() -> None:
    draft = synthesised(FRAME, (USER, "Basements are dark. We go with red."), decided=(2,))
    assert draft.summary == "Decided 1 point on who decides with 1 insight"
    assert synthesised(FRAME, (USER, "It is dark.")).summary == "Identified 1 insight on who decides"


@pytest.mark.rule("SYN-3")
def test_a_decision_loses_only_the_words_that_announce_it() -> None:
    said = "Agreed: the author of a poll never sees single votes before the deadline."
    draft = synthesised(FRAME, (USER, said), decided=(2,))
    assert draft.decisions == (
        Entry("The author of a poll never sees single votes before the deadline.", (2,)),
    )
    short = synthesised(FRAME, (USER, "Agreed: nobody votes twice."), decided=(2,))
    assert short.decisions == (Entry("Agreed: nobody votes twice.", (2,)),)


@pytest.mark.rule("SYN-1")
def test_a_case_without_an_answer_stays_open_and_is_no_insight() -> None:
    reply = "If both save at once: uncovered so far; one line with a real value closes it."
    draft = synthesised(FRAME, (USER, "Jordan, what if both save at once?"), (JORDAN, reply))
    assert draft.insights == ()
    assert draft.questions == (Entry("What if both save at once?", (2,), "asked by the user"),)


@pytest.mark.rule("SYN-1")
def test_a_question_that_a_later_decision_settles_is_not_open() -> None:
    draft = synthesised(
        FRAME,
        (USER, "Maya, does the author see the votes?"),
        (USER, "Agreed: the author never sees the votes."),
        decided=(3,),
    )
    assert draft.questions == ()


@pytest.mark.rule("SYN-2")
def test_small_talk_is_no_insight() -> None:
    away = Turn(2, USER, "lol my chair just broke", Verdict(off_topic=OffTopic("the chair", None)))
    table = Table(
        Item("forms", "Forms"), step("01-03"), ROSTER, ROSTER.personas[0], STEPS, (), 10,
        "Who decides?", "who decides", (Turn(1, *FRAME), away),
    )  # fmt: skip
    assert run(PANEL.synthesise(AskSynthesis(table))).insights == ()


@pytest.mark.rule("SYN-1")
def test_the_users_questions_come_first() -> None:
    asked = [(USER, f"Maya, who pays for part {n}?") for n in range(6)]
    draft = synthesised(FRAME, *asked)
    assert [entry.detail for entry in draft.questions] == ["asked by the user"] * 5
