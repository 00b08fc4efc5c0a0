"""What steps wait for: dependencies that nothing can ever meet are dropped, so that the steps can run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..core.steps import Step
from .problem import Problem


def sound(steps: tuple[Step, ...], files: Mapping[str, str]) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """The steps without dependencies on steps that do not exist or that wait for them in turn.

    Of a circle every dependency of one of its steps on another is dropped; `files` names each step's file.
    """
    waits_for = {step.step_id: set(step.depends_on) for step in steps}
    behind = {step_id: _reached(step_id, waits_for) for step_id in waits_for}
    problems: list[Problem] = []
    kept: list[Step] = []
    for step in steps:
        reasons = {other: _reason(step.step_id, other, behind) for other in step.depends_on}
        problems.extend(
            Problem(files[step.step_id], "depends_on", reason, skipped=False)
            for reason in reasons.values()
            if reason
        )
        kept.append(replace(step, depends_on=tuple(other for other, reason in reasons.items() if not reason)))
    return tuple(kept), tuple(problems)


def _reason(step_id: str, other: str, behind: Mapping[str, set[str]]) -> str:
    """Why one step cannot wait for another, empty where it can."""
    if other not in behind:
        return f"there is no step {other}; it is ignored"
    if step_id in behind[other]:
        return f"{step_id} and {other} wait for each other; it is ignored"
    return ""


def _reached(start: str, waits_for: Mapping[str, set[str]]) -> set[str]:
    """The step and everything it waits for, directly or through others."""
    reached: set[str] = set()
    ahead = [start]
    while ahead:
        step_id = ahead.pop()
        if step_id not in reached:
            reached.add(step_id)
            ahead.extend(waits_for.get(step_id, ()))
    return reached
