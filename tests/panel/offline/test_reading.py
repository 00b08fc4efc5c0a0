"""What is taken out of a text: sentences, phrases, figures, persons, and what calls for a probe."""

from __future__ import annotations

import pytest

from offline_talk import step
from roundtable.core.items import Item
from roundtable.core.turns import Material
from roundtable.panel.offline.calling import hits
from roundtable.panel.offline.phrases import actor, figures, noun_phrase, quote, subject
from roundtable.panel.offline.probefile import read_library
from roundtable.panel.offline.reading import language, read

LIBRARY, _ = read_library()


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("the form when it is done", "the form"),
        ("a shopping list.", "the shopping list"),
        ("customer records after 30 days", "the customer records"),
        ("only when the phone rings", None),
        ("quickly", None),
        ("form data", "the form data"),
        ("form", None),
        ("the very long and winding road", None),
        ("the old", None),
        ("their own", None),
        ("the meeting", None),
        ("", None),
    ],
)
def test_a_noun_phrase_is_given_only_when_it_is_certain(rest: str, found: str | None) -> None:
    assert noun_phrase(rest) == found


def test_figures_carry_what_they_count() -> None:
    assert figures("60 inspectors, up to 8 forms and 5 % more in 2 to 3 days") == (
        "60 inspectors", "up to 8 forms", "5 %", "2", "3 days",
    )  # fmt: skip


def test_a_named_role_is_worth_more_than_the_user() -> None:
    assert actor(["Users log in. The user waits. A nurse signs."]) == "the nurse"
    assert actor(["Users log in. The user waits. Users leave."]) == "the user"
    assert actor(["It rains."]) is None


def test_a_quotation_is_verbatim_and_fits() -> None:
    assert quote('- **He** said "no".') == "He said 'no'"
    long = "When the truck arrives at the yard, the guard opens the gate, " + "and waits " * 20
    assert quote(long) == "When the truck arrives at the yard"
    assert quote("word " * 60).endswith("word ...")
    assert len(quote("x" * 500)) <= 104


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("Alex, what about the storage cost?", "the storage cost"),
        ("What about it?", '"What about it"'),
        ("Well, how many forms are locked?", '"how many forms are locked"'),
        ("It is dark. Who signs?", '"Who signs"'),
    ],
)
def test_the_subject_is_a_phrase_or_the_users_own_words(message: str, about: str) -> None:
    assert subject(message, ("Alex",)) == about


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The form is sent to the office and it is kept there.", "english"),
        ("Die Leitung muss den Tausch bestätigen, bevor er gilt.", "foreign"),
        ("利用者は本を予約できます。", "foreign"),
        ("Dark mode", "none"),
    ],
)
def test_the_language_is_told_as_far_as_needed(text: str, found: str) -> None:
    assert language(text) == found


def test_the_steps_own_section_comes_first_and_earlier_blocks_are_no_source() -> None:
    spec = Material(
        "requirements-spec.md",
        "# Spec\n\n## 1. Business Context\n\nIt costs an hour.\n\n## 3. User Journeys\n\n"
        "She opens the form.\n\n"
        "### Elaboration Insights (Step 01-03: User Experience & Journeys)\n\n#### Key Insights\n"
        "- [Alex] Old insight here.\n\n```\ncode in a fence\n```\n\n## 4. Empty\n",
    )
    reading = read(Item("f", "Forms", "Inspectors walk."), step("01-03"), (spec,))
    assert [(each.text, each.origin) for each in reading.sentences] == [
        ("She opens the form.", "section"),
        ("It costs an hour.", "document"),
        ("Inspectors walk.", "item"),
    ]
    assert "Old insight here." in reading.elaborated
    assert reading.empty == ()  # "4. Empty" waits for another step


def called(text: str, persona: str = "solutions-architect") -> set[str]:
    reading = read(Item("x", "Something", text), step("01-03"), ())
    return {hit.probe.topics[0] for hit in hits(reading, LIBRARY, persona)}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The editor can delete an article and its comments.", "undo"),
        ("The shop calls the payment gateway for each order.", "external"),
        ("Two nurses sometimes edit the same chart.", "concurrent"),
        ("We store the phone numbers of all members.", "privacy"),
        ("Only managers can approve a refund.", "permission"),
        ("A reminder is sent a day before.", "notify"),
        ("The clerk imports invoices from a CSV file.", "exchange"),
        ("There is a setting to turn sounds off.", "option"),
        ("The list takes 12 seconds to load.", "volume"),
        ("A lost password is reset by mail.", "secret"),
        ("Duplicate orders must be detected.", "repeat"),
        ("It has to be fast.", "quality"),
        ("The clerk should get the label printed at the counter.", "happy"),
    ],
)
def test_two_cues_in_one_sentence_call_for_a_probe(text: str, topic: str) -> None:
    assert topic in called(text)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("This removes the need for paper.", "undo"),
        ("The upload is at most 2 GB a day.", "exchange"),
        ("Enter the e-mail address to get in.", "notify"),
        ("The office deletes the old building plan of the city.", "external"),
        ("Two people live in the house.", "concurrent"),
        ("It loads in under 2 pages.", "volume"),
        ("It is fast: 90 % within 2 seconds.", "quality"),
        ("Duplicate code should go.", "repeat"),
    ],
)
def test_a_wrong_sense_does_not(text: str, topic: str) -> None:
    assert topic not in called(text)


def test_what_is_settled_is_not_asked_again() -> None:
    assert "undo" in called("The editor can delete an article and its comments.")
    assert "undo" not in called("The editor can delete an article and its comments. A snapshot is kept.")
