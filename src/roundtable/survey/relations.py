"""What ties other files to those that an item touches: who imports, uses and tests them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Final

from msgspec import Struct

from .files import file_ending, file_kind, read_text
from .report import CodeLine, FoundFile
from .search import files_holding
from .symbols import find_definitions, find_symbol

_FAMILY_WORDS: Final = (
    "js jsx mjs cjs ts tsx mts cts vue svelte", "py pyi pyx", "java kt kts scala groovy",
    "c h cc cpp cxx hpp hh m mm", "go", "rs", "rb", "php", "cs", "swift", "dart",
)  # fmt: skip
_FAMILIES: Final = {ending: frozenset(words.split()) for words in _FAMILY_WORDS for ending in words.split()}
_FOLDER_MODULES: Final = frozenset({"__init__", "index", "mod", "lib"})
_FOLDER_FILES: Final = _FOLDER_MODULES | {"main", "test", "tests", ""}
_PLAIN_FOLDERS: Final = frozenset({"__tests__", "tests", "test", "src"})
# A line that brings in another file, in any of the languages; in Go also a line of an import block.
_IMPORT = re.compile(
    rb"""^[ \t]*(?:from\b[^\n"]*\bimport\b|import\b|export\b[^\n'"]*\bfrom\b|(?:use|mod|pub[ \t]+use)[ \t]
    |\#[ \t]*include\b|require(?:_relative)?\b|using\b|(?:\w+[ \t]+)?"[\w./-]+"[ \t]*$|\}[ \t]*from\b)[^\n]*
    |^[^\n]{0,200}?\b(?:require|import)\([ \t]*['"][^\n]*""",
    re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(rb"[\w$-]+")
_READ = 1_500  # files read again for what ties them
_NAMES = 8
_COMMON = 0.2  # a name found in more of the files than this says nothing
_TEST_AFFIX = re.compile(r"^test[_-]?|[._-]?(?:tests?|spec)$", re.IGNORECASE)


class Relations(Struct, frozen=True):
    """The lines that tie other files to those that are touched: of their users, and of their tests."""

    users: tuple[CodeLine, ...]
    tests: tuple[CodeLine, ...]


def find_relations(root: Path, paths: Sequence[str], touched: Sequence[FoundFile]) -> Relations:
    """Return the files that import a touched file, mention a name it defines on a found line, or test it."""
    modules = {each.path: name for each in touched if (name := _module_name(each.path))}
    names = _touched_names(root, touched)
    needles = tuple(dict.fromkeys((*modules.values(), *names)))
    families = frozenset[str]().union(*(_FAMILIES[file_ending(path)] for path in modules))
    sources = [path for path in paths if file_ending(path) in families]
    holding = files_holding(root, sources, needles)
    shared = {path: max(_shared_folders(path, each.path) for each in touched) for path in holding}
    near = sorted(holding, key=lambda path: (-shared[path], path))[:_READ]
    rivals = {name: [path for path in sources if _module_name(path) == name] for name in modules.values()}
    importers: list[CodeLine] = []
    mentions: dict[str, list[CodeLine]] = {name: [] for name in names}
    for path in near:
        data = read_text(root, path) or b""
        importers += _find_imports(path, data, modules, rivals)
        for name, home in names.items():
            spelled = name.encode()
            if home != path and spelled in data:
                found = re.search(rb"(?<![\w$])" + re.escape(spelled) + rb"(?![\w$])", data)
                mentions[name] += [line_at(path, data, found.start())] if found else []
    most = max(8, int(len(sources) * _COMMON))
    telling = (line for lines in mentions.values() if len(lines) <= most for line in lines)
    users = (*telling, *importers)
    return Relations(users, _find_tests(root, paths, touched, users))


def _module_name(path: str) -> str:
    """Return the word that every file contains that imports this one; empty if files cannot import it."""
    ending = file_ending(path)
    folder, _, name = path.rpartition("/")
    bare = name.rsplit(".", 1)[0]
    if ending == "go" or (bare in _FOLDER_MODULES and folder):
        bare = posixpath.basename(folder)
    return bare if ending in _FAMILIES else ""


def _find_imports(
    path: str, data: bytes, modules: Mapping[str, str], rivals: Mapping[str, Sequence[str]]
) -> Iterator[CodeLine]:
    """Yield the first line that imports each module; of several with one name, the nearest is meant."""
    lines = [(match.start(), set(_NAME.findall(match[0]))) for match in _IMPORT.finditer(data)]
    for home, name in modules.items():
        if home == path or file_ending(path) not in _FAMILIES[file_ending(home)]:
            continue
        at = next((start for start, words in lines if os.fsencode(name) in words), None)
        if at is None or (file_ending(home) == "go" and posixpath.dirname(path) == posixpath.dirname(home)):
            continue
        nearest = max(_shared_folders(path, rival) for rival in rivals[name] if rival != path)
        if _shared_folders(path, home) == nearest:
            yield line_at(path, data, at)


def _touched_names(root: Path, touched: Sequence[FoundFile]) -> dict[str, str]:
    """Return the names whose definitions hold the best lines of touched source files, each with its file."""
    sources = [each for each in touched if file_kind(each.path) == "source" and each.lines]
    texts = {each.path: data for each in sources if (data := read_text(root, each.path))}
    definitions = find_definitions(texts)
    names: dict[str, str] = {}
    for each in sources:
        for line in each.lines:
            inmost = find_symbol(definitions.get(each.path, ()), line.number)
            if inmost and len(inmost.name) > 3 and not inmost.name.startswith("__"):
                names.setdefault(inmost.name, each.path)
    return dict(list(names.items())[:_NAMES])


def _shared_folders(path: str, other: str) -> int:
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _find_tests(
    root: Path, paths: Sequence[str], touched: Sequence[FoundFile], users: Sequence[CodeLine]
) -> tuple[CodeLine, ...]:
    """Return the tests that import or mention a touched file, or are named after it."""
    names = {bare_name(each.path) for each in touched if file_kind(each.path) != "test"}
    found = {line.path: line for line in users if file_kind(line.path) == "test"}
    for path in paths:
        if bare_name(path) in names and file_kind(path) == "test" and (data := read_text(root, path)):
            found[path] = first_line(path, data)
    return tuple(found.values())


@lru_cache(maxsize=100_000)
def bare_name(path: str) -> str:
    """Return what a file and its test are both called: `toner` for `toner.py` and `tests/test_toner.py`."""
    *folders, name = path.lower().split("/")
    name = _TEST_AFFIX.sub("", name.lstrip(".").split(".")[0]).strip("_-")
    if name in _FOLDER_FILES:
        name = next((folder for folder in reversed(folders) if folder not in _PLAIN_FOLDERS), name)
    return name.replace("_", "").replace("-", "")


def first_line(path: str, data: bytes) -> CodeLine:
    """Return the first line of a file that is not empty."""
    return line_at(path, data, len(data) - len(data.lstrip()))


def line_at(path: str, data: bytes, offset: int) -> CodeLine:
    """Return the line of a file that an offset falls on."""
    offset = min(offset, len(data) - 1)
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    text = data[start : end if end >= 0 else len(data)][:400].decode("utf-8", "replace").strip()
    return CodeLine(path, data.count(b"\n", 0, start) + 1, text)
