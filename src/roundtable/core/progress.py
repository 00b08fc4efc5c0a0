"""Progress: what meta.json says is done of an item, and what comes next (META-4, META-5, STEP-3).

At the end is the small language of `skip_if`, a yes or no over an item's facts. A condition is made of names,
"texts", numbers, true, false, parentheses, `and`, `or`, `not`, and one of `== != < <= > >= in`, `not in`
between two values. Python parses it, but nothing is ever run: only these constructs have a meaning here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .errors import RuleBroken
from .steps import PHASE_KEYS, PHASES, Phase, Step

Fact: TypeAlias = str | int | float | bool | tuple[str, ...]
Status = Literal["raw", "partial", "analyzed"]
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def analysis_status(phases_completed: object) -> Status:
    """Return how far an analysis is: of the five known phases none, some or all (META-4)."""
    recorded = phases_completed if isinstance(phases_completed, list | tuple) else ()
    count = sum(key in recorded for key in PHASE_KEYS)
    return "raw" if count == 0 else "analyzed" if count == len(PHASE_KEYS) else "partial"


def faulty_fields(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields of an elaboration record that are missing or of the wrong kind (META-5)."""
    step_id, turns = record.get("step_id"), record.get("turn_count")
    personas, instant = record.get("personas_active"), record.get("timestamp")
    summary = record.get("synthesis_summary")
    sound = {
        "step_id": isinstance(step_id, str) and bool(step_id),
        "turn_count": isinstance(turns, int) and not isinstance(turns, bool) and turns >= 1,
        "personas_active": isinstance(personas, list | tuple)
        and all(isinstance(key, str) for key in personas),
        "timestamp": isinstance(instant, str) and TIMESTAMP.fullmatch(instant) is not None,
        "synthesis_summary": isinstance(summary, str)
        and bool(summary.strip())
        and summary.splitlines() == [summary],
    }
    return tuple(field for field, is_sound in sound.items() if not is_sound)


class Past(Struct, frozen=True):
    """What meta.json says of an earlier elaboration."""

    step_id: str
    summary: str


class Progress(Struct, frozen=True):
    """What is done of an item, as meta.json holds it."""

    steps_completed: tuple[str, ...] = ()
    phases_completed: tuple[str, ...] = ()
    elaborations: tuple[Past, ...] = ()

    def is_finished(self) -> bool:
        """Whether all five phases are complete."""
        return all(phase.key in self.phases_completed for phase in PHASES)


NO_PROGRESS = Progress()


class RemainingSteps(Struct, frozen=True):
    """The steps of a phase that can run now, in order, and why others are passed over."""

    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()


class Position(Struct, frozen=True):
    """Where the analysis stands: a step to run, or the phase's menu after its last completed step."""

    phase: Phase
    step: Step | None
    last: Step | None = None
    warnings: tuple[str, ...] = ()


def steps_of_phase(steps: Sequence[Step], phase: Phase) -> tuple[Step, ...]:
    """Return the steps of a phase in their order."""
    return tuple(step for step in steps if step.step_id[:2] == phase.number)


def find_remaining_steps(
    steps: Sequence[Step], phase: Phase, completed: Sequence[str], facts: Mapping[str, Fact]
) -> RemainingSteps:
    """Return what can still run in a phase: neither done nor skipped, its dependencies complete."""
    runnable, warnings = [], []
    for step in steps_of_phase(steps, phase):
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
    return RemainingSteps(tuple(runnable), tuple(warnings))


def is_skipped(step: Step, facts: Mapping[str, Fact]) -> bool:
    """Whether the step's `skip_if` holds; one that does not parse never skips."""
    if not step.skip_if:
        return False
    try:
        return Condition.parse(step.skip_if).holds(facts)
    except RuleBroken:
        return False


def find_position(
    steps: Sequence[Step], progress: Progress, facts: Mapping[str, Fact], *, can_pass: bool = False
) -> Position | None:
    """Return the first incomplete phase, with the step to run or its menu; None when all is done.

    With `can_pass` a phase without steps is passed over: the item's track needs nothing there (STEP-9).
    """
    for phase in PHASES:
        if phase.key in progress.phases_completed:
            continue
        if can_pass and not steps_of_phase(steps, phase):
            continue
        left = find_remaining_steps(steps, phase, progress.steps_completed, facts)
        if left.steps:
            return Position(phase, left.steps[0])
        done = [step for step in steps_of_phase(steps, phase) if step.step_id in progress.steps_completed]
        return Position(phase, None, done[-1] if done else None, left.warnings)
    return None


# --- conditions ----------------------------------------------------------------------------------------

_LONGEST_CONDITION = 500
_TRUTHS = {"true": True, "false": False}
_ORDERS: Mapping[type[ast.cmpop], Any] = {ast.Lt: lt, ast.LtE: le, ast.Gt: gt, ast.GtE: ge}
_OPERATORS: tuple[type[ast.AST], ...] = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, *_ORDERS)


class _CannotTell(Exception):
    """The facts do not answer the condition."""


class Condition(Struct, frozen=True):
    """A condition over an item's facts, as written and as understood."""

    text: str
    _meaning: ast.expr

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition that the text states; raise `RuleBroken` saying where it does not parse."""
        if len(text) > _LONGEST_CONDITION:
            raise RuleBroken(f"The condition has {len(text)} characters; {_LONGEST_CONDITION} are allowed.")
        start = len(text) - len(text.lstrip())
        try:
            meaning = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            at = start + error.offset if error.offset else len(text) + 1
            raise _unreadable(at, f"{error.msg}.") from None
        except ValueError:  # a character that no source may hold
            raise _unreadable(1, "it holds a character that cannot be read.") from None
        for node in ast.walk(meaning):
            if isinstance(node, ast.expr) and not _has_meaning(node):
                words = ast.get_source_segment(text.strip(), node)
                raise _unreadable(start + node.col_offset + 1, f"{words!r} is not understood.")
        return cls(text, meaning)

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """Whether the facts make it true; an unknown name or values that do not compare make it false."""
        try:
            return _truth(self._meaning, facts)
        except _CannotTell:
            return False


def _unreadable(at: int, reason: str) -> RuleBroken:
    return RuleBroken(f"The condition does not parse at character {at}: {reason}")


def _has_meaning(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() | int() | float()) | ast.Name() | ast.BoolOp():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return isinstance(operand, ast.Constant) and isinstance(operand.value, int | float)
        case ast.UnaryOp(op=operator) | ast.Compare(ops=[operator]):
            return isinstance(operator, ast.Not) or type(operator) in _OPERATORS
    return False


def _truth(meaning: ast.expr, facts: Mapping[str, Fact]) -> bool:
    value = _value(meaning, facts)
    if not isinstance(value, bool):
        raise _CannotTell
    return value


def _value(meaning: ast.expr, facts: Mapping[str, Fact]) -> Fact:
    match meaning:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id="true" | "false" as name):
            return _TRUTHS[name]
        case ast.Name(id=name) if name in facts:
            return facts[name]
        case ast.UnaryOp(op=ast.Not(), operand=denied):
            return not _truth(denied, facts)
        case ast.BoolOp(op=joint, values=values):
            # Every side is looked at, so that the order of writing does not matter.
            truths = [_truth(each, facts) for each in values]
            return all(truths) if isinstance(joint, ast.And) else any(truths)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compare(_value(left, facts), operator, _value(right, facts))
    raise _CannotTell


def _compare(left: Fact, operator: ast.cmpop, right: Fact) -> bool:
    if isinstance(operator, ast.In | ast.NotIn):
        if not isinstance(left, str) or not isinstance(right, str | tuple):
            raise _CannotTell
        return (left in right) is isinstance(operator, ast.In)
    sorts = {float if type(each) is int else type(each) for each in (left, right)}
    if len(sorts) > 1:
        raise _CannotTell
    if isinstance(operator, ast.Eq | ast.NotEq):
        return (left == right) is isinstance(operator, ast.Eq)
    if not sorts <= {float, str}:
        raise _CannotTell
    return bool(_ORDERS[type(operator)](left, right))
