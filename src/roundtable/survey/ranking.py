"""Orders the files that an item may touch: words, history, and what goes with the likeliest files.

The weights are fitted on past commits of seven public projects, so that the files each commit touched come
first. docs/survey.md says how, and how well that holds on commits that were not used for it.
"""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..git import run_git
from .files import FileKind, file_kind, read_text
from .report import NO_MARKS, FoundFile, first_line
from .terms import Term, word_stems

MAX_COMMITS = 4_000
_SECONDS = 3.0
_SWEEPING = 40  # a commit on more files than this is a reformat or a move, and says nothing about one of them
_HALF_LIFE = 50  # commits after which a change counts half
_ALL_RECENT = 72.0  # what changing in every commit would sum up to
MAX_RADIUS = 60
_TEXT, _NAME, _FOLDER = 4.5, 2.7, 4.7
_KIN, _NEAREST, _RECENT, _LAST = 1.5, 1.3, 3.2, 1.1
_KINDS: Final[Mapping[FileKind, float]] = {
    "source": 0.0, "test": -0.3, "docs": -1.5, "config": -0.3, "generated": 0.0
}  # fmt: skip
_COMPANION = 2.2
_ANCHORS = 25
_FRESH = 1 / 41  # changed within the last 400 commits


class Commit(Struct, frozen=True):
    """One commit: its subject and the paths it changed."""

    subject: str
    paths: tuple[str, ...]


def read_history(root: Path) -> tuple[Commit, ...]:
    """Return the newest commits below the root, newest first; nothing without git or commits.

    Commits without a parent are left out: a first import, or the edge of a shallow clone, changes nothing.
    """
    answer = run_git(
        root, "log", "-z", "-n", str(MAX_COMMITS), "--no-merges", "--no-renames",
        "--name-only", "--relative", "--format=format:%x01%P%x02%s", "--", ".",
        seconds=_SECONDS, keep_partial=True,
    )  # fmt: skip
    commits = []
    for part in (answer or b"").split(b"\x01"):
        head, _, paths = part.partition(b"\n")
        parents, _, subject = head.partition(b"\x02")
        if parents:
            named = tuple(os.fsdecode(path) for path in paths.split(b"\0") if path)
            commits.append(Commit(subject.decode("utf-8", "replace"), named))
    return tuple(commits)


class PastChanges(Struct, frozen=True):
    """What the commits so far say of each file, 0 to 1.

    `kin`: how much commits with like subjects changed it; `nearest`: how like the item the best of them is;
    `recent`: its share of the last commits; `last`: how few commits ago it changed.
    """

    kin: Mapping[str, float]
    nearest: Mapping[str, float]
    recent: Mapping[str, float]
    last: Mapping[str, float]


def weigh_past(history: Sequence[Commit], terms: Sequence[Term], known: Container[str]) -> PastChanges:
    """Return what the commits say of the known files; rare words in a subject count more."""
    stems = [frozenset(word_stems(commit.subject)) for commit in history]
    frequency = Counter(word for words in stems for word in words)
    weights = {
        term.text: term.weight * math.log(1 + len(history) / (1 + frequency[term.text]))
        for term in terms
        if not term.whole and frequency[term.text]
    }
    whole = sum(weights.values()) or 1.0
    kin: defaultdict[str, float] = defaultdict(float)
    nearest: defaultdict[str, float] = defaultdict(float)
    recent: defaultdict[str, float] = defaultdict(float)
    last: dict[str, float] = {}
    for age, (commit, words) in enumerate(zip(history, stems, strict=True)):
        if len(commit.paths) > _SWEEPING:
            continue
        shared = sum(weights[word] for word in words & weights.keys())
        size = math.log1p(len(commit.paths))
        for path in commit.paths:
            if path in known:
                recent[path] += 0.5 ** (age / _HALF_LIFE) / _ALL_RECENT
                last.setdefault(path, 1 / (1 + age / 10))
                if shared:
                    kin[path] += shared**2 / (1 + size)
                    nearest[path] = max(nearest[path], shared / whole / (1 + 0.3 * size))
    top = max(kin.values(), default=1.0)
    return PastChanges({path: value / top for path, value in kin.items()}, nearest, recent, last)


def find_companions(
    history: Sequence[Commit], anchors: Mapping[str, float], known: Container[str]
) -> dict[str, float]:
    """Return the share of each anchor's commits that changed a known file too, times the anchor's weight."""
    both: defaultdict[str, Counter[str]] = defaultdict(Counter)
    commits: Counter[str] = Counter()
    for commit in history:
        if len(commit.paths) <= _SWEEPING:
            for anchor in anchors.keys() & set(commit.paths):
                commits[anchor] += 1
                both[anchor].update(path for path in commit.paths if path != anchor and path in known)
    company: defaultdict[str, float] = defaultdict(float)
    for anchor, counts in both.items():
        for path, count in counts.items():
            # Some more than there were, so that a single common commit is no certainty.
            company[path] += anchors[anchor] * count / (commits[anchor] + 1.5)
    return dict(company)


def rank_radius(
    root: Path, findings: Sequence[FoundFile], past: PastChanges, history: Sequence[Commit]
) -> tuple[FoundFile, ...]:
    """Return the files that the item may touch, the likeliest first, each with a line."""
    found = {finding.path: finding for finding in findings}
    if not found and not past.kin:
        return ()
    fresh = (path for path, last in past.last.items() if last > _FRESH)
    alone = {path: _score_alone(path, found, past) for path in {*found, *past.kin, *fresh}}
    best = max(alone.values())
    likely = sorted(alone, key=lambda path: (-alone[path], path))[:_ANCHORS]
    chances = {path: math.exp(alone[path] - best) for path in likely}
    whole = sum(chances.values())
    company = find_companions(history, {path: each / whole for path, each in chances.items()}, alone.keys())
    scores = {path: value + _COMPANION * company.get(path, 0.0) for path, value in alone.items()}
    listed = []
    for path in sorted(scores, key=lambda path: (-scores[path], path))[: 2 * MAX_RADIUS]:
        file = found.get(path) or FoundFile(path, 0.0, 0, ())
        data = None if file.lines else read_text(root, path)
        lines = (first_line(path, data),) if data else file.lines
        if lines:
            listed.append(replace(file, score=scores[path], lines=lines))
    return tuple(listed[:MAX_RADIUS])


def _score_alone(path: str, found: Mapping[str, FoundFile], past: PastChanges) -> float:
    """Return what a file's own words and history say, whatever else is likely."""
    marks = found[path].marks if path in found else NO_MARKS
    return (
        _TEXT * marks.text
        + _NAME * marks.name
        + _FOLDER * marks.folder
        + _KIN * past.kin.get(path, 0.0)
        + _NEAREST * past.nearest.get(path, 0.0)
        + _RECENT * past.recent.get(path, 0.0)
        + _LAST * past.last.get(path, 0.0)
        + _KINDS[file_kind(path)]
    )
