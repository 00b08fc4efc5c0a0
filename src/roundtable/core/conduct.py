"""The moves of a leg from its greeting to the step's artifacts (rules GREET, DEPTH-2, DEPTH-3, STEP-4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from . import commands as do
from . import depth as depths
from . import events as on
from . import greeting, lines, menus
from .lines import Line
from .stages import Stage
from .steps import Criterion, Question, Target
from .turns import USER
from .validation import asks_back, check, is_unknown
from .words import is_silence

if TYPE_CHECKING:
    from .analysis import Analysis, Answer, Opening

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
            return menus.offer_to_start_over(now)
        case "elaborate":
            return _prefixed(notices, *menus.elaborate(now))
        case "menu":
            return _prefixed((*notices, *_welcome(opening)), *menus.show_menu(now))
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
    return (_welcome_back(opening, now.completed, menus.ahead(now) if now.saved else now.step.title),)


def _welcome(opening: Opening) -> tuple[do.Show, ...]:
    match opening.arrival:
        case "continuing":
            return ()
        case "resumed":
            done = opening.progress.steps_completed
            ahead = opening.step.title if opening.kind == "step" and opening.step else menus.ahead_of(opening)
            return (_welcome_back(opening, done, ahead),)
        case "new":
            hello = greeting.new_in_phase(opening.lead, opening.phase)
            return (*_hand_off(opening), do.Show(Line("greeting", hello, opening.lead.key)))


def _welcome_back(opening: Opening, completed: tuple[str, ...], ahead: str) -> do.Show:
    number = opening.phase.number
    titles = {step.step_id: step.title for step in opening.steps}
    done = [titles[step_id] for step_id in completed if step_id[:2] == number and step_id in titles]
    past = [each for each in opening.progress.elaborations if each.step_id[:2] == number]
    text = greeting.welcome_back(opening.lead, titles=done, past=past, ahead=ahead)
    return do.Show(Line("greeting", text, opening.lead.key))


def _hand_off(opening: Opening) -> tuple[do.Show, ...]:
    before = opening.handed_over_by
    if before is None:
        return ()
    outgoing = opening.roster.lead_of(before.key).persona
    text = greeting.hand_off(outgoing, before, opening.lead, opening.phase)
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
    return next((each for each in criteria if not check(each.check, words)), None)


# --- the step's artifacts -------------------------------------------------------------------------------


def drafted(now: Analysis, event: on.Drafted) -> Answer:
    notices = (do.Show(Line("notice", each.notice)) for each in event.sections if each.notice)
    return replace(now, stage=Stage.WRITTEN), (*notices, do.WriteStep(now.step, event.sections))


def step_written(now: Analysis, event: on.StepWritten) -> Answer:
    shown = tuple(do.Show(Line("update", text)) for text in event.announcements)
    return replace(now, stage=Stage.SAVED), (*shown, do.SaveStep(now.step.step_id))


def step_saved(now: Analysis, event: on.StepSaved) -> Answer:
    return menus.show_menu(replace(now, saved=True))


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
