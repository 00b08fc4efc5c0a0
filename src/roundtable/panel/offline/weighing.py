"""Weighing: how much the words of a message speak for small talk, and for each phase of the analysis.

The weights are data (`content/drift`), learnt by `python -m tools.drift` from sample messages; each is the
logarithm of how much likelier a word is on one side than on the other, and counts only so much.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from .shelf import Tables, kept
from .traces import traces

WEIGHTS = Path(__file__).resolve().parents[2] / "content" / "drift"
FAR = "far"
"""The table of the words that speak for small talk, or against it."""

_LONGEST_START = 3
_LONGEST_RUN = 2


def features(message: str, names: tuple[str, ...] = ()) -> frozenset[str]:
    """What of a message is weighed: its words, its pairs of words, and how its sentences begin."""
    return frozenset(each for each in traces(message, names) if _counts(each))


def _counts(trace: str) -> bool:
    if "*" in trace:
        return False
    return len(trace.split()) <= (_LONGEST_START if trace.startswith("^") else _LONGEST_RUN)


def at_home(feature: str, home: frozenset[str]) -> bool:
    """True where every word of a feature belongs to the item."""
    return home.issuperset(feature.removeprefix("^").split())


def far_weights(message: str, home: frozenset[str], names: tuple[str, ...] = ()) -> tuple[float, float]:
    """What speaks for small talk in a message, apart from what belongs to the item, and what against it."""
    weights = _weights()[FAR]
    found = [(each, weights[each]) for each in features(message, names) if each in weights]
    told = sum(weight for each, weight in found if weight > 0 and not _touches(each, home))
    return told, sum(weight for _, weight in found if weight < 0)


def phase_weights(message: str, home: frozenset[str], names: tuple[str, ...] = ()) -> Mapping[str, float]:
    """How much the words speak for each phase, by its number; what belongs to the item says nothing."""
    told = [each for each in features(message, names) if not at_home(each, home)]
    return {
        phase: sum(weights.get(each, 0.0) for each in told)
        for phase, weights in _weights().items()
        if phase != FAR
    }


def _touches(feature: str, home: frozenset[str]) -> bool:
    return not home.isdisjoint(feature.removeprefix("^").split())


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, Mapping[str, float]]:
    found: Mapping[str, Mapping[str, float]] = kept(WEIGHTS, _read)
    return found


def _read(tables: Tables) -> Any:
    """`[far]` and `["04"]` hold lists of words by their weight."""
    found: dict[str, dict[str, float]] = {}
    for table in tables.values():
        for name, lists in (table or {}).items():
            found[name] = {word: float(weight) for weight, listed in lists.items() for word in listed}
    return found
