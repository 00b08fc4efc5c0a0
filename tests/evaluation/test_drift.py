"""What drifts is sent back, and what belongs to the discussion is not (FOCUS-1)."""

from __future__ import annotations

import pytest

from roundtable.core.turns import OffTopic, Verdict
from roundtable.evaluation import drift
from roundtable.evaluation.scripts import Message
from trials import discussion, trial, user

FAR = Message("drift-far", "Did you see the match?")
STEP = Message("drift-step", "Which database?", "", "03-02")
ASKS = Message("question", "Who waits?")
NOWHERE = Verdict(off_topic=OffTopic("the match"))
TECHNOLOGY = Verdict(off_topic=OffTopic("databases", "03-01"))
DESIGN = Verdict(off_topic=OffTopic("databases", "04-01"))


@pytest.mark.rule("FOCUS-1")
def test_redirects_and_false_alarms_are_counted_apart() -> None:
    talk = discussion(
        user(FAR, NOWHERE), user(FAR), user(FAR, DESIGN),
        user(STEP, TECHNOLOGY), user(STEP, DESIGN), user(STEP, NOWHERE), user(STEP),
        user(ASKS), user(ASKS, NOWHERE), user(ASKS, DESIGN), user(Message("decision", "Keep it.")),
        user(Message("ok", "ok"), NOWHERE),
    )  # fmt: skip
    far, far_alarms, step, step_alarms = drift.measure([trial(talk)])
    assert (far.counted, far.misses) == ("2 of 3", ("Did you see the match?",))
    assert (far_alarms.counted, far_alarms.misses) == ("1 of 4", ("Who waits? (to nowhere)",))
    assert step.counted == "3 of 4; 1 to the right phase"
    assert (step_alarms.counted, step_alarms.misses) == ("1 of 4", ("Who waits? (to 04-01)",))
    assert [figure.wanted for figure in (far, far_alarms, step, step_alarms)] == [
        "at least 95 %", "at most 3 %", "at least 50 %", "at most 5 %"
    ]  # fmt: skip
