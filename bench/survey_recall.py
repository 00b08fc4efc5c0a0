"""Recall of the survey: how many of the files that past commits touched are among the first of step 02-01.

    python -m bench.survey_recall [--commits N] [--set tune|final] [--show] REPOSITORY ...

Each commit's parent is checked out in a clone of its own, and the commit's subject is the item, with no
other text. Counted are the files that existed before. Left out: merges, reverts, version bumps, commits on
documents or settings alone, and commits on more than 10 files. The two sets share no commit.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roundtable.core.steps import Item
from roundtable.survey import survey
from roundtable.survey.files import file_kind
from roundtable.survey.history import score_activity, read_history

FIRST = 20
_MOST_FILES = 10
_SPACING = 5  # commits apart, so that a sample spans more than a few weeks
_NO_ITEM = re.compile(
    r"""(?ix)^(?:revert|merge|bump|release|version|v?\d+\.\d+|prepare|start\ (?:version|v?\d)|wip\b
    |\[pre-commit|chore\(deps|update\ (?:pre-commit|dependenc|requirements)|.*\bbump\b|.*\bpre-commit\b)"""
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A commit that could have been an item: what it was called and which files there were it touched."""

    commit: str
    subject: str
    touched: tuple[str, ...]


def main() -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("repositories", nargs="+", type=Path)
    reader.add_argument("--commits", type=int, default=40)
    reader.add_argument("--set", choices=("tune", "final"), default="final")
    reader.add_argument("--show", action="store_true", help="name what was missed, commit by commit")
    given = reader.parse_args()
    found = touched = 0
    for repository in given.repositories:
        hits, files = _measure(repository, given.commits, given.set, show=given.show)
        found, touched = found + hits, touched + files
    print(f"all: {found} of {touched} touched files among the first {FIRST}: {found / max(touched, 1):.0%}")


def _measure(repository: Path, commits: int, which: str, *, show: bool) -> tuple[int, int]:
    found = touched = busy = 0
    shares: list[float] = []
    seconds: list[float] = []
    missed: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="survey-recall-") as folder:
        clone = Path(folder) / "project"
        _git(Path(folder), "clone", "-q", "--shared", "--no-checkout", str(repository), str(clone))
        for sample in _samples(clone, commits, which):
            _git(clone, "checkout", "-q", "--force", "--detach", f"{sample.commit}^")
            result = survey(clone, Item("item", sample.subject))
            listed = [finding.path for finding in result.radius[:FIRST]]
            hits = [path for path in sample.touched if path in listed]
            found, touched = found + len(hits), touched + len(sample.touched)
            busy += len(_busiest(clone) & set(sample.touched))
            shares.append(len(hits) / len(sample.touched))
            seconds.append(result.seconds)
            for path in set(sample.touched) - set(hits):
                missed[file_kind(path)] = missed.get(file_kind(path), 0) + 1
            if show:
                lost = [path for path in sample.touched if path not in listed]
                print(f"  {len(hits)}/{len(sample.touched)} {sample.commit[:9]} {sample.subject[:70]}")
                print("".join(f"        missed {path}\n" for path in lost), end="")
    mean = sum(shares) / max(len(shares), 1)
    print(
        f"{repository.parent.name or repository.name} ({which}): {len(shares)} commits,"
        f" {found} of {touched} files {found / max(touched, 1):.0%}, mean by commit {mean:.0%},"
        f" the {FIRST} busiest files instead {busy / max(touched, 1):.0%},"
        f" none found in {sum(1 for share in shares if not share)}, slowest {max(seconds, default=0):.2f} s,"
        f" missed by kind {missed}"
    )
    return found, touched


def _busiest(clone: Path) -> set[str]:
    """What one would list who knew nothing of the item: the files that are worked on most."""
    work = score_activity(read_history(clone))
    there = [path for path in work if (clone / path).exists()]
    return set(sorted(there, key=lambda path: -work[path])[:FIRST])


def _samples(clone: Path, wanted: int, which: str) -> Iterator[Sample]:
    log = _git(clone, "log", "--no-merges", "--format=%H %P%x00%s", "-n", "4000")
    fitting = 0
    given = 0
    for number, row in enumerate(log.splitlines()):
        commits, subject = row.split("\0", 1)
        if given == wanted:
            return
        if number % _SPACING or " " not in commits or _NO_ITEM.match(subject):
            continue
        commit = commits.split()[0]
        touched = _touched_before(clone, commit)
        if not 1 <= len(touched) <= _MOST_FILES or not any(
            file_kind(path) in ("source", "test") for path in touched
        ):
            continue
        fitting += 1
        if fitting % 2 == (which == "final"):
            given += 1
            yield Sample(commit, subject, touched)


def _touched_before(clone: Path, commit: str) -> tuple[str, ...]:
    """The files that the commit changed, moved or removed, under their names before it."""
    rows = _git(clone, "diff-tree", "-r", "-z", "--no-commit-id", "--name-status", "--no-renames", commit)
    fields = rows.split("\0")[:-1]
    pairs = zip(fields[::2], fields[1::2], strict=True)
    return tuple(path for status, path in pairs if status != "A")


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *words],
        check=True,
        capture_output=True,
        text=True,
        errors="surrogateescape",
    ).stdout


if __name__ == "__main__":
    main()
