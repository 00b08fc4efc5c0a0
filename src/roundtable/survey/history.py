"""What git remembers: how often files change, which change together, and under what subjects."""

from __future__ import annotations

import math
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..git import run_git
from .report import ChangeRate
from .terms import Term, word_stems

MAX_COMMITS = 4_000
_SECONDS = 3.0
_DAY = 86_400
_QUARTER, _YEAR = 90 * _DAY, 365 * _DAY
_SWEEPING = 40  # a commit on more files than this is a reformat or a move, and says nothing about one of them


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: when, its subject, and the paths it changed."""

    time: int
    subject: str
    paths: tuple[str, ...]


def read_history(root: Path) -> tuple[Commit, ...]:
    """Return the newest commits below the root, newest first; nothing without git or commits.

    Commits without a parent are left out: a first import, or the edge of a shallow clone, changes nothing.
    """
    answer = run_git(
        root, "log", "-z", "-n", str(MAX_COMMITS), "--no-merges", "--no-renames",
        "--name-only", "--relative", "--format=format:%x01%ct%x02%P%x02%s", "--", ".",
        seconds=_SECONDS, keep_partial=True,
    )  # fmt: skip
    commits = (_parse_commit(part) for part in (answer or b"").split(b"\x01"))
    return tuple(commit for commit in commits if commit is not None)


def _parse_commit(part: bytes) -> Commit | None:
    head, _, paths = part.partition(b"\n")
    fields = head.split(b"\x02", 2)
    if len(fields) < 3 or not fields[0].isdigit() or not fields[1]:
        return None
    named = tuple(os.fsdecode(path) for path in paths.split(b"\0") if path)
    return Commit(int(fields[0]), fields[2].decode("utf-8", "replace"), named)


def count_changes(
    history: Sequence[Commit], paths: Iterable[str], *, now: float | None = None
) -> tuple[ChangeRate, ...]:
    """Return how often each of the paths changed until now, in the order of the paths."""
    now = time.time() if now is None else now
    quarter: Counter[str] = Counter()
    year: Counter[str] = Counter()
    for commit in history:
        age = now - commit.time
        if age <= _YEAR:
            year.update(commit.paths)
        if age <= _QUARTER:
            quarter.update(commit.paths)
    return tuple(ChangeRate(path, quarter[path], year[path]) for path in paths)


def score_activity(history: Sequence[Commit]) -> dict[str, float]:
    """Return how much each file is worked on, 0 to 1: recent commits count more, from the newest one."""
    newest = max((commit.time for commit in history), default=0)
    total: defaultdict[str, float] = defaultdict(float)
    for commit in history:
        if len(commit.paths) <= _SWEEPING:
            weight = 0.5 ** ((newest - commit.time) / _YEAR)
            for path in commit.paths:
                total[path] += weight
    top = max(total.values(), default=1.0)
    return {path: math.log1p(value) / math.log1p(top) for path, value in total.items()}


def score_kin(history: Sequence[Commit], terms: Sequence[Term]) -> dict[str, float]:
    """Return the files that commits with like subjects changed, 0 to 1: rare words in common count more."""
    stems = [frozenset(word_stems(commit.subject)) for commit in history]
    frequency = Counter(word for words in stems for word in words)
    weights = {
        term.text: term.weight * math.log(1 + len(history) / (1 + frequency[term.text]))
        for term in terms
        if not term.whole and frequency[term.text]
    }
    total: defaultdict[str, float] = defaultdict(float)
    for commit, words in zip(history, stems, strict=True):
        shared = sum(weights[word] for word in words & weights.keys())
        if shared and len(commit.paths) <= _SWEEPING:
            for path in commit.paths:
                total[path] += shared**2 / (1 + math.log1p(len(commit.paths)))
    top = max(total.values(), default=1.0)
    return {path: value / top for path, value in total.items()}


def find_companions(history: Sequence[Commit], paths: Sequence[str], *, least: int = 2) -> dict[str, float]:
    """Return, for each file changed along with the given paths often enough, in which share of commits."""
    chosen = frozenset(paths)
    both: Counter[str] = Counter()
    commits = 0
    for commit in history:
        if len(commit.paths) <= _SWEEPING and chosen.intersection(commit.paths):
            commits += 1
            both.update(path for path in commit.paths if path not in chosen)
    return {path: count / commits for path, count in both.items() if count >= least}
