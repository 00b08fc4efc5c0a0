"""Shows code to a panel: excerpts around the best symbols, a search for words, and lines of a file.

Everything here is bounded in size and time, and stays inside the project: no links, no devices, no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..core.steps import Item
from .files import OWN_FOLDERS, drop_excluded, file_kind, list_files, read_text
from .report import CodeLine
from .search import best_lines, files_holding, find_hits, rank_files, search_files, weigh_names, weigh_terms
from .symbols import Definition, defined_name, find_definitions, find_symbol
from .terms import extract_terms

MAX_EXCERPTS = 6
EXCERPT_LINES = 28
_FEWEST_LINES = 20
_CANDIDATES = 24
MAX_SEARCH_HITS = 40
_MAX_WORDS = 8
_HITS_IN_A_FILE = 4
_MAX_FILES = 400
_MAX_NAMED = 3
_CALLED = re.compile(r"\b([A-Za-z_]\w+)\(")
MAX_READ_LINES = 200
_LONGEST_LINE = 300
_SECRET = re.compile(
    r"(?:^|/)(?:\.env(?:\.[^/]*)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|\.dockercfg"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:\.[^/]*)?|credentials(?:\.[^/]*)?|secrets?\.[^/]+"
    r"|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars)(?:\.[^/]*)?)$"
    r"|(?:^|/)(?:\.git|\.ssh|\.aws|\.gnupg|\.kube|\.docker)/",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a file: where they begin, counted from 1, their text, and why they are shown."""

    path: str
    first: int
    text: str
    reason: str


def find_excerpts(
    root: Path,
    item_text: str,
    documents: Sequence[str] = (),
    *,
    excluded: Collection[str] = (),
    leave_out: Sequence[str] = OWN_FOLDERS,
) -> tuple[Excerpt, ...]:
    """Return about six excerpts of 20 to 30 lines around the symbols that fit the item best.

    `item_text` has the title on its first line; words of the documents count less. At most two excerpts come
    from one file, and none from a file that the user excluded.
    """
    root = root.absolute()
    title, _, rest = item_text.strip().partition("\n")
    terms = extract_terms(Item("item", title, "\n".join((rest, *documents))))
    paths = _list_shown(root, excluded, leave_out)
    hits = search_files(root, paths, terms)
    ranked = rank_files(root, paths, terms, hits, {})
    files = [file for file in ranked if file.count and file_kind(file.path) in ("source", "test", "config")]
    files = files[:_CANDIDATES]
    texts = {file.path: read_text(root, file.path) or b"" for file in files}
    definitions = find_definitions(texts)
    places = {path: find_hits(data, terms) for path, data in texts.items()}
    weights = weigh_names(terms, weigh_terms(terms, hits, len(paths)), places)
    scored = []
    for file in files:
        found = places[file.path]
        for line in best_lines(file.path, found.lines, weights):
            on_line = next(place for place in found.lines if place.number == line.number)
            around = find_symbol(definitions.get(file.path, ()), line.number)
            name = around.name.lower() if around else ""
            in_name = any(terms[index].text in name for index in on_line.terms)
            worth = sum(weights[index] for index in on_line.terms) * (1.5 if in_name else 1.0)
            scored.append((worth * file.score, file.path, line.number, around))
    scored.sort(key=lambda row: (-row[0], row[1], row[2]))
    chosen: list[Excerpt] = []
    for _, path, number, around in scored:
        lines = texts[path].split(b"\n")
        first, last = _choose_lines(number, around, len(lines))
        same = [each for each in chosen if each.path == path]
        if len(same) < 2 and all(abs(each.first - first) >= EXCERPT_LINES for each in same):
            why = f"defines {around.name}" if around else "has the item's words"
            chosen.append(Excerpt(path, first, _join_lines(lines[first - 1 : last]), why))
        if len(chosen) == MAX_EXCERPTS:
            break
    return tuple(chosen)


def find_named(root: Path, paths: Sequence[str], text: str) -> tuple[CodeLine, ...]:
    """Return the lines that define what a text names as called, as `click.edit()`; top-level first."""
    names = {name.encode() for name in _CALLED.findall(text)}
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
    root: Path,
    words: Sequence[str],
    *,
    excluded: Collection[str] = (),
    leave_out: Sequence[str] = OWN_FOLDERS,
) -> tuple[CodeLine, ...]:
    """Return lines that hold the words as spelled: those with most of them first, few of each file."""
    root = root.absolute()
    needles = [word.strip() for word in words if len(word.strip()) > 1][:_MAX_WORDS]
    paths = _list_shown(root, excluded, leave_out)
    found: list[tuple[int, bool, CodeLine]] = []
    for path in files_holding(root, paths, needles)[:_MAX_FILES]:
        lines = (read_text(root, path) or b"").split(b"\n")
        here = []
        for number, line in enumerate(lines, 1):
            if count := sum(needle.encode("utf-8", "surrogateescape") in line for needle in needles):
                here.append((count, file_kind(path) == "source", CodeLine(path, number, _show_line(line))))
        found += sorted(here, key=lambda hit: (-hit[0], hit[2].number))[:_HITS_IN_A_FILE]
    found.sort(key=lambda hit: (-hit[0], not hit[1], hit[2].path, hit[2].number))
    return tuple(line for _, _, line in found[:MAX_SEARCH_HITS])


def read_lines(
    root: Path, path: str, first: int, last: int, *, excluded: Collection[str] = ()
) -> Excerpt | None:
    """Return lines of a file of the project, at most 200; None where there is no such file to show."""
    place = PurePosixPath(path)
    is_inside = not place.is_absolute() and ".." not in place.parts and "\0" not in path
    name = place.as_posix()
    if not is_inside or is_secret(name) or not drop_excluded([name], excluded):
        return None
    root = root.absolute()
    # A folder on the way may be a link that leads out of the project.
    steps = [root.joinpath(*place.parts[:depth]) for depth in range(1, len(place.parts) + 1)]
    if any(step.is_symlink() for step in steps) or (data := read_text(root, name)) is None:
        return None
    lines = data.split(b"\n")
    first = max(1, first)
    shown = lines[first - 1 : min(last, first + MAX_READ_LINES - 1)]
    return Excerpt(name, first, _join_lines(shown), "asked for") if shown else None


def is_secret(path: str) -> bool:
    """Whether the file's name says that it holds keys or passwords."""
    return bool(_SECRET.search(path))


def _list_shown(root: Path, excluded: Collection[str], leave_out: Sequence[str]) -> tuple[str, ...]:
    paths = drop_excluded(list_files(root, leave_out=leave_out), excluded)
    return tuple(path for path in paths if not is_secret(path))


def _choose_lines(number: int, around: Definition | None, count: int) -> tuple[int, int]:
    """Return the first and last line to show: the definition's beginning where the found line is near it."""
    if around and number - around.first < EXCERPT_LINES - 3:
        first = max(1, around.first - 1)
        last = max(min(around.last + 1, first + EXCERPT_LINES - 1), first + _FEWEST_LINES - 1)
    else:
        first = max(1, number - EXCERPT_LINES // 2)
        last = first + EXCERPT_LINES - 1
    return first, min(last, count)


def _join_lines(lines: Sequence[bytes]) -> str:
    return "\n".join(_show_line(line) for line in lines).rstrip("\n")


def _show_line(line: bytes) -> str:
    return line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
