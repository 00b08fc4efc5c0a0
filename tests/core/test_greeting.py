"""Greeting and recovery texts (GREET-1 to GREET-3)."""

from __future__ import annotations

import pytest

from people import MAYA
from roundtable.core.lines import continue_sentence, new_in_phase, welcome_back
from roundtable.core.progress import Past
from roundtable.core.steps import PHASES


@pytest.mark.rule("GREET-1")
def test_a_new_phase_begins_with_the_leads_name() -> None:
    assert new_in_phase(MAYA, PHASES[1]).text == (
        "Maya Chen: Hi, I'm Maya, your Business Analyst. "
        "I'll be guiding you through Requirements Discovery. Let's get started."
    )


@pytest.mark.rule("GREET-2")
@pytest.mark.parametrize(
    ("titles", "said"),
    [
        (["A"], " Last time we completed A."),
        (["A", "B"], " Last time we completed A and B."),
        (["A", "B", "C"], " Last time we completed A, B, and C."),
        (["A", "B", "C", "D"], " Last time we completed B, C, and D."),
        ([], ""),
    ],
)
def test_a_resumed_phase_names_the_last_three_steps(titles: list[str], said: str) -> None:
    text = welcome_back(MAYA, titles=titles, past=[], ahead="E").text
    assert text == f"Maya Chen: Welcome back.{said} Let us pick up from E."


@pytest.mark.rule("GREET-3")
def test_the_three_most_recent_elaborations_are_woven_in() -> None:
    past = [
        Past("01-01", "one"),
        Past("01-02", "Identified 2 gaps."),
        Past("01-03", "the lock"),
        Past("01-04", "x"),
    ]
    assert welcome_back(MAYA, titles=["A"], past=past, ahead="B").text == (
        "Maya Chen: Welcome back. Last time we completed A. "
        "We also had a roundtable discussion on step 01-02 where we identified 2 gaps. "
        "We also had a roundtable discussion on step 01-03 where the lock. "
        "We also had a roundtable discussion on step 01-04 where x. "
        "Let us pick up from B."
    )


@pytest.mark.rule("GREET-3")
@pytest.mark.parametrize(
    ("summary", "end"),
    [
        ("Identified 3 additional\ncriteria", "we identified 3 additional criteria."),
        ("Added 2 NFRs...", "we added 2 NFRs."),
        ("Red is the colour", "we red is the colour."),
        ("Ranges of a stream are useless to ...", "Ranges of a stream are useless to ..."),
        ("nothing was agreed", "nothing was agreed."),
        ("Edge cases remain", "Edge cases remain."),
        ("Found 3 gaps in the hand-over", "we found 3 gaps in the hand-over."),
        ("Asked who pays?", "we asked who pays."),
        (
            "Nobody answered; the prompts are in the transcript",
            "nobody answered; the prompts are in the transcript.",
        ),
        ("The office has one tablet", "the office has one tablet."),
        ("IT owns the server", "IT owns the server."),
        ("I'm told that it is slow", "I'm told that it is slow."),
    ],
)
def test_a_first_word_in_ed_gets_we_and_a_small_letter(summary: str, end: str) -> None:
    assert continue_sentence(summary) == end


@pytest.mark.rule("GREET-3")
@pytest.mark.parametrize(
    ("summary", "end"),
    [
        ("Decided: Refuse it. Open: Who is told?", 'we decided: "Refuse it" and left open: "Who is told?".'),
        (
            "Decided: We go with the ... Open: Who ...",
            'we decided: "We go with the ..." and left open: "Who ...".',
        ),
        ("Decided: We go .... Open: Who ...", 'we decided: "We go ..." and left open: "Who ...".'),
        ("Found: Photos weigh 3 MB.", 'we found: "Photos weigh 3 MB".'),
        ('Found: Which one? "B" (unverified)', "we found: \"Which one? 'B' (unverified)\"."),
        ("Open: Who pays for the photos?", 'we left open: "Who pays for the photos?".'),
        (
            "Still open: Who pays for the photos?",
            'we left open: "Who pays for the photos?".',
        ),  # an earlier form
        ("Said: Who pays for the photos?", 'we heard: "Who pays for the photos?".'),  # an earlier form
    ],
)
def test_what_the_user_said_is_quoted(summary: str, end: str) -> None:
    assert continue_sentence(summary) == end
