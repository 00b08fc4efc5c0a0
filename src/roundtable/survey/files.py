"""The project's files: their list, the kind of each, and the content of text files."""

import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from pathspec import GitIgnoreSpec

from ..content import read_tables
from ..git import run_git

FileKind = Literal["source", "test", "docs", "config", "generated"]

_KNOWN = read_tables("survey.toml")
_KINDS: Final[Mapping[FileKind, re.Pattern[str]]] = {
    kind: re.compile("|".join(signs), re.IGNORECASE) for kind, signs in _KNOWN["kinds"].items()
}
_SKIPPED = frozenset(_KNOWN["folders"]["skipped"].split())
OWN_FOLDERS = (".roundtable", "docs/requirements")
_OWN_FILE = re.compile(r"\.roundtable-\d+\.md\Z")  # what `discuss` writes beside a document
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
    # Nobody writes such long lines: it is a minified script, or data without line breaks.
    is_packed = len(data) > _BINARY and (data.count(b"\n") + 1) * 600 < len(data)
    return None if data.find(0, 0, _BINARY) >= 0 or is_packed else data


def list_files(
    root: Path, *, leave_out: Sequence[str] = OWN_FOLDERS, excluded: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the sorted paths of the project's files, without our own and those left out or excluded."""
    folders = tuple(f"{PurePosixPath(folder)}/" for folder in leave_out)
    # A `path:line` excludes only that place.
    ends = [f"/{part.strip('/')}/" for part in excluded if part.strip("/") and ":" not in part]
    listed = _list_by_git(root)
    paths = islice(_walk(root, folders), MAX_FILES) if listed is None else listed
    kept = (path for path in paths if not path.startswith(folders) and not _OWN_FILE.search(path))
    return tuple(path for path in sorted(kept)[:MAX_FILES] if not any(end in f"/{path}/" for end in ends))


def make_line_counter(root: Path, folder: Path) -> Callable[[str], int | None]:
    """Return a function that maps a path, or the end of one, to the file's line count or None if missing."""
    list_once = cache(partial(list_files, root))

    def count(places: Iterable[Path]) -> Iterator[int]:
        for place in places:
            with suppress(OSError, RuntimeError, ValueError):
                is_inside = place.is_file() and place.resolve().is_relative_to(root.resolve())
                if is_inside and place.stat().st_size <= 20_000_000:
                    yield len(place.read_bytes().splitlines())

    def count_lines(path: str) -> int | None:
        for lines in count((root / path, folder / path)):
            return lines
        return max(count(root / each for each in list_once() if each.endswith(f"/{path}")), default=None)

    return count_lines


def _list_by_git(root: Path) -> Iterable[str] | None:
    options = ("-z", "--cached", "--others", "--exclude-standard")
    answer = run_git(root, "ls-files", *options, seconds=_FILES_SECONDS)
    if answer is None:
        return None
    # A conflict lists a path three times; a path that ends in a slash is a repository inside this one.
    found = {os.fsdecode(path) for path in answer.split(b"\0") if path and not path.endswith(b"/")}
    # git lists nothing inside a folder that the surrounding repository ignores.
    if not found and (run_git(root, "rev-parse", "--show-prefix", seconds=_FILES_SECONDS) or b"").strip():
        return None
    # An index may name files behind a link, or outside.
    home = Path(os.path.realpath(root))
    is_real = cache(lambda folder: Path(os.path.realpath(home / folder)) == home / folder)
    return [path for path in found if is_real(path.rpartition("/")[0])]


def _walk(root: Path, leave_out: Collection[str]) -> Iterator[str]:
    """Yield the files that no rule ignores, without links, until time is up."""
    end = time.monotonic() + 30  # seconds
    waiting: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while waiting:
        folder, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                here = {each.name: each for each in entries}
                folders = {name for name, each in here.items() if each.is_dir(follow_symlinks=False)}
                files = {name for name, each in here.items() if each.is_file(follow_symlinks=False)}
        except OSError:
            continue
        if here.keys() >= {"HEAD", "objects", "refs"}:  # git's own folder
            continue
        if ".gitignore" in files and (spec := _read_ignore_file(root / folder)):
            rules = (*rules, (folder, spec))
        for name in sorted(folders | files):
            path = f"{folder}{name}/" if name in folders else folder + name
            if time.monotonic() > end:
                return
            # The nearest ignore file that mentions a path decides, as in git.
            verdicts = (spec.check_file(path[len(base) :]).include for base, spec in reversed(rules))
            if next((verdict for verdict in verdicts if verdict is not None), False):
                continue
            if name in files:
                yield path
            elif name not in _SKIPPED and path not in leave_out:
                waiting.append((path, rules))


def _read_ignore_file(folder: Path) -> GitIgnoreSpec | None:
    """Return the rules of an ignore file that match quickly; None unless it is a small regular file."""
    data = read_text(folder, ".gitignore")
    if data is None or len(data) > 256 * 1024:
        return None
    lines = data.decode("utf-8", errors="replace").splitlines()
    # Each further star in a rule multiplies the places to try.
    stars = (max(line.count("**"), *(name.count("*") for name in line.split("/"))) for line in lines)
    quick = [line for line, count in zip(lines, stars, strict=True) if count <= 2]
    with suppress(ValueError):
        return GitIgnoreSpec.from_lines(quick)
    return None
