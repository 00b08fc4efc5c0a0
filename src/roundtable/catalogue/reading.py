"""Parses personas and steps from their files, the built-in ones and a project's own, and puts them together.

A file whose text did not change is parsed once in a process.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..core.personas import Roster
from ..core.steps import PHASE_KEYS, PHASES, Phase, Step
from ..core.tracks import FEATURE, Track
from .cache import BUILT_IN
from .files import ContentFile, Loaded, Problem, escape_hidden, list_sources, load_folder
from .personas import Seats, parse_persona, seat_personas
from .steps import drop_unmet_dependencies, parse_step
from .tracks import parse_track


def parse_steps(own: Path | None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return all steps in the order in which they run, and what is wrong with their files.

    `own` is the folder with the content of a project.
    """
    loaded: list[Loaded[Step]] = []
    problems: list[Problem] = []
    for phase in PHASES:
        found, trouble = _read_phase(phase, own)
        loaded += found
        problems += trouble
    if own is not None:
        problems += _find_strays(own)
    steps, trouble_in_steps = _finish_steps(loaded, own)
    return steps, (*problems, *trouble_in_steps)


def parse_tracks(own: Path | None) -> tuple[tuple[Track, ...], tuple[Problem, ...]]:
    """Return the tracks with their steps, and what is wrong with the files of tracks and steps."""
    all_steps, found = parse_steps(own)
    problems = list(found)
    tracks: dict[str, Track] = {}
    for root, prefix in [(BUILT_IN, "")] + ([(own, f"{own.name}/")] if own else []):
        brought: dict[str, Step] = {}
        for folder in sorted(path for path in (root / "tracks").glob("*") if path.is_dir()):
            loaded: list[Loaded[Step]] = []
            for phase in PHASES:
                added, trouble = load_folder(
                    root, f"tracks/{folder.name}/{phase.key}", prefix, parse_step, phase
                )
                loaded += added
                problems += trouble
            steps, unmet = _finish_steps(loaded, own)
            problems += unmet
            brought |= {step.step_id: step for step in steps}
        files, trouble = load_folder(
            root, "tracks", prefix, _parse_track, (all_steps, tuple(brought.values()))
        )
        problems += trouble
        tracks |= {entry.value.key: entry.value for entry in files}
    if FEATURE not in tracks:
        tracks[FEATURE] = Track(FEATURE, FEATURE, "all steps", all_steps)
    return tuple(tracks.values()), tuple(problems)


def _parse_track(file: ContentFile, steps: tuple[tuple[Step, ...], tuple[Step, ...]]) -> Track:
    all_steps, brought = steps
    return parse_track(file, all_steps, {step.step_id: step for step in brought})


def _finish_steps(
    loaded: list[Loaded[Step]], own: Path | None
) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return the steps without dependencies that nothing meets, each with a persona at the table."""
    files = {entry.value.step_id: entry.shown for entry in loaded}
    steps, unmet = drop_unmet_dependencies(tuple(entry.value for entry in loaded), files)
    steps, unknown = _assign_personas(steps, files, parse_seats(own))
    return steps, (*unmet, *unknown)


def parse_seats(own: Path | None) -> Seats:
    """Return who sits at the table, with the personas in a project's own folder."""
    built_in, problems = load_folder(BUILT_IN, "personas", "", parse_persona, None)
    if own is None:
        seats = seat_personas(built_in, [])
    else:
        personas = (file.value.persona for file in built_in)
        # A copy of a built-in persona keeps its patterns, which are tested one by one.
        trusted = frozenset(ban.pattern for persona in personas if persona for ban in persona.bans)
        added, trouble = load_folder(own, "personas", f"{own.name}/", parse_persona, trusted)
        problems += trouble
        seats = seat_personas(built_in, added)
    return replace(seats, problems=(*problems, *seats.problems))


def _read_phase(phase: Phase, own: Path | None) -> tuple[list[Loaded[Step]], list[Problem]]:
    """Return a phase's steps in file-name order; a replacement keeps the place of what it replaces."""
    steps: dict[str, Loaded[Step]] = {}
    problems: list[Problem] = []
    for root, prefix in [(BUILT_IN, "")] + ([(own, f"{own.name}/")] if own else []):
        loaded, trouble = load_folder(root, f"steps/{phase.key}", prefix, parse_step, phase)
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


def _find_strays(own: Path) -> list[Problem]:
    """Return a problem for each step file of a project that no phase would ever look for."""
    folder, shown = own / "steps", f"{own.name}/steps"
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
