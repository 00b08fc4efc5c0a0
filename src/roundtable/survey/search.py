"""Finds the files that an item probably touches, by its words and the history, likeliest first.

The weights are fitted to past commits of seven public projects, so that the files each commit touched come
first. docs/survey.md says how, and how well they work for commits that were not used for it.
"""

import heapq
import math
import os
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import mul
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..content import read_tables
from ..core.steps import Item
from ..core.text import stem_word
from ..git import run_git
from .files import FileKind, file_kind, read_text
from .symbols import defined_name

STOP_WORDS = frozenset(" ".join(read_tables("survey.toml")["stop-words"].values()).split())
MAX_TERMS = 14
_NAMED = 1.6  # what is written as code is likely in the code
# A path, an option, a dotted or joined name, or a plain word in any script.
_TOKEN = re.compile(r"[\w$][\w$'’]*(?:(?:[./:-]|::)[\w$]+)*", re.UNICODE)
_PART = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[^\W\d_A-ZÄÖÜ])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])")
_JAPANESE = re.compile(r"[\u30a0-\u30ff\u31f0-\u31ff]{2,}|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]{2,}")
_ANY_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_CODE_SPAN = re.compile(r"(?<!`)`+([^`\s]+)`+")
_POSSESSIVE = re.compile(r"['’]s?$")
# Web addresses, mail addresses and issue numbers.
_NO_TERM = re.compile(
    r"https?://\S+|(?<=\w)@[\w.-]+|(?:^|(?<=\s))\(?(?:#\d+|GH-\d+|[A-Z]{2,10}-\d+)\)?(?=\W|$)"
)
_JOINED = re.compile(r"[a-z0-9][A-Z]|[_$]|[A-Z]{2}[a-z]|\w(?:\.|::|/)\w")
# A word begins after anything but a letter, or with a capital next to a small letter.
_BEGINS_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])|(?=[A-Z])(?:(?<=[a-z])|.(?=[a-z]))")
# At most a short ending may follow.
_ENDS_WORD = re.compile(rb"[A-Za-z\x80-\xff]{0,5}(?:(?![A-Za-z\x80-\xff])|(?<=[a-z])(?=[A-Z]))")
_K1, _B = 1.4, 0.55
_IN_NAME, _IN_FOLDER, _DEFINED = 5.0, 1.6, 2.5
_TEXT, _NAME, _FOLDER = 4.5, 2.7, 4.7  # weights of a file's words, name and folders
_KIN, _RECENT, _LAST = 2.2, 3.2, 1.1  # and of its past changes
_KINDS: Final[Mapping[FileKind, float]] = {"test": -0.3, "docs": -1.5, "config": -0.3, "generated": -2.0}


class CodeLine(Struct, frozen=True):
    """One line of a file, counted from 1, with its text when it was read."""

    path: str
    number: int
    text: str


def make_line(path: str, number: int, line: bytes) -> CodeLine:
    """Return a line as a survey cites it: cut if it is very long."""
    return CodeLine(path, number, line[:400].decode("utf-8", "replace").strip())


class FoundFile(Struct, frozen=True):
    """A file that the item may touch: its score, how often the terms occur, and its lines, best first."""

    path: str
    score: float
    count: int
    lines: tuple[CodeLine, ...]


@lru_cache(maxsize=20_000)
def word_root(word: str) -> str:
    """Return the beginning that a word's forms share, for searching files: `quer` for `query`."""
    word = word.lower()
    root = stem_word(word)
    while not word.startswith(root):
        root = root[:-1]
    root = root.removesuffix("y").removesuffix("i") if len(root) > 4 else root
    return root if len(root) > 2 else word


class Term(Struct, frozen=True):
    """A search term in lower case, a stem or a whole name, with its weight."""

    text: str
    weight: float
    whole: bool = False

    @property
    def spellings(self) -> tuple[bytes, ...]:
        """The byte forms to find in text whose ASCII is lower-cased; other capitals are separate forms."""
        forms = (self.text, self.text.capitalize(), self.text.upper())
        return tuple(dict.fromkeys(form.encode("utf-8", "surrogateescape").lower() for form in forms))


def extract_terms(item: Item) -> tuple[Term, ...]:
    """Return at most `MAX_TERMS` terms from the item's title and text, heaviest first."""
    found: dict[tuple[str, bool], Term] = {}
    for text, base in ((item.name, 1.0), (item.text[:20_000], 0.35)):
        for term in _find_terms(text):
            key = (term.text, term.whole)
            before = found.get(key)
            # A repetition adds a little weight, never as much as the first mention.
            weight = max(before.weight * 1.1, base * term.weight) if before else base * term.weight
            found[key] = replace(before or term, weight=min(weight, 2.0))
    return tuple(sorted(found.values(), key=lambda term: -term.weight)[:MAX_TERMS])


def split_name(name: str) -> tuple[str, ...]:
    """Return the words a name is joined from, as written: `hideInput_now` gives hide, Input and now."""
    return tuple(part for run in _PART.findall(name) for part in _HUMP.split(run))


def _find_terms(text: str) -> Iterator[Term]:
    """Yield the terms of a text in order, including repetitions, each with its weight in the text."""
    text = _NO_TERM.sub(" ", text)
    spans = [match.span(1) for match in _CODE_SPAN.finditer(text)]
    for token in _TOKEN.finditer(text):
        span = bisect_right(spans, (token.start(), len(text))) - 1
        is_code = span >= 0 and token.start() < spans[span][1]
        named = is_code or text.endswith("--", 0, token.start())
        word = _POSSESSIVE.sub("", token[0].strip("'’-./:"))
        if _ANY_JAPANESE.search(word):
            yield from (Term(run, 1.0, whole=True) for run in _JAPANESE.findall(word))
            continue
        parts = split_name(word)
        if (named or _JOINED.search(word)) and len(parts) > 1 and not all(map(str.isdigit, parts)):
            yield Term(word.lower(), _NAMED, whole=True)
        for part in parts if word.lower() not in STOP_WORDS else ():
            is_short = len(part) < 2 or (len(part) == 2 and not part.isupper())
            if not is_short and part.lower() not in STOP_WORDS and not part.isdigit():
                yield Term(word_root(part), _NAMED if named else 1.0)


class Commit(Struct, frozen=True):
    subject: str
    paths: tuple[str, ...]


def read_history(root: Path) -> tuple[Commit, ...]:
    """Return the commits below the root, newest first, without root commits, which change nothing."""
    options = ("-z", "--max-count=4000", "--no-merges", "--no-renames", "--name-only", "--relative")
    answer = run_git(root, "log", *options, "--format=format:%x01%P%x02%s", "--", ".", seconds=3.0)
    commits = []
    for part in (answer or b"").split(b"\x01"):
        head, _, paths = part.partition(b"\n")
        parents, _, subject = head.partition(b"\x02")
        if parents:
            named = tuple(os.fsdecode(path) for path in paths.split(b"\0") if path)
            commits.append(Commit(subject.decode("utf-8", "replace"), named))
    return tuple(commits)


def weigh_past(history: Sequence[Commit], terms: Sequence[Term], known: Container[str]) -> dict[str, float]:
    """Return how strongly past commits suggest each known file; rare words in a subject count more."""
    split = ([word for word in split_name(commit.subject) if len(word) > 2] for commit in history)
    stems = [{word_root(word) for word in words if word.lower() not in STOP_WORDS} for words in split]
    frequency = Counter(word for words in stems for word in words)
    weights = {
        term.text: term.weight * math.log(1 + len(history) / (1 + frequency[term.text]))
        for term in terms
        if not term.whole
    }
    kin: defaultdict[str, float] = defaultdict(float)  # how much commits with similar subjects changed it
    recent: defaultdict[str, float] = defaultdict(float)  # its share of the last commits
    last: dict[str, float] = {}  # how recently it changed
    for age, (commit, words) in enumerate(zip(history, stems, strict=True)):
        if len(commit.paths) > 40:  # a reformat or a move says nothing about one file
            continue
        shared = sum(weights[word] for word in words & weights.keys())
        for path in filter(known.__contains__, commit.paths):
            recent[path] += 0.5 ** (age / 50) / 72  # 72: the sum for a file that every commit changes
            last.setdefault(path, 1 / (1 + age / 10))
            if shared:
                kin[path] += shared**2 / (1 + math.log1p(len(commit.paths)))
    top = max(kin.values(), default=1.0)
    told = (path for path in last if path in kin or last[path] > 1 / 41)  # within the last 400 commits
    return {path: _KIN * kin[path] / top + _RECENT * recent[path] + _LAST * last[path] for path in told}


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
    """Return the hits of the terms in a file; stems count only where a word or a part of a name begins."""
    small = data.lower()
    ends = [match.end() for match in re.finditer(rb"\n", data)]
    on_line: dict[int, set[int]] = {}
    counts, defined = [0] * len(terms), [0] * len(terms)
    for index, term in enumerate(terms):
        for spelling in term.spellings:
            # Further hits of a term in one file say nothing more.
            for position in islice(_find_spelling(data, small, spelling, whole=term.whole), 300):
                counts[index] += 1
                on_line.setdefault(bisect_right(ends, position), set()).add(index)
    lines = []
    rows = data.split(b"\n")
    for row, indexes in sorted(on_line.items()):
        name = defined_name(rows[row]).lower()
        for index in indexes:
            defined[index] += any(spelling in name for spelling in terms[index].spellings)
        lines.append(LineHits(row + 1, indexes, bool(name), rows[row]))
    return FileHits(lines, counts, defined)


def _find_spelling(data: bytes, small: bytes, spelling: bytes, *, whole: bool) -> Iterator[int]:
    for found in re.finditer(re.escape(spelling), small):
        if whole or (_BEGINS_WORD.match(data, found.start()) and _ENDS_WORD.match(data, found.end())):
            yield found.start()


def rank_files(
    root: Path, paths: Sequence[str], terms: Sequence[Term], past: Mapping[str, float], picked: Sequence[str]
) -> tuple[FoundFile, ...]:
    """Return the picked files, then those that terms and past suggest, likeliest first, with lines."""
    chosen, rarity = _choose_files(root, paths, terms)
    texts = {path: data for path in chosen if (data := read_text(root, path)) is not None}
    hits = {path: find_hits(data, terms) for path, data in texts.items()}
    in_paths = frozenset[str]().union(*map(_stems, hits))
    for index, term in enumerate(terms):
        is_defined = any(found.defined[index] for found in hits.values())
        is_path = term.text in in_paths or (term.whole and any(term.text in path.lower() for path in hits))
        if not is_defined and not is_path:  # such as "currently": rare, but vague
            rarity[index] *= 0.4
    usual = sum(map(len, texts.values())) / max(len(texts), 1) or 1.0
    lengths = {path: len(data) / usual for path, data in texts.items()}
    marks = {path: _mark_file(path, hits[path], terms, rarity, size) for path, size in lengths.items()}
    marks = {path: mark for path, mark in marks.items() if mark[0]}
    if not marks:
        return ()
    top = max(text for text, _, _ in marks.values())
    scores = {}
    for path in {*marks, *past, *picked}:
        text, in_name, in_folder = marks.get(path, (0.0, 0.0, 0.0))
        words = _TEXT * text / top + _NAME * in_name + _FOLDER * in_folder
        scores[path] = words + past.get(path, 0.0) + _KINDS.get(file_kind(path), 0.0)

    def worth(line: LineHits) -> float:
        return sum(rarity[index] for index in line.terms) * (1.5 if line.defines else 1.0)

    found = []
    place = {path: number for number, path in enumerate(picked)}
    for path in heapq.nsmallest(200, scores, key=lambda path: (place.get(path, 200), -scores[path], path)):
        hit = hits[path] if path in marks else FileHits([], [], [])
        best = heapq.nlargest(3, hit.lines, key=worth)
        lines = tuple(make_line(path, line.number, line.text) for line in best)
        if not lines and (data := read_text(root, path)):
            rest = data.lstrip()
            row = data[: len(data) - len(rest)].count(b"\n") + 1
            lines = (make_line(path, row, rest.partition(b"\n")[0]),)
        if lines or hit.counts:
            found.append(FoundFile(path, scores[path], sum(hit.counts), lines))
    return tuple(found)


def _choose_files(root: Path, paths: Sequence[str], terms: Sequence[Term]) -> tuple[list[str], list[float]]:
    """Return the paths with the heaviest terms, in the text or in the path, and how rare each term is."""
    spellings, held = [term.spellings for term in terms], [0] * len(terms)
    hits = {path: [int(term.text in path.lower()) for term in terms] for path in paths}
    for path in paths if terms else ():
        small = (read_text(root, path) or b"").lower()
        for index, forms in enumerate(spellings):
            if any(form in small for form in forms):
                held[index] += 1
                hits[path][index] += 1
    rarity = [
        term.weight * math.log(1 + (len(paths) - files + 0.5) / (files + 0.5))
        for term, files in zip(terms, held, strict=True)
    ]
    scores = {path: sum(map(mul, row, rarity)) for path, row in hits.items() if any(row)}
    return heapq.nlargest(300, scores, key=lambda path: (scores[path], path)), rarity


def _mark_file(
    path: str, found: FileHits, terms: Sequence[Term], rarity: Sequence[float], length: float
) -> tuple[float, float, float]:
    """Return how well the terms fit a file: overall, and as shares found in its name and its folders."""
    folder = path.rpartition("/")[0]
    names, folders = _stems(path[len(folder) :]), _stems(folder)
    norm = 1 - _B + _B * length
    whole = sum(rarity) or 1.0
    score = matched = in_name = in_folder = 0.0
    for index, (term, weight) in enumerate(zip(terms, rarity, strict=True)):
        mass = (found.counts[index] + _DEFINED * found.defined[index]) / norm
        if term.text in names or (term.whole and term.text in path.lower()):
            mass += _IN_NAME
            in_name += weight
        if term.text in folders or (term.whole and term.text in folder.lower()):
            mass += _IN_FOLDER
            in_folder += weight
        if mass:
            matched += weight
            score += weight * mass / (mass + _K1)
    return score * (0.5 + 0.5 * matched / whole), in_name / whole, in_folder / whole


def _stems(part: str) -> frozenset[str]:
    return frozenset(word_root(word) for word in split_name(part))
