"""Plays an elaboration on the pure machine: a scripted table whose every move a test can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from people import ITEM, JOURNEYS, ROSTER, STEPS
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.elaboration import Elaboration
from roundtable.core.lines import Line
from roundtable.core.personas import Roster
from roundtable.core.steps import Step
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import NEUTRAL, Verdict

AT = "2026-02-20T14:30:00.000Z"
DRAFT = Draft(
    insights=(Entry("Forms are filled in twice.", (2,)),), summary="Identified 1 gap in the sync journey"
)
Speaks = Callable[[do.Brief], on.PersonaSpoke | on.PersonaPassed | None]


@dataclass
class Talk:
    """A running elaboration: what was shown, what was asked for, and where it stands."""

    roster: Roster = ROSTER
    step: Step = JOURNEYS
    max_turns: int = 10
    user_name: str | None = None
    has_review: bool = False
    speaks: Speaks = lambda brief: None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    drafts: list[on.SynthesisDrafted | on.TaskFailed] = field(default_factory=list)
    shown: list[Line] = field(default_factory=list)
    asked: list[do.Command] = field(default_factory=list)
    events: list[on.Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now, self.commands = Elaboration.begin(
            item=ITEM, step=self.step, roster=self.roster, steps=STEPS, user_name=self.user_name,
            has_review=self.has_review,
        )  # fmt: skip
        self._take()

    def hear(self, event: on.Event) -> Talk:
        """One event, whatever it is."""
        self.now, self.commands = self.now.receive(event)
        self.events.append(event)
        self._take()
        return self

    def until_heard(self) -> Talk:
        """Let the table talk until it waits for the user or has ended."""
        while (event := self.answer(self.commands[-1])) is not None:
            self.hear(event)
        return self

    def says(self, *messages: str) -> Talk:
        """The user says these, one after another, each when it is heard, until it has ended."""
        for message in messages:
            if not self.until_heard().now.has_ended:
                self.hear(on.UserSpoke(message))
        return self.until_heard()

    def answer(self, command: do.Command) -> on.Event | None:
        match command:
            case do.ReadContext():
                return on.ContextRead(self.max_turns)
            case do.AskFraming():
                return on.Framed(
                    "Three journeys are written down", "Who decides when answers differ?", "conflicts"
                )
            case do.AskPersona(brief):
                spoken = self.speaks(brief)
                return spoken or on.PersonaSpoke(brief.speaker.key, f"Point {brief.number}.")
            case do.AskVerdict(table):
                return on.Judged(self.verdicts.get(table.turns[-1].text, NEUTRAL))
            case do.AskSynthesis(is_extracted=extracted):
                return self.drafts.pop(0) if self.drafts else on.SynthesisDrafted(DRAFT, AT, extracted)
            case do.UpdateArtifacts():
                return on.DocumentsWritten(
                    ('Updated requirements-spec.md, section "3. User Journeys": added x.',)
                )
            case do.SaveRecord():
                return on.RecordSaved("elaborations/01-03-1.md")
            case do.SaveLimit():
                return on.Saved(saved=True)
            case _:
                return None

    def _take(self) -> None:
        self.shown += [command.line for command in self.commands if isinstance(command, do.Show)]
        self.asked.append(self.commands[-1])

    # --- what a test looks at ---------------------------------------------------------------------------

    def texts(self, kind: str) -> list[str]:
        return [line.text for line in self.shown if line.kind == kind]

    @property
    def speakers(self) -> list[str]:
        """Who spoke, by first name, `user` for the user."""
        names = {persona.key: persona.first_name for persona in self.roster.personas}
        return [names.get(turn.speaker, turn.speaker) for turn in self.now.turns]

    @property
    def order(self) -> list[str]:
        """The kinds of what was shown, in order."""
        return [line.kind for line in self.shown]
