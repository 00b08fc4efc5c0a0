"""Who imports or mentions what is touched, and the tests that cover it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .findings import Finding, Line, Relation
from .imports import Module, imports_in, module_of
from .kinds import ending_of, kind_of
from .places import defined_name
from .scan import read
from .search import files_holding
from .sieve import Sieve

_READ = 1_500  # files read again for their imports
_NAMES = 8
_COMMON = 0.2  # a name found in more of the files than this is no name for anything
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
_FIRST_TEST = re.compile(
    rb"^[ \t]*(?:async\s+)?(?:def test|func Test|describe\(|it\(|test\(|@Test|#\[test)", re.MULTILINE
)
_TEST_AFFIX = re.compile(r"^test[_-]?|[._-]?(?:test|tests|spec)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relations:
    """The lines that tie other files to those that are touched."""

    importers: tuple[Relation, ...]
    mentions: tuple[Relation, ...]
    tests: tuple[Relation, ...]


def relate(
    root: Path, paths: Sequence[str], touched: Sequence[Finding], *, sieve: Sieve | None = None
) -> Relations:
    """The files that import a touched file, mention a name it defines on a found line, or test it."""
    known = frozenset(paths)
    modules = [module for each in touched if (module := module_of(each.path, known))]
    names = _defined_names(touched)
    needles = tuple(dict.fromkeys([module.needle for module in modules if module.needle] + list(names)))
    families = frozenset[str]().union(*(module.family for module in modules))
    sources = [path for path in paths if ending_of(path) in families]
    holding = files_holding(root, sources, needles, sieve=sieve)
    near = sorted(holding, key=lambda path: (-_closeness(path, touched), path))[:_READ]
    go_module = _go_module(root, known) if "go" in families else ""
    importers: list[Relation] = []
    mentions: list[Relation] = []
    for path in near:
        data = read(f"{root}{os.sep}{path}")
        if data is None:
            continue
        found = list(_importing(path, data, modules, go_module))
        importers += found
        mentions += _mentioning(path, data, names)
    mentions = _telling(mentions, len(sources))
    tests = _tests(root, paths, touched, importers, mentions)
    return Relations(tuple(importers), tuple(mentions), tests)


def _defined_names(touched: Sequence[Finding]) -> dict[str, str]:
    """The names that the best lines of touched source files define, with the file that defines each."""
    names: dict[str, str] = {}
    for finding in touched:
        if kind_of(finding.path) != "source":
            continue
        for line in finding.lines:
            name = defined_name(line.text.encode("utf-8", "surrogateescape")).decode()
            if len(name) > 3 and not name.startswith("__"):
                names.setdefault(name, finding.path)
    return dict(list(names.items())[:_NAMES])


def _closeness(path: str, touched: Sequence[Finding]) -> int:
    parts = path.split("/")[:-1]
    best = 0
    for finding in touched:
        shared = 0
        for own, other in zip(parts, finding.path.split("/")[:-1], strict=False):
            if own != other:
                break
            shared += 1
        best = max(best, shared)
    return best


def _importing(path: str, data: bytes, modules: Sequence[Module], go_module: str) -> Iterator[Relation]:
    seen: set[str] = set()
    for offset, module in imports_in(path, data, modules, go_module=go_module):
        if module.path not in seen:
            seen.add(module.path)
            yield Relation("imports", line_at(path, data, offset), module.path)


def _mentioning(path: str, data: bytes, names: dict[str, str]) -> Iterator[Relation]:
    for name, home in names.items():
        spelled = name.encode()
        if home != path and spelled in data:
            found = re.search(rb"(?<![\w$])" + re.escape(spelled) + rb"(?![\w$])", data)
            if found:
                yield Relation("mentions", line_at(path, data, found.start()), name)


def _telling(mentions: Sequence[Relation], sources: int) -> list[Relation]:
    """The mentions without those of names that stand everywhere."""
    count: dict[str, int] = {}
    for mention in mentions:
        count[mention.to] = count.get(mention.to, 0) + 1
    most = max(8, int(sources * _COMMON))
    return [mention for mention in mentions if count[mention.to] <= most]


def _tests(
    root: Path,
    paths: Sequence[str],
    touched: Sequence[Finding],
    importers: Sequence[Relation],
    mentions: Sequence[Relation],
) -> tuple[Relation, ...]:
    """The tests that are named after a touched file, then those that import it or mention its names."""
    named = _named_after(touched)
    found: dict[str, Relation] = {}
    for path in paths:
        name = posixpath.basename(path).rsplit(".", 1)[0].lower()
        bare = _TEST_AFFIX.sub("", name)
        if bare in named and kind_of(path) == "test" and (first := _first_line(root, path)):
            found[path] = Relation("tests", first, named[bare])
    for tie in (*importers, *mentions):
        if kind_of(tie.line.path) == "test":
            found.setdefault(tie.line.path, Relation("tests", tie.line, tie.to))
    return tuple(found.values())


def _named_after(touched: Sequence[Finding]) -> dict[str, str]:
    """What a test of each touched file would be called without its `test`."""
    named: dict[str, str] = {}
    for finding in touched:
        if kind_of(finding.path) == "test":
            continue
        folder, _, name = finding.path.rpartition("/")
        bare = name.rsplit(".", 1)[0].lower()
        if bare in ("index", "__init__", "mod", "lib", "main"):
            bare = posixpath.basename(folder).lower()
        named.setdefault(bare, finding.path)
        named.setdefault(bare.strip("_"), finding.path)
    named.pop("", None)
    return named


def _first_line(root: Path, path: str) -> Line | None:
    """The line that opens the first test of a file, else its first line that is not empty."""
    data = read(f"{root}{os.sep}{path}")
    if not data:
        return None
    test = _FIRST_TEST.search(data)
    return line_at(path, data, test.end() if test else len(data) - len(data.lstrip()))


def line_at(path: str, data: bytes, offset: int) -> Line:
    """The line of a file that an offset falls on."""
    offset = min(offset, len(data) - 1)
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    text = data[start : end if end >= 0 else len(data)][:400].decode("utf-8", "replace").strip()
    return Line(path, data.count(b"\n", 0, start) + 1, text)


def _go_module(root: Path, paths: frozenset[str]) -> str:
    data = read(f"{root}{os.sep}go.mod") if "go.mod" in paths else None
    found = _GO_MODULE.search(data or b"")
    return found[1].decode("utf-8", "replace") if found else ""
