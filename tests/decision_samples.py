"""What people say when they decide and when they do not, one message a line in `samples`.

The rules were made on the half `built`. The half `unseen` was written at the same time by the same hand and
measured once when they were done: decisions 80 of 80 with 3 invented, small talk 54 of 60, another step 50 of
60, false alarms 2 of 120. What it had missed was repaired afterwards, so it is no measure any more.
"""

from __future__ import annotations

from pathlib import Path

HALVES = ("built", "unseen")
_FOLDER = Path(__file__).parent / "samples"


def lines(name: str, half: str) -> tuple[str, ...]:
    """The messages of one kind in one half."""
    return tuple((_FOLDER / f"{name}-{half}.txt").read_text(encoding="utf-8").splitlines())
