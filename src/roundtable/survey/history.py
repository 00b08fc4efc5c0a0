"""What git remembers: which files change together, lately, and under what subjects."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..git import run_git
from .terms import Term, word_stems

MAX_COMMITS = 4_000
_SECONDS = 3.0
_SWEEPING = 40  # a commit on more files than this is a reformat or a move, and says nothing about one of them

_RECENT = 50  # commits after which a change counts half
_ALL_RECENT = 72.0  # what changing in every commit would sum up to


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
                recent[path] += 0.5 ** (age / _RECENT) / _ALL_RECENT
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
