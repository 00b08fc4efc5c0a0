"""The shelf: the built-in probe files as they were parsed the last time, kept like a compiled module.

Parsing half a megabyte of TOML takes longer than everything else at the start. What cannot be kept is parsed.
"""

from __future__ import annotations

import marshal
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from .needles import needles

_VERSION = 1
_Tables = Mapping[str, Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tables of every file by its name, None for one that is not sound, and the needles of the cues."""

    tables: _Tables
    needles: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=2)
def shelf(folder: Path) -> Shelf:
    """What stands in a folder of probe files."""
    files = sorted(folder.glob("*.toml"))
    kept = folder / "__pycache__" / f"probes.{sys.implementation.cache_tag}.bin"
    stamp = (_VERSION, *((file.name, *_stamp(file)) for file in files))
    found = _taken(kept, stamp)
    if found is None:
        tables = {file.name: _parsed(file) for file in files}
        found = Shelf(tables, dict(_needles(tables)))
        if not sys.dont_write_bytecode:
            _put(kept, stamp, found)
    return found


def _stamp(file: Path) -> tuple[int, int]:
    stat = file.stat()
    return stat.st_size, stat.st_mtime_ns


def _parsed(file: Path) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None


def _needles(tables: _Tables) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The needles of the first cue of every probe: it is the one that is looked for first."""
    for each in tables.values():
        for probe in (each or {}).get("probe", ()):
            for cue in probe.get("calls_for", ())[:1]:
                yield " ".join(cue.split()), needles(cue)


def _taken(kept: Path, stamp: tuple[object, ...]) -> Shelf | None:
    try:
        known, tables, found = marshal.loads(kept.read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return Shelf(tables, found) if known == stamp else None


def _put(kept: Path, stamp: tuple[object, ...], found: Shelf) -> None:
    """Keep what was parsed; a folder that cannot be written is no failure."""
    try:
        kept.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile(dir=kept.parent, delete=False) as file:
            held: Any = (stamp, dict(found.tables), dict(found.needles))
            file.write(marshal.dumps(held))
        Path(file.name).replace(kept)
    except OSError:
        return
