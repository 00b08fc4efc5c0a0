"""Drift and decisions, by local means: in doubt nothing is sent away and nothing counts as decided."""

from __future__ import annotations

import pytest

from offline_talk import ROSTER, STEPS, run, step
from roundtable.core.commands import Table
from roundtable.core.items import Item
from roundtable.core.turns import OffTopic, Turn, Verdict
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.decisions import deciding, option, points_back

ITEM = Item(
    "forms", "Offline forms", "Inspectors fill in forms in basements without signal. The app syncs later."
)
PANEL = OfflinePanel()


def judged(words: str, item: Item = ITEM) -> Verdict:
    table = Table(
        item, step("01-03"), ROSTER, ROSTER.personas[0], STEPS, (), 10,
        "When two changes to the form meet, who decides?", "whose change stands",
        (Turn(1, "business-analyst", "When two changes to the form meet, who wins?"), Turn(2, "user", words)),
    )  # fmt: skip
    return run(PANEL.judge(table))


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("words", "subject", "place"),
    [
        ("What would the storage cost us?", "storage cost", "03-02"),
        ("Which database do we take?", "which database", "03-02"),
        ("Is that a must-have?", "must-have", "01-08"),
        ("Then we go with A. What is the hosting?", "hosting", "03-02"),
    ],
)
def test_another_steps_subject_is_sent_there(words: str, subject: str, place: str) -> None:
    assert judged(words).off_topic == OffTopic(subject, place)


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    "words", ["How about this weather?", "Did you see the football on Sunday?", "Lunch anyone?"]
)
def test_far_off_talk_belongs_nowhere(words: str) -> None:
    drift = judged(words).off_topic
    assert drift is not None
    assert drift.belongs_to is None


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    "words",
    [
        "Who decides when both answers differ?",
        "How large may a form become?",
        "Which answers does the tablet hold while there is no signal?",
        "Why?",
        "Is signature enough?",
        "ok",
        "Jordan, what does the inspector see?",
        "That sounds expensive.",
        "What about accessibility?",
    ],
)
def test_in_doubt_nothing_is_sent_away(words: str) -> None:
    assert judged(words).off_topic is None


@pytest.mark.rule("FOCUS-1")
def test_what_the_item_is_about_is_never_far_off() -> None:
    item = Item("lunch", "Lunch orders", "Employees order lunch before ten.")
    assert judged("When is lunch ordered?", item).off_topic is None


@pytest.mark.rule("LOOP-7", "SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "Let's go with A.",
        "Then we go with A, but safety fields are never merged.",
        "we'll keep both versions for a week",
        "Agreed.",
        "Decided: the office wins",
        "No, the inspector wins every time.",
        "Use the version check.",
        "Jordan, make it one contract per form.",
        "Ok, do that.",
        "Never merge safety fields.",
        "I’ll take option B",
        "B it is.",
        "Let us keep it simple. What about photos?",
    ],
)
def test_a_cue_or_an_imperative_decides(words: str) -> None:
    assert judged(words).decisions == (2,)


@pytest.mark.rule("LOOP-7", "SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "Should we go with A?",
        "What if we decided later?",
        "We haven't agreed on that.",
        "We'll see.",
        "We will lose data that way.",
        "No idea.",
        "No, I don't know that either.",
        "Let's see what Jordan says.",
        "Let's discuss the photos.",
        "Go on.",
        "Inspectors use tablets.",
        "Use cases are missing.",
        "I think most basements have no signal.",
        "Don't you think?",
        "Maybe we go with A.",
        "Show me an example?",
        "Do we need that?",
    ],
)
def test_nothing_is_decided_by_accident(words: str) -> None:
    assert judged(words).decisions == ()


def test_only_the_deciding_sentence_counts() -> None:
    words = "Basements are dark. We go with A. What about photos?"
    assert deciding(words) == ("We go with A.",)


@pytest.mark.parametrize("words", ["do that", "Ok, do that.", "Agreed", "yes, let's do it", "Maya, do that"])
def test_a_bare_assent_points_back(words: str) -> None:
    assert points_back(words, ("Maya",))


@pytest.mark.parametrize("words", ["do the version check", "agreed, but only for photos"])
def test_a_decision_with_content_does_not_point_back(words: str) -> None:
    assert not points_back(words)


def test_the_option_is_named_by_its_letter() -> None:
    assert option("We go with A") == "A"
    assert option("I prefer Option B here") == "B"
    assert option("A colleague decides") is None
