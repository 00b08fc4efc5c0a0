"""The body of a step's file: questions at three depths, validation, artifacts (rule STEP-1).

    ## Brief Mode            (also ## Standard Mode and ## Deep Mode)

    ### Label                a short noun; it stands in the artifact as `**Label**: answer`
    The question, one paragraph.
    - Help: one line that the user can call up
    - Example: an answer that would do
    - Draft: where a proposed answer comes from (see below)

    ## Validation
    - Label | check | the question asked once where the answer does not hold what the check names

    ## Artifacts
    - requirements-spec.md | 1. Business Context

A draft is `item` (the item's text), `survey` (what the code survey found), `answer Label` (given earlier in
this step), `answer 01-01 Label` (given in another step) or `text: words to accept`. A section `## Notes` is
for the people who keep the file. A missing mode asks what Standard Mode asks (Standard: what Deep asks, else
Brief).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ..core.errors import RuleBroken
from ..core.steps import (
    DEPTHS,
    Criterion,
    Depth,
    Phase,
    Question,
    Step,
    Target,
    is_depth,
    is_output_name,
    is_step_id,
    phase_of,
)
from . import files as field
from .files import ContentFile, Problem, Remark, UnusableError

LONGEST_LABEL = 60
_MODES = ("Brief Mode", "Standard Mode", "Deep Mode")
_SECTIONS = (*_MODES, "Validation", "Artifacts", "Notes")
_SECTION = re.compile(r"##[ \t]++(.+)")
_LABEL = re.compile(r"###[ \t]++(.+)")
_EXTRA = re.compile(r"-[ \t]++(\w+):[ \t]*+(.*)")
_DRAFT = re.compile(r"item|survey|text:[ \t]*\S.*|answer[ \t]+\S.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Body:
    """What the sections of a step's file hold."""

    brief: tuple[Question, ...]
    standard: tuple[Question, ...]
    deep: tuple[Question, ...]
    validation: tuple[Criterion, ...]
    targets: tuple[Target, ...]


def parse(body: str, outputs: tuple[str, ...], remarks: list[Remark]) -> Body:
    """The body's questions, criteria and targets; raises UnusableError where it asks nothing."""
    sections = _split(_without_comments(body), remarks)
    modes = {name: _questions(name, sections[name], remarks) for name in _MODES if name in sections}
    brief, standard, deep = _with_fallbacks(modes, remarks)
    labels = {question.label for questions in modes.values() for question in questions}
    return Body(
        brief,
        standard,
        deep,
        _criteria(sections.get("Validation", []), labels, remarks),
        _targets(sections.get("Artifacts", []), outputs, remarks),
    )


def _without_comments(body: str) -> str:
    """The body without `<!-- ... -->`."""
    # A pattern would search to the end of the file once for each opening that is never closed.
    kept: list[str] = []
    at = 0
    while (opening := body.find("<!--", at)) >= 0 and (closing := body.find("-->", opening)) >= 0:
        kept.append(body[at:opening])
        at = closing + len("-->")
    return "".join((*kept, body[at:]))


def _split(body: str, remarks: list[Remark]) -> dict[str, list[str]]:
    """The lines under each known heading."""
    names = {name.lower(): name for name in _SECTIONS}
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in body.split("\n"):
        heading = _SECTION.fullmatch(line.rstrip())
        if not heading:
            current.append(line.rstrip())
            continue
        title = " ".join(heading.group(1).split())
        name = names.get(title.lower())
        if name is None:
            remarks.append(Remark(f"section '{title[:60]}'", f"is ignored; known: {', '.join(_SECTIONS)}"))
            current = []
        else:
            current = sections.setdefault(name, [])
    return sections


def _with_fallbacks(
    modes: dict[str, tuple[Question, ...]], remarks: list[Remark]
) -> tuple[tuple[Question, ...], tuple[Question, ...], tuple[Question, ...]]:
    brief, standard, deep = (modes.get(name, ()) for name in _MODES)
    spare = standard or deep or brief
    if not spare:
        raise UnusableError(
            "body", "asks no question; a question is a line `### Label` with a paragraph below it"
        )
    remarks.extend(
        Remark(f"section '{name}'", "holds no question; those of another depth are asked")
        for name in _MODES
        if not modes.get(name)
    )
    return brief or spare, standard or spare, deep or spare


def _questions(mode: str, lines: list[str], remarks: list[Remark]) -> tuple[Question, ...]:
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        label = _LABEL.fullmatch(line)
        if label:
            blocks.append((" ".join(label.group(1).split()), []))
        elif blocks:
            blocks[-1][1].append(line)
    questions: dict[str, Question] = {}
    for label_text, block in blocks:
        place = f"{mode}, '{label_text[:LONGEST_LABEL]}'"
        if len(label_text) > LONGEST_LABEL or set(label_text) & set("*|`<>"):
            remarks.append(
                Remark(place, f"a label has at most {LONGEST_LABEL} characters and none of * | ` < >")
            )
        elif label_text in questions:
            remarks.append(
                Remark(place, "the label stands twice at this depth; the second question is ignored")
            )
        elif (question := _question(label_text, block, place, remarks)) is not None:
            questions[label_text] = question
    return tuple(questions.values())


def _question(label: str, lines: list[str], place: str, remarks: list[Remark]) -> Question | None:
    words: dict[str, list[str]] = {"": []}
    current = words[""]
    for line in lines:
        extra = _EXTRA.fullmatch(line)
        if extra:
            current = words.setdefault(extra.group(1).lower(), [])
            current.append(extra.group(2))
        else:
            current.append(line)
    parts = {name: " ".join(" ".join(part).split()) for name, part in words.items()}
    remarks.extend(
        Remark(place, f"'{name}' is ignored; known: Help, Example, Draft, Without")
        for name in parts
        if name not in ("", "help", "example", "draft", "without")
    )
    if not parts[""]:
        remarks.append(Remark(place, "has no question below the label and is ignored"))
        return None
    draft = parts.get("draft", "")
    if draft and not _DRAFT.fullmatch(draft):
        remarks.append(
            Remark(place, "the draft must be item, survey, answer ... or text: ...; it is ignored")
        )
        draft = ""
    without = parts.get("without", "")
    if without and not draft:
        remarks.append(Remark(place, "'Without' is for a question with a draft; it is ignored"))
        without = ""
    return Question(label, parts[""], parts.get("help", ""), parts.get("example", ""), draft, without)


def _criteria(lines: list[str], labels: set[str], remarks: list[Remark]) -> tuple[Criterion, ...]:
    known = _known_checks()
    criteria = []
    for line, cells in _rows("Validation", lines, 3, remarks):
        label, check, follow_up = cells
        if label not in labels:
            remarks.append(Remark("Validation", f"'{label}' is the label of no question; ignored: {line}"))
        elif not known(check):
            remarks.append(Remark("Validation", f"'{check}' is no known check; ignored: {line}"))
        else:
            criteria.append(Criterion(label, check, follow_up))
    return tuple(criteria)


def _targets(lines: list[str], outputs: tuple[str, ...], remarks: list[Remark]) -> tuple[Target, ...]:
    targets = []
    for line, (output, section) in _rows("Artifacts", lines, 2, remarks):
        if output in outputs:
            targets.append(Target(output, section))
        else:
            remarks.append(Remark("Artifacts", f"'{output}' is not among the outputs; ignored: {line}"))
    return tuple(targets)


def _rows(
    section: str, lines: list[str], columns: int, remarks: list[Remark]
) -> list[tuple[str, tuple[str, ...]]]:
    """The list lines of a section, cut at their bars into so many cells, none of them empty."""
    rows = []
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        cells = tuple(cell.strip() for cell in line.removeprefix("-").split("|", columns - 1))
        if line.startswith("- ") and len(cells) == columns and all(cells):
            rows.append((line, cells))
        else:
            remarks.append(
                Remark(section, f"a line needs {columns} parts with | between them; ignored: {line[:80]}")
            )
    return rows


def _known_checks() -> Callable[[str], bool]:
    from ..core import validation

    return validation.is_known_check


LONGEST_TITLE = 60
# These belong to the item itself.
_RESERVED_OUTPUTS = frozenset({"meta.json", "draft.md", "parking-lot.md", "state.json"})
_KNOWN = frozenset(("step_id", "title", "persona", "depth", "outputs", "depends_on", "skip_if"))


@dataclass(frozen=True, slots=True)
class StepFile:
    """The step that a file describes, and what was passed over in it."""

    step: Step
    remarks: tuple[Remark, ...] = ()


def parse_step(document: ContentFile, phase: Phase) -> StepFile:
    """The step of a file in a phase's folder; raises UnusableError for a field missing or wrong."""
    given = document.fields
    remarks = field.unknown(given, _KNOWN, "step")
    step_id = _step_id(given, phase)
    title = field.text(given, "title", LONGEST_TITLE)
    persona = field.text(given, "persona", 40)
    depth = _depth(given)
    outputs = _outputs(given)
    body = parse(document.body, outputs, remarks)
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


def drop_unmet_dependencies(
    steps: tuple[Step, ...], files: Mapping[str, str]
) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
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
