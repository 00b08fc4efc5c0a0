"""The built-in content, parsed once: kept in the process, and as JSON in the user's own cache folder.

The file in the cache counts only while it names the same program and the same files, of the content and of
what reads it, with the same sizes and times. Otherwise, and where the folder cannot be read or written, the
content is parsed as though there were no cache. Only built-in content is kept.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from .. import __version__
from ..core.personas import Persona
from ..core.steps import Step
from ..core.tracks import Track
from .files import Problem

BUILT_IN = Path(__file__).resolve().parents[1] / "content"
_READERS = ("catalogue/*.py", "core/personas.py", "core/steps.py", "core/tracks.py")
"""The program's own files that decide what is read from the content."""


class Content(msgspec.Struct, frozen=True):
    """The personas, steps and tracks, and what is wrong with the files of each.

    The faults of steps count among those of tracks too.
    """

    personas: tuple[Persona, ...]
    steps: tuple[Step, ...]
    tracks: tuple[Track, ...]
    persona_problems: tuple[Problem, ...] = ()
    step_problems: tuple[Problem, ...] = ()
    track_problems: tuple[Problem, ...] = ()


class _CacheFile(msgspec.Struct):
    program: str
    files: list[tuple[str, int, int]]
    content: Content


@cache
def load_built_in() -> Content:
    """Return the built-in content."""
    file = find_cache_file(os.environ)
    paths = [path for folder in ("personas", "steps", "tracks") for path in (BUILT_IN / folder).rglob("*.md")]
    paths += [path for reader in _READERS for path in BUILT_IN.parent.glob(reader)]
    files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(paths)]
    if file is not None:
        with suppress(OSError, RecursionError, UnicodeDecodeError, msgspec.MsgspecError):
            kept = msgspec.json.decode(file.read_bytes(), type=_CacheFile)
            if (kept.program, kept.files) == (__version__, files):
                return kept.content
    from .reading import parse_content

    content = parse_content(None)
    if file is not None and not (content.persona_problems or content.track_problems):
        with suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # In one move: another process may read it, or do the same, at this moment.
            temporary = file.with_suffix(f".{os.getpid()}")
            try:
                temporary.write_bytes(msgspec.json.encode(_CacheFile(__version__, files, content)))
                temporary.replace(file)
            finally:
                temporary.unlink(missing_ok=True)
    return content


def find_cache_file(environment: Mapping[str, str]) -> Path | None:
    """Return the file in the user's cache folder, for this copy of the program; None without a home."""
    base = Path(environment.get("XDG_CACHE_HOME") or environment.get("LOCALAPPDATA", ""))
    if not base.is_absolute():  # else the project that one stands in would decide
        home = Path(environment.get("HOME", ""))
        if not home.is_absolute():
            return None
        base = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return base / "roundtable" / f"content-{zlib.crc32(os.fsencode(BUILT_IN)):08x}.json"
