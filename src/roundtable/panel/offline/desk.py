"""The desk: where the offline panel reads, looks up its probes and finds its words."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from ...core.commands import AskFeedback, AskSynthesis, Brief, ExtractSynthesis, StepBrief, Table
from ...core.items import Item
from ...core.steps import Step
from ...core.synthesis import Draft
from ...core.turns import Material, Verdict
from ..base import Framing, Speech
from . import extraction, feedback, framing, judging, replies, speaking
from .probefile import read_library
from .probes import Library
from .reading import Reading, read

_MOST_READINGS = 4
_Read: TypeAlias = tuple[Item, Step, tuple[Material, ...], tuple[Step, ...]]


class Desk:
    """What was read last, and what the panel knows."""

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self.library = library or read_library(project)[0]
        self._readings: list[tuple[_Read, Reading]] = []

    def frame(self, brief: Brief) -> Framing:
        return framing.frame(brief, self._reading(brief.table), self.library)

    def speak(self, brief: Brief) -> Speech | None:
        """A contribution; None where somebody who may be silent has nothing to add."""
        floor = speaking.Floor(brief, self._reading(brief.table), self.library)
        speech = speaking.deliver(floor, _candidates(floor))
        if speech is None and not brief.may_pass:
            speech = speaking.last_words(floor)
        return speech

    def judge(self, table: Table) -> Verdict:
        return judging.judge(table, self._reading(table), self.library)

    def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        return extraction.synthesise(ask.table, self.library)

    def take_up(self, ask: AskFeedback) -> str:
        return feedback.take_up(ask, self.library)

    def read_ahead(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        reading = self._reading_of((brief.item, brief.step, material, ()))
        return feedback.read_ahead(brief, reading, material, self.library)

    def _reading(self, table: Table) -> Reading:
        return self._reading_of((table.item, table.step, table.material, table.steps))

    def _reading_of(self, given: _Read) -> Reading:
        """What was read before of the very same values; to compare them whole costs more than to read."""
        for known, reading in self._readings:
            if all(one is other for one, other in zip(known, given, strict=True)):
                return reading
        reading = read(*given)
        self._readings = [(given, reading), *self._readings[: _MOST_READINGS - 1]]
        return reading


def _candidates(floor: speaking.Floor) -> speaking.Candidates:
    match floor.brief.purpose:
        case "tradeoff":
            return speaking.tradeoff(floor)
        case "answer":
            return replies.answer(floor)
        case "follow":
            return replies.follow(floor)
        case _:
            return speaking.next_points(floor)
