"""A figure: what was counted, what was wanted, and what fell short."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Unit = Literal["%", "", "ms"]
Case: TypeAlias = tuple[bool, str]
"""Whether something was so, and the words by which a person finds it."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure has to reach or may not pass."""

    sense: Literal["at least", "at most", "below"]
    limit: float

    def holds(self, value: float) -> bool:
        match self.sense:
            case "at least":
                return value >= self.limit
            case "at most":
                return value <= self.limit
            case "below":
                return value < self.limit


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the report: without a bound it only informs, without a value nothing was there."""

    name: str
    value: float | None
    unit: Unit = "%"
    bound: Bound | None = None
    counted: str = ""
    misses: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None where there is nothing to keep."""
        return None if self.bound is None or self.value is None else self.bound.holds(self.value)

    @property
    def shown(self) -> str:
        if self.value is None:
            return "-"
        match self.unit:
            case "%":
                return f"{self.value:.1f} %"
            case "ms":
                return f"{self.value:.1f} ms" if self.value < 10 else f"{self.value:.0f} ms"
            case "":
                return f"{self.value:g}"

    @property
    def wanted(self) -> str:
        if self.bound is None:
            return ""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.bound.sense} {self.bound.limit:g}{unit}"


def share(name: str, cases: Iterable[Case], bound: Bound | None = None, *, remark: str = "") -> Figure:
    """The percentage of the cases that are so; what is missed are those that are not, or those that are."""
    found = tuple(cases)
    so = sum(is_so for is_so, _ in found)
    missed = bound is not None and bound.sense != "at least"
    misses = tuple(words for is_so, words in found if is_so is missed)
    value = 100 * so / len(found) if found else None
    counted = f"{so} of {len(found)}" + (f"; {remark}" if remark else "")
    return Figure(name, value, "%", bound, counted, misses)


def count(name: str, found: Iterable[str], *, among: str) -> Figure:
    """How many there are of something of which there should be none."""
    misses = tuple(found)
    return Figure(name, len(misses), "", Bound("at most", 0), among, misses)
