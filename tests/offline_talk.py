"""Plays a whole elaboration on the real machine with the offline panel and a scripted user."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from roundtable.catalogue import load_roster, load_steps
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.elaboration import Elaboration
from roundtable.core.lines import Line
from roundtable.core.personas import Roster
from roundtable.core.steps import Item, Step
from roundtable.core.synthesis import Draft
from roundtable.core.turns import Material, Turn
from roundtable.panel.base import Framing, Speech
from roundtable.panel.offline import OfflinePanel

ROSTER = load_roster()
STEPS = load_steps()
AT = "2026-02-20T14:30:00.000Z"
_T = TypeVar("_T")


def step(step_id: str) -> Step:
    return next(each for each in STEPS if each.step_id == step_id)


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """What the panel answers; it never has to wait."""
    return asyncio.run(work)


@dataclass
class Discussion:
    """What was shown, asked and said in one elaboration that has ended."""

    item: Item
    step_id: str = "01-03"
    material: tuple[Material, ...] = ()
    says: tuple[str, ...] = ()
    max_turns: int = 10
    roster: Roster = ROSTER
    panel: OfflinePanel = field(default_factory=OfflinePanel)
    shown: list[Line] = field(default_factory=list)
    briefs: list[do.Brief] = field(default_factory=list)
    framing: Framing | None = None
    draft: Draft = field(default_factory=Draft)
    summary: str = ""
    retried: bool = False

    def __post_init__(self) -> None:
        self.now, commands = Elaboration.begin(
            item=self.item, step=step(self.step_id), roster=self.roster, steps=STEPS
        )
        self._words = iter(self.says)
        while not self.now.has_ended:
            self.shown += [command.line for command in commands if isinstance(command, do.Show)]
            self.now, commands = self.now.receive(self._event(commands[-1]))

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.now.turns

    @property
    def spoken(self) -> tuple[Turn, ...]:
        """The personas' turns after the framing."""
        return tuple(turn for turn in self.turns[1:] if turn.speaker != "user")

    def lines(self, kind: str) -> list[str]:
        return [line.text for line in self.shown if line.kind == kind]

    def _event(self, command: do.Command) -> on.Event:
        match command:
            case do.ReadContext():
                return on.ContextRead(self.max_turns, self.material)
            case do.AskFraming():
                self.framing = run(self.panel.answer(command))
                return on.Framed(self.framing.summary, self.framing.focus_question, self.framing.focus_topic)
            case do.AskPersona(brief):
                return self._spoken(brief)
            case do.AskVerdict():
                return on.Judged(run(self.panel.answer(command)))
            case do.Listen():
                return on.UserSpoke(next(self._words, "done"))
            case do.AskSynthesis(problems=problems):
                self.retried = bool(problems)
                self.draft = run(self.panel.answer(command))
                return on.SynthesisDrafted(self.draft, AT)
            case do.UpdateArtifacts():
                return on.DocumentsWritten(())
            case do.SaveRecord(record):
                self.summary = record.synthesis_summary
                return on.RecordSaved("elaborations/01-03-1.md")
            case _:
                raise AssertionError(f"Nothing answers {command}.")

    def _spoken(self, brief: do.Brief) -> on.PersonaSpoke | on.PersonaPassed:
        self.briefs.append(brief)
        heard: list[str] = []
        speech: Speech | None = run(self.panel.answer(do.AskPersona(brief), heard.append))
        if speech is None:
            assert not heard
            return on.PersonaPassed(brief.speaker.key)
        assert "".join(heard) == speech.text
        return on.PersonaSpoke(brief.speaker.key, speech.text, speech.verdict)
