"""Commands that begin with a slash: they look at things, or say something to the session in other words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from pathlib import Path

from msgspec import Struct

from ...core.analysis import Analysis
from ...core.lines import Awaits
from ...core.steps import DEPTHS, is_depth
from ...core.turns import USER
from ...store.artifact import read_documents as read_documents  # for the window and the web pages too
from ...store.transcript import find_transcript, list_transcripts
from .page import VOICES, draw_progress

HELP = {
    "/help": "what can be typed here",
    "/who": "who is at the table",
    "/steps": "all steps, and where you are",
    "/artifact": "a document, in your pager: /artifact [FILE]",
    "/diff": "what the last step or discussion added",
    "/transcript": "what was said: /transcript [N]",
    "/turns": "raise the turn limit of this discussion: /turns 14",
    "/depth": "ask less or more: /depth brief, standard or deep",
    "/panel": "who gives the personas their words",
    "/model": "which model, where there is one",
    "/chair": "at a shared table: take the chair, or hand it over: /chair [NAME]",
    "/copy": "copy the last thing that was said",
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
_STEP_ID = re.compile(r"\d\d-\d\d")


class CommandResult(Struct, frozen=True):
    """What a command leads to: a text to show or page, words to say, something to copy, or the way out."""

    text: str = ""
    page: str = ""
    say: str | None = None
    copy: str | None = None
    leave: bool = False
    markdown: bool = False


class Scene(Struct, frozen=True):
    """What the commands look at."""

    analysis: Analysis | None
    folder: Path
    awaits: Awaits | None
    panel: str
    before: Mapping[str, str]
    last_said: str
    spent: str = ""
    is_shared: bool = False


def run_command(words: str, scene: Scene) -> CommandResult | None:
    """Return what a command leads to; None for words that are not a command."""
    found = _COMMAND.fullmatch(words.strip())
    if found is None:
        return None
    name, rest, analysis = found["name"], (found["rest"] or "").strip(), scene.analysis
    text = "Nothing has begun yet."
    match name:
        case _ if name not in HELP:
            if rest:  # "/tmp is full" is an answer; a lone "/hepl" is not
                return None
            text = f"There is no command {name}. There is: {', '.join(HELP)}."
        case "/help":
            width = max(len(key) for key in _KEYS)
            text = "\n".join(f"{each:<{width}}  {about}" for each, about in (_KEYS | HELP).items())
        case "/quit":
            return CommandResult(leave=True)
        case "/panel" | "/model":
            spent = f" So far: {scene.spent}." if scene.spent else ""
            text = f"The {scene.panel} panel gives the personas their words.{spent}"
            text += " A model is chosen when you start: --model NAME. The rules are the same for all."
        case "/chair":
            if scene.is_shared:
                return CommandResult(say=words.strip())
            text = "Nobody else is at this table. `roundtable serve` has tables for several people."
        case "/copy":
            if said := scene.last_said:
                return CommandResult(f"Copied: {' '.join(said.split())[:60]} ...", copy=said)
            text = "Nothing has been said yet."
        case "/diff":
            if lines := list(compare_documents(scene.before, read_documents(scene.folder))):
                return CommandResult(page="\n".join(lines))
            text = "Nothing has been added since this step began."
        case "/artifact":
            return _show_document(rest, scene)
        case "/transcript":
            return _show_transcript(rest, scene)
        case _ if analysis is None:
            pass
        case "/who":
            text = _describe_table(analysis)
        case "/steps":
            text = _list_steps(analysis)
        case "/turns":
            if analysis.elaboration is None or scene.awaits not in ("discussion", "exit"):
                text = "No discussion is running; /turns raises the limit of one that is."
            elif rest.isdecimal():
                return CommandResult(say=f"/turns {rest}")
            else:
                limit = analysis.elaboration.max_turns
                text = f"The limit is {limit} turns. Raise it with, for example: /turns {limit + 4}"
        case "/depth":
            if scene.awaits not in ("answer", "menu"):
                text = "The depth can be changed at a question or a menu, not in a discussion."
            elif is_depth(rest):
                return CommandResult(say=rest)
            else:
                text = f"The depth is {analysis.depth}. Change it with /depth and one of {', '.join(DEPTHS)}."
    return CommandResult(text)


def find_glued_command(words: str, prefill: str) -> str:
    """Return the command or step typed right behind what stood in the line; empty where there is none."""
    typed = words.removeprefix(prefill) if prefill and words.startswith(prefill) else ""
    found = _COMMAND.fullmatch(typed.strip())
    is_command = found is not None and found["name"] in HELP
    is_known = is_command or _STEP_ID.fullmatch(typed) or typed in ("back", "skip", "undo", "help", "quit")
    return typed.strip() if is_known else ""


def list_completions(analysis: Analysis | None) -> Iterable[str]:
    """Return what can be completed: commands, and first names in a form that addresses."""
    yield from HELP
    if analysis is not None:
        yield from (f"{persona.first_name}, " for persona in analysis.opening.roster.personas)


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


def _describe_table(analysis: Analysis) -> str:
    opening = analysis.opening
    rows = []
    for persona, voice in zip(opening.roster.personas, cycle(VOICES), strict=False):
        leads = ", leads now" if persona.key == opening.lead.key else ""
        rows.append(f"{voice.sign} {persona.title}{leads}\n  {', '.join(persona.lens)}")
    return "\n".join(rows)


def _list_steps(analysis: Analysis) -> str:
    rows = [draw_progress(analysis)]
    for step in analysis.opening.steps:
        here = step == analysis.opening.step
        mark = "✓" if step.step_id in analysis.completed_steps else "›" if here else " "
        rows.append(f"{mark} {step.step_id}  {step.title}{'  (here)' if here else ''}")
    return "\n".join(rows)


def _show_document(name: str, scene: Scene) -> CommandResult:
    found = read_documents(scene.folder)
    step = scene.analysis.opening.step if scene.analysis is not None else None
    wanted = name or next((each for each in (step.outputs if step else ()) if each in found), "")
    if not found:
        return CommandResult("There are no documents yet; the first step writes the first one.")
    if wanted in found:
        others = ", ".join(each for each in found if each != wanted)
        text = f"That was {wanted}. There is also: {others}." if others else ""
        return CommandResult(text, found[wanted], markdown=wanted.endswith(".md"))
    missing = f"There is no {wanted}." if wanted else "Name one of these."
    return CommandResult(f"{missing} There is: {', '.join(found)}.")


def _show_transcript(number: str, scene: Scene) -> CommandResult:
    table = scene.analysis.elaboration if scene.analysis is not None else None
    if table is not None and not number:
        names = {USER: "You"} | {persona.key: persona.title for persona in table.roster.personas}
        said = [f"**{turn.number}. {names[turn.speaker]}**\n\n{turn.text}" for turn in table.turns]
        return CommandResult(page="\n\n".join(said) or "Nothing has been said yet.", markdown=True)
    count = len(list_transcripts(scene.folder))
    if not count:
        return CommandResult("There is no transcript yet; one is written when a discussion ends.")
    found = find_transcript(scene.folder, number or str(count))
    if found is None:
        return CommandResult(f"There are transcripts 1 to {count}, as far as they can be read.")
    return CommandResult(page=found.text, markdown=True)
