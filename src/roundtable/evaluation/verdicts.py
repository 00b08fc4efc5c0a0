"""Verdicts: contributions drawn for a reader, and what the reader makes of them.

The table has a row for each contribution and four columns to fill in with yes or no. `answers` asks whether a
reply answers the message; it stays empty where nothing was asked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import ContentBroken, DiskFailed
from .discussion import Contribution, Discussion, Trial
from .figure import Bound, Figure, share

COLUMNS = ("sensible", "worth saying", "nonsense", "answers")
_HEADS = ("number", "item", "step", "to", "speaker", "text", *COLUMNS)
_BOUNDS = {
    "sensible": Bound("at least", 85),
    "worth saying": Bound("at least", 50),
    "nonsense": Bound("at most", 5),
    "answers": Bound("at least", 70),
}
_YES = frozenset({"y", "yes", "x", "1", "true"})
_NO = frozenset({"n", "no", "0", "false"})
_CELL = re.compile(r"(?<!\\)\|")
_ROW = re.compile(r"^\|\s*\d+\s*\|")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A contribution that a reader is to judge."""

    discussion: Discussion
    contribution: Contribution


def draw(trials: Sequence[Trial], number: int, seed: int) -> tuple[Drawn, ...]:
    """So many contributions of the discussions with a talking user, by seed, in the order of the items."""
    every = [Drawn(trial.first, each) for trial in trials for each in trial.first.contributions]
    chosen = random.Random(seed).sample(range(len(every)), min(number, len(every)))
    return tuple(every[at] for at in sorted(chosen))


def table(drawn: Iterable[Drawn]) -> str:
    """The drawn contributions as a markdown table with columns to fill in."""
    rows = [" | ".join(_HEADS), " | ".join("---" for _ in _HEADS)]
    rows += [" | ".join(_cells(number, each)) for number, each in enumerate(drawn, 1)]
    return "\n".join(f"| {row} |" for row in rows) + "\n"


def read_verdicts(path: Path) -> tuple[Figure, ...]:
    """The shares of a filled table; ContentBroken where a cell says neither yes nor no."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DiskFailed(f"Could not read {path}: {error}.", do="Name a table made with --sample.") from error
    rows = [_split(line) for line in text.splitlines() if _ROW.match(line)]
    if not rows or any(len(row) != len(_HEADS) for row in rows):
        raise ContentBroken(
            f"{path} holds no table with the columns {', '.join(_HEADS)}.", do="Make one with --sample."
        )
    return tuple(share(f"read: {column}", _judged(rows, column, path), _BOUNDS[column]) for column in COLUMNS)


def _judged(rows: Sequence[Sequence[str]], column: str, path: Path) -> Iterator[tuple[bool, str]]:
    at = _HEADS.index(column)
    for row in rows:
        said = row[at].strip().lower().strip("*_`.")
        if said in _YES or said in _NO:
            yield said in _YES, f"{row[0]} {row[1]}, {row[4]}: {row[5]}"
        elif said not in ("", "-"):
            raise ContentBroken(
                f'Row {row[0]} of {path} says "{row[at]}" under {column}.', do="Write yes, no or nothing."
            )


def _cells(number: int, drawn: Drawn) -> tuple[str, ...]:
    discussion, each = drawn.discussion, drawn.contribution
    # Who adds something to another's reply speaks to the table.
    to = f'"{each.answers.text}"' if each.answers and each.purpose == "answer" else each.purpose
    who = discussion.roster[each.speaker].first_name
    cells = (str(number), discussion.script.name, discussion.step.step_id, to, who, each.text)
    return (*map(_cell, cells), *("" for _ in COLUMNS))


def _cell(text: str) -> str:
    lines = (line.strip() for line in text.replace("\\", "\\\\").replace("|", "\\|").splitlines())
    return "<br>".join(line for line in lines if line)


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(line.strip())[1:-1]]
