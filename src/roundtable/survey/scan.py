"""Reads files and counts what occurs in them, as fast as one process can."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

LARGEST = 1024 * 1024
_FIRST = 64 * 1024
_BINARY = 8 * 1024
_LONG_LINES = 600
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_text(path: str) -> bytes | None:
    """Return the content of a text file; None for anything else, and for a huge or unreadable one."""
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        data = os.read(handle, _FIRST)
        if len(data) == _FIRST:
            parts = [data]
            size = len(data)
            while size <= LARGEST and (data := os.read(handle, LARGEST + 1 - size)):
                parts.append(data)
                size += len(data)
            data = b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(handle)
    if len(data) > LARGEST or data.find(0, 0, _BINARY) >= 0 or _is_packed(data):
        return None
    return data


def _is_packed(data: bytes) -> bool:
    """Whether no person wrote this text: a minified script, data without line breaks."""
    return len(data) > _BINARY and (data.count(b"\n") + 1) * _LONG_LINES < len(data)


def count_needles(
    root: str, paths: Sequence[str], needles: Sequence[tuple[bytes, ...]]
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return for each file with a hit its place in the list, its size, and how often each needle occurs.

    A needle is a row of spellings in small letters; ASCII capitals in the files do not matter.
    """
    prefix = root + os.sep
    found = []
    for place, path in enumerate(paths):
        data = read_text(prefix + path)
        if not data:
            continue
        small = data.lower()
        counts = tuple([sum(map(small.count, spellings)) for spellings in needles])
        if any(counts):
            found.append((place, len(data), counts))
    return found


def find_holding(root: str, paths: Sequence[str], needles: Sequence[bytes]) -> list[int]:
    """Return the places in the list of the files that hold at least one of the needles as spelled."""
    prefix = root + os.sep
    found = []
    for place, path in enumerate(paths):
        data = read_text(prefix + path)
        if data and any(needle in data for needle in needles):
            found.append(place)
    return found
