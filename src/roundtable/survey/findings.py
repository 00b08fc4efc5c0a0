"""What a survey finds, as values; every place in the code is a path inside the project and a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Scope = Literal["small", "medium", "large"]
Complexity = Literal["low", "medium", "high"]
Tie = Literal["imports", "mentions", "tests"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, counted from 1, with its text as it stood."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a file is listed, in words, and the file or name that the words are about."""

    why: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A file that the item may touch: how strongly, how often its terms occur, and its best lines first."""

    path: str
    score: float
    count: int
    lines: tuple[Line, ...]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A line that ties a file to a file, or to a name defined in one, that the item touches."""

    tie: Tie
    line: Line
    to: str


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A line through which the program is entered; near where it is in, or uses, what is touched."""

    what: str
    name: str
    line: Line
    near: bool


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """How many commits changed a file in the last 90 days and in the last year."""

    path: str
    quarter: int
    year: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What one look at the project's files says about an item.

    `findings` are the files the item's terms lead to; `radius` is the order in which step 02-01 lists files:
    the findings, and those that are tied to them by import, mention, name or history.
    """

    root: Path
    words: tuple[str, ...]
    findings: tuple[Finding, ...]
    radius: tuple[Finding, ...]
    mentions: tuple[Relation, ...]
    importers: tuple[Relation, ...]
    entry_points: tuple[EntryPoint, ...]
    tests: tuple[Relation, ...]
    change_rate: tuple[ChangeRate, ...]
    scope: Scope
    complexity: Complexity
    reasons: tuple[str, ...]
    files_seen: int
    seconds: float
