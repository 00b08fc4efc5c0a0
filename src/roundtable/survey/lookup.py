"""Shows code to a panel: excerpts around the best symbols, a search for words, and lines of a file.

Everything here is bounded in size and time, and stays inside the project: no links, no devices, no secrets.
"""

import heapq
import re
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from ..content import read_tables
from ..core.steps import Item
from .files import file_kind, read_text
from .search import CodeLine, extract_terms, rank_files
from .symbols import Definition, defined_name, find_definitions

MAX_EXCERPTS = 6
EXCERPT_LINES = 28
SMALL_FILE = 80  # a file with at most this many lines is shown whole
MAX_SEARCH_HITS = 40
MAX_READ_LINES = 200
_PATH = re.compile(r"(?<![\w./-])[\w-]++(?>(?:[./][\w-]++)+)")
_SECRET = re.compile("|".join(read_tables("survey.toml")["secrets"]), re.IGNORECASE)


class Excerpt(Struct, frozen=True):
    """Some lines of a file: where they begin, counted from 1, their text, and why they are shown."""

    path: str
    first: int
    text: str
    reason: str

    @property
    def with_numbers(self) -> str:
        """The text with each line's number before it, so that a citation needs no counting."""
        return "\n".join(f"{at} {line}".rstrip() for at, line in enumerate(self.text.split("\n"), self.first))

    @property
    def last(self) -> int:
        return self.first + self.text.count("\n")

    def holds(self, path: str, line: int, *, margin: int = 0) -> bool:
        """Whether a line is in the excerpt or within `margin` of it; `path` may be the end of a path."""
        is_here = f"/{self.path}".endswith(f"/{path.strip('/')}")
        return is_here and self.first - margin <= line <= self.last + margin


def find_excerpts(
    root: Path, paths: Sequence[str], item: Item, documents: Sequence[str], excluded: Collection[str],
    picked: Sequence[str] = (),
) -> tuple[Excerpt, ...]:  # fmt: skip
    """Return up to six excerpts around the symbols that fit the item best; small files are shown whole.

    Files that the documents name count more, and those that a panel picked still more. No excerpt contains
    an excluded `path:line`.
    """
    text = "\n".join((item.own_text, *documents))
    terms = extract_terms(replace(item, text=text))
    boost = dict.fromkeys(_PATH.findall(text), 1.5) | dict.fromkeys(picked, 3.0)
    files = [
        replace(file, score=file.score * boost.get(file.path, 1.0))
        for file in rank_files(root, _leave_out_secrets(paths), terms, past={}, picked=())
        if file.count and file_kind(file.path) in ("source", "test", "config")
    ]
    files = sorted(files, key=lambda file: -file.score)[:24]
    texts = {file.path: read_text(root, file.path) or b"" for file in files}
    definitions = find_definitions(texts)
    scored = []
    for file in files:
        for order, line in enumerate(file.lines):
            holders = (each for each in definitions[file.path] if each.first <= line.number <= each.last)
            around = max(holders, key=lambda each: each.first, default=None)  # the innermost
            in_name = around is not None and any(term.text in around.name.lower() for term in terms)
            worth = file.score * 0.8**order * (1.5 if in_name else 1.0)
            scored.append((-worth, file.path, line.number, around))
    places = (place.rpartition(":") for place in excluded)
    struck = [(path, int(line)) for path, _, line in places if line.isdecimal()]
    chosen: list[Excerpt] = []
    for _, path, number, around in sorted(scored, key=lambda each: each[:3]):
        if any(each.holds(path, number, margin=12) for each in chosen):  # too close to another excerpt
            continue
        each = _show_around(path, texts[path], number, around)
        alike = sum(other.path == path for other in chosen)
        tests = sum("test" == file_kind(path) == file_kind(other.path) for other in chosen)
        length = sum(other.last - other.first + 1 for other in (*chosen, each))
        if max(alike, tests) < 2 and length <= 240 and not any(each.holds(*place) for place in struck):
            chosen.append(each)
    return tuple(chosen[:MAX_EXCERPTS])


def _show_around(path: str, data: bytes, number: int, definition: Definition | None) -> Excerpt:
    """Return the lines around a hit, or the definition that it is in if that begins nearby."""
    lines = data.rstrip(b"\n").split(b"\n")
    reason = f"defines {definition.name}" if definition else "has the item's words"
    first, last = number - EXCERPT_LINES // 2, number + EXCERPT_LINES // 2
    if len(lines) <= SMALL_FILE:
        first, last, reason = 1, len(lines), f"the whole file, {reason}"
    elif definition and number - definition.first < EXCERPT_LINES - 3:
        first = definition.first - 1
        last = max(min(definition.last + 1, first + EXCERPT_LINES - 1), first + 19)
    first = max(1, first)
    while first < number and not lines[first - 1].strip():
        first += 1
    return Excerpt(path, first, _show_lines(lines[first - 1 : last]), reason)


def _weigh_line(line: bytes, word: bytes) -> float:
    """Return the weight of a line with this word: more if it defines it, less if it is part of another."""
    spelled = re.escape(word)
    if defined_name(line) == word or re.match(spelled + rb"\s{0,9}(?::|=(?!=))", line):
        return 2.0
    return 1.0 if re.search(rb"(?<!\w)" + spelled + rb"(?!\w)", line) else 0.5


def search_code(root: Path, paths: Sequence[str], words: Sequence[str]) -> tuple[CodeLine, ...]:
    """Return lines that hold the words as spelled, definitions and rare words first."""
    names = [name for word in dict.fromkeys(words) if len(name := word.strip().removesuffix("()")) > 1][:8]
    spelled = [name.encode("utf-8", "surrogateescape") for name in names]
    read = ((path, read_text(root, path) or b"") for path in (_leave_out_secrets(paths) if spelled else ()))
    texts = dict(islice((each for each in read if any(word in each[1] for word in spelled)), 400))
    rarity = {word: 1 / (1 + sum(word in data for data in texts.values())) for word in spelled}
    found: list[tuple[float, bool, str, int, str]] = []
    for path, data in texts.items():
        is_other = file_kind(path) not in ("source", "config")
        here = []
        for number, line in enumerate(data.split(b"\n"), 1):
            if worth := sum(_weigh_line(line, word) * rarity[word] for word in rarity if word in line):
                here.append((-worth, is_other, path, number, _show_lines([line])))
        found += heapq.nsmallest(4, here)  # from each file
    return tuple(CodeLine(*hit[2:]) for hit in heapq.nsmallest(MAX_SEARCH_HITS, found))


def read_lines(root: Path, path: str, first: int, last: int) -> Excerpt | None:
    """Return at most 200 lines of one of the project's files; None if there is nothing to show."""
    place = PurePosixPath(path)
    name = place.as_posix()
    if place.is_absolute() or ".." in place.parts or "\0" in path or is_secret(name):
        return None
    # A folder in the path may be a link out of the project; the project itself may be behind one.
    is_linked = any((root / step).is_symlink() for step in (place, *place.parents[:-1]))
    if is_linked or (data := read_text(root, name)) is None:
        return None
    first = max(1, first)
    shown = data.split(b"\n")[first - 1 : min(last, first + MAX_READ_LINES - 1)]
    return Excerpt(name, first, _show_lines(shown), "asked for") if shown else None


def list_folders(paths: Sequence[str]) -> str:
    """Return a row for each folder, down to the second level, with some of the paths below it."""
    folders: dict[str, list[str]] = {}
    for path in _leave_out_secrets(paths):
        folder = "/".join(path.split("/")[:-1][:2]) or "."
        folders.setdefault(folder, []).append(path.removeprefix(f"{folder}/"))
    most = 4 + 12_000 // (len(paths) + 1)  # fewer for a large project
    return "\n".join(f"{folder}/ {' '.join(below[:most])}" for folder, below in folders.items())


def is_secret(path: str) -> bool:
    """Whether the file's name says that it holds keys or passwords."""
    return bool(_SECRET.search(path))


def _leave_out_secrets(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not is_secret(path)]


def _show_lines(lines: Sequence[bytes]) -> str:
    return "\n".join(line[:300].decode("utf-8", "replace").rstrip() for line in lines).rstrip("\n")
