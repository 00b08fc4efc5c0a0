"""Progress: what comes next, what is passed over, and why (STEP-3, GREET-5)."""

from __future__ import annotations

import pytest

from people import step
from roundtable.core.progress import (
    Progress,
    find_position,
    find_remaining_steps,
    is_skipped,
    steps_of_phase,
)
from roundtable.core.steps import PHASE_KEYS, PHASES, phase_of

SCAN, NEEDS = PHASES[:2]
FIRST, SECOND, THIRD = (
    step("00-01"),
    step("00-02", depends_on=("00-01",)),
    step("00-03", depends_on=("00-02",)),
)
NEXT = step("01-01")
STEPS = (FIRST, SECOND, THIRD, NEXT)


@pytest.mark.rule("STEP-3")
def test_completed_steps_are_skipped_and_the_next_is_the_first_that_can_run() -> None:
    assert find_remaining_steps(STEPS, SCAN, (), {}).steps == (FIRST,)
    left = find_remaining_steps(STEPS, SCAN, ("00-01",), {})
    assert left.steps == (SECOND,)
    assert find_remaining_steps(STEPS, SCAN, ("00-01", "00-02", "00-03"), {}).steps == ()


@pytest.mark.rule("STEP-3")
def test_a_step_whose_dependencies_are_not_complete_is_passed_over_with_a_warning() -> None:
    odd = step("00-04", "Odd", depends_on=("00-09", "00-01"))
    left = find_remaining_steps((FIRST, odd), SCAN, ("00-01",), {})
    assert left.steps == ()
    assert left.warnings == ("Step 00-04 (Odd) is skipped, because step 00-09 is not complete.",)


@pytest.mark.rule("STEP-3")
def test_a_true_skip_if_skips_and_one_that_does_not_parse_runs() -> None:
    small = step("00-05", skip_if='scope == "small"')
    assert is_skipped(small, {"scope": "small"})
    assert not is_skipped(small, {"scope": "large"})
    assert not is_skipped(step("00-05", skip_if="scope =="), {"scope": "small"})
    assert not is_skipped(step("00-05"), {})
    assert find_remaining_steps((small,), SCAN, (), {"scope": "small"}).steps == ()


@pytest.mark.rule("STEP-3", "GREET-5")
def test_the_position_is_a_step_then_the_phase_menu_then_the_next_phase_then_nothing() -> None:
    at = find_position(STEPS, Progress(), {})
    assert at is not None and (at.phase, at.step) == (SCAN, FIRST)
    done = ("00-01", "00-02", "00-03")
    at = find_position(STEPS, Progress(done), {})
    assert at is not None and (at.phase, at.step, at.last) == (SCAN, None, THIRD)
    at = find_position(STEPS, Progress(done, ("00-quick-scan",)), {})
    assert at is not None and (at.phase, at.step) == (NEEDS, NEXT)
    assert find_position(STEPS, Progress((), PHASE_KEYS), {}) is None


@pytest.mark.rule("STEP-3")
def test_a_completed_phase_is_not_entered_again() -> None:
    at = find_position(STEPS, Progress((), ("00-quick-scan",)), {})
    assert at is not None and at.step == NEXT


@pytest.mark.rule("STEP-3")
def test_a_phase_that_cannot_go_on_says_why_at_its_menu() -> None:
    odd = step("00-01", "Odd", depends_on=("00-09",))
    at = find_position((odd,), Progress(), {})
    assert at is not None and at.step is None and at.last is None
    assert at.warnings == ("Step 00-01 (Odd) is skipped, because step 00-09 is not complete.",)


def test_steps_belong_to_phases_by_their_number() -> None:
    assert steps_of_phase(STEPS, NEEDS) == (NEXT,)
    assert phase_of("04-02") == PHASES[4]
    assert phase_of("07-01") is None
