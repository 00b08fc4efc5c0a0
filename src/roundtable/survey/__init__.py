"""One survey from beginning to end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from ..core.steps import Item
from .files import OWN, Sieve, list_files
from .history import score_activity, count_changes, score_kin, read_history, find_companions
from .relations import find_entry_points, rank_radius, find_relations
from .report import (
    ChangeRate,
    EntryPoint,
    FoundFile,
    CodeLine,
    Relation,
    Survey,
    estimate,
    draft_answer,
    write_report,
)
from .search import Priors, rank_files, search_files
from .terms import extract_terms

_FINDINGS = 40
_TOUCHED = 6
_STRONG = 0.45


def survey(
    root: Path,
    item: Item,
    *,
    leave_out: Sequence[str] = OWN,
    now: float | None = None,
    sieve: Sieve | None = None,
) -> Survey:
    """What the files below the root say about the item; never fails on what it finds there.

    `leave_out` names the folders that hold our own documents, `now` the moment that change rates end at.
    """
    start = time.perf_counter()
    root = root.absolute()
    paths = list_files(root, leave_out=leave_out)
    known = frozenset(paths)
    terms = extract_terms(item)
    hits = search_files(root, paths, terms, sieve=sieve)
    history = read_history(root) if terms else ()
    priors = Priors(_among(score_activity(history), known), _among(score_kin(history, terms), known))
    findings = rank_files(root, paths, terms, hits, priors)
    touched = touched_of(findings)
    ties = find_relations(root, paths, touched, sieve=sieve)
    company = _among(find_companions(history, [finding.path for finding in touched[:3]]), known)
    listed = rank_radius(root, findings, touched, ties, company)
    rates = count_changes(history, [finding.path for finding in listed[:20]], now=now) if history else ()
    users = (*ties.importers, *ties.mentions)
    guess = estimate(findings, users, ties.tests, rates)
    return Survey(
        root=root,
        words=tuple(dict.fromkeys(term.said for term in terms)),
        findings=findings[:_FINDINGS],
        radius=listed,
        mentions=ties.mentions,
        importers=ties.importers,
        entry_points=find_entry_points(
            root, paths, [finding.path for finding in touched], [use.line.path for use in users]
        ),
        tests=ties.tests,
        change_rate=rates,
        scope=guess.scope,
        complexity=guess.complexity,
        reasons=guess.reasons,
        files_seen=len(paths),
        seconds=time.perf_counter() - start,
    )


def touched_of(findings: Sequence[FoundFile]) -> tuple[FoundFile, ...]:
    """The findings that stand out: not far below the first, and few."""
    least = findings[0].score * _STRONG if findings else 0.0
    return tuple(finding for finding in findings[:_TOUCHED] if finding.score >= least)


def _among(values: dict[str, float], known: frozenset[str]) -> dict[str, float]:
    return {path: value for path, value in values.items() if path in known}


__all__ = ["ChangeRate", "EntryPoint", "Finding", "Line", "Relation", "Survey", "offer", "report", "survey"]
