"""Shows code to a panel: excerpts around the best symbols, a search for words, and lines of a file.

Everything here is bounded in size and time, and stays inside the project: no links, no devices, no secrets.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from ..core.steps import Item
from .files import OWN_FOLDERS, drop_excluded, file_kind, list_files, read_text
from .report import CodeLine
from .search import files_holding, rank_files, search_files
from .symbols import Definition, defined_name, find_definitions, find_symbol
from .terms import Term, extract_terms

MAX_EXCERPTS = 6
EXCERPT_LINES = 28
_FEWEST_LINES = 20
MAX_EXCERPT_LINES = 240
"""Of all excerpts together."""
SMALL_FILE = 80
"""A file of so few lines is shown whole."""
_CANDIDATES = 24
_NAMED, _PICKED = 1.5, 3.0  # how much more a file counts that a document names, and that a panel picked
_IN_NAME = 1.5  # how much more a line counts in a definition whose name has one of the terms
_LATER = 0.8  # what each further line of a file counts
_NEARLY = 12  # lines between two excerpts that are shown as one
_MAX_ALIKE = 2  # excerpts of one file, and excerpts of tests
_NEAR, _MAX_CALLS, _MAX_HOPS = 8, 24, 2
_CALL = re.compile(rb"\b([A-Za-z_][A-Za-z0-9_]{3,60})\(")
_KEYWORDS = ("class", "def", "func", "function", "fn", "struct")
_PART = 0.5  # what a part of a word counts in a search
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


class _Span(Struct, frozen=True):
    """Lines of a file that are to be shown, counted from 1, the line that was found, and why."""

    path: str
    lines: tuple[bytes, ...]
    first: int
    last: int
    number: int
    reason: str

    @classmethod
    def around(cls, path: str, data: bytes, number: int, definition: Definition | None) -> _Span:
        lines = tuple(data.rstrip(b"\n").split(b"\n"))
        reason = f"defines {definition.name}" if definition else "has the item's words"
        if len(lines) <= SMALL_FILE:
            return cls(path, lines, 1, len(lines), number, f"the whole file, {reason}")
        # The definition's beginning where the found line is near it.
        if definition and number - definition.first < EXCERPT_LINES - 3:
            first = max(1, definition.first - 1)
            last = max(min(definition.last + 1, first + EXCERPT_LINES - 1), first + _FEWEST_LINES - 1)
        else:
            first = max(1, number - EXCERPT_LINES // 2)
            last = first + EXCERPT_LINES - 1
        last = min(last, len(lines))
        first = max(1, min(first, last - _FEWEST_LINES + 1))
        while first < last and not lines[first - 1].strip():
            first += 1
        return cls(path, lines, first, last, number, reason)

    @property
    def is_test(self) -> bool:
        return file_kind(self.path) == "test"

    def is_near(self, other: _Span) -> bool:
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
    """Return about six excerpts around the symbols that fit the item best, and what those lead to.

    `item_text` has the title on its first line; words of the documents count less, but a file that they name
    counts more, and one that a panel picked still more. A small file is shown whole, and two excerpts that
    nearly touch are one. Nothing comes from a file, nor from around a `path:line`, that the user excluded.
    """
    root = root.absolute()
    title, _, rest = item_text.strip().partition("\n")
    terms = extract_terms(Item("item", title, "\n".join((rest, *documents))))
    paths = _list_shown(root, excluded, leave_out)
    boost = dict.fromkeys(_PATH.findall("\n".join((rest, *documents))), _NAMED)
    boost |= dict.fromkeys(picked, _PICKED)
    files = [
        replace(file, score=file.score * boost.get(file.path, 1.0))
        for file in rank_files(root, paths, terms, search_files(root, paths, terms), {})
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
            scored.append((worth, _Span.around(file.path, texts[file.path], line.number, around)))
    scored.sort(key=lambda pair: (-pair[0], pair[1].path, pair[1].number))
    chosen: list[_Span] = []
    for _, span in scored:
        if len(chosen) < MAX_EXCERPTS:
            _choose(chosen, span, excluded)
    hops = [
        hop
        for hop in _follow_names(root, paths, chosen, terms)
        if not hop.is_excluded(excluded) and not any(hop.is_near(each) for each in chosen)
    ]
    # What the best hits lead to takes the place of the weakest.
    chosen = [*chosen[: MAX_EXCERPTS - len(hops)], *hops]
    while sum(span.last - span.first + 1 for span in chosen) > MAX_EXCERPT_LINES:
        del chosen[max(len(chosen) - len(hops) - 1, 0)]
    return tuple(
        Excerpt(span.path, span.first, _join_lines(span.lines[span.first - 1 : span.last]), span.reason)
        for span in chosen
    )


def _choose(chosen: list[_Span], span: _Span, excluded: Collection[str]) -> None:
    """Add an excerpt to the chosen ones, join it to one that it nearly touches, or leave it out."""
    near = next((at for at, each in enumerate(chosen) if each.is_near(span)), None)
    if near is not None:
        before = chosen[near]
        span = replace(before, first=min(before.first, span.first), last=max(before.last, span.last))
        if span.last - span.first < SMALL_FILE and not span.is_excluded(excluded):
            chosen[near] = span
        return
    alike = [each for each in chosen if each.path == span.path or (each.is_test and span.is_test)]
    if len(alike) < _MAX_ALIKE and not span.is_excluded(excluded):
        chosen.append(span)


def _follow_names(
    root: Path, paths: Sequence[str], chosen: Sequence[_Span], terms: Sequence[Term]
) -> Iterator[_Span]:
    """Yield where the names are defined that are called near the best hits: one hop, two places.

    A name that shares a word with the item comes first, then a class, then whatever stands nearest.
    """
    own = {path.path for path in chosen}
    calls: dict[str, tuple[bool, bool, int]] = {}
    for order, span in enumerate(chosen):
        near = slice(max(span.first, span.number - _NEAR) - 1, min(span.last, span.number + _NEAR))
        for found in _CALL.findall(b"\n".join(span.lines[near])):
            name = found.decode("ascii")
            fits = any(not term.whole and term.text in name.lower() for term in terms)
            calls.setdefault(name, (not fits, not name[0].isupper(), order))
    names = sorted(calls, key=lambda name: calls[name])[:_MAX_CALLS]
    sources = [path for path in paths if file_kind(path) == "source" and path not in own]
    needles = [f"{keyword} {name}" for name in names for keyword in _KEYWORDS]
    held = files_holding(root, sources, needles)[:_CANDIDATES]
    texts = {path: read_text(root, path) or b"" for path in held}
    places: dict[str, list[tuple[str, Definition]]] = {}
    for path, definitions in find_definitions(texts).items():
        for each in definitions:
            places.setdefault(each.name, []).append((path, each))
    # A name that is defined in several files leads nowhere in particular.
    single = [places[name][0] for name in names if len(places.get(name, ())) == 1]
    for path, definition in single[:_MAX_HOPS]:
        yield _Span.around(path, texts[path], definition.first, definition)


def find_named(root: Path, paths: Sequence[str], text: str) -> tuple[CodeLine, ...]:
    """Return the lines that define what a text names in the spelling of code; top-level first."""
    names = {name.encode() for name in _SPELLED.findall(text)}
    found: dict[tuple[str, bytes], tuple[bool, CodeLine]] = {}
    for path in paths if names else ():
        data = read_text(root, path) if file_kind(path) == "source" else None
        for number, line in enumerate((data or b"").split(b"\n"), 1):
            if (name := defined_name(line)) in names:
                shown = CodeLine(path, number, line[:400].decode("utf-8", "replace").strip())
                found.setdefault((path, name), (line[:1].isspace(), shown))
    ranked = sorted(found.values(), key=lambda each: each[0])
    return tuple(line for _, line in ranked[:_MAX_NAMED])


def search_code(
    root: Path, words: Sequence[str], *, leave_out: Sequence[str] = OWN_FOLDERS
) -> tuple[CodeLine, ...]:
    """Return lines that hold the words as spelled: rare and whole words first, few of each file."""
    root = root.absolute()
    needles = list(dict.fromkeys(word.strip() for word in words if len(word.strip()) > 1))[:_MAX_WORDS]
    held = files_holding(root, _list_shown(root, (), leave_out), needles)[:_MAX_FILES]
    texts = {path: read_text(root, path) or b"" for path in held}
    wanted = []
    for needle in needles:
        spelled = needle.encode("utf-8", "surrogateescape")
        rarity = 1 / (1 + sum(spelled in data for data in texts.values()))
        wanted.append((spelled, re.compile(rb"(?<!\w)" + re.escape(spelled) + rb"(?!\w)"), rarity))
    found: list[tuple[float, bool, CodeLine]] = []
    for path, data in texts.items():
        here = []
        is_other = file_kind(path) not in ("source", "config")
        for number, line in enumerate(data.split(b"\n"), 1):
            held_here = [each for each in wanted if each[0] in line]
            if held_here:
                worth = sum(
                    rarity if alone.search(line) else _PART * rarity for _, alone, rarity in held_here
                )
                here.append((-worth, is_other, CodeLine(path, number, _show_line(line))))
        found += sorted(here, key=lambda hit: (hit[0], hit[2].number))[:_HITS_IN_A_FILE]
    found.sort(key=lambda hit: (hit[0], hit[1], hit[2].path, hit[2].number))
    return tuple(line for _, _, line in found[:MAX_SEARCH_HITS])


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
    homes, known = frozenset(folders), frozenset(near)
    others: Counter[str] = Counter()
    for path in paths:
        folder, name = posixpath.split(path)
        if not is_small and folder not in homes:
            others["/".join(folder.split("/")[:2])] += 1
        elif path not in known:
            folders.setdefault(folder, []).append(name)
    rows = [f"{folder or '.'}/ {' '.join(names[:_MAX_NAMES])}".rstrip() for folder, names in folders.items()]
    rows += [f"{folder or '.'}/ and below: {count} files" for folder, count in others.items()]
    return "\n".join(rows)


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
