"""Puts personas, steps and tracks together from their files, the built-in ones and a project's own.

A file whose text did not change is parsed once in a process. A track says which steps an item of one kind
needs, and what such an item is known by (rule STEP-9):

    ---
    key: bug
    title: bug fix
    summary: six questions, one short document
    short: true                      drafts are taken without asking
    most_words: 400                  a longer item is not proposed for it
    words: [bug, crash, regression]  what such an item says in its title or text
    title_words: [error, wrong]      what it says in its title
    unless_first: [add, support]     how the title of another kind of item begins
    first_words: [let, accept]       how its title begins, where the title names code
    steps: [00-11, 04-11]            `all` for every step that no other track brings along
    ---

The steps that a track brings along stand in the folder of its name, by phase, as those of the analysis do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..core.personas import Roster
from ..core.steps import PHASE_KEYS, PHASES, Phase, Step
from ..core.tracks import FEATURE, Track
from .cache import BUILT_IN
from .files import (
    ContentFile,
    Loaded,
    Name,
    Problem,
    Text,
    Texts,
    UnusableError,
    convert,
    escape_hidden,
    list_sources,
    load_folder,
)
from .personas import Seats, parse_persona, seat_personas
from .steps import drop_unmet_dependencies, parse_step

_EVERY_STEP = "all"
_KEY = re.compile(r"[a-z][a-z0-9-]{1,30}")


class _TrackFields(msgspec.Struct):
    key: Name
    title: Name
    summary: Text
    steps: Any
    short: bool = False
    most_words: int = 0
    words: Texts = ()
    title_words: Texts = ()
    unless_first: Texts = ()
    first_words: Texts = ()


def parse_steps(own: Path | None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return all steps in the order in which they run, and what is wrong with their files.

    `own` is the folder with the content of a project.
    """
    phases = [_read_phase(phase, own) for phase in PHASES]
    loaded = [entry for found, _ in phases for entry in found]
    problems = [problem for _, trouble in phases for problem in trouble]
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


def _parse_track(file: ContentFile, both: tuple[tuple[Step, ...], tuple[Step, ...]]) -> Track:
    """Return the track of a file, from the steps of the analysis and those that tracks bring along."""
    all_steps, brought = both
    file.warn_of_unknown(_TrackFields.__struct_fields__, "track")
    given = file.convert_fields(_TrackFields)
    if not _KEY.fullmatch(given.key):
        raise UnusableError("key", "must be one word of small letters, digits and hyphens")
    known = {step.step_id: step for step in (*all_steps, *brought)}
    is_whole = given.steps == _EVERY_STEP
    steps = all_steps if is_whole else _find_steps(convert(given.steps, Texts), known, file)
    if not steps:
        raise UnusableError("steps", "names no step that there is")
    return Track(
        given.key, given.title, given.summary, steps, given.short, given.words, given.title_words,
        given.unless_first, given.first_words, max(given.most_words, 0),
    )  # fmt: skip


def _find_steps(ids: tuple[str, ...], known: Mapping[str, Step], file: ContentFile) -> tuple[Step, ...]:
    """Return the steps by id, those of an earlier phase first; what they need of others is left out."""
    for step_id in ids:
        if step_id not in known:
            file.warn("steps", f"there is no step {step_id[:60]}; it is ignored")
    found = [known[step_id] for step_id in dict.fromkeys(ids) if step_id in known]
    found.sort(key=lambda step: step.step_id[:2])
    names = {step.step_id for step in found}
    return tuple(
        replace(step, depends_on=tuple(each for each in step.depends_on if each in names)) for step in found
    )


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
