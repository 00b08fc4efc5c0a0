"""Finds the code that an item touches: one survey from beginning to end."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from ..core.steps import Item
from .files import OWN_FOLDERS, file_kind, list_files, read_text
from .report import FoundFile, Survey, estimate_size, first_line, likely_files
from .search import rank_files, read_files, read_history, weigh_past
from .symbols import find_definitions, find_symbol
from .terms import extract_terms

MAX_RADIUS = 60
_FINDINGS = 40
_TOUCHED = 6
_BEFORE_NEW = 16
_NEW = 4
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
    paths = list_files(root, leave_out=leave_out, excluded=excluded)
    known = frozenset(paths)
    picked = [path for path in picked if path in known]
    terms = extract_terms(item)
    past = weigh_past(read_history(root) if terms else (), terms, known)
    ranked = _put_first(root, rank_files(root, paths, terms, past), picked)
    findings = tuple(file for file in ranked if file.count or file.picked)
    users = _find_users(root, paths, findings)
    radius = ranked[:MAX_RADIUS]
    more = extract_terms(Item("", "", " ".join(f"`{word}`" for word in words)))
    others = sorted(known - {file.path for file in radius}) if more else []
    new = [file for file in rank_files(root, others, more) if file.count][:_NEW]
    return Survey(
        root=root,
        findings=findings[:_FINDINGS],
        radius=(*radius[:_BEFORE_NEW], *new, *radius[_BEFORE_NEW:])[:MAX_RADIUS],
        size=estimate_size([replace(file, picked=False) for file in findings if file.count], users),
    )


def _find_users(root: Path, paths: Sequence[str], findings: Sequence[FoundFile]) -> frozenset[str] | None:
    """Return the files that use a name of what looks touched; None without one, or if one is everywhere."""
    likely = likely_files(findings)[:_TOUCHED]
    touched = [each for each in findings if each.path in likely and file_kind(each.path) == "source"]
    definitions = find_definitions({each.path: read_text(root, each.path) or b"" for each in touched})
    around = (find_symbol(definitions[each.path], line.number) for each in touched for line in each.lines)
    defined = dict.fromkeys(each.name for each in around if each is not None)
    names = [name for name in defined if len(name) > 3 and not name.startswith("__")][:_NAMES]
    sources = [path for path in paths if file_kind(path) in ("source", "test")]
    mentions: dict[str, set[str]] = {name: set() for name in names}
    for path, data in islice(read_files(root, sources, names, exact=True), _READ):
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
