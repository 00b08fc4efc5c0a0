"""A script is played on the real machine: what was said, when, to whom, and in which documents."""

from __future__ import annotations

import pytest

from people import ITEM
from roundtable.core.commands import Brief
from roundtable.core.errors import ContentBroken, PanelFailed
from roundtable.evaluation.discussion import Trial, play_all
from roundtable.evaluation.scripts import Message, Script
from roundtable.panel.base import Speech
from scripted import ScriptedPanel

ASKS = Message("question", "Alex, how many forms a day?")
STATES = Message("statement", "The cellar has no signal.")
SILENT = Message("silence", "")


def play(*messages: Message, panel: ScriptedPanel | None = None, step_id: str = "01-03") -> Trial:
    script = Script("01-forms", ITEM, step_id, (("Journey", "The inspector goes down."),), messages)
    (made,) = play_all([script], panel or ScriptedPanel())
    return made


def test_the_messages_are_said_in_order_and_become_turns() -> None:
    first = play(ASKS, SILENT, STATES).first
    assert [(each.message, each.turn.number if each.turn else None) for each in first.heard] == [
        (ASKS, 4),
        (SILENT, None),
        (STATES, 9),
    ]
    assert [turn.speaker for turn in first.turns] == [
        "business-analyst", "solutions-architect", "system-designer",
        "user", "solutions-architect",
        "business-analyst", "solutions-architect", "system-designer",
        "user", "business-analyst",
    ]  # fmt: skip
    assert first.lines[0].kind == "introduction"
    assert first.lines[-1].kind == "saved"


def test_a_contribution_knows_what_it_was_for_and_whom_it_answers() -> None:
    first = play(ASKS, STATES).first
    assert [(each.turn.number, each.purpose, each.answers) for each in first.contributions] == [
        (1, "framing", None),
        (2, "first-round", None),
        (3, "first-round", None),
        (5, "answer", ASKS),
        (7, "answer", STATES),
    ]
    assert all(each.milliseconds >= 0 for each in first.contributions)
    assert first.named(first.contributions[1]) == (
        "01-forms turn 2, Alex: Remark 2 by Alex on the first-round."
    )


def test_the_step_is_written_from_the_answers_and_can_be_read() -> None:
    trial = play(ASKS)
    (document,) = trial.first.material
    assert document.name == "requirements-spec.md"
    assert "- **Journey**: The inspector goes down." in document.text
    assert "User Needs" not in document.text, "headings of steps that nobody went through are no gap"
    assert "The inspector goes down." in " ".join(trial.first.own_texts)
    assert ASKS.text in trial.first.own_texts


def test_the_second_elaboration_is_silent_and_finds_what_the_first_left() -> None:
    trial = play(ASKS)
    assert trial.second.heard == ()
    assert len(trial.second.turns) == 9
    assert [line.kind for line in trial.second.lines].count("inactivity") == 1
    assert "Elaboration Insights" in trial.second.material[0].text
    assert "Elaboration Insights" not in trial.first.material[0].text


def test_an_unclear_exit_goes_on_and_a_clear_one_leaves_the_rest_unheard() -> None:
    unclear = Message("question", "are we done?")
    ends = Message("ok", "done")
    first = play(unclear, ends, STATES).first
    assert [each.turn.text if each.turn else None for each in first.heard] == ["are we done?", None, None]


def test_all_messages_are_heard_however_many_there_are() -> None:
    def talks(brief: Brief) -> Speech:
        return Speech(f"Remark {brief.number} on everything by {brief.speaker.first_name}.")

    first = play(*[STATES] * 12, panel=ScriptedPanel(says=talks)).first
    assert sum(turn.speaker == "user" for turn in first.turns) == 12
    assert first.lines[-1].kind == "saved"


def test_a_step_that_is_not_there_is_named() -> None:
    with pytest.raises(ContentBroken, match="01-forms cannot be played: there is no step 09-09"):
        play(step_id="09-09")


def test_a_failure_says_which_item_was_played() -> None:
    with pytest.raises(PanelFailed) as error:
        play(ASKS, panel=ScriptedPanel(fails={"speak": 1}))
    assert error.value.__notes__ == ["This happened while 01-forms was played."]
