"""Checks an item: whether its documents hold together, and whether its folder keeps to the rules.

The second part is for what a model wrote by prompt alone: records and turn limits, what every
elaboration block claims, and, with git, that no answer and no addition was ever taken away.
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
from .documents import checks
from .documents.blocks import find_elaboration_blocks
from .documents.checks import META, CheckFinding
from .documents.drafting import ask_for_criterion
from .git import earlier_versions
from .store.artifact import is_markdown
from .store.files import read_inside
from .store.meta import list_undone, max_turns, meta_problem, parse_json, read_meta
from .store.outputs import Outputs, find_answered, read_questions
from .store.transcript import parse_transcripts
from .survey.files import CitedFiles


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
    documents = Outputs(folder, steps).documents()
    outputs = dict.fromkeys(output for step in steps for output in step.outputs)
    problems = [
        CheckFinding(name, 1, "unreadable", "It cannot be read.")
        for name in outputs
        if name not in documents and (folder / name).exists()
    ]
    lines_of = CitedFiles(root, folder).count_lines
    problems += checks.check_documents(documents, lines_of)
    pages = {}
    for path in sorted(folder.glob("*.md")):
        with suppress(DiskFailed, OSError):
            pages[path.name] = read_inside(folder, path.name).decode("utf-8", "replace")
    problems += _check_files(folder, roster, steps, pages, lines_of)
    # Discussions that were taken back are not lost.
    undone = frozenset(map(str, list_undone(read_meta(folder))))
    total = 0
    for name in filter(is_markdown, outputs):
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        total += len(earlier)
        versions = [Material(f"commit {at}", text) for at, text in earlier]
        # As the bytes are, like the versions of git: a mark that reading leaves out was not lost.
        now = Material("the working tree", pages.get(name, documents.get(name, "")))
        problems += checks.check_growth(name, [*versions, now] if name in documents else versions, undone)
        problems += checks.check_answers(name, [*versions, now], partial(find_answered, steps, name))
    # A problem that is asked about already is named once; older documents ask in other words.
    requirements = [each.text.split()[0] for each in problems if each.kind == "no-acceptance"]
    lacking = tuple(
        asked for each in requirements for asked in (ask_for_criterion(each), f"so that {each} is done?")
    )
    return ItemReport(
        tuple(documents),
        total,
        tuple(dict.fromkeys(problems)),
        tuple(
            CheckFinding(each.file, each.line, "open", each.words)
            for each in read_questions(folder, steps, roster)
            if each.is_open and not each.words.endswith(lacking)
        ),
        tuple(
            found
            for name, text in (pages | documents).items()
            for found in checks.find_unverified(name, text)
        ),
    )


def _check_files(
    folder: Path, roster: Roster, steps: tuple[Step, ...], pages: Mapping[str, str], lines_of: LinesOf
) -> Iterator[CheckFinding]:
    """Yield what is wrong with the files as they are, and what blocks claim and nothing bears out."""
    meta = read_meta(folder)
    blocks = [block for name, text in pages.items() for block in find_elaboration_blocks(name, text)]
    talks = [each.content for each in parse_transcripts(folder) if each.content is not None]
    if meta is None:
        yield CheckFinding(META, 1, "record", meta_problem(folder) or "There is no meta.json.")
    else:
        data = read_inside(folder, META)
        text, raw = data.decode("utf-8-sig", "replace"), parse_json(data)  # without the defaults of reading
        yield from checks.check_meta(text, raw, limit=max_turns(meta), roster=roster, steps=steps)
        there = {step.step_id for step in steps if any(name in pages for name in step.outputs)}
        # A discussion in which nobody answered has a transcript, and nothing to write.
        silent = (each.timestamp for each in talks if not each.entries)
        excused = {*map(str, list_undone(meta)), *silent}
        yield from checks.check_pairs(text, raw, blocks, there, excused)
    if (folder / "state.json").exists():
        yield CheckFinding("state.json", 1, "record", f"Progress is kept in {META}; this file is not used.")
    yield from checks.check_claims(blocks, talks, pages, lines_of, roster)
