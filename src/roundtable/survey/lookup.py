"""Shows code to a panel: excerpts around the best symbols, a search for words, and lines of a file.

Everything here is bounded in size and time, and stays inside the project: no links, no devices, no secrets.
"""

from __future__ import annotations

import heapq
import posixpath
import re
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from ..core.steps import Item
from .files import OWN_FOLDERS, drop_excluded, file_kind, list_files, read_text
from .report import CodeLine, make_line
from .search import files_holding, rank_files
from .symbols import Definition, defined_name, find_definitions, find_symbol
from .terms import extract_terms

MAX_EXCERPTS = 6
EXCERPT_LINES = 28
_FEWEST_LINES = 20
_NEARLY = 12  # lines between two excerpts that are shown as one
MAX_EXCERPT_LINES = 240  # of all excerpts together
SMALL_FILE = 80  # a file of so few lines is shown whole
_CANDIDATES = 24
_NAMED, _PICKED = 1.5, 3.0  # how much more a file counts that a document names, and that a panel picked
_IN_NAME = 1.5  # how much more a line counts in a definition whose name has one of the terms
_LATER = 0.8  # what each further line of a file counts
_MAX_ALIKE = 2  # excerpts of one file, and excerpts of tests
_PART = 0.5  # what a part of a word counts in a search
_DEFINES = 2.0  # how much more a line counts in a search that defines the name
_PATH = re.compile(r"(?<![\w./-])[\w-]++(?>(?:[./][\w-]++)+)")
MAX_SEARCH_HITS = 40
_MAX_WORDS = 8
_HITS_IN_A_FILE = 4
_MAX_FILES = 400
_MAX_NAMED = 3
# What is spelled like code: `edit(`, `GZipMiddleware`, `hide_input`. It counts where it is defined.
_SPELLED = re.compile(
    r"\b(?:[A-Za-z_]\w{1,80}(?=\()|[A-Z]\w{0,40}[a-z]\w{0,40}[A-Z]\w{0,40}|[a-z]\w{0,40}_\w{1,40})"
)
MAX_READ_LINES = 200
_SMALL_PROJECT, _MAX_NAMES = 30_000, 60  # characters of all paths, names of files in a folder
_LONGEST_LINE = 300
_SECRET = re.compile(
    r"(?:^|/)(?:\.env(?:\.[^/]*)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|\.dockercfg"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.[^/]*)?|credentials(?:\.[^/]*)?|secrets?\.[^/]+"
    r"|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars)(?:\.[^/]*)?)$"
    r"|(?:^|/)(?:\.git|\.ssh|\.aws|\.gnupg|\.kube|\.docker)/",
    re.IGNORECASE,
)


class Excerpt(Struct, frozen=True):
    """Some lines of a file: where they begin, counted from 1, their text, and why they are shown."""

    path: str
    first: int
    text: str
    reason: str

    @property
    def with_numbers(self) -> str:
        """The text with its number before each line, so that a citation needs no counting."""
        return "\n".join(f"{at} {line}".rstrip() for at, line in enumerate(self.text.split("\n"), self.first))

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + self.text.count("\n")

    def is_near(self, other: Excerpt) -> bool:
        gap = max(self.first, other.first) - min(self.last, other.last)
        return self.path == other.path and gap <= _NEARLY

    def is_excluded(self, excluded: Collection[str]) -> bool:
        """Whether the user said of one of these lines that it is not touched."""
        places = (each.rpartition(":") for each in excluded)
        return any(
            line.isdecimal()
            and f"/{self.path}".endswith(f"/{path.strip('/')}")
            and self.first <= int(line) <= self.last
            for path, _, line in places
        )


def find_excerpts(
    root: Path,
    item_text: str,
    documents: Sequence[str] = (),
    *,
    excluded: Collection[str] = (),
    leave_out: Sequence[str] = OWN_FOLDERS,
    picked: Sequence[str] = (),
) -> tuple[Excerpt, ...]:
    """Return about six excerpts around the symbols that fit the item best, a small file whole.

    `item_text` has the title on its first line; words of the documents count less, but a file that they name
    counts more, and one that a panel picked still more. Two excerpts that nearly touch are one. Nothing comes
    from a file, nor from around a `path:line`, that the user excluded.
    """
    root = root.absolute()
    title, _, rest = item_text.strip().partition("\n")
    terms = extract_terms(Item("item", title, "\n".join((rest, *documents))))
    paths = _list_shown(root, excluded, leave_out)
    boost = dict.fromkeys(_PATH.findall("\n".join((rest, *documents))), _NAMED)
    boost |= dict.fromkeys(picked, _PICKED)
    files = [
        replace(file, score=file.score * boost.get(file.path, 1.0))
        for file in rank_files(root, paths, terms)
        if file.count and file_kind(file.path) in ("source", "test", "config")
    ]
    files = sorted(files, key=lambda file: -file.score)[:_CANDIDATES]
    texts = {file.path: read_text(root, file.path) or b"" for file in files}
    definitions = find_definitions(texts)
    scored = []
    for file in files:
        for order, line in enumerate(file.lines):
            around = find_symbol(definitions.get(file.path, ()), line.number)
            in_name = around is not None and any(term.text in around.name.lower() for term in terms)
            worth = file.score * _LATER**order * (_IN_NAME if in_name else 1.0)
            scored.append((worth, _show_around(file.path, texts[file.path], line.number, around)))
    scored.sort(key=lambda pair: (-pair[0], pair[1].path, pair[1].first))
    chosen: list[Excerpt] = []
    for _, each in scored:
        near = next(filter(each.is_near, chosen), None)
        others = [other for other in chosen if other is not near]
        if near is not None:
            first, last = min(near.first, each.first), max(near.last, each.last)
            lines = texts[near.path].split(b"\n")[first - 1 : last]
            each = replace(near, first=first, text=_join_lines(lines))
        tests = [other for other in others if file_kind(other.path) == "test"]
        is_alike = sum(other.path == each.path for other in others) >= _MAX_ALIKE
        is_alike |= file_kind(each.path) == "test" and len(tests) >= _MAX_ALIKE
        length = sum(other.last - other.first + 1 for other in (*others, each))
        is_long = length > MAX_EXCERPT_LINES or (near is not None and each.last - each.first >= SMALL_FILE)
        if is_alike or is_long or each.is_excluded(excluded):
            continue
        if near is None:
            chosen.append(each)
        else:
            chosen[chosen.index(near)] = each
    return tuple(chosen[:MAX_EXCERPTS])


def _show_around(path: str, data: bytes, number: int, definition: Definition | None) -> Excerpt:
    """Return the lines around a line that was found: of the definition it is in, if that begins near it."""
    lines = data.rstrip(b"\n").split(b"\n")
    reason = f"defines {definition.name}" if definition else "has the item's words"
    first, last = number - EXCERPT_LINES // 2, number + EXCERPT_LINES // 2
    if len(lines) <= SMALL_FILE:
        first, last, reason = 1, len(lines), f"the whole file, {reason}"
    elif definition and number - definition.first < EXCERPT_LINES - 3:
        first = definition.first - 1
        last = max(min(definition.last + 1, first + EXCERPT_LINES - 1), first + _FEWEST_LINES - 1)
    first = max(1, first)
    while first < number and not lines[first - 1].strip():
        first += 1
    return Excerpt(path, first, _join_lines(lines[first - 1 : last]), reason)


def find_named(root: Path, paths: Sequence[str], text: str) -> tuple[CodeLine, ...]:
    """Return the lines that define what a text names in the spelling of code; top-level first."""
    names = {name.encode() for name in _SPELLED.findall(text)}
    found: dict[tuple[str, bytes], tuple[bool, CodeLine]] = {}
    for path in paths if names else ():
        data = read_text(root, path) if file_kind(path) == "source" else None
        for number, line in enumerate((data or b"").split(b"\n"), 1):
            if (name := defined_name(line)) in names:
                found.setdefault((path, name), (line[:1].isspace(), make_line(path, number, line)))
    top_first = sorted(found.values(), key=lambda each: each[0])
    return tuple(line for _, line in top_first[:_MAX_NAMED])


def _weigh_line(line: bytes, word: bytes, *, is_call: bool) -> float:
    """Return what a line that holds a word counts; 0 where the word has to be a call and is none in it."""
    spelled = re.escape(word)
    if defined_name(line) == word or re.match(spelled + rb"\s{0,9}(?::|=(?!=))", line):
        return _DEFINES
    if re.search(rb"(?<!\w)" + spelled + (rb"\(" if is_call else rb"(?!\w)"), line):
        return 1.0
    return 0.0 if is_call else _PART


def search_code(
    root: Path, words: Sequence[str], *, leave_out: Sequence[str] = OWN_FOLDERS
) -> tuple[CodeLine, ...]:
    """Return lines that hold the words as spelled: definitions, rare and whole words first, few of each file.

    `name()` stands for the lines that define or call the name.
    """
    root = root.absolute()
    needles = list(dict.fromkeys(word.strip() for word in words if len(word.strip()) > 1))[:_MAX_WORDS]
    names = {needle: needle.removesuffix("()") for needle in needles if needle != "()"}
    held = files_holding(root, _list_shown(root, (), leave_out), list(names.values()))[:_MAX_FILES]
    texts = {path: read_text(root, path) or b"" for path in held}
    wanted = []
    for needle, name in names.items():
        word = name.encode("utf-8", "surrogateescape")
        wanted.append((word, name != needle, 1 / (1 + sum(word in data for data in texts.values()))))
    found: list[tuple[float, bool, str, int, CodeLine]] = []
    for path, data in texts.items():
        is_other = file_kind(path) not in ("source", "config")
        here = []
        for number, line in enumerate(data.split(b"\n"), 1):
            held_here = (each for each in wanted if each[0] in line)
            if worth := sum(_weigh_line(line, word, is_call=call) * rare for word, call, rare in held_here):
                here.append((-worth, is_other, path, number, CodeLine(path, number, _show_line(line))))
        found += heapq.nsmallest(_HITS_IN_A_FILE, here)
    return tuple(hit[-1] for hit in heapq.nsmallest(MAX_SEARCH_HITS, found))


def read_lines(root: Path, path: str, first: int, last: int) -> Excerpt | None:
    """Return lines of a file of the project, at most 200; None where there is no such file to show."""
    place = PurePosixPath(path)
    name = place.as_posix()
    if place.is_absolute() or ".." in place.parts or "\0" in path or is_secret(name):
        return None
    root = root.absolute()
    # A folder on the way may be a link that leads out of the project.
    steps = [root.joinpath(*place.parts[:depth]) for depth in range(1, len(place.parts) + 1)]
    if any(step.is_symlink() for step in steps) or (data := read_text(root, name)) is None:
        return None
    first = max(1, first)
    shown = data.split(b"\n")[first - 1 : min(last, first + MAX_READ_LINES - 1)]
    return Excerpt(name, first, _join_lines(shown), "asked for") if shown else None


def list_folders(
    root: Path,
    near: Sequence[str],
    *,
    excluded: Collection[str] = (),
    leave_out: Sequence[str] = OWN_FOLDERS,
) -> str:
    """Return the project's folders with their files, besides the near ones, whose folders come first.

    Of a large project the other folders come without names, and only two deep.
    """
    paths = _list_shown(root.absolute(), excluded, leave_out)
    is_small = sum(map(len, paths)) < _SMALL_PROJECT
    folders: dict[str, list[str]] = {posixpath.dirname(path): [] for path in near}
    homes = frozenset(folders)
    for path in paths:
        folder, name = posixpath.split(path)
        if not is_small and folder not in homes:
            folders.setdefault("/".join(folder.split("/")[:2]), [])
        elif path not in near:
            folders.setdefault(folder, []).append(name)
    rows = (f"{folder or '.'}/ {' '.join(names[:_MAX_NAMES])}" for folder, names in folders.items())
    return "\n".join(row.rstrip() for row in rows)


def is_secret(path: str) -> bool:
    """Whether the file's name says that it holds keys or passwords."""
    return bool(_SECRET.search(path))


def _list_shown(root: Path, excluded: Collection[str], leave_out: Sequence[str]) -> list[str]:
    paths = drop_excluded(list_files(root, leave_out=leave_out), excluded)
    return [path for path in paths if not is_secret(path)]


def _join_lines(lines: Sequence[bytes]) -> str:
    return "\n".join(map(_show_line, lines)).rstrip("\n")


def _show_line(line: bytes) -> str:
    return line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
