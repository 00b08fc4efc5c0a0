"""The elaboration to the letter: speakers, briefs, boundaries and what the record is made of."""

from __future__ import annotations

import pytest

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, persona
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.elaboration import Awaited, Elaboration
from roundtable.core.errors import RuleBroken
from roundtable.core.lines import Line
from roundtable.core.markers import ElaborationMarker
from roundtable.core.personas import Roster
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import Material, Verdict
from talk import AT, Talk


def line(talk: Talk, kind: str) -> Line:
    """The last line of a kind."""
    return [each for each in talk.shown if each.kind == kind][-1]


def briefs(talk: Talk) -> list[do.Brief]:
    return [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)]


def save_of(talk: Talk) -> do.SaveRecord:
    (save,) = (asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    return save


# --- framing and turns ----------------------------------------------------------------------------------


@pytest.mark.rule("FRAME-1", "ENTRY-2")
def test_the_lead_is_asked_for_a_framing_with_what_was_read() -> None:
    material = (Material("requirements-spec.md", "# Spec"),)
    talk = Talk().hear(on.ContextRead(7, material))
    assert talk.now.table.material == material
    assert talk.now.table.max_turns == 7
    assert talk.commands[-1] == do.AskFraming(do.Brief(talk.now.table, MAYA, "framing"))


@pytest.mark.rule("VOICE-2")
def test_what_the_voice_check_noted_stays_with_the_turn() -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("S.", "Q?", "topic", ("It is dry.",)))
    talk.hear(on.PersonaSpoke(ALEX.key, "A point.", notes=("It repeats.",)))
    talk.hear(on.PersonaSpoke(JORDAN.key, "Another."))
    assert [turn.notes for turn in talk.now.turns] == [("It is dry.",), ("It repeats.",), ()]


def test_a_persona_out_of_turn_or_without_words_is_refused_and_told_what_may_come() -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("S.", "Q?", "topic"))
    with pytest.raises(RuleBroken) as out_of_turn:
        talk.hear(on.PersonaSpoke(JORDAN.key, "Me first."))
    assert out_of_turn.value.args == (
        "It is Alex Rivera's turn (solutions-architect), not system-designer's.",
    )
    assert out_of_turn.value.legal == talk.now.legal
    assert "PersonaSpoke" in talk.now.legal
    with pytest.raises(RuleBroken) as empty:
        talk.hear(on.PersonaSpoke(ALEX.key, " \n"))
    assert str(empty.value) == "A contribution is never empty."


@pytest.mark.rule("PERS-4")
def test_one_alone_is_refused_in_plain_words() -> None:
    with pytest.raises(RuleBroken) as alone:
        Elaboration.begin(item=ITEM, step=JOURNEYS, roster=Roster((MAYA,)))
    assert str(alone.value) == "A roundtable needs at least two personas. Nothing was changed."
    with pytest.raises(RuleBroken) as nobody:
        Roster(())
    assert str(nobody.value) == "A roster needs at least one persona."


# --- the lines of the lead ------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-4", "LOOP-5", "LOOP-6")
def test_warning_limit_and_inactivity_are_the_lead_s_lines() -> None:
    talk = Talk(max_turns=5).says("Hm.", "Hm.")
    assert line(talk, "warning").speaker == line(talk, "limit").speaker == MAYA.key
    quiet = Talk(max_turns=30).says("", "")
    assert line(quiet, "inactivity").speaker == MAYA.key
    assert quiet.order[-2:] == ["contribution", "inactivity"]
    assert len(quiet.texts("contribution")) == len(quiet.now.turns)
    spent = Talk().until_heard().hear(on.WrappedUp("The budget is used up."))
    assert line(spent, "limit") == Line(
        "limit",
        "The budget is used up. Let me synthesize the key points from our conversation.",
        MAYA.key,
        state="DISCUSSION_LOOP",
        name="Maya Chen (Business Analyst)",
    )


@pytest.mark.rule("LOOP-4", "LOOP-6")
def test_silence_after_the_warning_lets_the_table_go_on_to_the_limit() -> None:
    talk = Talk(max_turns=5).until_heard()
    assert len(talk.texts("warning")) == 1
    talk.hear(on.UserSpoke("")).until_heard()
    talk.hear(on.UserSpoke("")).until_heard()
    assert talk.speakers == ["Maya", "Alex", "Jordan", "Maya", "Alex"]
    assert talk.now.has_ended


@pytest.mark.rule("EXIT-1", "EXIT-2")
def test_the_answer_that_ends_the_discussion_is_echoed_as_the_user_s() -> None:
    talk = Talk().says("maybe done")
    talk.hear(on.UserSpoke("yes"))
    assert [(each.text, each.speaker) for each in talk.shown if each.kind == "choice"] == [("yes", "user")]


@pytest.mark.rule("ENTRY-2")
def test_a_raised_limit_is_asked_for_once() -> None:
    talk = Talk(max_turns=5).until_heard().hear(on.LimitRaised(9))
    assert talk.commands == (do.SaveLimit(9),)
    talk.hear(on.Saved(saved=True))
    assert talk.now.max_turns == 9
    assert talk.commands[-1] == do.Listen("discussion")


# --- who speaks, and what for ---------------------------------------------------------------------------


@pytest.mark.rule("HEAR-3", "LOOP-6")
def test_a_group_answers_the_user_s_turn_and_a_silent_round_answers_nobody() -> None:
    talk = Talk(max_turns=30).says("Everyone, is it safe?")
    assert [(brief.purpose, brief.answers) for brief in briefs(talk)[-3:]] == [("answer", 4)] * 3
    talk.says("")
    assert [(brief.purpose, brief.answers) for brief in briefs(talk)[-1:]] == [("go-on", None)]


# --- the end --------------------------------------------------------------------------------------------


@pytest.mark.rule("EXIT-2")
def test_at_the_end_nobody_is_due_and_nothing_is_held() -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("S.", "Q?", "topic"))
    assert [due.persona for due in talk.now.due] == [ALEX.key, JORDAN.key]
    assert talk.hear(on.WrappedUp()).now.due == ()
    asked = Talk().says("maybe done")
    assert asked.now.unclear_exit == on.UserSpoke("maybe done")
    assert asked.hear(on.WrappedUp()).now.unclear_exit is None


@pytest.mark.rule("SYN-5")
def test_a_failed_synthesis_is_asked_for_once_more_with_the_reason() -> None:
    talk = Talk().until_heard().hear(on.WrappedUp()).hear(on.TaskFailed("It was cut off."))
    assert talk.commands == (do.AskSynthesis(talk.now.table, ("It was cut off.",)),)
    assert talk.now.attempts == 2


@pytest.mark.rule("SYN-3", "SYN-4")
def test_a_draft_with_problems_is_asked_for_once_more_with_all_of_them() -> None:
    talk = Talk().until_heard().hear(on.WrappedUp())
    talk.hear(on.SynthesisDrafted(Draft(insights=(Entry("Odd.", (9,)),)), AT))
    problem = 'Turn 9 does not exist, cited for: "Odd.".'
    assert talk.commands == (do.AskSynthesis(talk.now.table, (problem,)),)
    assert talk.now.attempts == 2


@pytest.mark.rule("SYN-5", "META-5")
def test_nothing_to_extract_still_makes_a_takeaway_and_a_record() -> None:
    talk = Talk(drafts=[on.SynthesisDrafted(Draft(), AT)]).says("done")
    assert talk.texts("synthesis") == ["Key takeaway: Discussed User Experience & Journeys"]
    assert save_of(talk).record.synthesis_summary == "Discussed User Experience & Journeys"


@pytest.mark.rule("SYN-1", "SYN-6", "ART-6", "META-5")
@pytest.mark.parametrize(
    ("messages", "exit_type"), [(["done"], "user-initiated"), (["Hm."] * 3, "turn-limit")]
)
def test_block_update_and_record_agree(messages: list[str], exit_type: str) -> None:
    talk = Talk(max_turns=5).says(*messages)
    block = talk.texts("synthesis")[0]
    silent = " | **User**: silent" if messages == ["done"] else ""
    assert f"**Turns**: {len(talk.now.turns)} | **Exit**: {exit_type}{silent}\n" in block
    (update,) = (asked for asked in talk.asked if isinstance(asked, do.UpdateArtifacts))
    assert update == do.UpdateArtifacts(JOURNEYS, ElaborationMarker("01-03", AT), block, "1 insight")
    assert talk.texts("update") == ['Updated requirements-spec.md, section "3. User Journeys": added x.']
    save = save_of(talk)
    assert (save.table, save.exit_type, save.record.timestamp) == (talk.now.table, exit_type, AT)
    assert talk.now.awaits is Awaited.NOTHING


# --- verdicts -------------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-7")
def test_a_verdict_is_cut_down_to_the_turns_that_exist() -> None:
    within = Verdict(opposes=1, decisions=(0, 1, 3, 4)).within(3)
    assert within == Verdict(opposes=1, decisions=(1, 3))
    assert Verdict(opposes=2).within(3).opposes == 2
    assert Verdict(opposes=3).within(3).opposes is None
    assert Verdict(opposes=0).within(3).opposes is None
    assert Verdict().within(3) == Verdict()


@pytest.mark.rule("HEAR-2")
def test_of_two_with_the_same_first_name_the_first_at_the_table_is_addressed() -> None:
    talk = Talk(roster=Roster((MAYA, ALEX, persona("other", "Alex Stone"))), max_turns=30)
    talk.says("Alex, why?")
    assert talk.now.turns[4].speaker == ALEX.key
