"""The files of a project: git's own list where there is git, else a walk that respects ignore files.

A path is text relative to the root, with `/` between its parts; bytes that are not UTF-8 are kept as lone
surrogates, so that every path leads back to its file.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from ..git import run_git

OWN = (".roundtable", "docs/requirements")
MOST = 200_000
_SECONDS = 10.0
_FOLDERS_WORDS = """
.git .hg .svn .tox .nox .venv venv env node_modules bower_components __pycache__ .mypy_cache .ruff_cache
.pytest_cache .gradle .idea .vscode .cache .next .nuxt dist build target out coverage site-packages
"""
_FOLDERS = frozenset(_FOLDERS_WORDS.split())
_LONGEST_IGNORE_FILE = 256 * 1024
_MOST_RULES = 2_000
_LONGEST_RULE = 500
_MOST_STARS = 2
_LONGEST_PATH = 1_000
_WALK_PATIENCE = 30.0
# Neither through a link nor waiting for somebody to write into a pipe; other systems know less of this.
_CAREFULLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_STARS = re.compile(r"\*+")
_GIT_FOLDER = frozenset({"HEAD", "objects", "refs"})


def project_files(root: Path, *, leave_out: Sequence[str] = OWN) -> tuple[str, ...]:
    """The paths of the project's files in order, without those below the folders to leave out."""
    listed = _by_git(root)
    paths = _by_walk(root) if listed is None else listed
    folders = tuple(f"{PurePosixPath(folder)}/" for folder in leave_out)
    return tuple(sorted(path for path in paths if not path.startswith(folders)))[:MOST]


def _by_git(root: Path) -> Iterable[str] | None:
    answer = run_git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", seconds=_SECONDS)
    if answer is None:
        return None
    # A conflict lists a path three times; a folder's name ends in a slash: a repository inside this one.
    found = {os.fsdecode(path) for path in answer.split(b"\0") if path and not path.endswith(b"/")}
    # Inside a folder that the repository around it ignores, git knows of nothing.
    if not found and (run_git(root, "rev-parse", "--show-prefix", seconds=_SECONDS) or b"").strip():
        return None
    return found


def _by_walk(root: Path) -> Iterator[str]:
    """Yield the files that no rule ignores, until there are too many or it takes too long.

    Links are never followed, so a walk cannot come back to where it was.
    """
    end = time.monotonic() + _WALK_PATIENCE
    waiting: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    found = 0
    while waiting and found < MOST:
        folder, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                here = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        names = {entry.name for entry in here}
        if names >= _GIT_FOLDER:
            continue
        if ".gitignore" in names and (spec := _ignore_file(root / folder / ".gitignore")):
            rules = (*rules, (folder, spec))
        for entry in here:
            path = folder + entry.name
            if time.monotonic() > end:
                return
            if len(path) > _LONGEST_PATH:
                continue
            if _is_folder(entry):
                if entry.name not in _FOLDERS and not _ignored(f"{path}/", rules):
                    waiting.append((f"{path}/", rules))
            elif _is_file(entry) and not _ignored(path, rules):
                found += 1
                yield path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _ignore_file(path: Path) -> GitIgnoreSpec | None:
    """Return the rules of an ignore file; None where it is no regular file, or longer than one ever is."""
    try:
        descriptor = os.open(path, _CAREFULLY)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(_LONGEST_IGNORE_FILE + 1)
        if len(data) > _LONGEST_IGNORE_FILE:
            return None
        lines = data.decode("utf-8", errors="replace").splitlines()
        return GitIgnoreSpec.from_lines([line for line in lines if _is_bounded(line)][:_MOST_RULES])
    except (OSError, ValueError):
        return None


def _is_bounded(rule: str) -> bool:
    """Whether the rule is quick to match: with each star more, all places are tried again."""
    stars = max(len(_STARS.findall(name)) for name in rule.split("/"))
    return len(rule) <= _LONGEST_RULE and max(stars, rule.count("**")) <= _MOST_STARS


def _ignored(path: str, rules: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """The nearest ignore file that has a word on the path decides, as in git."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
