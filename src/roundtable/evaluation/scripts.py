"""Scripts: real items, each with a step, the answers given in it, and what a user says in its discussion.

An item is two files in a folder: `07-cloud-save.md` holds title and text, `07-cloud-save.toml` the rest.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeGuard, get_args

from ..core.errors import ContentBroken
from ..core.items import Item

Kind = Literal["question", "statement", "objection", "decision", "drift-far", "drift-step", "ok", "silence"]
KINDS: tuple[Kind, ...] = get_args(Kind)
AT_HOME: tuple[Kind, ...] = ("question", "statement", "objection", "decision")
"""What belongs to the discussion and may not be sent away."""

HOME = Path(__file__).parent / "items"
SETS = ("write", "check", "fresh")


@dataclass(frozen=True, slots=True)
class Message:
    """What a user says, what kind of thing it is, what it decides, and the step where it belongs."""

    kind: Kind
    text: str
    decision: str = ""
    belongs_to: str | None = None
    cue: bool = True
    """False for a decision that is plainly stated, without a cue and without an imperative."""


@dataclass(frozen=True, slots=True)
class Script:
    """An item with the step that was just completed, its answers by label, and the user's messages."""

    name: str
    item: Item
    step_id: str
    answers: tuple[tuple[str, str], ...] = ()
    messages: tuple[Message, ...] = ()


def read_scripts(folder: Path) -> tuple[Script, ...]:
    """All scripts of a folder by name; ContentBroken names the first that cannot be used."""
    found = sorted(path for path in folder.glob("*.toml") if path.with_suffix(".md").is_file())
    if not found:
        raise ContentBroken(
            f"There are no items in {folder}.",
            do="An item is NAME.md with title and text, and NAME.toml with step, answers and messages.",
        )
    return tuple(_read(path) for path in found)


def set_folder(name: str) -> Path:
    """Where a set of items lies in the package."""
    return HOME / name


def _read(path: Path) -> Script:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        text = path.with_suffix(".md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _broken(path, str(error)) from error
    title, _, rest = text.strip().partition("\n")
    step_id, answers = data.get("step"), data.get("answers", {})
    if not isinstance(step_id, str):
        raise _broken(path, "`step` is missing")
    if not isinstance(answers, dict):
        raise _broken(path, "`answers` is no table of labels and texts")
    said = data.get("messages", [])
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said):
        raise _broken(path, "`messages` is no list of tables")
    return Script(
        name=path.stem,
        item=Item(path.stem, title.lstrip("# ").strip() or path.stem, rest.strip()),
        step_id=step_id,
        answers=tuple((str(label), str(answer)) for label, answer in answers.items()),
        messages=tuple(_message(path, each) for each in said),
    )


def _message(path: Path, data: Mapping[str, Any]) -> Message:
    kind = data.get("kind")
    if not _is_kind(kind):
        raise _broken(path, f"a message is of kind {kind!r}, not one of {', '.join(KINDS)}")
    decision, belongs_to = data.get("decision", ""), data.get("belongs_to")
    text = "" if kind == "silence" else str(data.get("text", ""))
    place = str(belongs_to) if belongs_to else None
    return Message(kind, text, _words(decision), place, cue=data.get("cue", True) is True)


def _words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_kind(value: object) -> TypeGuard[Kind]:
    return value in KINDS


def _broken(path: Path, reason: str) -> ContentBroken:
    return ContentBroken(
        f"{path} cannot be used: {reason}.", do="Correct the file. Run the same command again."
    )
