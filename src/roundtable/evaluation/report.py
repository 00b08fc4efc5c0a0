"""The report: every figure, measured on the same discussions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import completeness, drift, echo, references, specificity, speed, uptake, voices
from .discussion import Trial
from .figure import Figure

_PARTS = (specificity, uptake, echo, references, drift, completeness)


def figures(trials: Sequence[Trial], heard: Sequence[Trial] = (), *, timed: bool = True) -> Iterator[Figure]:
    """All figures in the order of the report; without `timed` no process is started.

    `heard` are discussions of other items, from which the reader of the voices learns.
    """
    yield from voices.measure(trials, heard)
    for part in _PARTS:
        yield from part.measure(trials)
    if timed:
        yield from speed.measure(trials)
    else:
        yield from speed.contributions(trials)
