"""The project's files: which there are, of what kind each is, and what a text file holds."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final, Literal

from ..content import read_tables
from ..git import run_git

FileKind = Literal["source", "test", "docs", "config", "generated"]

_KNOWN = read_tables("survey.toml")
_KINDS: Final[Mapping[FileKind, re.Pattern[str]]] = {
    kind: re.compile("|".join(signs), re.IGNORECASE) for kind, signs in _KNOWN["kinds"].items()
}
_SKIPPED = frozenset(_KNOWN["folders"]["skipped"].split())
OWN_FOLDERS = (".roundtable", "docs/requirements")
# A repository inside this one, and what `discuss` writes beside a document.
_PASSED_OVER = re.compile(r"/\Z|\.roundtable-\d+\.md\Z")
MAX_FILES = 200_000
_FILES_SECONDS = 10.0
LARGEST = 1024 * 1024
_BINARY = 8 * 1024
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def file_kind(path: str) -> FileKind:
    """Return the kind of the file at a path, by its folders, its name and its ending."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(path)), "source")


def read_text(root: Path, path: str) -> bytes | None:
    """Return the content of a text file; None for anything else, and for a huge or unreadable one."""
    place = f"{root}{os.sep}{path}"
    try:
        with open(place, "rb", buffering=0, opener=lambda name, _: os.open(name, _FLAGS)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                return None
            data = file.read()
    except (OSError, ValueError):
        return None
    # Nobody writes such long lines: a minified script, data without line breaks.
    is_packed = len(data) > _BINARY and (data.count(b"\n") + 1) * 600 < len(data)
    return None if data.find(0, 0, _BINARY) >= 0 or is_packed else data


def list_files(
    root: Path, *, leave_out: Sequence[str] = OWN_FOLDERS, excluded: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the paths of the project's files in order, without our own and what is left out or excluded."""
    folders = tuple(f"{PurePosixPath(folder)}/" for folder in leave_out)
    # A `path:line` excludes only that place.
    ends = [f"/{part.strip('/')}/" for part in excluded if part.strip("/") and ":" not in part]
    listed = _list_by_git(root, "--cached")
    # Inside a folder that the repository around it ignores, git knows of nothing.
    if not listed and (run_git(root, "rev-parse", "--show-prefix", seconds=_FILES_SECONDS) or b"").strip():
        listed = None
    paths = _list_outside(root) if listed is None else listed
    kept = (path for path in paths if not path.startswith(folders) and not _PASSED_OVER.search(path))
    return tuple(path for path in sorted(kept)[:MAX_FILES] if not any(end in f"/{path}/" for end in ends))


def make_line_counter(root: Path, folder: Path) -> Callable[[str], int | None]:
    """Return what tells how many lines a cited file has, also by the end of its path; None without one."""
    list_once = cache(partial(list_files, root))

    def count(place: Path) -> int | None:
        try:
            is_usable = place.is_file() and place.resolve().is_relative_to(root.resolve())
            if not is_usable or place.stat().st_size > 20_000_000:
                return None
            return len(place.read_bytes().splitlines())
        except (OSError, RuntimeError, ValueError):
            return None

    def count_lines(path: str) -> int | None:
        for place in (root / path, folder / path):
            if (lines := count(place)) is not None:
                return lines
        found = (count(root / each) for each in list_once() if each.endswith(f"/{path}"))
        return max((lines for lines in found if lines is not None), default=None)

    return count_lines


def _list_by_git(root: Path, *options: str) -> set[str] | None:
    words = ("-z", "--others", "--exclude-standard", *options)
    answer = run_git(root, "ls-files", *words, seconds=_FILES_SECONDS)
    return None if answer is None else {os.fsdecode(path) for path in answer.split(b"\0") if path}


def _list_outside(root: Path) -> Iterable[str]:
    """Return the files of a folder that is no repository, with those of repositories inside it."""
    if all((root / name).exists() for name in ("HEAD", "objects", "refs")):  # the inside of git
        return ()
    found = None
    with suppress(OSError), TemporaryDirectory() as own:
        # An empty repository with the folder as its working tree: so git reads the ignore files there.
        for name in ("objects", "refs"):
            Path(own, ".git", name).mkdir(parents=True)
        Path(own, ".git", "HEAD").write_text("ref: refs/heads/main\n")
        place = json.dumps(str(root.absolute()), ensure_ascii=False)
        config = f"[core]\nrepositoryFormatVersion = 0\nworktree = {place}\n"
        Path(own, ".git", "config").write_bytes(os.fsencode(config))
        found = _list_by_git(Path(own), *(f"--exclude={name}/" for name in _SKIPPED))
    end = time.monotonic() + 30  # seconds
    if found is None:
        return _walk(root, end)
    for inner in [path for path in found if path.endswith("/")]:
        if time.monotonic() < end:
            found.update(inner + path for path in _list_by_git(root / inner, "--cached") or ())
    return found


def _walk(root: Path, end: float) -> Iterator[str]:
    """Yield the files, without links, until time is up; only git can read what is to be ignored."""
    for folder, folders, names in os.walk(root):
        folders[:] = (name for name in folders if name not in _SKIPPED)
        for place in (Path(folder, name) for name in names):
            if time.monotonic() > end:
                return
            if place.is_file() and not place.is_symlink():
                yield place.relative_to(root).as_posix()
