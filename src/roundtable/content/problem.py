"""What is wrong with a content file, said so that a person can repair it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_REMARKS = 20


def printable(text: str) -> str:
    """The text without anything that could upset a terminal."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of one file: where, why, and whether the file was left out because of it."""

    file: str
    field: str
    reason: str
    skipped: bool

    @property
    def text(self) -> str:
        """The problem in one line: `.roundtable/personas/x.md, name: is missing. The file is skipped.`"""
        place = f"{self.file}, {self.field}" if self.field else self.file
        return printable(f"{place}: {self.reason}.") + (" The file is skipped." if self.skipped else "")


class UnusableError(Exception):
    """A file cannot be used; carries the field and the reason (never leaves this package)."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault that a file survives, before the file's name is added."""

    field: str
    reason: str


def problems_of(file: str, remarks: Sequence[Remark]) -> list[Problem]:
    """What a file survived, as problems; a file with very many faults has the last of them counted only."""
    problems = [Problem(file, one.field, one.reason, skipped=False) for one in remarks[:MOST_REMARKS]]
    more = len(remarks) - MOST_REMARKS
    if more > 0:
        problems.append(Problem(file, "", f"has {more} more faults of this kind", skipped=False))
    return problems
