"""`validate`: whether an item that a model ran by prompt keeps to the rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from .flags import Command, Flags
from .output import put_json, put_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...checking.blocks import Block
    from ...checking.findings import Finding
    from ...core.personas import Roster
    from ...core.steps import Step

SOUND, PROBLEMS = 0, 2
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
    from ...content.catalogue import load_roster, load_steps
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
    return PROBLEMS if found else SOUND


def _check(folder: Path, roster: Roster, steps: tuple[Step, ...]) -> Iterator[Finding]:
    """What is wrong with the files as they are."""
    from ...checking.blocks import blocks_in, check_blocks, check_pairs
    from ...checking.findings import Finding
    from ...checking.markers import check_markers
    from ...checking.records import META, Kept, check_meta, kept_records
    from ...store.meta import max_turns, meta_problem, read_meta

    problem, meta = meta_problem(folder), read_meta(folder)
    limit = max_turns(meta)
    records: tuple[Kept, ...] = ()
    if meta is None:
        yield Finding(META, 1, "record", problem or "There is no meta.json.")
    else:
        text, raw = _as_written(folder)
        yield from check_meta(text, raw, limit=limit, roster=roster, steps=steps)
        records = kept_records(text, raw)
    if (folder / _STATE).exists():
        yield Finding(_STATE, 1, "record", f"Progress is kept in {META} alone; this file is not used.")
    blocks: list[Block] = []
    for name, text in _documents(folder):
        yield from check_markers(name, text)
        blocks += blocks_in(name, text)
    yield from check_blocks(blocks, limit=limit, roster=roster)
    markdown = frozenset(
        step.step_id
        for step in steps
        if any(_is_markdown(each) and (folder / each).exists() for each in step.outputs)
    )
    if meta is not None:
        yield from check_pairs(blocks, records, markdown)


def _compared(root: Path, folder: Path, steps: tuple[Step, ...]) -> tuple[int, list[Finding]]:
    """How many earlier versions git has of the documents, and what was lost on the way."""
    from ...checking.growth import Version, check_answers, check_growth
    from ...store.versions import earlier_versions

    count = 0
    lost: list[Finding] = []
    names = dict.fromkeys(each for step in steps for each in step.outputs if _is_markdown(each))
    there = dict(_documents(folder))
    for name in names:
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        versions = [Version(f"commit {at}", text) for at, text in earlier]
        count += len(versions)
        if name in there:
            versions.append(Version("the working tree", there[name]))
        lost += check_growth(name, versions)
        if versions and name not in there:
            versions.append(Version("the working tree", ""))
        lost += check_answers(name, versions, partial(_answers, steps, name))
    return count, lost


def _answers(steps: tuple[Step, ...], name: str, text: str) -> set[tuple[str, str]]:
    """The answers that a document holds, each by step and label, in whatever form."""
    from ...drafting import recall
    from ...store.outputs import answered_in

    return {*answered_in(steps, name, text), *recall({name: text}, "")}


def _as_written(folder: Path) -> tuple[str, dict[str, object]]:
    """The text of meta.json and what it holds, without the defaults that reading fills in."""
    from ...store import json_text
    from ...store.inside import read_inside

    data = read_inside(folder, "meta.json")
    raw = json_text.parse(data)
    return data.decode("utf-8-sig", "replace"), raw


def _documents(folder: Path) -> Iterator[tuple[str, str]]:
    from ...core.errors import DiskFailed
    from ...store.inside import read_inside

    for path in sorted(folder.glob("*.md")):
        try:
            yield path.name, read_inside(folder, path.name).decode("utf-8", "replace")
        except (DiskFailed, OSError):
            continue


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md")
