"""The moves from the entry to the end of the discussion (rules ENTRY, FRAME, LOOP, HEAR, FOCUS, EXIT)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import commands as do
from . import events as on
from . import floor, focus, lines
from .conclusion import Shown, show, synthesize
from .errors import RuleBroken
from .hearing import address, hear, hear_exit_answer, insists_on_topic
from .states import Awaited, State
from .turns import NEUTRAL, USER, OffTopic, Turn, Verdict

if TYPE_CHECKING:
    from .elaboration import Answer, Elaboration

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
    text = lines.framing(
        title=now.step.title, summary=event.summary, focus_question=event.focus_question, first=first
    )
    said, shown = _say(now, now.lead.key, text, notes=event.notes)
    after = replace(
        said, state=State.DISCUSSION_LOOP, focus_question=event.focus_question.strip(),
        focus_topic=focus.within_sentence(event.focus_topic) or now.step.title,
        due=floor.first_round(now.roster, now.lead), rounds_without_user=1,
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
        said = replace(said, due=floor.close(said.due))
    elif purpose != "tradeoff" and _opposes_a_persona(said):
        said = replace(said, due=floor.weigh(said.due, now.lead, closing=said.closing))
    drift = event.verdict.off_topic
    if drift is not None:
        said = replace(said, parked=(*said.parked, focus.park(said.turns[-1], drift)))
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
                now, due=floor.go_on(now.roster, now.lead, now.turns), closing=False,
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
    waiting = floor.unanswered(now.roster, now.lead, now.turns[:-1])
    answered = replace(judged, due=floor.reply(heard, now.roster, now.lead, waiting))
    if drift is None or now.insists:
        return _go_on(answered)
    parked = (*judged.parked, focus.park(turn, drift))
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
    warning = show(now, "warning", lines.warning(now.lead), now.lead.key)
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
    missing = verdict.missing(number)
    if missing:
        raise RuleBroken(f"Turn {missing[0]} does not exist; a verdict names turns 1 to {number}.")


def _redirect(now: Elaboration, speaker: str) -> do.Show:
    point = now.parked[-1]
    drift = OffTopic(point.subject, point.belongs_to)
    ahead = focus.place(point.belongs_to, steps=now.steps, current=now.step.step_id)
    text = focus.redirect(now.lead, speaker, drift, topic=now.focus_topic, ahead=ahead)
    return show(now, "redirect", text, now.lead.key)


def _acknowledge(now: Elaboration) -> do.Show:
    return show(now, "acknowledgement", lines.ACKNOWLEDGEMENT)


def _echo(now: Elaboration, words: str) -> do.Show:
    return show(now, "choice", words, USER)
