"""The host panel: every request of the port opens, waits for a reply that is checked, and takes it once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from people import ALEX, ITEM, JOURNEYS, MAYA, NUMBER, ROSTER, STEPS
from roundtable.core.commands import (
    Answer,
    AskFeedback,
    AskFollowUp,
    AskFraming,
    AskPersona,
    AskReading,
    AskSynthesis,
    AskVerdict,
    Brief,
    Purpose,
    StepBrief,
    Table,
)
from roundtable.core.errors import RuleBroken
from roundtable.core.steps import Target
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import USER, OffTopic, Turn, Verdict
from roundtable.panel.base import Framing, Speech
from roundtable.panel.host import HostPanel, HostReply, HostRequest, Words

T = TypeVar("T")
TURNS = (Turn(1, MAYA.key, "We landed here."), Turn(2, USER, "Alex, why?"))
TABLE = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, "Who decides?", "deciding", TURNS)
BRIEF = Brief(TABLE, ALEX, "answer", answers=2)
STEP = StepBrief(ITEM, JOURNEYS, MAYA, ROSTER, "standard", (Answer("Problem", "Who?", "The inspector."),))
PAGE = (Target("requirements-spec.md", "3. User Journeys"),)


class Asked:
    """A panel whose requests are answered in turn; what cannot be taken is kept as a refusal."""

    def __init__(self, *replies: HostReply) -> None:
        self.replies = list(replies)
        self.requests: list[HostRequest] = []
        self.refusals: list[str] = []
        self.panel = HostPanel(self._open)

    def _open(self, request: HostRequest) -> None:
        self.requests.append(request)
        asyncio.get_running_loop().call_soon(self._answer, request)

    def _answer(self, request: HostRequest) -> None:
        while self.replies:
            try:
                request.submit(self.replies.pop(0))
            except RuleBroken as refusal:
                self.refusals.append(str(refusal))
            else:
                return

    def run(self, asking: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(asyncio.wait_for(asking, 5))


def words(text: str = "A point.", speaker: str = ALEX.key, **more: Any) -> Words:
    return Words(speaker, text, **more)


def test_it_says_that_one_model_speaks_for_all() -> None:
    assert Asked().panel.name == "host (one model speaks for every persona)"


def test_a_contribution_comes_with_its_verdict_and_is_handed_over() -> None:
    asked, pieces = Asked(words("A\npoint.", verdict=Verdict(opposes=1))), list[str]()
    said = asked.run(asked.panel.answer(AskPersona(BRIEF), pieces.append))
    assert said == Speech("A\npoint.", Verdict(opposes=1))
    assert pieces == ["A\npoint."]
    (request,) = asked.requests
    assert (request.kind, request.speaker, request.brief) == ("turn", ALEX, BRIEF)
    assert (request.most, request.may_pass) == (170, False)


@pytest.mark.rule("LOOP-8")
def test_silence_is_taken_only_where_it_is_allowed() -> None:
    asked = Asked(words("", passes=True), words("PASS"), words())
    assert asked.run(asked.panel.answer(AskPersona(BRIEF))) == Speech("A point.")
    assert asked.refusals == ["Alex Rivera has to speak here and cannot pass."] * 2
    worded = Asked(words("PASS."))  # as the brief says it
    assert worded.run(worded.panel.answer(AskPersona(Brief(TABLE, ALEX, "follow", may_pass=True)))) is None
    free = Asked(words("", passes=True))
    assert free.run(free.panel.answer(AskPersona(Brief(TABLE, ALEX, "follow", may_pass=True)))) is None
    (request,) = free.requests
    assert request.may_pass


@pytest.mark.rule("LOOP-6", "LOOP-8")
@pytest.mark.parametrize("purpose", ["go-on", "answer"])
def test_a_host_may_yield(purpose: Purpose) -> None:
    asked = Asked(words("", passes=True))
    assert asked.run(asked.panel.answer(AskPersona(Brief(TABLE, ALEX, purpose, may_yield=True)))) is None
    assert (asked.requests[0].may_pass, asked.refusals) == (True, [])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            words(speaker=MAYA.key),
            "It is Alex Rivera's turn (solutions-architect); 'business-analyst' cannot",
        ),
        (words("\x00 \n"), "The text is empty."),
        (words("w " * 171), "The text has 171 words; at most 170 are taken."),
        (words("w" * 2041), "The text has 2041 characters; at most 2040 are taken."),
        (words(verdict=Verdict(opposes=3)), "Turn 3 does not exist; this is turn 3."),
        (words(verdict=Verdict(decisions=(4,))), "Turn 4 does not exist; this is turn 3."),
        (
            words(verdict=Verdict(off_topic=OffTopic("w " * 81))),
            "off_topic has 81 words; at most 80 are taken.",
        ),
        (
            words(verdict=Verdict(off_topic=OffTopic("storage", "storage"))),
            "There is no step or phase 'storage' for belongs_to. There are 00-quick-scan, 01-requirements,",
        ),
        (words(judged=Verdict(opposes=2)), "Turn 2 does not exist; this is turn 2."),
        (words(judged=Verdict(off_topic=OffTopic("storage", "x"))), "There is no step or phase 'x' for"),
        (Draft(takeaway="x"), "This move asks for a turn, not for a synthesis."),
    ],
)
def test_what_cannot_be_taken_is_refused_and_the_request_stays_open(reply: HostReply, reason: str) -> None:
    asked = Asked(reply, words())
    assert asked.run(asked.panel.answer(AskPersona(BRIEF))) == Speech("A point.")
    (refusal,) = asked.refusals
    assert refusal.startswith(reason)


@pytest.mark.parametrize("text", ["w " * 170, "w" * 2040])
def test_what_just_fits_is_taken(text: str) -> None:
    asked = Asked(words(text))
    assert asked.run(asked.panel.answer(AskPersona(BRIEF))) == Speech(text)


def test_a_verdict_may_name_the_turn_it_comes_with() -> None:
    verdict = Verdict(opposes=2, decisions=(1, 3))
    asked = Asked(words(verdict=verdict))
    assert asked.run(asked.panel.answer(AskPersona(BRIEF))) == Speech("A point.", verdict)


@pytest.mark.rule("FRAME-1")
def test_a_framing_has_a_summary_a_question_and_a_topic() -> None:
    framing = words("Landed.", MAYA.key, focus_question="Who?", focus_topic="whom")
    asked = Asked(words("Landed.", MAYA.key), words("Landed.", MAYA.key, focus_question="Who?"), framing)
    assert asked.run(asked.panel.answer(AskFraming(Brief(TABLE, MAYA, "framing")))) == Framing(
        "Landed.", "Who?", "whom"
    )
    assert asked.refusals == ["focus_question is empty.", "focus_topic is empty."]
    assert (asked.requests[0].kind, asked.requests[0].most) == ("framing", 90)


@pytest.mark.rule("FOCUS-1")
def test_the_speaker_judges_the_users_turn_and_nobody_is_asked_before() -> None:
    judged = Verdict(off_topic=OffTopic("printers", "03-02"))
    asked = Asked(words(judged=judged))
    assert asked.run(asked.panel.answer(AskVerdict(TABLE))) is None
    assert asked.requests == []
    assert asked.run(asked.panel.answer(AskPersona(BRIEF))) == Speech("A point.", judged=judged)
    early = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, turns=TURNS[:1])
    other = Asked(words(judged=judged), words())
    assert other.run(other.panel.answer(AskPersona(Brief(early, ALEX, "first-round")))) == Speech("A point.")
    assert other.refusals == ["The turn before this one is not the user's, so there is nothing to judge."]


@pytest.mark.rule("SYN-5")
def test_a_synthesis_and_no_extraction() -> None:
    draft = Draft(insights=(Entry("Forms differ.", (1,)),), summary="Identified 1 gap")
    asked = Asked(Draft(), draft)
    assert asked.run(asked.panel.answer(AskSynthesis(TABLE, ("No turn is cited.",)))) == draft
    assert asked.refusals == [
        "The synthesis is empty: send entries and a summary, or a takeaway.",
    ]
    assert "No turn is cited." in asked.requests[0].conversation.brief


def test_a_follow_up_and_a_reply_to_feedback() -> None:
    question = JOURNEYS.standard[0]
    asked = Asked(words("How many?", MAYA.key), words("Noted.", MAYA.key))
    follow_up = AskFollowUp(STEP, question, "many", NUMBER)
    assert asked.run(asked.panel.answer(follow_up)) == "How many?"
    assert asked.run(asked.panel.answer(AskFeedback(STEP, "The office too."))) == "Noted."
    assert [(each.kind, each.most) for each in asked.requests] == [("follow-up", 60), ("feedback", 150)]


@pytest.mark.rule("GREET-4")
def test_documents_are_read_or_passed_over() -> None:
    asked = Asked(words("I see three journeys.", MAYA.key), words("", MAYA.key, passes=True))
    assert asked.run(asked.panel.answer(AskReading(STEP))) == "I see three journeys."
    assert asked.run(asked.panel.answer(AskReading(STEP))) == ""
