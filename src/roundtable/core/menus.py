"""The moves at a menu: continue, skip, elaborate, feedback (rules MENU-1 to MENU-5, GREET-5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import commands as do
from . import depth as depths
from . import events as on
from . import greeting, lines
from .elaboration import Elaboration
from .exits import hear_exit
from .hearing import hear_choice, hear_menu
from .lines import Line
from .progress import Remaining, in_phase, remaining
from .stages import Stage
from .steps import PHASES, Phase
from .turns import USER
from .validation import is_unknown
from .words import words_of

if TYPE_CHECKING:
    from .analysis import Analysis, Answer, Opening

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


def depth_saved(now: Analysis, event: on.DepthSaved) -> Answer:
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
    text = greeting.all_done(now.opening.item.name, moved_on=now.opening.moved_on)
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
    steps = in_phase(now.opening.steps, now.opening.phase)
    done = tuple(step for step in steps if step.step_id in now.completed)
    return do.WriteDrafts(done, tuple(step for step in steps if step not in done))


def _left(now: Analysis) -> Remaining:
    opening = now.opening
    return remaining(opening.steps, opening.phase, now.completed, dict(opening.facts))


def _next_phase(opening: Opening) -> Phase | None:
    done = (*opening.progress.phases_completed, opening.phase.key)
    return next((phase for phase in PHASES if phase.key not in done), None)
