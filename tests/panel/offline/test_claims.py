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
        (
            "Agreed. Show past days greyed out and never send them back.",
            "Show past days greyed out and never send them back",
        ),
        ("then decide it: an empty field means as planned", "an empty field means as planned"),
        (
            "let's switch off the announcement until there is a new file",
            "switch off the announcement until there is a new file",
        ),
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
        ("I still think one provider is a mistake", "objection"),
        ("Taking the whole map offline is over the top", "objection"),
        ("A text message is not a second signature", "objection"),
        ("right click takes ages", "objection"),
        ("We skip the second look unless both agree, otherwise it goes on", "decision"),
        ("Teachers enter the absence only at noon", "fact"),
        ("We print around 70 labels a day", "fact"),
    ],
)
def test_minding_is_told_from_stating(message: str, kind: str) -> None:
    said = claim(message)
    assert said is not None
    assert said.kind == kind


def test_what_is_stated_is_kept_whole() -> None:
    said = claim("We print 70 labels a day, in December 200. My colleague counted.")
    assert said is not None
    assert said.text == "We print 70 labels a day, in December 200. My colleague counted"


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
