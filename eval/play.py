"""Plays discussions on real items through the real session, with a scripted user.

An item is a folder with `item.toml` (title, text, source, `[[steps]]` with answers and messages), or the
older pair of `NAME.md` and `NAME.toml` (step, answers, messages).
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roundtable import Session, load_roster, load_steps
from roundtable.core import commands as do
from roundtable.core.lines import Line
from roundtable.core.steps import Step
from roundtable.core.turns import Turn
from roundtable.core.validation import is_unknown
from roundtable.documents.drafting import draft
from roundtable.panel.base import Panel
from roundtable.panel.offline import OfflinePanel
from roundtable.store.items import add_item, read_item
from roundtable.store.meta import change_meta
from roundtable.store.outputs import Outputs

ITEMS = Path(__file__).parent / "items"
_FORMER_LABELS = {  # of items that were written before a question got its label of today
    ("00-01", "Change"): "Afterwards",
    ("00-01", "Boundary"): "Not Included",
    ("00-02", "Matches"): "Files",
    ("01-02", "Need"): "Comes First",
    ("01-03", "Detour"): "Errors",
    ("01-04", "Given"): "Constraints",
    ("01-04", "Surroundings"): "Context",
    ("01-05", "Worst Case"): "Risks",
    ("01-08", "Must"): "Priorities",
    ("03-01", "Price"): "Cost",
    ("04-05", "Approval"): "First Question",
}


@dataclass(frozen=True, slots=True)
class Script:
    """An item, the step that was just completed with its answers by label, and what the user says after E."""

    name: str
    title: str
    text: str
    step_id: str
    answers: tuple[tuple[str, str], ...]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """What was said and shown in one discussion, and the documents afterwards."""

    script: Script
    turns: tuple[Turn, ...]
    lines: tuple[Line, ...]
    documents: dict[str, str] = field(default_factory=dict)


def read_scripts(folder: Path) -> tuple[Script, ...]:
    """Read all scripts of a folder, in either form, by name."""
    found = [script for path in sorted(folder.glob("*/item.toml")) for script in _read_item(path)]
    found += [_read_pair(path) for path in sorted(folder.glob("*.toml")) if path.with_suffix(".md").is_file()]
    return tuple(found)


def _read_item(path: Path) -> Iterator[Script]:
    data = tomllib.loads(path.read_text("utf-8"))
    for step in data["steps"]:
        answers = _rename_labels(step["id"], ((each["label"], each["text"]) for each in step["answers"]))
        said = tuple(each["text"] if isinstance(each, dict) else each for each in step.get("messages", ()))
        yield Script(
            f"{path.parent.name}@{step['id']}", data["title"], data["text"].strip(), step["id"], answers, said
        )


def _read_pair(path: Path) -> Script:
    data = tomllib.loads(path.read_text("utf-8"))
    title, _, text = path.with_suffix(".md").read_text("utf-8").strip().partition("\n")
    said = tuple("" if each["kind"] == "silence" else each["text"] for each in data.get("messages", ()))
    return Script(
        path.stem,
        title.lstrip("# ").strip(),
        text.strip(),
        data["step"],
        _rename_labels(data["step"], data["answers"].items()),
        said,
    )


def _rename_labels(step_id: str, answers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((_FORMER_LABELS.get((step_id, label), label), text) for label, text in answers)


def play(
    script: Script,
    root: Path,
    *,
    messages: Sequence[str] | None = None,
    max_turns: int = 10,
    panel: Panel | None = None,
) -> Played:
    """Write the step from its answers, hold one discussion on it, and return what was said."""
    said = script.messages if messages is None else messages
    return asyncio.run(_play(script, root, said, max_turns, panel or OfflinePanel()))


async def _play(script: Script, root: Path, messages: Sequence[str], max_turns: int, panel: Panel) -> Played:
    steps, folder = load_steps(), root / "docs" / "requirements"
    step = next(each for each in steps if each.step_id == script.step_id)
    if not folder.is_dir():
        home = add_item(root, script.text, title=script.title, commit=None)
        _write_step(script, home, step, steps)
    home = next(path for path in folder.iterdir() if path.is_dir())
    change_meta(home, lambda meta: meta.update(elaboration_config={"max_turns": max_turns}))
    session = Session(root, home.name, step=step.step_id, panel=panel)
    for message in messages:
        session.say(message)
    session.say("done")
    session.hang_up()
    lines: list[Line] = []
    turns: tuple[Turn, ...] = ()
    async for line in session.lines():
        lines.append(line)
        analysis = session.analysis
        if analysis is not None and analysis.elaboration is not None and analysis.elaboration.turns:
            turns = analysis.elaboration.turns
    documents = {path.name: path.read_text("utf-8") for path in sorted(home.glob("*.md"))}
    return Played(script, turns, tuple(lines), documents)


def _write_step(script: Script, home: Path, step: Step, steps: tuple[Step, ...]) -> None:
    roster, item = load_roster(), read_item(home)
    outputs = Outputs(home, steps)
    asked = {question.label: question.text for question in (*step.brief, *step.deep, *step.standard)}
    answers = tuple(
        do.Answer(label, asked.get(label, label), text, is_unknown(text)) for label, text in script.answers
    )
    brief = do.StepBrief(item, step, roster[step.persona], roster, "standard", answers)
    outputs.write_step(do.WriteStep(step, draft(brief, outputs.documents())))
    change_meta(home, lambda meta: meta["steps_completed"].append(step.step_id))


def show(played: Played) -> str:
    """Return a discussion as a person would read it."""
    shown = [
        line for line in played.lines if line.kind not in ("listen", "menu", "greeting", "paused", "choice")
    ]
    return "\n\n".join(f"You: {line.text}" if line.speaker == "user" else line.text for line in shown)
