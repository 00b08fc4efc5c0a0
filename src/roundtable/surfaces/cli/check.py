"""`check`: whether the documents of an item hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .flags import Command, Flags
from .output import put_json, put_text

if TYPE_CHECKING:
    from pathlib import Path

    from ...checking import Finding
    from ...store.outputs import Outputs

SOUND, PROBLEMS = 0, 2
_LARGEST = 20_000_000


@click.command(cls=Command)
@click.argument("item")
@click.pass_obj
def check(flags: Flags, item: str) -> int:
    """Check that the documents of ITEM hold together.

    References, criteria, data, citations: each finding is named with its file and line. Where there are
    problems the exit status is 2; open questions alone are none.
    """
    from ...checking import check as check_documents
    from ...content.catalogue import load_steps
    from ...store.items import find_item
    from ...store.outputs import Outputs

    settings = flags.settings()
    folder = find_item(settings.root, item, items_folder=settings.items_folder)
    outputs = Outputs(folder, load_steps(settings.root))
    documents = {each.name: each.text for each in outputs.documents()}
    found = (
        *_unreadable(outputs, documents),
        *check_documents(documents, lambda path: _lines(settings.root, path)),
    )
    problems = [each for each in found if each.is_problem]
    questions = [each for each in found if not each.is_problem]
    if flags.json:
        put_json(
            {
                "slug": folder.name,
                "sound": not problems,
                "files": list(documents),
                "problems": [_as_data(each) for each in problems],
                "open_questions": [_as_data(each) for each in questions],
            },
            indent=2,
        )
    else:
        put_text(_report(documents, problems, questions))
    return PROBLEMS if problems else SOUND


def _report(documents: dict[str, str], problems: list[Finding], questions: list[Finding]) -> str:
    if not documents and not problems:
        return "No step has written anything yet."
    lines = [f"{each.file}:{each.line}: {each.text}" for each in problems]
    if questions:
        lines += ["", "Open questions:"] if lines else ["Open questions:"]
        lines += [f"{each.file}:{each.line}: {each.text}" for each in questions]
    checked = _count(len(documents), "file")
    verdict = _count(len(problems), "problem") if problems else "sound"
    asked = f", {_count(len(questions), 'open question')}" if questions else ""
    return "\n".join([*lines, *([""] if lines else []), f"{checked} checked: {verdict}{asked}."])


def _as_data(finding: Finding) -> dict[str, object]:
    return {"file": finding.file, "line": finding.line, "kind": finding.kind, "text": finding.text}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _unreadable(outputs: Outputs, documents: dict[str, str]) -> tuple[Finding, ...]:
    """The files of the steps that are there and cannot be read."""
    from ...checking import Finding

    names = dict.fromkeys(output for step in outputs.steps for output in step.outputs)
    there = (name for name in names if name not in documents and (outputs.folder / name).exists())
    return tuple(Finding(name, 1, "unreadable", "It cannot be read.") for name in there)


def _lines(root: Path, path: str) -> int | None:
    """How many lines a file inside the project has; None where there is none."""
    place = root / path
    try:
        if (
            not place.is_file()
            or not place.resolve().is_relative_to(root.resolve())
            or place.stat().st_size > _LARGEST
        ):
            return None
        return len(place.read_bytes().splitlines())
    except (OSError, RuntimeError, ValueError):
        return None
