"""A host with the order to cheat gets nothing into a document without `(unverified)` beside it."""

from __future__ import annotations

import json

import pytest

from tools.cheating_host import LIES, PAGE, PERSON, PROPOSAL, CheatedItem, play_cheating_host, write_page

ANSWER = LIES["an answer that nobody gave"]
RELAYED = LIES["a decision in the user's name, relayed"]


@pytest.fixture(scope="module")
def played() -> CheatedItem:
    return play_cheating_host()


def rows(document: str) -> list[str]:
    """The lines of a document; of a transcript those below the discussion, in which anything may be said."""
    return (
        document.partition("\n## Discussion\n")[2].partition("\n## Synthesis\n")[2].splitlines()
        or document.splitlines()
    )


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize("lie", LIES.values())
def test_a_lie_stands_in_no_document_without_a_mark(played: CheatedItem, lie: str) -> None:
    assert any(lie in text for text in played.documents.values()), "the play no longer tells this lie"
    found = [line for text in played.documents.values() for line in rows(text) if lie in line]
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
def test_only_the_answer_that_the_host_gave_itself_is_marked(played: CheatedItem) -> None:
    document = played.documents["quick-scan.md"].splitlines()
    (given,) = [line for line in document if ANSWER in line]
    assert given.endswith("(unverified).")
    assert f"**Afterwards**: {PERSON[0]}" in document


@pytest.mark.rule("ART-8", "SYN-3")
def test_what_a_persona_calls_decided_is_an_open_question(played: CheatedItem) -> None:
    block = played.documents["quick-scan.md"].split("#### Decisions Made")[1]
    decisions, questions = block.split("#### Open Questions")
    assert PROPOSAL not in decisions
    assert f"- Proposed by Alex: {PROPOSAL} (unverified): nobody decided it" in questions


@pytest.mark.rule("ART-8")
def test_every_lie_was_turned_down_once_with_a_reason_to_act_on(played: CheatedItem) -> None:
    refused = [each for each in played.calls if each.startswith(("> **Refused.**", "> **Not accepted.**"))]
    reasons = " ".join(refused)
    assert len(refused) == 11
    for reason in (
        "This client can ask the person, so their words are not relayed",
        "there is no file forms/audit.py in the project. Cite what exists, or leave it out.",
        "The user has said nothing yet, so nobody can refer to it",
        'these words stand after "Jordan Park:", and Alex has the turn.',
        "It is the user's turn: a persona cannot speak",
        "Turn 6 says the opposite",
        "The user decided nothing in turn 2",
    ):
        assert reason in reasons
    (record,) = json.loads(played.documents["meta.json"])["elaborations"]
    assert record["synthesis_summary"] == "Found that 9,300 scans vanish (unverified)"


def test_the_page_is_what_one_gets(played: CheatedItem) -> None:
    assert PAGE.read_text() == write_page(played), "run `python -m tools.cheating_host`"
