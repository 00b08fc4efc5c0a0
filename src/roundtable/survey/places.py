"""Exactly where terms stand in one file: at the beginning of a word, or of a part of a joined name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .terms import Term

_MOST = 300  # hits of one term in one file; more say no more
_LONGEST_ENDING = 5
_LETTER = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") | frozenset(range(128, 256))
_SMALL = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_CAPITAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DEFINITION = re.compile(
    rb"""\s*
    (?:@?(?:export|default|declare|public|private|protected|internal|static|final|abstract|async
        |pub(?:\([a-z]+\))?|unsafe|override|open|data|sealed|inline|virtual)\s+)*
    (?:def|class|func|function\*?|interface|type|struct|enum|trait|impl|fn|module|namespace|record|object
        |protocol|const|let|var|val|macro_rules!|message|service|create\ table|\#define)\s+
    (?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """A line with hits: its number, the terms on it by index, and the name it defines, if any."""

    number: int
    terms: frozenset[int]
    defines: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Places:
    """The lines with hits, in order, and for each term its count and its count in defined names."""

    lines: tuple[Place, ...]
    counts: tuple[int, ...]
    defined: tuple[int, ...]


def places_in(data: bytes, terms: Sequence[Term]) -> Places:
    """Where the terms stand in the file's content."""
    small = data.lower()
    starts = _line_starts(data)
    on_line: dict[int, set[int]] = {}
    counts = [0] * len(terms)
    for index, term in enumerate(terms):
        for spelling in term.spellings:
            for position in _hits(data, small, spelling, whole=term.whole):
                counts[index] += 1
                on_line.setdefault(bisect_right(starts, position), set()).add(index)
    defined = [0] * len(terms)
    lines = []
    for number in sorted(on_line):
        end = starts[number] if number < len(starts) else len(data)
        text = data[starts[number - 1] : end].rstrip(b"\r\n")
        name = defined_name(text)
        if name:
            for index in on_line[number]:
                if any(spelling in name.lower() for spelling in terms[index].spellings):
                    defined[index] += 1
        lines.append(Place(number, frozenset(on_line[number]), name.decode("ascii", "replace"), text))
    return Places(tuple(lines), tuple(counts), tuple(defined))


def defined_name(line: bytes) -> bytes:
    """The name that a line of code defines, in any of the common languages; empty where it defines none."""
    found = _DEFINITION.match(line[:300])
    return found[1] if found else b""


def _line_starts(data: bytes) -> list[int]:
    return [0, *(match.end() for match in re.finditer(rb"\n", data) if match.end() < len(data))]


def _hits(data: bytes, small: bytes, spelling: bytes, *, whole: bool) -> Iterator[int]:
    position = small.find(spelling)
    found = 0
    while position >= 0 and found < _MOST:
        end = position + len(spelling)
        if whole or (_begins(data, position) and _ends(data, end)):
            found += 1
            yield position
        position = small.find(spelling, end)


def _begins(data: bytes, position: int) -> bool:
    """True where a word begins: after no letter, or with a capital after a small one."""
    if position == 0 or data[position - 1] not in _LETTER:
        return True
    return data[position] in _CAPITAL and (
        data[position - 1] in _SMALL or data[position + 1 : position + 2].islower()
    )


def _ends(data: bytes, position: int) -> bool:
    """True where at most a short ending is left of the word."""
    ending = 0
    while position < len(data) and data[position] in _LETTER:
        if data[position] in _CAPITAL and data[position - 1] in _SMALL:
            return True
        ending += 1
        if ending > _LONGEST_ENDING:
            return False
        position += 1
    return True
