"""One elaboration: a bounded roundtable on a completed step, as a pure state machine.

The rules, in the order of a discussion:

- ENTRY: the lead of the step's phase brings in the others. The step's documents and the turn limit are read.
- TOPIC_FRAMING: the lead sums up the step, asks one focus question, and names the first speaker.
- DISCUSSION_LOOP: in the first round everybody speaks once. After that the user's message decides who
  answers: the persona or the group that it addresses, otherwise the lead. The others follow only if they have
  something to add. After an empty message one persona goes on; after three rounds without the user the lead
  asks whether to wrap up. Two turns before the limit there is one warning; at the limit the discussion ends.
  If a turn drifts off the topic, the lead redirects, and the point is parked for the step where it belongs.
  The next speaker judges whether the user's turn drifted, unless the panel judged it at once.
- SYNTHESIS: the panel drafts it, and every entry cites its turns. A faulty draft is sent back once and then
  repaired by rule; if the panel cannot draft, the synthesis is extracted from the turns. If the user can be
  asked, they review it: accept, drop, edit, add. Then it is added to the step's documents.
- STATE_PERSIST: the record and the transcript are written. Then the menu returns.

`Elaboration` is the state. A move takes the state and an event, and returns the next state and what to do.
`TRANSITIONS`, at the end, says which event may come when, which move it makes and where that may lead. Any
other event raises `RuleBroken` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict, replace

from . import commands as do
from . import events as on
from . import lines, synthesis
from .commands import Purpose, show
from .errors import RuleBroken
from .hearing import address, comes_back_to, hear, hear_exit_answer, hear_review
from .lines import LineKind
from .markers import ElaborationMarker
from .personas import Roster
from .steps import PHASES, Item, Step
from .text import is_silence
from .turns import USER, LookedUp, OffTopic, Parked, Turn, Verdict

MIN_TURN_LIMIT = 3
_ROUNDS_BEFORE_ASKING = 3


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
    REVIEW = "the user's review of the synthesis"
    ARTIFACTS = "the artifacts on disk"
    RECORD = "the record on disk"
    NOTHING = "nothing: it has ended"


class Due(Struct, frozen=True):
    persona: str  # whose contribution is due
    purpose: Purpose
    may_pass: bool = False  # it speaks only if it has something distinct to add
    may_yield: bool = False  # if it has nothing left, the next one speaks, or the lead asks to wrap up


class Elaboration(do.Table, frozen=True):
    """The state of one elaboration: what is on the table (see `Table`), and how far the discussion is."""

    user_name: str | None = None
    state: State = State.ENTRY
    awaits: Awaited = Awaited.CONTEXT
    due: tuple[Due, ...] = ()
    rounds_without_user: int = 0
    asked_to_wrap_up: bool = False  # the lead asked, and the user has not spoken since: silence means yes
    is_closing: bool = False  # the warning came after the user's last words: one more persona may speak
    unclear_exit: on.UserSpoke | None = None  # a message that may end the discussion: the user is asked
    parked: tuple[Parked, ...] = ()
    exit_type: synthesis.Exit = "user-initiated"
    attempts: int = 0  # how often a draft of the synthesis was asked for
    draft: synthesis.Draft = synthesis.Draft()
    drafted_at: str = ""  # also the instant of the record and of the marker
    extracted: bool = False  # taken from the turns by rule, since no panel could draft it
    has_host_draft: bool = False  # a host drafted the synthesis: marked unless the user accepts it (ART-8)
    has_review: bool = False  # the user reviews the synthesis before it is written (SYN-8)
    reviewed: tuple[synthesis.Draft, ...] = ()  # the synthesis before each change that the user made to it
    editing: int | None = None  # the entry of the review that waits for its new words
    undo_key: str = ""  # the key under which changes to the documents are noted, for `undo`

    @classmethod
    def begin(
        cls,
        *,
        item: Item,
        step: Step,
        roster: Roster,
        steps: tuple[Step, ...] = (),
        user_name: str | None = None,
        has_review: bool = False,
    ) -> Outcome:
        """Return a new elaboration on a completed step, led by the lead of the step's phase (ENTRY-1)."""
        if not roster.can_discuss:
            raise RuleBroken("A roundtable needs at least two personas. Nothing was changed.")
        # A document without a step belongs to no phase: the first of the roster leads (MENU-8).
        lead = roster.lead_of(step.phase.key if step.phase else step.step_id)
        new = cls(item, step, roster, lead, steps, user_name=user_name, has_review=has_review)
        return new, (do.ReadContext(step),)

    def receive(self, event: on.Event) -> Outcome:
        """Return the next state and what to do; an illegal event raises `RuleBroken` and changes nothing."""
        if (self.state, self.awaits, type(event)) not in TRANSITIONS:
            reason = f"{type(event).__name__} cannot come in {self.state}, which waits for {self.awaits}."
            raise RuleBroken(reason, legal=self.legal)
        move, leads_to = TRANSITIONS[self.state, self.awaits, type(event)]
        after, commands = move(self, event)
        if after.state not in leads_to:
            raise RuleBroken(f"{self.state} does not lead to {after.state}.", legal=tuple(leads_to))
        shown = (do.Show(replace(each.line, state=self.state)) for each in commands if type(each) is do.Show)
        return after, (*shown, *(each for each in commands if type(each) is not do.Show))

    def wait(self, awaits: Awaited, *commands: do.Command, **changes: Any) -> Outcome:
        """Return the changed state, which waits for `awaits`, and the commands."""
        return replace(self, awaits=awaits, **changes), commands

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        return tuple(event.__name__ for *when, event in TRANSITIONS if when == [self.state, self.awaits])

    @property
    def has_ended(self) -> bool:
        return self.awaits is Awaited.NOTHING

    @property
    def is_full(self) -> bool:
        """Whether the turn limit is reached."""
        return len(self.turns) >= self.max_turns

    @property
    def table(self) -> do.Table:
        """The part of the state that every brief shares."""
        return do.Table(*(getattr(self, name) for name in do.Table.__struct_fields__))

    @property
    def speaking_order(self) -> tuple[str, ...]:
        """The lead's key, then the others' in roster order."""
        return (self.lead.key, *(persona.key for persona in self.roster.others(self.lead)))


Outcome: TypeAlias = tuple[Elaboration, tuple[do.Command, ...]]


# --- entry and framing ----------------------------------------------------------------------------------


def introduce(now: Elaboration, event: on.ContextRead) -> Outcome:
    if event.max_turns < MIN_TURN_LIMIT:
        raise RuleBroken(f"A discussion needs a limit of at least {MIN_TURN_LIMIT} turns.")
    step, lead, others = now.step, now.lead, now.roster.others(now.lead)
    key = step.phase.key if step.phase else step.step_id
    stands_in = (show("notice", lines.leads_instead(lead, step.phase, key)),) if key else ()
    text = lines.introduction(others, title=step.title, item_name=now.item.name, max_turns=event.max_turns)
    shown = (*(() if key in lead.phases else stands_in), show("introduction", text))
    after = replace(now, state=State.TOPIC_FRAMING, **asdict(event))  # all of it goes on the table
    return after.wait(Awaited.FRAMING, *shown, do.AskFraming(do.Brief(after.table, lead, "framing")))


def frame(now: Elaboration, event: on.Framed) -> Outcome:
    for name, words in (("summary", event.summary), ("focus question", event.focus_question)):
        if not words.strip():
            raise RuleBroken(f"The framing has no {name}.")
    now, others = _keep_looked_up(now, event), now.roster.others(now.lead)
    text = lines.framing_text(now.step, event.summary, event.focus_question, others[0])
    said, shown = _say(now, Turn(1, now.lead.key, text, notes=event.notes))
    after = replace(
        said, state=State.DISCUSSION_LOOP, focus_question=event.focus_question.strip(),
        focus_topic=" ".join(event.focus_topic.split()).rstrip(".?!") or now.step.title,
        due=tuple(Due(persona.key, "first-round") for persona in others), rounds_without_user=1,
    )  # fmt: skip
    return _go_on(after, *shown)


# --- a persona speaks -----------------------------------------------------------------------------------


def persona_spoke(now: Elaboration, event: on.PersonaSpoke) -> Outcome:
    words, number, verdict = event.text.strip(), len(now.turns) + 1, event.verdict
    _check_speaker(now, event.speaker)
    _check_verdict(verdict, number)
    if not words:
        raise RuleBroken("A contribution is never empty.")
    now, drift = _keep_looked_up(now, event), None
    if event.judged is not None:
        now = _take_judgement(now, event.judged)
        drift = _find_drift(now)
        if drift and event.speaker == now.lead.key:
            # The lead's own words follow the fixed line: together they are a redirect, not a turn.
            return _go_on(replace(now, due=()), _redirect(now, USER, drift, words))
    said, shown = _say(now, Turn(number, event.speaker, words, verdict, event.notes))
    said = replace(said, due=_due_after(now, event, is_closing=said.is_closing))
    if verdict.off_topic is not None:
        said = _park(said)
        if event.speaker != now.lead.key and not said.is_full:
            shown += (_redirect(said, event.speaker, verdict.off_topic),)
    elif drift:
        said = replace(said, due=())
        shown += () if said.is_full else (_redirect(said, USER, drift),)
    return _go_on(said, *shown)


def _due_after(now: Elaboration, event: on.PersonaSpoke, *, is_closing: bool) -> tuple[Due, ...]:
    """Return who is due after a contribution; `is_closing` if the warning comes right after it."""
    purpose = now.due[0].purpose
    # After an empty message one persona speaks; the others were due only if it yielded.
    due = () if purpose == "go-on" else now.due[1:]
    if now.is_closing:
        return tuple(each for each in due if each.purpose == "first-round")
    opposed = event.verdict.opposes and now.turns[event.verdict.opposes - 1].speaker
    if purpose == "tradeoff" or opposed in (None, USER, event.speaker):
        return due
    # The lead sums up a disagreement after those who must speak; near the limit only after the first round.
    must = (each for each in due if each.purpose == "first-round" or not (is_closing or each.may_pass))
    return (*must, Due(now.lead.key, "tradeoff"))


def _keep_looked_up(now: Elaboration, event: on.Framed | on.PersonaSpoke) -> Elaboration:
    """Keep the code that a speaker asked to see in its place, so that the prompt prefix stays cacheable."""
    names, count = {each.name for each in now.looked_up}, len(now.turns)
    new = (LookedUp(each.name, each.text, count) for each in event.looked_up if each.name not in names)
    return replace(now, looked_up=(*now.looked_up, *new))


def _take_judgement(now: Elaboration, verdict: Verdict) -> Elaboration:
    """Add a verdict to the user's last turn, and park what drifts (FOCUS-1)."""
    turn = now.turns[-1]
    if turn.speaker != USER:
        raise RuleBroken("Only a turn of the user's is judged by whoever speaks next.")
    _check_verdict(verdict, turn.number)
    decisions = tuple(sorted({*turn.verdict.decisions, *verdict.decisions}))
    kept = replace(verdict, decisions=decisions, off_topic=None if now.insists else verdict.off_topic)
    return _park(replace(now, turns=(*now.turns[:-1], replace(turn, verdict=kept))))


def _find_drift(now: Elaboration) -> OffTopic | None:
    """Return what the user's last turn drifted to, unless it addressed somebody (FOCUS-1).

    A redirect never swallows a message to somebody: that is answered, and only the aside is put off.
    """
    turn = _last_user_turn(now)
    return turn.verdict.off_topic if turn and not _addressed_keys(now, turn) else None


def persona_passed(now: Elaboration, event: on.PersonaPassed) -> Outcome:
    _check_speaker(now, event.speaker)
    due, after = now.due[0], replace(now, due=now.due[1:])
    if not (due.may_pass or due.may_yield):
        raise RuleBroken(f"{now.roster[event.speaker].name} has to speak here.", legal=("PersonaSpoke",))
    nobody_spoke = due.may_yield or now.turns[-1].speaker == USER
    return _ask_whether_to_wrap_up(after) if nobody_spoke and not after.due else _go_on(after)


# --- the user speaks ------------------------------------------------------------------------------------


def user_spoke(now: Elaboration, event: on.UserSpoke) -> Outcome:
    match hear(event.text, now.roster).kind:
        case "silence" if not now.asked_to_wrap_up:
            rounds, due = now.rounds_without_user + 1, _due_after_silence(now)
            return _go_on(replace(now, due=due, is_closing=False, rounds_without_user=rounds))
        case "silence" | "exit":
            return wrap_up(now, event)
        case "unclear-exit":
            ask = show("unclear-exit", lines.UNCLEAR_EXIT)
            return now.wait(Awaited.EXIT, ask, do.Listen("exit"), unclear_exit=event)
        case _:
            return _contribute(now, event)


def exit_answered(now: Elaboration, event: on.UserSpoke) -> Outcome:
    meant = hear_exit_answer(event.text)
    if meant == "exit":
        return wrap_up(now, event)
    said = now.unclear_exit if meant == "continue" and now.unclear_exit else event
    return _contribute(replace(now, unclear_exit=None), said)


def _contribute(now: Elaboration, event: on.UserSpoke) -> Outcome:
    before, drift = _last_user_turn(now), _find_drift(now)
    if before and drift and comes_back_to(event.text, drift.subject, before.text):
        # What was put off is discussed after all (FOCUS-1).
        parked = tuple(point for point in now.parked if point.turn != before.number)
        now = replace(now, insists=True, parked=parked)
    turn = Turn(len(now.turns) + 1, USER, event.text.strip(), relayed=event.relayed, by=event.by)
    said, shown = _say(replace(now, rounds_without_user=0, asked_to_wrap_up=False, is_closing=False), turn)
    return said.wait(Awaited.VERDICT, *shown, do.AskVerdict(said.table))


def judge(now: Elaboration, event: on.Judged) -> Outcome:
    suspected = event.verdict.off_topic if event.advice and not now.insists else None
    verdict = replace(event.verdict, off_topic=None) if event.advice else event.verdict
    judged = replace(_take_judgement(now, verdict), suspected=suspected)
    drift = _find_drift(judged)
    if drift is None:
        return _go_on(replace(judged, due=_due_reply(now)))
    return _go_on(judged) if judged.is_full else _go_on(judged, _redirect(judged, USER, drift))


def _due_reply(now: Elaboration) -> tuple[Due, ...]:
    """Return who answers the user: those addressed, or the lead; others only with something to add.

    A persona who was addressed earlier and has not spoken since comes before the lead.
    """
    lead, addressed = now.lead.key, _addressed_keys(now, now.turns[-1])
    waiting = (key for key in _unanswered_keys(now, now.turns[:-1]) if key not in (lead, *addressed))
    obliged = (*addressed, *waiting) or (lead,)
    return (
        *(Due(key, "answer", may_yield=key == lead and not addressed) for key in obliged),
        *(Due(key, "follow", may_pass=True) for key in now.speaking_order if key not in obliged),
    )


def _due_after_silence(now: Elaboration) -> tuple[Due, ...]:
    """Return who may go on, in order; whoever was addressed and has not answered comes first (LOOP-6)."""
    if waiting := _unanswered_keys(now, now.turns):
        return (Due(waiting[0], "answer"),)
    order = now.speaking_order
    at = order.index(next(turn.speaker for turn in reversed(now.turns) if turn.speaker != USER)) + 1
    return tuple(Due(key, "go-on", may_yield=True) for key in (*order[at:], *order[:at]))


def _unanswered_keys(now: Elaboration, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the keys of those whom the user last addressed and who have not spoken since (LOOP-8)."""
    for turn in reversed(turns):
        if turn.speaker == USER and (addressed := _addressed_keys(now, turn)):
            spoke = {later.speaker for later in turns[turn.number :]}
            return tuple(key for key in addressed if key not in spoke)
    return ()


def _addressed_keys(now: Elaboration, turn: Turn) -> tuple[str, ...]:
    """Return the keys of the personas whom a user's turn addresses, in the order in which they answer."""
    heard = address(turn.text, now.roster)
    if heard.kind == "group":
        others = sorted(now.roster.others(now.lead), key=lambda persona: persona.first_name.casefold())
        return (now.lead.key, *(persona.key for persona in others))
    return (heard.persona,) if heard.persona else ()


# --- the limit and the end ------------------------------------------------------------------------------


def raise_limit(now: Elaboration, event: on.LimitRaised) -> Outcome:
    if event.max_turns <= now.max_turns:
        raise RuleBroken(f"The turn limit is {now.max_turns}; it can only be raised.")
    return now.wait(Awaited.LIMIT, do.SaveLimit(event.max_turns), max_turns=event.max_turns, is_closing=False)


def limit_saved(now: Elaboration, event: on.Saved) -> Outcome:
    # A document without a step has no meta.json (MENU-8).
    kept = "; it is kept in meta.json for the next discussion too" if event.saved else " for this discussion"
    failed = "; it could not be written to meta.json" if now.step.step_id and not event.saved else ""
    notice = show("notice", f"The turn limit is now {now.max_turns}{kept}{failed}.")
    return now.wait(Awaited.EXIT, notice, do.Listen("exit")) if now.unclear_exit else _listen(now, notice)


def wrap_up(now: Elaboration, event: on.WrappedUp | on.UserSpoke) -> Outcome:
    if isinstance(event, on.WrappedUp) and event.reason:
        text = f"{event.reason.rstrip('.')}. {lines.SYNTHESIZING}"
        return _synthesize(now, "turn-limit", _lead_says(now, "limit", text))
    echo = _echo(event) if isinstance(event, on.UserSpoke) else ()
    return _synthesize(now, "user-initiated", *echo, show("acknowledgement", lines.ACKNOWLEDGEMENT))


# --- synthesis and record -------------------------------------------------------------------------------


def _synthesize(now: Elaboration, exit_type: synthesis.Exit, *shown: do.Command) -> Outcome:
    after = replace(now, state=State.SYNTHESIS, exit_type=exit_type, due=(), unclear_exit=None, attempts=1)
    return after.wait(Awaited.DRAFT, *shown, do.AskSynthesis(after.table))


def synthesis_failed(now: Elaboration, event: on.TaskFailed) -> Outcome:
    after = replace(now, attempts=now.attempts + 1)
    if now.attempts == 1:
        return after, (do.AskSynthesis(now.table, (event.reason,)),)
    text = "The panel gave no usable summary, so this one is taken word for word from what was said."
    return after, (show("notice", text), do.AskSynthesis(now.table, is_extracted=True))


def synthesis_drafted(now: Elaboration, event: on.SynthesisDrafted) -> Outcome:
    wrong = (*synthesis.problems(event.draft, now.turns), *event.claims)
    if wrong and now.attempts == 1 and not event.extracted:
        return replace(now, attempts=2), (do.AskSynthesis(now.table, wrong),)
    draft = synthesis.settle(event.draft, now.turns, now.roster).number_entries()
    after = replace(
        now, draft=draft, drafted_at=event.at, extracted=event.extracted, has_host_draft=event.relayed
    )
    return _ask_for_review(after) if now.has_review and draft.entries else _update_artifacts(after)


def _ask_for_review(now: Elaboration, *shown: do.Show) -> Outcome:
    """Show the synthesis with a number before every entry, and wait for the user's review."""
    text = f"{synthesis.render_review(now.draft, now.turns, now.roster)}\n\n{lines.REVIEW}"
    review = show("review", text if now.draft.entries else lines.REVIEW_EMPTY)
    return now.wait(Awaited.REVIEW, *shown, review, do.Listen("review"), editing=None)


def review_answered(now: Elaboration, event: on.UserSpoke) -> Outcome:
    answer, draft = hear_review(event.text), now.draft
    if now.editing is not None:
        if is_silence(event.text) or answer.kind == "undo":
            return _ask_for_review(now)
        answer = replace(answer, kind="edit", numbers=(now.editing,), words=event.text.strip())
    echo, known = _echo(event), {entry.number for entry in draft.entries}
    if answer.kind == "unclear" or not known.issuperset(answer.numbers):
        why = "I did not understand that" if answer.kind == "unclear" else "There is no such entry"
        return now, (*echo, show("notice", f"{why}. {lines.REVIEW}"), do.Listen("review"))
    match answer.kind:
        case "accept":
            return _update_artifacts(now, *echo, accepted=not event.relayed)
        case "undo" if now.reviewed:
            return _ask_for_review(replace(now, draft=now.reviewed[-1], reviewed=now.reviewed[:-1]), *echo)
        case "undo":
            return _ask_for_review(now, *echo, show("notice", "There is nothing to undo here."))
        case "edit" if not answer.words:
            number = answer.numbers[0]
            ask = show("notice", f"What should entry {number} say? Enter alone leaves it as it is.")
            listen = do.Listen("review", draft.words_of_entry(number))
            return replace(now, editing=number), (*echo, ask, listen)
        case "drop":
            draft = draft.change_entries(lambda _, entry: None if entry.number in answer.numbers else entry)
        case "edit":
            draft = draft.edit_entry(answer.numbers[0], answer.words, typed=not event.relayed)
        case _:
            highest = max(entry.number for each in (*now.reviewed, draft) for entry in each.entries)
            draft = draft.add_entry(answer.part, answer.words, highest + 1, typed=not event.relayed)
    # The panel's summary and takeaway may be about an entry that is no longer there.
    draft = replace(draft, summary="", takeaway="")
    return _ask_for_review(replace(now, draft=draft, reviewed=(*now.reviewed, now.draft)), *echo)


def _update_artifacts(now: Elaboration, *shown: do.Show, accepted: bool = False) -> Outcome:
    """Write the synthesis; one without entries is only shown, as a takeaway.

    Words from a host are marked, unless the user accepted them.
    """
    if not accepted:
        mark = partial(synthesis.mark_host_words, turns=now.turns, by_host=now.has_host_draft)
        now = replace(now, draft=mark(now.draft), reviewed=tuple(map(mark, now.reviewed)))
    if not now.draft.entries:
        takeaway = f"Key takeaway: {synthesis.summary(now.draft, now.step.title)}"
        return _persist(now, *shown, show("synthesis", takeaway))
    block = synthesis.render(now.draft, now.step, now.turns, now.roster, now.exit_type)
    marker = ElaborationMarker(now.step.step_id, now.drafted_at)
    update = do.UpdateArtifacts(now.step, marker, block, synthesis.description(now.draft))
    return now.wait(Awaited.ARTIFACTS, *shown, show("synthesis", block), update)


def artifacts_updated(now: Elaboration, event: on.DocumentsWritten) -> Outcome:
    shown = (show("update", text) for text in event.announcements)
    return _persist(replace(now, undo_key=event.moment), *shown)


def _persist(now: Elaboration, *shown: do.Show) -> Outcome:
    summary = synthesis.summary(now.draft, now.step.title)
    record = do.Record(now.step.step_id, len(now.turns), now.roster.keys, now.drafted_at, summary)
    before = now.reviewed[0].entries if now.reviewed else ()
    struck = tuple(entry for entry in before if entry not in now.draft.entries)
    if now.has_host_draft:
        struck = tuple(map(synthesis.mark_entry, struck))  # nobody accepted these
    save = do.SaveRecord(record, now.table, now.draft, now.exit_type, now.parked, now.extracted, struck)
    return now.wait(Awaited.RECORD, *shown, save, state=State.STATE_PERSIST)


def record_saved(now: Elaboration, event: on.RecordSaved) -> Outcome:
    where = " to meta.json" if now.step.step_id else ""
    text = f"Saved the discussion ({len(now.turns)} turns){where}; the transcript is {event.transcript}."
    put_off = " What was put off is kept in parking-lot.md." if now.parked and where else ""
    return _return(now, "saved", text + put_off)


def give_up(now: Elaboration, event: on.TaskFailed) -> Outcome:
    if now.state is State.ENTRY:
        return _return(now, "notice", lines.CONTEXT_UNREADABLE)
    return _return(now, "error", lines.RECORD_FAILED)


def _return(now: Elaboration, kind: LineKind, text: str) -> Outcome:
    return now.wait(Awaited.NOTHING, show(kind, text), do.Return())


# --- what the moves share -------------------------------------------------------------------------------


def _say(now: Elaboration, turn: Turn) -> Outcome:
    """Add one turn and show it; two turns before the limit, the warning follows it."""
    after = replace(now, turns=(*now.turns, turn), suspected=None)
    shown = (do.Show(lines.contribution(turn, now.roster)),)
    if turn.number != now.max_turns - 2:
        return after, shown
    return replace(after, is_closing=True), (*shown, _lead_says(now, "warning", lines.LIMIT_WARNING))


def _go_on(now: Elaboration, *shown: do.Command) -> Outcome:
    """Ask the next speaker, or listen to the user, or end at the limit."""
    if now.is_full:
        return _synthesize(now, "turn-limit", *shown, _lead_says(now, "limit", lines.LIMIT))
    if now.due:
        due, heard = now.due[0], _last_user_turn(now)
        answers = heard.number if heard and due.purpose in ("answer", "follow") else None
        speaker = now.roster[due.persona]
        brief = do.Brief(now.table, speaker, due.purpose, due.may_pass, answers, may_yield=due.may_yield)
        return now.wait(Awaited.PERSONA, *shown, do.AskPersona(brief))
    if now.rounds_without_user >= _ROUNDS_BEFORE_ASKING:
        return _ask_whether_to_wrap_up(now, *shown)
    return _listen(now, *shown)


def _listen(now: Elaboration, *shown: do.Command) -> Outcome:
    return now.wait(Awaited.USER, *shown, do.Listen("discussion"))


def _ask_whether_to_wrap_up(now: Elaboration, *shown: do.Command) -> Outcome:
    """Let the lead ask, because the user was silent for a while or nobody has anything left (LOOP-6)."""
    line = _lead_says(now, "inactivity", lines.inactivity(now.user_name))
    return _listen(replace(now, asked_to_wrap_up=True), *shown, line)


def _park(now: Elaboration) -> Elaboration:
    """Keep the last turn's aside for the step where it belongs; small talk is not kept (FOCUS-2)."""
    turn = now.turns[-1]
    drift = turn.verdict.off_topic
    if drift is None or drift.is_chat:
        return now
    said = " ".join(turn.text.split())
    words = synthesis.mark_unverified(said) if turn.relayed else said
    point = Parked(drift.subject, drift.belongs_to, turn.number, turn.speaker, words)
    return replace(now, parked=(*now.parked, point))


def _redirect(now: Elaboration, speaker: str, drift: OffTopic, own_words: str = "") -> do.Show:
    """Return the lead's line about a turn that drifted, followed by the lead's own words (FOCUS-1)."""
    ahead = find_place_ahead(drift.belongs_to, steps=now.steps, current=now.step.step_id)
    name = USER if speaker == USER else now.roster[speaker].name
    text = lines.redirect(name, drift.subject, topic=now.focus_topic, ahead=ahead)
    return _lead_says(now, "redirect", f"{text} {own_words}".rstrip())


def find_place_ahead(belongs_to: str | None, *, steps: Sequence[Step], current: str) -> str | None:
    """Return the title of a later step, or the name of a later phase, where a point belongs; else None."""
    step = next((step for step in steps if step.step_id == belongs_to), None)
    if step and step.step_id[:2] == current[:2]:
        return step.title if step.step_id > current else None
    key = step.phase.key if step and step.phase else belongs_to
    return next((phase.name for phase in PHASES if phase.key == key and phase.number > current[:2]), None)


def _last_user_turn(now: Elaboration) -> Turn | None:
    return next((turn for turn in reversed(now.turns) if turn.speaker == USER), None)


def _check_speaker(now: Elaboration, speaker: str) -> None:
    if speaker != now.due[0].persona:
        due = now.roster[now.due[0].persona]
        raise RuleBroken(f"It is {due.name}'s turn ({due.key}), not {speaker}'s.", legal=now.legal)


def _check_verdict(verdict: Verdict, number: int) -> None:
    if missing := verdict.missing_turns(number):
        raise RuleBroken(f"Turn {missing[0]} does not exist; a verdict names turns 1 to {number}.")


def _lead_says(now: Elaboration, kind: LineKind, text: str) -> do.Show:
    return do.Show(lines.speech(now.lead, text, kind))


def _echo(event: on.UserSpoke) -> tuple[do.Show, ...]:
    return () if is_silence(event.text) else (show("choice", event.text.strip(), USER),)


_ENTRY, _FRAMING, _LOOP, _SYNTHESIS, _PERSIST = State
_Move: TypeAlias = Callable[[Elaboration, Any], Outcome]
TRANSITIONS: Mapping[tuple[State, Awaited, type[on.Event]], tuple[_Move, list[State]]] = {
    # (state, awaited, event): (the move, the states that it may lead to)
    (_ENTRY, Awaited.CONTEXT, on.ContextRead): (introduce, [_FRAMING]),
    (_ENTRY, Awaited.CONTEXT, on.TaskFailed): (give_up, [_ENTRY]),
    (_FRAMING, Awaited.FRAMING, on.Framed): (frame, [_LOOP]),
    (_LOOP, Awaited.PERSONA, on.PersonaSpoke): (persona_spoke, [_LOOP, _SYNTHESIS]),
    (_LOOP, Awaited.PERSONA, on.PersonaPassed): (persona_passed, [_LOOP]),
    (_LOOP, Awaited.PERSONA, on.SpeakerStopped): (lambda now, _: _listen(replace(now, due=())), [_LOOP]),
    (_LOOP, Awaited.USER, on.UserSpoke): (user_spoke, [_LOOP, _SYNTHESIS]),
    (_LOOP, Awaited.USER, on.LimitRaised): (raise_limit, [_LOOP]),
    (_LOOP, Awaited.EXIT, on.UserSpoke): (exit_answered, [_LOOP, _SYNTHESIS]),
    (_LOOP, Awaited.EXIT, on.LimitRaised): (raise_limit, [_LOOP]),
    (_LOOP, Awaited.VERDICT, on.Judged): (judge, [_LOOP, _SYNTHESIS]),
    # a discussion can be ended from outside, no matter who is awaited
    **{
        (_LOOP, awaits, on.WrappedUp): (wrap_up, [_SYNTHESIS])
        for awaits in (Awaited.PERSONA, Awaited.USER, Awaited.EXIT, Awaited.VERDICT)
    },
    (_LOOP, Awaited.LIMIT, on.Saved): (limit_saved, [_LOOP]),
    (_SYNTHESIS, Awaited.DRAFT, on.SynthesisDrafted): (synthesis_drafted, [_SYNTHESIS, _PERSIST]),
    (_SYNTHESIS, Awaited.DRAFT, on.TaskFailed): (synthesis_failed, [_SYNTHESIS]),
    (_SYNTHESIS, Awaited.REVIEW, on.UserSpoke): (review_answered, [_SYNTHESIS, _PERSIST]),
    (_SYNTHESIS, Awaited.ARTIFACTS, on.DocumentsWritten): (artifacts_updated, [_PERSIST]),
    (_PERSIST, Awaited.RECORD, on.RecordSaved): (record_saved, [_PERSIST]),
    (_PERSIST, Awaited.RECORD, on.TaskFailed): (give_up, [_PERSIST]),
}
