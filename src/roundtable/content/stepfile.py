"""A step's file: front matter that says what the step is, a body that asks (rules STEP-1, STEP-2)."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import RuleBroken
from ..core.steps import DEPTHS, Depth, Phase, Step, is_depth, is_output_name, is_step_id, phase_of
from . import fields as field
from . import stepbody
from .frontmatter import Document
from .problem import Remark, UnusableError

LONGEST_TITLE = 60
# These belong to the item itself.
_RESERVED_OUTPUTS = frozenset({"meta.json", "draft.md", "parking-lot.md", "state.json"})
_KNOWN = frozenset(("step_id", "title", "persona", "depth", "outputs", "depends_on", "skip_if"))


@dataclass(frozen=True, slots=True)
class StepFile:
    """The step that a file describes, and what was passed over in it."""

    step: Step
    remarks: tuple[Remark, ...] = ()


def parse(document: Document, phase: Phase) -> StepFile:
    """The step of a file in a phase's folder; raises UnusableError for a field missing or wrong."""
    given = document.fields
    remarks = field.unknown(given, _KNOWN, "step")
    step_id = _step_id(given, phase)
    title = field.text(given, "title", LONGEST_TITLE)
    persona = field.text(given, "persona", 40)
    depth = _depth(given)
    outputs = _outputs(given)
    body = stepbody.parse(document.body, outputs, remarks)
    step = Step(
        step_id=step_id,
        title=title,
        persona=persona,
        depth=depth,
        outputs=outputs,
        depends_on=_depends_on(given, remarks),
        skip_if=_skip_if(given, remarks),
        brief=body.brief,
        standard=body.standard,
        deep=body.deep,
        validation=body.validation,
        targets=body.targets,
    )
    return StepFile(step, tuple(remarks))


def _step_id(given: dict[str, object], phase: Phase) -> str:
    step_id = field.text(given, "step_id")
    if not is_step_id(step_id):
        raise UnusableError("step_id", "must be two digits, a hyphen, two digits, such as 01-03")
    if phase_of(step_id) is None:
        raise UnusableError("step_id", f"no phase has the number {step_id[:2]}")
    if phase_of(step_id) != phase:
        raise UnusableError("step_id", f"{step_id} does not belong in the folder {phase.key}")
    return step_id


def _depth(given: dict[str, object]) -> Depth:
    depth = field.text(given, "depth")
    if not is_depth(depth):
        raise UnusableError("depth", f"must be one of {', '.join(DEPTHS)}")
    return depth


def _outputs(given: dict[str, object]) -> tuple[str, ...]:
    outputs = field.texts(given, "outputs")
    if not outputs:
        raise UnusableError("outputs", "is missing")
    for output in outputs:
        if not is_output_name(output):
            raise UnusableError(
                "outputs", f"'{output[:60]}' must be a plain file name that ends in .md, .json or .csv"
            )
        if output.lower() in _RESERVED_OUTPUTS:
            raise UnusableError("outputs", f"'{output}' belongs to the item itself; choose another name")
    return tuple(dict.fromkeys(outputs))


def _depends_on(given: dict[str, object], remarks: list[Remark]) -> tuple[str, ...]:
    try:
        ids = field.texts(given, "depends_on")
    except UnusableError as error:
        remarks.append(Remark("depends_on", f"{error.reason}; it is ignored"))
        return ()
    strange = [step_id for step_id in ids if not is_step_id(step_id)]
    remarks.extend(Remark("depends_on", f"'{name[:60]}' is no step id and is ignored") for name in strange)
    return tuple(dict.fromkeys(step_id for step_id in ids if step_id not in strange))


def _skip_if(given: dict[str, object], remarks: list[Remark]) -> str:
    """The condition, where there is one that can be read."""
    from ..core.conditions import Condition

    try:
        condition = field.optional_text(given, "skip_if")
        if condition:
            Condition.parse(condition)
    except UnusableError as error:
        remarks.append(Remark("skip_if", f"{error.reason}; it is ignored"))
        return ""
    except RuleBroken as error:
        remarks.append(Remark("skip_if", f"cannot be read and is ignored ({error.args[0]})"))
        return ""
    return condition
