"""Commands that begin with a slash: they look at things, or say something to the session in other words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ...core.analysis import Analysis
from ...core.lines import Awaits
from ...core.steps import DEPTHS, Step
from ...core.turns import USER
from ...store.artifact import read_documents

if TYPE_CHECKING:
    from ...runtime.session import Session
    from .seat import TableSeat

HELP = {
    "/help": "what can be typed here",
    "/steps": "all steps, and where you are",
    "/artifact": "a document: /artifact FILE",
    "/transcript": "what was said in this discussion",
    "/turns": "raise the turn limit of this discussion: /turns 14",
    "/depth": "ask less or more: /depth brief, standard or deep",
    "/chair": "at a shared table: take the chair, or hand it over: /chair [NAME]",
    "/quit": "leave; everything is saved",
}
_KEYS = {
    "?": "help on the question, and an example",
    "Enter": "accepts the draft, continues, or tells them to go on",
    "back": "at a question: the one before again",
    "skip": "at a question: leave it open",
    "edit 2": "at a menu: that question again",
    "undo": "at a menu: take back what was written last",
    "01-05": "open that step, if it is complete or was skipped",
    "Alt-Enter": "a new line",
    "Ctrl-X Ctrl-E": "write in your editor",
    "Tab": "put the draft into the line, to be edited",
    "Ctrl-C": "stops the speaker; twice leaves",
    "Ctrl-D": "leave",
}
_WITH_WORDS = ("/artifact", "/transcript", "/turns", "/depth", "/chair", "/diff")
_COMMAND = re.compile(r"(?P<name>/[a-z]+)(?:\s+(?P<rest>.*))?", re.DOTALL)


class CommandResult(Struct, frozen=True):
    """What a command leads to: a text to show, else words to say, else the way out."""

    text: str = ""
    say: str | None = None


def run_command(
    words: str, session: Session | TableSeat, awaits: Awaits | None, *, is_strict: bool
) -> CommandResult | None:
    """Return what a command leads to; None for words that are not one.

    With `is_strict` a lone `/hepl` is told to be no command; in a pipe it is an answer. "/help is broken" is
    an answer everywhere: only some commands take a word or two.
    """
    found = _COMMAND.fullmatch(words.strip())
    if found is None:
        return None
    name, rest, analysis = found["name"], (found["rest"] or "").strip(), session.analysis
    table = analysis.elaboration if analysis is not None else None
    if len(rest.split()) > (2 if name in _WITH_WORDS else 0):
        return None
    text = "Nothing has begun yet."
    match name:
        case "/help":
            width = max(map(len, _KEYS))
            text = "\n".join(f"{each:<{width}}  {about}" for each, about in (_KEYS | HELP).items())
        case "/quit":
            return CommandResult()
        case "/chair":
            from .seat import TableSeat  # late: others need no connection

            if isinstance(session, TableSeat):
                return CommandResult(say=words.strip())
            text = "Nobody else is at this table. `roundtable serve` has tables for several people."
        case "/transcript" if table is not None and not rest:
            names = {USER: "You"} | {persona.key: persona.title for persona in table.roster.personas}
            turns = [f"{turn.number}. {names[turn.speaker]}: {turn.text}" for turn in table.turns]
            text = "\n\n".join(turns) or "Nothing has been said yet."
        case "/artifact":
            documents = read_documents(session.folder)
            text = (
                f"Name one of these: {', '.join(documents)}." if documents else "There are no documents yet."
            )
            text = documents.get(rest, text)
        case "/diff" | "/transcript":
            text = "In another window `roundtable show` has earlier transcripts, and `git diff` what changed."
        case "/steps" if analysis is not None:
            steps = [_describe_step(step, analysis) for step in analysis.opening.steps]
            text = "\n".join(steps) or "A document is discussed without steps."
        case "/turns" if analysis is not None:
            if table is None or awaits not in ("discussion", "exit"):
                text = "No discussion is running; /turns raises the limit of one that is."
            elif rest.isdecimal():
                return CommandResult(say=f"/turns {rest}")
            else:
                limit = table.max_turns
                text = f"The limit is {limit} turns. Raise it with, for example: /turns {limit + 4}"
        case "/depth" if analysis is not None:
            if rest in DEPTHS and awaits in ("answer", "menu"):
                return CommandResult(say=rest)
            others = ", ".join(DEPTHS)
            text = f"The depth is {analysis.depth}. /depth changes it at a question or a menu: {others}."
        case _ if name not in HELP:
            if not is_strict:
                return None
            text = f"There is no command {name}. There is: {', '.join(HELP)}."
    return CommandResult(text)


def _describe_step(step: Step, analysis: Analysis) -> str:
    is_here = step == analysis.opening.step
    mark = "✓" if step.step_id in analysis.completed_steps else "›" if is_here else " "
    return f"{mark} {step.step_id}  {step.title}{'  (here)' if is_here else ''}"
