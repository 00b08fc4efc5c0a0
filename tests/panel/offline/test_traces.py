"""A cue is met whatever the endings of its words, and only where it may stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.panel.offline.traces import can_be_met, cue, traces

ASKED = "Alex, does our Redis survive a restart? Who told the 12 drivers that they're late?"


@pytest.mark.parametrize(
    ("words", "met"),
    [
        ("survives", True),
        ("surviving a restart", True),
        ("survive * restart", True),
        ("does * restart", False),
        ("^does", True),
        ("^who", True),
        ("^restart", False),
        ("# drivers", True),
        ("12 drivers", True),
        ("theyre late", False),
        ("they late", True),
        ("alex", False),
        ("restart who", False),
        ("later", False),
    ],
)
def test_a_cue_is_met_by_its_stems_in_one_sentence(words: str, met: bool) -> None:
    assert (cue(words) in traces(ASKED, ("Alex",))) is met


@pytest.mark.parametrize("words", ["doesn't work", "doesnt work", "doesn’t work"])
def test_an_apostrophe_makes_no_difference(words: str) -> None:
    assert cue("doesn't work") in traces(f"the lift {words} any more")


@pytest.mark.parametrize(
    ("words", "met"),
    [
        ("goes to sleep at noon", True),
        ("goes to sleep at noon today", False),
        ("goes to * at noon", True),
        ("goes to sleep * noon", False),
        ("goes * sleep * noon", False),
        ("^goes to sleep", True),
        ("^goes * noon", False),
        ("()", False),
    ],
)
def test_a_cue_that_can_never_be_met_is_known(words: str, met: bool) -> None:
    assert can_be_met(cue(words)) is met
    assert (cue(words) in traces("goes to sleep at noon today")) is met


@given(st.text(max_size=200))
def test_whatever_is_written_has_traces(text: str) -> None:
    assert all(len(trace.split()) <= 5 for trace in traces(text))
