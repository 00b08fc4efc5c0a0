"""Personas and steps as they are in use: the built-in ones, changed by the files of a project.

A project's files in `.roundtable/personas`, `.roundtable/steps/<phase>` and `.roundtable/tracks` add to the
built-in content, replace what has the same key or id, and (personas) disable it. Nothing here is ever written
(rule STEP-8). Most projects have no such files: then nothing is parsed, and `reading` with all that it needs
is not loaded.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..core.errors import ContentBroken
from ..core.personas import Persona, Roster
from ..core.steps import Step
from ..core.tracks import Track
from .cache import Content, load_built_in
from .files import Problem

PROJECT_FOLDER = ".roundtable"
_MAX_MANIFEST_SIZE = 1_000_000
_SERVICE_FILES = ("Dockerfile", "docker-compose.yml", "compose.yaml", "manage.py", "Procfile", "wsgi.py")
_APP_FILES = ("index.html", "pubspec.yaml", "AndroidManifest.xml", "android", "ios", "project.godot")
_APP_PACKAGES = frozenset({"react", "vue", "svelte", "next", "@angular/core", "electron", "react-native"})
_SERVICE_PACKAGES = frozenset({"express", "fastify", "koa", "@nestjs/core", "django", "flask", "fastapi"})
_NAME = re.compile(r"[a-z][\w.-]*+")


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
    content = _load_content(project)
    return content.personas, content.persona_problems


def read_steps(project: Path | None = None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return all steps in the order in which they run, and what is wrong with their files."""
    content = _load_content(project)
    return content.steps, content.step_problems


def read_tracks(project: Path | None = None) -> tuple[tuple[Track, ...], tuple[Problem, ...]]:
    """Return the tracks with their steps, and what is wrong with the files of tracks and steps.

    The questions are put in the words for the kind of project.
    """
    content = _load_content(project)
    kind = find_project_kind(project) if project is not None else ""
    return tuple(
        replace(track, steps=tuple(step.word_for(kind) for step in track.steps)) for track in content.tracks
    ), content.track_problems


def _load_content(project: Path | None) -> Content:
    """Return the content in use; a link that leads nowhere counts as a project's own content, too."""
    own = (project or Path()) / PROJECT_FOLDER
    paths = (own / "personas", own / "steps", own / "tracks")
    if project is None or not any(path.is_symlink() or path.exists() for path in paths):
        return load_built_in()
    from .reading import parse_content

    return parse_content(own)


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`, as the files at the top tell; empty if they do not."""
    if any((root / name).exists() for name in _APP_FILES):
        return "app"
    python, rust = (_load_manifest(root, name, tomllib.loads) for name in ("pyproject.toml", "Cargo.toml"))
    node = _load_manifest(root, "package.json", json.loads)
    project = _find_table(python, "project")
    required = project.get("dependencies")
    needed = set(_NAME.findall(" ".join(map(str, required)).lower()) if isinstance(required, list) else ())
    needed |= {*_find_table(node, "dependencies"), *_find_table(node, "devDependencies")}
    if needed & _APP_PACKAGES:
        return "app"
    if needed & _SERVICE_PACKAGES or any((root / name).exists() for name in _SERVICE_FILES):
        return "service"
    if project.get("scripts") or "bin" in rust or "bin" in node or (root / "src" / "main.rs").exists():
        return "tool"
    if project or rust or "main" in node or "exports" in node or (root / "setup.py").exists():
        return "library"
    return ""


def _load_manifest(root: Path, name: str, parse: Callable[[str], Any]) -> dict[str, Any]:
    """Return what a manifest says; nothing if it cannot be read, is huge, or is a link that leads out."""
    path = root / name
    try:
        if not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
            return {}
        with path.open("rb") as file:
            found = parse(file.read(_MAX_MANIFEST_SIZE).decode("utf-8", "replace"))
    except (OSError, RuntimeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _find_table(owner: dict[str, Any], name: str) -> dict[str, Any]:
    value = owner.get(name)
    return value if isinstance(value, dict) else {}
