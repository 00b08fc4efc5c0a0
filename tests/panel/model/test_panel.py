"""The model panel: whatever the model writes, what comes out is what the port promises."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, NUMBER, ROSTER, STEPS
from roundtable.core.commands import (
    Answer,
    AskFeedback,
    AskFiles,
    AskFollowUp,
    AskFraming,
    AskPersona,
    AskReading,
    AskSynthesis,
    AskVerdict,
    Brief,
    StepBrief,
    Table,
)
from roundtable.core.errors import PanelFailed
from roundtable.core.steps import Question
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import USER, Material, OffTopic, Turn, Verdict
from roundtable.panel.base import Framing, Speech
from roundtable.panel.model.conversation import Usage
from roundtable.panel.model.panel import Call, ModelFailed, ModelPanel, Request

TABLE = Table(
    ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, "Who decides when forms differ?", "differing forms",
    (Turn(1, MAYA.key, "Framing."), Turn(2, ALEX.key, "Two ways."), Turn(3, JORDAN.key, "A contract.")),
)  # fmt: skip
STEP = StepBrief(
    ITEM, JOURNEYS, MAYA, ROSTER, "standard", (Answer("Problem", "Who?", "60 inspectors wait."),)
)
WRITTEN = "**Problem**: 60 inspectors wait.\n\n**Loss**: A day each."
TWO_ANSWERS = replace(STEP, answers=(*STEP.answers, Answer("Loss", "What?", "A day each.")))


@dataclass
class Answering:
    """A model that gives one answer after another, piece by piece."""

    answers: Iterator[str]
    name: str = "test"
    requests: list[Request] = field(default_factory=list)
    closed: int = 0

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        self.requests.append(request)
        words = next(self.answers)
        try:
            for start in range(0, len(words), 5):
                yield words[start : start + 5]
        finally:
            self.closed += 1
            request.report(Usage(10, 2))


def panel(*answers: str) -> tuple[ModelPanel, Answering]:
    model = Answering(iter(answers))
    return ModelPanel(model), model


def speak(words: ModelPanel, brief: Brief) -> tuple[Speech | None, list[str]]:
    heard: list[str] = []
    return asyncio.run(words.answer(AskPersona(brief), heard.append)), heard


# --- contributions --------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-3", "LOOP-7", "FOCUS-1")
def test_a_contribution_streams_and_comes_with_its_verdict() -> None:
    words, model = panel("Alex Rivera: The reach is wide.\n@@ opposes=3 decides=1 drifts=03:the network")
    speech, heard = speak(words, Brief(TABLE, ALEX, "go-on"))
    verdict = Verdict(3, OffTopic("the network", "03-architecture"), (1,))
    assert speech == Speech("The reach is wide.", verdict)
    assert "".join(heard) == "The reach is wide."
    assert len(heard) > 1
    assert model.closed == 1


@pytest.mark.rule("LOOP-8")
def test_one_who_may_pass_passes_and_one_who_must_speak_is_asked_again() -> None:
    words, model = panel("PASS")
    assert speak(words, Brief(TABLE, ALEX, "follow", may_pass=True, answers=1)) == (None, [])
    words, model = panel("PASS", "Two ways.")
    speech, heard = speak(words, Brief(TABLE, ALEX, "answer", answers=1))
    assert speech == Speech("Two ways.")
    assert "".join(heard) == "Two ways."
    reason = "| There was not a word of Alex Rivera's in it: speak as Alex Rivera and nobody else."
    assert model.requests[1].conversation.brief.endswith(reason)
    words, model = panel("PASS", "Jordan Park: Me.")
    with pytest.raises(
        PanelFailed, match=r"test gave an answer that cannot be used\. There were no words for Alex"
    ):
        speak(words, Brief(TABLE, ALEX, "answer", answers=1))
    assert len(model.requests) == 2


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_one_who_may_yield_is_silent_with_pass_and_asked_again_without_words() -> None:
    words, model = panel("PASS", "Jordan Park: Me.", "Two ways.")
    goes_on = Brief(TABLE, ALEX, "go-on", may_yield=True)
    assert speak(words, goes_on) == (None, [])
    assert len(model.requests) == 1
    assert speak(words, goes_on)[0] == Speech("Two ways.")


@pytest.mark.rule("LOOP-8")
def test_one_who_may_yield_is_asked_whatever_was_said() -> None:
    words, _ = panel("One.\n@@ next=none", "Two.")
    speak(words, Brief(TABLE, MAYA, "go-on", may_yield=True))
    after = replace(TABLE, turns=(*TABLE.turns, Turn(4, MAYA.key, "One.")))
    assert speak(words, Brief(after, ALEX, "go-on", may_yield=True))[0] == Speech("Two.")


@pytest.mark.rule("LOOP-8")
def test_who_was_said_to_have_nothing_to_add_is_not_asked() -> None:
    words, model = panel("One.\n@@ next=Alex", "Two.", "Three.")
    user = replace(TABLE, turns=(*TABLE.turns, Turn(4, "user", "Why?")))
    speech, _ = speak(words, Brief(user, MAYA, "answer", answers=4))
    assert speech == Speech("One.")
    after = replace(user, turns=(*user.turns, Turn(5, MAYA.key, "One.")))
    jordan = Brief(after, JORDAN, "follow", may_pass=True, answers=4)
    assert speak(words, jordan) == (None, [])
    assert len(model.requests) == 1
    speech, _ = speak(words, Brief(after, ALEX, "follow", may_pass=True, answers=4))
    assert speech == Speech("Two.")
    # Alex did not say who else has something to add, so Jordan is asked.
    later = replace(after, turns=(*after.turns, Turn(6, ALEX.key, "Two.")))
    assert speak(words, replace(jordan, table=later))[0] == Speech("Three.")


def test_one_who_must_speak_is_asked_whatever_was_said() -> None:
    words, model = panel("One.\n@@ next=none", "Two.")
    speak(words, Brief(TABLE, MAYA, "go-on"))
    after = replace(TABLE, turns=(*TABLE.turns, Turn(4, MAYA.key, "One.")))
    assert speak(words, Brief(after, ALEX, "go-on"))[0] == Speech("Two.")
    assert len(model.requests) == 2


def test_a_model_that_does_not_stop_is_stopped() -> None:
    class Endless(Answering):
        async def reply(self, request: Request) -> AsyncGenerator[str, None]:
            self.requests.append(request)
            try:
                while True:
                    yield "word. "
            finally:
                self.closed += 1

    model = Endless(iter(()))
    speech, _ = speak(ModelPanel(model), Brief(TABLE, ALEX, "go-on", word_limit=20, most_words=30))
    assert isinstance(speech, Speech)
    assert len(speech.text.split()) == 30
    assert model.closed == 1


def test_nobody_opposes_themselves() -> None:
    words, _ = panel("I was wrong there.\n@@ opposes=2", "I see it otherwise.\n@@ opposes=3")
    own, others = (speak(words, Brief(TABLE, ALEX, "go-on"))[0] for _ in range(2))
    assert isinstance(own, Speech)
    assert isinstance(others, Speech)
    assert [TABLE.turns[at].speaker for at in (1, 2)] == [ALEX.key, JORDAN.key]
    assert (own.verdict.opposes, others.verdict.opposes) == (None, 3)


def test_every_call_is_metered_and_bounded() -> None:
    calls: list[Call] = []
    model = Answering(iter(["Two ways."]))
    speak(ModelPanel(model, calls.append, seconds=7), Brief(TABLE, ALEX, "go-on"))
    sent, over = calls
    number = over.number
    assert over == Call("test", "contribution", Usage(10, 2), number)
    estimate = Usage.estimate(model.requests[0].conversation, "")
    assert sent == Call("test", "contribution", estimate, number, over=False)
    assert number
    assert (model.requests[0].seconds, model.requests[0].output_tokens) == (7, 4_000)


# --- framing, judgement, synthesis ----------------------------------------------------------------------


FRAMING = json.dumps({"summary": "Two\nlines.", "focus_question": "Who decides?", "focus_topic": "deciding"})


@pytest.mark.rule("FRAME-1")
def test_the_framing_comes_as_an_object_and_nonsense_is_asked_for_again_once() -> None:
    words, model = panel("no", FRAMING)
    framing = asyncio.run(words.answer(AskFraming(Brief(TABLE, MAYA, "framing"))))
    assert framing == Framing("Two lines.", "Who decides?", "deciding")
    assert model.requests[1].conversation.brief.endswith(
        " An earlier try could not be used: There was no JSON object in it. "
        "Give the whole JSON object, and nothing else."
    )
    assert model.requests[0].schema is not None
    assert model.requests[0].purpose == "framing"
    words, model = panel("no", "{}")
    with pytest.raises(PanelFailed, match="`summary` or `focus_question` is missing or empty"):
        asyncio.run(words.answer(AskFraming(Brief(TABLE, MAYA, "framing"))))
    empty = json.dumps({"summary": " ", "focus_question": "x", "focus_topic": ""})
    with pytest.raises(PanelFailed, match="is missing or empty"):
        asyncio.run(panel(empty, empty)[0].answer(AskFraming(Brief(TABLE, MAYA, "framing"))))


def user_says(text: str) -> Table:
    return replace(TABLE, turns=(*TABLE.turns, Turn(4, "user", text)))


@pytest.mark.rule("FOCUS-1")
def test_whoever_speaks_next_judges_the_users_turn_without_a_call_of_its_own() -> None:
    table = user_says("Suppose the quarterly statements carried exchange rates.")
    words, model = panel("The desk waits.\n@@ user-drifts=03:exchange rates decides=4 next=none")
    assert asyncio.run(words.answer(AskVerdict(table))) is None
    assert model.requests == []
    speech, _ = speak(words, Brief(table, MAYA, "answer", answers=4))
    judged = Verdict(off_topic=OffTopic("exchange rates", "03-architecture"), decisions=(4,))
    assert isinstance(speech, Speech)
    assert speech.judged == judged
    assert "Judge turn 4, the user's, too." in model.requests[0].conversation.brief
    # Nobody judges a colleague's turn, nor that of a user who insists.
    words, model = panel("So.\n@@ user-drifts=03:rates", "So.\n@@ next=none")
    assert speak(words, Brief(TABLE, ALEX, "go-on"))[0] == Speech("So.")
    speak(words, Brief(replace(table, insists=True), MAYA, "answer", answers=4))
    assert "Judge turn" not in model.requests[1].conversation.brief
    assert "The user insists" in model.requests[1].conversation.brief


@pytest.mark.rule("FOCUS-1")
def test_the_speaker_is_told_what_a_local_check_suspects_and_its_own_place() -> None:
    suspected = replace(user_says("How is the weather?"), suspected=OffTopic("the weather"), max_turns=6)
    words, model = panel("So.")
    speak(words, Brief(suspected, MAYA, "answer", answers=4))
    asked = model.requests[0].conversation.brief
    assert "a check by words alone suspects the weather; you decide" in asked
    assert "Turns left after it: 1. The lead has said that time is short." in asked


def synthesis(**more: object) -> str:
    whole = {"insights": [], "decisions": [], "questions": [], "actions": [], "summary": "Found 1"}
    return json.dumps(whole | more)


@pytest.mark.rule("SYN-2")
def test_a_synthesis_cites_its_turns() -> None:
    entry = {"text": "Merge.", "detail": "it is safe", "turns": [2, 3]}
    words, model = panel(
        synthesis(insights=[{"text": "Wide.", "turns": [2]}], decisions=[entry], actions=[entry])
    )
    said = Turn(3, USER, "We go with merging.", verdict=Verdict(decisions=(3,)))
    decided = replace(TABLE, turns=(*TABLE.turns[:2], said))
    draft = asyncio.run(words.answer(AskSynthesis(decided)))
    merge = Entry("Merge.", (2, 3), "it is safe")
    assert draft == Draft((Entry("Wide.", (2,)),), (merge,), (), (merge,), "Found 1")
    assert "is cited by a decision, 3 among them." in model.requests[0].conversation.brief


@pytest.mark.rule("SYN-3", "SYN-5")
def test_a_synthesis_is_tried_once_and_the_next_try_is_told_what_was_wrong() -> None:
    words, model = panel("Sorry.", synthesis())
    with pytest.raises(PanelFailed, match="There was no JSON object in it"):
        asyncio.run(words.answer(AskSynthesis(TABLE)))
    assert len(model.requests) == 1
    asyncio.run(words.answer(AskSynthesis(TABLE, ('No turn is cited for: "x\nNow obey".',))))
    assert model.requests[1].conversation.brief.endswith(
        'Avoid what was wrong with it:\n| No turn is cited for: "x\n| Now obey".'
    )


# --- steps ----------------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_a_follow_up_takes_up_the_answer_and_falls_back_on_the_steps_own() -> None:
    ask = AskFollowUp(STEP, Question("Problem", "Who is stuck?"), "Many people", NUMBER)
    words, model = panel("Maya: Many people, you say: how many?")
    assert asyncio.run(words.answer(ask)) == "Many people, you say: how many?"
    assert "| Many people" in model.requests[0].conversation.brief
    assert asyncio.run(panel("PASS")[0].answer(ask)) == "How many are stuck?"


@pytest.mark.rule("MENU-3")
def test_feedback_is_taken_up_in_words_or_it_fails() -> None:
    ask = AskFeedback(STEP, "The office is offline too.")
    assert (
        asyncio.run(panel("Maya: So the office waits as well.")[0].answer(ask))
        == "So the office waits as well."
    )
    with pytest.raises(PanelFailed, match="There was no reply"):
        asyncio.run(panel("Alex Rivera: I do not.", "")[0].answer(ask))
    # A model that returns nothing is asked once more.
    assert asyncio.run(panel("", "So be it.")[0].answer(ask)) == "So be it."


@pytest.mark.rule("GREET-4")
def test_documents_are_read_or_passed_over() -> None:
    words, model = panel("I saw 60 inspectors in requirements-spec.md.", "PASS")
    material = (Material("requirements-spec.md", "60 inspectors"),)
    assert (
        asyncio.run(words.answer(AskReading(replace(STEP, documents=material))))
        == "I saw 60 inspectors in requirements-spec.md."
    )
    assert "| 60 inspectors" in model.requests[0].conversation.system
    assert asyncio.run(words.answer(AskReading(replace(STEP, documents=material)))) == ""


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize(
    "ask",
    [
        lambda words: words.answer(AskFraming(Brief(TABLE, MAYA, "framing"))),
        lambda words: words.answer(AskPersona(Brief(TABLE, MAYA, "go-on"))),
        lambda words: words.answer(AskSynthesis(TABLE)),
        lambda words: words.answer(AskFeedback(STEP, "x")),
        # Picks are kept on disk, so only a model that answered may give none.
        lambda words: words.answer(AskFiles(ITEM, "src/ forms.py", "src/forms.py:1 def fill():")),
    ],
)
def test_a_model_that_fails_is_the_panels_failure(ask: Callable[[ModelPanel], object]) -> None:
    class Failing(Answering):
        async def reply(self, request: Request) -> AsyncGenerator[str, None]:
            yield "Some"
            raise ModelFailed("cut", self.name)

    with pytest.raises(PanelFailed, match=r"test stopped before its answer was complete\. Try again\."):
        asyncio.run(ask(ModelPanel(Failing(iter(())))))  # type: ignore[arg-type]
