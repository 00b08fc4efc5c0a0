"""The analysis: from a greeting through a step to its menu and the roundtables held there, as a pure machine.

A leg is one step and its menu. `Opening` holds all that a leg depends on; the journal's head freezes it, so
that an edited persona, step or meta.json takes effect at the next leg and never breaks a replay.

    greeting -> questions -> artifacts -> steps_completed -> menu (-> roundtable -> menu)* -> the next leg

`TABLE` is the whole machine, as in `elaboration`, which is nested in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from . import commands as do
from . import conduct, menus
from . import events as on
from .conditions import Fact
from .elaboration import Elaboration
from .errors import RuleBroken
from .items import Item
from .personas import Persona, Roster
from .progress import NO_PROGRESS, Progress
from .stages import Stage
from .steps import Depth, Phase, Step

OpeningKind = Literal["step", "menu", "elaborate", "finished"]
Arrival = Literal["new", "resumed", "continuing"]


@dataclass(frozen=True, slots=True)
class Opening:
    """What a leg starts from: who, what, where, and all that is known by then."""

    kind: OpeningKind
    item: Item
    roster: Roster
    steps: tuple[Step, ...]
    phase: Phase
    step: Step | None = None
    progress: Progress = NO_PROGRESS
    facts: tuple[tuple[str, Fact], ...] = ()
    depth: Depth = "standard"
    arrival: Arrival = "new"
    handed_over_by: Phase | None = None
    parked: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    moved_on: bool = False
    user_name: str | None = None

    @property
    def lead(self) -> Persona:
        """The phase's lead."""
        return self.roster.lead_of(self.phase.key).persona

    @property
    def conductor(self) -> Persona:
        """Who conducts the step: the persona it names, else the phase's lead."""
        if self.step is not None and self.step.persona in self.roster:
            return self.roster[self.step.persona]
        return self.lead


@dataclass(frozen=True, slots=True)
class Analysis:
    """The state of one leg; `receive` gives the next one and what to do."""

    opening: Opening
    stage: Stage
    depth: Depth
    answers: tuple[do.Answer, ...] = ()
    offers: tuple[on.Offer, ...] = ()
    reminded: bool = False
    follow_up: str | None = None
    wanted_depth: Depth | None = None
    feedback: str | None = None
    saved: bool = False
    elaboration: Elaboration | None = None

    @classmethod
    def begin(cls, opening: Opening) -> Answer:
        """A new leg, and what to do first."""
        saved = opening.kind != "step"
        return conduct.open_leg(cls(opening, Stage.ENDED, opening.depth, saved=saved))

    @property
    def step(self) -> Step:
        if self.opening.step is None:
            raise RuleBroken("There is no step at this point of the analysis.")
        return self.opening.step

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        if self.stage is Stage.ELABORATION and self.elaboration is not None:
            return self.elaboration.legal
        return tuple(event.__name__ for event in TABLE.get(self.stage, {}))

    @property
    def completed(self) -> tuple[str, ...]:
        """The completed steps, with this leg's own once it is saved."""
        done = self.opening.progress.steps_completed
        step = self.opening.step
        return done if step is None or not self.saved or step.step_id in done else (*done, step.step_id)

    @property
    def brief(self) -> do.StepBrief:
        """What a panel needs to know about the step in hand."""
        opening = self.opening
        return do.StepBrief(
            opening.item, self.step, opening.conductor, opening.roster, self.depth, self.answers
        )

    def receive(self, event: on.Event) -> Answer:
        """The next state and what to do; an illegal event raises and changes nothing."""
        if self.stage is Stage.ELABORATION and self.elaboration is not None:
            return self._discuss(self.elaboration, event)
        move = TABLE.get(self.stage, {}).get(type(event))
        if move is None:
            raise RuleBroken(
                f"{type(event).__name__} cannot come while the analysis waits for {self.stage}.",
                legal=self.legal,
            )
        return move(self, event)

    def _discuss(self, elaboration: Elaboration, event: on.Event) -> Answer:
        after, answer = elaboration.receive(event)
        if not after.ended:
            return replace(self, elaboration=after), answer
        back, menu = menus.show_menu(replace(self, elaboration=None))
        return back, (*answer[:-1], *menu)


Answer = tuple[Analysis, tuple[do.Command, ...]]
Move = Callable[[Analysis, Any], Answer]

TABLE: Mapping[Stage, Mapping[type[on.Event], Move]] = {
    Stage.READING: {on.ArtifactsRead: conduct.artifacts_read},
    Stage.OFFERS: {on.Offered: conduct.offered},
    Stage.ANSWER: {on.UserSpoke: conduct.answered},
    Stage.FOLLOW_UP: {on.FollowedUp: conduct.followed_up},
    Stage.DEPTH: {on.DepthSaved: conduct.depth_saved},
    Stage.DRAFT: {on.Drafted: conduct.drafted},
    Stage.WRITTEN: {on.StepWritten: conduct.step_written},
    Stage.SAVED: {on.StepSaved: conduct.step_saved},
    Stage.MENU: {on.UserSpoke: menus.chosen},
    Stage.MENU_DEPTH: {on.DepthSaved: menus.depth_saved},
    Stage.FEEDBACK: {on.FeedbackTaken: menus.feedback_taken},
    Stage.FEEDBACK_WRITTEN: {on.FeedbackWritten: menus.feedback_written},
    Stage.DRAFTS: {on.DraftsWritten: menus.drafts_written},
    Stage.PHASE: {on.PhaseSaved: menus.phase_saved},
    Stage.FINISHED: {on.UserSpoke: menus.finished},
}
