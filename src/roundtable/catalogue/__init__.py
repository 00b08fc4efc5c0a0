"""Personas and steps as they are in use: the built-in ones, changed by the files of a project.

A project's `.roundtable/personas/*.md` and `.roundtable/steps/<phase>/*.md` add to the built-in content,
replace what has the same key or id, and (personas) disable it. Nothing here is ever written (rule STEP-8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..core.errors import ContentBroken
from ..core.personas import Persona, Roster
from ..core.steps import PHASE_KEYS, PHASES, Phase, Step
from .files import (
    ContentFile,
    Problem,
    Source,
    UnusableError,
    parse_front_matter,
    printable,
    problems_of,
    read_source,
    list_sources,
)
from .personas import PersonaFile, Seats, parse_persona, seated
from .steps import drop_unmet_dependencies, parse_step

PROJECT_FOLDER = ".roundtable"
_BUILT_IN = Path(__file__).resolve().parents[1] / "content"
_Parsed = TypeVar("_Parsed")


def load_roster(project: Path | None = None) -> Roster:
    """The personas at the table; raises ContentBroken where none is left."""
    return read_roster(project)[0]


def load_steps(project: Path | None = None) -> tuple[Step, ...]:
    """All steps of all phases, in the order in which they run."""
    return read_steps(project)[0]


def read_roster(project: Path | None = None) -> tuple[Roster, tuple[Problem, ...]]:
    """The personas at the table and what is wrong with their files; ContentBroken where none is left."""
    personas, problems = read_personas(project)
    if not personas:
        raise ContentBroken(
            "No persona is left: every one of them is disabled.",
            saved="Nothing was changed.",
            do=f"Take `disabled: true` out of one of the files in {PROJECT_FOLDER}/personas/.",
        )
    return Roster(personas), problems


def read_personas(project: Path | None = None) -> tuple[tuple[Persona, ...], tuple[Problem, ...]]:
    """Like `read_roster`, but an empty table is a problem among the others instead of an error."""
    seats = _seats(project)
    return seats.personas, seats.problems


def read_steps(project: Path | None = None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """All steps in the order in which they run, and what is wrong with their files."""
    problems: list[Problem] = []
    placed: list[_Placed] = []
    for phase in PHASES:
        found, trouble = _steps_of(phase, project)
        placed.extend(found)
        problems.extend(trouble)
    problems.extend(_strays(project))
    files = {entry.step.step_id: entry.shown for entry in placed}
    steps, unmet = drop_unmet_dependencies(tuple(entry.step for entry in placed), files)
    steps, unknown = _conducted(steps, files, _seats(project))
    return steps, (*problems, *unmet, *unknown)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A step, its file, and the file name by which it is put in order."""

    step: Step
    shown: str
    place: str


def _seats(project: Path | None) -> Seats:
    own, trouble = _parse_all(*_files("personas", None), _BUILT_IN, parse_persona)
    added: list[tuple[Source, PersonaFile]] = []
    problems: list[Problem] = list(trouble)
    if project is not None:
        added, trouble = _parse_all(*_files("personas", project), _root(project), parse_persona)
        problems.extend(trouble)
    for source, file in (*own, *added):
        problems.extend(problems_of(source.shown, file.remarks))
    seats = seated(tuple(file for _, file in own), tuple((source.shown, file) for source, file in added))
    return replace(seats, problems=(*problems, *seats.problems))


def _steps_of(phase: Phase, project: Path | None) -> tuple[list[_Placed], list[Problem]]:
    """A phase's steps in file-name order; a replacement keeps the place of what it replaces."""
    own, problems = _placed(phase, None)
    if project is None:
        return own, problems
    added, trouble = _placed(phase, project)
    replaced = {entry.step.step_id: entry for entry in added}
    merged = [
        replace(replaced.pop(entry.step.step_id), place=entry.place)
        if entry.step.step_id in replaced
        else entry
        for entry in own
    ]
    merged.extend(replaced.values())
    return sorted(merged, key=lambda entry: entry.place), problems + trouble


def _placed(phase: Phase, project: Path | None) -> tuple[list[_Placed], list[Problem]]:
    root = _BUILT_IN if project is None else _root(project)
    parsed, problems = _parse_all(
        *_files(f"steps/{phase.key}", project), root, lambda document: parse_step(document, phase)
    )
    placed: dict[str, _Placed] = {}
    for source, file in parsed:
        problems.extend(problems_of(source.shown, file.remarks))
        step_id = file.step.step_id
        if step_id in placed:
            reason = f"{step_id} is already the id of {placed[step_id].shown}"
            problems.append(Problem(source.shown, "step_id", reason, skipped=True))
        else:
            placed[step_id] = _Placed(file.step, source.shown, source.name)
    return list(placed.values()), problems


def _strays(project: Path | None) -> list[Problem]:
    """Step files of a project that no phase would ever look for."""
    if project is None:
        return []
    folder, shown = project / PROJECT_FOLDER / "steps", f"{PROJECT_FOLDER}/steps"
    loose, _ = list_sources(folder, shown)
    known = f"known phases: {', '.join(PHASE_KEYS)}"
    problems = [
        Problem(source.shown, "", f"lies in no phase's folder; {known}", skipped=True)
        for source in loose
        if not source.path.is_dir()
    ]
    try:
        folders = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    except OSError:
        folders = []
    problems.extend(
        Problem(f"{shown}/{printable(name)}", "", f"is no phase; {known}", skipped=True)
        for name in folders
        if name not in PHASE_KEYS and not name.startswith(".")
    )
    return problems


def _conducted(
    steps: tuple[Step, ...], files: dict[str, str], seats: Seats
) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """The steps, each with a persona that is at the table: where the named one is not, the phase's lead."""
    if not seats.personas:
        return steps, ()
    roster = Roster(seats.personas)
    conducted: list[Step] = []
    problems: list[Problem] = []
    for step in steps:
        if step.persona in roster or step.phase is None:
            conducted.append(step)
            continue
        lead = roster.lead_of(step.phase.key).persona
        conducted.append(replace(step, persona=lead.key))
        # Who was sent away on purpose needs no warning for each of the steps it would have conducted.
        if step.persona not in seats.disabled:
            reason = f"no persona has the key '{step.persona}'; {lead.name} conducts the step"
            problems.append(Problem(files[step.step_id], "persona", reason, skipped=False))
    return tuple(conducted), tuple(problems)


def _root(project: Path) -> Path:
    return project.resolve() / PROJECT_FOLDER


def _files(folder: str, project: Path | None) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    if project is None:
        return list_sources(_BUILT_IN / folder, folder)
    return list_sources(project / PROJECT_FOLDER / folder, f"{PROJECT_FOLDER}/{folder}")


def _parse_all(
    found: Iterable[Source],
    trouble: Iterable[Problem],
    root: Path,
    parse: Callable[[ContentFile], _Parsed],
) -> tuple[list[tuple[Source, _Parsed]], list[Problem]]:
    """Every file that can be used, parsed, and a problem for every other."""
    parsed: list[tuple[Source, _Parsed]] = []
    problems = list(trouble)
    for source in found:
        try:
            parsed.append((source, parse(parse_front_matter(read_source(source, root)))))
        except UnusableError as error:
            problems.append(Problem(source.shown, error.field, error.reason, skipped=True))
    return parsed, problems
