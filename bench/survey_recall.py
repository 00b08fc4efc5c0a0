"""Recall of the survey: how many of the files that past commits touched are among the first of step 02-01.

    python -m bench.survey_recall [--commits N] [--set tune|final] [--text] [--show] REPOSITORY ...
    python -m bench.survey_recall --ask FOLDER ...      writes what a panel would be asked: FOLDER/NAME-N.md
    python -m bench.survey_recall --replies FOLDER ...  measures with its replies: FOLDER/NAME-N.json

`make bench` measures the clones that RECALL names, with a colon between, or else this project itself; with
a model's replies where RECALL_REPLIES names their folder, for as many commits as were asked about.
Each commit's parent is checked out in a clone of its own, and the commit's subject is the item, with no
other text unless asked for. Counted are the files that existed before. Left out: merges, reverts, version
bumps, commits on documents or settings alone, and commits on more than 10 files. The two sets share no
commit; the weights were fitted on commits of the first.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roundtable.core.steps import Item
from roundtable.panel.model.panel import ModelPanel, Request
from roundtable.runtime.surveyor import Surveyor
from roundtable.survey import Survey, survey
from roundtable.survey.files import file_kind, list_files
from roundtable.survey.search import read_history, weigh_past

FIRST = (10, 20, 60)
_MOST_FILES = 10
_FEW_FILES = 3
_SHOWN = 20
_TRAILER = re.compile(r"(?im)^(?:[a-z]+-[a-z]+-by|closes|fixes|refs?):?\s.*$")
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
    text: str
    touched: tuple[str, ...]


@dataclass
class Tally:
    """How many of the touched files are among the first, for each length of list, and how many there were."""

    found: list[int] = field(default_factory=lambda: [0] * len(FIRST))
    touched: int = 0

    def count(self, touched: Sequence[str], listed: Sequence[str]) -> None:
        """Add one commit."""
        self.touched += len(touched)
        for index, first in enumerate(FIRST):
            self.found[index] += len(set(touched) & set(listed[:first]))

    def __str__(self) -> str:
        rows = zip(self.found, FIRST, strict=True)
        shares = (f"{found / max(self.touched, 1):.1%} in {first}" for found, first in rows)
        return f"{self.touched} files, {', '.join(shares)}"


def main() -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    reader.add_argument("repositories", nargs="+", type=Path)
    reader.add_argument("--commits", type=int, default=40)
    reader.add_argument("--set", choices=("tune", "final"), default="final")
    reader.add_argument("--text", action="store_true", help="give the item the commit's message as its text")
    reader.add_argument("--show", action="store_true", help="name what was missed, commit by commit")
    reader.add_argument("--ask", type=Path, help="write the request for each commit's files to this folder")
    reader.add_argument("--replies", type=Path, help="let the replies in this folder pick the files")
    given = reader.parse_args()
    picks = RecordedModel(given.ask, given.replies) if given.ask or given.replies else None
    for row in recall(
        given.repositories, given.commits, given.set, text=given.text, show=given.show, picks=picks
    ):
        print(row, flush=True)


@dataclass
class RecordedModel:
    """A language model that answers with what stands in a file, and writes down what it is asked."""

    ask: Path | None
    replies: Path | None
    sample: str = ""
    answered: int = 0

    @property
    def name(self) -> str:
        return "recorded"

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """Give the sample's reply; nothing where there is none."""
        if self.ask is not None:
            self.ask.mkdir(parents=True, exist_ok=True)
            (self.ask / f"{self.sample}.md").write_text(request.conversation.text, encoding="utf-8")
        file = self.replies / f"{self.sample}.json" if self.replies is not None else None
        if file is not None and file.exists():
            self.answered += 1
            yield file.read_text(encoding="utf-8")
        yield ""

    def pick(self, clone: Path, item: Item, sample: str) -> Survey:
        """Return the survey as the program has it once this model was asked."""
        self.sample = sample
        with tempfile.TemporaryDirectory(prefix="survey-recall-item-") as folder:
            home = Path(folder) / "requirements" / item.slug
            home.mkdir(parents=True)
            surveyor = Surveyor(clone, home)
            asyncio.run(surveyor.ask_panel(item, ModelPanel(self)))
            return surveyor.survey(item)


def measure() -> Iterator[str]:
    """Yield the recall over the clones that RECALL names, or over this project's own commits."""
    named = [Path(each) for each in os.environ.get("RECALL", "").split(":") if each]
    own = Path(__file__).resolve().parents[1]
    replies = os.environ.get("RECALL_REPLIES", "")
    if named and replies:
        yield from recall(named, 12, "final", picks=RecordedModel(None, Path(replies)))
    elif named or (own / ".git").exists():
        yield from recall(named or [own], 40 if named else 12, "final")
    else:
        yield "no clone: name some in RECALL, with a colon between"


def recall(
    repositories: Sequence[Path],
    commits: int,
    which: str,
    *,
    text: bool = False,
    show: bool = False,
    picks: RecordedModel | None = None,
) -> Iterator[str]:
    """Yield a row for each repository, with what was missed before it if that is to be shown, and the sum."""
    together, few, many = Tally(), Tally(), Tally()
    for repository in repositories:
        alone, busy, seconds = Tally(), Tally(), [0.0]
        name = _name(repository)
        for number, (sample, clone) in enumerate(_check_out(repository, commits, which), 1):
            item = Item("item", sample.subject, sample.text if text else "")
            start = time.perf_counter()
            if picks is None:
                result = survey(clone, list_files(clone), item)
            else:
                result = picks.pick(clone, item, f"{name}-{number}")
            took = time.perf_counter() - start
            listed = [finding.path for finding in result.radius]
            for tally in (alone, together, few if len(sample.touched) <= _FEW_FILES else many):
                tally.count(sample.touched, listed)
            busy.count(sample.touched, _busiest(clone))
            seconds.append(took)
            if show:
                yield f"  {sample.commit[:9]} {sample.subject[:90]}"
                yield from (
                    f"        missed {path}" for path in sample.touched if path not in listed[:_SHOWN]
                )
        slow = f"median {statistics.median(seconds[1:] or seconds):.2f} s, slowest {max(seconds):.2f} s"
        yield f"{name} ({which}): {alone}; the busiest files instead: {busy}; {slow}"
    if picks is not None:
        yield f"{picks.answered} replies"
    yield f"all: {together}"
    yield f"commits on at most {_FEW_FILES} files: {few}"
    yield f"commits on more: {many}"


def _name(repository: Path) -> str:
    """The project's name, also for a bare clone or one in a folder that is called after its owner."""
    own = repository.resolve()
    home = own.parent if own.name == ".git" else own
    return home.parent.name.rpartition("+")[2] if home.name == "repo" else home.name.removesuffix(".git")


def _check_out(repository: Path, commits: int, which: str) -> Iterator[tuple[Sample, Path]]:
    """Yield each sample with a clone that is in the state before it."""
    with tempfile.TemporaryDirectory(prefix="survey-recall-") as folder:
        clone = Path(folder) / "project"
        _git(Path(folder), "clone", "-q", "--shared", "--no-checkout", str(repository), str(clone))
        for sample in _samples(clone, commits, which):
            _git(clone, "checkout", "-q", "--force", "--detach", f"{sample.commit}^")
            yield sample, clone


def _busiest(clone: Path) -> list[str]:
    """What one would list who knew nothing of the item: the files that are worked on most."""
    work = weigh_past(read_history(clone), (), set(list_files(clone)))
    return sorted(work, key=lambda path: -work[path])[: FIRST[-1]]


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
            text = _TRAILER.sub("", _git(clone, "log", "-1", "--format=%b", commit))
            yield Sample(commit, subject, text, touched)


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
