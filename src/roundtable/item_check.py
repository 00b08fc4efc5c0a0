"""Checks an item: whether its documents hold together, and whether its folder keeps to the rules.

The second part is for what a model wrote by prompt alone.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from .core.errors import DiskFailed
from .core.personas import Roster
from .core.steps import Step
from .core.turns import Material
from .documents import checks
from .documents.blocks import find_elaboration_blocks
from .documents.checks import META, CheckFinding
from .documents.drafting import ask_for_criterion
from .documents.outline import decode_document
from .git import earlier_versions
from .store.artifact import is_markdown
from .store.files import read_inside
from .store.meta import examine_meta, list_undone, max_turns, parse_json
from .store.outputs import Outputs, find_answered, read_questions
from .store.transcript import parse_transcripts
from .survey.files import make_line_counter


class ItemReport(Struct, frozen=True):
    """What was looked at, with the earlier versions that git has, and what is wrong, open or unverified."""

    files: tuple[str, ...]
    versions: int
    problems: tuple[CheckFinding, ...]
    open_questions: tuple[CheckFinding, ...]
    unverified: tuple[CheckFinding, ...] = ()


def check_item(root: Path, folder: Path, steps: tuple[Step, ...], roster: Roster) -> ItemReport:
    """Return the report on the item in a folder; nothing is changed."""
    documents = Outputs(folder, steps).documents()
    outputs = dict.fromkeys(output for step in steps for output in step.outputs)
    unread = (name for name in outputs if name not in documents and (folder / name).exists())
    problems = [CheckFinding(name, 1, "unreadable", "It cannot be read.") for name in unread]
    lines_of = make_line_counter(root, folder)
    problems += checks.check_documents(documents, lines_of)
    pages = {}
    for path in sorted(folder.glob("*.md")):
        with suppress(DiskFailed, OSError):
            pages[path.name] = decode_document(read_inside(folder, path.name))
    meta, problem = examine_meta(folder)
    undone = frozenset(map(str, list_undone(meta)))  # taken back is not lost
    blocks = [block for name, text in pages.items() for block in find_elaboration_blocks(name, text)]
    talks = [each.content for each in parse_transcripts(folder) if each.content is not None]
    if meta is None:
        problems.append(CheckFinding(META, 1, "record", problem or "There is no meta.json."))
    else:
        data = read_inside(folder, META)
        text, raw = data.decode("utf-8-sig", "replace"), parse_json(data)  # without the defaults of reading
        problems += checks.check_meta(text, raw, blocks, limit=max_turns(meta), roster=roster, steps=steps)
    if (folder / "state.json").exists():
        unused = f"Progress is kept in {META}; this file is not used."
        problems.append(CheckFinding("state.json", 1, "record", unused))
    problems += checks.check_claims(blocks, talks, pages, lines_of, roster)
    total = 0
    for name in filter(is_markdown, outputs):
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        total += len(earlier)
        versions = [Material(f"commit {at}", text) for at, text in earlier]
        now = Material("the working tree", pages.get(name, documents.get(name, "")))
        answers_in = partial(find_answered, steps, name)
        problems += checks.check_history(name, [*versions, now], undone, answers_in)
    # A problem that is asked about already is named once.
    bare = (each.text.split()[0] for each in problems if each.kind == "no-acceptance")
    lacking = tuple(map(ask_for_criterion, bare))
    questions = tuple(
        CheckFinding(each.file, each.line, "open", each.words)
        for each in read_questions(folder, steps, roster)
        if each.is_open and not each.words.endswith(lacking)
    )
    marked = (checks.find_unverified(name, text) for name, text in (pages | documents).items())
    found = tuple(each for lines in marked for each in lines)
    return ItemReport(tuple(documents), total, tuple(dict.fromkeys(problems)), questions, found)
