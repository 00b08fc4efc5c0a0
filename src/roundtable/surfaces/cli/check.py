"""`check`: whether the documents of an item hold together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from .options import Command, Flags
from .output import put_json, put_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...core.personas import Roster
    from ...core.steps import Step
    from ...documents.audit import ElaborationBlock
    from ...documents.checks import CheckFinding
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
    from ...catalogue import load_steps
    from ...documents.checks import check_documents
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


def _report(documents: dict[str, str], problems: list[CheckFinding], questions: list[CheckFinding]) -> str:
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


def _as_data(finding: CheckFinding) -> dict[str, object]:
    return {"file": finding.file, "line": finding.line, "kind": finding.kind, "text": finding.text}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _unreadable(outputs: Outputs, documents: dict[str, str]) -> tuple[CheckFinding, ...]:
    """The files of the steps that are there and cannot be read."""
    from ...documents.checks import CheckFinding

    names = dict.fromkeys(output for step in outputs.steps for output in step.outputs)
    there = (name for name in names if name not in documents and (outputs.folder / name).exists())
    return tuple(CheckFinding(name, 1, "unreadable", "It cannot be read.") for name in there)


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


VALIDATE_SOUND, VALIDATE_PROBLEMS = 0, 2
_STATE = "state.json"


@click.command(cls=Command)
@click.argument("item")
@click.pass_obj
def validate(flags: Flags, item: str) -> int:
    """Check what a model wrote for ITEM against the rules.

    For analyses that a model ran from the agent file: records and turn limits, the shape of every
    elaboration block, markers, and against git that no answer and no addition was ever taken away.
    Exit status 2 where there are problems.
    """
    from ...catalogue import load_roster, load_steps
    from ...store.items import find_item

    settings = flags.settings()
    folder = find_item(settings.root, item, items_folder=settings.items_folder)
    roster, steps = load_roster(settings.root), load_steps(settings.root)
    found = [*_check(folder, roster, steps)]
    compared = _compared(settings.root, folder, steps)
    found += compared[1]
    if flags.json:
        rows = [
            {"file": each.file, "line": each.line, "kind": each.kind, "text": each.text} for each in found
        ]
        put_json(
            {"slug": folder.name, "sound": not found, "history": compared[0], "problems": rows}, indent=2
        )
    else:
        history = (
            f"compared with {compared[0]} earlier {'version' if compared[0] == 1 else 'versions'}"
            if compared[0]
            else "no earlier versions in git to compare with"
        )
        verdict = f"{len(found)} problem{'' if len(found) == 1 else 's'}" if found else "sound"
        lines = [f"{each.file}:{each.line}: {each.text}" for each in found]
        put_text("\n".join([*lines, *([""] if lines else []), f"{folder.name}: {verdict}, {history}."]))
    return VALIDATE_PROBLEMS if found else VALIDATE_SOUND


def _check(folder: Path, roster: Roster, steps: tuple[Step, ...]) -> Iterator[CheckFinding]:
    """What is wrong with the files as they are."""
    from ...documents.audit import (
        META,
        ElaborationRecord,
        find_elaboration_blocks,
        check_blocks,
        check_meta,
        check_pairs,
        list_elaboration_records,
    )
    from ...documents.checks import CheckFinding, check_markers
    from ...store.meta import max_turns, meta_problem, read_meta

    problem, meta = meta_problem(folder), read_meta(folder)
    limit = max_turns(meta)
    records: tuple[ElaborationRecord, ...] = ()
    if meta is None:
        yield CheckFinding(META, 1, "record", problem or "There is no meta.json.")
    else:
        text, raw = _as_written(folder)
        yield from check_meta(text, raw, limit=limit, roster=roster, steps=steps)
        records = list_elaboration_records(text, raw)
    if (folder / _STATE).exists():
        yield CheckFinding(_STATE, 1, "record", f"Progress is kept in {META} alone; this file is not used.")
    blocks: list[ElaborationBlock] = []
    for name, text in _documents(folder):
        yield from check_markers(name, text)
        blocks += find_elaboration_blocks(name, text)
    yield from check_blocks(blocks, limit=limit, roster=roster)
    markdown = frozenset(
        step.step_id
        for step in steps
        if any(_is_markdown(each) and (folder / each).exists() for each in step.outputs)
    )
    if meta is not None:
        yield from check_pairs(blocks, records, markdown)


def _compared(root: Path, folder: Path, steps: tuple[Step, ...]) -> tuple[int, list[CheckFinding]]:
    """How many earlier versions git has of the documents, and what was lost on the way."""
    from ...documents.audit import DocumentVersion, check_answers, check_growth
    from ...git import earlier_versions

    count = 0
    lost: list[CheckFinding] = []
    names = dict.fromkeys(each for step in steps for each in step.outputs if _is_markdown(each))
    there = dict(_documents(folder))
    for name in names:
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        versions = [DocumentVersion(f"commit {at}", text) for at, text in earlier]
        count += len(versions)
        if name in there:
            versions.append(DocumentVersion("the working tree", there[name]))
        lost += check_growth(name, versions)
        if versions and name not in there:
            versions.append(DocumentVersion("the working tree", ""))
        lost += check_answers(name, versions, partial(_answers, steps, name))
    return count, lost


def _answers(steps: tuple[Step, ...], name: str, text: str) -> set[tuple[str, str]]:
    """The answers that a document holds, each by step and label, in whatever form."""
    from ...documents.drafting import read_answers
    from ...store.outputs import find_answered

    return {*find_answered(steps, name, text), *read_answers({name: text}, "")}


def _as_written(folder: Path) -> tuple[str, dict[str, object]]:
    """The text of meta.json and what it holds, without the defaults that reading fills in."""
    from ...store import meta
    from ...store.files import read_inside

    data = read_inside(folder, "meta.json")
    raw = meta.parse_json(data)
    return data.decode("utf-8-sig", "replace"), raw


def _documents(folder: Path) -> Iterator[tuple[str, str]]:
    from ...core.errors import DiskFailed
    from ...store.files import read_inside

    for path in sorted(folder.glob("*.md")):
        try:
            yield path.name, read_inside(folder, path.name).decode("utf-8", "replace")
        except (DiskFailed, OSError):
            continue


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md")
