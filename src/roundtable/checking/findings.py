"""What a check finds: a place in a file, and what is the matter there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "dangling", "duplicate", "no-acceptance", "stories", "table", "citation", "marker", "unreadable", "open",
    "record", "block", "lost",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in one line of a file; `open` is a question left open, everything else a problem."""

    file: str
    line: int
    kind: Kind
    text: str

    @property
    def is_problem(self) -> bool:
        return self.kind != "open"
