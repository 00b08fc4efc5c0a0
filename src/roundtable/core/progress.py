"""Progress: what is done, and which step comes next (rules STEP-2, STEP-3, GREET-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .conditions import Condition, Fact
from .errors import RuleBroken
from .steps import PHASES, Phase, Step


@dataclass(frozen=True, slots=True)
class Past:
    """What meta.json says of an earlier elaboration."""

    step_id: str
    summary: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What is done of an item, as meta.json holds it."""

    steps_completed: tuple[str, ...] = ()
    phases_completed: tuple[str, ...] = ()
    elaborations: tuple[Past, ...] = ()

    def finished(self) -> bool:
        """True once all five phases are complete."""
        return all(phase.key in self.phases_completed for phase in PHASES)


NO_PROGRESS = Progress()


@dataclass(frozen=True, slots=True)
class Remaining:
    """The steps of a phase that can run now, in order, and why others are passed over."""

    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """Where the analysis stands: a step to run, or the phase's menu after its last completed step."""

    phase: Phase
    step: Step | None
    last: Step | None = None
    warnings: tuple[str, ...] = ()


def in_phase(steps: Sequence[Step], phase: Phase) -> tuple[Step, ...]:
    """The steps of a phase in their order."""
    return tuple(step for step in steps if step.step_id[:2] == phase.number)


def remaining(
    steps: Sequence[Step], phase: Phase, completed: Sequence[str], facts: Mapping[str, Fact]
) -> Remaining:
    """What can still run in a phase: not done, not skipped by its condition, its dependencies complete."""
    runnable, warnings = [], []
    for step in in_phase(steps, phase):
        if step.step_id in completed or is_skipped(step, facts):
            continue
        missing = [needed for needed in step.depends_on if needed not in completed]
        if missing:
            warnings.append(
                f"Step {step.step_id} ({step.title}) is passed over: "
                f"it depends on {', '.join(missing)}, not complete."
            )
        else:
            runnable.append(step)
    return Remaining(tuple(runnable), tuple(warnings))


def is_skipped(step: Step, facts: Mapping[str, Fact]) -> bool:
    """True where the step's `skip_if` holds; one that does not parse never skips."""
    if not step.skip_if:
        return False
    try:
        return Condition.parse(step.skip_if).holds(facts)
    except RuleBroken:
        return False


def position(steps: Sequence[Step], progress: Progress, facts: Mapping[str, Fact]) -> Position | None:
    """The first phase that is not complete, with the step to run or its menu; none when all is done."""
    for phase in PHASES:
        if phase.key in progress.phases_completed:
            continue
        left = remaining(steps, phase, progress.steps_completed, facts)
        if left.steps:
            return Position(phase, left.steps[0], warnings=())
        done = [step for step in in_phase(steps, phase) if step.step_id in progress.steps_completed]
        return Position(phase, None, done[-1] if done else None, left.warnings)
    return None
