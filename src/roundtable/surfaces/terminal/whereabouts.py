"""Where am I: a bar over all steps, and the line at the bottom of the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ...core.analysis import Analysis
from ...core.stages import Stage
from ...core.states import Awaited

DONE, OPEN = "▰", "▱"
BETWEEN = " · "
_LONGEST_ITEM = 32


def bar(analysis: Analysis) -> str:
    """One sign per step, a gap between the phases, and how many are done."""
    steps, done = analysis.opening.steps, analysis.completed
    rows = (
        "".join(DONE if step.step_id in done else OPEN for step in row)
        for _, row in groupby(steps, key=lambda step: step.step_id[:2])
    )
    count = sum(step.step_id in done for step in steps)
    return f"{' '.join(rows)}  {count} of {len(steps)} steps"


def busy(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Who is at work while nobody listens to the user, and at what."""
    if analysis is None:
        return ""
    opening, table = analysis.opening, analysis.elaboration
    if table is None:
        name = opening.conductor.first_name
        at_work = {
            Stage.READING: f"{name} is reading",
            Stage.OFFERS: f"{name} is looking things up",
            Stage.DRAFT: f"{name} is writing",
            Stage.WRITTEN: f"{name} is writing",
        }
        return at_work.get(analysis.stage, f"{name} is thinking")
    if table.awaits is Awaited.PERSONA and table.due:
        name = table.roster[table.due[0].persona].first_name
        return f"{name} is speaking" if has_words else f"{name} is thinking"
    name = table.lead.first_name
    if table.awaits in (Awaited.DRAFT, Awaited.ARTIFACTS, Awaited.RECORD):
        return f"{name} is writing the synthesis"
    return f"{name} is thinking"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What the bottom line tells; the parts that are dropped first in a narrow window stand first."""

    item: str = ""
    phase: str = ""
    spent: str = ""
    at_work: str = ""
    turn: str = ""
    step: str = ""

    @classmethod
    def of(cls, analysis: Analysis | None, *, at_work: str = "", spent: str = "") -> Whereabouts:
        """Where an analysis stands."""
        if analysis is None:
            return cls(at_work=at_work, spent=spent)
        opening, table = analysis.opening, analysis.elaboration
        turn = f"turn {len(table.turns)} of {table.max_turns}" if table is not None and table.turns else ""
        step = ""
        if opening.step is not None:
            number = next(
                (at for at, each in enumerate(opening.steps, 1) if each.step_id == opening.step.step_id), 0
            )
            step = f"step {number}/{len(opening.steps)}"
        return cls(_short(opening.item.name), opening.phase.name, spent, at_work, turn, step)

    def line(self, width: int) -> str:
        """As much of it as the window is wide."""
        shown = [self.item, self.phase, self.step, self.turn, self.at_work, self.spent]
        for dropped in (self.item, self.phase, self.spent, self.at_work, self.turn):
            text = _joined(shown)
            if len(text) <= width:
                return text
            shown[shown.index(dropped)] = ""
        return _joined(shown)[:width]


def _joined(parts: Sequence[str]) -> str:
    return BETWEEN.join(part for part in parts if part)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_ITEM else text[: _LONGEST_ITEM - 1].rstrip() + "…"
