"""The focus: redirects and where a point belongs (FOCUS-1, FOCUS-2)."""

from __future__ import annotations

import pytest

from people import MAYA, STEPS
from roundtable.core.elaboration import Place, park_point, place, redirect, within_sentence
from roundtable.core.turns import USER, OffTopic, Parked, Turn

DRIFT = OffTopic("storage cost", "03-02")


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("belongs_to", "ahead"),
    [
        ("01-08", Place("MoSCoW Prioritization", "Requirements")),
        ("03-02", Place("Architecture", "Architecture")),
        ("04-design", Place("Design", "Design")),
        ("01-01", None),
        ("01-03", None),
        ("00-01", None),
        ("01-requirements", None),
        ("00-quick-scan", None),
        ("09-09", None),
        (None, None),
    ],
)
def test_a_point_belongs_ahead_or_nowhere(belongs_to: str | None, ahead: Place | None) -> None:
    assert place(belongs_to, steps=STEPS, current="01-03") == ahead


@pytest.mark.rule("FOCUS-1")
def test_a_persona_is_redirected_by_name_to_where_the_point_belongs() -> None:
    ahead = place("01-08", steps=STEPS, current="01-03")
    assert redirect(MAYA, "Alex Rivera", DRIFT, topic="conflicts", ahead=ahead) == (
        "Maya Chen (Business Analyst): Alex Rivera raises an interesting point about storage cost, "
        "but let us stay focused on conflicts. We can explore that when we get to MoSCoW Prioritization."
    )


@pytest.mark.rule("FOCUS-1")
def test_the_user_is_redirected_politely_to_the_phase() -> None:
    ahead = place("01-08", steps=STEPS, current="01-03")
    assert redirect(MAYA, USER, DRIFT, topic="conflicts", ahead=ahead) == (
        "Maya Chen (Business Analyst): That is a great question for Requirements. "
        "For now, let us focus on conflicts."
    )


@pytest.mark.rule("FOCUS-1")
def test_where_nothing_fits_it_can_be_taken_up_afterwards() -> None:
    assert redirect(MAYA, "Alex Rivera", DRIFT, topic="conflicts", ahead=None).endswith(
        "but let us stay focused on conflicts. We can come back to that after this discussion."
    )
    assert redirect(MAYA, USER, DRIFT, topic="conflicts", ahead=None) == (
        "Maya Chen (Business Analyst): That is a great question. For now, let us focus on conflicts. "
        "We can come back to that after this discussion."
    )


@pytest.mark.rule("FOCUS-2")
def test_a_parked_point_keeps_who_said_what_and_when() -> None:
    assert park_point(Turn(7, USER, "What\n would it cost?"), DRIFT) == Parked(
        "storage cost", "03-02", 7, USER, "What would it cost?"
    )


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("Where pick-up facts live", "where pick-up facts live"),
        ("The hand-over.", "the hand-over"),
        ("Alex's option", "Alex's option"),
        ("GPS accuracy", "GPS accuracy"),
        ("  who\n decides? ", "who decides"),
        ("", ""),
    ],
)
def test_a_topic_fits_into_a_sentence(topic: str, said: str) -> None:
    assert within_sentence(topic) == said
