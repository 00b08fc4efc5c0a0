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


FAR = (
    "anyone up for pizza later?", "what a storm last night, my garden is a mess",
    "is the coffee machine still broken?", "how was your weekend?", "does anybody have an aspirin?",
    "my kid is sick, I have to leave early", "did you see the new movie?", "I need a haircut",
    "any tips for a good restaurant near the station?", "my landlord raised the rent again",
    "are you coming to the party on friday?", "I'm so tired today", "by the way, who won the match",
    "is there cake in the kitchen?", "can somebody open a window in this room",
    "my flight leaves at six, so I have to go", "do you like my new glasses?",
    "what are you doing for Christmas?", "hey has anybody booked the hotel yet?",
    "is it just me or is it freezing in this room",
)  # fmt: skip
ELSEWHERE = (
    "what would the endpoint for that look like?", "do we store that as json or in columns?",
    "which class does that go into?", "can we do that with a cron job?", "is there a library for that?",
    "do we need an index for that query?", "what exception do we throw then?", "how do we cache that?",
    "should we put it behind a feature flag?", "where in the code does that happen today?",
    "do we write that in Python or Go?", "what does the response body contain?",
    "can we write that as a user story?", "who is the owner of that module?",
    "how much revenue do we lose without it?", "is that a must-have?",
)  # fmt: skip
AT_HOME = (
    "who wins when both saved?", "can she still send it then?",
    "what does the inspector see in the basement?", "how long does it take on the stairs?",
    "I think the inspector is right", "most basements have no signal at all", "what if the tablet breaks?",
    "the office rings them twice a day", "that sounds expensive", "why?", "and if nobody looks?",
    "what happens with the photos?", "two of them lost a form last week",
    "is that the same for all inspectors?", "Jordan, what is missing?", "who tells the inspector?",
    "I'm not sure that helps anybody", "what do we show in the list?", "they fill it in on Friday evening",
    "my team has 12 tablets", "does anybody read the forms at night?", "can we ask somebody in the office?",
)  # fmt: skip


@pytest.mark.rule("FOCUS-1")
def test_most_small_talk_is_seen_and_hardly_anything_else_is_taken_for_it() -> None:
    far = [words for words in FAR if judged(words).off_topic is not None]
    away = [words for words in ELSEWHERE if judged(words).off_topic is not None]
    alarms = [words for words in AT_HOME if judged(words).off_topic is not None]
    assert len(far) >= 0.95 * len(FAR), set(FAR) - set(far)
    assert len(away) >= 0.8 * len(ELSEWHERE), set(ELSEWHERE) - set(away)
    assert alarms == []


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize("words", ["We go with pizza for everybody.", "you idiots", "what a waste of time"])
def test_neither_a_decision_nor_displeasure_is_small_talk(words: str) -> None:
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
        "From now on the paper is only a backup.",
        "Pause after five minutes below the minimum.",
        "Round down, never up.",
        "No, we keep both.",
        "Two hours it is.",
        "When in doubt the whole value is replaced, agreed.",
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
        "I would go with A if it were cheaper.",
        "They agreed on that last year.",
        "Use is heaviest on Mondays.",
        "Close to 40 people complained.",
        "Keep in mind that half of them are blind.",
        "it is what it is",
        "Release in January changed the tooltip.",
        "keep it here or there? two different designs",
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
