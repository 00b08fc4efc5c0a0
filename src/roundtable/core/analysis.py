"""One leg of the analysis, which is a step and its menu, as a pure state machine.

The rules, in the order of a leg:

- On arrival the user sees a hand-off, a greeting and the depth, as far as they apply. A lead that takes over
  from another first says what it read in the artifacts so far.
- A new item gets a proposal for its track before its first step. The user accepts it or names another track,
  there or at any later question or menu.
- Draft answers are collected, then the step's questions are asked one by one. An empty message accepts the
  draft, "I don't know" is a fair answer, and an answer that misses a criterion gets one follow-up. At brief
  depth and in a short track, drafts are accepted without asking, and the menu is one line.
- The step's sections are drafted, written and saved. Then the menu is shown.
- At the menu the user continues, skips the rest of the phase, elaborates, or says what to change. A running
  elaboration receives every event; when it has ended, the same menu returns.
- There is always a way back: `back` at a question asks the question before it, even across steps; `edit` at
  the menu asks one question again; `undo` takes back what was written last. Such commands never become
  content.
- When all phases are complete, the user leaves or starts over.

`Opening` holds what a leg starts from, `Analysis` its state. `TRANSITIONS`, at the end, says which event may
come at which stage. Any other event raises `RuleBroken` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from . import commands as do
from . import events as on
from . import hearing, lines
from .commands import show
from .elaboration import Elaboration
from .errors import RuleBroken
from .lines import Line, LineKind
from .markers import NoneMarker, strip_markers
from .personas import Persona, Roster
from .progress import Progress, RemainingSteps, StepState, find_remaining_steps, find_state, steps_of_phase
from .steps import NOT_ASKED, PHASES, Depth, Item, Phase, Question, Step, is_markdown, phase_of
from .synthesis import UNVERIFIED, mark_unverified, shorten_text, strip_mark
from .text import content_stems, is_silence, words_of
from .tracks import FEATURE, TrackChoice, hear_track
from .turns import USER
from .validation import asks_back, is_settled, is_unknown, meets_check

UNKNOWN = "I don't know"
ASSUMED = " (assumed)"  # marks an answer that a panel assumed, without a source and without asking the user
# Where a draft comes from: the code survey, the step's document, or an answer given in this leg.
GUESSED, STANDING, OWN = "the code", "what stands in the document", "your answer"
MOST_QUESTIONS = 3  # that the user is asked in a drafted step (STEP-4)
LEAVE, START_OVER = "leave", "start over"
_SUBJECT_LENGTH = 100

OpeningKind = Literal["step", "menu", "elaborate", "finished"]
Arrival = Literal["new", "resumed", "continuing"]


class Stage(StrEnum):
    """What the analysis waits for."""

    TRACK = "the track of the item"
    TRACK_SAVED = "the track in meta.json"
    READING = "what the incoming persona read"
    OFFERS = "the draft answers"
    ANSWER = "an answer"
    FOLLOW_UP = "a follow-up question"
    DEPTH = "the new depth on disk"
    DRAFT = "the text of the step's sections"
    WRITTEN = "the step's artifacts on disk"
    SAVED = "the step in meta.json"
    MENU = "a choice at the menu"
    FEEDBACK = "the lead's reply to feedback"
    FEEDBACK_WRITTEN = "the feedback on disk"
    UNDONE = "what was written last, taken back"
    DRAFTS = "the drafts of skipped steps on disk"
    PHASE = "the phase in meta.json"
    FINISHED = "whether to start over"
    ELABORATION = "the roundtable"
    ENDED = "nothing: the leg has ended"


class Opening(Struct, frozen=True):
    """What a leg starts from: item, roster, position, and what is known so far."""

    kind: OpeningKind
    item: Item
    roster: Roster
    steps: tuple[Step, ...]  # of the item's track
    phase: Phase
    step: Step | None = None
    progress: Progress = Progress()
    facts: tuple[tuple[str, str], ...] = ()
    depth: Depth = "standard"
    arrival: Arrival = "new"
    handed_over_by: Phase | None = None
    parked: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    moved_on: bool = False
    user_name: str | None = None
    track: str = ""  # the key of the item's track; empty if nobody can choose one
    tracks: tuple[TrackChoice, ...] = ()
    proposal: str = ""  # the words that propose the track; empty if it was chosen before
    is_short: bool = False
    is_depth_known: bool = False  # the phase before had the same depth: it is not announced again
    asks_last: bool = False  # the user came back from the next step: only the last question is asked

    @property
    def lead(self) -> Persona:
        return self.roster.lead_of(self.phase.key)

    @property
    def conductor(self) -> Persona:
        """Who conducts the step: the persona it names, else the phase's lead."""
        return (self.roster.find(self.step.persona) if self.step else None) or self.lead

    @property
    def next_phase(self) -> Phase | None:
        """The first other phase that is not complete and that the track needs."""
        done = (*self.progress.phases_completed, self.phase.key)
        return next((each for each in PHASES if each.key not in done and not self.is_passed(each)), None)

    def is_passed(self, phase: Phase) -> bool:
        """Whether the track needs nothing in a phase (STEP-9)."""
        return bool(self.track) and not steps_of_phase(self.steps, phase)


class Analysis(Struct, frozen=True):
    """The state of one leg; `receive` returns the next one and what to do."""

    opening: Opening
    stage: Stage
    depth: Depth
    answers: tuple[do.Answer, ...] = ()
    offers: tuple[on.Offer, ...] = ()
    reminded: bool = False
    follow_up: str | None = None
    feedback: str | None = None
    saved: bool = False
    elaboration: Elaboration | None = None
    editing: str | None = None  # the label of the one question that is asked again, such as by `edit`
    again: tuple[str, ...] = ()  # the labels of answers that are kept but asked for again
    stood: tuple[do.Answer, ...] = ()  # the answers that the documents were last written from
    proposed: str = ""  # a correction of the edited answer, offered as its draft
    written: tuple[do.Written, ...] = ()  # what this leg wrote and `undo` can take back
    in_hand: Question | None = None  # the question that was open when the depth changed; its wording stays
    chosen: TrackChoice | None = None  # the track to save, once the answers given so far are written

    @classmethod
    def begin(cls, opening: Opening) -> Outcome:
        """Return a new leg, and what to do first."""
        return _open_leg(cls(opening, Stage.ENDED, opening.depth, saved=opening.kind != "step"))

    def receive(self, event: on.Event) -> Outcome:
        """Return the next state and what to do; an illegal event raises `RuleBroken` and changes nothing."""
        if self.elaboration is not None:
            elaboration, commands = self.elaboration.receive(event)
            if not elaboration.has_ended:
                return replace(self, elaboration=elaboration), commands
            moment, at = elaboration.undo_key, elaboration.drafted_at
            block = (do.Written("block", moment, at=at),) if moment else ()
            after = replace(self, elaboration=None, written=self.written + block)
            if not self.step.step_id:  # a document without a step has no menu (MENU-8)
                return after.wait(Stage.ENDED, *commands[:-1], do.Advance(otherwise=LEAVE))
            return _show_menu(after, *commands[:-1])
        if type(event).__name__ not in self.legal:
            reason = f"{type(event).__name__} cannot come while the analysis waits for {self.stage}."
            raise RuleBroken(reason, legal=self.legal)
        return TRANSITIONS[self.stage][1](self, event)

    def wait(self, stage: Stage, *commands: do.Command, **changes: Any) -> Outcome:
        """Return the changed state, which waits at `stage`, and the commands."""
        return replace(self, stage=stage, **changes), commands

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        if self.elaboration is not None:
            return self.elaboration.legal
        return (TRANSITIONS[self.stage][0].__name__,) if self.stage in TRANSITIONS else ()

    @property
    def step(self) -> Step:
        if self.opening.step is None:
            raise RuleBroken("No step of this phase is complete yet, so there is nothing to discuss or edit.")
        return self.opening.step

    @property
    def given_answers(self) -> tuple[do.Answer, ...]:
        """The answers that are not asked for again; all of them if the user changes the track."""
        return tuple(answer for answer in self.answers if self.chosen or answer.label not in self.again)

    @property
    def completed_steps(self) -> tuple[str, ...]:
        """The completed steps, with this leg's own once it is saved."""
        done, step = self.opening.progress.steps_completed, self.opening.step
        return done if step is None or not self.saved or step.step_id in done else (*done, step.step_id)

    @property
    def remaining_steps(self) -> RemainingSteps:
        opening = self.opening
        return find_remaining_steps(opening.steps, opening.phase, self.completed_steps, dict(opening.facts))

    def list_states(self, also: str = "") -> tuple[tuple[Step, StepState], ...]:
        """Return each step with its state; `also` names a phase that counts as complete."""
        opening, facts = self.opening, dict(self.opening.facts)
        progress = Progress(self.completed_steps, (*opening.progress.phases_completed, also))
        return tuple((step, find_state(step, opening.step, progress, facts)) for step in opening.steps)

    @property
    def is_quick(self) -> bool:
        """Whether drafts are taken without asking, and the menu is one line."""
        return self.depth == "brief" or self.opening.is_short

    @property
    def is_at_menu(self) -> bool:
        """Whether the step is written and none of its answers is being edited."""
        return self.saved and self.editing is None

    @property
    def brief(self) -> do.StepBrief:
        """What a panel needs to know about the current step."""
        opening, answers = self.opening, self.given_answers
        return do.StepBrief(opening.item, self.step, opening.conductor, opening.roster, self.depth, answers)


Outcome: TypeAlias = tuple[Analysis, tuple[do.Command, ...]]


def _open_leg(now: Analysis) -> Outcome:
    opening, lead = now.opening, now.opening.lead
    if opening.kind == "finished":
        moved = "moved on since: some findings may be out of date"
        code = f"The code has {moved if opening.moved_on else 'not moved on since'}."
        said = show("greeting", f"All five phases of {opening.item.name} are complete. {code}", lead)
        return now.wait(Stage.FINISHED, said, do.Show(lines.FINISHED_MENU), do.Listen("choice"))
    shown = [*_show_all("notice", opening.notices)]
    if opening.kind == "elaborate":
        return _elaborate(now, *shown)
    handed_over = opening.handed_over_by if opening.arrival == "new" else None
    if opening.arrival == "resumed":
        shown += recall(now, opening.progress)
    if handed_over:
        ahead = f"{lead.title} who will guide you through {opening.phase.description}"
        done = f"{opening.roster.lead_of(handed_over.key).name} has finished {handed_over.description}."
        shown.append(show("handoff", f"{done} Handing off to {ahead}."))
    if opening.arrival == "new" and not (handed_over and opening.is_short):
        begun = (phase for phase in map(phase_of, opening.progress.steps_completed) if phase)
        has_met = any(opening.roster.lead_of(phase.key) == lead for phase in begun)
        shown.append(do.Show(lines.new_in_phase(lead, opening.phase, has_met=has_met)))
    if opening.kind == "menu":
        return _show_menu(now, *shown)
    if opening.proposal and opening.is_short:
        return now.wait(Stage.TRACK, *shown, show("question", opening.proposal, lead), do.Listen("answer"))
    if opening.proposal:
        shown.append(show("notice", opening.proposal, lead))
    is_news = opening.arrival != "continuing" and not (opening.is_short or opening.is_depth_known)
    if is_news and opening.depth in lines.DEPTH_ANNOUNCEMENTS:
        shown.append(show("depth", lines.DEPTH_ANNOUNCEMENTS[opening.depth], lead))
    if handed_over and not opening.is_short:
        return now.wait(Stage.READING, *shown, do.AskReading(replace(now.brief, persona=opening.lead)))
    return _enter_step(now, *shown)


def recall(now: Analysis, progress: Progress) -> tuple[do.Show, ...]:
    """Return the greeting of a resumed leg, with the roundtables of `progress` (GREET-6)."""
    opening, left = now.opening, now.remaining_steps.steps
    if opening.kind in ("finished", "elaborate"):
        return ()
    is_asked = not now.saved or now.stage in (Stage.OFFERS, Stage.ANSWER, Stage.FOLLOW_UP)
    if now.elaboration is not None or is_asked:
        place = f"{'the roundtable on ' if now.elaboration else ''}{now.step.title}"
    else:
        at, phase = opening.step.title if opening.step else opening.phase.name, opening.next_phase
        ahead = f"Phase {phase.number} ({phase.name})" if phase else "the end of the analysis"
        place = f"the menu of {at}; {left[0].title if left else ahead} comes next"
    # A step that is open again is not listed as done.
    ours, again = steps_of_phase(opening.steps, opening.phase), opening.step if is_asked else None
    titles = {each.step_id: each.title for each in ours if each != again}
    done = [titles[each] for each in now.completed_steps if each in titles]
    past = [each for each in progress.elaborations if phase_of(each.step_id) == opening.phase]
    return (do.Show(lines.welcome_back(opening.lead, titles=done, past=past, ahead=place)),)


def persona_replied(now: Analysis, event: on.PersonaReplied) -> Outcome:
    """Ask the follow-up, or show what the incoming persona read and begin the step."""
    if now.stage is Stage.FOLLOW_UP:
        return _ask_question(replace(now, follow_up=event.text.strip()))
    read = lines.speech(now.opening.lead, event.text.strip(), "handoff")
    return _enter_step(now, do.Show(read)) if read.words else _enter_step(now)


def _enter_step(now: Analysis, *shown: do.Show) -> Outcome:
    title = f"Step {now.step.step_id}: {now.step.title}"
    header = do.Show(lines.speech(now.opening.conductor, title, "step"))
    if now.opening.asks_last and (asked := _unanswered_questions(now, has_offers=False)):
        now = replace(now, again=(asked[-1].label,), editing=asked[-1].label)
    return _collect_offers(now, *shown, header, *_show_all("notice", now.opening.parked))


# --- the track ------------------------------------------------------------------------------------------


def track_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    words, own = event.text.strip(), _own_track(now)
    if own and hearing.hear_menu(words, can_skip=False) == "continue":
        return _save_track(now, own, *([show("choice", words, USER)] if words else []))
    return _hear_track(now, words) or _name_tracks(now)


def _own_track(now: Analysis) -> TrackChoice | None:
    return next((choice for choice in now.opening.tracks if choice.key == now.opening.track), None)


def _hear_track(now: Analysis, words: str, question: Question | None = None) -> Outcome | None:
    """Save the track that a message chooses, or list the tracks; None if it is about something else."""
    opening = now.opening
    wish = hear_track(words, opening.tracks, is_open=bool(opening.proposal)) if opening.tracks else None
    if wish is None:
        return None
    if question is not None:  # "small" may answer it, and so may words that name no track
        checks = (each.check for each in now.step.validation if each.label == question.label)
        asked = words_of(" ".join((question.text, question.without, now.follow_up or "", *checks)))
        if wish.track is None or (not wish.is_command and wish.track.key in asked):
            return None
    if wish.track is None or (not opening.proposal and wish.track.key == opening.track):
        return _name_tracks(now)
    return _save_track(now, wish.track, show("choice", words, USER))


def _name_tracks(now: Analysis) -> Outcome:
    tracks, own = now.opening.tracks, _own_track(now)
    listed = "; ".join(f"`track {each.key}`: {each.summary}" for each in tracks if each != own)
    title = own.title if own else now.opening.track
    text = f"This is analysed as {lines.article(title)} {title}. To change that: {listed}."
    if now.stage is Stage.TRACK:
        text = f"Please choose the track first; nothing of this was kept as an answer. {text} Enter goes on."
    return _tell(now, text, now.opening.lead)


def _save_track(now: Analysis, chosen: TrackChoice, *shown: do.Show) -> Outcome:
    """Save the track; if that interrupts a step, the user's answers are written first."""
    opening = now.opening
    has_own = any(not (each.offered or each.unknown) for each in now.answers) and now.answers != now.stood
    if now.stage is Stage.ANSWER and has_own and chosen.key != opening.track:
        return _draft_sections(replace(now, chosen=chosen), *shown)
    whole = next((each.steps for each in opening.tracks if each.key == FEATURE), ())
    not_needed = tuple(step_id for step_id in whole if step_id not in chosen.steps)
    # A track that was only proposed has not been followed yet.
    before = () if opening.proposal else tuple(step.step_id for step in opening.steps)
    save = do.SaveProgress(track=chosen, not_needed=not_needed, before=before)
    return now.wait(Stage.TRACK_SAVED, *shown, save, chosen=chosen, opening=replace(opening, proposal=""))


def track_saved(now: Analysis, event: on.Saved) -> Outcome:
    if now.chosen != _own_track(now):
        return now.wait(Stage.ENDED, do.Advance())
    after = replace(now, chosen=None)
    return _show_menu(after) if now.is_at_menu else _enter_step(after)


# --- questions and answers ------------------------------------------------------------------------------


def _collect_offers(now: Analysis, *shown: do.Show) -> Outcome:
    questions = _unanswered_questions(now, has_offers=False)
    if not questions:
        return _draft_sections(now, *shown)
    return now.wait(Stage.OFFERS, *shown, do.AskOffers(now.brief, questions))


def offers_collected(now: Analysis, event: on.Offered) -> Outcome:
    """Accept the drafts that need no question, and ask the first question that is left (STEP-4)."""
    after = replace(now, offers=tuple(each for each in event.offers if each.text))
    by_panel = any(each.standing for each in event.offers)
    if now.editing is not None or not (by_panel or now.is_quick):
        return _ask_question(after)
    drafts = {each.label: each for each in event.offers if not each.is_subject}
    with_words = {label for label, draft in drafts.items() if draft.text}
    questions = _unanswered_questions(after)
    asked = [each for each in questions if each.label not in drafts or not _is_sure(drafts[each.label])]
    if by_panel:
        # Questions without a draft come first; the others only need a nod, and a quick step does without it.
        wanted = (each for each in asked if not (now.is_quick and each.label in with_words))
        asked = sorted(wanted, key=lambda each: each.label in with_words)[:MOST_QUESTIONS]
    taken: list[str] = []
    for question in questions:
        if question in asked or question == now.in_hand or question.label in now.again:
            continue
        answer = _leave_open(question)
        if question.label in with_words:
            draft = drafts[question.label]
            text = f"{draft.text}{ASSUMED}" if draft.standing == "assumed" else draft.text
            answer = do.Answer(question.label, question.text, text, offered=True)
            taken.append(f"{question.label}{f', from {draft.source}' if draft.source else ''}: {text}")
        after = _put_answer(after, answer)
    head = ["Drafted from what is on the table; `edit` at the menu changes any of it:"] if by_panel else []
    shown = (show("notice", "\n".join([*head, *taken]), now.opening.conductor),) if taken else ()
    return _ask_question(after, *shown)


def _is_sure(draft: on.Offer) -> bool:
    """Whether a draft is accepted without asking: not a guess from the code, and not words from a host."""
    if draft.standing:
        return draft.standing == "read" or not draft.matters
    return draft.source != GUESSED and not (draft.source == STANDING and UNVERIFIED in draft.text)


def _ask_question(now: Analysis, *shown: do.Show) -> Outcome:
    """Ask the follow-up, else the next open question with its draft; if none is left, draft the step."""
    if now.follow_up:
        asked = Line("question", now.follow_up, now.opening.conductor.key)
        return now.wait(Stage.ANSWER, *shown, do.Show(asked), do.Listen("answer"))
    question = _open_question(now)
    if question is None:
        return _draft_sections(now, *shown)
    offer, subject = _find_offer(now, question), _find_subject(now, question)
    said = [question.choose_wording(with_draft=bool(offer or subject))]
    said += [f"  > {line}" for line in subject.splitlines() if line.strip()]
    said += [lines.REMINDER] if now.reminded and not offer else []
    text, source = (offer.text, offer.source) if offer else ("", "")
    asked = Line("question", "\n".join(said), now.opening.conductor.key, draft=text, source=source)
    return now.wait(Stage.ANSWER, *shown, do.Show(asked), do.Listen("answer", offer=text))


def user_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    question, words, relayed = _open_question(now), event.text.strip(), event.relayed
    if question is None:
        return _draft_sections(now)
    if elsewhere := _hear_track(now, words, question) or _hear_step(now, words):
        return elsewhere
    is_addressed = hearing.address(words, now.opening.roster).persona is not None
    asks_help = asks_back(words.partition(" ")[2] if is_addressed else words)
    steering = "help" if asks_help else hearing.hear_steering(words, at_menu=False)
    spoken = " ".join((question.text, question.example, *(each.text for each in now.given_answers)))
    keys = ("E",) if "option" in spoken.casefold() else ("E", "C")  # of the menu; C may name an option
    match steering:
        case "help":
            example = f"For example: {question.example}" if question.example else ""
            said = filter(None, (question.help, example, lines.AT_A_QUESTION))
            return _tell(now, "\n".join(said), now.opening.conductor)
        case "back" | "undo":
            return _go_back(now)
        case "skip" if now.follow_up is None:
            offer = _find_offer(replace(now, proposed=""), question)
            if offer and offer.source in (STANDING, OWN):  # it is kept until there is another one
                own = (each for each in now.answers if each.label == offer.label and offer.source == OWN)
                standing = do.Answer(question.label, question.text, offer.text, offered=True)
                return _keep(now, next(own, standing), words)
            return _keep(now, _leave_open(question), words)
        case _ if steering == "edit" or words.strip("[]").upper() in keys:
            return _tell(now, lines.NOT_YET)
    if asked := hearing.hear_aside(words, now.opening.roster):
        return _ask_aside(now, asked, words, relayed=relayed)
    # A single word may answer a follow-up ("Quick."), unless it is a depth that we told the user to say.
    is_told = now.follow_up is None or words.strip("'`.!").lower() in lines.DEPTH_ANNOUNCEMENTS
    wanted = hearing.hear_depth(words, f"{question.text} {now.follow_up or ''}")
    if wanted and (is_told or len(words_of(words)) > 1):
        return _save_depth(now, wanted)
    if now.follow_up is not None:
        return _complete_answer(now, words, relayed=relayed)
    return _take_answer(now, question, words, relayed=relayed)


def _go_back(now: Analysis) -> Outcome:
    """Ask the previous question again, with its answer to edit, and after it the later ones.

    At the first question of a step, go back to the last question of the step before.
    """
    labels = [answer.label for answer in now.given_answers]
    if now.editing is not None and now.follow_up is None:
        asked = (question.label for question in now.step.questions(now.depth))
        if labels := [*takewhile(lambda label: label != now.editing, asked)]:
            return _edit_answer(now, labels[-1])
    if labels:
        return _ask_question(replace(now, again=(*now.again, labels[-1]), follow_up=None, reminded=False))
    earlier = takewhile(lambda step: step != now.step, now.opening.steps)
    done = [step.step_id for step in earlier if step.step_id in now.completed_steps]
    # New answers wait in this leg, and only a step that is not complete is sure to be opened again.
    if done and (now.answers == now.stood or now.step.step_id not in now.completed_steps):
        return now, (do.Advance(done[-1], is_back=True),)
    return _ask_question(now, show("notice", "This is the first question; there is nothing before it."))


def _edit_answer(now: Analysis, label: str, proposed: str = "") -> Outcome:
    """Ask one question of the step again, with its answer, or the proposed correction, to edit."""
    after = replace(now, again=(label,), editing=label, proposed=proposed, follow_up=None, reminded=False)
    has_answer = any(answer.label == label for answer in now.answers)
    return _ask_question(after) if has_answer else _collect_offers(after)


def _take_answer(now: Analysis, question: Question, words: str, *, relayed: bool) -> Outcome:
    offer = _find_offer(now, question)
    more = "" if is_silence(words) else hearing.hear_agreement(words, offer.text if offer else "")
    if offer and more is not None and not (more and is_unknown(more)):
        draft = offer.text if relayed else strip_mark(offer.text)  # the user saw the mark and accepts
        text = _join_texts(draft, more) if more else draft
        answer = do.Answer(question.label, question.text, text, offered=not more, relayed=relayed)
        return _keep(now, answer, words if more else None)
    if is_silence(words) and not now.reminded and not now.is_quick:
        return _ask_question(replace(now, reminded=True))
    if is_silence(words) or is_unknown(words):
        return _keep(now, _leave_open(question, UNKNOWN if is_silence(words) else words))
    answer = do.Answer(question.label, question.text, words, relayed=relayed)
    criteria = (each for each in now.step.validation if each.label == question.label)
    missed = next((each for each in criteria if not meets_check(each.check, words)), None)
    if missed is None or is_settled(words):
        return _keep(now, answer)
    ask = do.AskFollowUp(now.brief, question, words, missed)
    return _put_answer(now, answer).wait(Stage.FOLLOW_UP, show("answer", words, USER), ask, follow_up="")


def _leave_open(question: Question, words: str = UNKNOWN) -> do.Answer:
    return do.Answer(question.label, question.text, words, unknown=True)


def _complete_answer(now: Analysis, words: str, *, relayed: bool) -> Outcome:
    """Add the reply to a follow-up to the answer; silence or not knowing leaves it as it was."""
    after, first = replace(now, follow_up=None), now.answers[-1]
    if is_silence(words):
        return _ask_question(after)
    if hearing.hear_steering(words, at_menu=False) == "skip" or is_unknown(words):
        return _keep(after, first, words)
    before = first.text.rstrip()
    checks = (each.check for each in now.step.validation if each.label == first.label)
    choice = next((check for check in checks if check.startswith("one of")), "")
    if set(content_stems(before)) <= set(content_stems(words)):
        text = words  # the reply says it all
    elif choice:  # the choice, then why
        text = "\n".join((words, before) if meets_check(choice, words) else (before, words))
    else:
        text = _join_texts(before, words)
    return _keep(after, replace(first, text=text, relayed=first.relayed or relayed), words)


def _join_texts(first: str, more: str) -> str:
    first = first.rstrip()
    joint = "\n" if "\n" in first else " " if first.endswith((".", "!", "?", ":", "。")) else ". "
    return f"{first}{joint}{more}"


def _keep(now: Analysis, answer: do.Answer, words: str | None = None) -> Outcome:
    echo = show("answer", answer.text if words is None else words, USER)
    return _ask_question(replace(_put_answer(now, answer), proposed=""), echo)


def _put_answer(now: Analysis, answer: do.Answer) -> Analysis:
    others = (each for each in now.answers if each.label != answer.label)
    again = tuple(label for label in now.again if label != answer.label)
    return replace(now, answers=(*others, answer), again=again, reminded=False)


def _save_depth(now: Analysis, wanted: Depth) -> Outcome:
    is_asked = now.stage is Stage.ANSWER and not now.follow_up
    in_hand = _open_question(now) if is_asked else now.in_hand
    save = do.SaveProgress(depth=(now.opening.phase.key, wanted))
    return now.wait(Stage.DEPTH, save, depth=wanted, in_hand=in_hand)


def depth_saved(now: Analysis, event: on.Saved) -> Outcome:
    speaker = now.opening.lead if now.is_at_menu else now.opening.conductor
    said = show("depth", lines.depth_changed(now.depth), speaker)
    if now.is_at_menu:
        return _show_menu(now, said)
    return _ask_question(now, said) if now.follow_up else _collect_offers(replace(now, reminded=False), said)


def _unanswered_questions(now: Analysis, *, has_offers: bool = True) -> tuple[Question, ...]:
    """Return the questions that are still to be asked, or only the one whose answer is edited.

    Left out are questions that do not fit the kind of project, that are about an answer such as "none", or
    that need a draft and have none; with `has_offers=False` the last kind is included.
    """
    given = {answer.label: answer.text for answer in now.given_answers}
    if now.editing is not None:
        edited = _find_question(now, now.editing)
        return (edited,) if edited and now.editing not in given else ()
    asked = now.step.questions(now.depth)
    if now.in_hand is not None:
        asked = (now.in_hand, *(each for each in asked if each.label != now.in_hand.label))
    left = (each for each in asked if each.is_asked and each.label not in given)
    fitting = (each for each in left if not is_settled(given.get(each.shows.removeprefix("answer "), "")))
    return tuple(
        each for each in fitting if not has_offers or each.without != NOT_ASKED or _find_offer(now, each)
    )


def _open_question(now: Analysis) -> Question | None:
    if now.follow_up is not None:
        return _find_question(now, now.answers[-1].label)
    return next(iter(_unanswered_questions(now)), None)


def _find_question(now: Analysis, label: str) -> Question | None:
    """Return the step's question with a label, preferably in the wording of this depth."""
    every = (*now.step.questions(now.depth), *now.step.every_question)
    return next((question for question in every if question.label == label), None)


def _find_offer(now: Analysis, question: Question) -> on.Offer | None:
    """Return a question's draft, if any: a correction, the answer to edit, or what was collected."""
    if now.proposed and question.label == now.editing:
        return on.Offer(question.label, now.proposed, "what you just said")
    standing = (each for each in now.answers if each.label in now.again and not each.unknown)
    earlier = (on.Offer(each.label, each.text, OWN) for each in standing)
    offers = (*earlier, *(offer for offer in now.offers if not offer.is_subject))
    return next((offer for offer in offers if offer.label == question.label), None)


def _find_subject(now: Analysis, question: Question) -> str:
    """Return what the question asks about: an answer given in this step, else what was found elsewhere."""
    for each in now.given_answers:
        if question.shows == f"answer {each.label}" and not each.unknown:
            return "\n".join(shorten_text(line, _SUBJECT_LENGTH) for line in each.text.splitlines())
    shown = (each.text for each in now.offers if each.is_subject and each.label == question.label)
    return "\n".join(shorten_text(line, 2 * _SUBJECT_LENGTH) for line in next(shown, "").splitlines())


# --- the step's artifacts -------------------------------------------------------------------------------


def _draft_sections(now: Analysis, *shown: do.Show) -> Outcome:
    return now.wait(Stage.DRAFT, *shown, do.AskDraft(now.brief))


def sections_drafted(now: Analysis, event: on.Drafted) -> Outcome:
    """Show each section, which the user accepts at the menu, and write the step (STEP-4)."""
    shown = [*_show_all("notice", [each.notice for each in event.sections if each.notice])]
    for each in event.sections:
        text = strip_markers(each.text, NoneMarker).strip()
        if text and is_markdown(each.target.output):
            shown.append(do.Show(Line("update", text, heading=each.target.section)))
    return now.wait(Stage.WRITTEN, *shown, do.WriteStep(now.step, event.sections))


def step_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    shown, answers = _show_all("update", event.announcements), now.given_answers
    if now.chosen is not None:
        return _save_track(now, now.chosen, *shown)
    section = do.Written("section", event.moment, now.stood, now.step.step_id not in now.completed_steps)
    written = (*now.written, section) if event.moment else now.written
    after = replace(now, written=written, answers=answers, stood=answers, again=(), editing=None)
    return after.wait(Stage.SAVED, *shown, do.SaveProgress(now.step.step_id))


def change_taken_back(now: Analysis, event: on.Undone) -> Outcome:
    """After `undo`, show the menu, or ask the last question if the step is no longer complete."""
    shown = _show_all("update" if event.done else "notice", event.announcements)
    if not event.done:
        return _show_menu(now, *shown)
    last, after = now.written[-1], replace(now, written=now.written[:-1])
    if last.kind == "section":
        if last.first:
            again, commands = _go_back(replace(after, saved=False, stood=()))
            return again, (*shown, *commands)
        after = replace(after, answers=last.answers, stood=last.answers)
    return _show_menu(after, *shown)


# --- the menu -------------------------------------------------------------------------------------------


def _show_menu(now: Analysis, *shown: do.Command) -> Outcome:
    left = now.remaining_steps
    # A dependency that is still to come needs no notice; one that blocks the rest of the phase does.
    notices = () if left.steps else (*_show_all("notice", left.warnings), *_show_skipped(now))
    menu = lines.menu(last=not left.steps, next_phase=now.opening.next_phase, is_quick=now.is_quick)
    return now.wait(Stage.MENU, *shown, *notices, do.Show(menu), do.Listen("menu"))


def _tell(now: Analysis, text: str, speaker: Persona | None = None) -> Outcome:
    """Show a notice, then the same menu or question again."""
    notice = show("notice", text, speaker)
    if now.stage is Stage.MENU:
        return _show_menu(now, notice)
    if now.stage is Stage.ANSWER:
        return _ask_question(now, notice)
    return now, (notice, do.Listen("choice" if now.stage is Stage.FINISHED else "answer"))


def _show_skipped(now: Analysis, also: str = "") -> tuple[do.Show, ...]:
    """Name the skipped steps, if any, counting the phase `also` as complete (MENU-4)."""
    skipped = [step for step, state in now.list_states(also) if state == "skipped"]
    if not skipped:
        return ()
    listed = ", ".join(f"{step.step_id} {step.title}" for step in skipped)
    how = f"To open a skipped step, type its number at a menu, such as {skipped[0].step_id}."
    return (show("notice", f"Skipped so far: {listed}. {how}"),)


def _hear_step(now: Analysis, words: str) -> Outcome | None:
    """Go to the step that a message names by its id; None if it names none (MENU-4)."""
    opening, done = now.opening, set(now.completed_steps)
    if words not in {step.step_id for step in opening.steps}.union(*(each.steps for each in opening.tracks)):
        return None
    left_out = (step for step, state in now.list_states() if state == "skipped")
    skipped = {step.step_id for step in left_out if done.issuperset(step.depends_on)}
    how = "A number opens a step that is complete, or a skipped one that builds on no other skipped step."
    if words in done | skipped and not (opening.step and opening.step.step_id == words):
        if now.stage is Stage.MENU or now.answers == now.stood:
            return now.wait(Stage.ENDED, show("choice", words, USER), do.Advance(words))
        how = "Finish or skip this step's questions first, then type it at the menu."
    taken = "feedback" if now.stage is Stage.MENU else "an answer"
    return _tell(now, f"{words} is a step number, so it was not taken as {taken}. {how}")


def menu_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    opening, left, words = now.opening, now.remaining_steps, event.text.strip()
    if elsewhere := _hear_track(now, words) or _hear_step(now, words):
        return elsewhere
    if steering := hearing.hear_steering(words, at_menu=True):
        return _steer_at_menu(now, words, steering)
    choice, ends = hearing.hear_menu(words, can_skip=bool(left.steps)), hearing.hear_exit(words) == "exit"
    if choice == "feedback" and (wanted := hearing.hear_depth(words, None)):
        return _save_depth(now, wanted)
    echo = show("choice", words, USER)
    match choice:
        case "continue":
            return now.wait(Stage.ENDED, echo, do.Advance()) if left.steps else _save_phase(now, echo)
        case "skip":
            steps = steps_of_phase(opening.steps, opening.phase)
            done = tuple(step for step in steps if step.step_id in now.completed_steps)
            drafts = do.WriteDrafts(done, tuple(step for step in steps if step not in done))
            return now.wait(Stage.DRAFTS, echo, show("notice", lines.SKIPPING), drafts)
        case "nothing-to-skip":
            return _tell(now, "There is nothing left to skip in this phase.")
        case "elaborate":
            return _elaborate(now, echo)
        case "feedback" if guests := hearing.hear_table(words, opening.roster):
            return _elaborate(now, echo, guests=guests)
        # A slip of a key, a command, or a late "done" says nothing about the step.
        case "feedback" if len("".join(words_of(words))) < 2 or is_unknown(words) or words[0] == "/" or ends:
            return _explain_menu(now)
        case "feedback" if hearing.hear_review(words).kind == "drop":  # the review is over, or there was none
            return _explain_menu(now)
        case "feedback":
            return _take_feedback(now, words, relayed=event.relayed)


def _steer_at_menu(now: Analysis, words: str, steering: hearing.Steering) -> Outcome:
    labels = _answer_labels(now)
    match steering:
        case "undo" if not now.written:
            return _tell(now, lines.NOTHING_WRITTEN)
        case "undo":
            echo = show("choice", words, USER)
            return now.wait(Stage.UNDONE, echo, do.UndoLast(now.step, now.written[-1]))
        case "back" if labels:
            return _edit_answer(now, now.answers[-1].label if now.answers else labels[-1])
        case "edit":
            others = (question.label for question in now.step.every_question)
            if label := hearing.hear_edit(words, tuple(dict.fromkeys((*labels, *others)))):
                return _edit_answer(now, label)
    return _explain_menu(now, is_help=steering == "help")


def _explain_menu(now: Analysis, *, is_help: bool = False) -> Outcome:
    """Say what works at a menu besides its choices, with the numbers of the step's answers (MENU-7)."""
    listed = ", ".join(f"{number} {label}" for number, label in enumerate(_answer_labels(now), 1))
    change = f"To change an answer say `edit` and its number: {listed}. " if listed else ""
    return _tell(now, f"{'' if is_help else 'Nothing was added. '}{change}{lines.AT_A_MENU}")


def _answer_labels(now: Analysis) -> tuple[str, ...]:
    """Return the labels of the answers that can be edited at the menu, in the order they were asked."""
    if now.opening.step is None:
        return ()
    asked = (each.label for each in (*now.step.standard, *now.step.questions(now.depth)) if each.is_asked)
    return tuple(dict.fromkeys((*asked, *(answer.label for answer in now.answers))))


def _take_feedback(now: Analysis, words: str, *, relayed: bool) -> Outcome:
    """Reopen the answer that a message corrects, let the addressed persona reply, or keep it as feedback."""
    given = tuple((answer.label, answer.text) for answer in now.answers)
    if corrected := hearing.find_corrected(words, given):
        return _edit_answer(now, *corrected)
    addressed = hearing.address(words, now.opening.roster).persona
    if addressed and hearing.asks_something(words):
        return _ask_aside(now, addressed, words, relayed=relayed)
    if now.is_quick and not addressed and len(now.answers) == 1 and now.answers[0].offered:
        # A draft is all that the step has, and nobody was asked about it: what is said belongs to it.
        text = _join_texts(now.answers[0].text, words)
        added = replace(now.answers[0], text=text, offered=False, relayed=relayed)
        return _keep(replace(now, editing=added.label), added, words)
    kept = mark_unverified(" ".join(words.split())) if relayed else words
    ask = do.AskFeedback(replace(now.brief, persona=now.opening.lead), words, relayed=relayed)
    return now.wait(Stage.FEEDBACK, show("feedback", words, USER), ask, feedback=kept)


def _ask_aside(now: Analysis, key: str, words: str, *, relayed: bool) -> Outcome:
    brief = replace(now.brief, persona=now.opening.roster[key])
    ask = do.AskFeedback(brief, words, aside=True, relayed=relayed)
    return now.wait(Stage.FEEDBACK, show("feedback", words, USER), ask, feedback=None)


def _elaborate(now: Analysis, *shown: do.Show, guests: tuple[str, ...] = ()) -> Outcome:
    """Begin a roundtable on the current step; with `guests`, only they join the lead (ENTRY-2)."""
    opening, roster = now.opening, now.opening.roster
    if guests:
        seated = (opening.lead.key, *guests)
        roster = Roster(tuple(each for each in roster.personas if each.key in seated))
    elaboration, commands = Elaboration.begin(
        item=opening.item, step=now.step, roster=roster, steps=opening.steps,
        user_name=opening.user_name, has_review=True,
    )  # fmt: skip
    return now.wait(Stage.ELABORATION, *shown, *commands, elaboration=elaboration)


def feedback_taken(now: Analysis, event: on.FeedbackTaken) -> Outcome:
    """Show the reply; feedback is then written, an aside is not, and the same question or menu returns."""
    speaker = now.opening.roster.find(event.speaker) or now.opening.lead
    reply = do.Show(lines.speech(speaker, event.reply.strip(), "feedback"))
    if now.feedback is not None:
        return now.wait(Stage.FEEDBACK_WRITTEN, reply, do.WriteFeedback(now.step, now.feedback, event.at))
    if now.is_at_menu:
        return _show_menu(now, reply)
    return _ask_question(now, reply, show("notice", lines.NOT_AN_ANSWER))


def feedback_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    written = (do.Written("feedback", event.moment),) if event.moment else ()
    after = replace(now, feedback=None, written=now.written + written)
    return _show_menu(after, *_show_all("update", event.announcements))


def drafts_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    skipped = _show_skipped(now, now.opening.phase.key)
    return _save_phase(now, *_show_all("update", event.announcements), *skipped)


def _save_phase(now: Analysis, *shown: do.Show) -> Outcome:
    here, ahead = now.opening.phase, now.opening.next_phase
    before = PHASES[: PHASES.index(ahead)] if ahead else PHASES
    passed = (phase.key for phase in before if phase != here and now.opening.is_passed(phase))
    return now.wait(Stage.PHASE, *shown, do.SaveProgress(phases=(here.key, *passed)))


def finished_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    words = event.text.strip()
    if tracked := _hear_track(now, words):
        return tracked
    choice = hearing.hear_choice(words, (LEAVE, START_OVER))
    if choice is None:
        return _tell(now, "Please choose L or S.")
    return now.wait(Stage.ENDED, show("choice", words or LEAVE, USER), do.Advance(otherwise=choice))


def _show_all(kind: LineKind, texts: Sequence[str]) -> tuple[do.Show, ...]:
    return tuple(show(kind, text) for text in texts)


TRANSITIONS: Mapping[Stage, tuple[type[on.Event], Callable[[Analysis, Any], Outcome]]] = {
    # stage: (the event that may come, the move that it makes)
    Stage.TRACK: (on.UserSpoke, track_answered),
    Stage.TRACK_SAVED: (on.Saved, track_saved),
    Stage.READING: (on.PersonaReplied, persona_replied),
    Stage.OFFERS: (on.Offered, offers_collected),
    Stage.ANSWER: (on.UserSpoke, user_answered),
    Stage.FOLLOW_UP: (on.PersonaReplied, persona_replied),
    Stage.DEPTH: (on.Saved, depth_saved),
    Stage.DRAFT: (on.Drafted, sections_drafted),
    Stage.WRITTEN: (on.DocumentsWritten, step_written),
    Stage.SAVED: (on.Saved, lambda now, _: _show_menu(replace(now, saved=True))),
    Stage.MENU: (on.UserSpoke, menu_answered),
    Stage.FEEDBACK: (on.FeedbackTaken, feedback_taken),
    Stage.FEEDBACK_WRITTEN: (on.DocumentsWritten, feedback_written),
    Stage.UNDONE: (on.Undone, change_taken_back),
    Stage.DRAFTS: (on.DocumentsWritten, drafts_written),
    Stage.PHASE: (on.Saved, lambda now, _: now.wait(Stage.ENDED, do.Advance())),
    Stage.FINISHED: (on.UserSpoke, finished_answered),
}
