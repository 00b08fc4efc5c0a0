"""A chain of panels: the first that answers speaks, and whoever takes over is named."""

from __future__ import annotations

import asyncio

import pytest

from people import ALEX, ITEM, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import (
    AskFeedback,
    AskFollowUp,
    AskFraming,
    AskPersona,
    AskReading,
    AskSynthesis,
    Brief,
    StepBrief,
    Table,
)
from roundtable.core.errors import PanelFailed
from roundtable.core.synthesis import Draft
from roundtable.core.turns import Material, Turn
from roundtable.panel.base import Look, LookUpPanel, LookUpsWanted, OnWords, Speech
from roundtable.panel.model.choice import FallbackPanel
from roundtable.panel.model.panel import ModelFailed
from roundtable.panel.offline import OfflinePanel
from roundtable.testing import ScriptedPanel

TABLE = Table(
    ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10, turns=(Turn(1, MAYA.key, "Framing."), Turn(2, ALEX.key, "x"))
)
BRIEF = Brief(TABLE, ALEX, "go-on")
STEP = StepBrief(ITEM, JOURNEYS, MAYA, ROSTER, "standard")
ALL = {
    "frame": 9,
    "speak": 9,
    "judge": 9,
    "synthesise": 9,
    "follow_up": 9,
    "take_up": 9,
    "read": 9,
}


class Breaking(ScriptedPanel):
    """Says a few words and breaks off."""

    async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
        heard("Half a ")
        raise PanelFailed("It broke off.", do="Try again.")


def test_the_next_goes_on_and_stays_and_it_is_said_once() -> None:
    news: list[str] = []
    first, second = ScriptedPanel(fails={"speak": 1}), ScriptedPanel()
    chain = FallbackPanel((first, second, OfflinePanel()), news.append)
    for _ in range(2):
        assert asyncio.run(chain.answer(AskPersona(BRIEF))) == Speech("Remark 3 by Alex on the go-on.")
    assert news == ["The model did not answer (speak). scripted goes on."]
    assert (first.asked, second.asked) == (["speak"], ["speak", "speak"])


def test_the_last_may_be_the_offline_panel() -> None:
    news: list[str] = []
    chain = FallbackPanel((ScriptedPanel(fails=dict(ALL)), OfflinePanel()), news.append)
    assert chain.name == "scripted"
    assert asyncio.run(chain.answer(AskPersona(BRIEF))) is not None
    assert chain.name == "offline"


def test_where_all_fail_all_is_said_and_the_first_is_asked_again() -> None:
    first = ScriptedPanel(fails={"speak": 1})
    chain = FallbackPanel((first, Breaking()))
    with pytest.raises(PanelFailed) as failure:
        asyncio.run(chain.answer(AskPersona(BRIEF)))
    assert str(failure.value) == "The model did not answer (speak). It broke off. Try again."
    assert asyncio.run(chain.answer(AskPersona(BRIEF))) is not None
    assert first.asked == ["speak", "speak"]


def test_words_that_were_shown_are_not_mixed_with_anothers() -> None:
    heard: list[str] = []
    chain = FallbackPanel((Breaking(), ScriptedPanel()))
    assert asyncio.run(chain.answer(AskPersona(BRIEF), heard.append)) == Speech(
        "Remark 3 by Alex on the go-on."
    )
    assert heard == ["Half a "]
    heard.clear()
    asyncio.run(chain.answer(AskPersona(BRIEF), heard.append))
    assert "".join(heard).startswith("Remark")


@pytest.mark.rule("TABLE-1")
def test_who_takes_over_stays_when_it_first_looks_something_up() -> None:
    class Looking(ScriptedPanel):
        async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
            if not brief.table.looked_up:
                raise LookUpsWanted((Look("search", "lock"),))
            return await super().speak(brief, heard)

    news: list[str] = []
    heard: list[str] = []
    first = Breaking()
    chain = FallbackPanel((first, Looking()), news.append)
    panel = LookUpPanel(lambda: chain, lambda look: Material(look.what, "a.py:1"))
    speech = asyncio.run(panel.answer(AskPersona(BRIEF), heard.append))
    assert speech == Speech("Remark 3 by Alex on the go-on.", looked_up=(Material("lock", "a.py:1"),))
    assert (first.asked, news) == (["speak"], ["It broke off. scripted goes on."])
    assert heard == ["Half a "]  # and nothing of another's behind it


def test_everything_that_a_panel_is_asked_falls_back() -> None:
    from people import NUMBER
    from roundtable.core.steps import Question

    question = Question("Problem", "Who?")
    first, second = ScriptedPanel(fails=dict(ALL)), ScriptedPanel()
    asks = [
        lambda chain: chain.answer(AskFraming(BRIEF)),
        lambda chain: chain.answer(AskPersona(BRIEF)),
        lambda chain: chain.answer(AskSynthesis(TABLE)),
        lambda chain: chain.answer(AskFollowUp(STEP, question, "x", NUMBER)),
        lambda chain: chain.answer(AskFeedback(STEP, "x")),
        lambda chain: chain.answer(AskReading(STEP)),
    ]
    for ask in asks:
        asyncio.run(ask(FallbackPanel((first, second))))  # type: ignore[no-untyped-call]
    assert first.asked == second.asked == [name for name in ALL if name != "judge"]


@pytest.mark.rule("SYN-5")
def test_a_synthesis_that_is_nonsense_is_told_to_its_author_first() -> None:
    class Nonsense(ScriptedPanel):
        async def synthesise(self, ask: AskSynthesis) -> Draft:
            raise ModelFailed("nonsense", "scripted")

    first, second = Nonsense(), ScriptedPanel()
    chain = FallbackPanel((first, second))
    with pytest.raises(ModelFailed):
        asyncio.run(chain.answer(AskSynthesis(TABLE)))
    assert second.asked == []
    assert asyncio.run(chain.answer(AskSynthesis(TABLE, ("It was no JSON.",)))).summary == "Identified 1 gap"
    assert (first.asked, second.asked) == (["synthesise"] * 2, ["synthesise"])
