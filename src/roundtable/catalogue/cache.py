"""The built-in content, parsed once: kept in the process, and as JSON in the user's own cache folder.

The file in the cache counts only while it is the user's own and names the same program, the same files with
the same sizes and times, and holds what it held when it was written. Otherwise, and where the folder cannot
be read or written, the content is parsed as though there were no cache. Only built-in content is kept.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from .. import __version__
from ..core.personas import Persona
from ..core.steps import Step
from ..core.tracks import Track

BUILT_IN = Path(__file__).resolve().parents[1] / "content"
_FORM = 3
"""Raised when a persona or a step gets another form."""

_FOLDERS = ("personas", "steps", "tracks")
_MAX_SIZE = 8 * 1024 * 1024


class BuiltIn(msgspec.Struct, frozen=True):
    """The personas, steps and tracks that come with the program, without a fault in any of their files."""

    personas: tuple[Persona, ...]
    steps: tuple[Step, ...]
    tracks: tuple[Track, ...]


@cache
def load_built_in() -> BuiltIn | None:
    """Return the built-in content; None where one of its files has a fault, which parsing then reports."""
    file = find_cache_file(os.environ)
    key = _describe_files()
    if file is not None and (kept := _read(file, key)):
        return kept
    from .reading import parse_seats, parse_steps, parse_tracks

    seats, (steps, _), (tracks, problems) = parse_seats(None), parse_steps(None), parse_tracks(None)
    if seats.problems or problems:
        return None
    built_in = BuiltIn(seats.personas, steps, tracks)
    if file is not None:
        _keep(file, key, built_in)
    return built_in


@cache
def word_built_in(kind: str) -> tuple[Track, ...] | None:
    """Return the built-in tracks with their questions in the words for a kind of project."""
    built_in = load_built_in()
    return word_tracks(built_in.tracks, kind) if built_in is not None else None


def word_tracks(tracks: tuple[Track, ...], kind: str) -> tuple[Track, ...]:
    """Return the tracks with their questions in the words for a kind of project."""
    return tuple(replace(track, steps=tuple(step.word_for(kind) for step in track.steps)) for track in tracks)


def find_cache_file(environment: Mapping[str, str]) -> Path | None:
    """Return the file in the user's cache folder, for this copy of the program; None without a home."""
    base = Path(environment.get("XDG_CACHE_HOME") or environment.get("LOCALAPPDATA", ""))
    if not base.is_absolute():  # else the project that one stands in would decide
        home = Path(environment.get("HOME", ""))
        if not home.is_absolute():
            return None
        base = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return base / "roundtable" / f"content-{zlib.crc32(os.fsencode(BUILT_IN)):08x}.json"


def _describe_files() -> list[object]:
    """Return what a cache must have been made from: program, form, and each file's name, size and time."""
    found = []
    for folder in _FOLDERS:
        for path in sorted((BUILT_IN / folder).rglob("*.md")):
            status = path.stat()
            found.append([str(path), status.st_size, status.st_mtime_ns])
    return [_FORM, __version__, found]


def _read(file: Path, key: list[object]) -> BuiltIn | None:
    with suppress(OSError, ValueError, RecursionError, msgspec.MsgspecError):
        with file.open("rb") as stream:
            status = os.fstat(stream.fileno())
            is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
            if not is_own or not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_SIZE:
                return None
            head, body = stream.readline(), stream.read()
        if json.loads(head) == [zlib.crc32(body), key]:
            return msgspec.json.decode(body, type=BuiltIn)
    return None


def _keep(file: Path, key: list[object], built_in: BuiltIn) -> None:
    """Put the cache in place in one move; another process may do the same at this moment."""
    body = msgspec.json.encode(built_in)
    head = json.dumps([zlib.crc32(body), key], separators=(",", ":")).encode("ascii")
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as stream:
                stream.write(head + b"\n" + body)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
