"""The synthesis holds what the user decided and said, and nothing that was not (SYN-3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundtable.core.synthesis import Draft, Entry
from roundtable.evaluation import completeness
from roundtable.evaluation.discussion import Heard
from roundtable.evaluation.scripts import Message
from trials import discussion, says, trial, user

DECIDES = Message("decision", "Let's keep safety fields apart from the rest.", "keep safety fields apart")
STATES = Message("statement", "The cellar has no signal. Why would it?")
ASKS = Message("question", "Who waits in the cellar?")


@pytest.mark.rule("SYN-3")
def test_a_decision_is_found_in_an_entry_that_cites_it() -> None:
    found = Draft(decisions=(Entry("Keep the safety fields apart", (1,)),))
    talk = discussion(user(DECIDES), says("Maya", "So be it."), draft=found)
    assert completeness.is_decided(talk, talk.heard[0])
    elsewhere = replace(talk, draft=Draft(decisions=(Entry("Keep the safety fields apart", (2,)),)))
    assert not completeness.is_decided(elsewhere, talk.heard[0])
    thin = replace(talk, draft=Draft(decisions=(Entry("Keep the fields", (1,)),)))
    assert not completeness.is_decided(thin, talk.heard[0])
    insight = replace(talk, draft=Draft(insights=(Entry("Keep the safety fields apart", (1,)),)))
    assert not completeness.is_decided(insight, talk.heard[0])
    assert completeness.is_kept(replace(insight, heard=()), Heard(STATES, None)) is False


def test_what_replaced_an_earlier_decision_still_holds_it() -> None:
    entry = Entry("Merge them all", (1, 2), "replaces: keep the safety fields apart")
    talk = discussion(user(DECIDES), user(DECIDES), draft=Draft(decisions=(entry,)))
    assert completeness.is_decided(talk, talk.heard[0])


def test_a_statement_is_kept_without_the_question_behind_it() -> None:
    kept = Draft(insights=(Entry("The cellar has no signal", (1,)),))
    talk = discussion(user(STATES), user(ASKS), draft=kept)
    assert completeness.is_kept(talk, talk.heard[0])
    assert not completeness.is_kept(replace(talk, draft=Draft()), talk.heard[0])


def test_the_figures_count_found_invented_lost_and_unheard() -> None:
    draft = Draft(
        decisions=(Entry("Keep the safety fields apart", (1,)), Entry("Wait in the cellar", (3,))),
        insights=(Entry("Nothing of the kind", (2,)),),
    )
    talk = discussion(user(DECIDES), user(STATES), user(ASKS), draft=draft)
    unheard = (Heard(ASKS, None), Heard(Message("silence", ""), None))
    talk = replace(talk, heard=(*talk.heard, *unheard))
    missing, found, invented, lost = completeness.measure([trial(talk)])
    assert (missing.misses, missing.counted) == (("01-forms: Who waits in the cellar?",), "5 messages")
    assert (found.value, found.counted) == (100.0, "1 of 1")
    assert (invented.counted, invented.misses) == ("1 of 2", ("01-forms: Wait in the cellar",))
    assert (lost.misses, lost.counted) == ((f"01-forms: {STATES.text}",), "2 statements")
