"""Finds the code that an item touches: one survey from beginning to end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ..core.steps import Item
from .files import OWN_FOLDERS, drop_excluded, list_files
from .history import read_history, weigh_past
from .lookup import Excerpt, find_excerpts, find_named, read_lines, search_code
from .ranking import rank_radius
from .relations import find_relations
from .report import FoundFile, Survey, draft_answer, estimate
from .search import rank_files, search_files
from .terms import extract_terms

_FINDINGS = 40
_TOUCHED = 6
_STRONG = 0.45


def survey(
    root: Path,
    item: Item,
    *,
    leave_out: Sequence[str] = OWN_FOLDERS,
    excluded: Collection[str] = (),
) -> Survey:
    """Return what the files below the root say about the item; never fails on what it finds there.

    `leave_out` names the folders that hold our own documents, `excluded` the files that the user says are not
    touched (TABLE-2), whole paths or their ends.
    """
    root = root.absolute()
    paths = drop_excluded(list_files(root, leave_out=leave_out), excluded)
    known = frozenset(paths)
    terms = extract_terms(item)
    hits = search_files(root, paths, terms)
    history = read_history(root) if terms else ()
    past = weigh_past(history, terms, known)
    findings = rank_files(root, paths, terms, hits, past.kin)
    touched = pick_touched(findings)
    ties = find_relations(root, paths, touched)
    scope, complexity, users = estimate(findings, (*ties.importers, *ties.mentions), ties.tests)
    return Survey(
        root=root,
        findings=findings[:_FINDINGS],
        radius=rank_radius(root, paths, findings, past, history, ties),
        scope=scope,
        complexity=complexity,
        users=users,
        named=find_named(root, [finding.path for finding in findings], f"{item.name}\n{item.text}"),
    )


def pick_touched(findings: Sequence[FoundFile]) -> tuple[FoundFile, ...]:
    """Return the findings that stand out: not far below the first, and few."""
    least = findings[0].score * _STRONG if findings else 0.0
    return tuple(finding for finding in findings[:_TOUCHED] if finding.score >= least)


__all__ = [
    "Excerpt",
    "Survey",
    "draft_answer",
    "find_excerpts",
    "read_lines",
    "search_code",
    "survey",
]
