"""The project's files: which there are, of what kind each is, and which may hold a text."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from pathspec import GitIgnoreSpec

from ..git import run_git

FileKind = Literal["source", "test", "docs", "config", "generated"]

_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|fixtures?|testdata|playground)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|(?:_test|_spec|[.-]test|[.-]spec)\.[a-z]+$|Tests?\.(?:java|kt|cs|scala|swift)$",
    re.IGNORECASE,
)
_DOCS: Final = re.compile(
    r"(?:^|/)(?:docs?|documentation|site|website|examples?|samples?)/"
    r"|\.(?:md|mdx|rst|adoc|txt|po|pot)$"
    r"|(?:^|/)(?:readme|changes|changelog|history|license|authors|contributors|contributing|news)(?:\.[a-z]+)?$",
    re.IGNORECASE,
)
_CONFIG: Final = re.compile(
    r"(?:^|/)\.[^/]+|\.(?:toml|ya?ml|ini|cfg|json5?|lock|conf|properties|mod|gradle|editorconfig|env)$"
    r"|(?:^|/)(?:makefile|dockerfile|jenkinsfile|procfile)[^/]*$",
    re.IGNORECASE,
)
_GENERATED: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|vendor|third_party|node_modules|generated|__snapshots__)/"
    r"|\.min\.(?:js|css)$|\.(?:map|snap|svg|csv|tsv|sum)$|[._-](?:generated|pb2?)\.[a-z]+$"
    r"|(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|[^/]+\.lock|go\.sum|bun\.lockb?)$",
    re.IGNORECASE,
)
_SOURCE_WORDS = """
py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala groovy cs fs vb c h cc cpp
cxx hpp hh m mm swift rb php pl pm lua r jl ex exs erl hs ml clj dart sh bash zsh fish ps1 sql html css
scss less proto graphql tf zig nim v tpl jinja j2
"""
_SOURCE: Final = frozenset(_SOURCE_WORDS.split())
_WORTH_A_SIEVE = 1_000
_SIEVE_SECONDS = 30.0
OWN_FOLDERS = (".roundtable", "docs/requirements")
_OWN_FILE = re.compile(r"\.roundtable-\d+\.md\Z")  # what `discuss` writes beside a document
MAX_FILES = 200_000
_FILES_SECONDS = 10.0
_MAX_CITED_FILE = 20_000_000
_SKIPPED_WORDS = """
.git .hg .svn .tox .nox .venv venv env node_modules bower_components __pycache__ .mypy_cache .ruff_cache
.pytest_cache .gradle .idea .vscode .cache .next .nuxt dist build target out coverage site-packages
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_LONGEST_IGNORE_FILE = 256 * 1024
_MOST_RULES = 2_000
_LONGEST_RULE = 500
_MOST_STARS = 2
_LONGEST_PATH = 1_000
_WALK_PATIENCE = 30.0
_STARS = re.compile(r"\*+")
_GIT_FOLDER = frozenset({"HEAD", "objects", "refs"})
LARGEST = 1024 * 1024
_BINARY = 8 * 1024
_LONG_LINES = 600
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def file_kind(path: str) -> FileKind:
    """Return the kind of the file at a path, by its folders, its name and its ending."""
    if _GENERATED.search(path):
        return "generated"
    if _TEST.search(path):
        return "test"
    if _DOCS.search(path):
        return "docs"
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name[1:] else ""
    if ending in _SOURCE and not path.startswith(".github/"):
        return "source"
    return "config" if _CONFIG.search(path) else "source"


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
    is_packed = len(data) > _BINARY and (data.count(b"\n") + 1) * _LONG_LINES < len(data)
    return None if data.find(0, 0, _BINARY) >= 0 or is_packed else data


def sift(root: Path, paths: Sequence[str], needles: Sequence[str], *, exact: bool) -> Sequence[str]:
    """Return the paths whose files may hold one of the needles, in order, by `git grep` when they are many.

    Unless `exact`, capitals do not matter. Where git cannot tell, nothing is left out.
    """
    # What git takes for a capital beyond ASCII depends on the locale and on how git was built.
    if len(paths) < _WORTH_A_SIEVE or not (exact or all(needle.isascii() for needle in needles)):
        return paths
    options = ["-l", "-z", "-a", "-F", "--untracked", "--no-recurse-submodules", *([] if exact else ["-i"])]
    patterns = [word for needle in needles for word in ("-e", needle)]
    config = {"grep.fullName": "false", "grep.fallbackToNoIndex": "false"}
    answer = run_git(root, "grep", *options, *patterns, seconds=_SIEVE_SECONDS, config=config, empty_status=1)
    if answer is None:
        return paths
    names = {os.fsdecode(name) for name in answer.split(b"\0")}
    return [path for path in paths if path in names]


def list_files(root: Path, *, leave_out: Sequence[str] = OWN_FOLDERS) -> tuple[str, ...]:
    """Return the paths of the project's files in order, without our own and the folders to leave out."""
    folders = tuple(f"{PurePosixPath(folder)}/" for folder in leave_out)
    listed = _list_by_git(root)
    paths = _walk(root, folders) if listed is None else listed
    kept = (path for path in paths if not path.startswith(folders) and not _OWN_FILE.search(path))
    return tuple(sorted(kept))[:MAX_FILES]


def drop_excluded(paths: Iterable[str], excluded: Collection[str]) -> tuple[str, ...]:
    """Return the paths without the excluded ones: a file or a folder, by its whole path or the end of it.

    A `path:line` excludes that place and not the file.
    """
    ends = tuple(f"/{part.strip('/')}/" for part in excluded if part.strip("/") and ":" not in part)
    return tuple(path for path in paths if not any(end in f"/{path}/" for end in ends))


class CitedFiles:
    """Tells how long the files are that somebody cites: those of the project, and the item's documents.

    A file may be cited by the end of its path, such as `loans.py:12`. Nothing outside the project counts,
    and no link that leads there.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._listed: tuple[str, ...] | None = None

    def count_lines(self, path: str) -> int | None:
        """Return how many lines a cited file has; None if there is no such file."""
        return None if (lines := self.read_lines(path)) is None else len(lines)

    def read_lines(self, path: str) -> list[str] | None:
        """Return the lines of a cited file; None if there is no such file."""
        for home in (self._root, self._folder):
            if (lines := self._read(home, path)) is not None:
                return lines
        if self._listed is None:
            self._listed = list_files(self._root)
        found = (self._read(self._root, each) for each in self._listed if each.endswith(f"/{path}"))
        return max((lines for lines in found if lines is not None), key=len, default=None)

    def _read(self, home: Path, path: str) -> list[str] | None:
        place = home / path
        try:
            is_usable = place.is_file() and place.resolve().is_relative_to(self._root.resolve())
            if not is_usable or place.stat().st_size > _MAX_CITED_FILE:
                return None
            return [os.fsdecode(line) for line in place.read_bytes().splitlines()]
        except (OSError, RuntimeError, ValueError):
            return None


def _list_by_git(root: Path) -> Iterable[str] | None:
    answer = run_git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", seconds=_FILES_SECONDS
    )
    if answer is None:
        return None
    # A conflict lists a path three times; a folder's name ends in a slash: a repository inside this one.
    found = {os.fsdecode(path) for path in answer.split(b"\0") if path and not path.endswith(b"/")}
    # Inside a folder that the repository around it ignores, git knows of nothing.
    if not found and (run_git(root, "rev-parse", "--show-prefix", seconds=_FILES_SECONDS) or b"").strip():
        return None
    return found


def _walk(root: Path, leave_out: Collection[str]) -> Iterator[str]:
    """Yield the files that no rule ignores, until there are too many or it takes too long.

    Links are never followed, so a walk cannot come back to where it was.
    """
    end = time.monotonic() + _WALK_PATIENCE
    waiting: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    found = 0
    while waiting and found < MAX_FILES:
        folder, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                here = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        names = {entry.name for entry in here}
        if names >= _GIT_FOLDER:
            continue
        if ".gitignore" in names and (spec := _read_ignore_file(root / folder / ".gitignore")):
            rules = (*rules, (folder, spec))
        for entry in here:
            path = folder + entry.name
            if time.monotonic() > end:
                return
            if len(path) > _LONGEST_PATH:
                continue
            try:
                is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
            except OSError:  # a filesystem that has to look at the file for it, and may not
                continue
            if is_folder:
                inner = f"{path}/"
                if entry.name not in _SKIPPED and inner not in leave_out and not _is_ignored(inner, rules):
                    waiting.append((inner, rules))
            elif is_file and not _is_ignored(path, rules):
                found += 1
                yield path


def _read_ignore_file(path: Path) -> GitIgnoreSpec | None:
    """Return the rules of an ignore file; None unless it is a regular file of a likely size."""
    try:
        if (data := read_text(path.parent, path.name)) is None or len(data) > _LONGEST_IGNORE_FILE:
            return None
        lines = data.decode("utf-8", errors="replace").splitlines()
        return GitIgnoreSpec.from_lines([line for line in lines if _is_bounded(line)][:_MOST_RULES])
    except ValueError:
        return None


def _is_bounded(rule: str) -> bool:
    """Whether the rule is quick to match: with each star more, all places are tried again."""
    stars = max(len(_STARS.findall(name)) for name in rule.split("/"))
    return len(rule) <= _LONGEST_RULE and max(stars, rule.count("**")) <= _MOST_STARS


def _is_ignored(path: str, rules: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """Whether a rule ignores the path; the nearest ignore file that speaks of it decides, as in git."""
    for folder, spec in reversed(rules):
        verdict = spec.check_file(path[len(folder) :]).include
        if verdict is not None:
            return verdict
    return False
