"""A figure says what was counted, what was wanted, and what fell short."""

from __future__ import annotations

import pytest

from roundtable.evaluation.figure import Bound, Figure, Unit, count, share


def test_a_share_keeps_what_missed() -> None:
    figure = share("taken up", [(True, "a"), (False, "b"), (True, "c"), (True, "d")], Bound("at least", 75))
    assert (figure.value, figure.counted, figure.misses, figure.holds) == (75.0, "3 of 4", ("b",), True)
    assert (figure.shown, figure.wanted) == ("75.0 %", "at least 75 %")


def test_of_a_share_that_should_be_small_the_cases_are_the_misses() -> None:
    figure = share("alarms", [(True, "a"), (False, "b")], Bound("at most", 5), remark="of all")
    assert (figure.misses, figure.holds, figure.counted) == (("a",), False, "1 of 2; of all")


def test_a_count_should_be_none() -> None:
    assert count("lost", [], among="3 statements").holds is True
    figure = count("lost", ["one"], among="3 statements")
    assert (figure.value, figure.shown, figure.wanted, figure.holds) == (1, "1", "at most 0", False)
    assert (figure.counted, figure.misses) == ("3 statements", ("one",))


def test_nothing_to_count_is_no_failure() -> None:
    figure = share("alarms", [], Bound("at least", 95))
    assert (figure.value, figure.shown, figure.holds) == (None, "-", None)
    assert share("informs", [(False, "a")]).holds is None


@pytest.mark.parametrize(
    ("bound", "value", "holds"),
    [
        (Bound("at least", 95), 95, True),
        (Bound("at least", 95), 94.9, False),
        (Bound("at most", 5), 5, True),
        (Bound("at most", 5), 5.1, False),
        (Bound("below", 25), 25, False),
        (Bound("below", 25), 24.9, True),
    ],
)
def test_bounds_hold_up_to_their_limit(bound: Bound, value: float, holds: bool) -> None:
    assert bound.holds(value) is holds


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(4.96, "ms", "5.0 ms"), (123.4, "ms", "123 ms"), (2, "", "2"), (1 / 3, "%", "0.3 %")],
)
def test_values_are_shown_with_their_unit(value: float, unit: Unit, shown: str) -> None:
    assert Figure("x", value, unit).shown == shown
