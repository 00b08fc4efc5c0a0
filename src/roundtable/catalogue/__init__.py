"""Personas and steps as they are in use: the built-in ones, changed by the files of a project.

A project's files in `.roundtable/personas`, `.roundtable/steps` and `.roundtable/tracks` add to the built-in
content, replace what has the same key or id, and (personas) disable it. Nothing here is ever written
(rule STEP-8).
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ..content import read_tables
from ..core.errors import ContentBroken
from ..core.personas import Persona, Roster
from ..core.steps import Step
from ..core.tracks import Track
from .files import Problem, UnusableError, read_text

PROJECT_FOLDER = ".roundtable"


class Content(msgspec.Struct, frozen=True):
    """Personas, steps and tracks, and what is wrong with the files: those of steps are among the tracks'."""

    personas: tuple[tuple[Persona, ...], tuple[Problem, ...]]
    steps: tuple[Step, ...]
    tracks: tuple[tuple[Track, ...], tuple[Problem, ...]]


def load_roster(project: Path | None = None) -> Roster:
    """Return the personas at the table; raises ContentBroken when none is left."""
    return read_roster(project)[0]


def load_steps(project: Path | None = None) -> tuple[Step, ...]:
    """Return all steps of all phases, in the order in which they run."""
    return _load_content(project).steps


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
    return _load_content(project).personas


def read_tracks(project: Path | None = None) -> tuple[tuple[Track, ...], tuple[Problem, ...]]:
    """Return the tracks, worded for the kind of project, and what is wrong with files of steps and tracks."""
    tracks, problems = _load_content(project).tracks
    kind = find_project_kind(project) if project is not None else ""
    worded = (replace(each, steps=tuple(step.word_for(kind) for step in each.steps)) for each in tracks)
    return tuple(worded), problems


def _load_content(project: Path | None) -> Content:
    from .reading import parse_built_in, parse_content  # late: with YAML and all that it needs

    own = (project or Path()) / PROJECT_FOLDER
    if project is None or not any(os.path.lexists(own / kind) for kind in ("personas", "steps", "tracks")):
        return parse_built_in()
    return parse_content(own)


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`, as the files at the top tell; empty if they do not."""
    home, manifests = root.resolve(), ""
    for name in ("pyproject.toml", "Cargo.toml", "package.json"):
        with suppress(UnusableError):
            manifests += read_text(home / name, home) + "\n"
    for kind, signs in read_tables("survey.toml")["projects"].items():
        if re.search(signs["manifest"], manifests) or any((home / name).exists() for name in signs["files"]):
            return kind
    return ""
