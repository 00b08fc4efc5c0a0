"""Steps from their files: fields, questions at three depths, validation, artifacts (rule STEP-1).

`docs/content.md` says how a file is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ..core import validation
from ..core.errors import RuleBroken
from ..core.progress import parse_condition
from ..core.steps import (
    PROJECT_KINDS,
    Criterion,
    Depth,
    Phase,
    Question,
    Step,
    Target,
    is_output_name,
    is_step_id,
    phase_of,
    split_drafts,
)
from .files import ContentFile, Name, ShortName, SomeTexts, Text, Texts, UnusableError

MAX_LABEL_LENGTH = 60
_MODES = ("Brief Mode", "Standard Mode", "Deep Mode")
_ALL_MODES = "Questions"
_SECTIONS = (*_MODES, _ALL_MODES, "Validation", "Artifacts", "Notes")
_EXTRAS = ("Help", "Example", "Draft", "Without", "Shows", "Formerly")
_SECTION = re.compile(r"##[ \t]++(.+)")
_LABEL = re.compile(r"###[ \t]++(.+)")
_EXTRA = re.compile(r"-[ \t]++(\w+):[ \t]*+(.*)")
_DRAFT = re.compile(
    r"item(?: steps| request| wish| left| whole)?|survey|text:[ \t]*\S.*|answer[ \t]+\S.*", re.DOTALL
)
# These belong to the item itself.
_RESERVED_OUTPUTS = frozenset({"meta.json", "draft.md", "parking-lot.md", "state.json"})


class _StepFields(msgspec.Struct):
    step_id: Text
    title: Name
    persona: ShortName
    depth: Depth
    outputs: SomeTexts
    # A step survives a fault in these, so each is checked on its own.
    depends_on: Any = ()
    skip_if: Any = ""


def parse_step(file: ContentFile, phase: Phase) -> Step:
    """Return the step of a file in a phase's folder; raises UnusableError for a wrong field."""
    given = file.convert_fields(_StepFields, "step")
    if not is_step_id(given.step_id) or phase_of(given.step_id) != phase:
        said = f"must be {phase.number}, a hyphen and two digits in the folder {phase.key}"
        raise UnusableError("step_id", said)
    for output in given.outputs:
        if not is_output_name(output) or output.lower() in _RESERVED_OUTPUTS:
            said = "must be a plain name in .md, .json or .csv, and of no file of the item itself"
            raise UnusableError("outputs", f"'{output[:60]}' {said}")
    sections = _split_sections(file)
    if _ALL_MODES in sections:
        sections |= {name: sections.get(name, sections[_ALL_MODES]) for name in _MODES}
    modes = {name: _parse_mode(name, sections.get(name, []), file) for name in _MODES}
    brief, standard, deep = modes.values()
    spare = standard or deep or brief
    if not spare:
        said = "asks no question; a question is a line `### Label` with a paragraph below it"
        raise UnusableError("body", said)
    for name in (name for name, questions in modes.items() if not questions):
        file.warn(f"section '{name}'", "holds no question; those of another depth are asked")
    labels = {question.label for question in (*brief, *standard, *deep)}
    skip_if = file.convert_or_warn("skip_if", str, "")
    try:
        if skip_if:
            parse_condition(skip_if)
    except RuleBroken as error:
        file.warn("skip_if", f"cannot be read and is ignored ({error.args[0]})")
        skip_if = ""

    def check_criterion(label: str, check: str, _follow_up: str) -> str:
        if label not in labels:
            return f"no question has the label '{label}'"
        return "" if validation.is_known_check(check) else f"'{check}' is not a known check"

    def check_target(output: str, _section: str) -> str:
        return "" if output in given.outputs else f"'{output}' is not among the outputs"

    criteria = _parse_rows(file, sections, "Validation", 3, check_criterion)
    targets = _parse_rows(file, sections, "Artifacts", 2, check_target)
    return Step(
        step_id=given.step_id,
        title=given.title,
        persona=given.persona,
        depth=given.depth,
        outputs=tuple(dict.fromkeys(given.outputs)),
        depends_on=tuple(dict.fromkeys(file.convert_or_warn("depends_on", Texts, ()))),
        skip_if=skip_if,
        brief=brief or spare,
        standard=standard or spare,
        deep=deep or spare,
        validation=tuple(Criterion(*row) for row in criteria),
        targets=tuple(Target(*row) for row in targets),
    )


def _split_sections(file: ContentFile) -> dict[str, list[str]]:
    """Return the lines of the body under each known heading, without comments."""
    names = {name.lower(): name for name in _SECTIONS}
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    body, *commented = file.body.split("<!--")
    for piece in commented:  # a comment that nothing closes takes nothing with it
        _, closing, after = piece.partition("-->")
        body += after if closing else f"<!--{piece}"
    for line in map(str.rstrip, body.split("\n")):
        heading = _SECTION.fullmatch(line)
        if not heading:
            current.append(line)
            continue
        title = " ".join(heading[1].split())
        name = names.get(title.lower())
        if name is None:
            file.warn(f"section '{title[:60]}'", f"is ignored; known: {', '.join(_SECTIONS)}")
        current = sections.setdefault(name, []) if name else []
    return sections


def _parse_mode(mode: str, lines: list[str], file: ContentFile) -> tuple[Question, ...]:
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        if heading := _LABEL.fullmatch(line):
            blocks.append((" ".join(heading[1].split()), []))
        elif blocks:
            blocks[-1][1].append(line)
    questions: dict[str, Question] = {}
    for label, block in blocks:
        place = f"{mode}, '{label[:MAX_LABEL_LENGTH]}'"
        if len(label) > MAX_LABEL_LENGTH or set(label) & set("*|`<>"):
            file.warn(place, f"a label has at most {MAX_LABEL_LENGTH} characters and none of * | ` < >")
        elif label in questions:
            file.warn(place, "the label stands twice at this depth; the second question is ignored")
        elif question := _parse_question(label, block, place, file):
            questions[label] = question
    return tuple(questions.values())


def _parse_question(label: str, lines: list[str], place: str, file: ContentFile) -> Question | None:
    words: dict[str, list[str]] = {"": []}
    current = words[""]
    for line in lines:
        if extra := _EXTRA.fullmatch(line):
            current = words.setdefault(extra[1].lower(), [])
        current.append(extra[2] if extra else line)
    parts = {name: " ".join(" ".join(part).split()) for name, part in words.items()}
    text = parts.pop("")
    help_text, example, draft, without, shows, formerly = (parts.pop(name.lower(), "") for name in _EXTRAS)
    kinds = tuple((kind, parts.pop(kind)) for kind in PROJECT_KINDS if kind in parts)
    for name in parts:
        file.warn(place, f"'{name}' is ignored; known: {', '.join(_EXTRAS)}")
    if not text:
        file.warn(place, "has no question below the label and is ignored")
        return None
    if not all(map(_DRAFT.fullmatch, filter(None, (*split_drafts(draft), *split_drafts(shows))))):
        file.warn(place, "the draft must be item, survey, answer ... or text: ...; it is ignored")
        draft = shows = ""
    return Question(label, text, help_text, example, draft, without, kinds, shows, formerly=formerly)


def _parse_rows(
    file: ContentFile,
    sections: Mapping[str, list[str]],
    section: str,
    columns: int,
    find_fault: Callable[..., str],
) -> Iterator[list[str]]:
    """Yield the list lines of a section, each cut at its bars into so many cells that name what there is."""
    for line in filter(None, (" ".join(line.split()) for line in sections.get(section, ()))):
        cells = [cell.strip() for cell in line.removeprefix("-").split("|", columns - 1)]
        if not line.startswith("- ") or len(cells) != columns or not all(cells):
            fault = f"a line needs {columns} parts with | between them"
        else:
            fault = find_fault(*cells)
        if fault:
            file.warn(section, f"{fault}; ignored: {line[:80]}")
        else:
            yield cells
