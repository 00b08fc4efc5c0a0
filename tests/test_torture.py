"""The short form of `make torture`: killed and broken at random, nothing is lost or doubled."""

from __future__ import annotations

import os

import pytest

from torture import torture


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL and limits of files are those of Unix")
@pytest.mark.rule("GREET-6", "ART-5", "META-4", "META-5", "SYN-6")
def test_killed_and_broken_at_random_nothing_is_lost() -> None:
    count = torture(kills=9, seed=2026)
    assert count.kills >= 9
    assert count.turns_spoken > 9
    assert count.is_sound, count.problems
