"""The offline panel: the figures of `roundtable eval` on the items that no probe was written against."""

from __future__ import annotations

from collections.abc import Iterator

from roundtable.evaluation.discussion import play_all
from roundtable.evaluation.report import figures
from roundtable.evaluation.scripts import read_scripts, set_folder
from roundtable.panel.offline import OfflinePanel

SET = "check"


def measure() -> Iterator[str]:
    trials = play_all(read_scripts(set_folder(SET)), OfflinePanel())
    yield f"{len(trials)} items of the set {SET}; more with: roundtable eval --misses 5"
    for figure in figures(trials, timed=False):
        if figure.bound is not None:
            verdict = "" if figure.holds is not False else "   FALLS SHORT"
            yield f"{figure.name:<40}{figure.shown:>9}   {figure.wanted}{verdict}"
