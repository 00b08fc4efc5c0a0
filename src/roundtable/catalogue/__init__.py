"""Personas and steps as they are in use: the built-in ones, changed by the files of a project.

A project's files in `.roundtable/personas`, `.roundtable/steps` and `.roundtable/tracks` add to the built-in
content, replace what has the same key or id, and (personas) disable it. Nothing here is ever written
(rule STEP-8).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.errors import ContentBroken
from ..core.personas import Persona, Roster
from ..core.steps import Step
from ..core.tracks import Track
from .files import Problem, UnusableError, read_text

PROJECT_FOLDER = ".roundtable"
BUILT_IN = Path(__file__).resolve().parents[1] / "content"
# What the built-in content is made from: its files, the code that reads them, and what they become.
_SOURCES = ("content/**/*.md", "catalogue/*.py", "core/*.py", "__init__.py")
# What the manifest of a project of each kind says, or which files are at its top.
_KIND_SIGNS = {
    "app": (
        re.compile(r'"(?:react|vue|svelte|next|@angular/core|electron|react-native)"\s*+:'),
        ("index.html", "pubspec.yaml", "AndroidManifest.xml", "android", "ios", "project.godot"),
    ),
    "service": (
        re.compile(
            r'"(?:express|fastify|koa|@nestjs/core)"\s*+:'
            r'|(?<!name = )["\'](?i:django|flask|fastapi)["\'\s<>=~!;\[]'
        ),
        ("Dockerfile", "docker-compose.yml", "compose.yaml", "manage.py", "Procfile", "wsgi.py"),
    ),
    "tool": (re.compile(r'(?m)^\[\[bin]]|^\[project\.scripts]|^scripts\s*+=|"bin"\s*+:'), ("src/main.rs",)),
    "library": (re.compile(r'(?m)^\[(?:project|package)]|"(?:main|exports)"\s*+:'), ("setup.py",)),
}


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
    own = (project or Path()) / PROJECT_FOLDER
    if project is None or not any(os.path.lexists(own / kind) for kind in ("personas", "steps", "tracks")):
        return _load_built_in()
    from .reading import parse_content  # late: with YAML and all that it needs

    return parse_content(own)


@cache
def _load_built_in() -> Content:
    """Return the built-in content, from the user's cache while no file of it or its readers has changed."""
    paths = sorted(path for each in _SOURCES for path in BUILT_IN.parent.glob(each))
    files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    file = find_cache_file(os.environ)
    with suppress(OSError, RecursionError, UnicodeDecodeError, msgspec.MsgspecError):
        data = file.read_bytes() if file is not None else b""
        kept, content = msgspec.json.decode(data, type=tuple[list[tuple[str, int, int]], Content])
        if kept == files:
            return content
    from .reading import parse_content

    content = parse_content(None)
    if file is not None:
        with suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # In one move: another process may read it, or do the same, at this moment.
            temporary = file.with_suffix(f".{os.getpid()}")
            try:
                temporary.write_bytes(msgspec.json.encode((files, content)))
                temporary.replace(file)
            finally:
                temporary.unlink(missing_ok=True)
    return content


def find_cache_file(environment: Mapping[str, str]) -> Path | None:
    """Return the file in the user's cache folder, for this copy of the program; None without a home."""
    given = (environment.get(name, "") for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"))
    bases = (*map(Path, given), Path(environment.get("HOME", "")) / ".cache")
    # Not a relative one: else the project that one stands in would decide.
    base = next((base for base in bases if base.is_absolute()), None)
    return base and base / "roundtable" / f"content-{zlib.crc32(os.fsencode(BUILT_IN)):08x}.json"


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`, as the files at the top tell; empty if they do not."""
    home, manifests = root.resolve(), ""
    for name in ("pyproject.toml", "Cargo.toml", "package.json"):
        with suppress(UnusableError):
            manifests += read_text(home / name, home) + "\n"
    for kind, (sign, names) in _KIND_SIGNS.items():
        if sign.search(manifests) or any((home / name).exists() for name in names):
            return kind
    return ""
