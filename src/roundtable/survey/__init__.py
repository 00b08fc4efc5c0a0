"""Finds the code that an item touches: one survey from beginning to end."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from ..core.steps import Item
from .files import OWN_FOLDERS, drop_excluded, file_kind, list_files, read_text
from .lookup import find_named
from .ranking import MAX_RADIUS, rank_radius, read_history, weigh_past
from .report import FoundFile, Survey, estimate_size, first_line
from .search import files_holding, rank_files
from .symbols import find_definitions, find_symbol
from .terms import extract_terms

_FINDINGS = 40
_TOUCHED = 6
_BEFORE_NEW, _NEW = 16, 4
_STRONG = 0.45
_NAMES = 8
_READ = 1_500  # files read again for the names


def survey(
    root: Path,
    item: Item,
    *,
    leave_out: Sequence[str] = OWN_FOLDERS,
    excluded: Collection[str] = (),
    picked: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Survey:
    """Return what the files below the root say about the item; never fails on what it finds there.

    `leave_out` names the folders that hold our own documents, `excluded` the files that the user says are not
    touched (TABLE-2), whole paths or their ends. A panel chooses the rest: the `picked` paths lead all lists
    as far as they exist, and a few files that only its `words` lead to are listed too.
    """
    root = root.absolute()
    paths = drop_excluded(list_files(root, leave_out=leave_out), excluded)
    known = frozenset(paths)
    terms = extract_terms(item)
    history = read_history(root) if terms else ()
    past = weigh_past(history, terms, known)
    found = rank_files(root, paths, terms, past.kin)
    picked = [path for path in picked if path in known]
    findings = _put_first(root, found, picked)
    # What was picked, else what stands out: not far below the first, and few.
    least = findings[0].score * _STRONG if findings else 0.0
    strong = [each for each in findings if each.picked] or [each for each in findings if each.score >= least]
    names = _find_names(root, strong[:_TOUCHED])
    users = _find_users(root, paths, names)
    radius = _put_first(root, rank_radius(root, found, past, history), picked)
    more = extract_terms(Item("", "", " ".join(f"`{word}`" for word in words)))
    others = sorted(known - {file.path for file in radius}) if more else []
    led_to = rank_files(root, others, more)
    new = [file for file in led_to if file.lines][:_NEW]
    return Survey(
        root=root,
        findings=findings[:_FINDINGS],
        radius=(*radius[:_BEFORE_NEW], *new, *radius[_BEFORE_NEW:])[:MAX_RADIUS],
        size=estimate_size(found, users),
        named=find_named(root, [finding.path for finding in findings], f"{item.name}\n{item.text}"),
    )


def _find_names(root: Path, touched: Sequence[FoundFile]) -> list[str]:
    """Return the names whose definitions hold the best lines of the touched source files."""
    sources = [each for each in touched if file_kind(each.path) == "source"]
    definitions = find_definitions({each.path: read_text(root, each.path) or b"" for each in sources})
    around = (find_symbol(definitions[each.path], line.number) for each in sources for line in each.lines)
    names = dict.fromkeys(each.name for each in around if each is not None)
    return [name for name in names if len(name) > 3 and not name.startswith("__")][:_NAMES]


def _find_users(root: Path, paths: Sequence[str], names: Sequence[str]) -> frozenset[str] | None:
    """Return the source files and tests that mention a name; None without one, or where one is everywhere."""
    sources = [path for path in paths if file_kind(path) in ("source", "test")]
    mentions: dict[str, set[str]] = {name: set() for name in names}
    for path in files_holding(root, sources, names)[:_READ]:
        data = read_text(root, path) or b""
        for name, found in mentions.items():
            if re.search(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", data):
                found.add(path)
    most = max(8, len(sources) // 5)
    is_telling = mentions and all(len(found) <= most for found in mentions.values())
    return frozenset[str]().union(*mentions.values()) if is_telling else None


def _put_first(root: Path, files: Sequence[FoundFile], picked: Sequence[str]) -> tuple[FoundFile, ...]:
    """Return the files with the picked ones before all others, in their order; an empty one is left out."""
    found = {file.path: file for file in files}
    first = {}
    for path in picked:
        if data := read_text(root, path):
            file = found.get(path) or FoundFile(path, 0.0, 0, (first_line(path, data),))
            first[path] = replace(file, picked=True)
    return (*first.values(), *(file for file in files if file.path not in first))
