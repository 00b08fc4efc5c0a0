"""Plays a leg of the analysis on the pure machine."""

from __future__ import annotations

from dataclasses import dataclass, field

from people import ITEM, JOURNEYS, ROSTER, STEPS
from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core.analysis import Analysis, Opening
from roundtable.core.lines import Line
from roundtable.core.steps import PHASES, Phase, Step, Target
from talk import AT, Talk


def opening(step: Step | None = JOURNEYS, phase: Phase = PHASES[1], **fields: object) -> Opening:
    """A leg at a step of the requirements, unless said otherwise."""
    base: dict[str, object] = {
        "kind": "step", "item": ITEM, "roster": ROSTER, "steps": STEPS, "phase": phase, "step": step,
        "arrival": "continuing",
    }  # fmt: skip
    return Opening(**(base | fields))  # type: ignore[arg-type]


DRAFTED = "**Problem**: x\n\n<!-- None: Outage -->"


@dataclass
class Play:
    """A running leg: what was shown, what was asked for, and where it stands."""

    start: Opening
    offers: tuple[on.Offer, ...] = ()
    shown: list[Line] = field(default_factory=list)
    asked: list[do.Command] = field(default_factory=list)
    events: list[on.Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.now, self.commands = Analysis.begin(self.start)
        self._take()
        self.until_heard()

    def hear(self, event: on.Event) -> Play:
        self.now, self.commands = self.now.receive(event)
        self.events.append(event)
        self._take()
        return self

    def says(self, *messages: str) -> Play:
        for message in messages:
            self.hear(on.UserSpoke(message))
            self.until_heard()
        return self

    def until_heard(self) -> Play:
        while (event := self.answer(self.commands[-1])) is not None:
            self.hear(event)
        return self

    def answer(self, command: do.Command) -> on.Event | None:
        match command:
            case do.AskReading():
                return on.PersonaReplied("I have read the requirements.")
            case do.AskOffers():
                return on.Offered(self.offers)
            case do.AskFollowUp():
                return on.PersonaReplied(command.criterion.follow_up)
            case do.AskDraft():
                target = Target("requirements-spec.md", "3. User Journeys")
                return on.Drafted((on.SectionText(target, DRAFTED),))
            case do.WriteStep():
                return on.DocumentsWritten(('Wrote requirements-spec.md, section "3. User Journeys".',))
            case do.AskFeedback():
                return on.FeedbackTaken("Good point.", AT)
            case do.WriteFeedback():
                return on.DocumentsWritten(("Added your feedback.",))
            case do.WriteDrafts():
                return on.DocumentsWritten(("Drafted.",))
            case do.SaveProgress():
                return on.Saved()
            case _:
                return Talk().answer(command)

    def _take(self) -> None:
        self.shown += [command.line for command in self.commands if isinstance(command, do.Show)]
        self.asked.append(self.commands[-1])

    def texts(self, kind: str) -> list[str]:
        return [line.text for line in self.shown if line.kind == kind]

    @property
    def order(self) -> list[str]:
        return [line.kind for line in self.shown]

    def all_asked(self, kind: type[do.Command]) -> list[do.Command]:
        return [command for command in self.asked if isinstance(command, kind)]
