"""Who uses the files that an item touches: imports them, mentions a name of theirs, tests them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

from .files import file_ending, file_kind, read_text
from .report import FoundFile
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
_WORD = re.compile(rb"[\w$-]+")
_READ = 1_500  # files read again for what ties them
_NAMES = 8
_COMMON = 0.2  # a name found in more of the files than this says nothing
_TEST_AFFIX = re.compile(r"^test[_-]?|[._-]?(?:tests?|spec)$", re.IGNORECASE)


def find_users(root: Path, paths: Sequence[str], touched: Sequence[FoundFile]) -> frozenset[str]:
    """Return the files that import a touched file, or mention a name that it defines around a found line."""
    modules = {each.path: name for each in touched if (name := _module_name(each.path))}
    names = _touched_names(root, touched)
    families = frozenset[str]().union(*(_FAMILIES[file_ending(path)] for path in modules))
    sources = [path for path in paths if file_ending(path) in families]
    rivals = {name: [path for path in sources if _module_name(path) == name] for name in modules.values()}
    users: set[str] = set()
    mentions: dict[str, set[str]] = {name: set() for name in names}
    for path in files_holding(root, sources, [*dict.fromkeys((*modules.values(), *names))])[:_READ]:
        data = read_text(root, path) or b""
        if _imports_one(path, data, modules, rivals):
            users.add(path)
        for name, home in names.items():
            spelled = re.escape(name.encode())
            if home != path and re.search(rb"(?<![\w$])" + spelled + rb"(?![\w$])", data):
                mentions[name].add(path)
    most = max(8, int(len(sources) * _COMMON))
    return frozenset(users.union(*(found for found in mentions.values() if len(found) <= most)))


def have_tests(paths: Sequence[str], touched: Sequence[FoundFile], users: Collection[str]) -> bool:
    """Whether a test uses a touched file or is named after one: `tests/test_toner.py` after `toner.py`."""
    names = {_bare_name(each.path) for each in touched if file_kind(each.path) != "test"}
    return any(file_kind(path) == "test" and (path in users or _bare_name(path) in names) for path in paths)


def _module_name(path: str) -> str:
    """Return the word that every file contains that imports this one; empty if files cannot import it."""
    ending = file_ending(path)
    folder, _, name = path.rpartition("/")
    bare = name.rsplit(".", 1)[0]
    if ending == "go" or (bare in _FOLDER_MODULES and folder):
        bare = posixpath.basename(folder)
    return bare if ending in _FAMILIES else ""


def _imports_one(
    path: str, data: bytes, modules: Mapping[str, str], rivals: Mapping[str, Sequence[str]]
) -> bool:
    """Whether a file imports one of the modules; of several with one name, the nearest is meant."""
    words = {word for line in _IMPORT.finditer(data) for word in _WORD.findall(line[0])}
    for home, name in modules.items():
        ending = file_ending(home)
        is_beside = ending == "go" and posixpath.dirname(path) == posixpath.dirname(home)
        if home == path or is_beside or file_ending(path) not in _FAMILIES[ending]:
            continue
        near = [_shared_folders(path, rival) for rival in rivals[name] if rival != path]
        if os.fsencode(name) in words and _shared_folders(path, home) == max(near):
            return True
    return False


def _touched_names(root: Path, touched: Sequence[FoundFile]) -> dict[str, str]:
    """Return the names whose definitions hold the best lines of touched source files, each with its file."""
    sources = [each for each in touched if file_kind(each.path) == "source" and each.lines]
    definitions = find_definitions({each.path: read_text(root, each.path) or b"" for each in sources})
    names: dict[str, str] = {}
    for each in sources:
        for line in each.lines:
            inmost = find_symbol(definitions[each.path], line.number)
            if inmost and len(inmost.name) > 3 and not inmost.name.startswith("__"):
                names.setdefault(inmost.name, each.path)
    return dict(list(names.items())[:_NAMES])


def _shared_folders(path: str, other: str) -> int:
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _bare_name(path: str) -> str:
    """Return what a file and its test are both called: `toner` for `toner.py` and `tests/test_toner.py`."""
    *folders, name = path.lower().split("/")
    name = _TEST_AFFIX.sub("", name.lstrip(".").split(".")[0]).strip("_-")
    if name in _FOLDER_FILES:
        name = next((folder for folder in reversed(folders) if folder not in _PLAIN_FOLDERS), name)
    return name.replace("_", "").replace("-", "")
