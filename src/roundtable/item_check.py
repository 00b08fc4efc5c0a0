"""Checks an item: whether its documents hold together, and whether its folder keeps to the rules.

The second part is for what a model wrote by prompt alone: records and turn limits, the shape of every
elaboration block and what it claims, and, with git, that no answer and no addition was ever taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from .core.citations import LinesOf
from .core.errors import DiskFailed
from .core.personas import Roster
from .core.steps import Step
from .core.turns import Material
from .documents import audit
from .documents.audit import META, find_unverified
from .documents.blocks import find_elaboration_blocks
from .documents.checks import CheckFinding, check_documents, check_markers
from .git import earlier_versions
from .store.artifact import is_markdown
from .store.files import read_inside
from .store.meta import list_undone, max_turns, meta_problem, parse_json, read_meta
from .store.outputs import Outputs, find_answered, read_questions
from .store.transcript import parse_transcripts
from .survey.files import CitedFiles

_STATE = "state.json"


class ItemReport(Struct, frozen=True):
    """What is wrong with an item, what its documents leave open or unverified, and what was looked at."""

    files: tuple[str, ...]
    versions: int
    """How many earlier versions of the documents git has."""
    problems: tuple[CheckFinding, ...]
    open_questions: tuple[CheckFinding, ...]
    unverified: tuple[CheckFinding, ...] = ()
    """The lines that carry the mark of what nobody verified or accepted."""


def check_item(root: Path, folder: Path, steps: tuple[Step, ...], roster: Roster) -> ItemReport:
    """Return the report on the item in a folder; nothing is changed."""
    documents = {each.name: each.text for each in Outputs(folder, steps).documents()}
    unreadable = [
        CheckFinding(name, 1, "unreadable", "It cannot be read.")
        for name in dict.fromkeys(output for step in steps for output in step.outputs)
        if name not in documents and (folder / name).exists()
    ]
    lines_of = CitedFiles(root, folder).count_lines
    content = check_documents(documents, lines_of)
    texts = _read_documents(folder)
    versions, losses = _check_history(root, folder, steps, texts)
    asked = read_questions(folder, steps, roster)
    unsettled = {(each.file, each.line) for each in asked if each.is_open}
    # Both parts look at the markers of a document.
    files = _check_files(folder, roster, steps, texts, lines_of)
    found = dict.fromkeys((*unreadable, *content, *files, *losses))
    # A problem that is asked about already is named once.
    lacking = tuple(
        f"so that {each.text.split()[0]} is done?" for each in found if each.kind == "no-acceptance"
    )
    return ItemReport(
        tuple(documents),
        versions,
        tuple(each for each in found if each.is_problem),
        tuple(
            each
            for each in found
            if each.kind == "open" and (each.file, each.line) in unsettled and not each.text.endswith(lacking)
        ),
        tuple(each for name, text in {**texts, **documents}.items() for each in find_unverified(name, text)),
    )


def _check_files(
    folder: Path, roster: Roster, steps: tuple[Step, ...], documents: Mapping[str, str], lines_of: LinesOf
) -> Iterator[CheckFinding]:
    """Yield what is wrong with the files as they are, and what blocks claim and nothing bears out."""
    meta = read_meta(folder)
    limit = max_turns(meta)
    records: tuple[audit.ElaborationRecord, ...] = ()
    undone = frozenset(map(str, list_undone(meta)))
    if meta is None:
        yield CheckFinding(META, 1, "record", meta_problem(folder) or "There is no meta.json.")
    else:
        data = read_inside(folder, META)
        text, raw = data.decode("utf-8-sig", "replace"), parse_json(data)  # without the defaults of reading
        yield from audit.check_meta(text, raw, limit=limit, roster=roster, steps=steps)
        records = audit.list_elaboration_records(text, raw)
    if (folder / _STATE).exists():
        yield CheckFinding(_STATE, 1, "record", f"Progress is kept in {META} alone; this file is not used.")
    for name, text in documents.items():
        yield from check_markers(name, text)
    blocks = [block for name, text in documents.items() for block in find_elaboration_blocks(name, text)]
    yield from audit.check_blocks(blocks, limit=limit, roster=roster)
    talks = [each.content for each in parse_transcripts(folder) if each.content is not None]
    if meta is not None:
        outputs = {step.step_id: [name for name in step.outputs if is_markdown(name)] for step in steps}
        there = {key for key, names in outputs.items() if any((folder / name).exists() for name in names)}
        # A discussion in which nobody answered has a transcript, and nothing to write.
        silent = (each.timestamp for each in talks if not each.entries)
        yield from audit.check_pairs(blocks, records, frozenset(there), undone.union(silent))
    yield from audit.check_claims(blocks, talks, documents, lines_of)


def _check_history(
    root: Path, folder: Path, steps: tuple[Step, ...], there: Mapping[str, str]
) -> tuple[int, list[CheckFinding]]:
    """Return how many earlier versions git has of the documents, and what was lost on the way."""
    total = 0
    losses: list[CheckFinding] = []
    undone = frozenset(map(str, list_undone(read_meta(folder))))
    for name in dict.fromkeys(each for step in steps for each in step.outputs if is_markdown(each)):
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        versions = [Material(f"commit {at}", text) for at, text in earlier]
        total += len(versions)
        if name in there:
            versions.append(Material("the working tree", there[name]))
        losses += audit.check_growth(name, versions, undone)
        if versions and name not in there:
            versions.append(Material("the working tree", ""))
        losses += audit.check_answers(name, versions, partial(find_answered, steps, name))
    return total, losses


def _read_documents(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.glob("*.md")):
        with suppress(DiskFailed, OSError):
            found[path.name] = read_inside(folder, path.name).decode("utf-8", "replace")
    return found
