"""How large and how tricky a change looks, from what was found, with the figures that say so."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .findings import ChangeRate, Complexity, Finding, Relation, Scope
from .kinds import kind_of

_STRONG = 0.5
_SMALL_FILES, _LARGE_FILES = 3, 9
_SMALL_FOLDERS, _LARGE_FOLDERS = 2, 6
_SOME_USERS, _MANY_USERS = 5, 20
_BUSY = 12  # commits a year on one file


@dataclass(frozen=True, slots=True)
class Estimate:
    """Scope and complexity, and what speaks for them in words with figures."""

    scope: Scope
    complexity: Complexity
    reasons: tuple[str, ...]


def estimate(
    findings: Sequence[Finding],
    users: Sequence[Relation],
    tests: Sequence[Relation],
    rates: Sequence[ChangeRate],
) -> Estimate:
    """The estimate from the findings, the lines that use them, their tests and their change rates."""
    likely = likely_files(findings)
    if not likely:
        return Estimate("medium", "medium", ("no file mentions the item's words, so this is a guess",))
    folders = {posixpath.dirname(path) for path in likely}
    using = {use.line.path for use in users if kind_of(use.line.path) != "test"} - set(likely)
    testing = {test.line.path for test in tests}
    busiest = max((rate for rate in rates if rate.path in likely), key=lambda rate: rate.year, default=None)
    them = "it" if len(likely) == 1 else "them"
    use = f"import{_s(using)} or mention{_s(using)}"
    tested = f"{_several(len(testing), 'test file')} cover{_s(testing)} {them}"
    reasons = [
        f"{_several(len(likely), 'file')} in {_several(len(folders), 'folder')} look{_s(likely)} touched",
        f"{_several(len(using), 'other file')} {use} {them}",
        tested if testing else f"no test was found that covers {them}",
    ]
    if busiest is not None and busiest.year:
        reasons.append(
            f"the busiest, {busiest.path}, changed in {_several(busiest.year, 'commit')} in a year"
        )
    points = (len(using) > _SOME_USERS) + (len(using) > _MANY_USERS) + (len(folders) > _SMALL_FOLDERS)
    points += (
        (len(folders) > _LARGE_FOLDERS) + (not testing) + (busiest is not None and busiest.year >= _BUSY)
    )
    complexity: Complexity = "low" if points <= 1 else "medium" if points <= 3 else "high"
    return Estimate(_scope(len(likely), len(folders)), complexity, tuple(reasons))


def likely_files(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The findings a change would have to edit, going by their scores: no tests, no documents."""
    least = findings[0].score * _STRONG if findings else 0.0
    return tuple(
        finding.path
        for finding in findings
        if finding.score >= least and finding.count and kind_of(finding.path) in ("source", "config")
    )


def _scope(files: int, folders: int) -> Scope:
    if files > _LARGE_FILES or folders > _LARGE_FOLDERS:
        return "large"
    return "small" if files <= _SMALL_FILES and folders <= _SMALL_FOLDERS else "medium"


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _s(doers: Collection[str]) -> str:
    """The ending of a verb that so many do."""
    return "s" if len(doers) == 1 else ""
