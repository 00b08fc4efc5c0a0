"""One leg of the analysis: a step with its questions, its artifacts and its menu, as a pure state machine.

The rules, in the order of a leg:

- It opens with what is shown on arrival: a hand-off, a greeting, the depth. A lead that takes over first
  says what it read in the artifacts so far.
- Draft answers are collected, then the step's questions are asked one by one. An empty message takes the
  draft; not knowing is a fair answer; an answer that misses a criterion is followed up once.
- The step's sections are drafted, written and saved; then the menu is shown.
- At the menu the user goes on, skips the rest of the phase, elaborates, or says what to change. While an
  elaboration runs, every event is its own; afterwards the same menu returns.
- There is always a way back: `back` at a question asks the one before again, `edit` at the menu asks one
  again, and `undo` takes back what was written last. Words that steer never become content.
- When all phases are complete, the user leaves or starts over.

`Opening` is what a leg starts from, `Analysis` its state, and `TABLE` at the end says which event may come
at which stage. An event that is not in the table raises `RuleBroken` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from . import commands as do
from . import depth as depths
from . import events as on
from . import lines
from .conditions import Fact
from .elaboration import Elaboration
from .errors import RuleBroken
from .hearing import (
    address,
    asks_something,
    find_corrected,
    hear_choice,
    hear_edit,
    hear_exit,
    hear_menu,
    hear_steering,
)
from .lines import Line, LineKind
from .personas import Persona, Roster
from .progress import NO_PROGRESS, Progress, RemainingSteps, find_remaining_steps, steps_of_phase
from .steps import PHASES, Depth, Item, Phase, Question, Step, Target
from .text import is_silence, words_of
from .turns import USER
from .validation import asks_back, is_unknown, meets_check

UNKNOWN = "I don't know"
ASSUMED = " (assumed)"
"""What marks an answer that a panel drafted, nobody has read anywhere and the user was not asked for."""
MOST_QUESTIONS = 3
"""How many questions of a drafted step the user is asked (STEP-4)."""
LEAVE, START_OVER = "leave", "start over"
_FINISHED_MENU = "[L] Leave -- keep everything as it is\n[S] Start over -- go through all phases again"
_NOTHING_TO_SKIP = "There is nothing left to skip in this phase."
_NOT_HERE = "No discussion is running, so there is nothing to end or to set here."
_NO_REMARK = (
    "Nothing was added. Choose a letter, or say in a few words what you would change: "
    "it goes into the step's document as your feedback."
)
_FIRST = "This is the first question of the step; there is nothing before it."
_NOTHING_WRITTEN = (
    "Nothing was written since this step was opened, so there is nothing to undo here. "
    "`roundtable undo` takes back an earlier discussion."
)
_NO_STEP = "No step of this phase is complete yet, so there is nothing to discuss or comment on."
_ALONE = "A roundtable needs at least two personas; only {name} is at the table."

OpeningKind = Literal["step", "menu", "elaborate", "finished"]
Arrival = Literal["new", "resumed", "continuing"]


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
    UNDONE = "what was written last, taken back"
    DRAFTS = "the drafts of skipped steps on disk"
    PHASE = "the phase in meta.json"
    FINISHED = "whether to start over"
    ELABORATION = "the roundtable"
    ENDED = "nothing: the leg has ended"


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
    has_review: bool = False
    """Whether the user can be asked to review what a discussion writes (SYN-8)."""

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

    @property
    def next_phase(self) -> Phase | None:
        """The first phase that is not complete, this one not counted."""
        done = (*self.progress.phases_completed, self.phase.key)
        return next((phase for phase in PHASES if phase.key not in done), None)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The state of one leg; `receive` gives the next one and what to do."""

    opening: Opening
    stage: Stage
    depth: Depth
    answers: tuple[do.Answer, ...] = ()
    offers: tuple[on.Offer, ...] = ()
    reminded: bool = False
    relayed: bool = False
    """Whether another program passed on the words in hand."""
    follow_up: str | None = None
    wanted_depth: Depth | None = None
    feedback: str | None = None
    saved: bool = False
    elaboration: Elaboration | None = None
    editing: str | None = None
    """The label of the only question that is asked again, when an answer is edited at the menu."""
    earlier: tuple[do.Answer, ...] = ()
    """Answers that stand but are asked for again, so that they can be edited."""
    proposed: str = ""
    """What corrects the answer that is edited, offered in its place."""
    written: tuple[do.Written, ...] = ()
    """What this leg wrote, so that it can be taken back."""

    @classmethod
    def begin(cls, opening: Opening) -> Outcome:
        """Return a new leg, and what to do first."""
        return _open_leg(cls(opening, Stage.ENDED, opening.depth, saved=opening.kind != "step"))

    def receive(self, event: on.Event) -> Outcome:
        """Return the next state and what to do; an illegal event raises and changes nothing."""
        if self.stage is Stage.ELABORATION and self.elaboration is not None:
            elaboration, commands = self.elaboration.receive(event)
            if not elaboration.has_ended:
                return replace(self, elaboration=elaboration), commands
            moment, at = elaboration.moment, elaboration.at
            block = (do.Written("block", moment, at=at),) if moment else ()
            return _show_menu(replace(self, elaboration=None, written=self.written + block), *commands[:-1])
        move = TABLE.get(self.stage, {}).get(type(event))
        if move is None:
            raise RuleBroken(
                f"{type(event).__name__} cannot come while the analysis waits for {self.stage}.",
                legal=self.legal,
            )
        return move(self, event)

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        if self.stage is Stage.ELABORATION and self.elaboration is not None:
            return self.elaboration.legal
        return tuple(event.__name__ for event in TABLE.get(self.stage, {}))

    @property
    def step(self) -> Step:
        if self.opening.step is None:
            raise RuleBroken("There is no step at this point of the analysis.")
        return self.opening.step

    @property
    def completed_steps(self) -> tuple[str, ...]:
        """The completed steps, with this leg's own once it is saved."""
        done = self.opening.progress.steps_completed
        step = self.opening.step
        return done if step is None or not self.saved or step.step_id in done else (*done, step.step_id)

    @property
    def remaining_steps(self) -> RemainingSteps:
        """What can still run in the phase."""
        opening = self.opening
        return find_remaining_steps(opening.steps, opening.phase, self.completed_steps, dict(opening.facts))

    @property
    def brief(self) -> do.StepBrief:
        """What a panel needs to know about the step in hand."""
        opening = self.opening
        return do.StepBrief(
            opening.item, self.step, opening.conductor, opening.roster, self.depth, self.answers
        )


Outcome: TypeAlias = tuple[Analysis, tuple[do.Command, ...]]


# --- opening a leg --------------------------------------------------------------------------------------


def _open_leg(now: Analysis) -> Outcome:
    """Show what is shown on arrival, then begin as the kind of the leg asks."""
    opening, lead = now.opening, now.opening.lead
    if opening.kind == "finished":
        text = lines.all_done(opening.item.name, moved_on=opening.moved_on)
        shown = (_show("greeting", text, lead), _show("menu", _FINISHED_MENU))
        return replace(now, stage=Stage.FINISHED), (*shown, do.Listen("choice"))
    notices = [_show("notice", text) for text in opening.notices]
    if opening.kind == "elaborate":
        return _elaborate(now, *notices)
    if opening.arrival == "resumed":
        notices.append(_welcome_back(now))
    elif opening.arrival == "new":
        if opening.handed_over_by is not None:
            outgoing = opening.roster.lead_of(opening.handed_over_by.key).persona
            text = lines.hand_off(outgoing, opening.handed_over_by, lead, opening.phase)
            notices.append(_show("handoff", text))
        notices.append(_show("greeting", lines.new_in_phase(lead, opening.phase), lead))
    if opening.kind == "menu":
        return _show_menu(now, *notices)
    announcement = depths.announcement(opening.depth)
    if announcement and opening.arrival != "continuing":
        notices.append(_show("depth", announcement, lead))
    if opening.arrival == "new" and opening.handed_over_by is not None:
        return replace(now, stage=Stage.READING), (*notices, do.AskReading(now.brief))
    return _enter_step(now, *notices)


def artifacts_read(now: Analysis, event: on.ArtifactsRead) -> Outcome:
    lead, text = now.opening.lead, event.text.strip()
    read = (_show("handoff", lines.contribution(lead, text), lead),) if text else ()
    return _enter_step(now, *read)


def recall(now: Analysis) -> tuple[do.Show, ...]:
    """Return the greeting of a leg that is taken up again after a pause (GREET-6)."""
    return () if now.opening.kind in ("finished", "elaborate") else (_welcome_back(now),)


def _welcome_back(now: Analysis) -> do.Show:
    opening, number = now.opening, now.opening.phase.number
    titles = {step.step_id: step.title for step in opening.steps}
    done = [titles[step_id] for step_id in now.completed_steps if step_id[:2] == number and step_id in titles]
    past = [each for each in opening.progress.elaborations if each.step_id[:2] == number]
    ahead, phase = now.remaining_steps.steps, opening.next_phase
    if not now.saved:
        name = now.step.title
    elif ahead:
        name = ahead[0].title
    else:
        name = f"Phase {phase.number} ({phase.name})" if phase else "the end of the analysis"
    text = lines.welcome_back(opening.lead, titles=done, past=past, ahead=name)
    return _show("greeting", text, opening.lead)


def _enter_step(now: Analysis, *shown: do.Show) -> Outcome:
    persona = now.opening.conductor
    header = _show("step", lines.step_header(persona, now.step.step_id, now.step.title), persona)
    parked = (_show("notice", text) for text in now.opening.parked)
    return _collect_offers(now, *shown, header, *parked)


# --- questions and answers ------------------------------------------------------------------------------


def _collect_offers(now: Analysis, *shown: do.Show) -> Outcome:
    questions = _unanswered_questions(now)
    if not questions:
        return _draft_sections(now, *shown)
    return replace(now, stage=Stage.OFFERS), (*shown, do.AskOffers(now.brief, questions))


def offers_collected(now: Analysis, event: on.Offered) -> Outcome:
    """Ask the first question; where a panel drafted the step, take its drafts and ask what matters."""
    after = replace(now, offers=tuple(each for each in event.offers if each.text))
    if now.editing is not None or not any(each.standing for each in event.offers):
        return _ask_question(after)
    drafted = {each.label: each for each in event.offers}
    asked = [each for each in _unanswered_questions(after) if _is_asked(drafted.get(each.label))]
    taken = []
    for question in _unanswered_questions(after):
        offer = drafted.get(question.label)
        if question in asked[:MOST_QUESTIONS]:
            continue
        if offer is None or not offer.text:
            answer = do.Answer(question.label, question.text, UNKNOWN, unknown=True)
        else:
            text = f"{offer.text}{ASSUMED}" if offer.standing == "assumed" else offer.text
            answer = do.Answer(question.label, question.text, text, offered=True)
            taken.append((question.label, text, offer.source))
        after = replace(after, answers=(*after.answers, answer))
    shown = (_show("notice", lines.drafts_taken(taken), now.opening.conductor),) if taken else ()
    return _ask_question(after, *shown)


def _is_asked(offer: on.Offer | None) -> bool:
    """Whether the user is asked: nobody drafted an answer, or it is not read anywhere and it matters."""
    return offer is None or (offer.standing != "read" and offer.matters)


def _ask_question(now: Analysis, *shown: do.Show) -> Outcome:
    question = _open_question(now)
    if question is None:
        return _draft_sections(now, *shown)
    offer = _find_offer(now, question)
    wording = question.choose_wording(with_draft=offer is not None)
    text = lines.question(wording, offer.text if offer else None, offer.source if offer else "")
    asked = _show("question", text, now.opening.conductor)
    before = next((answer for answer in now.earlier if answer.label == question.label), None)
    prefill = now.proposed or (before.text if before and not before.unknown else "")
    return replace(now, stage=Stage.ANSWER), (*shown, asked, do.Listen("answer", prefill))


def user_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    question = _open_question(now)
    if question is None:
        return _draft_sections(now)
    words = event.text.strip()
    now = replace(now, relayed=event.relayed)
    steering = hear_steering(words, at_menu=False)
    if steering == "help" or asks_back(words):
        text = lines.explanation(question.help, question.example)
        if steering == "help" and words != "?":
            text = f"{text}\n{lines.HOW_AT_A_QUESTION}"
        return now, (_show("notice", text, now.opening.conductor), do.Listen("answer"))
    if steering in ("back", "undo"):
        return _go_back(now)
    if steering == "skip":
        words = UNKNOWN
    if words in ("e", "E", "[E]"):
        return now, (_show("notice", lines.NOT_YET), do.Listen("answer"))
    # A single word may well answer a follow-up: "How long may it take?" "Quick."
    is_request = now.follow_up is None or len(words_of(words)) > 1
    wanted = depths.hear_depth(words, question.text) if is_request else None
    if wanted is not None:
        phase = now.opening.phase.key
        return replace(now, wanted_depth=wanted, stage=Stage.DEPTH), (do.SaveDepth(phase, wanted),)
    if now.follow_up is not None:
        return _complete_answer(now, words)
    return _take_answer(now, question, words)


def _go_back(now: Analysis) -> Outcome:
    """Ask the question before again, with its answer to edit; the answers after it are asked again too."""
    if now.follow_up is not None:
        return _ask_again(now)
    if now.editing is not None:
        labels = [question.label for question in now.step.questions(now.depth)]
        at = labels.index(now.editing) if now.editing in labels else 0
        return _edit_answer(_restore_answers(now), labels[at - 1]) if at else _say_first(now)
    return _ask_again(now) if now.answers else _say_first(now)


def _say_first(now: Analysis) -> Outcome:
    return _ask_question(now, _show("notice", _FIRST))


def _ask_again(now: Analysis) -> Outcome:
    """Ask the question that was answered last again."""
    *before, last = now.answers
    kept = tuple(answer for answer in now.earlier if answer.label != last.label)
    return _ask_question(
        replace(now, answers=tuple(before), earlier=(*kept, last), follow_up=None, reminded=False)
    )


def _restore_answers(now: Analysis) -> Analysis:
    """Return the state with the answers that were asked for again and not given anew, in their order."""
    given = {answer.label for answer in now.answers}
    answers = (*now.answers, *(answer for answer in now.earlier if answer.label not in given))
    order = [question.label for question in now.step.questions(now.depth)]
    ranked = sorted(
        answers, key=lambda answer: order.index(answer.label) if answer.label in order else len(order)
    )
    return replace(now, answers=tuple(ranked), earlier=(), proposed="", follow_up=None)


def _edit_answer(now: Analysis, label: str, proposed: str = "") -> Outcome:
    """Ask one question of the step again, with the answer that it has, or what corrects it, to edit."""
    given = tuple(answer for answer in now.answers if answer.label == label)
    after = replace(
        now,
        answers=tuple(answer for answer in now.answers if answer.label != label),
        earlier=given,
        editing=label,
        proposed=proposed,
        follow_up=None,
        reminded=False,
    )
    return _ask_question(after) if given else _collect_offers(after)


def _take_answer(now: Analysis, question: Question, words: str) -> Outcome:
    offer = _find_offer(now, question)
    if is_silence(words) and offer is not None:
        return _keep(now, do.Answer(question.label, question.text, offer.text, offered=True))
    if is_silence(words) and not now.reminded:
        text = (
            f"{question.choose_wording(with_draft=False)}\n  (What you know is enough; ? shows an example.)"
        )
        reminder = _show("question", text, now.opening.conductor)
        return replace(now, reminded=True), (reminder, do.Listen("answer"))
    if is_silence(words) or is_unknown(words):
        text = UNKNOWN if is_silence(words) else words
        return _keep(now, do.Answer(question.label, question.text, text, unknown=True))
    answer = do.Answer(question.label, question.text, words, relayed=now.relayed)
    criteria = (each for each in now.step.validation if each.label == question.label)
    missed = next((each for each in criteria if not meets_check(each.check, words)), None)
    if missed is None:
        return _keep(now, answer)
    held = replace(now, answers=(*now.answers, answer), stage=Stage.FOLLOW_UP, follow_up="")
    return held, (_show("answer", words, USER), do.AskFollowUp(now.brief, question, words, missed))


def followed_up(now: Analysis, event: on.FollowedUp) -> Outcome:
    text = event.text.strip()
    asked = _show("question", text, now.opening.conductor)
    return replace(now, follow_up=text, stage=Stage.ANSWER), (asked, do.Listen("answer"))


def _complete_answer(now: Analysis, words: str) -> Outcome:
    """Add the reply to a follow-up to the answer; silence or not knowing leaves it as it was."""
    if is_silence(words):
        return _ask_question(replace(now, follow_up=None))
    first = now.answers[-1]
    text = first.text if is_unknown(words) else f"{first.text}\n{words}"
    return _keep(replace(now, answers=now.answers[:-1], follow_up=None), replace(first, text=text), words)


def _keep(now: Analysis, answer: do.Answer, words: str | None = None) -> Outcome:
    is_relayed = answer.relayed or (now.relayed and not answer.offered and not answer.unknown)
    answer = replace(answer, relayed=is_relayed)
    kept = replace(now, answers=(*now.answers, answer), reminded=False, proposed="")
    return _ask_question(kept, _show("answer", answer.text if words is None else words, USER))


def depth_saved(now: Analysis, event: on.DepthSaved) -> Outcome:
    depth = now.wanted_depth or now.depth
    changed = replace(now, depth=depth, wanted_depth=None, follow_up=None, reminded=False)
    return _collect_offers(changed, _show("depth", depths.acknowledgement(depth), now.opening.conductor))


def _unanswered_questions(now: Analysis) -> tuple[Question, ...]:
    known = {answer.label for answer in now.answers}
    asked = now.step.questions(now.depth)
    if now.editing is not None:
        every = (*asked, *now.step.deep, *now.step.standard, *now.step.brief)
        asked = tuple(question for question in every if question.label == now.editing)[:1]
    return tuple(question for question in asked if question.label not in known)


def _open_question(now: Analysis) -> Question | None:
    """Return the question that waits for words: the one followed up, else the first without an answer."""
    if now.follow_up is not None:
        label = now.answers[-1].label
        every = (*now.step.questions(now.depth), *now.step.deep, *now.step.standard, *now.step.brief)
        return next((each for each in every if each.label == label), None)
    return next(iter(_unanswered_questions(now)), None)


def _find_offer(now: Analysis, question: Question) -> on.Offer | None:
    if now.proposed and question.label == now.editing:
        return on.Offer(question.label, now.proposed, "what you just said")
    before = next((answer for answer in now.earlier if answer.label == question.label), None)
    if before is not None and not before.unknown:
        return on.Offer(before.label, before.text, "your answer")
    return next((offer for offer in now.offers if offer.label == question.label), None)


# --- the step's artifacts -------------------------------------------------------------------------------


def _draft_sections(now: Analysis, *shown: do.Show) -> Outcome:
    step = now.step
    named = {target.output for target in step.targets}
    unnamed = tuple(Target(output, step.title) for output in step.outputs if output not in named)
    targets = (*(target for target in step.targets if target.output in step.outputs), *unnamed)
    return replace(now, stage=Stage.DRAFT), (*shown, do.AskDraft(now.brief, targets))


def sections_drafted(now: Analysis, event: on.Drafted) -> Outcome:
    """Show each section of a document as it will stand, which the menu below it accepts (STEP-4)."""
    notices = (_show("notice", each.notice) for each in event.sections if each.notice)
    relayed = [answer.label for answer in now.answers if answer.relayed]
    sections = tuple(_mark_relayed(each, relayed) for each in event.sections)
    texts = (
        _show("update", f"### {each.target.section}\n\n{each.text.strip()}")
        for each in sections
        if each.target.output.endswith(".md") and each.text.strip()
    )
    return replace(now, stage=Stage.WRITTEN), (*notices, *texts, do.WriteStep(now.step, sections))


def _mark_relayed(section: on.SectionText, labels: list[str]) -> on.SectionText:
    """Say below a page's section which answers another program passed on."""
    if not labels or not section.target.output.endswith(".md"):
        return section
    return replace(section, text=f"{section.text}\n\n{lines.relayed_answers(labels)}")


def step_written(now: Analysis, event: on.StepWritten) -> Outcome:
    shown = (_show("update", text) for text in event.announcements)
    first = not now.saved and now.step.step_id not in now.opening.progress.steps_completed
    written = (do.Written("section", event.moment, now.earlier, first),) if event.moment else ()
    after = replace(now, stage=Stage.SAVED, written=now.written + written, earlier=(), editing=None)
    return after, (*shown, do.SaveStep(now.step.step_id))


def step_saved(now: Analysis, event: on.StepSaved) -> Outcome:
    return _show_menu(replace(now, saved=True))


def change_taken_back(now: Analysis, event: on.Undone) -> Outcome:
    """After `undo`: the menu again, or the last question where the step is no longer complete."""
    shown = [_show("update" if event.done else "notice", text) for text in event.announcements]
    if not event.done:
        return _show_menu(now, *shown)
    last = now.written[-1]
    after = replace(now, written=now.written[:-1])
    if last.kind != "section":
        return _show_menu(after, *shown)
    if not last.first:
        labels = {answer.label for answer in last.answers}
        kept = tuple(answer for answer in now.answers if answer.label not in labels)
        return _show_menu(_restore_answers(replace(after, answers=kept, earlier=last.answers)), *shown)
    again, commands = _go_back(replace(after, saved=False))
    return again, (*shown, *commands)


# --- the menu -------------------------------------------------------------------------------------------


def _show_menu(now: Analysis, *shown: do.Command) -> Outcome:
    """Show the menu of the step in hand, with what may be chosen now."""
    left, phase = now.remaining_steps, now.opening.next_phase
    # A dependency that is still to come needs no notice; one that blocks the rest of the phase does.
    warnings = [_show("notice", text) for text in left.warnings if not left.steps]
    if not left.steps and (skipped := _find_skipped(now)):
        warnings.append(_show("notice", lines.steps_to_make_up(skipped)))
    text = lines.menu(last=not left.steps, next_phase=(phase.number, phase.name) if phase else None)
    return replace(now, stage=Stage.MENU), (*shown, *warnings, _show("menu", text), do.Listen("menu"))


def _find_skipped(now: Analysis) -> tuple[tuple[str, str], ...]:
    """Return the steps that were skipped with their phase and can be made up, by id and title (MENU-4)."""
    opening = now.opening
    facts = dict(opening.facts)
    return tuple(
        (step.step_id, step.title)
        for phase in PHASES
        if phase.key in opening.progress.phases_completed
        for step in find_remaining_steps(opening.steps, phase, now.completed_steps, facts).steps
    )


def menu_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    opening, left, words = now.opening, now.remaining_steps, event.text.strip()
    steered = _steer_at_menu(now, words)
    if steered is not None:
        return steered
    if any(words == step_id for step_id, _ in _find_skipped(now)):
        return replace(now, stage=Stage.ENDED), (_show("choice", words, USER), do.MakeUp(words))
    if words.startswith("/") or hear_exit(words) == "exit":
        return _show_menu(now, _show("notice", _NOT_HERE))
    wanted = depths.hear_depth(words, None)
    choice = hear_menu(words, can_skip=bool(left.steps))
    if wanted is not None and choice == "feedback":
        after = replace(now, wanted_depth=wanted, stage=Stage.MENU_DEPTH)
        return after, (do.SaveDepth(opening.phase.key, wanted),)
    echo = _show("choice", words, USER)
    match choice:
        case "continue" if left.steps:
            return replace(now, stage=Stage.ENDED), (echo, do.Advance())
        case "continue":
            return replace(now, stage=Stage.PHASE), (echo, do.SavePhase(opening.phase.key))
        case "skip":
            steps = steps_of_phase(opening.steps, opening.phase)
            done = tuple(step for step in steps if step.step_id in now.completed_steps)
            drafts = do.WriteDrafts(done, tuple(step for step in steps if step not in done))
            return replace(now, stage=Stage.DRAFTS), (echo, _show("notice", lines.SKIPPING), drafts)
        case "nothing-to-skip":
            return _show_menu(now, _show("notice", _NOTHING_TO_SKIP))
        case "elaborate":
            return _elaborate(now, echo)
        case "feedback" if not _is_remark(words):
            return _show_menu(now, _show("notice", _NO_REMARK))
        case "feedback" if opening.step is None:
            return _show_menu(now, _show("notice", _NO_STEP))
        case "feedback":
            return _take_feedback(now, words)


def _steer_at_menu(now: Analysis, words: str) -> Outcome | None:
    """Do what a word that steers says; None where the message is a choice or content (MENU-3, MENU-7)."""
    steering = hear_steering(words, at_menu=True)
    if steering is None or steering == "quit":
        return None
    labels = _answer_labels(now)
    match steering:
        case "help":
            return _show_menu(now, _show("notice", lines.how_at_a_menu(labels)))
        case "no" | "number":
            return _show_menu(now, _show("notice", lines.what_to_change(labels)))
        case _ if now.opening.step is None:
            return _show_menu(now, _show("notice", _NO_STEP))
        case "undo" if not now.written:
            return _show_menu(now, _show("notice", _NOTHING_WRITTEN))
        case "undo":
            undo = do.UndoLast(now.step, now.written[-1])
            return replace(now, stage=Stage.UNDONE), (_show("choice", words, USER), undo)
        case "back" if labels:
            return _edit_answer(now, labels[-1])
        case "edit" if label := hear_edit(words, labels):
            return _edit_answer(now, label)
    return _show_menu(now, _show("notice", lines.what_to_change(labels)))


def _answer_labels(now: Analysis) -> tuple[str, ...]:
    """Return the labels of the answers that can be edited at the menu, in the order they were asked."""
    if now.opening.step is None:
        return ()
    given = tuple(answer.label for answer in _restore_answers(now).answers)
    return given or tuple(question.label for question in now.step.questions(now.depth))


def _take_feedback(now: Analysis, words: str) -> Outcome:
    """Change the answer that feedback corrects, let a persona answer an aside, or keep it as feedback."""
    given = tuple((answer.label, answer.text) for answer in now.answers)
    if corrected := find_corrected(words, given):
        return _edit_answer(now, corrected.label, corrected.words)
    heard = address(words, now.opening.roster)
    said = _show("feedback", words, USER)
    if heard.persona is not None and asks_something(words):
        brief = replace(now.brief, persona=now.opening.roster[heard.persona])
        return replace(now, feedback=None, stage=Stage.FEEDBACK), (
            said,
            do.AskFeedback(brief, words, aside=True),
        )
    after = replace(now, feedback=words, stage=Stage.FEEDBACK)
    return after, (said, do.AskFeedback(now.brief, words))


def _is_remark(text: str) -> bool:
    """Whether a message says something; a question mark, a slip of a key or a wish to leave does not."""
    words = words_of(text)
    leaves = hear_steering(text, at_menu=True) == "quit"
    return len("".join(words)) > 1 and not is_unknown(text) and not leaves


def _elaborate(now: Analysis, *shown: do.Show) -> Outcome:
    """Begin a roundtable on the step in hand, where there is a step and somebody to talk to."""
    opening = now.opening
    if opening.step is None or not opening.roster.can_discuss:
        reason = _NO_STEP if opening.step is None else _ALONE.format(name=opening.lead.name)
        return _show_menu(now, *shown, _show("notice", reason))
    elaboration, commands = Elaboration.begin(
        item=opening.item, step=opening.step, roster=opening.roster, steps=opening.steps,
        user_name=opening.user_name, has_review=opening.has_review,
    )  # fmt: skip
    return replace(now, elaboration=elaboration, stage=Stage.ELABORATION), (*shown, *commands)


def menu_depth_saved(now: Analysis, event: on.DepthSaved) -> Outcome:
    depth = now.wanted_depth or now.depth
    said = _show("depth", depths.acknowledgement(depth), now.opening.lead)
    return _show_menu(replace(now, depth=depth, wanted_depth=None), said)


def feedback_taken(now: Analysis, event: on.FeedbackTaken) -> Outcome:
    """Show the reply; feedback is then written, an aside is not."""
    roster = now.opening.roster
    lead = roster[event.speaker] if event.speaker and event.speaker in roster else now.opening.lead
    reply = _show("feedback", lines.contribution(lead, event.reply.strip()), lead)
    if now.feedback is None:
        return _show_menu(now, reply)
    write = do.WriteFeedback(now.step, now.feedback, event.at)
    return replace(now, stage=Stage.FEEDBACK_WRITTEN), (reply, write)


def feedback_written(now: Analysis, event: on.FeedbackWritten) -> Outcome:
    written = (do.Written("feedback", event.moment),) if event.moment else ()
    after = replace(now, feedback=None, written=now.written + written)
    return _show_menu(after, *(_show("update", text) for text in event.announcements))


def drafts_written(now: Analysis, event: on.DraftsWritten) -> Outcome:
    shown = (_show("update", text) for text in event.announcements)
    return replace(now, stage=Stage.PHASE), (*shown, do.SavePhase(now.opening.phase.key))


def phase_saved(now: Analysis, event: on.PhaseSaved) -> Outcome:
    return replace(now, stage=Stage.ENDED), (do.Advance(),)


def finished_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    choice = hear_choice(event.text, (LEAVE, START_OVER))
    if choice is None:
        return now, (_show("notice", "Please choose L or S."), do.Listen("choice"))
    echo = _show("choice", event.text.strip() or LEAVE, USER)
    last = do.StartOver() if choice == START_OVER else do.Leave()
    return replace(now, stage=Stage.ENDED), (echo, last)


def _show(kind: LineKind, text: str, speaker: Persona | str | None = None) -> do.Show:
    return do.Show(Line(kind, text, speaker.key if isinstance(speaker, Persona) else speaker))


# --- the table ------------------------------------------------------------------------------------------

TABLE: Mapping[Stage, Mapping[type[on.Event], Callable[[Analysis, Any], Outcome]]] = {
    Stage.READING: {on.ArtifactsRead: artifacts_read},
    Stage.OFFERS: {on.Offered: offers_collected},
    Stage.ANSWER: {on.UserSpoke: user_answered},
    Stage.FOLLOW_UP: {on.FollowedUp: followed_up},
    Stage.DEPTH: {on.DepthSaved: depth_saved},
    Stage.DRAFT: {on.Drafted: sections_drafted},
    Stage.WRITTEN: {on.StepWritten: step_written},
    Stage.SAVED: {on.StepSaved: step_saved},
    Stage.MENU: {on.UserSpoke: menu_answered},
    Stage.MENU_DEPTH: {on.DepthSaved: menu_depth_saved},
    Stage.FEEDBACK: {on.FeedbackTaken: feedback_taken},
    Stage.FEEDBACK_WRITTEN: {on.FeedbackWritten: feedback_written},
    Stage.UNDONE: {on.Undone: change_taken_back},
    Stage.DRAFTS: {on.DraftsWritten: drafts_written},
    Stage.PHASE: {on.PhaseSaved: phase_saved},
    Stage.FINISHED: {on.UserSpoke: finished_answered},
}
