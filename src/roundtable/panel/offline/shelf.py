"""The shelf: the built-in files as they were parsed the last time, kept like a compiled module.

Parsing a megabyte of TOML takes longer than everything else at the start. What cannot be kept is parsed.
"""

from __future__ import annotations

import marshal
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from .needles import needles

BUILT_IN = Path(__file__).resolve().parents[2] / "content" / "probes"
LEXICON = "lexicon.toml"
_VERSION = 8
Tables: TypeAlias = Mapping[str, Mapping[str, Any] | None]
"""The tables of every file by its name, None for one that is not sound."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tables of the probe files, and the needles of their cues."""

    tables: Tables
    needles: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=2)
def shelf(folder: Path) -> Shelf:
    """What stands in a folder of probe files."""
    return Shelf(*kept(folder, lambda tables: (dict(tables), dict(_needles(tables)))))


def kept(folder: Path, make: Callable[[Tables], Any]) -> Any:
    """What is made of the files of a folder: plain values, made again only when a file has changed."""
    files = sorted(folder.glob("*.toml"))
    place = folder / "__pycache__" / f"{folder.name}.{sys.implementation.cache_tag}.bin"
    stamp = (_VERSION, *((file.name, *_stamp(file)) for file in files))
    found = _taken(place, stamp)
    if found is None:
        found = make({file.name: _parsed(file) for file in files})
        if not sys.dont_write_bytecode:
            _put(place, stamp, found)
    return found


def _stamp(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


def _parsed(file: Path) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None


def _needles(tables: Tables) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The needles of the first cue of every probe: it is the one that is looked for first."""
    for each in tables.values():
        for probe in (each or {}).get("probe", ()):
            for cue in probe.get("calls_for", ())[:1]:
                yield " ".join(cue.split()), needles(cue)


def _taken(place: Path, stamp: tuple[object, ...]) -> Any:
    try:
        known, found = marshal.loads(place.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return found if known == stamp else None


def _put(place: Path, stamp: tuple[object, ...], found: Any) -> None:
    """Keep what was made; a folder that cannot be written is no failure."""
    held: Any = (stamp, found)
    try:
        place.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile(dir=place.parent, delete=False) as file:
            file.write(marshal.dumps(held))
        Path(file.name).replace(place)
    except OSError:
        return
