"""Changes: what has been added to the item's documents since a moment ago, as a diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import DiskFailed
from ...core.steps import DEPTHS, is_depth
from ...core.turns import USER
from ...store.artifact import read_artifact
from ...store.transcript import find_transcript, list_transcripts, read_transcript
from ..cli.output import fit
from .page import bar
from .renderer import VOICES

if TYPE_CHECKING:
    from ...core.analysis import Analysis
    from ...core.lines import Awaits
    from ...core.personas import Roster


_SUFFIXES = (".md", ".json", ".csv")
_OWN = ("meta.json",)
_AROUND = 1


def documents(folder: Path) -> dict[str, str]:
    """The item's documents by name; what cannot be read is passed over."""
    found: dict[str, str] = {}
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix in _SUFFIXES)
    except OSError:
        return found
    for name in names:
        if name not in _OWN:
            try:
                found[name] = fit(read_artifact(folder, name).decode("utf-8-sig", "replace"))
            except (FileNotFoundError, DiskFailed):
                continue
    return found


def diff(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """What differs, file by file, as lines that begin with `+`, `-`, `@` or a blank."""
    for name in sorted({*before, *after}):
        old, new = (texts.get(name, "").splitlines() for texts in (before, after))
        changed = difflib.unified_diff(old, new, n=_AROUND, lineterm="")
        lines = [line for line in changed if not line.startswith(("---", "+++"))]
        if lines:
            added = sum(line.startswith("+") for line in lines)
            yield f"@ {name}: {added} {'line' if added == 1 else 'lines'} added"
            yield from (line for line in lines if not line.startswith("@@"))


_COMMAND = re.compile(r"/(?P<name>[a-z]+)(?:\s+(?P<rest>.*))?", re.DOTALL)
HELP: Mapping[str, str] = {
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
    "/copy": "copy the last thing that was said",
    "/quit": "leave; everything is saved",
}
_KEYS = (
    ("?", "help on the question, and an example"),
    ("Enter", "takes the draft, continues, or says: go on"),
    ("Alt-Enter", "a new line"),
    ("Ctrl-X Ctrl-E", "write in your editor"),
    ("Tab", "complete a name or a command"),
    ("Ctrl-C", "stop whoever speaks; twice leaves"),
    ("Ctrl-D", "leave"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command leads to: a text to show or page, words to say, something to copy, or the way out."""

    text: str = ""
    page: str = ""
    say: str | None = None
    copy: str | None = None
    leave: bool = False
    markdown: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What the commands look at."""

    analysis: Analysis | None
    folder: Path
    awaits: Awaits | None
    panel: str
    before: Mapping[str, str]
    last_said: str
    spent: str = ""


def answer(words: str, scene: Scene) -> Answer | None:
    """What a command leads to; None for words that are no command."""
    found = _COMMAND.fullmatch(words.strip())
    if found is None:
        return None
    name, rest = f"/{found['name']}", (found["rest"] or "").strip()
    handler = _HANDLERS.get(name)
    if handler is None:
        # "/tmp is full" is an answer; a lone "/hepl" is not.
        return None if rest else Answer(f"There is no command {name}. There is: {', '.join(HELP)}.")
    return handler(rest, scene)


def completions(analysis: Analysis | None) -> Iterable[str]:
    """What can be completed: commands, and first names in a form that addresses."""
    yield from HELP
    if analysis is not None:
        yield from (f"{persona.first_name}, " for persona in analysis.opening.roster.personas)


def _help(_rest: str, _scene: Scene) -> Answer:
    width = max(len(name) for name, _ in _KEYS)
    rows = [f"{name:<{width}}  {about}" for name, about in (*_KEYS, *HELP.items())]
    return Answer("\n".join(rows))


def _who(_rest: str, scene: Scene) -> Answer:
    if scene.analysis is None:
        return Answer("Nobody is at the table yet.")
    opening = scene.analysis.opening
    rows = []
    for persona, voice in zip(opening.roster.personas, cycle(VOICES), strict=False):
        leads = ", leads now" if persona.key == opening.lead.key else ""
        rows.append(f"{voice.sign} {persona.title}{leads}\n  {', '.join(persona.lens)}")
    return Answer("\n".join(rows))


def _steps(_rest: str, scene: Scene) -> Answer:
    if scene.analysis is None:
        return Answer("The analysis has not begun.")
    now, opening = scene.analysis, scene.analysis.opening
    rows = [bar(now)]
    for step in opening.steps:
        here = opening.step is not None and step.step_id == opening.step.step_id
        mark = "✓" if step.step_id in now.completed else "›" if here else " "
        rows.append(f"{mark} {step.step_id}  {step.title}{'  (here)' if here else ''}")
    return Answer("\n".join(rows))


def _artifact(rest: str, scene: Scene) -> Answer:
    found = documents(scene.folder)
    step = scene.analysis.opening.step if scene.analysis is not None else None
    wanted = rest or next((name for name in (step.outputs if step else ()) if name in found), "")
    listed = ", ".join(found)
    if wanted in found:
        others = ", ".join(name for name in found if name != wanted)
        return Answer(
            text=f"That was {wanted}. There is also: {others}." if others else "",
            page=found[wanted], markdown=wanted.endswith(".md"),
        )  # fmt: skip
    if not found:
        return Answer("There are no documents yet; the first step writes the first one.")
    return Answer(f"There is no {wanted}. There is: {listed}." if wanted else f"Name one of these: {listed}.")


def _diff(_rest: str, scene: Scene) -> Answer:
    lines = list(diff(scene.before, documents(scene.folder)))
    return Answer(page="\n".join(lines)) if lines else Answer("Nothing has been added since this step began.")


def _transcript(rest: str, scene: Scene) -> Answer:
    table = scene.analysis.elaboration if scene.analysis is not None else None
    if table is not None and not rest:
        said = [
            f"**{turn.number}. {_name(turn.speaker, table.roster)}**\n\n{turn.text}" for turn in table.turns
        ]
        return Answer(page="\n\n".join(said) or "Nothing has been said yet.", markdown=True)
    found = list_transcripts(scene.folder)
    if not found:
        return Answer("There is no transcript yet; one is written when a discussion ends.")
    path = find_transcript(scene.folder, rest) if rest else found[-1]
    if path is None:
        return Answer(f"There are transcripts 1 to {len(found)}.")
    try:
        text = read_transcript(scene.folder, path).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return Answer(f"{path.name} is not there any more.")
    except DiskFailed as failure:
        return Answer(str(failure))
    return Answer(page=text, markdown=True)


def _turns(rest: str, scene: Scene) -> Answer:
    table = scene.analysis.elaboration if scene.analysis is not None else None
    if table is None or scene.awaits not in ("discussion", "exit"):
        return Answer("No discussion is running; /turns raises the limit of one that is.")
    if not rest.isdecimal():
        return Answer(
            f"The limit is {table.max_turns} turns. Raise it with, for example: /turns {table.max_turns + 4}"
        )
    return Answer(say=f"/turns {rest}")


def _depth(rest: str, scene: Scene) -> Answer:
    if scene.analysis is None or scene.awaits not in ("answer", "menu"):
        return Answer("The depth can be changed at a question or a menu, not in a discussion.")
    if not is_depth(rest):
        return Answer(
            f"The depth is {scene.analysis.depth}. Change it with /depth and one of {', '.join(DEPTHS)}."
        )
    return Answer(say=rest)


def _panel(_rest: str, scene: Scene) -> Answer:
    return Answer(
        f"The {scene.panel} panel gives the personas their words. The rules are the same for every panel."
    )


def _model(_rest: str, scene: Scene) -> Answer:
    spent = f" So far: {scene.spent}." if scene.spent else ""
    return Answer(f"The {scene.panel} panel speaks.{spent} A model is chosen when you start: --model NAME.")


def _copy(_rest: str, scene: Scene) -> Answer:
    if not scene.last_said:
        return Answer("Nothing has been said yet.")
    return Answer(f"Copied: {' '.join(scene.last_said.split())[:60]} ...", copy=scene.last_said)


def _name(speaker: str, roster: Roster) -> str:
    return "You" if speaker == USER else roster[speaker].title


def _quit(_rest: str, _scene: Scene) -> Answer:
    return Answer(leave=True)


_HANDLERS: Mapping[str, Callable[[str, Scene], Answer]] = {
    "/help": _help, "/who": _who, "/steps": _steps, "/artifact": _artifact, "/diff": _diff,
    "/transcript": _transcript, "/turns": _turns, "/depth": _depth, "/panel": _panel, "/model": _model,
    "/copy": _copy, "/quit": _quit,
}  # fmt: skip
