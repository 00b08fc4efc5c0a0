"""Personas and steps as they are in use: the built-in ones, changed by the files of a project.

A project's files in `.roundtable/personas`, `.roundtable/steps/<phase>` and `.roundtable/tracks` add to the
built-in content, replace what has the same key or id, and (personas) disable it. Nothing here is ever written
(rule STEP-8).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from ..core.errors import ContentBroken
from ..core.personas import Persona, Roster
from ..core.steps import PHASE_KEYS, PHASES, Phase, Step
from ..core.tracks import FEATURE, Track
from .files import Loaded, Problem, escape_hidden, list_sources, load_folder
from .personas import Seats, parse_persona, seat_personas
from .project_kind import find_project_kind
from .steps import drop_unmet_dependencies, parse_step
from .tracks import parse_track

PROJECT_FOLDER = ".roundtable"
_BUILT_IN = Path(__file__).resolve().parents[1] / "content"


def load_roster(project: Path | None = None) -> Roster:
    """Return the personas at the table; raises ContentBroken when none is left."""
    return read_roster(project)[0]


def load_steps(project: Path | None = None) -> tuple[Step, ...]:
    """Return all steps of all phases, in the order in which they run."""
    return read_steps(project)[0]


def read_roster(project: Path | None = None) -> tuple[Roster, tuple[Problem, ...]]:
    """Return the personas at the table and what is wrong with files; ContentBroken when none is left."""
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
    seats = _read_seats(project)
    return seats.personas, seats.problems


def read_steps(project: Path | None = None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return all steps in the order in which they run, and what is wrong with their files."""
    loaded: list[Loaded[Step]] = []
    problems: list[Problem] = []
    for phase in PHASES:
        found, trouble = _read_phase(phase, project)
        loaded += found
        problems += trouble
    if project is not None:
        problems += _find_strays(project)
    return _finish_steps(loaded, problems, project)


def _finish_steps(
    loaded: list[Loaded[Step]], problems: list[Problem], project: Path | None
) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    files = {entry.value.step_id: entry.shown for entry in loaded}
    steps, unmet = drop_unmet_dependencies(tuple(entry.value for entry in loaded), files)
    steps, unknown = _assign_personas(steps, files, _read_seats(project))
    return steps, (*problems, *unmet, *unknown)


def load_tracks(project: Path | None = None) -> tuple[Track, ...]:
    """Return the tracks that an item can follow, with their steps."""
    return read_tracks(project)[0]


def read_tracks(project: Path | None = None) -> tuple[tuple[Track, ...], tuple[Problem, ...]]:
    """Return the tracks with their steps, and what is wrong with the files of tracks and steps.

    A project's `.roundtable/tracks/NAME.md` adds a track or replaces one of the same key.
    """
    kind = find_project_kind(project) if project is not None else ""
    steps, found = read_steps(project)
    all_steps = tuple(step.word_for(kind) for step in steps)
    problems = list(found)
    tracks: dict[str, Track] = {}
    roots = [(_BUILT_IN, "")] + ([(project / PROJECT_FOLDER, f"{PROJECT_FOLDER}/")] if project else [])
    for root, prefix in roots:
        own: dict[str, Step] = {}
        for folder in sorted(path for path in (root / "tracks").glob("*") if path.is_dir()):
            loaded: list[Loaded[Step]] = []
            for phase in PHASES:
                added, trouble = load_folder(
                    root, f"tracks/{folder.name}/{phase.key}", prefix, partial(parse_step, phase=phase)
                )
                loaded += added
                problems += trouble
            brought, unmet = _finish_steps(loaded, [], project)
            problems += unmet
            own |= {step.step_id: step.word_for(kind) for step in brought}
        files, trouble = load_folder(
            root, "tracks", prefix, partial(parse_track, all_steps=all_steps, own=own)
        )
        problems += trouble
        tracks |= {entry.value.key: entry.value for entry in files}
    if FEATURE not in tracks:
        tracks[FEATURE] = Track(FEATURE, FEATURE, "all steps", all_steps)
    return tuple(tracks.values()), tuple(problems)


def _read_seats(project: Path | None) -> Seats:
    own, problems = load_folder(_BUILT_IN, "personas", "", parse_persona)
    if project is None:
        seats = seat_personas(own, [])
    else:
        personas = (file.value.persona for file in own)
        # A copy of a built-in persona keeps its patterns, which are tested one by one.
        ours = frozenset(ban.pattern for persona in personas if persona for ban in persona.bans)
        added, trouble = load_folder(
            project / PROJECT_FOLDER, "personas", f"{PROJECT_FOLDER}/", lambda file: parse_persona(file, ours)
        )
        problems += trouble
        seats = seat_personas(own, added)
    return replace(seats, problems=(*problems, *seats.problems))


def _read_phase(phase: Phase, project: Path | None) -> tuple[list[Loaded[Step]], list[Problem]]:
    """Return a phase's steps in file-name order; a replacement keeps the place of what it replaces."""
    steps: dict[str, Loaded[Step]] = {}
    problems: list[Problem] = []
    roots = [(_BUILT_IN, "")] + ([(project / PROJECT_FOLDER, f"{PROJECT_FOLDER}/")] if project else [])
    for root, prefix in roots:
        loaded, trouble = load_folder(
            root, f"steps/{phase.key}", prefix, lambda file: parse_step(file, phase)
        )
        problems += trouble
        seen: dict[str, Loaded[Step]] = {}
        for entry in loaded:
            step_id = entry.value.step_id
            first = seen.setdefault(step_id, entry)
            if first is entry:
                place = steps[step_id].place if step_id in steps else entry.place
                steps[step_id] = replace(entry, place=place)
            else:
                reason = f"{step_id} is already the id of {first.shown}"
                problems.append(Problem(entry.shown, "step_id", reason, skipped=True))
    return sorted(steps.values(), key=lambda entry: entry.place), problems


def _find_strays(project: Path) -> list[Problem]:
    """Return a problem for each step file of a project that no phase would ever look for."""
    folder, shown = project / PROJECT_FOLDER / "steps", f"{PROJECT_FOLDER}/steps"
    known = f"known phases: {', '.join(PHASE_KEYS)}"
    problems = [
        Problem(source.shown, "", f"is in no phase's folder; {known}", skipped=True)
        for source in list_sources(folder, shown)[0]
        if not source.path.is_dir()
    ]
    try:
        folders = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    except OSError:
        folders = []
    return problems + [
        Problem(f"{shown}/{escape_hidden(name)}", "", f"is not a phase; {known}", skipped=True)
        for name in folders
        if name not in PHASE_KEYS and not name.startswith(".")
    ]


def _assign_personas(
    steps: tuple[Step, ...], files: dict[str, str], seats: Seats
) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Give each step whose persona is not at the table to the lead of its phase."""
    if not seats.personas:
        return steps, ()
    roster = Roster(seats.personas)
    assigned: list[Step] = []
    problems: list[Problem] = []
    for step in steps:
        if step.persona not in roster and step.phase is not None:
            lead = roster.lead_of(step.phase.key).persona
            # Who was sent away on purpose needs no warning for each of the steps it would have conducted.
            if step.persona not in seats.disabled:
                reason = f"no persona has the key '{step.persona}'; {lead.name} conducts the step"
                problems.append(Problem(files[step.step_id], "persona", reason, skipped=False))
            step = replace(step, persona=lead.key)
        assigned.append(step)
    return tuple(assigned), tuple(problems)
