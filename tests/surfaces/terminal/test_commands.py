"""What the conversation has at hand: commands, what was added, what is remembered, a stop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from people import ITEM, JOURNEYS, ROSTER, STEPS
from roundtable.content import read_tables
from roundtable.core import events as on
from roundtable.core.analysis import Analysis, Opening, Stage
from roundtable.core.commands import AskPersona, Brief, Table
from roundtable.core.lines import Awaits
from roundtable.core.steps import PHASES
from roundtable.core.turns import Turn, Verdict
from roundtable.panel.base import OnWords, PanelStopped, Speech, StoppablePanel
from roundtable.runtime.session import Session
from roundtable.surfaces.cli import conversation
from roundtable.surfaces.terminal.page import describe_work, format_bottom_line
from roundtable.testing import ScriptedPanel
from talk import Talk

OPENING = Opening("menu", ITEM, ROSTER, STEPS, PHASES[1], JOURNEYS)
TURNS = (
    Turn(1, "business-analyst", "We start."),
    Turn(2, "solutions-architect", "Two options."),
    Turn(3, "user", "We go with A.", Verdict(decisions=(3,))),
)
TABLE = Table(ITEM, JOURNEYS, ROSTER, ROSTER.personas[0], STEPS, (), 10, turns=TURNS)


@dataclass
class _Session:
    """What commands look at."""

    folder: Path
    analysis: Analysis
    listening: Awaits


def answer_command(words: str, folder: Path, awaits: Awaits = "answer", *, talk: Talk | None = None) -> str:
    analysis = Analysis(OPENING, Stage.ANSWER, "standard", elaboration=talk.now if talk else None)
    session = cast("Session", _Session(folder, analysis, awaits))
    page = conversation.Plain(conversation.Answers(None, ""), None, is_prompting=False)
    page.is_strict = True
    return conversation.answer_command(words, session, page)


# --- commands ---------------------------------------------------------------------------------------------


def test_every_command_of_the_help_is_answered(folder: Path) -> None:
    commands = read_tables("terminal.toml")["commands"]
    assert set(commands) == {
        "/help", "/transcript", "/turns", "/depth", "/who", "/steps", "/artifact", "/diff", "/panel",
        "/model", "/copy", "/chair", "/quit",
    }  # fmt: skip
    for name in set(commands) - {"/quit"}:
        assert answer_command(name, folder)
        assert name in answer_command("/hepl", folder)


@pytest.mark.parametrize(
    "words", ["no command", "/tmp is full", "/usr/bin", "", "about /help", "/1", "/who cares"]
)
def test_what_only_looks_like_a_command_is_said(folder: Path, words: str) -> None:
    assert answer_command(words, folder) == ""


def test_the_help_names_the_words_that_lead_back(folder: Path) -> None:
    named = {line.split("  ")[0] for line in answer_command("/help", folder).splitlines()}
    assert {"back", "skip", "edit 2", "undo", "01-05", "?", "/turns"} <= named


def test_turns_are_said_to_the_session_where_they_apply(folder: Path) -> None:
    running = Talk().until_heard()
    assert answer_command("/turns 12", folder, "discussion", talk=running) == ""
    assert "/turns 14" in answer_command("/turns", folder, "discussion", talk=running)
    assert "While a discussion is running" in answer_command("/turns 12", folder, "answer")


def test_a_depth_is_said_to_the_session_where_it_applies(folder: Path) -> None:
    assert answer_command("/depth deep", folder, "answer") == ""
    assert answer_command("/depth deep", folder, "discussion")
    assert answer_command("/depth deepest", folder, "answer")


@pytest.mark.parametrize(
    "words", ["/help returns a 404 page since Monday.", "/quit button does nothing", "/tmp is full"]
)
def test_an_answer_may_begin_with_a_slash(folder: Path, words: str) -> None:
    assert answer_command(words, folder) == ""


def test_a_discussion_in_hand_can_be_read_again(folder: Path) -> None:
    answer = answer_command("/transcript", folder, "discussion", talk=Talk().says("Alex, why?"))
    assert "2. Alex Rivera (Solutions Architect): Point 2." in answer
    assert "4. You: Alex, why?" in answer


def test_the_bottom_line_knows_the_turn_and_who_speaks() -> None:
    begun = Talk()
    begun.hear(on.ContextRead(10)).hear(on.Framed("Two journeys.", "Who decides?", "conflicts"))
    analysis = Analysis(OPENING, Stage.ELABORATION, "standard", elaboration=begun.now)
    assert describe_work(analysis, has_words=True) == "Alex is speaking"
    assert describe_work(analysis) == "Alex is thinking"
    assert "turn 1 of 10" in format_bottom_line(analysis)


# --- a stop -----------------------------------------------------------------------------------------------


@dataclass
class _Endless(ScriptedPanel):
    """Says a few words and never stops."""

    pieces: tuple[str, ...] = ("Two", " options")
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
        for piece in self.pieces:
            heard(piece)
        self.began.set()
        await asyncio.Event().wait()
        return None


def stopped(panel: _Endless) -> tuple[Speech | None, Speech | None, list[str]]:
    begun: list[str] = []

    async def run() -> tuple[Speech | None, Speech | None]:
        stoppable = StoppablePanel(lambda: panel, begun.append)
        assert not stoppable.stop()
        brief = Brief(TABLE, ROSTER.personas[1], "answer")
        speaking = asyncio.ensure_future(stoppable.answer(AskPersona(brief)))
        await panel.began.wait()
        assert stoppable.stop()
        speech = await speaking
        return speech, await stoppable.answer(AskPersona(replace(brief, again=("echo",))))

    return (*asyncio.run(run()), begun)


def test_a_speaker_who_is_stopped_has_said_what_was_said_and_is_not_asked_again() -> None:
    first, second, begun = stopped(_Endless())
    assert first == second == Speech("Two options ...")
    assert begun == ["solutions-architect"]


def test_a_speaker_who_is_stopped_before_the_first_word_says_nothing() -> None:
    with pytest.raises(PanelStopped, match="You stopped Alex Rivera before the first word"):
        stopped(_Endless(pieces=()))
