"""What the user states, minds or decides, in words that can be quoted."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.claims import amounts, can_follow_that, claim, told


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Let's go with this: a bike is released after 15 minutes.", "a bike is released after 15 minutes"),
        ("agreed: half a day is deducted.", "half a day is deducted"),
        ("ok then we'll store the local time", "we'll store the local time"),
        ("raw files are never touched, let's go with that", "raw files are never touched"),
        ("No, the second code cancels the first.", "the second code cancels the first"),
        ("Let's go with it, but a table is restored first.", "a table is restored first"),
        ("Fill the line with the earlier date first.", "Fill the line with the earlier date first"),
        ("Keep it.", "Keep it"),
    ],
)
def test_a_decision_without_the_words_that_announce_it(message: str, text: str) -> None:
    said = claim(message)
    assert said is not None
    assert (said.kind, said.text) == ("decision", text)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("I don't like it when the form changes silently.", "objection"),
        ("A view of thirty fields is too much", "objection"),
        ("nobody will read that", "objection"),
        ("then I can't remind anybody any more", "objection"),
        ("I'm against deleting anything unplayed", "objection"),
        ("Mailing everybody only makes people angry", "objection"),
        ("Teachers enter the absence only at noon", "fact"),
        ("We print around 70 labels a day", "fact"),
    ],
)
def test_minding_is_told_from_stating(message: str, kind: str) -> None:
    said = claim(message)
    assert said is not None
    assert said.kind == kind


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("Agreed: a lock is never held for more than 10 minutes.", "never"),
        ("Agreed: only the head of registration may merge.", "only"),
        ("Let's go with minus takes the oldest.", "order"),
        ("Agreed: the zone is shown.", ""),
        ("The zone is never shown today.", ""),  # stated, not decided
    ],
)
def test_the_rule_that_a_decision_makes(message: str, rule: str) -> None:
    said = claim(message)
    assert said is not None
    assert said.rule == rule


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("I don't want my table names there, that's the point", "you don't want your table names there"),
        ("Then I was alone", "you were alone"),
        ("Teachers enter it at noon", "teachers enter it at noon"),
        ("Dispatch told us so", "Dispatch told us so"),
        (
            "In Dutch we had 57 such strings, all of them wrong",
            "in Dutch we had 57 such strings, all of them wrong",
        ),
    ],
)
def test_a_statement_is_said_again_by_somebody_else(text: str, again: str) -> None:
    assert told(text, "the teachers and the desk") == again


def test_after_that_only_what_begins_with_its_subject() -> None:
    assert can_follow_that("teachers enter it at noon")
    assert not can_follow_that("in Dutch we had 57")
    assert not can_follow_that("it happened twice")


def test_a_question_or_a_sound_claims_nothing() -> None:
    assert claim("Who decides?") is None
    assert claim("hm") is None


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("about 40 duplicates every week", ("40 duplicates",)),
        ("Depot 7 scans 52 parcels", ("52 parcels",)),
        ("at 3 in the morning", ()),
        ("it happened 3 times", ()),
        ("thirty fields side by side", ("thirty fields",)),
        ("10 % per day", ("10 %",)),
    ],
)
def test_what_is_counted(sentence: str, found: tuple[str, ...]) -> None:
    assert amounts(sentence) == found
