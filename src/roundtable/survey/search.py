"""Where the terms occur: a count for each file, with equal results whichever sieve stands before it."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from . import scan
from .sieve import Sieve, sift
from .terms import Term

_WORTH_A_PROCESS = 3_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A file in which terms occur: its size in bytes and the count of each term."""

    path: str
    size: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hits:
    """The files with a hit, and the number of files in which each term occurs."""

    files: tuple[Hit, ...]
    frequency: tuple[int, ...]


def search(root: Path, paths: Sequence[str], terms: Sequence[Term], *, sieve: Sieve | None = None) -> Hits:
    """Count the terms in the files; capitals do not matter. Without a sieve named, the best is taken."""
    if not terms or not paths:
        return Hits((), (0,) * len(terms))
    needles = [term.spellings for term in terms]
    paths = sift(root, paths, [term.text for term in terms], exact=False, sieve=sieve)
    found = _on_all_cores("count", root, paths, needles)
    files = tuple(Hit(paths[place], size, tuple(counts)) for place, size, counts in found)
    frequency = tuple(sum(1 for hit in files if hit.counts[index]) for index in range(len(terms)))
    return Hits(files, frequency)


def files_holding(
    root: Path, paths: Sequence[str], needles: Sequence[str], *, sieve: Sieve | None = None
) -> tuple[str, ...]:
    """The files that hold at least one of the needles, letter by letter."""
    if not needles or not paths:
        return ()
    # A file with the longer of two needles has the shorter one inside it too.
    needles = [
        needle for needle in needles if not any(other in needle for other in needles if other != needle)
    ]
    spelled = [needle.encode("utf-8", "surrogateescape") for needle in needles]
    paths = sift(root, paths, needles, exact=True, sieve=sieve)
    return tuple(paths[place] for place in _on_all_cores("holding", root, paths, spelled))


def _on_all_cores(
    task: Literal["count", "holding"], root: Path, paths: Sequence[str], needles: Sequence[Any]
) -> list[Any]:
    """The work on the second half of many files is handed to a helper process; ours does the first."""
    work = scan.count if task == "count" else scan.holding
    place = str(root)
    if len(paths) < _WORTH_A_PROCESS or (os.cpu_count() or 1) < 2:
        return list(work(place, paths, needles))
    half = len(paths) // 2
    helper = _start_helper(marshal.dumps((task, place, list(paths[half:]), list(needles))))
    first = list(work(place, paths[:half], needles))
    second = _answer_of(helper) if helper else None
    if second is None:
        second = list(work(place, paths[half:], needles))
    if task == "holding":
        return first + [number + half for number in second]
    return first + [(number + half, size, counts) for number, size, counts in second]


def _start_helper(question: bytes) -> subprocess.Popen[bytes] | None:
    try:
        helper = subprocess.Popen(
            [sys.executable, "-I", "-S", scan.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    assert helper.stdin is not None
    try:
        helper.stdin.write(question)
        helper.stdin.close()
    except OSError:
        helper.kill()
        helper.communicate()
        return None
    return helper


def _answer_of(helper: subprocess.Popen[bytes]) -> list[Any] | None:
    """What the helper answers, None where it failed; its answer is read whole before it is waited for."""
    with helper:
        assert helper.stdout is not None
        answer = helper.stdout.read()
    if helper.returncode:
        return None
    try:
        return list(marshal.loads(answer))
    except (EOFError, ValueError, TypeError):
        return None
