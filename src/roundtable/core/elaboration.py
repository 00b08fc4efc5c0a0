"""The elaboration: one bounded roundtable on one step, as a pure machine.

Events go in, commands come out; nothing here touches a file, a clock, a network or a model.

    ENTRY -> TOPIC_FRAMING -> DISCUSSION_LOOP (-> itself) -> SYNTHESIS -> STATE_PERSIST -> the menu
    ENTRY -> the menu, when the step's context cannot be read

- The lead frames the question (turn 1), the others answer it, then the user is heard.
- Every contribution is one turn; no discussion ever exceeds `max_turns`, whatever is said.
- Two turns before the limit the lead warns once; after that one more persona speaks before the user.
- The user addresses one persona, all of them, nobody, or is silent; `floor` says who answers.
- What drifts is put off and kept; what is decided reaches the synthesis; every entry cites its turns.
- A move that is not legal raises, names the legal ones, and changes nothing.

`TABLE` is the whole machine: what is awaited in which state, what may happen then, and where it leads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import commands as do
from . import conclusion, discussion, synthesis
from . import events as on
from .errors import RuleBroken
from .floor import Due
from .items import Item
from .personas import Persona, Roster
from .states import Awaited, State
from .steps import Step
from .turns import Material, Parked, Turn

DEFAULT_MAX_TURNS = 10


@dataclass(frozen=True, slots=True)
class Elaboration:
    """The state of one elaboration; `receive` gives the next one and what to do."""

    item: Item
    step: Step
    roster: Roster
    lead: Persona
    steps: tuple[Step, ...] = ()
    notice: str | None = None
    user_name: str | None = None
    state: State = State.ENTRY
    awaits: Awaited = Awaited.CONTEXT
    max_turns: int = DEFAULT_MAX_TURNS
    material: tuple[Material, ...] = ()
    documents: tuple[Material, ...] = ()
    focus_question: str = ""
    focus_topic: str = ""
    turns: tuple[Turn, ...] = ()
    due: tuple[Due, ...] = ()
    rounds_without_user: int = 0
    asked_if_there: bool = False
    redirected: bool = False
    """Whether the user's last contribution was redirected."""
    insists: bool = False
    """Whether the user insisted after a redirect; then nothing of the user's is redirected again."""
    warned: bool = False
    closing: bool = False
    held: str | None = None
    held_relayed: bool = False
    raising: int | None = None
    parked: tuple[Parked, ...] = ()
    exit_type: synthesis.Exit | None = None
    attempts: int = 0
    draft: synthesis.Draft | None = None
    at: str | None = None
    extracted: bool = False

    @classmethod
    def begin(
        cls,
        *,
        item: Item,
        step: Step,
        roster: Roster,
        steps: tuple[Step, ...] = (),
        user_name: str | None = None,
    ) -> tuple[Elaboration, tuple[do.Command, ...]]:
        """A new elaboration on a completed step, led by the lead of the step's phase (ENTRY-1)."""
        if not roster.can_discuss:
            raise RuleBroken("A roundtable needs at least two personas.")
        lead = roster.lead_of(step.phase.key if step.phase else step.step_id)
        new = cls(item, step, roster, lead.persona, steps, lead.notice, user_name or None)
        return new, (do.ReadContext(step),)

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        return tuple(event.__name__ for event in TABLE.get((self.state, self.awaits), {}))

    @property
    def ended(self) -> bool:
        return self.awaits is Awaited.NOTHING

    @property
    def table(self) -> do.Table:
        """What every brief shares."""
        return do.Table(
            self.item, self.step, self.roster, self.lead, self.steps, self.material, self.max_turns,
            self.focus_question, self.focus_topic, self.turns, self.documents,
        )  # fmt: skip

    def receive(self, event: on.Event) -> Answer:
        """The next state and what to do; an illegal event raises and changes nothing."""
        move = TABLE.get((self.state, self.awaits), {}).get(type(event))
        if move is None:
            raise RuleBroken(
                f"{type(event).__name__} cannot come in {self.state}, which waits for {self.awaits}.",
                legal=self.legal,
            )
        after, answer = move.make(self, event)
        if after.state not in move.to:
            raise RuleBroken(f"{self.state} does not lead to {after.state}.", legal=tuple(move.to))
        return after, answer


Answer = tuple[Elaboration, tuple[do.Command, ...]]


@dataclass(frozen=True, slots=True)
class Move:
    """What an event does, and the states that it may lead to."""

    make: Callable[[Elaboration, Any], Answer]
    to: tuple[State, ...]


_LOOP, _END = (State.DISCUSSION_LOOP, State.SYNTHESIS), (State.SYNTHESIS,)
_ENDINGS: Mapping[type[on.Event], Move] = {
    on.WrappedUp: Move(discussion.wrap_up, _END),
    on.BudgetSpent: Move(discussion.end_budget, _END),
}

TABLE: Mapping[tuple[State, Awaited], Mapping[type[on.Event], Move]] = {
    (State.ENTRY, Awaited.CONTEXT): {
        on.ContextRead: Move(discussion.introduce, (State.TOPIC_FRAMING,)),
        on.ContextUnreadable: Move(discussion.give_up, (State.ENTRY,)),
    },
    (State.TOPIC_FRAMING, Awaited.FRAMING): {
        on.Framed: Move(discussion.frame, (State.DISCUSSION_LOOP,)),
    },
    (State.DISCUSSION_LOOP, Awaited.PERSONA): {
        on.PersonaSpoke: Move(discussion.persona_spoke, _LOOP),
        on.PersonaPassed: Move(discussion.persona_passed, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.USER): {
        on.UserSpoke: Move(discussion.user_spoke, _LOOP),
        on.LimitRaised: Move(discussion.raise_limit, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.EXIT): {
        on.UserSpoke: Move(discussion.exit_answered, _LOOP),
        on.LimitRaised: Move(discussion.raise_limit, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.VERDICT): {
        on.Judged: Move(discussion.judged, _LOOP),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.LIMIT): {
        on.LimitSaved: Move(discussion.limit_saved, (State.DISCUSSION_LOOP,)),
    },
    (State.SYNTHESIS, Awaited.DRAFT): {
        on.SynthesisDrafted: Move(conclusion.drafted, (State.SYNTHESIS, State.STATE_PERSIST)),
        on.SynthesisFailed: Move(conclusion.synthesis_failed, _END),
    },
    (State.SYNTHESIS, Awaited.ARTIFACTS): {
        on.ArtifactsUpdated: Move(conclusion.updated, (State.STATE_PERSIST,)),
    },
    (State.STATE_PERSIST, Awaited.RECORD): {
        on.RecordSaved: Move(conclusion.saved, (State.STATE_PERSIST,)),
        on.RecordFailed: Move(conclusion.record_failed, (State.STATE_PERSIST,)),
    },
}
