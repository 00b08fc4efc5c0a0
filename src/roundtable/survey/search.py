"""Searches the files for an item's terms and ranks them: first by counts, then by where a term stands."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from .files import FileKind, file_kind, read_text, sift
from .report import CodeLine, FoundFile, Marks, make_line
from .symbols import defined_name
from .terms import Term, split_name, word_root

_MOST = 300  # hits of one term in one file; more say no more
# A word begins after no letter, or with a capital after a small one or before one.
_BEGINS_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])|(?=[A-Z])(?:(?<=[a-z])|.(?=[a-z]))")
# At most a short ending is left of the word.
_ENDS_WORD = re.compile(rb"[A-Za-z\x80-\xff]{0,5}(?:(?![A-Za-z\x80-\xff])|(?<=[a-z])(?=[A-Z]))")
READ_AGAIN = 300
_LINES = 3
_K1, _B = 1.4, 0.55
_NAME, _FOLDER, _DEFINED = 5.0, 1.6, 2.5
_UNNAMED = 0.4
_KIN = 0.75
NO_KIN: Final[Mapping[str, float]] = {}
_KINDS: Final[Mapping[FileKind, float]] = {
    "source": 1.0,
    "test": 0.72,
    "docs": 0.55,
    "config": 0.6,
    "generated": 0.15,
}


class LineHits(NamedTuple):
    """A line with hits: its number, the terms on it by index, and whether it defines a name."""

    number: int
    terms: set[int]
    defines: bool
    text: bytes


class FileHits(NamedTuple):
    """The lines with hits, in order, and for each term its count and its count in defined names."""

    lines: list[LineHits]
    counts: list[int]
    defined: list[int]


def find_hits(data: bytes, terms: Sequence[Term]) -> FileHits:
    """Return where the terms stand in the file's content: where a word or a part of a name begins."""
    small = data.lower()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", data) if match.end() < len(data))]
    on_line: dict[int, set[int]] = {}
    counts = [0] * len(terms)
    for index, term in enumerate(terms):
        for spelling in term.spellings:
            for position in _find_spelling(data, small, spelling, whole=term.whole):
                counts[index] += 1
                on_line.setdefault(bisect_right(starts, position), set()).add(index)
    defined = [0] * len(terms)
    lines = []
    for number in sorted(on_line):
        end = starts[number] if number < len(starts) else len(data)
        text = data[starts[number - 1] : end].rstrip(b"\r\n")
        name = defined_name(text).lower()
        for index in on_line[number]:
            defined[index] += any(spelling in name for spelling in terms[index].spellings)
        lines.append(LineHits(number, on_line[number], bool(name), text))
    return FileHits(lines, counts, defined)


def _find_spelling(data: bytes, small: bytes, spelling: bytes, *, whole: bool) -> Iterator[int]:
    position = small.find(spelling)
    found = 0
    while position >= 0 and found < _MOST:
        end = position + len(spelling)
        if whole or (_BEGINS_WORD.match(data, position) and _ENDS_WORD.match(data, end)):
            found += 1
            yield position
        position = small.find(spelling, end)


def search_files(root: Path, paths: Sequence[str], terms: Sequence[Term]) -> dict[str, tuple[int, ...]]:
    """Return how often each term occurs in each file with a hit, by its path; capitals do not matter."""
    if not terms or not paths:
        return {}
    spellings = [term.spellings for term in terms]
    found = {}
    for path in sift(root, paths, [term.text for term in terms], exact=False):
        small = (read_text(root, path) or b"").lower()
        counts = tuple([sum(map(small.count, forms)) for forms in spellings])
        if any(counts):
            found[path] = counts
    return found


def files_holding(root: Path, paths: Sequence[str], needles: Sequence[str]) -> tuple[str, ...]:
    """Return the files that hold at least one of the needles, letter by letter."""
    if not needles or not paths:
        return ()
    # A file with the longer of two needles has the shorter one inside it too.
    needles = [
        needle for needle in needles if not any(other in needle for other in needles if other != needle)
    ]
    spelled = [needle.encode("utf-8", "surrogateescape") for needle in needles]
    found = []
    for path in sift(root, paths, needles, exact=True):
        data = read_text(root, path) or b""
        if any(needle in data for needle in spelled):
            found.append(path)
    return tuple(found)


def rank_files(
    root: Path, paths: Sequence[str], terms: Sequence[Term], kin: Mapping[str, float] = NO_KIN
) -> tuple[FoundFile, ...]:
    """Return the files with the terms, the likeliest first; each with its count and its best lines.

    `kin` is how much commits with like subjects changed a file, 0 to 1.
    """
    hits = search_files(root, paths, terms)
    rarity: list[float] = []
    for index, term in enumerate(terms):
        held = sum(1 for counts in hits.values() if counts[index])
        rarity.append(term.weight * math.log(1 + (len(paths) - held + 0.5) / (held + 0.5)))
    chosen = _choose_files(paths, terms, hits, rarity)
    texts = {path: data for path in chosen if (data := read_text(root, path)) is not None}
    places = {path: find_hits(data, terms) for path, data in texts.items()}
    in_paths = frozenset[str]().union(*map(_stems, places))
    for index, term in enumerate(terms):
        is_defined = any(found.defined[index] for found in places.values())
        is_path = term.text in in_paths or (term.whole and any(term.text in path.lower() for path in places))
        if not is_defined and not is_path:  # such as "currently": rare, but vague
            rarity[index] *= _UNNAMED
    usual = sum(map(len, texts.values())) / len(texts) if texts else 1.0
    marks = {
        path: _mark_file(path, found, terms, rarity, len(texts[path]) / usual)
        for path, found in places.items()
    }
    top = max((mark.text for mark in marks.values()), default=0.0) or 1.0
    findings = []
    for path, found in places.items():
        mark = marks[path]._replace(text=marks[path].text / top)
        if mark.text:
            score = mark.text * _KINDS[file_kind(path)] + _KIN * kin.get(path, 0.0)
            lines = _best_lines(path, found.lines, rarity)
            findings.append(FoundFile(path, score, sum(found.counts), lines, marks=mark))
    return tuple(sorted(findings, key=lambda finding: (-finding.score, finding.path)))


def _choose_files(
    paths: Sequence[str], terms: Sequence[Term], hits: Mapping[str, tuple[int, ...]], rarity: Sequence[float]
) -> list[str]:
    """Return the paths worth reading again: those with the weightiest terms, in the text or in the path."""
    scores: dict[str, float] = {}
    for path in paths:
        small = path.lower()
        counts = hits.get(path) or (0,) * len(terms)
        for term, weight, count in zip(terms, rarity, counts, strict=True):
            if times := bool(count) + (term.text in small):
                scores[path] = scores.get(path, 0.0) + times * weight
    return heapq.nlargest(READ_AGAIN, scores, key=lambda path: (scores[path], path))


def _mark_file(
    path: str, found: FileHits, terms: Sequence[Term], rarity: Sequence[float], length: float
) -> Marks:
    folder, _, name = path.lower().rpartition("/")
    names, folders = _stems(path[len(folder) :]), _stems(path[: len(folder)])
    norm = 1 - _B + _B * length
    whole = sum(rarity) or 1.0
    score = matched = in_name = in_folder = 0.0
    for index, (term, weight) in enumerate(zip(terms, rarity, strict=True)):
        mass = (found.counts[index] + _DEFINED * found.defined[index]) / norm
        if term.text in names or (term.whole and (term.text in name or term.text in path.lower())):
            mass += _NAME
            in_name += weight
        if term.text in folders or (term.whole and term.text in folder):
            mass += _FOLDER
            in_folder += weight
        if mass:
            matched += weight
            score += weight * mass / (mass + _K1)
    return Marks(score * (0.5 + 0.5 * matched / whole), in_name / whole, in_folder / whole)


def _stems(part: str) -> frozenset[str]:
    return frozenset(word_root(word) for word in split_name(part))


def _best_lines(path: str, places: Sequence[LineHits], rarity: Sequence[float]) -> tuple[CodeLine, ...]:
    """Return the lines that say most, the best first: rare terms, several at once, definitions."""

    def worth(place: LineHits) -> tuple[float, int]:
        value = sum(rarity[index] for index in place.terms) * (1.5 if place.defines else 1.0)
        return -value, place.number

    return tuple(make_line(path, place.number, place.text) for place in sorted(places, key=worth)[:_LINES])
