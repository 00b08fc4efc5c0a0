"""The elaboration machine, rule by rule (sections 6 and 7 of the rules page)."""

from __future__ import annotations

import pytest

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, ROSTER, STEPS, persona, step
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.elaboration import TRANSITIONS, Awaited, Elaboration, State
from roundtable.core.errors import RuleBroken
from roundtable.core.personas import Roster
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import OffTopic, Verdict
from talk import AT, DRAFT, Talk

PAUSE = "Wrapping up the discussion. Let me synthesize our key points."


def spoke(brief: do.Brief, text: str = "", **verdict: object) -> on.PersonaSpoke:
    return on.PersonaSpoke(brief.speaker.key, text or f"Point {brief.number}.", Verdict(**verdict))  # type: ignore[arg-type]


# --- ENTRY ----------------------------------------------------------------------------------------------


@pytest.mark.rule("ENTRY-1", "PERS-1")
def test_it_begins_by_reading_the_step_and_names_lead_and_others() -> None:
    now, commands = Elaboration.begin(item=ITEM, step=JOURNEYS, roster=ROSTER)
    assert commands == (do.ReadContext(JOURNEYS),)
    assert (now.state, now.awaits, now.lead) == (State.ENTRY, Awaited.CONTEXT, MAYA)
    design, _ = Elaboration.begin(item=ITEM, step=step("04-01"), roster=ROSTER)
    assert design.lead == JORDAN
    assert design.roster.others(design.lead) == (MAYA, ALEX)


@pytest.mark.rule("ENTRY-1")
def test_a_context_that_cannot_be_read_leads_back_to_the_menu_and_nothing_else() -> None:
    talk = Talk().hear(on.TaskFailed("gone"))
    assert talk.texts("notice") == [
        "I could not load the step context for elaboration. Let me continue with the normal menu."
    ]
    assert talk.commands[-1] == do.Return()
    assert talk.now.has_ended
    assert talk.now.state is State.ENTRY
    assert talk.now.legal == ()


@pytest.mark.rule("ENTRY-3", "PERS-4")
def test_the_introduction_is_shown_before_any_panel_call() -> None:
    talk = Talk().hear(on.ContextRead(10))
    assert talk.texts("introduction") == [
        "---\n"
        "ELABORATION MODE\n"
        "\n"
        "Bringing Alex Rivera (Solutions Architect) and Jordan Park (System Designer)\n"
        "into the discussion.\n"
        "\n"
        "Topic: User Experience & Journeys for offline mode feature\n"
        "\n"
        'Turn limit: 10 exchanges. Type "done" to end discussion early.\n'
        "---"
    ]
    assert [type(asked) for asked in talk.asked] == [do.ReadContext, do.AskFraming]
    assert talk.order == ["introduction"]
    assert talk.shown[0].state == "ENTRY"


@pytest.mark.rule("ENTRY-2")
@pytest.mark.parametrize("limit", [3, 4, 12])
def test_the_limit_that_was_read_holds(limit: int) -> None:
    talk = Talk(max_turns=limit).hear(on.ContextRead(limit))
    assert f"Turn limit: {limit} exchanges." in talk.texts("introduction")[0]
    talk.says(*["Hm."] * 20)
    assert len(talk.now.turns) == limit


@pytest.mark.rule("ENTRY-2")
def test_a_limit_below_three_is_refused() -> None:
    talk = Talk()
    with pytest.raises(RuleBroken, match="at least 3 turns"):
        talk.hear(on.ContextRead(2))
    assert talk.now.awaits is Awaited.CONTEXT


@pytest.mark.rule("PERS-4")
def test_a_roundtable_needs_two() -> None:
    with pytest.raises(RuleBroken, match="at least two personas"):
        Elaboration.begin(item=ITEM, step=JOURNEYS, roster=Roster((MAYA,)))
    pair = Talk(roster=Roster((MAYA, ALEX))).until_heard()
    assert pair.speakers == ["Maya", "Alex"]


@pytest.mark.rule("PERS-4", "LOOP-1")
def test_six_at_the_table_all_get_their_first_word() -> None:
    more = tuple(persona(f"p{number}", f"Name{number} Last") for number in range(3))
    talk = Talk(roster=Roster((*ROSTER.personas, *more)), max_turns=12).until_heard()
    assert talk.speakers == ["Maya", "Alex", "Jordan", "Name0", "Name1", "Name2"]
    assert "Jordan Park (System Designer), Name0 Last (Tester)," in " ".join(
        talk.texts("introduction")[0].split()
    )
    assert ", and Name2 Last (Tester)\ninto the discussion." in talk.texts("introduction")[0]


@pytest.mark.rule("PERS-2")
def test_an_unknown_phase_is_led_by_the_first_with_a_notice() -> None:
    talk = Talk(step=step("07-01", "Odd")).hear(on.ContextRead(10))
    assert talk.now.lead == MAYA
    assert talk.texts("notice") == [
        "Unknown phase key '07-01'. Defaulting to Maya Chen as lead persona for elaboration."
    ]
    assert talk.order == ["notice", "introduction"]


@pytest.mark.rule("ENTRY-2")
def test_the_user_may_raise_the_limit_and_the_warning_is_armed_again() -> None:
    talk = Talk(max_turns=5).until_heard()
    assert len(talk.texts("warning")) == 1
    talk.hear(on.LimitRaised(9))
    assert talk.commands == (do.SaveLimit(9),)
    assert talk.now.awaits is Awaited.LIMIT
    talk.hear(on.Saved(saved=True))
    assert talk.now.max_turns == 9
    assert talk.commands[-1] == do.Listen("discussion")
    assert "The turn limit is now 9;" in talk.texts("notice")[-1]
    talk.says("Alex, and then?", "Jordan, and then?", "Maya, and then?")
    assert len(talk.texts("warning")) == 2
    assert len(talk.now.turns) == 9


@pytest.mark.rule("ENTRY-2")
def test_a_limit_is_only_ever_raised_and_only_while_the_user_is_heard() -> None:
    talk = Talk(max_turns=6).until_heard()
    for wrong in (6, 5):
        with pytest.raises(RuleBroken, match="can only be raised"):
            talk.hear(on.LimitRaised(wrong))
    talk.says("maybe done")
    assert talk.now.awaits is Awaited.EXIT
    talk.hear(on.LimitRaised(8)).hear(on.Saved(saved=False))
    assert talk.commands[-1] == do.Listen("exit")
    assert "could not be written" in talk.texts("notice")[-1]
    assert talk.now.unclear_exit == on.UserSpoke("maybe done")
    framing = Talk().hear(on.ContextRead(10))
    with pytest.raises(RuleBroken):
        framing.hear(on.LimitRaised(20))


@pytest.mark.rule("ENTRY-2", "LOOP-4")
def test_a_raise_that_leaves_no_room_does_not_warn_again() -> None:
    talk = Talk(max_turns=5).until_heard()
    talk.hear(on.LimitRaised(6)).hear(on.Saved(saved=True))
    talk.says("Alex, one more")
    assert len(talk.texts("warning")) == 2
    late = Talk(max_turns=4).until_heard()
    late.hear(on.LimitRaised(5)).hear(on.Saved(saved=True))
    late.says("Alex, one more")
    assert len(late.texts("warning")) == 1


# --- FRAME and the first round --------------------------------------------------------------------------


@pytest.mark.rule("FRAME-1", "LOOP-3")
def test_the_framing_is_the_leads_first_turn_in_three_paragraphs() -> None:
    talk = Talk().until_heard()
    assert talk.texts("contribution")[0] == (
        "Maya Chen (Business Analyst): We just covered User Experience & Journeys. "
        "Here is where we landed: Three journeys are written down.\n"
        "\n"
        "I think we could benefit from all our perspectives on this specific question: "
        "Who decides when answers differ?\n"
        "\n"
        "Alex, what is your take from an architecture perspective?"
    )
    first = talk.shown[1]
    assert (first.kind, first.speaker, first.turn, first.state) == (
        "contribution", "business-analyst", 1, "TOPIC_FRAMING",
    )  # fmt: skip


@pytest.mark.rule("FRAME-1")
def test_a_and_an_follow_the_sound() -> None:
    talk = Talk(step=step("04-01")).until_heard()
    assert talk.texts("contribution")[0].endswith("Maya, what is your take from a user perspective?")
    pair = Talk(roster=Roster((MAYA, JORDAN))).until_heard()
    assert pair.texts("contribution")[0].endswith("Jordan, what is your take from a design perspective?")


@pytest.mark.rule("FRAME-1")
@pytest.mark.parametrize(
    ("framed", "missing"),
    [(on.Framed("  ", "What now?", "x"), "summary"), (on.Framed("Landed.", "\n", "x"), "focus question")],
)
def test_a_framing_without_summary_or_question_is_refused(framed: on.Framed, missing: str) -> None:
    talk = Talk().hear(on.ContextRead(10))
    with pytest.raises(RuleBroken, match=f"has no {missing}"):
        talk.hear(framed)
    assert talk.now.turns == ()


@pytest.mark.rule("LOOP-1", "LOOP-9")
def test_the_first_round_goes_by_roster_order_then_the_user_is_heard() -> None:
    talk = Talk().until_heard()
    assert talk.speakers == ["Maya", "Alex", "Jordan"]
    assert talk.commands[-1] == do.Listen("discussion")
    briefs = [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)]
    assert [len(brief.table.turns) for brief in briefs] == [1, 2]
    assert [brief.purpose for brief in briefs] == ["first-round", "first-round"]
    assert not any(brief.may_pass for brief in briefs)
    assert {(brief.table.focus_question, brief.table.focus_topic) for brief in briefs} == {
        ("Who decides when answers differ?", "conflicts")
    }
    design = Talk(step=step("04-01")).until_heard()
    assert design.speakers == ["Jordan", "Maya", "Alex"]


# --- turns, warning, limit ------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-2")
def test_contributions_are_turns_and_everything_else_is_a_line() -> None:
    drift = Verdict(off_topic=OffTopic("storage cost", "03-02"))
    talk = Talk(max_turns=11, verdicts={"What would storage cost?": drift})
    talk.says("What would storage cost?", "can we wrap up?", "no", "", "done")
    numbered = [line for line in talk.shown if line.turn is not None]
    assert [line.turn for line in numbered] == list(range(1, len(talk.now.turns) + 1))
    assert {line.kind for line in numbered} == {"contribution"}
    lines = {line.kind for line in talk.shown} - {"contribution"}
    assert {"introduction", "redirect", "unclear-exit", "warning", "acknowledgement", "choice"} <= lines


@pytest.mark.rule("LOOP-3")
def test_contributions_carry_name_and_role_and_are_never_empty() -> None:
    talk = Talk().says("Fine so far.")
    assert talk.texts("contribution")[1] == "Alex Rivera (Solutions Architect): Point 2."
    assert talk.texts("contribution")[3] == "Fine so far."
    fresh = Talk().hear(on.ContextRead(10)).hear(on.Framed("a", "b?", "c"))
    with pytest.raises(RuleBroken, match="never empty"):
        fresh.hear(on.PersonaSpoke("solutions-architect", " \n "))
    assert len(fresh.now.turns) == 1


@pytest.mark.rule("LOOP-4")
def test_the_warning_comes_once_right_after_the_turn_two_before_the_limit() -> None:
    talk = Talk(max_turns=8).says("", "Jordan, what then?")
    kinds = [(line.kind, line.turn) for line in talk.shown if line.kind in ("contribution", "warning")]
    assert kinds.index(("warning", None)) == kinds.index(("contribution", 6)) + 1
    assert talk.texts("warning") == [
        "Maya Chen (Business Analyst): We are nearing the end of our discussion time. "
        "Any final points before we synthesize?"
    ]


@pytest.mark.rule("LOOP-4")
def test_after_the_warning_one_more_persona_speaks_before_the_user() -> None:
    talk = Talk(max_turns=8).says("everyone?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya", "Alex", "Jordan"]
    assert talk.commands[-1] == do.Listen("discussion")
    talk = Talk(max_turns=7).says("everyone?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya", "Alex"]
    talk = Talk(max_turns=6).says("everyone?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya"]
    assert talk.commands[-1] == do.Listen("discussion")


@pytest.mark.rule("LOOP-4")
def test_the_first_round_is_excepted_from_the_one_more() -> None:
    talk = Talk(max_turns=4).until_heard()
    assert talk.speakers == ["Maya", "Alex", "Jordan"]
    assert len(talk.texts("warning")) == 1


@pytest.mark.rule("LOOP-4")
def test_a_pass_after_the_warning_lets_the_next_one_speak() -> None:
    def speaks(brief: do.Brief) -> on.PersonaPassed | None:
        return on.PersonaPassed(brief.speaker.key) if brief.may_pass and brief.speaker == ALEX else None

    talk = Talk(max_turns=7, speaks=speaks).says("What about the van?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya", "Jordan"]


@pytest.mark.rule("LOOP-5")
def test_at_the_limit_the_lead_synthesizes_and_nobody_else_speaks() -> None:
    talk = Talk(max_turns=5).says("everyone?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya"]
    assert talk.texts("limit") == [
        "Maya Chen (Business Analyst): We have had a thorough discussion. "
        "Let me synthesize the key points from our conversation."
    ]
    assert talk.now.exit_type == "turn-limit"
    assert talk.texts("acknowledgement") == []


@pytest.mark.rule("LOOP-5")
def test_a_user_message_that_reaches_the_limit_gets_no_reply() -> None:
    talk = Talk(max_turns=4).says("One word from me.")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user"]
    assert talk.now.has_ended
    assert talk.order.index("limit") > talk.order.index("warning")
    three = Talk(max_turns=3).until_heard()
    assert three.speakers == ["Maya", "Alex", "Jordan"]
    assert not any(isinstance(asked, do.Listen) for asked in three.asked)


# --- silence --------------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_silence_means_go_on_and_the_next_in_order_speaks() -> None:
    talk = Talk(step=step("04-01"), max_turns=20).says("  ", " ")
    assert talk.speakers == ["Jordan", "Maya", "Alex", "Jordan", "Maya"]
    silent = [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)][2:]
    assert [(brief.purpose, brief.may_pass, brief.may_yield, brief.answers) for brief in silent] == [
        ("go-on", False, True, None)
    ] * 2


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_after_silence_whoever_was_addressed_and_not_heard_speaks_first() -> None:
    # The warning comes in the middle of the group's answers, so Alex and Jordan are still owed theirs.
    talk = Talk(max_turns=7).says("Everyone, what would you do?")
    assert talk.speakers[3:] == ["user", "Maya", "Alex"]
    talk.says("")
    assert talk.speakers[6:] == ["Jordan"]


@pytest.mark.rule("LOOP-8")
def test_whoever_was_addressed_is_heard_before_the_lead_speaks_again() -> None:
    talk = Talk(max_turns=7).says("Everyone, what would you do?")
    assert talk.speakers[3:] == ["user", "Maya", "Alex"]
    talk.hear(on.LimitRaised(9)).hear(on.Saved(saved=True))
    talk.says("It has to be cheap.")
    assert talk.speakers[6:8] == ["user", "Jordan"]


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_where_nobody_has_anything_left_the_lead_asks_whether_to_wrap_up() -> None:
    talk = Talk(max_turns=20).until_heard().hear(on.UserSpoke(""))
    for key in ("business-analyst", "solutions-architect", "system-designer"):
        talk.hear(on.PersonaPassed(key))
    assert len(talk.now.turns) == 3
    assert talk.texts("inactivity") == [
        "Maya Chen (Business Analyst): Any thoughts on this, or should we wrap up?"
    ]
    talk.hear(on.UserSpoke(""))
    assert talk.now.exit_type == "user-initiated"


@pytest.mark.rule("LOOP-8")
def test_a_lead_with_nothing_left_says_the_line_instead_and_whoever_was_addressed_must_speak() -> None:
    talk = (
        Talk(max_turns=20)
        .until_heard()
        .hear(on.UserSpoke("It rains a lot there."))
        .hear(on.Judged(Verdict()))
    )
    talk.hear(on.PersonaPassed("business-analyst"))
    talk.hear(on.PersonaPassed("solutions-architect")).hear(on.PersonaPassed("system-designer"))
    assert talk.order[-1] == "inactivity"
    assert len(talk.now.turns) == 4
    asked = Talk(max_turns=20).until_heard().hear(on.UserSpoke("Alex, why?")).hear(on.Judged(Verdict()))
    with pytest.raises(RuleBroken, match="has to speak"):
        asked.hear(on.PersonaPassed("solutions-architect"))


@pytest.mark.rule("FOCUS-1")
def test_a_user_who_insists_is_not_redirected_again() -> None:
    drift = Verdict(off_topic=OffTopic("storage cost", "03-02"))
    words = ("What would storage cost?", "No, this belongs here.", "And what would the network cost?")
    talk = Talk(max_turns=30, verdicts={words[0]: drift, words[2]: drift})
    talk.says(*words)
    assert len(talk.texts("redirect")) == 1
    assert talk.speakers[3:6] == ["user", "user", "Maya"]
    assert talk.now.parked == ()


@pytest.mark.rule("FOCUS-1", "FOCUS-2")
def test_what_was_put_to_somebody_is_answered_and_only_the_aside_is_put_off() -> None:
    words = "Alex, what would storage cost?"
    talk = Talk(max_turns=30, verdicts={words: Verdict(off_topic=OffTopic("storage cost", "03-02"))})
    talk.says(words)
    assert talk.texts("redirect") == []
    assert talk.speakers[3:5] == ["user", "Alex"]
    assert [point.subject for point in talk.now.parked] == ["storage cost"]


@pytest.mark.rule("LOOP-6", "EXIT-2")
def test_after_three_rounds_without_the_user_the_lead_asks_and_silence_ends_it() -> None:
    talk = Talk(max_turns=30).says("", "")
    assert len(talk.now.turns) == 5
    assert talk.texts("inactivity") == [
        "Maya Chen (Business Analyst): Any thoughts on this, or should we wrap up?"
    ]
    assert talk.order[-1] == "inactivity"
    talk.says("")
    assert talk.now.exit_type == "user-initiated"
    assert talk.texts("acknowledgement") == [PAUSE]
    assert len(talk.texts("inactivity")) == 1


@pytest.mark.rule("LOOP-6")
def test_the_user_is_asked_by_name_where_it_is_known() -> None:
    talk = Talk(max_turns=30, user_name="Sam").says("", "")
    assert talk.texts("inactivity") == [
        "Maya Chen (Business Analyst): Sam, any thoughts on this, or should we wrap up?"
    ]


@pytest.mark.rule("LOOP-6")
def test_a_round_that_answers_the_user_sets_the_count_back() -> None:
    talk = Talk(max_turns=60).says("", "What of the photos?", "", "")
    assert talk.texts("inactivity") == []
    talk.says("")
    assert len(talk.texts("inactivity")) == 1
    talk.says("Still here.", "", "")
    assert len(talk.texts("inactivity")) == 1
    talk.says("")
    assert len(talk.texts("inactivity")) == 2


# --- who answers ----------------------------------------------------------------------------------------


@pytest.mark.rule("HEAR-2", "LOOP-8")
def test_the_addressed_persona_answers_first_and_others_may_pass() -> None:
    talk = Talk(max_turns=20).says("Jordan, what does the inspector see?")
    assert talk.speakers[3:] == ["user", "Jordan", "Maya", "Alex"]
    briefs = [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)][2:]
    assert [(brief.purpose, brief.may_pass, brief.answers) for brief in briefs] == [
        ("answer", False, 4), ("follow", True, 4), ("follow", True, 4),
    ]  # fmt: skip


@pytest.mark.rule("HEAR-3")
def test_a_group_address_is_answered_by_all_lead_first_then_by_first_name() -> None:
    zoe, bo = persona("zoe", "Zoe Adler"), persona("bo", "Bo Zimmer")
    talk = Talk(roster=Roster((zoe, MAYA, bo)), max_turns=20).says("What do you think, team?")
    assert talk.speakers == ["Maya", "Zoe", "Bo", "user", "Maya", "Bo", "Zoe"]
    briefs = [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)][2:]
    assert not any(brief.may_pass for brief in briefs)


@pytest.mark.rule("HEAR-4", "LOOP-8")
def test_without_an_address_the_lead_answers_and_others_only_with_something_to_add() -> None:
    def speaks(brief: do.Brief) -> on.PersonaPassed | None:
        return on.PersonaPassed(brief.speaker.key) if brief.may_pass else None

    talk = Talk(max_turns=20, speaks=speaks).says("What about photos?")
    assert talk.speakers[3:] == ["user", "Maya"]
    assert talk.order[-1] == "contribution"
    assert talk.commands[-1] == do.Listen("discussion")


@pytest.mark.rule("LOOP-8")
def test_who_must_speak_may_not_pass_and_nobody_speaks_out_of_turn() -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("a", "b?", "c"))
    before = talk.now
    with pytest.raises(RuleBroken, match="Alex Rivera has to speak here") as refused:
        talk.hear(on.PersonaPassed("solutions-architect"))
    assert refused.value.legal == ("PersonaSpoke",)
    with pytest.raises(RuleBroken, match=r"It is Alex Rivera's turn \(solutions-architect\)"):
        talk.hear(on.PersonaSpoke("system-designer", "Me first."))
    assert talk.now == before


# --- disagreement ---------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-7")
def test_when_two_disagree_the_lead_sums_up_and_the_user_is_heard() -> None:
    talk = Talk(max_turns=20, speaks=lambda brief: spoke(brief, opposes=2) if brief.number == 3 else None)
    talk.until_heard()
    assert talk.speakers == ["Maya", "Alex", "Jordan", "Maya"]
    last = [asked.brief for asked in talk.asked if isinstance(asked, do.AskPersona)][-1]
    assert (last.purpose, last.speaker, last.may_pass, last.free) == ("tradeoff", MAYA, False, True)
    assert talk.commands[-1] == do.Listen("discussion")


@pytest.mark.rule("LOOP-7", "LOOP-8")
def test_those_who_must_speak_do_so_before_the_tradeoff_and_the_rest_is_dropped() -> None:
    early = Talk(max_turns=20, speaks=lambda brief: spoke(brief, opposes=1) if brief.number == 2 else None)
    assert early.until_heard().speakers == ["Maya", "Alex", "Jordan", "Maya"]
    late = Talk(max_turns=20, speaks=lambda brief: spoke(brief, opposes=2) if brief.number == 5 else None)
    late.says("Jordan, what then?")
    assert late.speakers == ["Maya", "Alex", "Jordan", "user", "Jordan", "Maya"]


@pytest.mark.rule("LOOP-7")
def test_opposing_oneself_or_the_user_is_no_disagreement_of_two() -> None:
    own = Talk(max_turns=20, speaks=lambda brief: spoke(brief, opposes=3) if brief.number == 5 else None)
    own.says("Jordan, what then?")
    assert own.speakers[3:] == ["user", "Jordan", "Maya", "Alex"]
    user = Talk(max_turns=20, speaks=lambda brief: spoke(brief, opposes=4) if brief.number == 5 else None)
    user.says("Jordan, what then?")
    assert user.speakers[3:] == ["user", "Jordan", "Maya", "Alex"]


@pytest.mark.rule("LOOP-7", "LOOP-4")
def test_near_the_end_the_tradeoff_takes_the_one_place_left() -> None:
    talk = Talk(max_turns=8, speaks=lambda brief: spoke(brief, opposes=5) if brief.number == 6 else None)
    talk.says("everyone?")
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user", "Maya", "Alex", "Maya"]
    over = Talk(max_turns=8, speaks=lambda brief: spoke(brief, opposes=5) if brief.number == 7 else None)
    over.says("everyone?")
    assert over.speakers == ["Maya", "Alex", "Jordan", "user", "Maya", "Alex", "Jordan"]


@pytest.mark.rule("LOOP-7")
def test_a_tradeoff_summary_starts_no_other() -> None:
    def speaks(brief: do.Brief) -> on.PersonaSpoke | None:
        return spoke(brief, opposes=2) if brief.number in (3, 4) else None

    assert Talk(max_turns=20, speaks=speaks).until_heard().speakers == ["Maya", "Alex", "Jordan", "Maya"]


@pytest.mark.rule("LOOP-7")
@pytest.mark.parametrize(
    "verdict", [{"opposes": 2}, {"opposes": 0}, {"decisions": (3,)}, {"decisions": (1, 0)}]
)
def test_the_turns_that_a_verdict_names_must_exist(verdict: dict[str, object]) -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("a", "b?", "c"))
    with pytest.raises(RuleBroken, match=r"does not exist; a verdict names turns 1 to 2\."):
        talk.hear(on.PersonaSpoke("solutions-architect", "Hm.", Verdict(**verdict)))  # type: ignore[arg-type]
    assert len(talk.now.turns) == 1
    talk.hear(on.PersonaSpoke("solutions-architect", "Hm.", Verdict(opposes=1, decisions=(1, 2))))
    assert len(talk.now.turns) == 2


# --- focus ----------------------------------------------------------------------------------------------


@pytest.mark.rule("FOCUS-1")
def test_a_persona_that_drifts_is_redirected_by_the_lead_and_the_floor_goes_on() -> None:
    drift = OffTopic("storage cost", "03-02")
    talk = Talk(
        speaks=lambda brief: spoke(brief, off_topic=drift) if brief.number == 2 else None
    ).until_heard()
    assert talk.texts("redirect") == [
        "Maya Chen (Business Analyst): Alex Rivera raises an interesting point about storage cost, "
        "but let us stay focused on conflicts. We can explore that when we get to Architecture."
    ]
    assert talk.speakers == ["Maya", "Alex", "Jordan"]
    assert talk.order == ["introduction", "contribution", "contribution", "redirect", "contribution"]
    assert talk.shown[3].speaker == "business-analyst"


@pytest.mark.rule("FOCUS-1")
def test_after_redirecting_the_user_the_floor_returns_to_the_user_and_the_message_counts() -> None:
    drift = Verdict(off_topic=OffTopic("storage cost", "03-02"), decisions=(4,))
    talk = Talk(verdicts={"We take A. What would storage cost?": drift})
    talk.says("We take A. What would storage cost?")
    assert talk.texts("redirect") == [
        "Maya Chen (Business Analyst): That is a great question for Architecture. "
        "For now, let us focus on conflicts."
    ]
    assert talk.speakers == ["Maya", "Alex", "Jordan", "user"]
    assert talk.commands[-1] == do.Listen("discussion")
    assert talk.now.turns[3].verdict.decisions == (4,)


@pytest.mark.rule("FOCUS-2")
def test_what_was_put_off_is_kept_with_the_step_where_it_belongs() -> None:
    drift = Verdict(off_topic=OffTopic("storage cost", "03-02"))
    talk = Talk(verdicts={"What would\nstorage cost?": drift}).says("What would\nstorage cost?", "done")
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    (point,) = saved.parked
    assert (point.subject, point.belongs_to, point.turn, point.speaker, point.words) == (
        "storage cost", "03-02", 4, "user", "What would storage cost?",
    )  # fmt: skip
    (said,) = talk.texts("saved")
    assert said.startswith("Saved the discussion (4 turns) to meta.json; the transcript is ")
    assert said.endswith(" What was put off is kept in parking-lot.md.")


@pytest.mark.rule("FOCUS-1", "FOCUS-2")
def test_small_talk_is_redirected_and_not_kept() -> None:
    chat = Verdict(off_topic=OffTopic("the football last night", is_chat=True))
    talk = Talk(verdicts={"Did you see the football?": chat}).says("Did you see the football?", "done")
    assert len(talk.texts("redirect")) == 1
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert saved.parked == ()


@pytest.mark.rule("FOCUS-1", "SYN-3")
def test_a_decision_with_an_aside_is_taken_and_only_the_aside_is_put_off() -> None:
    words = "We refuse late forms. By the way, what would storage cost?"
    verdict = Verdict(off_topic=OffTopic("storage cost", "03-02"), decisions=(4,))
    talk = Talk(verdicts={words: verdict}).says(words, "done")
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert [point.subject for point in saved.parked] == ["storage cost"]
    assert [entry.text for entry in saved.draft.decisions] == ["We refuse late forms."]


@pytest.mark.rule("FOCUS-1", "LOOP-5")
def test_the_lead_does_not_redirect_itself_nor_after_the_limit_but_the_point_is_kept() -> None:
    drift = OffTopic("lunch", None)
    lead = Talk(
        max_turns=20, speaks=lambda brief: spoke(brief, off_topic=drift) if brief.number == 5 else None
    )
    lead.says("What now?")
    assert lead.texts("redirect") == []
    assert [point.turn for point in lead.now.parked] == [5]
    end = Talk(max_turns=3, speaks=lambda brief: spoke(brief, off_topic=drift) if brief.number == 3 else None)
    assert end.until_heard().texts("redirect") == []
    assert [point.turn for point in end.now.parked] == [3]
    user = Talk(max_turns=4, verdicts={"Lunch?": Verdict(off_topic=drift)}).says("Lunch?")
    assert user.texts("redirect") == []
    assert [point.turn for point in user.now.parked] == [4]


# --- exits ----------------------------------------------------------------------------------------------


@pytest.mark.rule("EXIT-1", "EXIT-2")
def test_done_ends_with_an_acknowledgement_and_is_no_turn() -> None:
    talk = Talk().says("done")
    assert len(talk.now.turns) == 3
    assert talk.texts("acknowledgement") == [PAUSE]
    assert talk.texts("choice") == ["done"]
    assert talk.now.exit_type == "user-initiated"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("answer", ["yes", "end", "done", "are we done?"])
def test_an_unclear_exit_is_asked_about_and_confirmed(answer: str) -> None:
    talk = Talk().says("can we wrap up?")
    assert talk.texts("unclear-exit") == ["Did you want to end the discussion, or continue exploring this?"]
    assert talk.commands[-1] == do.Listen("exit")
    assert len(talk.now.turns) == 3
    talk.says(answer)
    assert talk.now.exit_type == "user-initiated"
    assert len(talk.now.turns) == 3


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("answer", ["no", "continue", ""])
def test_a_denied_exit_becomes_the_contribution_that_was_held(answer: str) -> None:
    talk = Talk(max_turns=20).says("can we wrap up?", answer)
    assert talk.now.turns[3].text == "can we wrap up?"
    assert talk.speakers[3:] == ["user", "Maya", "Alex", "Jordan"]
    assert talk.now.unclear_exit is None


@pytest.mark.rule("EXIT-1")
def test_anything_else_is_the_contribution() -> None:
    talk = Talk(max_turns=20).says("can we wrap up?", "Alex, first the lock.")
    assert talk.now.turns[3].text == "Alex, first the lock."
    assert talk.speakers[3:5] == ["user", "Alex"]


@pytest.mark.rule("EXIT-2")
def test_a_spent_budget_ends_like_the_limit_and_says_so() -> None:
    talk = Talk().until_heard().hear(on.WrappedUp("The budget of 5,000 tokens is used up.")).until_heard()
    assert talk.texts("limit") == [
        "Maya Chen (Business Analyst): The budget of 5,000 tokens is used up. "
        "Let me synthesize the key points from our conversation."
    ]
    assert talk.now.exit_type == "turn-limit"
    assert talk.now.has_ended


@pytest.mark.rule("EXIT-2", "FAIL-1")
@pytest.mark.parametrize("when", [Awaited.PERSONA, Awaited.USER, Awaited.VERDICT, Awaited.EXIT])
def test_wrapping_up_at_a_choice_is_possible_wherever_the_discussion_waits(when: Awaited) -> None:
    talk = Talk().hear(on.ContextRead(10)).hear(on.Framed("a", "b?", "c"))
    if when is not Awaited.PERSONA:
        talk.until_heard().hear(on.UserSpoke("are we done?" if when is Awaited.EXIT else "Hm."))
    if when is Awaited.USER:
        talk.until_heard()
    assert talk.now.awaits is when
    talk.hear(on.WrappedUp()).until_heard()
    assert talk.now.exit_type == "user-initiated"
    assert talk.texts("acknowledgement") == [PAUSE]


@pytest.mark.rule("EXIT-3")
def test_the_end_is_a_return_to_the_menu() -> None:
    talk = Talk().says("done")
    assert talk.commands[-1] == do.Return()
    assert talk.now.has_ended


# --- the synthesis --------------------------------------------------------------------------------------


@pytest.mark.rule("SYN-6", "ART-4", "META-5")
def test_the_block_is_shown_then_the_announcements_then_the_record() -> None:
    talk = Talk().says("done")
    end = talk.order[talk.order.index("acknowledgement") :]
    assert end == ["acknowledgement", "synthesis", "update", "saved"]
    assert talk.texts("synthesis")[0].startswith(
        "### Elaboration Insights (Step 01-03: User Experience & Journeys)"
    )
    update = next(asked for asked in talk.asked if isinstance(asked, do.UpdateArtifacts))
    assert str(update.marker) == f"<!-- Elaboration: step 01-03, {AT} -->"
    assert update.block == talk.texts("synthesis")[0]
    assert update.description == "1 insight"
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert saved.record == do.Record(
        "01-03", 3, ("business-analyst", "solutions-architect", "system-designer"), AT,
        "Identified 1 gap in the sync journey",
    )  # fmt: skip
    assert (saved.exit_type, saved.extracted) == ("user-initiated", False)
    states = [line.state for line in talk.shown[-3:]]
    assert states == ["SYNTHESIS", "SYNTHESIS", "STATE_PERSIST"]
    assert talk.texts("saved") == [
        "Saved the discussion (3 turns) to meta.json; the transcript is elaborations/01-03-1.md."
    ]


@pytest.mark.rule("SYN-3")
def test_a_decision_that_was_left_out_is_asked_for_once_then_added() -> None:
    verdicts = {"We go with A.": Verdict(decisions=(4,))}
    talk = Talk(verdicts=verdicts).says("We go with A.", "done")
    asked = [command for command in talk.asked if isinstance(command, do.AskSynthesis)]
    assert [command.problems for command in asked] == [
        (), ("The user decided in turn 4, and no decision cites it: We go with A.",),
    ]  # fmt: skip
    assert "#### Decisions Made\n- We go with A: reason not given\n" in talk.texts("synthesis")[0]


@pytest.mark.rule("SYN-4")
def test_entries_without_an_existing_turn_never_reach_the_block() -> None:
    bad = Draft(insights=(Entry("From nowhere", ()), Entry("Too far", (9,)), Entry("Kept", (2, 9))))
    talk = Talk(drafts=[on.SynthesisDrafted(bad, AT), on.SynthesisDrafted(bad, AT)]).says("done")
    asked = [command for command in talk.asked if isinstance(command, do.AskSynthesis)]
    assert asked[1].problems == (
        'No turn is cited for: "From nowhere".',
        'Turn 9 does not exist, cited for: "Too far".',
        'Turn 9 does not exist, cited for: "Kept".',
    )
    block = talk.texts("synthesis")[0]
    assert "- [Alex] Kept\n" in block
    assert "nowhere" not in block
    assert "Too far" not in block


@pytest.mark.rule("SYN-5")
def test_after_one_retry_the_offline_extraction_does_it_and_it_is_marked() -> None:
    failed = on.TaskFailed("no JSON")
    talk = Talk(drafts=[failed, failed]).says("done")
    asked = [asked for asked in talk.asked if isinstance(asked, do.AskSynthesis)]
    assert [each.is_extracted for each in asked] == [False, False, True]
    assert talk.texts("notice") == [
        "The panel gave no usable summary, so this one is taken word for word from what was said."
    ]
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert saved.extracted
    once = Talk(drafts=[failed]).says("done")
    assert once.texts("notice") == []
    assert [asked.problems for asked in once.asked if isinstance(asked, do.AskSynthesis)] == [
        (),
        ("no JSON",),
    ]


@pytest.mark.rule("SYN-5")
def test_with_nothing_to_extract_there_is_a_takeaway_no_update_and_still_a_record() -> None:
    nothing = on.SynthesisDrafted(Draft(takeaway="Nobody objected."), AT)
    talk = Talk(drafts=[nothing]).says("done")
    assert talk.texts("synthesis") == ["Key takeaway: Nobody objected."]
    assert not any(isinstance(asked, do.UpdateArtifacts) for asked in talk.asked)
    saved = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert saved.record.synthesis_summary == "Nobody objected."
    assert talk.now.has_ended


@pytest.mark.rule("META-7")
def test_a_record_that_cannot_be_saved_is_said_and_the_menu_comes_back() -> None:
    talk = Talk().until_heard().hear(on.UserSpoke("done"))
    talk.hear(on.SynthesisDrafted(DRAFT, AT)).hear(on.DocumentsWritten(())).hear(on.TaskFailed("disk full"))
    assert talk.texts("error") == [
        "Elaboration completed successfully but I could not save the elaboration record to meta.json. "
        "The discussion insights are in the artifacts."
    ]
    assert talk.commands[-1] == do.Return()


@pytest.mark.rule("LOOP-1")
def test_a_user_who_stops_a_speaker_has_the_next_turn() -> None:
    talk = Talk()
    talk.hear(on.ContextRead(10)).hear(on.Framed("Two journeys.", "Who decides?", "conflicts"))
    talk.hear(on.SpeakerStopped())
    assert (talk.now.due, talk.now.awaits, talk.commands) == ((), Awaited.USER, (do.Listen("discussion"),))
    talk.says("Alex, what about IPv6?")
    assert [turn.speaker for turn in talk.now.turns][:3] == [
        "business-analyst",
        "user",
        "solutions-architect",
    ]


# --- the table ------------------------------------------------------------------------------------------


@pytest.mark.rule("ENTRY-1")
def test_the_table_has_the_transitions_of_the_rules_and_no_others() -> None:
    leads_to = {
        (state, target)
        for (state, _, _), (_, targets) in TRANSITIONS.items()
        for target in targets
        if target != state
    }
    assert leads_to == {
        (State.ENTRY, State.TOPIC_FRAMING),
        (State.TOPIC_FRAMING, State.DISCUSSION_LOOP),
        (State.DISCUSSION_LOOP, State.SYNTHESIS),
        (State.SYNTHESIS, State.STATE_PERSIST),
    }


@pytest.mark.rule("ENTRY-1")
def test_an_illegal_move_raises_names_the_legal_ones_and_changes_nothing() -> None:
    talk = Talk().until_heard()
    before = talk.now
    with pytest.raises(RuleBroken) as refused:
        talk.now.receive(on.RecordSaved("x"))
    assert refused.value.legal == ("UserSpoke", "LimitRaised", "WrappedUp")
    assert str(refused.value) == (
        "RecordSaved cannot come in DISCUSSION_LOOP, which waits for the user. "
        "Legal now: UserSpoke, LimitRaised, WrappedUp."
    )
    assert talk.now == before
    assert STEPS
