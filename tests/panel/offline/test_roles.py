"""Roles: what a sentence does in an item, told only where there is no doubt."""

from __future__ import annotations

import pytest

from offline_talk import step
from roundtable.core.items import Item
from roundtable.panel.offline.calling import hits
from roundtable.panel.offline.probefile import parse, read_library
from roundtable.panel.offline.probes import ROLES
from roundtable.panel.offline.reading import Reading, Sentence, read

LIBRARY, _ = read_library()


def item(text: str, name: str = "Something") -> Reading:
    return read(Item("x", name, text), step("01-03"), ())


def roles(text: str) -> set[str]:
    reading = item(text)
    return {name for name in ROLES if reading.plays(text, name, LIBRARY)}


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("It would be good if the list could be printed.", "wish"),
        ("I'd like to move a booking to another day.", "wish"),
        ("What is missing is a button that closes all of them.", "wish"),
        ("The confirmation mail is lost on the second try.", "complaint"),
        ("The crews cannot tell which part is new.", "complaint"),
        ("Then I have to type every number again.", "workaround"),
        ("At the moment the packer opens each line and types the quantity.", "workaround"),
        ("What we do now: print the list and cross out names.", "workaround"),
        ("My guess: the zone is dropped on the way.", "cause"),
        ("The importer apparently compares the amount only.", "cause"),
        ("I expected to be asked first.", "expected"),
        ("The door stays shut, because nobody has the code.", "reason"),
        ("Other clients show the right hour.", "compare"),
        ("From my address book 931 of 1,112 contacts were skipped.", "count"),
        ("The office handles 40 forms a day.", "count"),
        ("A started episode must not be deleted.", "limit"),
        ("When the weather turns bad, every exposure is aborted.", "when"),
        ("Either the old date is lost or the new one is wrong.", "choice"),
    ],
)
def test_a_plain_cue_shows_the_role(text: str, role: str) -> None:
    assert role in roles(text)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Would it be good if the list could be printed?", "wish"),  # asks
        ("Things that would be nice to have:", "wish"),  # only announces a list
        ("It should not be possible to delete it.", "wish"),
        ("If the mail is lost, we ring them.", "complaint"),  # a case, not what happened
        ("Nothing should be lost.", "complaint"),
        ("We should not have to type it.", "workaround"),
        ("I did not expect an answer.", "expected"),
        ("It works since version 4 of 7.", "count"),
        ("Bikes that must not be handed out stand in the rack.", "limit"),
        ("When I talked to her, she laughed.", "when"),
        ("I want it whether or not it rains.", "choice"),
    ],
)
def test_where_in_doubt_there_is_none(text: str, role: str) -> None:
    assert role not in roles(text)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("Scores are wrong after a deadline was moved", "Lena got 90 points.", "bug"),
        ("Let students reserve a bike", "The key is lost on most days. It fails often.", "feature"),
        ("Polls", "The result is lost after a vote. On some days it disappears.", "bug"),
        ("Polls", "The result is lost after a vote.", ""),  # one sentence is not enough
        ("Polls", "Those who vote later see what the others said.", ""),
    ],
)
def test_the_kind_of_an_item_is_told_by_its_title_or_by_two_sentences(
    name: str, text: str, kind: str
) -> None:
    assert item(text, name).kind(LIBRARY) == kind


PROBE = """
[roles.workaround]
cues = ['\\bby hand\\b']
[roles.bug]
cues = ['\\bwrong\\b']
[[probe]]
id = "zoe.hand"
persona = "tester"
topics = ["hand"]
role = "workaround"
{more}
[[probe.says]]
form = "risk"
text = "{{Says}}. Who does it on Sundays?"
handle = "Sunday"
insight = "Somebody does it on Sundays."
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", True),
        ("calls_for = ['\\bclerks?\\b']", True),
        ("calls_for = ['\\bdrivers?\\b']", False),
        ("unless = ['\\bcopies\\b']", False),
        ('item = "bug"', True),
        ('item = "feature"', False),
    ],
)
def test_a_probe_hangs_on_a_sentence_with_its_role(more: str, found: bool) -> None:
    library, problems = parse(PROBE.format(more=more))
    assert problems == ()
    reading = item("It rains. The clerk copies each form by hand.", "Sums are wrong")
    called = hits(reading, library, "tester")
    assert bool(called) == found
    if found:
        assert called[0].values["says"] == 'the item says "The clerk copies each form by hand"'
        assert called[0].values["actor"] == "the clerk"


def test_the_users_words_have_roles_too_and_documents_have_none() -> None:
    library, _ = parse(PROBE.format(more=""))
    reading = item("It rains.")
    for origin, found in (("user", 1), ("document", 0), ("section", 0)):
        said = Sentence("We count them by hand.", origin)  # type: ignore[arg-type]
        assert len(hits(reading, library, "tester", (said,))) == found
