"""The requests of a whole elaboration, kept word for word: what a model reads is reviewed like code.

`UPDATE_SNAPSHOT=1 pytest tests/test_request_snapshot.py` writes the file anew; its diff shows what changed.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from model_talk import ScriptedModel
from test_table import TALK, Place, hold, rich

__all__ = ["rich"]
SNAPSHOT = Path(__file__).parent / "samples" / "requests.txt"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?")


def show_requests(requests: list[str]) -> str:
    """Show the first request whole, and of each later one what it does not share with the one before."""
    shown = [f"===== request 1\n{requests[0]}"]
    for number, (before, after) in enumerate(pairwise(requests), 2):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        shared = after.rfind("\n", 0, sum(1 for _ in same)) + 1
        shown.append(f"===== request {number}, after {shared / len(before):.0%} shared\n{after[shared:]}")
    return MOMENT.sub("DATE", "\n".join(shown)) + "\n"


@pytest.mark.rule("TABLE-1")
def test_the_requests_of_a_whole_elaboration_are_as_reviewed(rich: Place) -> None:
    shown = show_requests(hold(rich, TALK, ScriptedModel()))
    if os.environ.get("UPDATE_SNAPSHOT"):
        SNAPSHOT.write_text(shown, encoding="utf-8")
    assert shown == SNAPSHOT.read_text(encoding="utf-8")
