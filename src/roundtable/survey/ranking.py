"""The files an item touches, ranked by where its terms stand: in the path, in defined names, in the text.

A form of BM25 over three fields, after a coarse ranking by counts that leaves only the best files to be read
again. Two small priors come from git: how much a file is worked on, and whether it changed before under a
subject like the item's.
"""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .findings import Finding, Line
from .kinds import Kind, kind_of
from .places import Place, Places, places_in
from .scan import read
from .search import Hits
from .stems import stem
from .terms import Term, parts_of

READ_AGAIN = 300
_LINES = 3
_LONGEST_LINE = 400
_K1, _B = 1.4, 0.55
_NAME, _FOLDER, _DEFINED, _ON_ONE_LINE = 5.0, 1.6, 2.5, 0.5
_KIN, _ACTIVE = 0.55, 0.2
_KINDS: Final[Mapping[Kind, float]] = {
    "source": 1.0,
    "test": 0.72,
    "docs": 0.55,
    "config": 0.6,
    "generated": 0.15,
}
_WISHES: Final[Mapping[str, Kind]] = {
    "test": "test",
    "doc": "docs",
    "docs": "docs",
    "document": "docs",
    "docum": "docs",
    "readm": "docs",
    "chang": "docs",
    "changelog": "docs",
    "ci": "config",
    "workflow": "config",
    "depend": "config",
    "config": "config",
    "lint": "config",
}


@dataclass(frozen=True, slots=True)
class Priors:
    """What git adds, 0 to 1 for each path."""

    active: Mapping[str, float]
    kin: Mapping[str, float]


def rank(
    root: Path, paths: Sequence[str], terms: Sequence[Term], hits: Hits, priors: Priors
) -> tuple[Finding, ...]:
    """The files, the likeliest first; each with its count and its best lines."""
    rarity = _rarity(terms, hits.frequency, len(paths))
    chosen = _coarse(paths, terms, hits, priors, rarity)
    wishes = frozenset(_WISHES[term.text] for term in terms if term.text in _WISHES)
    texts = {path: data for path in chosen if (data := read(f"{root}{os.sep}{path}")) is not None}
    places = {path: places_in(data, terms) for path, data in texts.items()}
    usual = sum(map(len, texts.values())) / len(texts) if texts else 1.0
    scores = {
        path: _text_score(path, found, terms, rarity, len(texts[path]) / usual)
        for path, found in places.items()
    }
    top = max(scores.values(), default=0.0) or 1.0
    findings = []
    for path, found in places.items():
        score = scores[path] / top * _kind_factor(kind_of(path), wishes)
        score += _KIN * priors.kin.get(path, 0.0) + _ACTIVE * priors.active.get(path, 0.0) * (score > 0)
        if score > 0:
            lines = best_lines(path, found.lines, rarity)
            findings.append(Finding(path, score, sum(found.counts), lines))
    return tuple(sorted(findings, key=lambda finding: (-finding.score, finding.path)))


def _rarity(terms: Sequence[Term], frequency: Sequence[int], files: int) -> tuple[float, ...]:
    """What each term weighs: its own weight, times how rare it is among the files."""
    return tuple(
        term.weight * math.log(1 + (files - count + 0.5) / (count + 0.5))
        for term, count in zip(terms, frequency, strict=True)
    )


def _coarse(
    paths: Sequence[str], terms: Sequence[Term], hits: Hits, priors: Priors, rarity: Sequence[float]
) -> list[str]:
    """The paths worth reading again, by counts, path and history."""
    scores: dict[str, float] = {}
    usual = sum(hit.size for hit in hits.files) / len(hits.files) if hits.files else 1.0
    for hit in hits.files:
        length = _K1 * (1 - _B + _B * hit.size / usual)
        scores[hit.path] = sum(
            weight * count / (count + length)
            for weight, count in zip(rarity, hit.counts, strict=True)
            if count
        )
    texts = [term.text for term in terms]
    for path in paths:
        small = path.lower()
        for text, weight in zip(texts, rarity, strict=True):
            if text in small:
                scores[path] = scores.get(path, 0.0) + weight
    top = max(scores.values(), default=1.0)
    for path, value in priors.kin.items():
        scores[path] = scores.get(path, 0.0) + top * value
    # The kind of a path costs more to know than its score, so it is asked for the better ones only.
    better = heapq.nlargest(10 * READ_AGAIN, scores, key=lambda path: (scores[path], path))
    return heapq.nlargest(READ_AGAIN, better, key=lambda path: (scores[path] * _KINDS[kind_of(path)], path))


def _text_score(
    path: str, found: Places, terms: Sequence[Term], rarity: Sequence[float], length: float
) -> float:
    folder, _, name = path.lower().rpartition("/")
    names, folders = _stems(path[len(folder) :]), _stems(path[: len(folder)])
    norm = 1 - _B + _B * length
    score = 0.0
    matched = 0.0
    in_name = 0.0
    for index, (term, weight) in enumerate(zip(terms, rarity, strict=True)):
        mass = (found.counts[index] + _DEFINED * found.defined[index]) / norm
        if term.text in names or (term.whole and (term.text in name or term.text in path.lower())):
            mass += _NAME
            in_name += weight
        if term.text in folders or (term.whole and term.text in folder):
            mass += _FOLDER
        if mass:
            matched += weight
            score += weight * mass / (mass + _K1)
    on_a_line = (sum(rarity[index] for index in place.terms) for place in found.lines)
    together = max(on_a_line, default=0.0)
    whole = sum(rarity) or 1.0
    return (score + _ON_ONE_LINE * max(together, in_name)) * (0.5 + 0.5 * matched / whole)


def _stems(part: str) -> frozenset[str]:
    return frozenset(stem(word) for word in parts_of(part))


def _kind_factor(kind: Kind, wishes: frozenset[Kind]) -> float:
    return 1.0 if kind in wishes else _KINDS[kind]


def best_lines(path: str, places: Sequence[Place], rarity: Sequence[float]) -> tuple[Line, ...]:
    """The lines that say most, the best first: rare terms, several at once, definitions."""

    def worth(place: Place) -> tuple[float, int]:
        value = sum(rarity[index] for index in place.terms) * (1.5 if place.defines else 1.0)
        return -value, place.number

    best = sorted(places, key=worth)[:_LINES]
    return tuple(
        Line(path, place.number, place.text[:_LONGEST_LINE].decode("utf-8", "replace").strip())
        for place in best
    )
