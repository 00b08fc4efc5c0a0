"""Reading files and counting what occurs in them, as fast as one process can.

Standing alone on purpose: run as a script, it serves a parent process that wants a second core.
"""

from __future__ import annotations

import marshal
import os
import sys
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
    """The content of a plain text file; None for a link, a folder, and what is binary, huge or unreadable."""
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
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
    """True for text that no person writes: a minified script, data without line breaks."""
    return len(data) > _BINARY and (data.count(b"\n") + 1) * _LONG_LINES < len(data)


def count_needles(
    root: str, paths: Sequence[str], needles: Sequence[tuple[bytes, ...]]
) -> list[tuple[int, int, tuple[int, ...]]]:
    """For each file with a hit: its place in the list, its size, and how often each needle occurs.

    A needle is a row of spellings in small letters; ASCII capitals in the files do not matter.
    """
    single = [each[0] for each in needles if len(each) == 1]
    plain = len(single) == len(needles)
    prefix = root + os.sep
    found = []
    for place, path in enumerate(paths):
        data = read_text(prefix + path)
        if not data:
            continue
        small = data.lower()
        if plain:
            counts = tuple([small.count(needle) for needle in single])
        else:
            counts = tuple([sum(map(small.count, spellings)) for spellings in needles])
        if any(counts):
            found.append((place, len(data), counts))
    return found


def find_holding(root: str, paths: Sequence[str], needles: Sequence[bytes]) -> list[int]:
    """The places in the list of the files that hold at least one of the needles, letter by letter."""
    prefix = root + os.sep
    found = []
    for place, path in enumerate(paths):
        data = read_text(prefix + path)
        if data and any(needle in data for needle in needles):
            found.append(place)
    return found


def _serve() -> None:
    """One question on the standard input, one answer on the standard output."""
    task, root, paths, needles = marshal.load(sys.stdin.buffer)
    answer = count_needles(root, paths, needles) if task == "count" else find_holding(root, paths, needles)
    marshal.dump(answer, sys.stdout.buffer)


if __name__ == "__main__":
    _serve()
