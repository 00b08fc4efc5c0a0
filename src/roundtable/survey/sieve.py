"""A sieve before the search: programs made for it say which files are worth reading.

A sieve may let through too much and never holds back a file with a hit, so the results are the same with
ripgrep, with git's own search, and with neither.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, assert_never

from ..git import run_git

Sieve = Literal["ripgrep", "git", "none"]
_WORTH_IT = 1_000
_SECONDS = 30.0
# What a command line holds: Windows allows 32 KB, macOS 1 MB, Linux more.
_COMMAND_LINE = 24_000 if os.name == "nt" else 400_000


def best_sieve(paths: Sequence[str]) -> Sieve:
    """The sieve that pays for so many files on this machine."""
    if len(paths) < _WORTH_IT:
        return "none"
    return "ripgrep" if shutil.which("rg") else "git"


def sift(
    root: Path, paths: Sequence[str], needles: Sequence[str], *, exact: bool, sieve: Sieve | None = None
) -> Sequence[str]:
    """The paths whose files may hold one of the needles, in order; unless `exact`, capitals do not matter."""
    match sieve or best_sieve(paths):
        case "ripgrep":
            return _by_ripgrep(root, paths, needles, exact=exact)
        case "git":
            return _by_git(root, paths, needles, exact=exact)
        case "none":
            return paths
        case never:
            assert_never(never)


def _by_git(root: Path, paths: Sequence[str], needles: Sequence[str], *, exact: bool) -> Sequence[str]:
    # What git takes for a capital beyond ASCII depends on the locale and on how git was built.
    if not exact and not all(needle.isascii() for needle in needles):
        return paths
    options = ["-l", "-z", "-a", "-F", "--untracked", "--no-recurse-submodules", *([] if exact else ["-i"])]
    patterns = [word for needle in needles for word in ("-e", needle)]
    config = {"grep.fullName": "false", "grep.fallbackToNoIndex": "false"}
    answer = run_git(root, "grep", *options, *patterns, seconds=_SECONDS, config=config, empty_status=1)
    if answer is None:
        return paths
    return _named(paths, answer)


def _by_ripgrep(root: Path, paths: Sequence[str], needles: Sequence[str], *, exact: bool) -> Sequence[str]:
    words = ["rg", "--no-config", "-l", "-0", "-a", "-F", "--encoding", "none", "--no-messages"]
    words += [word for needle in needles for word in ("-e", needle)]
    if not exact:
        words.append("-i")
    kept: list[str] = []
    for batch in _batches(paths):
        try:
            answer = subprocess.run(
                [*words, "--", *batch],
                cwd=root,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            kept += batch
            continue
        # 0: hits, 1: none, 2: it failed on a file or altogether, so nothing can be left out.
        kept += _named(batch, answer.stdout) if answer.returncode in (0, 1) else batch
    return kept


def _named(paths: Sequence[str], answer: bytes) -> list[str]:
    names = {os.fsdecode(name) for name in answer.split(b"\0")}
    return [path for path in paths if path in names]


def _batches(paths: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = []
    room = 0
    for path in paths:
        if room <= 0:
            batches.append([])
            room = _COMMAND_LINE
        batches[-1].append(path)
        room -= len(os.fsencode(path)) + 1
    return batches
