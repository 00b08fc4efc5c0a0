"""The focus: redirects and where a point belongs (FOCUS-1, FOCUS-2)."""

from __future__ import annotations

import pytest

from people import STEPS
from roundtable.core.elaboration import find_place_ahead
from roundtable.core.lines import redirect
from roundtable.core.turns import USER

SUBJECT = "storage cost"


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("belongs_to", "ahead"),
    [
        ("01-08", "MoSCoW Prioritization"),
        ("03-02", "Architecture"),
        ("04-design", "Design"),
        ("01-01", None),
        ("01-03", None),
        ("00-01", None),
        ("01-requirements", None),
        ("00-quick-scan", None),
        ("09-09", None),
        (None, None),
    ],
)
def test_a_point_belongs_ahead_or_nowhere(belongs_to: str | None, ahead: str | None) -> None:
    assert find_place_ahead(belongs_to, steps=STEPS, current="01-03") == ahead


@pytest.mark.rule("FOCUS-1")
def test_a_persona_is_redirected_by_name_to_where_the_point_belongs() -> None:
    ahead = find_place_ahead("01-08", steps=STEPS, current="01-03")
    assert redirect("Alex Rivera", SUBJECT, topic="conflicts", ahead=ahead) == (
        "Alex Rivera raises an interesting point about storage cost, "
        "but let us stay focused on conflicts. We can explore that when we get to MoSCoW Prioritization."
    )


@pytest.mark.rule("FOCUS-1")
def test_the_user_is_redirected_politely_to_the_phase() -> None:
    ahead = find_place_ahead("01-08", steps=STEPS, current="01-03")
    assert redirect(USER, SUBJECT, topic="conflicts", ahead=ahead) == (
        "That is a great question for MoSCoW Prioritization. For now, let us focus on conflicts."
    )


@pytest.mark.rule("FOCUS-1")
def test_where_nothing_fits_it_can_be_taken_up_afterwards() -> None:
    assert redirect("Alex Rivera", SUBJECT, topic="conflicts", ahead=None).endswith(
        "but let us stay focused on conflicts. We can come back to that after this discussion."
    )
    assert redirect(USER, SUBJECT, topic="conflicts", ahead=None) == (
        "That is a great question. For now, let us focus on conflicts. "
        "We can come back to that after this discussion."
    )
