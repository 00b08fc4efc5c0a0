"""Puts personas, steps and tracks together from their files, the built-in ones and a project's own.

A file whose text did not change is parsed once in a process. A track says which steps an item of one kind
needs, and what such an item is known by (rule STEP-9); `docs/content.md` says how its file is written.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..core.personas import Roster
from ..core.steps import PHASE_KEYS, PHASES, Step
from ..core.tracks import FEATURE, Track
from .cache import BUILT_IN, Content
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
    load_folder,
)
from .personas import Seats, parse_persona, seat_personas
from .steps import parse_step

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


def parse_content(own: Path | None) -> Content:
    """Return the personas, steps and tracks, the built-in ones and those in a project's own folder.

    A step of a project keeps the place of the one it replaces.
    """
    seats = _parse_seats(own)
    roots = [(BUILT_IN, ""), *([(own, f"{own.name}/")] if own else [])]
    found: dict[str, Loaded[Step]] = {}
    problems: list[Problem] = []
    for root, prefix in roots:
        files: dict[str, str] = {}
        for entry in _load_phases(root, prefix, "steps", problems):
            step_id = entry.value.step_id
            first = files.setdefault(step_id, entry.shown)
            if first == entry.shown:
                found[step_id] = replace(entry, place=found.get(step_id, entry).place)
            else:
                reason = f"{step_id} is already the id of {first}"
                problems.append(Problem(entry.shown, "step_id", reason, skipped=True))
    if own is not None:
        problems += _find_strays(own)
    in_order = sorted(found.values(), key=lambda entry: (entry.value.step_id[:2], entry.place))
    steps = _finish_steps(in_order, seats, problems)
    step_problems = tuple(problems)
    tracks: dict[str, Track] = {}
    for root, prefix in roots:
        brought: list[Step] = []
        for folder in sorted(path for path in (root / "tracks").glob("*") if path.is_dir()):
            loaded = _load_phases(root, prefix, f"tracks/{folder.name}", problems)
            brought += _finish_steps(loaded, seats, problems)
        given, trouble = load_folder(root, "tracks", prefix, _parse_track, (steps, tuple(brought)))
        problems += trouble
        tracks |= {entry.value.key: entry.value for entry in given}
    tracks.setdefault(FEATURE, Track(FEATURE, FEATURE, "all steps", steps))
    return Content(
        seats.personas, steps, tuple(tracks.values()), seats.problems, step_problems, tuple(problems)
    )


def _parse_seats(own: Path | None) -> Seats:
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


def _load_phases(root: Path, prefix: str, folder: str, problems: list[Problem]) -> list[Loaded[Step]]:
    """Return the steps in the folders of the phases, and add what is wrong with files to the problems."""
    steps: list[Loaded[Step]] = []
    for phase in PHASES:
        loaded, trouble = load_folder(root, f"{folder}/{phase.key}", prefix, parse_step, phase)
        steps += loaded
        problems += trouble
    return steps


def _parse_track(file: ContentFile, both: tuple[tuple[Step, ...], tuple[Step, ...]]) -> Track:
    """Return the track of a file, from the steps of the analysis and those that tracks bring along.

    Steps of an earlier phase come first; what they need of steps outside the track is left out.
    """
    steps, brought = both
    given = file.convert_fields(_TrackFields, "track")
    if not _KEY.fullmatch(given.key):
        raise UnusableError("key", "must be one word of small letters, digits and hyphens")
    if given.steps != _EVERY_STEP:
        known = {step.step_id: step for step in (*steps, *brought)}
        named = dict.fromkeys(convert(given.steps, Texts))
        for step_id in (step_id for step_id in named if step_id not in known):
            file.warn("steps", f"there is no step {step_id[:60]}; it is ignored")
        chosen = [known[step_id] for step_id in named if step_id in known]
        steps = tuple(
            replace(step, depends_on=tuple(each for each in step.depends_on if each in named))
            for step in sorted(chosen, key=lambda step: step.step_id[:2])
        )
    if not steps:
        raise UnusableError("steps", "names no step that there is")
    return Track(
        given.key, given.title, given.summary, steps, given.short, given.words, given.title_words,
        given.unless_first, given.first_words, max(given.most_words, 0),
    )  # fmt: skip


def _finish_steps(loaded: list[Loaded[Step]], seats: Seats, problems: list[Problem]) -> tuple[Step, ...]:
    """Return the steps with the dependencies that can be met, each with a persona at the table.

    A step can only depend on one that comes before it. One whose persona is not at the table goes to the lead
    of its phase.
    """
    roster = Roster(seats.personas) if seats.personas else None
    before: set[str] = set()
    steps = []
    for step, file in ((entry.value, entry.shown) for entry in loaded):
        for other in step.depends_on:
            if other not in before:
                reason = f"no step {other[:60]} comes before it; it is ignored"
                problems.append(Problem(file, "depends_on", reason, skipped=False))
        before.add(step.step_id)
        persona = step.persona
        if roster is not None and persona not in roster and step.phase is not None:
            lead = roster.lead_of(step.phase.key)
            # Who was sent away on purpose needs no warning for each of the steps it would have conducted.
            if persona not in seats.disabled:
                reason = f"no persona has the key '{persona}'; {lead.name} conducts the step"
                problems.append(Problem(file, "persona", reason, skipped=False))
            persona = lead.key
        met = tuple(other for other in step.depends_on if other in before - {step.step_id})
        steps.append(replace(step, depends_on=met, persona=persona))
    return tuple(steps)


def _find_strays(own: Path) -> list[Problem]:
    """Return a problem for each step file or folder of a project that no phase would ever look for."""
    reason = f"is not the folder of a phase; known phases: {', '.join(PHASE_KEYS)}"
    return [
        Problem(f"{own.name}/steps/{escape_hidden(path.name)}", "", reason, skipped=True)
        for path in sorted((own / "steps").glob("[!.]*"))
        if path.name not in PHASE_KEYS and path.name.lower() != "readme.md"
        if path.is_dir() or path.suffix.lower() == ".md"
    ]
