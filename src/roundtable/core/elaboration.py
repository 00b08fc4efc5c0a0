"""The states of an elaboration, and what each can wait for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from . import commands as do
from . import events as on
from . import lines, synthesis
from .commands import Purpose
from .errors import RuleBroken
from .hearing import Heard, address, hear, hear_exit_answer, insists_on_topic
from .lines import Line, LineKind
from .personas import Persona, Roster
from .steps import PHASES, Item, Step, phase_of
from .text import words_of
from .turns import NEUTRAL, USER, Material, OffTopic, Parked, Turn, Verdict


class State(StrEnum):
    """The five states; there is no sixth."""

    ENTRY = "ENTRY"
    TOPIC_FRAMING = "TOPIC_FRAMING"
    DISCUSSION_LOOP = "DISCUSSION_LOOP"
    SYNTHESIS = "SYNTHESIS"
    STATE_PERSIST = "STATE_PERSIST"


class Awaited(StrEnum):
    """What the machine waits for."""

    CONTEXT = "the step's context"
    FRAMING = "the framing"
    PERSONA = "a persona"
    VERDICT = "a verdict on the user's words"
    USER = "the user"
    EXIT = "whether the user wants to end"
    LIMIT = "the raised limit on disk"
    DRAFT = "a draft of the synthesis"
    ARTIFACTS = "the artifacts on disk"
    RECORD = "the record on disk"
    NOTHING = "nothing: it has ended"


@dataclass(frozen=True, slots=True)
class Due:
    """A persona whose contribution is due, and what for.

    With `may_pass` it speaks only if it has something distinct to add. With `may_yield` it should speak, but
    may yield if it has nothing left: then the next in order speaks, or the lead asks whether to wrap up.
    """

    persona: str
    purpose: Purpose
    may_pass: bool = False
    may_yield: bool = False


def first_round(roster: Roster, lead: Persona) -> tuple[Due, ...]:
    """Everybody but the lead, beginning with the one whom the framing addressed."""
    return tuple(Due(persona.key, "first-round") for persona in roster.others(lead))


def go_on(roster: Roster, lead: Persona, turns: Sequence[Turn]) -> tuple[Due, ...]:
    """The user was silent: one persona speaks, first whoever was addressed and has not answered (LOOP-6)."""
    order = (lead, *roster.others(lead))
    spoke = next((turn.speaker for turn in reversed(turns) if turn.speaker != USER), lead.key)
    at = next((place for place, persona in enumerate(order) if persona.key == spoke), 0)
    waiting = unanswered(roster, lead, turns)
    rest = [persona.key for persona in (*order[at + 1 :], *order[: at + 1]) if persona.key not in waiting]
    return tuple(Due(key, "go-on", may_yield=True) for key in (*waiting, *rest))


def unanswered(roster: Roster, lead: Persona, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Whoever the user addressed last, by name or as the group, and has not spoken since (LOOP-8)."""
    asked = [turn for turn in turns if turn.speaker == USER and address(turn.text, roster).kind != "open"]
    if not asked:
        return ()
    heard = address(asked[-1].text, roster)
    spoke = {turn.speaker for turn in turns[asked[-1].number :]}
    return tuple(key for key in _addressed(heard, roster, lead) if key not in spoke)


def reply(heard: Heard, roster: Roster, lead: Persona, waiting: Sequence[str] = ()) -> tuple[Due, ...]:
    """Who answers the user: the addressed one, all, or the lead; others only with something to add.

    `waiting` were addressed before and not heard; they speak before the lead does.
    """
    addressed = _addressed(heard, roster, lead)
    if heard.kind == "group":
        return tuple(Due(key, "answer") for key in addressed)
    obliged = addressed or tuple(key for key in waiting if key != lead.key) or (lead.key,)
    followers = [persona.key for persona in (lead, *roster.others(lead)) if persona.key not in obliged]
    return (
        *(Due(key, "answer", may_yield=key == lead.key and not addressed) for key in obliged),
        *(Due(key, "follow", may_pass=True) for key in followers),
    )


def _addressed(heard: Heard, roster: Roster, lead: Persona) -> tuple[str, ...]:
    """The keys of those whom a message addresses, in the order in which they answer."""
    if heard.kind == "group":
        others = sorted(roster.others(lead), key=lambda persona: persona.first_name.casefold())
        return tuple(persona.key for persona in (lead, *others))
    return (heard.persona,) if heard.persona else ()


def weigh(due: tuple[Due, ...], lead: Persona, *, closing: bool) -> tuple[Due, ...]:
    """The lead sums up a disagreement after those who must speak; at the end it takes the last place."""
    obliged = tuple(each for each in due if each.purpose == "first-round" or not (closing or each.may_pass))
    return (*obliged, Due(lead.key, "tradeoff"))


def close(due: tuple[Due, ...]) -> tuple[Due, ...]:
    """What is left of a round once one persona has spoken after the warning."""
    return tuple(each for each in due if each.purpose == "first-round")


LATER = "We can come back to that after this discussion."
# Words that never begin a name.
_OPENERS = frozenset(
    words_of("a an the what who whom whose when where which why how whether this that these those")
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a point belongs and still can be taken up: the name to say, and the phase's name."""

    name: str
    phase: str


def place(belongs_to: str | None, *, steps: Sequence[Step], current: str) -> Place | None:
    """The step or phase ahead where a point belongs; none where it is past or unknown."""
    if belongs_to is None:
        return None
    step = next((step for step in steps if step.step_id == belongs_to), None)
    if step is not None:
        phase = phase_of(step.step_id)
        if phase is None or step.step_id <= current:
            return None
        return Place(step.title if phase.number == current[:2] else phase.name, phase.name)
    ahead = next((phase for phase in PHASES if phase.key == belongs_to and phase.number > current[:2]), None)
    return Place(ahead.name, ahead.name) if ahead else None


def redirect(lead: Persona, speaker: str, drift: OffTopic, *, topic: str, ahead: Place | None) -> str:
    """The lead's gentle redirect of a persona, by name, or of the user."""
    if speaker == USER:
        if ahead is None:
            return f"{lead.title}: That is a great question. For now, let us focus on {topic}. {LATER}"
        return f"{lead.title}: That is a great question for {ahead.phase}. For now, let us focus on {topic}."
    then = f"We can explore that when we get to {ahead.name}." if ahead else LATER
    return (
        f"{lead.title}: {speaker} raises an interesting point about {drift.subject}, "
        f"but let us stay focused on {topic}. {then}"
    )


def park_point(turn: Turn, drift: OffTopic) -> Parked:
    """The point as it is kept for the step where it belongs."""
    return Parked(drift.subject, drift.belongs_to, turn.number, turn.speaker, " ".join(turn.text.split()))


def within_sentence(topic: str) -> str:
    """A topic as it stands inside a sentence: one line, no full stop, no capital that only a heading has."""
    words = " ".join(topic.split()).rstrip(".?!")
    first = words.split(" ")[0]
    return first.lower() + words[len(first) :] if first.lower() in _OPENERS else words


LEAST_MAX_TURNS = 3
_ROUNDS_BEFORE_ASKING = 3


# --- entry and framing ----------------------------------------------------------------------------------


def introduce(now: Elaboration, event: on.ContextRead) -> Answer:
    if event.max_turns < LEAST_MAX_TURNS:
        raise RuleBroken(f"A discussion needs a limit of at least {LEAST_MAX_TURNS} turns.")
    after = replace(
        now, state=State.TOPIC_FRAMING, awaits=Awaited.FRAMING, max_turns=event.max_turns,
        material=event.material, documents=event.documents,
    )  # fmt: skip
    text = lines.introduction(
        now.roster.others(now.lead), title=now.step.title, item_name=now.item.name, max_turns=event.max_turns
    )
    notice = (show(now, "notice", now.notice),) if now.notice else ()
    brief = do.Brief(after.table, now.lead, "framing")
    return after, (*notice, show(now, "introduction", text), do.AskFraming(brief))


def give_up(now: Elaboration, event: on.ContextUnreadable) -> Answer:
    after = replace(now, awaits=Awaited.NOTHING)
    return after, (show(now, "notice", lines.CONTEXT_UNREADABLE), do.Return())


def frame(now: Elaboration, event: on.Framed) -> Answer:
    for name, words in (("summary", event.summary), ("focus question", event.focus_question)):
        if not words.strip():
            raise RuleBroken(f"The framing has no {name}.")
    first = now.roster.others(now.lead)[0]
    text = lines.framing_text(
        title=now.step.title, summary=event.summary, focus_question=event.focus_question, first=first
    )
    said, shown = _say(now, now.lead.key, text, notes=event.notes)
    after = replace(
        said, state=State.DISCUSSION_LOOP, focus_question=event.focus_question.strip(),
        focus_topic=within_sentence(event.focus_topic) or now.step.title,
        due=first_round(now.roster, now.lead), rounds_without_user=1,
    )  # fmt: skip
    return _go_on(after, shown)


# --- the discussion -------------------------------------------------------------------------------------


def persona_spoke(now: Elaboration, event: on.PersonaSpoke) -> Answer:
    _check_turn(now, event.speaker)
    if not event.text.strip():
        raise RuleBroken("A contribution is never empty.")
    _check_verdict(event.verdict, len(now.turns) + 1)
    purpose = now.due[0].purpose
    said, shown = _say(now, event.speaker, event.text.strip(), event.verdict, event.notes)
    # After an empty message one persona speaks; the others only stood by.
    said = replace(said, due=() if purpose == "go-on" else now.due[1:])
    if now.closing:
        said = replace(said, due=close(said.due))
    elif purpose != "tradeoff" and _opposes_a_persona(said):
        said = replace(said, due=weigh(said.due, now.lead, closing=said.closing))
    drift = event.verdict.off_topic
    if drift is not None:
        said = replace(said, parked=(*said.parked, park_point(said.turns[-1], drift)))
        if event.speaker != now.lead.key and not _full(said):
            shown += (_redirect(said, now.roster[event.speaker].name),)
    return _go_on(said, shown)


def persona_passed(now: Elaboration, event: on.PersonaPassed) -> Answer:
    _check_turn(now, event.speaker)
    due = now.due[0]
    if not (due.may_pass or due.may_yield):
        raise RuleBroken(f"{now.roster[event.speaker].name} has to speak here.", legal=("PersonaSpoke",))
    after = replace(now, due=now.due[1:])
    nobody_spoke = due.may_yield or now.turns[-1].speaker == USER
    if nobody_spoke and not after.due:
        return _ask_whether_to_wrap_up(after)
    return _go_on(after)


def user_spoke(now: Elaboration, event: on.UserSpoke) -> Answer:
    heard = hear(event.text, now.roster)
    match heard.kind:
        case "silence" if now.asked_if_there:
            return synthesize(now, "user-initiated", (_acknowledge(now),))
        case "silence":
            silent = replace(
                now, due=go_on(now.roster, now.lead, now.turns), closing=False,
                rounds_without_user=now.rounds_without_user + 1,
            )  # fmt: skip
            return _go_on(silent)
        case "exit":
            return synthesize(now, "user-initiated", (_echo(now, event.text), _acknowledge(now)))
        case "unclear-exit":
            held = replace(now, awaits=Awaited.EXIT, held=event.text, held_relayed=event.relayed)
            return held, (show(now, "unclear-exit", lines.UNCLEAR_EXIT), do.Listen("exit"))
        case _:
            return _contribute(now, event.text, relayed=event.relayed)


def exit_answered(now: Elaboration, event: on.UserSpoke) -> Answer:
    released = replace(now, held=None, held_relayed=False)
    match hear_exit_answer(event.text, now.roster):
        case "exit":
            return synthesize(released, "user-initiated", (_echo(now, event.text), _acknowledge(now)))
        case "continue":
            return _contribute(released, now.held or "", relayed=now.held_relayed)
        case "contribution":
            return _contribute(released, event.text, relayed=event.relayed)


def _contribute(now: Elaboration, text: str, *, relayed: bool) -> Answer:
    insists = now.insists or (now.redirected and insists_on_topic(text))
    # What was put off is discussed after all.
    parked = now.parked[:-1] if insists and now.redirected else now.parked
    heard = replace(
        now, rounds_without_user=0, asked_if_there=False, closing=False, redirected=False, insists=insists,
        parked=parked,
    )  # fmt: skip
    said, shown = _say(heard, USER, text.strip(), relayed=relayed)
    return replace(said, awaits=Awaited.VERDICT), (*shown, do.AskVerdict(said.table))


def judged(now: Elaboration, event: on.Judged) -> Answer:
    turn = now.turns[-1]
    _check_verdict(event.verdict, turn.number)
    turn = replace(turn, verdict=event.verdict)
    judged = replace(now, turns=(*now.turns[:-1], turn))
    drift = event.verdict.off_topic
    heard = address(turn.text, now.roster)
    waiting = unanswered(now.roster, now.lead, now.turns[:-1])
    answered = replace(judged, due=reply(heard, now.roster, now.lead, waiting))
    if drift is None or now.insists:
        return _go_on(answered)
    parked = (*judged.parked, park_point(turn, drift))
    if heard.kind != "open":
        # A redirect never swallows what was put to somebody: it is answered, only the aside is put off.
        return _go_on(replace(answered, parked=parked))
    judged = replace(judged, parked=parked, redirected=True)
    return _go_on(judged, () if _full(judged) else (_redirect(judged, USER),))


def raise_limit(now: Elaboration, event: on.LimitRaised) -> Answer:
    if event.max_turns <= now.max_turns:
        raise RuleBroken(f"The turn limit is {now.max_turns}; it can only be raised.")
    return replace(now, raising=event.max_turns, awaits=Awaited.LIMIT), (do.SaveLimit(event.max_turns),)


def limit_saved(now: Elaboration, event: on.LimitSaved) -> Answer:
    max_turns = now.raising or now.max_turns
    awaits = Awaited.USER if now.held is None else Awaited.EXIT
    after = replace(
        now, max_turns=max_turns, raising=None, warned=len(now.turns) >= max_turns - 2, closing=False,
        awaits=awaits,
    )  # fmt: skip
    text = lines.limit_raised(max_turns, saved=event.saved)
    listen = do.Listen("discussion" if awaits is Awaited.USER else "exit")
    return after, (show(now, "notice", text), listen)


def wrap_up(now: Elaboration, event: on.WrappedUp) -> Answer:
    return synthesize(now, "user-initiated", (_acknowledge(now),))


def end_budget(now: Elaboration, event: on.BudgetSpent) -> Answer:
    line = show(now, "limit", lines.budget(now.lead, event.reason), now.lead.key)
    return synthesize(now, "turn-limit", (line,))


# --- what they share -------------------------------------------------------------------------------


def _say(
    now: Elaboration,
    speaker: str,
    text: str,
    verdict: Verdict = NEUTRAL,
    notes: tuple[str, ...] = (),
    *,
    relayed: bool = False,
) -> Answer:
    """One more turn: the words, and right after them the warning, once, two turns before the limit."""
    number = len(now.turns) + 1
    after = replace(now, turns=(*now.turns, Turn(number, speaker, text, verdict, notes, relayed)))
    words = text if speaker == USER else lines.contribution(now.roster[speaker], text)
    shown = (show(now, "contribution", words, speaker, number),)
    if now.warned or number != now.max_turns - 2:
        return after, shown
    warning = show(now, "warning", lines.limit_warning(now.lead), now.lead.key)
    return replace(after, warned=True, closing=True), (*shown, warning)


def _go_on(now: Elaboration, shown: Shown = ()) -> Answer:
    """The next speaker, or the user, or the end at the limit."""
    if _full(now):
        line = show(now, "limit", lines.limit(now.lead), now.lead.key)
        return synthesize(now, "turn-limit", (*shown, line))
    if now.due:
        due = now.due[0]
        answers = _last_user_turn(now) if due.purpose in ("answer", "follow") else None
        brief = do.Brief(
            now.table, now.roster[due.persona], due.purpose, due.may_pass, answers, may_yield=due.may_yield
        )
        return replace(now, awaits=Awaited.PERSONA), (*shown, do.AskPersona(brief))
    if now.rounds_without_user >= _ROUNDS_BEFORE_ASKING and not now.asked_if_there:
        return _ask_whether_to_wrap_up(now, shown)
    return replace(now, awaits=Awaited.USER), (*shown, do.Listen("discussion"))


def _ask_whether_to_wrap_up(now: Elaboration, shown: Shown = ()) -> Answer:
    """The lead's line of LOOP-6: nobody has spoken for a while, or nobody has anything left to ask."""
    asked = replace(now, asked_if_there=True, awaits=Awaited.USER)
    line = show(asked, "inactivity", lines.inactivity(now.lead, now.user_name), now.lead.key)
    return asked, (*shown, line, do.Listen("discussion"))


def _full(now: Elaboration) -> bool:
    return len(now.turns) >= now.max_turns


def _last_user_turn(now: Elaboration) -> int | None:
    return next((turn.number for turn in reversed(now.turns) if turn.speaker == USER), None)


def _opposes_a_persona(now: Elaboration) -> bool:
    turn = now.turns[-1]
    if turn.verdict.opposes is None:
        return False
    return now.turns[turn.verdict.opposes - 1].speaker not in (USER, turn.speaker)


def _check_turn(now: Elaboration, speaker: str) -> None:
    if speaker != now.due[0].persona:
        due = now.roster[now.due[0].persona]
        raise RuleBroken(f"It is {due.name}'s turn ({due.key}), not {speaker}'s.", legal=now.legal)


def _check_verdict(verdict: Verdict, number: int) -> None:
    missing = verdict.missing_turns(number)
    if missing:
        raise RuleBroken(f"Turn {missing[0]} does not exist; a verdict names turns 1 to {number}.")


def _redirect(now: Elaboration, speaker: str) -> do.Show:
    point = now.parked[-1]
    drift = OffTopic(point.subject, point.belongs_to)
    ahead = place(point.belongs_to, steps=now.steps, current=now.step.step_id)
    text = redirect(now.lead, speaker, drift, topic=now.focus_topic, ahead=ahead)
    return show(now, "redirect", text, now.lead.key)


def _acknowledge(now: Elaboration) -> do.Show:
    return show(now, "acknowledgement", lines.ACKNOWLEDGEMENT)


def _echo(now: Elaboration, words: str) -> do.Show:
    return show(now, "choice", words, USER)


Shown = tuple[do.Command, ...]


def show(
    now: Elaboration, kind: LineKind, text: str, speaker: str | None = None, turn: int | None = None
) -> do.Show:
    return do.Show(Line(kind, text, speaker, turn, now.state))


def synthesize(now: Elaboration, exit_type: synthesis.Exit, shown: Shown) -> Answer:
    after = replace(
        now, state=State.SYNTHESIS, awaits=Awaited.DRAFT, exit_type=exit_type, due=(), held=None, attempts=1
    )
    return after, (*shown, do.AskSynthesis(after.table))


def synthesis_failed(now: Elaboration, event: on.SynthesisFailed) -> Answer:
    after = replace(now, attempts=now.attempts + 1)
    if now.attempts == 1:
        return after, (do.AskSynthesis(now.table, (event.reason,)),)
    return after, (show(now, "notice", lines.EXTRACTED), do.ExtractSynthesis(now.table))


def drafted(now: Elaboration, event: on.SynthesisDrafted) -> Answer:
    wrong = synthesis.problems(event.draft, now.turns)
    if wrong and now.attempts == 1 and not event.extracted:
        return replace(now, attempts=2), (do.AskSynthesis(now.table, wrong),)
    draft = synthesis.settle(event.draft, now.turns)
    after = replace(now, draft=draft, at=event.at, extracted=event.extracted)
    if not draft.entries:
        takeaway = f"Key takeaway: {synthesis.summary(draft, now.step.title)}"
        return _persist(after, (show(now, "synthesis", takeaway),))
    block = synthesis.render(
        draft, step_id=now.step.step_id, title=now.step.title, roster=now.roster, turns=now.turns,
        exit_type=_exit_type(now),
    )  # fmt: skip
    marker = synthesis.marker(now.step.step_id, event.at)
    update = do.UpdateArtifacts(now.step, marker, block, synthesis.description(draft))
    return replace(after, awaits=Awaited.ARTIFACTS), (show(now, "synthesis", block), update)


def updated(now: Elaboration, event: on.ArtifactsUpdated) -> Answer:
    return _persist(now, tuple(show(now, "update", text) for text in event.announcements))


def _persist(now: Elaboration, shown: Shown) -> Answer:
    draft = now.draft or synthesis.Draft()
    record = do.Record(
        now.step.step_id, len(now.turns), now.roster.keys, now.at or "",
        synthesis.summary(draft, now.step.title),
    )  # fmt: skip
    after = replace(now, state=State.STATE_PERSIST, awaits=Awaited.RECORD)
    save = do.SaveRecord(record, now.table, draft, _exit_type(now), now.parked, now.extracted)
    return after, (*shown, save)


def saved(now: Elaboration, event: on.RecordSaved) -> Answer:
    put_off = tuple(point.subject for point in now.parked)
    text = lines.record_saved(len(now.turns), event.transcript, put_off)
    return replace(now, awaits=Awaited.NOTHING), (show(now, "saved", text), do.Return())


def record_failed(now: Elaboration, event: on.RecordFailed) -> Answer:
    after = replace(now, awaits=Awaited.NOTHING)
    return after, (show(now, "error", lines.RECORD_FAILED), do.Return())


def _exit_type(now: Elaboration) -> synthesis.Exit:
    return now.exit_type or "user-initiated"


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
    def has_ended(self) -> bool:
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
    on.WrappedUp: Move(wrap_up, _END),
    on.BudgetSpent: Move(end_budget, _END),
}

TABLE: Mapping[tuple[State, Awaited], Mapping[type[on.Event], Move]] = {
    (State.ENTRY, Awaited.CONTEXT): {
        on.ContextRead: Move(introduce, (State.TOPIC_FRAMING,)),
        on.ContextUnreadable: Move(give_up, (State.ENTRY,)),
    },
    (State.TOPIC_FRAMING, Awaited.FRAMING): {
        on.Framed: Move(frame, (State.DISCUSSION_LOOP,)),
    },
    (State.DISCUSSION_LOOP, Awaited.PERSONA): {
        on.PersonaSpoke: Move(persona_spoke, _LOOP),
        on.PersonaPassed: Move(persona_passed, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.USER): {
        on.UserSpoke: Move(user_spoke, _LOOP),
        on.LimitRaised: Move(raise_limit, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.EXIT): {
        on.UserSpoke: Move(exit_answered, _LOOP),
        on.LimitRaised: Move(raise_limit, (State.DISCUSSION_LOOP,)),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.VERDICT): {
        on.Judged: Move(judged, _LOOP),
        **_ENDINGS,
    },
    (State.DISCUSSION_LOOP, Awaited.LIMIT): {
        on.LimitSaved: Move(limit_saved, (State.DISCUSSION_LOOP,)),
    },
    (State.SYNTHESIS, Awaited.DRAFT): {
        on.SynthesisDrafted: Move(drafted, (State.SYNTHESIS, State.STATE_PERSIST)),
        on.SynthesisFailed: Move(synthesis_failed, _END),
    },
    (State.SYNTHESIS, Awaited.ARTIFACTS): {
        on.ArtifactsUpdated: Move(updated, (State.STATE_PERSIST,)),
    },
    (State.STATE_PERSIST, Awaited.RECORD): {
        on.RecordSaved: Move(saved, (State.STATE_PERSIST,)),
        on.RecordFailed: Move(record_failed, (State.STATE_PERSIST,)),
    },
}


def diagram() -> str:
    """A mermaid state diagram: every transition with the events that make it."""
    moves: dict[tuple[str, str], list[str]] = {}
    for (state, _), answers in TABLE.items():
        for event, move in answers.items():
            for target in move.to:
                names = moves.setdefault((state.value, target.value), [])
                if event.__name__ not in names:
                    names.append(event.__name__)
    lines = ["stateDiagram-v2", f"    [*] --> {State.ENTRY}"]
    lines += [f"    {start} --> {end}: {', '.join(names)}" for (start, end), names in moves.items()]
    lines += [f"    {state} --> [*]" for state in (State.ENTRY, State.STATE_PERSIST)]
    return "\n".join(lines)
