"""One leg of the analysis: a step with its questions, its artifacts and its menu, as a pure state machine.

The rules, in the order of a leg:

- It opens with what is shown on arrival: a hand-off, a greeting, the depth. A lead that takes over first
  says what it read in the artifacts so far.
- Before the first step of a new item its track is proposed; the user takes it or names another, there and
  at any question or menu.
- Draft answers are collected, then the step's questions are asked one by one. An empty message takes the
  draft; not knowing is a fair answer; an answer that misses a criterion is followed up once. At brief depth
  and in a short track the drafts are taken as they are, and the menu after them is one line.
- The step's sections are drafted, written and saved; then the menu is shown.
- At the menu the user goes on, skips the rest of the phase, elaborates, or says what to change. While an
  elaboration runs, every event is its own; afterwards the same menu returns.
- There is always a way back: `back` at a question asks the one before again, `edit` at the menu asks one
  again, and `undo` takes back what was written last. Words that steer never become content.
- When all phases are complete, the user leaves or starts over.

`Opening` is what a leg starts from, `Analysis` its state, and `TRANSITIONS` at the end says which event may
come at which stage. An event that is not in the table raises `RuleBroken` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from . import commands as do
from . import depth as depths
from . import events as on
from . import hearing, lines
from .elaboration import Elaboration
from .errors import RuleBroken
from .lines import Line, LineKind
from .markers import NoneMarker, WithdrawnMarker, strip_markers
from .personas import Persona, Roster
from .progress import Progress, RemainingSteps, find_remaining_steps, is_skipped, steps_of_phase
from .steps import NOT_ASKED, PHASES, Depth, Item, Phase, Question, Step, Target, phase_of
from .synthesis import UNVERIFIED, mark_unverified, shorten_text, strip_mark
from .text import content_stems, is_silence, words_of
from .tracks import FEATURE, TrackChoice, hear_track
from .turns import USER
from .validation import asks_back, complains, is_settled, is_unknown, meets_check

UNKNOWN = "I don't know"
ASSUMED = " (assumed)"
"""What marks an answer that a panel drafted, nobody has read anywhere and the user was not asked for."""
GUESSED = "the code"
"""The source of a draft that rests on the code survey."""
STANDING = "what stands in the document"
OWN = "your answer"
"""The sources of a draft that is an answer which stands: in the step's document, or given in this leg."""
MOST_QUESTIONS = 3
"""How many questions of a drafted step the user is asked (STEP-4)."""
LEAVE, START_OVER = "leave", "start over"
_SUBJECT_LENGTH = 100
_NO_STEP = "No step of this phase is complete yet, so there is nothing to discuss or comment on."

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
    ACCEPTED = "the accepted sections on disk"
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
    """What a leg starts from: who, what, where, and all that is known by then."""

    kind: OpeningKind
    item: Item
    roster: Roster
    steps: tuple[Step, ...]
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
    has_review: bool = False
    """Whether a synthesis is reviewed before it is written (SYN-8); older journals have no review."""
    track: str = ""
    """The key of the track that the item follows; empty where nobody can choose one."""
    tracks: tuple[TrackChoice, ...] = ()
    """The tracks to choose from; the item's own steps are `steps`."""
    proposal: str = ""
    """What is said to propose the track; empty where it was chosen before."""
    is_short: bool = False
    hearing: int = 0
    """How words are heard: 0 as in journals before `HEARING`, which have to replay as they were."""
    asks_last: bool = False
    """Whether the user came back to this step from the one after it, to its last question."""
    is_depth_known: bool = False
    """Whether the phase before had the same depth, so that it need not be said again."""

    @property
    def lead(self) -> Persona:
        """The phase's lead."""
        return self.roster.lead_of(self.phase.key)

    @property
    def conductor(self) -> Persona:
        """Who conducts the step: the persona it names, else the phase's lead."""
        if self.step is not None and self.step.persona in self.roster:
            return self.roster[self.step.persona]
        return self.lead

    @property
    def next_phase(self) -> Phase | None:
        """The first phase that is not complete and in which something is needed, this one not counted."""
        done = (*self.progress.phases_completed, self.phase.key)
        return next((each for each in PHASES if each.key not in done and not self._is_passed(each)), None)

    @property
    def passed_phases(self) -> tuple[str, ...]:
        """The phases without a step of the track that lie before the next one with any (STEP-9)."""
        ahead = self.next_phase
        before = PHASES[: PHASES.index(ahead)] if ahead else PHASES
        return tuple(phase.key for phase in before if phase != self.phase and self._is_passed(phase))

    def _is_passed(self, phase: Phase) -> bool:
        return bool(self.track) and not steps_of_phase(self.steps, phase)


class Analysis(Struct, frozen=True):
    """The state of one leg; `receive` gives the next one and what to do."""

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
    editing: str | None = None
    """The label of the only question that is asked again, when an answer is edited at the menu."""
    again: tuple[str, ...] = ()
    """The labels of answers that stand but are asked for again, so that they can be edited."""
    stood: tuple[do.Answer, ...] = ()
    """The answers that the step's documents were last written from."""
    proposed: str = ""
    """What corrects the answer that is edited, offered in its place."""
    written: tuple[do.Written, ...] = ()
    """What this leg wrote, so that it can be taken back."""
    in_hand: Question | None = None
    """The question that was open when the depth changed: it stays as it was asked."""
    is_track_taken: bool = False
    """Whether the user chose the track that the leg is on."""
    chosen: TrackChoice | None = None
    """The track that is saved as soon as the answers given so far are written."""
    unaccepted: tuple[on.SectionText, ...] = ()
    """The sections without the marks that they stand with until the user accepts them in a form (ART-8)."""
    accepting: on.UserSpoke | None = None
    """What the user chose at the menu, while the sections are written without marks."""

    @classmethod
    def begin(cls, opening: Opening) -> Outcome:
        """Return a new leg, and what to do first."""
        return _open_leg(cls(opening, Stage.ENDED, opening.depth, saved=opening.kind != "step"))

    def receive(self, event: on.Event) -> Outcome:
        """Return the next state and what to do; an illegal event raises and changes nothing."""
        if self.elaboration is not None:
            elaboration, commands = self.elaboration.receive(event)
            if not elaboration.has_ended:
                return replace(self, elaboration=elaboration), commands
            moment, at = elaboration.undo_key, elaboration.drafted_at
            block = (do.Written("block", moment, at=at),) if moment else ()
            return _show_menu(replace(self, elaboration=None, written=self.written + block), *commands[:-1])
        if type(event).__name__ not in self.legal:
            reason = f"{type(event).__name__} cannot come while the analysis waits for {self.stage}."
            raise RuleBroken(reason, legal=self.legal)
        return TRANSITIONS[self.stage][1](self, event)

    @property
    def legal(self) -> tuple[str, ...]:
        """The names of the events that may come now."""
        if self.elaboration is not None:
            return self.elaboration.legal
        return (TRANSITIONS[self.stage][0].__name__,) if self.stage in TRANSITIONS else ()

    @property
    def step(self) -> Step:
        if self.opening.step is None:
            raise RuleBroken("There is no step at this point of the analysis.")
        return self.opening.step

    @property
    def given_answers(self) -> tuple[do.Answer, ...]:
        """The answers that are not asked for again."""
        return tuple(answer for answer in self.answers if answer.label not in self.again)

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
    def is_quick(self) -> bool:
        """Whether drafts are taken without asking, and the menu is one line."""
        return self.depth == "brief" or self.opening.is_short

    @property
    def open_draft(self) -> str:
        """The draft that an empty answer to the open question takes; empty where there is none."""
        question = _open_question(self) if self.stage is Stage.ANSWER and self.follow_up is None else None
        offer = _find_offer(self, question) if question else None
        return offer.text if offer else ""

    @property
    def brief(self) -> do.StepBrief:
        """What a panel needs to know about the step in hand."""
        opening = self.opening
        return do.StepBrief(
            opening.item, self.step, opening.conductor, opening.roster, self.depth, self.given_answers
        )


Outcome: TypeAlias = tuple[Analysis, tuple[do.Command, ...]]


# --- opening a leg --------------------------------------------------------------------------------------


def _open_leg(now: Analysis) -> Outcome:
    """Show what is shown on arrival, then begin as the kind of the leg asks."""
    opening, lead, shown = now.opening, now.opening.lead, []
    if opening.kind == "finished":
        text = lines.all_done(opening.item.name, moved_on=opening.moved_on)
        shown = [_show("greeting", text, lead), do.Show(lines.FINISHED_MENU)]
        return replace(now, stage=Stage.FINISHED), (*shown, do.Listen("choice"))
    shown += [_show("notice", text) for text in opening.notices]
    if opening.kind == "elaborate":
        return _elaborate(now, *shown)
    handed_over = opening.handed_over_by if opening.arrival == "new" else None
    if opening.arrival == "resumed":
        shown += recall(now)
    if handed_over:
        outgoing = opening.roster.lead_of(handed_over.key)
        shown.append(_show("handoff", lines.hand_off(outgoing, handed_over, lead, opening.phase)))
    if opening.arrival == "new" and not (handed_over and opening.is_short):
        shown.append(do.Show(lines.new_in_phase(lead, opening.phase, has_met=_has_met(opening))))
    if opening.kind == "menu":
        return _show_menu(now, *shown)
    if opening.proposal and opening.is_short:
        asked = _show("question", opening.proposal, lead)
        return replace(now, stage=Stage.TRACK), (*shown, asked, do.Listen("answer"))
    if opening.proposal:
        shown.append(_show("notice", opening.proposal, lead))
    is_news = opening.arrival != "continuing" and not (opening.is_short or opening.is_depth_known)
    if is_news and (announcement := depths.announce(opening.depth, dict(opening.facts))):
        shown.append(_show("depth", announcement, lead))
    if handed_over and not opening.is_short:
        return replace(now, stage=Stage.READING), (*shown, do.AskReading(now.brief))
    return _enter_step(now, *shown)


def _has_met(opening: Opening) -> bool:
    """Whether the lead introduced itself in an earlier phase of this analysis."""
    begun = {phase_of(step_id) for step_id in opening.progress.steps_completed} - {opening.phase}
    return any(
        opening.roster.lead_of(phase.key) == opening.lead
        for phase in PHASES
        if phase.key in opening.progress.phases_completed and phase in begun
    )


def recall(now: Analysis) -> tuple[do.Show, ...]:
    """Return the greeting of a leg that is taken up again after a pause (GREET-6)."""
    opening, left = now.opening, now.remaining_steps.steps
    if opening.kind in ("finished", "elaborate"):
        return ()
    is_asked = not now.saved or now.stage in (Stage.OFFERS, Stage.ANSWER, Stage.FOLLOW_UP)
    if now.elaboration is not None:
        place = f"the roundtable on {now.step.title}"
    elif is_asked:
        place = now.step.title
    else:
        at, phase = opening.step.title if opening.step else opening.phase.name, opening.next_phase
        ahead = f"Phase {phase.number} ({phase.name})" if phase else "the end of the analysis"
        place = f"the menu of {at}; {left[0].title if left else ahead} comes next"
    # A step that is opened again is not also named as done.
    steps = {step.step_id: step.title for step in opening.steps if step != opening.step or not is_asked}
    ours = [step_id for step_id in now.completed_steps if phase_of(step_id) == opening.phase]
    done = [steps[step_id] for step_id in ours if step_id in steps]
    past = [each for each in opening.progress.elaborations if phase_of(each.step_id) == opening.phase]
    return (do.Show(lines.welcome_back(opening.lead, titles=done, past=past, ahead=place)),)


def artifacts_read(now: Analysis, event: on.ArtifactsRead) -> Outcome:
    lead, text = now.opening.lead, event.text.strip()
    read = (do.Show(lines.speech(lead, text, "handoff")),) if text else ()
    return _enter_step(now, *read)


def _enter_step(now: Analysis, *shown: do.Show) -> Outcome:
    persona = now.opening.conductor
    header = do.Show(lines.step_header(persona, now.step.step_id, now.step.title))
    parked = (_show("notice", text) for text in now.opening.parked)
    if now.opening.asks_last and (asked := _unanswered_questions(now, has_offers=False)):
        now = replace(now, again=(asked[-1].label,), editing=asked[-1].label)
    return _collect_offers(now, *shown, header, *parked)


# --- the track ------------------------------------------------------------------------------------------


def track_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    """Take the track that was proposed, or another one that the user names."""
    opening, words = now.opening, event.text.strip()
    own = next((choice for choice in opening.tracks if choice.key == opening.track), None)
    if own and hearing.hear_menu(words, can_skip=False) == "continue":
        return _save_track(now, own, words)
    return _hear_track(now, words) or _name_tracks(now)


def _hear_track(now: Analysis, words: str, question: Question | None = None) -> Outcome | None:
    """Save the track that a message chooses, or name the tracks; None where it is about something else."""
    opening, is_old = now.opening, now.opening.hearing < 2
    is_open = bool(opening.proposal) and not now.is_track_taken
    can_take_own = now.stage is Stage.TRACK or (question is not None and is_open and not now.given_answers)
    if not opening.tracks or (is_old and question is not None and not can_take_own):
        return None
    is_open = can_take_own if is_old else is_open
    wish = hear_track(words, opening.tracks, is_open=is_open, is_old=is_old)
    if wish is None:
        return None
    if question is not None and not is_old:
        is_answer = not wish.is_command and wish.track and _asks_for(now, question, wish.track.key)
        if is_answer or (wish.track is None and (wish.is_command or not is_open)):
            return None
    if wish.track and (can_take_own or wish.track.key != opening.track):
        return _save_track(now, wish.track, words)
    return _name_tracks(now)


def _asks_for(now: Analysis, question: Question, word: str) -> bool:
    """Whether a question, what is shown with it or what its answer has to be names a word."""
    offer, checks = _find_offer(now, question), (each.check for each in now.step.validation)
    asked = (question.text, question.without, question.help, question.example, now.follow_up or "")
    shown = (offer.text if offer else "", _find_subject(now, question))
    return word in words_of(" ".join((*asked, *shown, *checks)))


def _name_tracks(now: Analysis) -> Outcome:
    """Tell which tracks there are to choose from, and the item's own."""
    tracks, own = now.opening.tracks, now.opening.track
    listed = "; ".join(f"`track {each.key}`: {each.summary}" for each in tracks if each.key != own)
    title = next((each.title for each in tracks if each.key == own), own)
    text = f"This is analysed as {lines.article(title)} {title}. To change that: {listed}."
    if now.stage is Stage.TRACK:
        text = f"Nothing was taken from this: the open question is the track. {text} Enter goes on."
    return _tell(now, text, now.opening.lead)


def _save_track(now: Analysis, chosen: TrackChoice, words: str) -> Outcome:
    """Write the track, at a question after the answers that the user gave; that step is not complete."""
    whole = next((each.steps for each in now.opening.tracks if each.key == FEATURE), ())
    not_needed = tuple(step_id for step_id in whole if step_id not in chosen.steps)
    # A track that was only proposed has not been followed yet.
    before = () if now.opening.proposal else tuple(step.step_id for step in now.opening.steps)
    after = replace(now, stage=Stage.TRACK_SAVED, is_track_taken=chosen.key == now.opening.track)
    shown = [_show("choice", words, USER)] if words else []
    has_own = any(not (each.offered or each.unknown) for each in now.answers) and now.answers != now.stood
    if now.stage is Stage.ANSWER and has_own and not after.is_track_taken and now.opening.hearing > 1:
        return _draft_sections(replace(after, again=(), follow_up=None, chosen=chosen), *shown)
    return after, (*shown, do.SaveTrack(chosen, not_needed, before))


def track_saved(now: Analysis, event: on.Saved) -> Outcome:
    return _enter_step(now) if now.is_track_taken else _end(now, do.Advance())


# --- questions and answers ------------------------------------------------------------------------------


def _collect_offers(now: Analysis, *shown: do.Show) -> Outcome:
    questions = _unanswered_questions(now, has_offers=False)
    if not questions:
        return _draft_sections(now, *shown)
    return replace(now, stage=Stage.OFFERS), (*shown, do.AskOffers(now.brief, questions))


def offers_collected(now: Analysis, event: on.Offered) -> Outcome:
    """Take the drafts that nobody is asked for, and ask the first question of the rest (STEP-4)."""
    after = replace(now, offers=tuple(each for each in event.offers if each.text))
    by_panel = any(each.standing for each in event.offers)
    if now.editing is not None or not (by_panel or now.is_quick):
        return _ask_question(after)
    drafts = {each.label: each for each in event.offers if not each.is_subject}
    with_words = {label for label, draft in drafts.items() if draft.text}
    if by_panel:
        known = {label for label, draft in drafts.items() if draft.standing == "read" or not draft.matters}
    else:  # what the code suggests is a guess, what a host passed on is unheard: Enter takes either
        known = {
            label
            for label, draft in drafts.items()
            if draft.source != GUESSED and not (draft.source == STANDING and UNVERIFIED in draft.text)
        }
    questions = _unanswered_questions(after)
    asked = [question for question in questions if question.label not in known]
    if by_panel:
        # What nobody could draft comes before what only wants a nod, which a quick step takes without asking.
        unknown = [question for question in asked if question.label not in with_words]
        nods = [] if now.is_quick else [question for question in asked if question not in unknown]
        asked = [*unknown, *nods][:MOST_QUESTIONS]
    taken: list[str] = []
    for question in questions:
        if question in asked or question == now.in_hand or question.label in now.again:
            continue
        answer = do.Answer(question.label, question.text, UNKNOWN, unknown=True)
        if question.label in with_words:
            draft = drafts[question.label]
            text = f"{draft.text}{ASSUMED}" if draft.standing == "assumed" else draft.text
            answer = do.Answer(question.label, question.text, text, offered=True)
            taken.append(f"{question.label}{f', from {draft.source}' if draft.source else ''}: {text}")
        after = _put_answer(after, answer)
    head = ["Drafted from what is on the table; `edit` at the menu changes any of it:"] if by_panel else []
    shown = (_show("notice", "\n".join([*head, *taken]), now.opening.conductor),) if taken else ()
    return _ask_question(after, *shown)


def _ask_question(now: Analysis, *shown: do.Show, reminds: bool = False) -> Outcome:
    question = _open_question(now)
    if question is None:
        return _draft_sections(now, *shown)
    offer = _find_offer(now, question)
    text, source = (offer.text, offer.source) if offer else ("", "")
    subject = _find_subject(now, question)
    wording = question.choose_wording(with_draft=bool(offer or subject))
    said = [wording, *(f"  > {line}" for line in subject.splitlines() if line.strip())]
    if reminds and not offer:
        said.append(lines.REMINDER)
    asked = Line("question", "\n".join(said), now.opening.conductor.key, draft=text, source=source)
    return replace(now, stage=Stage.ANSWER), (*shown, do.Show(asked), do.Listen("answer", offer=text))


def user_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    question, words = _open_question(now), event.text.strip()
    if question is None:
        return _draft_sections(now)
    if tracked := _hear_track(now, words, question):
        return tracked
    steering = hearing.hear_steering(words, at_menu=False)
    if steering == "help" or asks_back(words, is_old=now.opening.hearing < 2):
        example = f"For example: {question.example}" if question.example else ""
        said = filter(None, (question.help, example, lines.AT_A_QUESTION))
        return _tell(now, "\n".join(said), now.opening.conductor)
    asked = hearing.hear_aside(words, now.opening.roster) if now.opening.hearing > 1 else None
    if asked is not None:
        return _ask_aside(now, asked, words, relayed=event.relayed)
    if steering == "back" and (before := _find_step_before(now)):
        return _end(now, do.Advance(before, is_back=True))
    if steering in ("back", "undo"):
        return _go_back(now)
    if elsewhere := _hear_step(now, words):
        return elsewhere
    if steering == "skip" and now.follow_up is None:
        now = replace(now, proposed="")
        offer = _find_offer(now, question)
        if offer and offer.source in (STANDING, OWN):  # it stands until there is another one
            answer = _accept_draft(question, offer, relayed=event.relayed)
            return _keep(now, answer, words, kept=answer.text)
        return _keep(now, do.Answer(question.label, question.text, UNKNOWN, unknown=True), words)
    if steering == "edit" or _is_menu_key(now, question, words):
        return _tell(now, lines.NOT_YET)
    # A single word may well answer a follow-up: "How long may it take?" "Quick." Ours are told to be said.
    is_ours = now.opening.hearing > 1 and words.strip("'`.!").lower() in depths.ANNOUNCEMENTS
    is_request = now.follow_up is None or len(words_of(words)) > 1 or is_ours
    asked = f"{question.text} {now.follow_up or ''}" if is_ours else question.text
    if is_request and (wanted := depths.hear_depth(words, asked)):
        return _save_depth(now, wanted)
    if now.follow_up is not None:
        return _complete_answer(now, words, relayed=event.relayed)
    return _take_answer(now, question, words, relayed=event.relayed)


def _find_step_before(now: Analysis) -> str:
    """Return the step that `back` leads to from the first question of this one; empty where none does."""
    if now.given_answers or now.editing is not None:
        return ""
    done = (step.step_id for step in now.opening.steps if step.step_id in now.completed_steps)
    return max((step_id for step_id in done if step_id < now.step.step_id), default="")


def _find_label_before(now: Analysis) -> str:
    """Return the label of the question of this step that `back` asks again; empty where there is none."""
    if now.editing is None or now.follow_up is not None:
        return now.given_answers[-1].label if now.given_answers else ""
    labels = [question.label for question in now.step.questions(now.depth)]
    return next((before for before, label in pairwise(labels) if label == now.editing), "")


def _go_back(now: Analysis) -> Outcome:
    """Ask the question before again, with its answer to edit; the answers after it are asked again too."""
    label = _find_label_before(now)
    if not label:
        return _ask_question(now, _show("notice", "This is the first question; there is nothing before it."))
    if now.editing is not None and now.follow_up is None:
        return _edit_answer(now, label)
    return _ask_question(replace(now, again=(*now.again, label), follow_up=None, reminded=False))


def _edit_answer(now: Analysis, label: str, proposed: str = "") -> Outcome:
    """Ask one question of the step again, with the answer that it has, or what corrects it, to edit."""
    after = replace(now, again=(label,), editing=label, proposed=proposed, follow_up=None, reminded=False)
    has_answer = any(answer.label == label for answer in now.answers)
    return _ask_question(after) if has_answer else _collect_offers(after)


def _is_menu_key(now: Analysis, question: Question, words: str) -> bool:
    """Whether a lone letter is meant for the menu: E always, C unless options were spoken of."""
    spoken = (question.text, question.example, *(answer.text for answer in now.given_answers))
    key, names_options = words.strip("[]").upper(), any("option" in text.casefold() for text in spoken)
    return key == "E" or (key == "C" and now.opening.hearing > 0 and not names_options)


def _take_answer(now: Analysis, question: Question, words: str, *, relayed: bool) -> Outcome:
    offer, level = _find_offer(now, question), now.opening.hearing
    more = hearing.hear_agreement(words, offer.text if offer else "") if level > 0 else None
    if offer and (is_silence(words) or more == ""):
        return _keep(now, _accept_draft(question, offer, relayed=relayed))
    if offer and more and level > 1 and not is_unknown(more):
        draft = _accept_draft(question, offer, relayed=relayed)
        return _keep(now, replace(draft, text=_join_texts(draft.text, more), offered=False), words)
    if more == "" and level > 1 and _find_subject(now, question) and not hearing.takes_yes(question.text):
        return _tell(now, lines.WHICH_OF_THESE, now.opening.conductor)
    if is_silence(words) and not now.reminded and not now.is_quick:
        return _ask_question(replace(now, reminded=True), reminds=True)
    if is_silence(words) or is_unknown(words):
        text = UNKNOWN if is_silence(words) else words
        return _keep(now, do.Answer(question.label, question.text, text, unknown=True))
    answer = do.Answer(question.label, question.text, words, relayed=relayed)
    criteria = (each for each in now.step.validation if each.label == question.label)
    missed = next((each for each in criteria if not meets_check(each.check, words)), None)
    if missed is None or is_settled(words):
        return _keep(now, answer)
    held = replace(_put_answer(now, answer), stage=Stage.FOLLOW_UP, follow_up="")
    return held, (_show("answer", words, USER), do.AskFollowUp(now.brief, question, words, missed))


def _accept_draft(question: Question, offer: on.Offer, *, relayed: bool) -> do.Answer:
    text = offer.text if relayed else strip_mark(offer.text)  # who sees it with its mark accepts it
    return do.Answer(question.label, question.text, text, offered=True, relayed=relayed)


def followed_up(now: Analysis, event: on.FollowedUp) -> Outcome:
    return _ask_follow_up(replace(now, follow_up=event.text.strip()))


def _ask_follow_up(now: Analysis, *shown: do.Show) -> Outcome:
    asked = _show("question", now.follow_up or "", now.opening.conductor)
    return replace(now, stage=Stage.ANSWER), (*shown, asked, do.Listen("answer"))


def _ask_again(now: Analysis, *shown: do.Show) -> Outcome:
    return _ask_follow_up(now, *shown) if now.follow_up else _ask_question(now, *shown)


def _complete_answer(now: Analysis, words: str, *, relayed: bool) -> Outcome:
    """Add the reply to a follow-up to the answer; silence, not knowing or a complaint leaves it as it was."""
    if is_silence(words):
        return _ask_question(replace(now, follow_up=None))
    first = now.answers[-1]
    is_passed = hearing.hear_steering(words, at_menu=False) == "skip"
    if not (is_passed or is_unknown(words) or complains(words)):
        text, relayed = _join_reply(now.step, first, words), first.relayed or relayed
        first = replace(first, text=text, relayed=relayed)
    return _keep(replace(now, follow_up=None), first, words)


def _join_reply(step: Step, answer: do.Answer, reply: str) -> str:
    """Return the answer with the reply to its follow-up, as one text; one that says it all stands alone."""
    first = answer.text.rstrip()
    if set(content_stems(first)) <= set(content_stems(reply)):
        return reply
    checks = (each.check for each in step.validation if each.label == answer.label)
    if choice := next((check for check in checks if check.startswith("one of")), ""):
        # The choice, then why; what named several choices was no reason for one.
        values = set(words_of(choice.removeprefix("one of"))) - {"or"}
        if values.isdisjoint(words_of(reply)):
            return f"{first}\n{reply}"
        return f"{reply}\n{first}" if values.isdisjoint(words_of(first)) else reply
    return _join_texts(first, reply)


def _join_texts(first: str, more: str) -> str:
    first = first.rstrip()
    joint = "\n" if "\n" in first else " " if first.endswith((".", "!", "?", ":", "。")) else ". "
    return f"{first}{joint}{more}"


def _keep(now: Analysis, answer: do.Answer, words: str | None = None, kept: str = "") -> Outcome:
    echo = _show("answer", answer.text if words is None else words, USER)
    notice = (_show("notice", f"Kept: {kept}"),) if kept else ()
    return _ask_question(replace(_put_answer(now, answer), proposed=""), echo, *notice)


def _put_answer(now: Analysis, answer: do.Answer) -> Analysis:
    """Return the state with an answer, in place of the one that stood under its label."""
    others = (each for each in now.answers if each.label != answer.label)
    again = tuple(label for label in now.again if label != answer.label)
    return replace(now, answers=(*others, answer), again=again, reminded=False)


def _save_depth(now: Analysis, wanted: Depth) -> Outcome:
    is_asked = now.stage is Stage.ANSWER and not now.follow_up
    in_hand = _open_question(now) if is_asked else now.in_hand
    after = replace(now, depth=wanted, in_hand=in_hand, stage=Stage.DEPTH)
    return after, (do.SaveDepth(now.opening.phase.key, wanted),)


def depth_saved(now: Analysis, event: on.Saved) -> Outcome:
    speaker = now.opening.lead if _is_at_menu(now) else now.opening.conductor
    said = _show("depth", lines.depth_changed(now.depth), speaker)
    if _is_at_menu(now):
        return _show_menu(now, said)
    return _ask_follow_up(now, said) if now.follow_up else _collect_offers(replace(now, reminded=False), said)


def _is_at_menu(now: Analysis) -> bool:
    return now.saved and now.editing is None


def _unanswered_questions(now: Analysis, *, has_offers: bool = True) -> tuple[Question, ...]:
    """Return the questions that are still to be asked, or only the one whose answer is edited.

    A question may fit no project of this kind, be about an answer that says "none", or be asked only where
    there is a draft for it; before the drafts are collected, these count as well.
    """
    given = {answer.label: answer.text for answer in now.given_answers}
    if now.editing is not None:
        edited = _find_question(now, now.editing)
        return (edited,) if edited and now.editing not in given else ()
    asked = now.step.questions(now.depth)
    if now.in_hand is not None:
        asked = (now.in_hand, *(each for each in asked if each.label != now.in_hand.label))
    return tuple(
        question
        for question in asked
        if question.label not in given
        and question.is_asked
        and not is_settled(given.get(question.shows.removeprefix("answer "), ""))
        and not (has_offers and question.without == NOT_ASKED and _find_offer(now, question) is None)
    )


def _open_question(now: Analysis) -> Question | None:
    """Return the question that waits for words: the one followed up, else the first without an answer."""
    if now.follow_up is not None:
        return _find_question(now, now.answers[-1].label)
    return next(iter(_unanswered_questions(now)), None)


def _find_question(now: Analysis, label: str) -> Question | None:
    """Return the question of the step under a label, at this depth if it is asked there."""
    every = (*now.step.questions(now.depth), *now.step.every_question)
    return next((question for question in every if question.label == label), None)


def _find_offer(now: Analysis, question: Question) -> on.Offer | None:
    """Return the draft of a question: what corrects its answer, the answer to edit, or what was collected."""
    if now.proposed and question.label == now.editing:
        return on.Offer(question.label, now.proposed, "what you just said")
    standing = (each for each in now.answers if each.label in now.again and not each.unknown)
    earlier = (on.Offer(each.label, each.text, OWN) for each in standing)
    offers = (*earlier, *(offer for offer in now.offers if not offer.is_subject))
    return next((offer for offer in offers if offer.label == question.label), None)


def _find_subject(now: Analysis, question: Question) -> str:
    """Return what the question asks about: an answer given in this step, else what was found elsewhere."""
    about = question.shows.removeprefix("answer ").strip() if question.shows.startswith("answer ") else None
    given = next((each for each in now.given_answers if each.label == about and not each.unknown), None)
    if given is not None:
        return shorten_text(given.text.partition("\n")[0], _SUBJECT_LENGTH)
    shown = (each.text for each in now.offers if each.is_subject and each.label == question.label)
    return "\n".join(shorten_text(line, 2 * _SUBJECT_LENGTH) for line in next(shown, "").splitlines())


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
    pages = (each for each in event.sections if each.target.output.endswith(".md"))
    texts = (
        do.Show(Line("update", text, heading=each.target.section))
        for each in pages
        if (text := strip_markers(each.text, NoneMarker, WithdrawnMarker).strip())
    )
    after = replace(now, stage=Stage.WRITTEN, unaccepted=event.unmarked)
    return after, (*notices, *texts, do.WriteStep(now.step, event.sections))


def step_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    first = not now.saved and now.step.step_id not in now.opening.progress.steps_completed
    section = do.Written("section", event.moment, now.stood, first, label=now.editing or "")
    written = (*now.written, section) if event.moment else now.written
    if now.chosen is not None:
        after, commands = _save_track(now, now.chosen, "")
        return after, (*_show_all("update", event.announcements), *commands)
    answers = now.given_answers
    after = replace(
        now, stage=Stage.SAVED, written=written, answers=answers, stood=answers, again=(), editing=None
    )
    is_block_next = not event.moment and bool(written) and written[-1].kind == "block"
    hint = (_show("notice", lines.BLOCK_IS_NEXT),) if is_block_next else ()
    return after, (*_show_all("update", event.announcements), *hint, do.SaveStep(now.step.step_id))


def sections_accepted(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    """Do what the user chose at the menu, once the sections stand without marks."""
    if now.accepting is None:
        raise RuleBroken("Nobody accepted the sections.")
    return menu_answered(replace(now, stage=Stage.MENU, accepting=None), now.accepting)


def change_taken_back(now: Analysis, event: on.Undone) -> Outcome:
    """After `undo`: the menu again, or the last question where the step is no longer complete."""
    shown = _show_all("update" if event.done else "notice", event.announcements)
    if not event.done:
        return _show_menu(now, *shown)
    last, after = now.written[-1], replace(now, written=now.written[:-1])
    if last.kind != "section":
        return _show_menu(after, *shown)
    after = replace(after, unaccepted=())
    if not last.first:
        return _show_menu(replace(after, answers=last.answers, stood=last.answers), *shown)
    again, commands = _go_back(replace(after, saved=False))
    return again, (*shown, *commands)


# --- the menu -------------------------------------------------------------------------------------------


def _show_menu(now: Analysis, *shown: do.Command) -> Outcome:
    """Show the menu of the step in hand, with what may be chosen now."""
    left = now.remaining_steps
    # A dependency that is still to come needs no notice; one that blocks the rest of the phase does.
    notices = () if left.steps else (*_show_all("notice", left.warnings), *_show_skipped(now))
    menu = lines.menu(last=not left.steps, next_phase=now.opening.next_phase, is_quick=now.is_quick)
    return replace(now, stage=Stage.MENU), (*shown, *notices, do.Show(menu), do.Listen("menu"))


def _tell(now: Analysis, text: str, speaker: Persona | None = None) -> Outcome:
    """Show a notice where the user is: the same menu or question comes back."""
    notice = _show("notice", text, speaker)
    if now.stage is Stage.MENU:
        return _show_menu(now, notice)
    if now.stage is Stage.ANSWER:
        return _ask_again(now, notice)
    return now, (notice, do.Listen("choice" if now.stage is Stage.FINISHED else "answer"))


def _find_skipped(now: Analysis, also: str = "") -> tuple[Step, ...]:
    """Return the steps that were skipped with their phase, or with `also` (MENU-4)."""
    opening, facts = now.opening, dict(now.opening.facts)
    phases = (*opening.progress.phases_completed, also)
    left = (step for step in opening.steps if step.phase and step.phase.key in phases)
    return tuple(
        step for step in left if step.step_id not in now.completed_steps and not is_skipped(step, facts)
    )


def _show_skipped(now: Analysis, also: str = "") -> tuple[do.Show, ...]:
    if not (skipped := _find_skipped(now, also)):
        return ()
    listed = ", ".join(f"{step.step_id} {step.title}" for step in skipped)
    how = f"To open a skipped step, type its number at a menu, such as {skipped[0].step_id}."
    return (_show("notice", f"Skipped so far: {listed}. {how}"),)


def _hear_step(now: Analysis, words: str) -> Outcome | None:
    """Go to the step that a message names by its id, or say how to; None where it names none (MENU-4).

    An open step that has answers is not left: its menu is the place to go from.
    """
    opening = now.opening
    known = {step.step_id for step in opening.steps}.union(*(each.steps for each in opening.tracks))
    if words not in known:
        return None
    is_free = now.stage is Stage.MENU or not (now.given_answers or now.editing)
    is_here = opening.step is not None and opening.step.step_id == words
    skipped = next((step for step in _find_skipped(now) if step.step_id == words), None)
    needed = [each for each in skipped.depends_on if each not in now.completed_steps] if skipped else []
    if needed:
        return _tell(now, f"{words} builds on {', '.join(needed)}. Please open that step first.")
    if is_free and (skipped or words in now.completed_steps) and not is_here:
        return _end(now, _show("choice", words, USER), do.Advance(words))
    how = "At a menu it opens that step if it is complete or was skipped; Continue leads to the others."
    return _tell(now, f"{words} is a step number, so it was not taken as an answer. {how}")


def menu_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    opening, left, words = now.opening, now.remaining_steps, event.text.strip()
    if tracked := _hear_track(now, words):
        return tracked
    steering = hearing.hear_steering(words, at_menu=True)
    if steering is not None and steering != "quit":
        return _steer_at_menu(now, words, steering)
    if elsewhere := _hear_step(now, words):
        return elsewhere
    if words.startswith("/") or hearing.hear_exit(words) == "exit":
        return _tell(now, "No discussion is running, so there is nothing to end or to set here.")
    choice = hearing.hear_menu(words, can_skip=bool(left.steps), is_old=opening.hearing < 2)
    if choice == "feedback" and (wanted := depths.hear_depth(words, None)):
        return _save_depth(now, wanted)
    if event.seen and now.unaccepted and choice in ("continue", "skip"):
        after = replace(now, stage=Stage.ACCEPTED, unaccepted=(), accepting=event)
        return after, (do.WriteStep(now.step, now.unaccepted),)
    echo = _show("choice", words, USER)
    match choice:
        case "continue" if left.steps:
            return _end(now, echo, do.Advance())
        case "continue":
            return _save_phase(now, echo)
        case "skip":
            steps = steps_of_phase(opening.steps, opening.phase)
            done = tuple(step for step in steps if step.step_id in now.completed_steps)
            drafts = do.WriteDrafts(done, tuple(step for step in steps if step not in done))
            return replace(now, stage=Stage.DRAFTS), (echo, _show("notice", lines.SKIPPING), drafts)
        case "nothing-to-skip":
            return _tell(now, "There is nothing left to skip in this phase.")
        case "elaborate":
            return _elaborate(now, echo)
        case "feedback" if guests := hearing.hear_table(words, opening.roster):
            return _elaborate(now, echo, guests=guests)
        # A question mark, a slip of a key or a wish to leave says nothing of the step.
        case "feedback" if len("".join(words_of(words))) < 2 or is_unknown(words) or steering == "quit":
            return _explain_menu(now, "Nothing was added. ")
        case "feedback" if opening.step is None:
            return _tell(now, _NO_STEP)
        case "feedback":
            return _take_feedback(now, words, relayed=event.relayed)


def _steer_at_menu(now: Analysis, words: str, steering: hearing.Steering) -> Outcome:
    """Do what a word that steers says (MENU-3, MENU-7)."""
    labels = _answer_labels(now)
    match steering:
        case "help" | "no" | "number":
            pass
        case _ if now.opening.step is None:
            return _tell(now, _NO_STEP)
        case "undo" if not now.written:
            return _tell(now, lines.NOTHING_WRITTEN)
        case "undo":
            undo = do.UndoLast(now.step, now.written[-1])
            return replace(now, stage=Stage.UNDONE), (_show("choice", words, USER), undo)
        case "back" if labels:
            return _edit_answer(now, now.answers[-1].label if now.answers else labels[-1])
        case "edit":
            others = (question.label for question in now.step.every_question)
            if label := hearing.hear_edit(words, tuple(dict.fromkeys((*labels, *others)))):
                return _edit_answer(now, label)
    return _explain_menu(now)


def _explain_menu(now: Analysis, first: str = "") -> Outcome:
    """Say what can be said at a menu besides its choices, with the numbers of the step's answers (MENU-7)."""
    labels = _answer_labels(now)
    listed = ", ".join(f"{number} {label}" for number, label in enumerate(labels, 1))
    change = f"To change an answer say `edit` and its number: {listed}. " if labels else ""
    return _tell(now, f"{first}{change}{lines.AT_A_MENU}")


def _answer_labels(now: Analysis) -> tuple[str, ...]:
    """Return the labels of the answers that can be edited at the menu, in the order they were asked."""
    if now.opening.step is None:
        return ()
    asked = (*now.step.standard, *now.step.questions(now.depth))
    labels = [question.label for question in asked if question.is_asked]
    return tuple(dict.fromkeys((*labels, *(answer.label for answer in now.answers))))


def _take_feedback(now: Analysis, words: str, *, relayed: bool) -> Outcome:
    """Change the answer that feedback corrects, let a persona answer an aside, or keep it as feedback."""
    given = tuple((answer.label, answer.text) for answer in now.answers)
    if corrected := hearing.find_corrected(words, given):
        return _edit_answer(now, corrected.label, corrected.words)
    heard = hearing.address(words, now.opening.roster)
    # Where a draft was all that the step asked for, what is said of it belongs to it.
    labels = tuple(question.label for question in now.step.every_question)
    drafted = [each.label for each in now.answers if each.offered and len(now.answers) == 1 and now.is_quick]
    if heard.kind == "open" and (added := hearing.hear_addition(words, labels, *drafted)):
        return _add_to_answer(now, added, words, relayed=relayed)
    if heard.persona and hearing.asks_something(words):
        return _ask_aside(now, heard.persona, words, relayed=relayed)
    kept = mark_unverified(" ".join(words.split())) if relayed else words
    ask = do.AskFeedback(now.brief, words, relayed=relayed)
    return replace(now, feedback=kept, stage=Stage.FEEDBACK), (_show("feedback", words, USER), ask)


def _ask_aside(now: Analysis, key: str, words: str, *, relayed: bool) -> Outcome:
    """Let a persona, by its key, answer a question that is put to it."""
    brief = replace(now.brief, persona=now.opening.roster[key])
    ask = do.AskFeedback(brief, words, aside=True, relayed=relayed)
    return replace(now, feedback=None, stage=Stage.FEEDBACK), (_show("feedback", words, USER), ask)


def _add_to_answer(now: Analysis, added: hearing.AnswerAddition, said: str, *, relayed: bool) -> Outcome:
    """Write the section with what was added to one of its answers, or said instead of it."""
    question = next(each for each in now.step.every_question if each.label == added.label)
    before = next((each for each in now.answers if each.label == added.label and not each.unknown), None)
    text = _join_reply(now.step, before, added.words) if before and not added.replaces else added.words
    answer = do.Answer(added.label, question.text, text, relayed=relayed or bool(before and before.relayed))
    return _keep(replace(now, editing=added.label), answer, said)


def _elaborate(now: Analysis, *shown: do.Show, guests: tuple[str, ...] = ()) -> Outcome:
    """Begin a roundtable on the step in hand, where there is a step and somebody to talk to.

    With `guests`, only they sit down with the lead (ENTRY-2).
    """
    opening, roster = now.opening, now.opening.roster
    if guests:
        seated = (opening.lead.key, *guests)
        roster = Roster(tuple(each for each in roster.personas if each.key in seated))
    if opening.step is None or not roster.can_discuss:
        alone = f"A roundtable needs at least two personas; only {opening.lead.name} is at the table."
        reason = alone if opening.step else _NO_STEP
        return _show_menu(now, *shown, _show("notice", reason))
    elaboration, commands = Elaboration.begin(
        item=opening.item, step=opening.step, roster=roster, steps=opening.steps,
        user_name=opening.user_name, has_review=opening.has_review, hearing=opening.hearing,
    )  # fmt: skip
    return replace(now, elaboration=elaboration, stage=Stage.ELABORATION), (*shown, *commands)


def feedback_taken(now: Analysis, event: on.FeedbackTaken) -> Outcome:
    """Show the reply; feedback is then written, an aside is not, and the same question or menu returns."""
    roster = now.opening.roster
    lead = roster[event.speaker] if event.speaker and event.speaker in roster else now.opening.lead
    reply = do.Show(lines.speech(lead, event.reply.strip(), "feedback"))
    if now.feedback is None and _is_at_menu(now):
        return _show_menu(now, reply)
    if now.feedback is None:
        return _ask_again(now, reply, _show("notice", lines.NOT_AN_ANSWER))
    write = do.WriteFeedback(now.step, now.feedback, event.at)
    return replace(now, stage=Stage.FEEDBACK_WRITTEN), (reply, write)


def feedback_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    written = (do.Written("feedback", event.moment),) if event.moment else ()
    after = replace(now, feedback=None, written=now.written + written)
    return _show_menu(after, *_show_all("update", event.announcements))


def drafts_written(now: Analysis, event: on.DocumentsWritten) -> Outcome:
    skipped = _show_skipped(now, now.opening.phase.key)
    return _save_phase(now, *_show_all("update", event.announcements), *skipped)


def _save_phase(now: Analysis, *shown: do.Show) -> Outcome:
    save = do.SavePhase(now.opening.phase.key, now.opening.passed_phases)
    return replace(now, stage=Stage.PHASE), (*shown, save)


def finished_answered(now: Analysis, event: on.UserSpoke) -> Outcome:
    words = event.text.strip()
    if tracked := _hear_track(now, words):
        return tracked
    choice = hearing.hear_choice(words, (LEAVE, START_OVER))
    if choice is None:
        return _tell(now, "Please choose L or S.")
    last = do.StartOver() if choice == START_OVER else do.Leave()
    return _end(now, _show("choice", words or LEAVE, USER), last)


def _end(now: Analysis, *commands: do.Command) -> Outcome:
    return replace(now, stage=Stage.ENDED), commands


def _show(kind: LineKind, text: str, speaker: Persona | str | None = None) -> do.Show:
    return do.Show(Line(kind, text, speaker.key if isinstance(speaker, Persona) else speaker))


def _show_all(kind: LineKind, texts: Sequence[str]) -> tuple[do.Show, ...]:
    return tuple(_show(kind, text) for text in texts)


# --- the table ------------------------------------------------------------------------------------------

TRANSITIONS: Mapping[Stage, tuple[type[on.Event], Callable[[Analysis, Any], Outcome]]] = {
    # waiting for this, this event makes this move
    Stage.TRACK: (on.UserSpoke, track_answered),
    Stage.TRACK_SAVED: (on.Saved, track_saved),
    Stage.READING: (on.ArtifactsRead, artifacts_read),
    Stage.OFFERS: (on.Offered, offers_collected),
    Stage.ANSWER: (on.UserSpoke, user_answered),
    Stage.FOLLOW_UP: (on.FollowedUp, followed_up),
    Stage.DEPTH: (on.Saved, depth_saved),
    Stage.DRAFT: (on.Drafted, sections_drafted),
    Stage.WRITTEN: (on.DocumentsWritten, step_written),
    Stage.SAVED: (on.Saved, lambda now, _: _show_menu(replace(now, saved=True))),
    Stage.ACCEPTED: (on.DocumentsWritten, sections_accepted),
    Stage.MENU: (on.UserSpoke, menu_answered),
    Stage.FEEDBACK: (on.FeedbackTaken, feedback_taken),
    Stage.FEEDBACK_WRITTEN: (on.DocumentsWritten, feedback_written),
    Stage.UNDONE: (on.Undone, change_taken_back),
    Stage.DRAFTS: (on.DocumentsWritten, drafts_written),
    Stage.PHASE: (on.Saved, lambda now, _: _end(now, do.Advance())),
    Stage.FINISHED: (on.UserSpoke, finished_answered),
}
