"""The port: one method, and each request has its reply."""

from __future__ import annotations

import asyncio
from typing import assert_type

import pytest
from msgspec.structs import replace

from people import ITEM, JOURNEYS, MAYA, NUMBER, ROSTER, STEPS
from roundtable.core.commands import (
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
from roundtable.core.steps import Question
from roundtable.core.synthesis import Draft
from roundtable.core.turns import Material, Turn, Verdict
from roundtable.panel.base import (
    Framing,
    Look,
    LookUpPanel,
    LookUpsWanted,
    OnWords,
    Panel,
    Picks,
    Speech,
    StoppablePanel,
)
from roundtable.panel.model.choice import FallbackPanel
from roundtable.panel.offline import OfflinePanel
from roundtable.testing import ScriptedPanel

TABLE = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, turns=(Turn(1, MAYA.key, "Framing."),))
HEARD = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, turns=(*TABLE.turns, Turn(2, "user", "Why?")))
STEP = StepBrief(ITEM, JOURNEYS, MAYA, ROSTER, "standard")


@pytest.mark.parametrize(
    "panel",
    [
        OfflinePanel(),
        ScriptedPanel(),
        FallbackPanel((ScriptedPanel(), OfflinePanel())),
        StoppablePanel(OfflinePanel),
    ],
    ids=lambda panel: type(panel).__name__,
)
def test_every_panel_answers_every_request_with_its_kind_of_reply(panel: Panel) -> None:
    async def ask() -> None:
        framing = await panel.answer(AskFraming(Brief(TABLE, MAYA, "framing")))
        assert isinstance(assert_type(framing, Framing), Framing)
        speech = await panel.answer(AskPersona(Brief(TABLE, MAYA, "go-on")))
        assert isinstance(assert_type(speech, Speech | None), Speech)
        verdict = await panel.answer(AskVerdict(HEARD))
        assert assert_type(verdict, Verdict | None) is None or isinstance(verdict, Verdict)
        draft = await panel.answer(AskSynthesis(HEARD))
        assert isinstance(assert_type(draft, Draft), Draft)
        question = await panel.answer(AskFollowUp(STEP, Question("Problem", "Who?"), "many", NUMBER))
        reply = await panel.answer(AskFeedback(STEP, "The office too."))
        reading = await panel.answer(
            AskReading(replace(STEP, documents=(Material("requirements-spec.md", "Forms."),)))
        )
        assert "requirements-spec.md" in assert_type(reading, str)
        assert all((assert_type(question, str), assert_type(reply, str)))
        picks = await panel.answer(AskFiles(ITEM, "src/ forms.py", "src/forms.py:1 def fill():"))
        assert assert_type(picks, Picks | None) is None

    asyncio.run(ask())


@pytest.mark.rule("TABLE-1")
def test_a_second_try_at_a_turn_looks_nothing_up_beyond_the_three_of_a_contribution() -> None:
    class Curious(ScriptedPanel):
        async def speak(self, brief: Brief, on_words: OnWords) -> Speech | None:
            if brief.look_ups:
                raise LookUpsWanted((Look("search", f"word {len(brief.table.looked_up)}"),))
            return await super().speak(brief, on_words)

    shown: list[str] = []

    def look(asked: Look) -> Material:
        shown.append(asked.what)
        return Material(f"search {asked.what}", "nothing")

    panel = LookUpPanel(Curious, look)
    brief = Brief(TABLE, MAYA, "go-on")
    asyncio.run(panel.answer(AskPersona(brief)))
    again = asyncio.run(panel.answer(AskPersona(replace(brief, again=("too long",)))))
    assert shown == ["word 0", "word 1", "word 2"]
    assert len(again.looked_up) == 3


def test_the_offline_panel_says_how_many_questions_are_open() -> None:
    def read(text: str) -> str:
        panel: Panel = OfflinePanel()
        return asyncio.run(panel.answer(AskReading(replace(STEP, documents=(Material("a.md", text),)))))

    one = "# A\n\n- Open question: Who pays?\n"
    assert read(one) == 'I\'ve read a.md. Still open there: "Who pays?"'
    two = f"{one}- Open question: When?\n"
    assert read(two) == 'I\'ve read a.md. Still open there: "Who pays?" and 1 more.'
