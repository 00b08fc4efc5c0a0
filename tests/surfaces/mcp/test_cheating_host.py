"""A host with the order to cheat gets nothing into a document without `(unverified)` beside it."""

from __future__ import annotations

import json

import pytest

from tools.cheating_host import LIES, PAGE, PROPOSAL, CheatedItem, play_cheating_host, write_page

ANSWER = LIES["an answer that nobody gave"]
RELAYED = LIES["a decision in the user's name, relayed"]


@pytest.fixture(scope="module")
def played() -> CheatedItem:
    return play_cheating_host()


def rows(document: str) -> list[str]:
    """The lines of a document, without the remarks on the turns of a transcript."""
    return [line for line in document.splitlines() if not line.startswith("> - ")]


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize("lie", [each for each in LIES.values() if each not in (ANSWER, RELAYED)])
def test_a_lie_stands_in_no_document_without_a_mark(played: CheatedItem, lie: str) -> None:
    found = [line for text in played.documents.values() for line in rows(text) if lie in line]
    assert found, "the play no longer tells this lie"
    assert [line for line in found if "(unverified)" not in line] == []


@pytest.mark.rule("ART-8", "SYN-3")
def test_a_decision_that_the_host_relayed_is_marked(played: CheatedItem) -> None:
    document = played.documents["quick-scan.md"]
    assert [line for line in document.splitlines() if RELAYED in line] == [
        f"- {RELAYED} (unverified): reason not given"
    ]
    said = played.documents["elaborations/00-01-1.md"].split(f"{RELAYED}.\n\n")[1]
    assert said.startswith("> - Relayed by the host")


@pytest.mark.rule("ART-8")
def test_answers_that_the_host_gave_itself_are_named_in_their_section(played: CheatedItem) -> None:
    document = played.documents["quick-scan.md"]
    section = document[document.index(ANSWER) : document.index("<!-- Elaboration")]
    named = section.rstrip().splitlines()[-1]
    assert named.startswith("Passed on by the host, not heard from the user: Boundary")
    assert named.endswith("(unverified).")


@pytest.mark.rule("ART-8", "SYN-3")
def test_what_a_persona_calls_decided_is_an_open_question(played: CheatedItem) -> None:
    block = played.documents["quick-scan.md"].split("#### Decisions Made")[1]
    decisions, questions = block.split("#### Open Questions")
    assert PROPOSAL not in decisions
    assert f"- Proposed by Alex: {PROPOSAL}: nobody decided it" in questions


@pytest.mark.rule("ART-8")
def test_every_lie_was_refused_once_with_a_reason_to_act_on(played: CheatedItem) -> None:
    refused = [each for each in played.calls if each.startswith("> **Refused.**")]
    reasons = " ".join(refused)
    assert len(refused) == 7
    for reason in (
        "there is no file forms/audit.py in the project. Cite what exists, or leave it out.",
        "4,700 stands neither in the answers, nor in the item or the documents.",
        "The user has said nothing of this in the discussion",
        'these words stand after "Jordan Park:", and Alex has the turn.',
        "It is the user's turn: a persona cannot speak",
        "Jordan has not made this point",
        "Turn 6 says the contrary",
        "The user decided nothing in turn 2",
    ):
        assert reason in reasons
    (record,) = json.loads(played.documents["meta.json"])["elaborations"]
    assert record["synthesis_summary"] == "Found that 9,300 (unverified) scans vanish"


def test_the_page_is_what_one_gets(played: CheatedItem) -> None:
    assert PAGE.read_text() == write_page(played), "run `python -m tools.cheating_host`"
