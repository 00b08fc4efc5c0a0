"""The trailer: the verdict that a speaker gives with its words (LOOP-7, FOCUS-1)."""

from __future__ import annotations

import pytest

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import Table
from roundtable.core.turns import NEUTRAL, OffTopic, Verdict
from roundtable.panel.model.panel import read_trailer

TABLE = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10)


def read(text: str) -> Verdict:
    """Return the verdict in the trailer of the sixth turn."""
    return read_trailer(text, TABLE, 6)[0]


@pytest.mark.rule("LOOP-7")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("", NEUTRAL),
        ("@@", NEUTRAL),
        ("@@ opposes=2", Verdict(2)),
        ("@@ opposes=none decides=none drifts=none", NEUTRAL),
        ("@@ decides=6,3,3", Verdict(decisions=(3, 6))),
        ("@@ opposes: 2; decides: 4 and 5", Verdict(2, None, (4, 5))),
        ("@@ OPPOSES=turn 2, next=Alex", Verdict(2)),
        ("@@ opposes=6 decides=7,0", NEUTRAL),
        ("@@ opposes=99999999999", NEUTRAL),
        ("@@ sudo=yes opposes", NEUTRAL),
    ],
)
def test_a_verdict_names_turns_that_exist_or_nothing(text: str, verdict: Verdict) -> None:
    assert read(text) == verdict


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("text", "drift"),
    [
        ("@@ drifts=03-02:which database", OffTopic("which database", "03-02")),
        ("@@ drifts=03:the database", OffTopic("the database", "03-architecture")),
        ("@@ drifts=03: technology choices next=none", OffTopic("technology choices", "03-architecture")),
        ("@@ drifts=04-design: screens", OffTopic("screens", "04-design")),
        ("@@ drifts=99-99:x", OffTopic("x", None)),
        ("@@ drifts=01:the weather", OffTopic("the weather", None)),
        ("@@ drifts=the weather", OffTopic("the weather", None)),
        ("@@ drifts=01-03:journeys", None),
        ("@@ drifts=03:", None),
    ],
)
def test_a_drift_goes_to_the_step_or_phase_where_it_belongs(text: str, drift: OffTopic | None) -> None:
    assert read(text).off_topic == drift


@pytest.mark.rule("LOOP-8")
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("@@ opposes=2", None),
        ("@@ next=none", ()),
        ("@@ next=Alex", (ALEX.key,)),
        ("@@ next=jordan, ALEX Rivera", (ALEX.key, JORDAN.key)),
        ("@@ next=Bob", ()),
    ],
)
def test_who_has_something_to_add_is_named_or_not_said(text: str, keys: tuple[str, ...] | None) -> None:
    assert read_trailer(text, TABLE, 6)[2] == keys


def test_a_subject_is_short_and_on_one_line() -> None:
    drift = read("@@ drifts=03:" + "x" * 300).off_topic
    assert drift is not None
    assert len(drift.subject) == 80
