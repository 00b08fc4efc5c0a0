"""The analysis machine: greeting, questions, depth, menus, hand-off (GREET, DEPTH, MENU, STEP-4)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from legs_play import Play, opening
from people import ALEX, JOURNEYS, MAYA, NUMBER, ROSTER, STEPS, step
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.analysis import TRANSITIONS, UNKNOWN, Analysis, Stage, recall
from roundtable.core.errors import RuleBroken
from roundtable.core.lines import AT_A_QUESTION, NOT_YET
from roundtable.core.personas import Roster
from roundtable.core.progress import Past, Progress
from roundtable.core.steps import PHASE_KEYS, PHASES, Criterion, Question, Step
from roundtable.core.tracks import TrackChoice
from talk import AT

QUESTIONS = (
    Question("Problem", "Who is stuck?", "One scene helps.", "The inspector in a basement."),
    Question("Value", "How fast must it be?"),
)
TWO: Step = replace(JOURNEYS, standard=QUESTIONS, deep=(*QUESTIONS, Question("Cost", "What does it cost?")))
LAST = step("01-08", "MoSCoW Prioritization")
STEP_MENU = (
    "---\n"
    "[E] Elaboration Mode -- bring all perspectives to discuss this topic\n"
    "[C] Continue -- move to the next step\n"
    "[S] Skip remaining steps in this phase\n"
    "Or type naturally to provide feedback.\n"
    "---"
)


def at_menu(**fields: object) -> Play:
    return Play(opening(**fields)).says("The inspector.")  # type: ignore[arg-type]


# --- greeting and hand-off ------------------------------------------------------------------------------


@pytest.mark.rule("GREET-1", "STEP-4")
def test_a_new_phase_greets_then_the_step_begins_with_its_header() -> None:
    play = Play(opening(arrival="new"))
    assert play.order == ["greeting", "step", "question"]
    assert play.texts("greeting")[0].startswith("Maya Chen: Hi, I'm Maya, your Business Analyst.")
    assert play.texts("step") == ["Maya Chen (Business Analyst) -- Step 01-03: User Experience & Journeys"]
    assert play.texts("question") == ["Who is stuck, and where?"]
    assert play.commands[-1] == do.Listen("answer")


@pytest.mark.rule("GREET-2", "GREET-3")
def test_a_resumed_phase_says_what_was_done_and_discussed_in_this_phase() -> None:
    progress = Progress(
        ("00-01", "01-01", "99-99"), (), (Past("00-01", "Added x"), Past("01-01", "Identified 3 gaps"))
    )
    play = Play(opening(arrival="resumed", progress=progress))
    assert play.texts("greeting") == [
        "Maya Chen: Welcome back. Last time we completed Business Context Discovery. "
        "We also had a roundtable discussion on step 01-01 where we identified 3 gaps. "
        "Let us pick up from User Experience & Journeys."
    ]


@pytest.mark.rule("GREET-2")
def test_the_next_step_of_the_same_phase_needs_no_greeting() -> None:
    assert "greeting" not in Play(opening(arrival="continuing")).order


@pytest.mark.rule("GREET-4")
def test_another_lead_takes_over_with_a_hand_off_and_what_it_read() -> None:
    tech = STEPS[4]
    play = Play(opening(tech, PHASES[3], arrival="new", handed_over_by=PHASES[1]))
    assert play.order == ["handoff", "greeting", "handoff", "step", "question"]
    assert play.texts("handoff") == [
        "Maya Chen has finished Requirements Discovery. "
        "Handing off to Alex Rivera (Solutions Architect) who will guide you through Architecture Decisions.",
        "Alex Rivera (Solutions Architect): I have read the requirements.",
    ]
    assert play.texts("greeting")[0].startswith("Alex Rivera: Hi, I'm Alex")


@pytest.mark.rule("GREET-4")
def test_an_incoming_persona_with_nothing_to_say_says_nothing() -> None:
    begun, _ = Analysis.begin(opening(STEPS[4], PHASES[3], arrival="new", handed_over_by=PHASES[1]))
    assert begun.stage is Stage.READING
    _, commands = begun.receive(on.PersonaReplied("  "))
    assert [line.line.kind for line in commands if isinstance(line, do.Show)] == ["step"]
    resumed = Play(opening(STEPS[4], PHASES[3], arrival="resumed", handed_over_by=PHASES[1]))
    assert resumed.texts("handoff") == []


@pytest.mark.rule("PERS-3")
def test_a_step_is_conducted_by_the_persona_it_names_else_by_the_lead() -> None:
    play = Play(opening(step("01-03", "T", persona="solutions-architect"), arrival="new"))
    assert play.texts("step")[0].startswith("Alex Rivera (Solutions Architect) -- Step 01-03")
    assert play.texts("greeting")[0].startswith("Maya Chen: Hi")
    play = Play(opening(step("01-03", "T", persona="nobody")))
    assert play.texts("step")[0].startswith("Maya Chen (Business Analyst) -- Step 01-03")


@pytest.mark.rule("GREET-5")
def test_a_phase_whose_steps_are_done_goes_straight_to_its_menu() -> None:
    progress = Progress(("01-01", "01-03", "01-08"))
    play = Play(opening(LAST, kind="menu", arrival="resumed", progress=progress))
    assert play.order == ["greeting", "menu"]
    assert play.texts("greeting")[0].endswith(
        "Let us pick up from the menu of MoSCoW Prioritization; Phase 00 (Quick Scan) comes next."
    )
    assert play.commands[-1] == do.Listen("menu")


@pytest.mark.rule("GREET-5")
@pytest.mark.parametrize(("words", "last"), [("", "leave"), ("leave", "leave"), ("S", "start over")])
def test_when_all_phases_are_done_one_may_start_over_or_leave(words: str, last: str) -> None:
    play = Play(opening(None, PHASES[4], kind="finished", moved_on=True))
    assert play.order == ["greeting", "menu"]
    assert "The code has moved on" in play.texts("greeting")[0]
    assert play.commands[-1] == do.Listen("choice")
    play.says(words)
    assert play.commands[-1] == do.Advance(otherwise=last)
    assert play.now.stage is Stage.ENDED


@pytest.mark.rule("GREET-5")
def test_an_unclear_choice_is_asked_again() -> None:
    play = Play(opening(None, PHASES[4], kind="finished")).says("hm")
    assert play.texts("notice") == ["Please choose L or S."]
    assert play.commands[-1] == do.Listen("choice")


@pytest.mark.rule("GREET-6")
def test_a_leg_taken_up_again_recalls_where_it_was() -> None:
    middle = Play(opening(progress=Progress(("01-01",))))
    assert [show.line.text for show in recall(middle.now, Progress())] == [
        "Maya Chen: Welcome back. Last time we completed Business Context Discovery. "
        "Let us pick up from User Experience & Journeys."
    ]
    menu = at_menu(progress=Progress(("01-01",)))
    assert [show.line.text for show in recall(menu.now, Progress())] == [
        "Maya Chen: Welcome back. Last time we completed Business Context Discovery and "
        "User Experience & Journeys. Let us pick up from the menu of User Experience & Journeys; "
        "MoSCoW Prioritization comes next."
    ]
    late = at_menu(progress=Progress(("01-08", "01-01")))
    assert (
        "completed MoSCoW Prioritization, Business Context Discovery, and"
        in recall(late.now, Progress())[0].line.text
    )
    again = Play(opening(progress=Progress(("01-03",))))
    assert [show.line.text for show in recall(again.now, Progress())] == [
        "Maya Chen: Welcome back. Let us pick up from User Experience & Journeys."
    ]
    edited = at_menu(progress=Progress(("01-01",))).says("edit 1")
    assert recall(edited.now, Progress())[0].line.text.endswith(
        "Let us pick up from User Experience & Journeys."
    )
    assert recall(Play(opening(kind="elaborate")).now, Progress()) == ()
    discussed = at_menu(progress=Progress(("01-01",))).says("E")
    assert recall(discussed.now, Progress())[0].line.text.endswith(
        "Let us pick up from the roundtable on User Experience & Journeys."
    )


@pytest.mark.rule("FOCUS-2")
def test_parked_points_and_notices_come_up_when_the_step_starts() -> None:
    play = Play(opening(parked=("Put off until now: cost",), notices=("A file is broken.",)))
    assert play.texts("notice") == ["A file is broken.", "Put off until now: cost"]
    assert play.order == ["notice", "step", "notice", "question"]


# --- questions ------------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_questions_come_one_at_a_time_and_answers_are_echoed() -> None:
    play = Play(opening(TWO)).says("The inspector.")
    assert play.order == ["step", "question", "answer", "question"]
    assert play.texts("question") == ["Who is stuck?", "How fast must it be?"]
    play.says("Two seconds.")
    assert [(answer.label, answer.text) for answer in play.now.answers] == [
        ("Problem", "The inspector."), ("Value", "Two seconds."),
    ]  # fmt: skip
    assert play.now.stage is Stage.MENU


@pytest.mark.rule("STEP-4")
def test_an_offer_is_shown_and_an_empty_message_takes_it() -> None:
    offers = (on.Offer("Problem", "Inspectors in basements.", "the item"),)
    play = Play(opening(TWO), offers=offers)
    assert play.texts("question") == [
        "Who is stuck?\n  Draft, from the item: Inspectors in basements.\n  (Enter takes the draft.)"
    ]
    play.says("")
    assert play.now.answers[0] == do.Answer(
        "Problem", "Who is stuck?", "Inspectors in basements.", offered=True
    )
    assert play.texts("answer") == ["Inspectors in basements."]


@pytest.mark.rule("STEP-4")
def test_without_an_offer_silence_is_asked_once_more_then_counts_as_not_knowing() -> None:
    play = Play(opening(TWO)).says(" ")
    assert len(play.texts("question")) == 2
    assert play.texts("question")[1].startswith("Who is stuck?\n")
    assert play.now.answers == ()
    play.says("")
    assert play.now.answers == (do.Answer("Problem", "Who is stuck?", "I don't know", unknown=True),)
    play.says("")
    assert len(play.now.answers) == 1


@pytest.mark.rule("STEP-4")
def test_not_knowing_is_a_fair_answer_and_is_never_followed_up() -> None:
    strict = replace(TWO, validation=(NUMBER,))
    play = Play(opening(strict)).says("I don't know")
    assert play.now.answers[0].unknown
    assert play.all_asked(do.AskFollowUp) == []


@pytest.mark.rule("STEP-4")
def test_an_answer_that_misses_a_criterion_is_followed_up_once() -> None:
    strict = replace(TWO, validation=(NUMBER,))
    play = Play(opening(strict)).says("Inspectors.")
    (ask,) = play.all_asked(do.AskFollowUp)
    assert isinstance(ask, do.AskFollowUp)
    assert (ask.answer, ask.criterion, ask.question.label) == ("Inspectors.", NUMBER, "Problem")
    assert play.texts("question")[-1] == "How many are stuck?"
    play.says("Quite a few.")
    assert play.now.answers == (do.Answer("Problem", "Who is stuck?", "Inspectors. Quite a few."),)
    assert play.texts("question")[-1] == "How fast must it be?"
    assert play.texts("answer") == ["Inspectors.", "Quite a few."]
    assert len(play.all_asked(do.AskFollowUp)) == 1


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize("reply", ["", "I don't know"])
def test_silence_or_not_knowing_leaves_the_first_answer_as_it_was(reply: str) -> None:
    strict = replace(TWO, validation=(NUMBER,))
    play = Play(opening(strict)).says("Inspectors.", reply)
    assert play.now.answers == (do.Answer("Problem", "Who is stuck?", "Inspectors."),)
    assert play.texts("question")[-1] == "How fast must it be?"


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("first", "reply", "kept"),
    [
        ("Inspectors.", "60 inspectors", "60 inspectors"),
        ("Inspectors.", "We named 60 before June.", "Inspectors. We named 60 before June."),
        ("Inspectors.", "Legal already answered: 30 days", "Inspectors. Legal already answered: 30 days"),
        ("Inspectors.", "The CFO asked that we log it.", "Inspectors. The CFO asked that we log it."),
    ],
)
def test_a_reply_that_says_it_all_stands_alone(first: str, reply: str, kept: str) -> None:
    play = Play(opening(replace(TWO, validation=(NUMBER,)))).says(first, reply)
    assert play.now.answers[0].text == kept


SIZE = Criterion("Problem", "one of small, medium, large", "Small, medium or large?")


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("first", "reply", "kept"),
    [
        ("small or medium, hard to say", "small", "small\nsmall or medium, hard to say"),
        ("One file and its test.", "small", "small\nOne file and its test."),
        ("small to medium", "The queue is touched.", "small to medium\nThe queue is touched."),
    ],
)
def test_the_reply_to_a_choice_chooses(first: str, reply: str, kept: str) -> None:
    play = Play(opening(replace(TWO, validation=(SIZE,)))).says(first, reply)
    assert play.now.answers[0].text == kept


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize("said", ["small, but value medium because of tax", "small, with medium value"])
def test_a_choice_of_another_question_in_the_same_breath_is_no_second_choice(said: str) -> None:
    play = Play(opening(replace(TWO, validation=(SIZE,)))).says(said)
    assert play.all_asked(do.AskFollowUp) == []
    assert play.now.answers[0].text == said


@pytest.mark.rule("STEP-4")
def test_an_answer_that_meets_its_criterion_is_not_followed_up() -> None:
    strict = replace(TWO, validation=(NUMBER,))
    play = Play(opening(strict)).says("60 inspectors.")
    assert play.all_asked(do.AskFollowUp) == []
    offers = (on.Offer("Problem", "Inspectors.", "the item"),)
    taken = Play(opening(strict), offers=offers).says("")
    assert taken.all_asked(do.AskFollowUp) == []


def test_a_question_mark_shows_help_and_example_and_asks_on() -> None:
    play = Play(opening(TWO)).says("?")
    help_text = f"One scene helps.\nFor example: The inspector in a basement.\n{AT_A_QUESTION}"
    assert play.texts("notice") == [help_text]
    assert play.now.answers == ()
    play.says("Inspectors.", " ? ")
    assert play.texts("notice")[1] == AT_A_QUESTION


@pytest.mark.parametrize("words", ["E", "edit 1"])
def test_edit_at_a_question_is_told_where_it_works(words: str) -> None:
    assert Play(opening(TWO)).says(words).texts("notice") == [NOT_YET]


@pytest.mark.parametrize(
    "words",
    [
        *("Why do you need to know that?", "what do you mean?", "Hm, what does that mean?", "why?"),
        *("Maya, what do you mean?", "Maya, can you give me an example?"),
        *("What do you want to know?", "Such as what?", "For example what?"),
    ],
)
def test_who_asks_back_gets_the_help_and_has_answered_nothing(words: str) -> None:
    play, helped = Play(opening(TWO)).says(words), Play(opening(TWO)).says("?")
    assert play.now == helped.now
    assert play.shown == helped.shown


LOST = (
    "what should I write here?", "sorry i dont understand the question", "can i skip this?", "I don't get it",
    "hm what?", "hm dunno, what did you mean?", "Huh?", "could you rephrase that?",
    "What am I supposed to say?", "Can you give me an example?",
)  # fmt: skip


@pytest.mark.parametrize("words", LOST)
def test_who_does_not_understand_a_question_has_answered_nothing(words: str) -> None:
    play, helped = Play(opening(TWO)).says(words), Play(opening(TWO)).says("?")
    assert play.now == helped.now
    assert play.shown == helped.shown


@pytest.mark.parametrize(
    "words",
    [
        "Why would a clerk not see it twice?", "What do you mean by boundary is the first thing they ask us.",
        "They don't get it in time", "The clerks don't understand the codes", "What they typed is lost",
        "I don't get it when the printer is off", "Can I skip this step is what they ask",
    ],
)  # fmt: skip
def test_an_answer_that_wonders_is_an_answer(words: str) -> None:
    play, helped = Play(opening(TWO)).says(words), Play(opening(TWO)).says("?")
    assert play.now != helped.now


@pytest.mark.rule("MENU-5")
@pytest.mark.parametrize("words", ["E", "e", " [E] "])
def test_the_key_of_the_menu_answers_no_question(words: str) -> None:
    play = Play(opening(TWO)).says(words)
    assert play.texts("notice") == [NOT_YET]
    assert play.now == Play(opening(TWO)).now
    assert play.says("E-mail").now.answers != ()


@pytest.mark.rule("MENU-7")
def test_c_names_an_option_where_options_are_spoken_of() -> None:
    asked = replace(TWO, standard=(Question("Problem", "Which option do you take?"), QUESTIONS[1]))
    assert Play(opening(asked)).says("C").now.answers[0].text == "C"
    assert Play(opening(TWO)).says("C").texts("notice") == [NOT_YET]


@pytest.mark.rule("STEP-4")
def test_what_nobody_can_see_is_silence() -> None:
    (answer,) = Play(opening(TWO)).says("\u200b", "\u200b").now.answers
    assert answer.unknown and answer.text == UNKNOWN


@pytest.mark.rule("MENU-7")
def test_edit_at_a_question_is_no_answer() -> None:
    play = Play(opening(TWO)).says("edit 1")
    assert play.texts("notice") == [NOT_YET]
    assert play.now == Play(opening(TWO)).now


@pytest.mark.rule("STEP-4")
def test_artifacts_are_written_before_the_step_counts_and_the_menu_comes_last() -> None:
    play = at_menu()
    kinds = [type(asked).__name__ for asked in play.asked]
    assert kinds == ["AskOffers", "Listen", "AskDraft", "WriteStep", "SaveProgress", "Listen"]
    assert play.order == ["step", "question", "answer", "update", "update", "menu"]
    assert play.texts("update") == [
        "### 3. User Journeys\n\n**Problem**: x", 'Wrote requirements-spec.md, section "3. User Journeys".',
    ]  # fmt: skip
    (draft,) = play.all_asked(do.AskDraft)
    assert isinstance(draft, do.AskDraft)
    assert [(target.output, target.section) for target in draft.brief.step.sections] == [
        ("requirements-spec.md", "3. User Journeys")
    ]
    assert play.now.completed_steps == ("01-03",)


# --- depth ----------------------------------------------------------------------------------------------


@pytest.mark.rule("DEPTH-3")
def test_brief_and_deep_are_announced_once_after_the_greeting_standard_is_not() -> None:
    brief = Play(opening(arrival="new", depth="brief", facts=(("scope", "small"), ("complexity", "low"))))
    assert brief.order == ["greeting", "depth", "step", "question"]
    assert brief.texts("depth") == [
        "This looks straightforward. I'll keep the analysis brief -- "
        "say 'deep' if you want the full treatment."
    ]
    deep = Play(opening(arrival="resumed", depth="deep", facts=(("scope", "large"),)))
    assert deep.texts("depth") == [
        "This is a substantial change. I'll do a thorough analysis -- "
        "say 'brief' if you want to speed things up."
    ]
    assert Play(opening(arrival="new", depth="standard")).texts("depth") == []
    assert Play(opening(arrival="continuing", depth="deep")).texts("depth") == []


@pytest.mark.rule("DEPTH-2", "DEPTH-3")
def test_the_words_that_are_announced_also_work_at_a_follow_up() -> None:
    counted = replace(TWO, validation=(NUMBER,), standard=(Question(NUMBER.label, "How much?"),))
    play = Play(opening(counted)).says("Quite a lot", "'brief'")
    assert play.all_asked(do.SaveProgress)[0] == do.SaveProgress(depth=("01-requirements", "brief"))
    assert "brief" not in play.now.answers[0].text
    play = Play(opening(counted)).says("Quite a lot", "Quick.")
    assert play.now.answers[0].text == "Quite a lot. Quick."


@pytest.mark.rule("DEPTH-2")
def test_a_depth_word_is_stored_at_once_acknowledged_and_changes_the_questions() -> None:
    play = Play(opening(TWO)).says("Inspectors.", "go deeper")
    assert do.SaveProgress(depth=("01-requirements", "deep")) in play.asked
    assert play.texts("depth") == ["Got it, switching to deep mode."]
    assert play.now.depth == "deep"
    play.says("Two seconds.")
    assert play.texts("question")[-1] == "What does it cost?"
    assert len(play.texts("answer")) == 2


@pytest.mark.rule("DEPTH-2")
def test_a_depth_word_that_answers_the_question_is_an_answer() -> None:
    play = Play(opening(TWO)).says("Inspectors.", "fast")
    assert play.texts("depth") == []
    assert play.now.answers[1].text == "fast"


@pytest.mark.rule("DEPTH-2")
def test_a_depth_word_keeps_the_question_in_hand_and_changes_what_comes_after_it() -> None:
    play = Play(opening(TWO)).says("Inspectors.", "keep it short", "Two seconds.")
    assert play.now.stage is Stage.MENU
    assert play.now.depth == "brief"
    assert [answer.text for answer in play.now.answers] == ["Inspectors.", "Two seconds."]


@pytest.mark.rule("DEPTH-2")
def test_depth_words_work_at_a_menu_and_are_words_like_others_in_a_discussion() -> None:
    play = at_menu().says("go deeper")
    assert do.SaveProgress(depth=("01-requirements", "deep")) in play.asked
    assert play.order[-2:] == ["depth", "menu"]
    talk = at_menu().says("E", "go deeper")
    assert not any(isinstance(each, do.SaveProgress) and each.depth for each in talk.asked)
    assert [turn.text for turn in talk.now.elaboration.turns if turn.speaker == "user"] == ["go deeper"]  # type: ignore[union-attr]


# --- menus ----------------------------------------------------------------------------------------------


@pytest.mark.rule("MENU-1")
def test_after_a_step_that_is_not_the_last_the_menu_has_three_choices() -> None:
    assert at_menu().texts("menu") == [STEP_MENU]


@pytest.mark.rule("MENU-2")
def test_after_the_last_step_the_menu_leads_to_the_next_phase() -> None:
    progress = Progress(("01-01", "01-03"), ("00-quick-scan",))
    assert at_menu(step=LAST, progress=progress).texts("menu") == [
        "---\n"
        "[E] Elaboration Mode -- bring all perspectives to discuss this topic\n"
        "[C] Continue to Phase 02 (Impact Analysis)\n"
        "Or type naturally to provide feedback.\n"
        "---"
    ]
    design = at_menu(step=STEPS[5], phase=PHASES[4], progress=Progress((), PHASE_KEYS[:4]))
    assert "[C] Complete analysis\n" in design.texts("menu")[0]
    assert "[S]" not in design.texts("menu")[0]


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize("words", ["C", "c", "", "continue", "next"])
def test_continue_goes_to_the_next_step(words: str) -> None:
    play = at_menu().says(words)
    assert play.commands[-1] == do.Advance()
    assert play.all_asked(do.SaveProgress) == [do.SaveProgress("01-03")]
    assert play.texts("choice") == [words]


@pytest.mark.rule("MENU-3", "STEP-6")
def test_continue_at_the_phase_menu_completes_the_phase_first() -> None:
    play = at_menu(step=LAST, progress=Progress(("01-01", "01-03"))).says("C")
    assert play.asked[-2:] == [do.SaveProgress(phases=("01-requirements",)), do.Advance()]


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize("words", ["q", "quit", "...", "I don't know", "x", "drop 1", "Drop 2 and 3, please"])
def test_a_slip_of_a_key_or_a_wish_to_leave_is_not_written_into_the_document(words: str) -> None:
    play = at_menu().says(words)
    assert play.order[-2:] == ["notice", "menu"]
    assert play.texts("notice")[-1].startswith("Nothing was added.")
    assert play.commands[-1] == do.Listen("menu")


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize(
    "words", ["Too long.", "quit the old screen", "I don't know the second group of users"]
)
def test_a_remark_may_be_short(words: str) -> None:
    assert at_menu().says(words).texts("feedback")[0] == words


@pytest.mark.rule("MENU-3")
def test_anything_else_is_feedback_taken_up_written_and_the_same_menu_comes_back() -> None:
    play = at_menu().says("The office may also be offline.")
    assert play.order[-4:] == ["feedback", "feedback", "update", "menu"]
    assert play.texts("feedback") == [
        "The office may also be offline.", "Maya Chen (Business Analyst): Good point.",
    ]  # fmt: skip
    (write,) = play.all_asked(do.WriteFeedback)
    assert write == do.WriteFeedback(JOURNEYS, "The office may also be offline.", AT)
    assert play.texts("menu") == [STEP_MENU, STEP_MENU]


@pytest.mark.rule("MENU-4")
def test_skip_says_so_drafts_completes_the_phase_but_not_the_steps() -> None:
    play = at_menu(progress=Progress(("01-01",))).says("S")
    assert play.texts("notice") == [
        "Skipping remaining steps in this phase.",
        "Skipped so far: 01-08 MoSCoW Prioritization. "
        "To open a skipped step, type its number at a menu, such as 01-08.",
    ]
    (drafts,) = play.all_asked(do.WriteDrafts)
    assert isinstance(drafts, do.WriteDrafts)
    assert [each.step_id for each in drafts.done] == ["01-01", "01-03"]
    assert [each.step_id for each in drafts.skipped] == ["01-08"]
    assert play.asked[-2:] == [do.SaveProgress(phases=("01-requirements",)), do.Advance()]
    assert play.all_asked(do.SaveProgress)[0] == do.SaveProgress("01-03")


@pytest.mark.rule("MENU-2", "MENU-3")
def test_there_is_no_skip_at_the_phase_menu() -> None:
    play = at_menu(step=LAST, progress=Progress(("01-01", "01-03"))).says("S")
    assert play.texts("notice") == ["There is nothing left to skip in this phase."]
    assert play.commands[-1] == do.Listen("menu")
    assert len(play.texts("menu")) == 2


@pytest.mark.rule("MENU-5", "EXIT-3")
@pytest.mark.parametrize("words", ["E", "e", "elaborate", "bring in the others"])
def test_elaborate_starts_a_roundtable_and_returns_to_the_same_menu(words: str) -> None:
    play = at_menu().says(words)
    assert play.now.stage is Stage.ELABORATION
    assert "introduction" in play.order
    play.says("done", "accept")
    assert play.now.stage is Stage.MENU
    assert play.texts("menu") == [STEP_MENU, STEP_MENU]
    assert play.order[-2:] == ["saved", "menu"]
    play.says("E")
    assert play.order.count("introduction") == 2


@pytest.mark.rule("ENTRY-1", "MENU-5")
def test_a_context_that_cannot_be_read_shows_the_menu_again() -> None:
    play = at_menu()
    play.hear(on.UserSpoke("E")).hear(on.TaskFailed("gone"))
    assert play.order[-2:] == ["notice", "menu"]
    assert play.now.stage is Stage.MENU


@pytest.mark.rule("PERS-4")
def test_a_single_persona_runs_the_analysis_and_says_why_it_cannot_discuss() -> None:
    play = at_menu(roster=Roster((MAYA,)))
    with pytest.raises(RuleBroken, match="A roundtable needs at least two personas"):
        play.says("E")
    assert play.commands[-1] == do.Listen("menu")


@pytest.mark.rule("MENU-5")
def test_elaborate_on_a_completed_step_opens_there_and_returns_to_its_menu() -> None:
    play = Play(opening(kind="elaborate", progress=Progress(("01-01", "01-03"))))
    assert play.order[0] == "introduction"
    play.says("done", "accept")
    assert play.texts("menu") == [STEP_MENU]
    assert play.now.completed_steps == ("01-01", "01-03")


@pytest.mark.rule("STEP-3")
def test_a_phase_menu_without_a_completed_step_can_only_go_on() -> None:
    play = Play(opening(None, kind="menu", steps=()))
    for words in ("E", "E alex", "It needs work.", "edit 1"):
        with pytest.raises(RuleBroken, match="No step of this phase is complete yet"):
            play.says(words)
    assert play.says("help", "undo").commands[-1] == do.Listen("menu")
    play.says("C")
    assert play.commands[-1] == do.Advance()


# --- the machine ----------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_an_illegal_event_is_refused_at_every_stage() -> None:
    play = Play(opening())
    before = play.now
    with pytest.raises(RuleBroken, match="cannot come while the analysis waits for an answer") as refused:
        play.now.receive(on.Saved())
    assert refused.value.legal == ("UserSpoke",)
    assert play.now == before
    talk = at_menu().says("E")
    assert talk.now.legal == ("UserSpoke", "LimitRaised", "WrappedUp")
    assert set(TRANSITIONS) == set(Stage) - {Stage.ELABORATION, Stage.ENDED}


@pytest.mark.rule("META-6")
def test_replaying_a_leg_gives_the_same_state() -> None:
    play = at_menu().says("It needs work.", "go deeper", "E", "Alex, why?", "done", "accept", "c")
    again, _ = Analysis.begin(play.start)
    for event in play.events:
        again, _ = again.receive(event)
    assert again == play.now
    assert again.stage is Stage.ENDED
    assert ROSTER["solutions-architect"] is ALEX


@pytest.mark.rule("STEP-3")
def test_what_is_passed_over_is_said_at_the_menu_only_when_nothing_else_is_left() -> None:
    waiting = step("01-05", "Later", depends_on=("01-04",))
    between = at_menu(steps=(*STEPS, waiting))
    assert between.texts("notice") == []
    last = at_menu(step=LAST, steps=(*STEPS, waiting), progress=Progress(("01-01", "01-03")))
    assert last.texts("notice") == ["Step 01-05 (Later) is skipped, because step 01-04 is not complete."]
    assert "[S]" not in last.texts("menu")[0]


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize("words", ["done", "wrap up", "/turns 14", " /help"])
def test_a_late_exit_or_command_is_no_feedback(words: str) -> None:
    play = at_menu().says(words)
    assert [text.startswith("Nothing was added.") for text in play.texts("notice")] == [True]
    assert play.texts("menu") == [STEP_MENU, STEP_MENU]
    assert play.all_asked(do.AskFeedback) == []


# --- what is not asked, and what is added ---------------------------------------------------------------

ABOUT_CHOICE = (
    Question("Choice", "Which library is new here?"),
    Question("Reason", "What decided that?", shows="answer Choice"),
    Question("Rules", "Who may do it?", is_asked=False),
    Question("Expected", "What should happen?", draft="item wish", without="-"),
)
CHOOSING: Step = replace(JOURNEYS, brief=ABOUT_CHOICE, standard=ABOUT_CHOICE, deep=ABOUT_CHOICE)


@pytest.mark.rule("STEP-4")
def test_nothing_more_is_asked_about_an_answer_that_says_none() -> None:
    play = Play(opening(CHOOSING)).says("None, the standard library is enough.")
    assert play.texts("question") == ["Which library is new here?"]
    assert play.now.stage is Stage.MENU


@pytest.mark.rule("STEP-4")
def test_a_question_shows_every_line_of_what_it_is_about() -> None:
    play = Play(opening(CHOOSING)).says("attrs\n\n- msgspec\n- httpx")
    assert play.texts("question")[-1] == "What decided that?\n  > attrs\n  > - msgspec\n  > - httpx"


@pytest.mark.rule("STEP-4")
def test_each_line_of_what_a_question_is_about_is_short() -> None:
    play = Play(opening(CHOOSING)).says("attrs, " + "because it is small and everybody knows it, " * 8)
    asked = play.texts("question")[-1].splitlines()
    assert asked[0] == "What decided that?"
    assert asked[1].startswith("  > attrs, because it is small") and asked[1].endswith(" ...")
    assert len(asked) == 2 and len(asked[1]) < 120


@pytest.mark.rule("STEP-4")
def test_a_question_that_needs_a_draft_is_asked_only_with_one() -> None:
    offers = (on.Offer("Expected", "It should answer 422.", "the item"),)
    play = Play(opening(CHOOSING), offers=offers).says("None.")
    assert play.texts("question")[-1].startswith("What should happen?")


@pytest.mark.rule("STEP-4")
def test_what_is_drafted_at_brief_depth_is_shown_and_a_guess_of_the_survey_is_asked() -> None:
    offers = (on.Offer("Choice", "attrs", "the item"), on.Offer("Reason", "3 files use it", "the code"))
    play = Play(opening(CHOOSING, depth="brief"), offers=offers)
    assert play.texts("notice") == ["Choice, from the item: attrs"]
    assert "Draft, from the code: 3 files use it" in play.texts("question")[-1]


@pytest.mark.rule("MENU-3")
def test_what_is_said_at_the_menu_of_a_step_that_only_has_a_draft_belongs_to_it() -> None:
    one = replace(CHOOSING, brief=CHOOSING.brief[:1])
    play = Play(opening(one, depth="brief"), offers=(on.Offer("Choice", "attrs", "the item"),))
    assert play.now.stage is Stage.MENU
    play.says("No, there are two offices.", "They are in one street.")
    assert [answer.text for answer in play.now.answers] == ["attrs. No, there are two offices."]
    assert play.texts("feedback")[0] == "They are in one street."  # now there is an answer of the user


@pytest.mark.rule("MENU-7")
def test_an_answer_whose_question_is_no_longer_asked_does_not_come_back() -> None:
    about = Question("Cure", "What helps?", shows="answer Problem")
    play = Play(opening(replace(TWO, standard=(QUESTIONS[0], about, QUESTIONS[1]))))
    play.says(
        "The disk is full.", "A bigger disk.", "back", "back", "None.", "Five people.", "edit 1", "Nothing."
    )
    assert play.now.stage is Stage.MENU
    assert {answer.text for answer in play.now.answers} == {"Nothing.", "Five people."}


DONE = Progress(("00-01", "01-01"), ("00-quick-scan",), ())


@pytest.mark.rule("MENU-4")
@pytest.mark.parametrize("words", ["01-01", "01-03", "01-08", "02-11"])
def test_the_number_of_a_step_is_never_feedback(words: str) -> None:
    tracks = (TrackChoice("bug", "bug", "two steps", ("02-11",)),)
    play = Play(opening(TWO, progress=DONE, tracks=tracks)).says("Inspectors.", "Two seconds.", words)
    assert play.all_asked(do.AskFeedback) == []
    if words != "01-01":
        (told,) = play.texts("notice")
        assert told.startswith(f"{words} is a step number, so it was not taken as feedback.")
        assert play.commands[-1] == do.Listen("menu")


@pytest.mark.rule("MENU-4", "MENU-7")
def test_the_number_of_a_step_is_never_an_answer() -> None:
    play = Play(opening(TWO, progress=DONE)).says("01-08")
    assert play.texts("notice")[-1].startswith(
        "01-08 is a step number, so it was not taken as an answer. A num"
    )
    play.says("Inspectors.", "01-01")
    assert play.texts("notice")[-1].endswith(
        "Finish or skip this step's questions first, then type it at the menu."
    )
    assert play.commands[-1] == do.Listen("answer")
    assert [each.text for each in play.now.answers] == ["Inspectors."]
    away = Play(opening(TWO, progress=DONE)).says("01-01")
    assert (away.now.stage, away.commands[-1]) == (Stage.ENDED, do.Advance("01-01"))


@pytest.mark.rule("MENU-3")
def test_help_and_numbers_at_a_menu_are_explained_and_never_feedback() -> None:
    play = Play(opening(TWO, progress=DONE)).says("Inspectors.", "Two seconds.", "?", "99-99")
    assert play.all_asked(do.AskFeedback) == []
    helped, told = play.texts("notice")
    assert helped.startswith("To change an answer say `edit`") and told == f"Nothing was added. {helped}"


@pytest.mark.rule("MENU-4")
def test_the_number_of_a_complete_step_opens_it_at_a_menu() -> None:
    play = Play(opening(TWO, progress=DONE)).says("Inspectors.", "Two seconds.", "01-01")
    assert play.commands[-1] == do.Advance("01-01")
    assert play.now.stage is Stage.ENDED


@pytest.mark.rule("GREET-4", "STEP-9")
def test_a_short_track_hands_over_in_one_line() -> None:
    play = Play(opening(arrival="new", handed_over_by=PHASES[0], is_short=True))
    assert play.order == ["handoff", "step", "question"]


LABELS = ("Forces", "Options", "Failure Mode", "Decision")
FOUR: Step = replace(JOURNEYS, standard=tuple(Question(label, f"{label}?") for label in LABELS))
DRAFTS = (
    *(on.Offer(label, "A good draft.", "", "assumed", matters=True) for label in LABELS[:3]),
    on.Offer("Decision", "", "", "unknown", matters=True),
)


@pytest.mark.rule("STEP-4")
def test_what_only_the_user_knows_is_asked_before_what_has_a_good_draft() -> None:
    begun, _ = Analysis.begin(opening(FOUR, arrival="continuing"))
    after, _ = begun.receive(on.Offered(DRAFTS))
    assert [answer.label for answer in after.answers] == ["Failure Mode"]


@pytest.mark.rule("STEP-4")
def test_a_short_track_takes_each_draft_without_an_enter() -> None:
    begun, _ = Analysis.begin(opening(FOUR, arrival="continuing", is_short=True))
    after, commands = begun.receive(on.Offered(DRAFTS))
    assert [answer.text for answer in after.answers] == ["A good draft. (assumed)"] * 3
    assert commands[-1] == do.Listen("answer")


@pytest.mark.rule("MENU-7", "STEP-4")
def test_undo_asks_no_question_that_was_passed_over() -> None:
    play = Play(opening(CHOOSING)).says("attrs", "It is small.")
    written = do.Written("section", "moment", first=True)
    undone, _ = replace(play.now, written=(written,)).receive(on.UserSpoke("undo"))
    again, commands = undone.receive(on.Undone(done=True))
    assert again.stage is Stage.ANSWER
    assert [command.line.text.splitlines()[0] for command in commands if isinstance(command, do.Show)] == [
        "What decided that?"
    ]


DRAFT = (on.Offer("Problem", "app/server.py and app/store.py", "the code"),)


@pytest.mark.rule("STEP-4")
def test_agreement_with_more_keeps_the_draft_and_what_was_added() -> None:
    play = Play(opening(TWO), offers=DRAFT).says("yes exactly, and add_column in db.py")
    (answer,) = play.now.answers
    assert answer.text == "app/server.py and app/store.py. and add_column in db.py"
    assert not answer.offered


@pytest.mark.rule("STEP-4", "MENU-3")
def test_a_question_to_a_persona_is_answered_and_the_step_s_question_stays_open() -> None:
    play = Play(opening(TWO)).says("Alex, what do you think of sqlite here?")
    (asked,) = play.all_asked(do.AskFeedback)
    assert isinstance(asked, do.AskFeedback)
    assert asked.aside and asked.brief.persona == ALEX
    assert play.order[-4:] == ["feedback", "feedback", "notice", "question"]
    assert play.texts("notice")[-1] == "Your question was not taken as an answer."
    assert play.all_asked(do.WriteFeedback) == []
    play.says("Inspectors.", "Two seconds.")
    assert [answer.text for answer in play.now.answers] == ["Inspectors.", "Two seconds."]


@pytest.mark.rule("STEP-4")
def test_a_question_to_a_persona_leaves_a_follow_up_and_an_edit_open() -> None:
    counted = replace(TWO, validation=(NUMBER,), standard=QUESTIONS[:1])
    play = Play(opening(counted)).says("Some", "Alex, what is usual?")
    assert play.texts("question")[-1] == NUMBER.follow_up
    play.says("12", "edit 1", "Maya, what would you say?")
    assert play.texts("question")[-1].startswith("Who is stuck?")
    assert play.now.stage is Stage.ANSWER


@pytest.mark.rule("STEP-4")
def test_an_answer_that_begins_with_a_name_and_ends_with_a_question_is_kept_whole() -> None:
    words = "Maya, when they open the export, the columns have no names. Is that what you need?"
    assert Play(opening(TWO)).says(words).now.answers[0].text == words


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    "words", ["exactly, no, wait: it is the other way round", "that is it: I don't know"]
)
def test_what_takes_an_agreement_back_does_not_take_the_draft(words: str) -> None:
    (answer,) = Play(opening(TWO), offers=DRAFT).says(words).now.answers
    assert answer.text == words


@pytest.mark.rule("STEP-4")
def test_the_question_is_shown_again_with_its_draft_where_words_were_no_answer() -> None:
    play = Play(opening(TWO), offers=DRAFT).says("?")
    assert play.order[-2:] == ["notice", "question"]
    assert play.commands[-1] == do.Listen("answer", offer="app/server.py and app/store.py")


@pytest.mark.rule("MENU-4", "STEP-3")
def test_a_skipped_step_is_listed_also_where_it_builds_on_another() -> None:
    steps = (step("01-02", "Two"), step("01-04", "Three", depends_on=("01-02",)), step("02-01", "One"))
    done = Progress(("02-01",), ("01-requirements",))
    play = Play(opening(steps[2], PHASES[2], kind="menu", steps=steps, progress=done))
    assert play.texts("notice")[-1].startswith("Skipped so far: 01-02 Two, 01-04 Three. ")
    play.says("01-04")
    assert play.texts("notice")[-2].startswith("01-04 is a step number")
    assert play.now.stage is Stage.MENU
    assert play.says("01-02").commands[-1] == do.Advance("01-02")


@pytest.mark.rule("MENU-7", "STEP-4")
def test_a_question_that_is_asked_only_with_a_draft_has_its_words_when_it_is_edited() -> None:
    quiet = replace(TWO, standard=(QUESTIONS[0], Question("Expected", "What instead?", without="-")))
    play = Play(opening(quiet)).says("Inspectors.", "edit 2")
    assert play.texts("question")[-1] == "What instead?"
