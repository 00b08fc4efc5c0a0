"""The leg to the letter: who says each line, what a panel is told, what is awaited after it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from legs_play import DRAFTED, Play, opening
from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, NUMBER, ROSTER, STEPS, step
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.analysis import Analysis, Stage, recall
from roundtable.core.errors import RuleBroken
from roundtable.core.lines import Line
from roundtable.core.progress import Progress
from roundtable.core.steps import PHASE_KEYS, PHASES, Criterion, Question, Step, Target

QUESTIONS = (
    Question("Problem", "Who is stuck?", "One scene helps.", "The inspector in a basement."),
    Question("Value", "How fast must it be?"),
)
TWO: Step = replace(JOURNEYS, standard=QUESTIONS, deep=QUESTIONS)
STRICT = replace(TWO, validation=(NUMBER,))
LAST = step("01-08", "MoSCoW Prioritization")


def at_menu(**fields: object) -> Play:
    return Play(opening(**fields)).says("The inspector.")  # type: ignore[arg-type]


def told(play: Play) -> list[tuple[str, str | None]]:
    """What kind each line was, and whose."""
    return [(line.kind, line.speaker) for line in play.shown]


def recalled(play: Play) -> list[Line]:
    return [show.line for show in recall(play.now, Progress())]


# --- who says what --------------------------------------------------------------------------------------


@pytest.mark.rule("PERS-3", "GREET-1", "DEPTH-3")
def test_the_lead_greets_and_the_step_s_own_persona_conducts_it() -> None:
    play = Play(opening(step("01-03", persona=ALEX.key), arrival="new", depth="deep"))
    assert told(play) == [
        ("greeting", MAYA.key), ("depth", MAYA.key), ("step", ALEX.key), ("question", ALEX.key),
    ]  # fmt: skip
    play.says("?")
    assert told(play)[4:] == [("notice", ALEX.key), ("question", ALEX.key)]
    assert play.commands[-1] == do.Listen("answer")
    play.says("brief")
    assert told(play)[6:] == [("depth", ALEX.key), ("question", ALEX.key)]
    play.says("The inspector.")
    assert told(play)[8:] == [("answer", "user"), ("update", None), ("update", None), ("menu", None)]
    assert play.texts("update")[1:] == ['Wrote requirements-spec.md, section "3. User Journeys".']


@pytest.mark.rule("GREET-2", "GREET-4")
def test_a_hand_off_names_the_lead_of_the_phase_that_ended() -> None:
    play = Play(opening(STEPS[5], PHASES[4], arrival="new", handed_over_by=PHASES[3]))
    assert told(play)[:3] == [("handoff", None), ("greeting", JORDAN.key), ("handoff", JORDAN.key)]
    assert play.texts("handoff")[0] == (
        "Alex Rivera has finished Architecture Decisions. "
        "Handing off to Jordan Park (System Designer) who will guide you through Detailed Design."
    )
    resumed = Play(opening(STEPS[5], PHASES[4], arrival="resumed"))
    assert told(resumed)[0] == ("greeting", JORDAN.key)


@pytest.mark.rule("GREET-6")
def test_a_leg_that_is_recalled_in_the_middle_goes_on_with_its_own_step() -> None:
    middle = Play(opening(LAST, progress=Progress(("01-01",))))
    (line,) = recalled(middle)
    assert line.text.endswith("Let us pick up from MoSCoW Prioritization.")
    assert line.speaker == MAYA.key
    assert recall(Play(opening(None, PHASES[4], kind="finished")).now, Progress()) == ()


@pytest.mark.rule("GREET-6")
def test_a_menu_that_is_recalled_after_the_last_step_names_the_next_phase_or_the_end() -> None:
    last = at_menu(step=LAST, progress=Progress(("01-01", "01-03"), ("00-quick-scan",)))
    assert recalled(last)[0].text.endswith(
        "Let us pick up from the menu of MoSCoW Prioritization; Phase 02 (Impact Analysis) comes next."
    )
    end = at_menu(step=STEPS[5], phase=PHASES[4], progress=Progress((), PHASE_KEYS[:4]))
    assert recalled(end)[0].text.endswith("; the end of the analysis comes next.")


# --- what a panel is told -------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_every_request_to_a_panel_carries_the_whole_brief() -> None:
    play = Play(opening(STRICT, arrival="new", handed_over_by=PHASES[0], depth="deep"))
    brief = do.StepBrief(ITEM, STRICT, MAYA, ROSTER, "deep")
    assert play.asked[:2] == [do.AskReading(brief), do.AskOffers(brief, QUESTIONS)]
    play.says("Inspectors.")
    assert do.AskFollowUp(brief, QUESTIONS[0], "Inspectors.", NUMBER) in play.asked
    play.says("60 of them.", "Two seconds.")
    answers = (
        do.Answer("Problem", "Who is stuck?", "Inspectors. 60 of them."),
        do.Answer("Value", "How fast must it be?", "Two seconds."),
    )
    assert play.all_asked(do.AskDraft) == [do.AskDraft(replace(brief, answers=answers))]
    sections = (on.SectionText(Target("requirements-spec.md", "3. User Journeys"), DRAFTED),)
    assert play.all_asked(do.WriteStep) == [do.WriteStep(STRICT, sections)]
    play.says("  It is about basements. ")
    asked = do.AskFeedback(replace(brief, answers=answers), "It is about basements.")
    assert play.all_asked(do.AskFeedback) == [asked]


@pytest.mark.rule("STEP-4", "STEP-5")
def test_an_output_without_a_named_section_gets_the_title_and_no_section_is_written_elsewhere() -> None:
    outputs = ("requirements-spec.md", "user-stories.json")
    targets = (Target("requirements-spec.md", "3. User Journeys"), Target("elsewhere.md", "Odd"))
    play = at_menu(step=replace(JOURNEYS, outputs=outputs, targets=targets))
    (draft,) = play.all_asked(do.AskDraft)
    assert isinstance(draft, do.AskDraft)
    assert draft.brief.step.sections == (targets[0], Target("user-stories.json", JOURNEYS.title))


# --- answers --------------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_not_knowing_is_kept_in_the_words_that_said_so() -> None:
    play = Play(opening(STRICT)).says("No idea, sorry")
    assert play.now.answers == (do.Answer("Problem", "Who is stuck?", "No idea, sorry", unknown=True),)
    assert play.texts("answer") == ["No idea, sorry"]


@pytest.mark.rule("STEP-4")
def test_a_follow_up_is_asked_and_its_reply_awaited() -> None:
    now, commands = Play(opening(STRICT)).now.receive(on.UserSpoke("Inspectors."))
    assert (now.stage, now.follow_up) == (Stage.FOLLOW_UP, "")
    assert commands[0] == do.Show(Line("answer", "Inspectors.", "user"))
    now, commands = now.receive(on.PersonaReplied(" How many? "))
    assert (now.stage, now.follow_up) == (Stage.ANSWER, "How many?")
    assert commands == (do.Show(Line("question", "How many?", MAYA.key)), do.Listen("answer"))


@pytest.mark.rule("STEP-4")
def test_help_during_a_follow_up_is_that_of_the_question_followed_up() -> None:
    play = Play(opening(STRICT)).says("Inspectors.", "?")
    (told,) = play.texts("notice")
    assert told.startswith("One scene helps.\nFor example: The inspector in a basement.\n")
    assert len(play.now.answers) == 1


@pytest.mark.rule("STEP-4")
def test_the_reply_to_a_later_follow_up_leaves_earlier_answers_alone() -> None:
    speed = Criterion("Value", "a number", "How many seconds?")
    play = Play(opening(replace(TWO, validation=(speed,)))).says("Inspectors.", "Soonish.", "Two seconds.")
    assert [answer.text for answer in play.now.answers] == ["Inspectors.", "Soonish. Two seconds."]


@pytest.mark.rule("STEP-4")
def test_silence_is_reminded_once_and_the_answer_still_awaited() -> None:
    play = Play(opening(TWO)).says("")
    reminder = "Who is stuck?\n  (What you know is enough; ? shows an example.)"
    assert play.commands == (do.Show(Line("question", reminder, MAYA.key)), do.Listen("answer"))
    assert play.says("back").texts("question")[-1].startswith("Who is stuck?")


@pytest.mark.rule("DEPTH-2", "STEP-4")
def test_a_new_depth_starts_the_open_question_afresh() -> None:
    play = Play(opening(TWO)).says("", "go deeper", "")
    assert play.now.answers == ()
    assert play.texts("question")[-1].startswith("Who is stuck?\n  (What you know")


@pytest.mark.rule("DEPTH-2")
def test_a_new_depth_never_swaps_the_question_in_hand() -> None:
    followed = Play(opening(STRICT)).says("Inspectors.", "go deeper")
    assert followed.texts("question")[-1] == followed.texts("question")[-2]
    assert followed.now.answers == (do.Answer("Problem", "Who is stuck?", "Inspectors."),)
    for depth in ("keep it short", "go deeper"):
        play = Play(opening(TWO)).says("Inspectors.", depth)
        assert play.texts("question")[-1] == play.texts("question")[-2]


# --- menus ----------------------------------------------------------------------------------------------


@pytest.mark.rule("DEPTH-2")
def test_a_depth_word_at_a_menu_changes_the_depth_and_the_lead_says_so() -> None:
    play = at_menu(step=step("01-03", persona=ALEX.key)).says("go deeper")
    assert play.shown[-2] == Line("depth", "Got it, switching to deep mode.", MAYA.key)
    assert (play.now.depth, play.now.stage) == ("deep", Stage.MENU)


@pytest.mark.rule("MENU-3")
def test_feedback_is_echoed_taken_up_by_the_lead_and_announced() -> None:
    play = at_menu().says("It is about basements.")
    assert play.shown[-4:-1] == [
        Line("feedback", "It is about basements.", "user"),
        Line("feedback", "Good point.", MAYA.key, name="Maya Chen (Business Analyst)"),
        Line("update", "Added your feedback."),
    ]
    assert play.now.feedback is None


@pytest.mark.rule("MENU-4")
def test_skipping_echoes_announces_and_ends_the_leg() -> None:
    play = at_menu().says(" S ")
    assert play.shown[-4:-1] == [
        Line("choice", "S", "user"),
        Line("notice", "Skipping remaining steps in this phase."),
        Line("update", "Drafted."),
    ]
    assert play.now.stage is Stage.ENDED


@pytest.mark.rule("MENU-5")
def test_a_roundtable_knows_all_steps_and_the_user_s_name() -> None:
    elaboration = at_menu(user_name="Sam").says("E").now.elaboration
    assert elaboration is not None
    assert (elaboration.steps, elaboration.user_name) == (STEPS, "Sam")


@pytest.mark.rule("STEP-3", "MENU-2")
def test_a_step_that_the_facts_skip_is_not_waited_for() -> None:
    steps = (JOURNEYS, step("01-08", skip_if='scope == "small"'))
    small = at_menu(steps=steps, facts=(("scope", "small"),))
    assert "[S]" not in small.texts("menu")[0]
    assert "[S]" in at_menu(steps=steps, facts=(("scope", "large"),)).texts("menu")[0]


@pytest.mark.rule("GREET-5")
def test_a_finished_analysis_says_so_and_offers_two_ways() -> None:
    play = Play(opening(None, PHASES[4], kind="finished", moved_on=True))
    assert [(line.kind, line.speaker, line.text) for line in play.shown] == [
        (
            "greeting",
            JORDAN.key,
            "All five phases of offline mode feature are complete. "
            "The code has moved on since: some findings may be out of date.",
        ),
        (
            "menu",
            None,
            "[L] Leave -- keep everything as it is\n[S] Start over -- go through all phases again",
        ),
    ]
    still = Play(opening(None, PHASES[4], kind="finished"))
    assert still.texts("greeting")[0].endswith("are complete. The code has not moved on since.")


@pytest.mark.rule("GREET-5")
@pytest.mark.parametrize(("words", "echo"), [("", "leave"), (" S ", "S")])
def test_the_choice_at_the_end_is_echoed(words: str, echo: str) -> None:
    play = Play(opening(None, PHASES[4], kind="finished")).says(words)
    assert play.shown[-1] == Line("choice", echo, "user")


def test_nothing_can_come_once_the_leg_has_ended() -> None:
    ended = at_menu().says("C").now
    assert ended.stage is Stage.ENDED
    with pytest.raises(RuleBroken) as refused:
        ended.receive(on.UserSpoke("hello"))
    assert str(refused.value) == (
        "UserSpoke cannot come while the analysis waits for nothing: the leg has ended."
    )
    assert (refused.value.legal, ended.legal) == ((), ())
    begun, _ = Analysis.begin(opening())
    with pytest.raises(RuleBroken) as early:
        begun.receive(on.Saved())
    assert str(early.value) == (
        "Saved cannot come while the analysis waits for the draft answers. Legal now: Offered."
    )
