"""What the user states, minds or decides, in words that can be quoted."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.claims import amounts, claim


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
        ("Teachers enter the absence only at noon", "fact"),
        ("We print around 70 labels a day", "fact"),
    ],
)
def test_minding_is_told_from_stating(message: str, kind: str) -> None:
    said = claim(message)
    assert said is not None
    assert said.kind == kind


def test_what_may_follow_goes_by_figure_and_rule() -> None:
    decided = claim("Agreed: a lock is never held for more than 10 minutes.")
    counted = claim("last year HR corrected 38 balances by hand")
    lasting = claim("a full upload takes 25 to 40 minutes")
    plain = claim("Agreed: the zone is shown.")
    assert decided and decided.bodies == ("body-amount-decided", "body-rule", "body-decision")
    assert counted and counted.bodies == ("body-amount", "body-fact")
    assert lasting and lasting.bodies == ("body-duration", "body-fact")
    assert plain and plain.bodies == ("body-decision",)


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
