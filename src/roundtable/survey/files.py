"""The files of a project: git's own list where there is git, else a walk that respects ignore files.

A path is text relative to the root, with `/` between its parts; bytes that are not UTF-8 are kept as lone
surrogates, so that every path leads back to its file.
"""

from __future__ import annotations

import os
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
    """Links are never followed, so a walk cannot come back to where it was."""
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
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        return GitIgnoreSpec.from_lines(lines)
    except (OSError, ValueError):
        return None


def _ignored(path: str, rules: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """The nearest ignore file that has a word on the path decides, as in git."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
