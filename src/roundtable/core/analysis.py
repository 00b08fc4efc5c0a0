"""The stages of a leg of the analysis: what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, assert_never

from . import commands as do
from . import depth as depths
from . import events as on
from . import lines
from .conditions import Fact
from .elaboration import Elaboration
from .errors import RuleBroken
from .hearing import hear_choice, hear_exit, hear_menu
from .lines import Line
from .personas import Persona, Roster
from .progress import NO_PROGRESS, Progress, RemainingSteps, steps_of_phase, find_remaining_steps
from .steps import PHASES, Criterion, Depth, Item, Phase, Question, Step, Target
from .text import is_silence, words_of
from .turns import USER
from .validation import asks_back, meets_check, is_unknown


class Stage(StrEnum):
    """What the analysis waits for."""

    READING = "what the incoming persona read"
    OFFERS = "the draft answers"
    ANSWER = "an answer"
    FOLLOW_UP = "a follow-up question"
    DEPTH = "the new depth on disk"
    DRAFT = "the text of the step's sections"
    WRITTEN = "the step's artifacts on disk"
    SAVED = "the step in meta.json"
    MENU = "a choice at the menu"
    MENU_DEPTH = "the new depth on disk, at the menu"
    FEEDBACK = "the lead's reply to feedback"
    FEEDBACK_WRITTEN = "the feedback on disk"
    DRAFTS = "the drafts of skipped steps on disk"
    PHASE = "the phase in meta.json"
    FINISHED = "whether to start over"
    ELABORATION = "the roundtable"
    ENDED = "nothing: the leg has ended"


UNKNOWN = "I don't know"
_HELP = "?"
_ELABORATE = ("e", "E", "[E]")


# --- opening a leg --------------------------------------------------------------------------------------


def open_leg(now: Analysis) -> Answer:
    """The first commands of a leg: what is shown on arrival, then what the leg begins with."""
    opening = now.opening
    notices = tuple(do.Show(Line("notice", text)) for text in opening.notices)
    match opening.kind:
        case "finished":
            return offer_to_start_over(now)
        case "elaborate":
            return _prefixed(notices, *elaborate(now))
        case "menu":
            return _prefixed((*notices, *_welcome(opening)), *show_menu(now))
        case "step":
            pass
        case other:
            assert_never(other)
    shown = (*notices, *_welcome(opening), *_announce_depth(opening))
    if opening.arrival == "new" and opening.handed_over_by is not None:
        return replace(now, stage=Stage.READING), (*shown, do.AskReading(now.brief))
    return _enter_step(now, shown)


def artifacts_read(now: Analysis, event: on.ArtifactsRead) -> Answer:
    lead = now.opening.lead
    text = event.text.strip()
    read = (do.Show(Line("handoff", lines.contribution(lead, text), lead.key)),) if text else ()
    return _enter_step(now, read)


def recall(now: Analysis) -> tuple[do.Show, ...]:
    """The greeting of a leg that is taken up again after a pause (GREET-6)."""
    opening = now.opening
    if opening.kind in ("finished", "elaborate"):
        return ()
    return (_welcome_back(opening, now.completed, ahead(now) if now.saved else now.step.title),)


def _welcome(opening: Opening) -> tuple[do.Show, ...]:
    match opening.arrival:
        case "continuing":
            return ()
        case "resumed":
            done = opening.progress.steps_completed
            ahead = opening.step.title if opening.kind == "step" and opening.step else ahead_of(opening)
            return (_welcome_back(opening, done, ahead),)
        case "new":
            hello = lines.new_in_phase(opening.lead, opening.phase)
            return (*_hand_off(opening), do.Show(Line("greeting", hello, opening.lead.key)))


def _welcome_back(opening: Opening, completed: tuple[str, ...], ahead: str) -> do.Show:
    number = opening.phase.number
    titles = {step.step_id: step.title for step in opening.steps}
    done = [titles[step_id] for step_id in completed if step_id[:2] == number and step_id in titles]
    past = [each for each in opening.progress.elaborations if each.step_id[:2] == number]
    text = lines.welcome_back(opening.lead, titles=done, past=past, ahead=ahead)
    return do.Show(Line("greeting", text, opening.lead.key))


def _hand_off(opening: Opening) -> tuple[do.Show, ...]:
    before = opening.handed_over_by
    if before is None:
        return ()
    outgoing = opening.roster.lead_of(before.key).persona
    text = lines.hand_off(outgoing, before, opening.lead, opening.phase)
    return (do.Show(Line("handoff", text)),)


def _announce_depth(opening: Opening) -> tuple[do.Show, ...]:
    text = depths.announcement(opening.depth)
    if text is None or opening.arrival == "continuing":
        return ()
    return (do.Show(Line("depth", text, opening.lead.key)),)


def _enter_step(now: Analysis, shown: tuple[do.Command, ...]) -> Answer:
    persona = now.opening.conductor
    header = lines.step_header(persona, now.step.step_id, now.step.title)
    parked = (do.Show(Line("notice", text)) for text in now.opening.parked)
    shown = (*shown, do.Show(Line("step", header, persona.key)), *parked)
    return _prefixed(shown, *_collect_offers(now))


# --- questions and answers ------------------------------------------------------------------------------


def offered(now: Analysis, event: on.Offered) -> Answer:
    return _ask(replace(now, offers=event.offers))


def answered(now: Analysis, event: on.UserSpoke) -> Answer:
    question = _open_question(now)
    if question is None:
        return _draft(now)
    words = event.text.strip()
    if words == _HELP or asks_back(words):
        text = lines.explanation(question.help, question.example)
        return now, (do.Show(Line("notice", text, now.opening.conductor.key)), do.Listen("answer"))
    if words in _ELABORATE:
        return now, (do.Show(Line("notice", lines.NOT_YET)), do.Listen("answer"))
    wanted = depths.hear_depth(words, question.text)
    if wanted is not None:
        phase = now.opening.phase.key
        return replace(now, wanted_depth=wanted, stage=Stage.DEPTH), (do.SaveDepth(phase, wanted),)
    if now.follow_up is not None:
        return _complete_answer(now, question, words)
    return _first_answer(now, question, words)


def followed_up(now: Analysis, event: on.FollowedUp) -> Answer:
    text = event.text.strip()
    return replace(now, follow_up=text, stage=Stage.ANSWER), (_say(now, text), do.Listen("answer"))


def depth_saved(now: Analysis, event: on.DepthSaved) -> Answer:
    depth = now.wanted_depth or now.depth
    changed = replace(now, depth=depth, wanted_depth=None, follow_up=None, reminded=False)
    acknowledged = do.Show(Line("depth", depths.acknowledgement(depth), now.opening.conductor.key))
    return _prefixed((acknowledged,), *_collect_offers(changed))


def _first_answer(now: Analysis, question: Question, words: str) -> Answer:
    offer = _offer(now, question)
    if is_silence(words):
        if offer is not None:
            return _keep(now, do.Answer(question.label, question.text, offer.text, offered=True))
        if not now.reminded:
            asked = question.asked(with_draft=False)
            reminder = _say(now, f"{asked}\n  (What you know is enough; ? shows an example.)")
            return replace(now, reminded=True), (reminder, do.Listen("answer"))
        return _keep(now, do.Answer(question.label, question.text, UNKNOWN, unknown=True))
    if is_unknown(words):
        return _keep(now, do.Answer(question.label, question.text, words, unknown=True))
    answer = do.Answer(question.label, question.text, words)
    missed = _missed(now, question, words)
    if missed is None:
        return _keep(now, answer)
    held = replace(now, answers=(*now.answers, answer), stage=Stage.FOLLOW_UP, follow_up="")
    return held, (_echo(words), do.AskFollowUp(now.brief, question, words, missed))


def _complete_answer(now: Analysis, question: Question, words: str) -> Answer:
    """The reply to a follow-up joins the answer; silence or not knowing leaves it as it was."""
    first = now.answers[-1]
    rest = replace(now, answers=now.answers[:-1], follow_up=None)
    if is_silence(words):
        return _ask(replace(rest, answers=now.answers))
    text = first.text if is_unknown(words) else f"{first.text}\n{words}"
    return _keep(rest, replace(first, text=text), words)


def _keep(now: Analysis, answer: do.Answer, words: str | None = None) -> Answer:
    kept = replace(now, answers=(*now.answers, answer), reminded=False)
    return _prefixed((_echo(answer.text if words is None else words),), *_ask(kept))


def _collect_offers(now: Analysis) -> Answer:
    questions = _unanswered(now)
    if not questions:
        return _draft(now)
    return replace(now, stage=Stage.OFFERS), (do.AskOffers(now.brief, questions),)


def _ask(now: Analysis) -> Answer:
    question = _open_question(now)
    if question is None:
        return _draft(now)
    offer = _offer(now, question)
    asked = question.asked(with_draft=offer is not None)
    text = lines.question(asked, offer.text if offer else None, offer.source if offer else "")
    return replace(now, stage=Stage.ANSWER), (_say(now, text), do.Listen("answer"))


def _unanswered(now: Analysis) -> tuple[Question, ...]:
    known = {answer.label for answer in now.answers}
    return tuple(question for question in now.step.questions(now.depth) if question.label not in known)


def _open_question(now: Analysis) -> Question | None:
    """The question that waits for words: the one followed up, else the first that is not answered."""
    if now.follow_up is not None:
        label = now.answers[-1].label
        return next((each for each in now.step.questions(now.depth) if each.label == label), None)
    return next(iter(_unanswered(now)), None)


def _offer(now: Analysis, question: Question) -> on.Offer | None:
    return next((offer for offer in now.offers if offer.label == question.label), None)


def _missed(now: Analysis, question: Question, words: str) -> Criterion | None:
    criteria = [each for each in now.step.validation if each.label == question.label]
    return next((each for each in criteria if not meets_check(each.check, words)), None)


# --- the step's artifacts -------------------------------------------------------------------------------


def drafted(now: Analysis, event: on.Drafted) -> Answer:
    notices = (do.Show(Line("notice", each.notice)) for each in event.sections if each.notice)
    return replace(now, stage=Stage.WRITTEN), (*notices, do.WriteStep(now.step, event.sections))


def step_written(now: Analysis, event: on.StepWritten) -> Answer:
    shown = tuple(do.Show(Line("update", text)) for text in event.announcements)
    return replace(now, stage=Stage.SAVED), (*shown, do.SaveStep(now.step.step_id))


def step_saved(now: Analysis, event: on.StepSaved) -> Answer:
    return show_menu(replace(now, saved=True))


def _draft(now: Analysis) -> Answer:
    step = now.step
    named = {target.output for target in step.targets}
    unnamed = tuple(Target(output, step.title) for output in step.outputs if output not in named)
    targets = (*(target for target in step.targets if target.output in step.outputs), *unnamed)
    return replace(now, stage=Stage.DRAFT), (do.AskDraft(now.brief, targets),)


def _say(now: Analysis, text: str) -> do.Show:
    return do.Show(Line("question", text, now.opening.conductor.key))


def _echo(words: str) -> do.Show:
    return do.Show(Line("answer", words, USER))


def _prefixed(shown: tuple[do.Command, ...], now: Analysis, answer: tuple[do.Command, ...]) -> Answer:
    return now, (*shown, *answer)


_NO_REMARKS = (("quit",), ("help",), ("menu",), ("leave",))
LEAVE, START_OVER = "leave", "start over"
_FINISHED_MENU = "[L] Leave -- keep everything as it is\n[S] Start over -- go through all phases again"
_NOTHING_TO_SKIP = "There is nothing left to skip in this phase."
_NOT_HERE = "No discussion is running, so there is nothing to end or to set here."
_NO_REMARK = (
    "Nothing was added. Choose a letter, or say in a few words what you would change: "
    "it goes into the step's document as your feedback."
)
_NO_STEP = "No step of this phase is complete yet, so there is nothing to discuss or comment on."
_ALONE = "A roundtable needs at least two personas; only {name} is at the table."


def show_menu(now: Analysis) -> Answer:
    """The menu of the step in hand, with what may be chosen now."""
    left = _left(now)
    # A dependency that is still to come is no news; one that blocks the rest of the phase is.
    shown = [do.Show(Line("notice", text)) for text in left.warnings if not left.steps]
    phase = _next_phase(now.opening)
    text = lines.menu(last=not left.steps, next_phase=(phase.number, phase.name) if phase else None)
    return replace(now, stage=Stage.MENU), (*shown, do.Show(Line("menu", text)), do.Listen("menu"))


def chosen(now: Analysis, event: on.UserSpoke) -> Answer:
    left = _left(now)
    if event.text.lstrip().startswith("/") or hear_exit(event.text) == "exit":
        return now, (do.Show(Line("notice", _NOT_HERE)), *show_menu(now)[1])
    wanted = depths.hear_depth(event.text, None)
    heard = hear_menu(event.text, can_skip=bool(left.steps))
    if wanted is not None and heard.kind == "feedback":
        after = replace(now, wanted_depth=wanted, stage=Stage.MENU_DEPTH)
        return after, (do.SaveDepth(now.opening.phase.key, wanted),)
    echo = do.Show(Line("choice", event.text.strip(), USER))
    match heard.kind:
        case "continue" if left.steps:
            return replace(now, stage=Stage.ENDED), (echo, do.Advance())
        case "continue":
            return replace(now, stage=Stage.PHASE), (echo, do.SavePhase(now.opening.phase.key))
        case "skip":
            shown = (echo, do.Show(Line("notice", lines.SKIPPING)))
            return replace(now, stage=Stage.DRAFTS), (*shown, _drafts(now))
        case "nothing-to-skip":
            return now, (do.Show(Line("notice", _NOTHING_TO_SKIP)), *show_menu(now)[1])
        case "elaborate":
            after, answer = elaborate(now)
            return after, (echo, *answer)
        case "feedback" if not _is_remark(event.text):
            return now, (do.Show(Line("notice", _NO_REMARK)), *show_menu(now)[1])
        case "feedback":
            return _take_feedback(now, event.text.strip())


def elaborate(now: Analysis) -> Answer:
    """A roundtable on the step in hand, where there is a step and somebody to talk to."""
    opening = now.opening
    if opening.step is None or not opening.roster.can_discuss:
        reason = _NO_STEP if opening.step is None else _ALONE.format(name=opening.lead.name)
        after, menu = show_menu(now)
        return after, (do.Show(Line("notice", reason)), *menu)
    elaboration, answer = Elaboration.begin(
        item=opening.item, step=opening.step, roster=opening.roster, steps=opening.steps,
        user_name=opening.user_name,
    )  # fmt: skip
    return replace(now, elaboration=elaboration, stage=Stage.ELABORATION), answer


def menu_depth_saved(now: Analysis, event: on.DepthSaved) -> Answer:
    depth = now.wanted_depth or now.depth
    after, menu = show_menu(replace(now, depth=depth, wanted_depth=None))
    said = do.Show(Line("depth", depths.acknowledgement(depth), now.opening.lead.key))
    return after, (said, *menu)


def feedback_taken(now: Analysis, event: on.FeedbackTaken) -> Answer:
    lead = now.opening.lead
    reply = do.Show(Line("feedback", lines.contribution(lead, event.reply.strip()), lead.key))
    write = do.WriteFeedback(now.step, now.feedback or "", event.at)
    return replace(now, stage=Stage.FEEDBACK_WRITTEN), (reply, write)


def feedback_written(now: Analysis, event: on.FeedbackWritten) -> Answer:
    shown = tuple(do.Show(Line("update", text)) for text in event.announcements)
    after, menu = show_menu(replace(now, feedback=None))
    return after, (*shown, *menu)


def drafts_written(now: Analysis, event: on.DraftsWritten) -> Answer:
    shown = tuple(do.Show(Line("update", text)) for text in event.announcements)
    return replace(now, stage=Stage.PHASE), (*shown, do.SavePhase(now.opening.phase.key))


def phase_saved(now: Analysis, event: on.PhaseSaved) -> Answer:
    return replace(now, stage=Stage.ENDED), (do.Advance(),)


def offer_to_start_over(now: Analysis) -> Answer:
    """What is said and asked when all phases are complete (GREET-5)."""
    text = lines.all_done(now.opening.item.name, moved_on=now.opening.moved_on)
    shown = (
        do.Show(Line("greeting", text, now.opening.lead.key)),
        do.Show(Line("menu", _FINISHED_MENU)),
    )
    return replace(now, stage=Stage.FINISHED), (*shown, do.Listen("choice"))


def finished(now: Analysis, event: on.UserSpoke) -> Answer:
    choice = hear_choice(event.text, (LEAVE, START_OVER))
    if choice is None:
        return now, (do.Show(Line("notice", "Please choose L or S.")), do.Listen("choice"))
    echo = do.Show(Line("choice", event.text.strip() or LEAVE, USER))
    last = do.StartOver() if choice == START_OVER else do.Leave()
    return replace(now, stage=Stage.ENDED), (echo, last)


def ahead(now: Analysis) -> str:
    """What comes after this menu, by name."""
    left = _left(now)
    return left.steps[0].title if left.steps else ahead_of(now.opening)


def ahead_of(opening: Opening) -> str:
    """What comes after the phase, by name."""
    phase = _next_phase(opening)
    return f"Phase {phase.number} ({phase.name})" if phase else "the end of the analysis"


def _is_remark(text: str) -> bool:
    """True where a message says something; a question mark, a slip of a key or a wish to leave does not."""
    words = words_of(text)
    return len("".join(words)) > 1 and not is_unknown(text) and words not in _NO_REMARKS


def _take_feedback(now: Analysis, words: str) -> Answer:
    if now.opening.step is None:
        return now, (do.Show(Line("notice", _NO_STEP)), *show_menu(now)[1])
    echo = do.Show(Line("feedback", words, USER))
    return replace(now, feedback=words, stage=Stage.FEEDBACK), (echo, do.AskFeedback(now.brief, words))


def _drafts(now: Analysis) -> do.WriteDrafts:
    steps = steps_of_phase(now.opening.steps, now.opening.phase)
    done = tuple(step for step in steps if step.step_id in now.completed)
    return do.WriteDrafts(done, tuple(step for step in steps if step not in done))


def _left(now: Analysis) -> RemainingSteps:
    opening = now.opening
    return find_remaining_steps(opening.steps, opening.phase, now.completed, dict(opening.facts))


def _next_phase(opening: Opening) -> Phase | None:
    done = (*opening.progress.phases_completed, opening.phase.key)
    return next((phase for phase in PHASES if phase.key not in done), None)


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
        return open_leg(cls(opening, Stage.ENDED, opening.depth, saved=saved))

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
        back, menu = show_menu(replace(self, elaboration=None))
        return back, (*answer[:-1], *menu)


Answer = tuple[Analysis, tuple[do.Command, ...]]
Move = Callable[[Analysis, Any], Answer]

TABLE: Mapping[Stage, Mapping[type[on.Event], Move]] = {
    Stage.READING: {on.ArtifactsRead: artifacts_read},
    Stage.OFFERS: {on.Offered: offered},
    Stage.ANSWER: {on.UserSpoke: answered},
    Stage.FOLLOW_UP: {on.FollowedUp: followed_up},
    Stage.DEPTH: {on.DepthSaved: depth_saved},
    Stage.DRAFT: {on.Drafted: drafted},
    Stage.WRITTEN: {on.StepWritten: step_written},
    Stage.SAVED: {on.StepSaved: step_saved},
    Stage.MENU: {on.UserSpoke: chosen},
    Stage.MENU_DEPTH: {on.DepthSaved: menu_depth_saved},
    Stage.FEEDBACK: {on.FeedbackTaken: feedback_taken},
    Stage.FEEDBACK_WRITTEN: {on.FeedbackWritten: feedback_written},
    Stage.DRAFTS: {on.DraftsWritten: drafts_written},
    Stage.PHASE: {on.PhaseSaved: phase_saved},
    Stage.FINISHED: {on.UserSpoke: finished},
}
