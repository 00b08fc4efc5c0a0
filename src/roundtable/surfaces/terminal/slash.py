"""Commands that begin with a slash: they look at things, or say something to the session in other words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from ...core.analysis import Analysis
from ...core.errors import DiskFailed
from ...core.lines import Awaits, Line
from ...core.steps import DEPTHS
from ...core.turns import USER
from ...store.artifact import read_documents as read_documents  # for the web pages too
from ...store.transcript import find_transcript, list_transcripts, read_transcript

if TYPE_CHECKING:
    from ...runtime.session import Session
    from .seat import TableSeat

HELP = {
    "/help": "what can be typed here",
    "/steps": "all steps, and where you are",
    "/artifact": "a document: /artifact [FILE]",
    "/diff": "what the last step or discussion added",
    "/transcript": "what was said: /transcript [N]",
    "/turns": "raise the turn limit of this discussion: /turns 14",
    "/depth": "ask less or more: /depth brief, standard or deep",
    "/chair": "at a shared table: take the chair, or hand it over: /chair [NAME]",
    "/quit": "leave; everything is saved",
}
_KEYS = {
    "?": "help on the question, and an example",
    "Enter": "takes the draft, continues, or says: go on",
    "back": "at a question: the one before again",
    "skip": "at a question: leave it open",
    "edit 2": "at a menu: that question again",
    "undo": "at a menu: take back what was written last",
    "01-05": "open that step, if it is complete or was skipped",
    "Alt-Enter": "a new line",
    "Ctrl-X Ctrl-E": "write in your editor",
    "Tab": "complete a name or a command",
    "Ctrl-C": "stop whoever speaks; twice leaves",
    "Ctrl-D": "leave",
}
_COMMAND = re.compile(r"(?P<name>/[a-z]+)(?:\s+(?P<rest>.*))?", re.DOTALL)
_STEERS = re.compile(r"\d\d-\d\d|back|skip|undo|help|quit")


class CommandResult(Struct, frozen=True):
    """What a command leads to: a text to show, a document to page, words to say, or the way out."""

    text: str = ""
    page: str = ""
    is_markdown: bool = True
    say: str | None = None
    leave: bool = False


class Commands:
    """Answers the commands of one conversation."""

    def __init__(
        self, session: Session | TableSeat, *, is_shared: bool = False, is_strict: bool = False
    ) -> None:
        """With `is_strict` a lone `/hepl` is told to be no command; in a pipe it may be an answer."""
        self._session, self._is_shared, self._is_strict = session, is_shared, is_strict
        self._before = read_documents(session.folder)

    def watch(self, line: Line) -> None:
        """Keep the documents as they are when a step or a discussion begins, for /diff."""
        if line.kind in ("step", "introduction"):
            self._before = read_documents(self._session.folder)

    def run(self, words: str, awaits: Awaits | None) -> CommandResult | None:
        """Return what a command leads to; None for words that are not one."""
        found = _COMMAND.fullmatch(words.strip())
        if found is None:
            return None
        name, rest, analysis = found["name"], (found["rest"] or "").strip(), self._session.analysis
        text = "Nothing has begun yet."
        match name:
            case _ if name not in HELP:
                if rest or not self._is_strict:  # "/tmp is full" is an answer
                    return None
                text = f"There is no command {name}. There is: {', '.join(HELP)}."
            case "/help":
                width = max(map(len, _KEYS))
                text = "\n".join(f"{each:<{width}}  {about}" for each, about in (_KEYS | HELP).items())
            case "/quit":
                return CommandResult(leave=True)
            case "/chair":
                if self._is_shared:
                    return CommandResult(say=words.strip())
                text = "Nobody else is at this table. `roundtable serve` has tables for several people."
            case "/diff":
                if lines := list(compare_documents(self._before, read_documents(self._session.folder))):
                    return CommandResult(page="\n".join(lines), is_markdown=False)
                text = "Nothing has been added since this step began."
            case "/artifact":
                return self._show_document(rest)
            case "/transcript":
                return self._show_transcript(rest)
            case "/steps" if analysis is not None:
                text = "\n".join(_list_steps(analysis))
            case "/turns" if analysis is not None:
                if analysis.elaboration is None or awaits not in ("discussion", "exit"):
                    text = "No discussion is running; /turns raises the limit of one that is."
                elif rest.isdecimal():
                    return CommandResult(say=f"/turns {rest}")
                else:
                    limit = analysis.elaboration.max_turns
                    text = f"The limit is {limit} turns. Raise it with, for example: /turns {limit + 4}"
            case "/depth" if analysis is not None:
                if rest in DEPTHS and awaits in ("answer", "menu"):
                    return CommandResult(say=rest)
                names = ", ".join(DEPTHS)
                text = f"The depth is {analysis.depth}. /depth changes it at a question or a menu: {names}."
        return CommandResult(text)

    def _show_document(self, name: str) -> CommandResult:
        found, analysis = read_documents(self._session.folder), self._session.analysis
        step = analysis.opening.step if analysis is not None else None
        wanted = name or next((each for each in (step.outputs if step else ()) if each in found), "")
        if not found:
            return CommandResult("There are no documents yet; the first step writes the first one.")
        if wanted not in found:
            missing = f"There is no {wanted}." if wanted else "Name one of these."
            return CommandResult(f"{missing} There is: {', '.join(found)}.")
        others = ", ".join(each for each in found if each != wanted)
        text = f"That was {wanted}. There is also: {others}." if others else ""
        return CommandResult(text, found[wanted], is_markdown=wanted.endswith(".md"))

    def _show_transcript(self, number: str) -> CommandResult:
        table = self._session.analysis.elaboration if self._session.analysis is not None else None
        if table is not None and not number:
            names = {USER: "You"} | {persona.key: persona.title for persona in table.roster.personas}
            said = [f"**{turn.number}. {names[turn.speaker]}**\n\n{turn.text}" for turn in table.turns]
            return CommandResult(page="\n\n".join(said) or "Nothing has been said yet.")
        count = len(list_transcripts(self._session.folder))
        path = find_transcript(self._session.folder, number or str(count))
        if path is None:
            nothing = "There is no transcript yet; one is written when a discussion ends."
            return CommandResult(f"There are transcripts 1 to {count}." if count else nothing)
        try:
            text = read_transcript(self._session.folder, path).decode("utf-8-sig", "replace")
        except (DiskFailed, OSError) as failure:
            return CommandResult(str(failure))
        return CommandResult(page=text)


def find_glued_command(words: str, prefill: str) -> str:
    """Return the command or step typed right behind what stood in the line; empty where there is none."""
    typed = words.removeprefix(prefill) if prefill and words.startswith(prefill) else ""
    is_command = typed.strip().partition(" ")[0] in HELP
    return typed.strip() if is_command or _STEERS.fullmatch(typed) else ""


def compare_documents(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Return what differs, file by file, as lines that begin with `+`, `-`, `@` or a blank."""
    for name in sorted({*before, *after}):
        old, new = (texts.get(name, "").splitlines() for texts in (before, after))
        changed = difflib.unified_diff(old, new, n=1, lineterm="")
        lines = [line for line in changed if not line.startswith(("---", "+++"))]
        if lines:
            added = sum(line.startswith("+") for line in lines)
            yield f"@ {name}: {added} {'line' if added == 1 else 'lines'} added"
            yield from (line for line in lines if not line.startswith("@@"))


def _list_steps(analysis: Analysis) -> Iterator[str]:
    for step in analysis.opening.steps:
        here = step == analysis.opening.step
        mark = "✓" if step.step_id in analysis.completed_steps else "›" if here else " "
        yield f"{mark} {step.step_id}  {step.title}{'  (here)' if here else ''}"
