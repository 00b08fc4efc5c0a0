"""A discussion: a script played on the real machine, with real files, by a panel and a scripted user."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..content.catalogue import load_roster, load_steps
from ..core import commands as do
from ..core import events as on
from ..core.elaboration import Elaboration
from ..core.errors import ContentBroken
from ..core.floor import Purpose
from ..core.items import Item
from ..core.lines import Line
from ..core.personas import Roster
from ..core.steps import Step, Target
from ..core.synthesis import Draft
from ..core.turns import USER, Material, Turn
from ..core.validation import is_unknown
from ..panel.base import Panel
from ..store.files import timestamp
from ..store.items import add_item, read_item
from ..store.outputs import Outputs
from .scripts import Message, Script

LEAST_MAX_TURNS = 24
_MOST_PER_MESSAGE = 5  # the message itself, everybody's answer, and a tradeoff summed up
_BEFORE_MESSAGES = 8
_GO_ON = "continue"
_EXIT = "done"


@dataclass(frozen=True, slots=True)
class Contribution:
    """A persona's turn: its purpose, the message that it answers, and the time that the panel computed."""

    turn: Turn
    purpose: Purpose
    answers: Message | None
    milliseconds: float

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def speaker(self) -> str:
        return self.turn.speaker


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the script, and the turn that it became; None where the discussion had ended before."""

    message: Message
    turn: Turn | None


@dataclass(frozen=True, slots=True)
class Discussion:
    """Everything that was shown and said in one elaboration."""

    script: Script
    step: Step
    roster: Roster
    item: Item
    material: tuple[Material, ...]
    turns: tuple[Turn, ...]
    lines: tuple[Line, ...]
    contributions: tuple[Contribution, ...]
    heard: tuple[Heard, ...]
    draft: Draft

    @property
    def own_texts(self) -> tuple[str, ...]:
        """What the panel could read: the item, the documents, and the user's words."""
        said = (turn.text for turn in self.turns if turn.speaker == USER)
        return (self.item.name, self.item.text, *(each.text for each in self.material), *said)

    def named(self, contribution: Contribution) -> str:
        """Where a contribution stands, who spoke and what, for a person who looks it up."""
        who = self.roster[contribution.speaker].first_name
        return f"{self.script.name} turn {contribution.turn.number}, {who}: {contribution.text}"


@dataclass(frozen=True, slots=True)
class Trial:
    """A script played twice: with its messages, and once more on the same step with a silent user."""

    script: Script
    first: Discussion
    second: Discussion

    @property
    def discussions(self) -> tuple[Discussion, Discussion]:
        return self.first, self.second


def play_all(scripts: Iterable[Script], panel: Panel) -> tuple[Trial, ...]:
    """Play every script, each in a project of its own that is gone afterwards."""
    roster, steps = load_roster(), load_steps()
    with tempfile.TemporaryDirectory(prefix="roundtable-eval-") as home:
        return tuple(asyncio.run(_play(each, panel, roster, steps, Path(home))) for each in scripts)


async def _play(script: Script, panel: Panel, roster: Roster, steps: tuple[Step, ...], home: Path) -> Trial:
    step = next((each for each in steps if each.step_id == script.step_id), None)
    if step is None:
        raise ContentBroken(f"{script.name} cannot be played: there is no step {script.step_id}.")
    folder = add_item(home, script.item.text, title=script.item.name, commit=None)
    # Nobody has gone through the earlier steps here, so their empty headings would be no gap of the item.
    outputs = Outputs(folder, tuple(each for each in steps if each.step_id >= step.step_id))
    stage = _Stage(script, panel, roster, steps, step, read_item(folder), outputs)
    try:
        await stage.write_step()
        return Trial(script, await stage.hold(script.messages), await stage.hold(()))
    except Exception as error:
        error.add_note(f"This happened while {script.name} was played.")
        raise


@dataclass(frozen=True, slots=True)
class _Note:
    """What is known of a turn before it is one."""

    purpose: Purpose
    answers: int | None
    milliseconds: float


@dataclass
class _Stage:
    """Where a script is played: it carries out what the machine asks for."""

    script: Script
    panel: Panel
    roster: Roster
    steps: tuple[Step, ...]
    step: Step
    item: Item
    outputs: Outputs

    async def write_step(self) -> None:
        """The step's documents, drafted from the answers by the panel."""
        persona = self.roster[self.step.persona]
        answers = tuple(_answer(self.step, label, text) for label, text in self.script.answers)
        brief = do.StepBrief(self.item, self.step, persona, self.roster, self.step.depth, answers)
        named = {target.output for target in self.step.targets}
        unnamed = (Target(name, self.step.title) for name in self.step.outputs if name not in named)
        ask = do.AskDraft(brief, (*self.step.targets, *unnamed))
        sections = await self.panel.draft(ask, self.outputs.documents())
        self.outputs.write_step(do.WriteStep(self.step, sections))

    async def hold(self, messages: tuple[Message, ...]) -> Discussion:
        """One elaboration of the step; without messages the user is silent until it ends."""
        material = self.outputs.material(self.step)
        limit = max(LEAST_MAX_TURNS, _BEFORE_MESSAGES + _MOST_PER_MESSAGE * len(messages))
        sitting = _Sitting(self.panel, self.outputs, material, limit, messages)
        now, commands = Elaboration.begin(
            item=self.item, step=self.step, roster=self.roster, steps=self.steps
        )
        shown: list[Line] = []
        while not now.ended:
            shown += [command.line for command in commands if isinstance(command, do.Show)]
            now, commands = now.receive(await sitting.event(now, commands[-1]))
        shown += [command.line for command in commands if isinstance(command, do.Show)]
        return Discussion(
            self.script, self.step, self.roster, self.item, material, now.turns, tuple(shown),
            sitting.contributions(now.turns), sitting.heard(now.turns), now.draft or Draft(),
        )  # fmt: skip


class _Sitting:
    """One elaboration while it runs: what was asked for, what the user has said, how long it took."""

    def __init__(
        self,
        panel: Panel,
        outputs: Outputs,
        material: tuple[Material, ...],
        limit: int,
        messages: tuple[Message, ...],
    ) -> None:
        self._panel, self._outputs, self._material, self._limit = panel, outputs, material, limit
        self._messages = messages
        self._said: list[int] = []
        self._notes: dict[int, _Note] = {}

    async def event(self, now: Elaboration, command: do.Command) -> on.Event:
        """What happens when a command of the machine is carried out."""
        match command:
            case do.ReadContext():
                return on.ContextRead(self._limit, self._material)
            case do.AskFraming(brief):
                return await self._framed(brief)
            case do.AskPersona(brief):
                return await self._spoken(brief)
            case do.AskVerdict(table):
                return on.Judged(await self._panel.judge(table))
            case do.Listen(awaits):
                return on.UserSpoke(_GO_ON if awaits == "exit" else self._words(len(now.turns) + 1))
            case do.AskSynthesis() | do.ExtractSynthesis():
                return on.SynthesisDrafted(await self._panel.synthesise(command), timestamp())
            case do.UpdateArtifacts():
                return on.ArtifactsUpdated(self._outputs.update(command))
            case do.SaveRecord(record):
                return on.RecordSaved(f"elaborations/{record.step_id}-1.md")
            case _:
                raise AssertionError(f"Nothing answers {command}.")

    def heard(self, turns: tuple[Turn, ...]) -> tuple[Heard, ...]:
        """Each message with the turn that it became."""
        numbers: list[int | None] = [*self._said, *[None] * len(self._messages)]
        return tuple(
            Heard(message, _turn_of(message, number, turns))
            for message, number in zip(self._messages, numbers, strict=False)
        )

    def contributions(self, turns: tuple[Turn, ...]) -> tuple[Contribution, ...]:
        """The personas' turns with what is known about them."""
        messages = {each.turn.number: each.message for each in self.heard(turns) if each.turn}
        made = []
        for turn in turns:
            if turn.speaker != USER:
                note = self._notes[turn.number]
                answers = messages.get(note.answers) if note.answers else None
                made.append(Contribution(turn, note.purpose, answers, note.milliseconds))
        return tuple(made)

    def _words(self, number: int) -> str:
        if not self._messages:
            return ""
        if len(self._said) == len(self._messages):
            return _EXIT
        message = self._messages[len(self._said)]
        self._said.append(number)
        return message.text

    async def _framed(self, brief: do.Brief) -> on.Framed:
        start = time.thread_time()
        framing = await self._panel.frame(brief)
        self._note(brief, start)
        return on.Framed(framing.summary, framing.focus_question, framing.focus_topic)

    async def _spoken(self, brief: do.Brief) -> on.PersonaSpoke | on.PersonaPassed:
        start = time.thread_time()
        speech = await self._panel.speak(brief, lambda _words: None)
        if speech is None:
            return on.PersonaPassed(brief.speaker.key)
        self._note(brief, start)
        return on.PersonaSpoke(brief.speaker.key, speech.text, speech.verdict)

    def _note(self, brief: do.Brief, start: float) -> None:
        taken = (time.thread_time() - start) * 1000
        self._notes[brief.number] = _Note(brief.purpose, brief.answers, taken)


def _turn_of(message: Message, number: int | None, turns: tuple[Turn, ...]) -> Turn | None:
    """The turn that a message became; silence becomes none."""
    if number is None or number > len(turns) or message.kind == "silence":
        return None
    turn = turns[number - 1]
    return turn if turn.speaker == USER else None


def _answer(step: Step, label: str, text: str) -> do.Answer:
    asked = (*step.questions(step.depth), *step.standard, *step.deep, *step.brief)
    question = next((each.text for each in asked if each.label == label), label)
    return do.Answer(label, question, text, unknown=is_unknown(text))
