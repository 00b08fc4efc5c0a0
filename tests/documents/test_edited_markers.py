"""Markers that somebody edited: what stands behind them stays what it was."""

from __future__ import annotations

import pytest

from roundtable.documents.answers import read_labelled
from roundtable.documents.outline import read_outline
from roundtable.documents.questions import find_open_questions


@pytest.mark.parametrize(
    "marker",
    ["<!-- Feedback: step 01-01, 2026 01 -->", "<!-- Feedback: mine -->", "    <!-- Feedback: x -->"],
)
def test_feedback_with_an_edited_marker_is_no_answer(marker: str) -> None:
    text = f"## A\n\n**Goal**: x\n\n{marker}\n- **Feedback**: z\n\n**Other**: y\n"
    assert [answer.label for answer in read_labelled(text)] == ["Goal", "Other"]


def test_feedback_with_an_edited_marker_is_no_open_question() -> None:
    text = "## Open Questions\n\n- Who pays?\n\n<!-- Feedback: mine -->\n- **Feedback**: looks fine\n"
    assert [question for _, question in find_open_questions(text)] == ["Who pays?"]


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    "marker", ["<!-- Step 01-02: 3 chars, abcdef01 -->", "<!-- Step 01-02: 3 characters, abcdef01 --> mine"]
)
def test_a_section_with_an_edited_step_marker_is_still_a_section(marker: str) -> None:
    block = (
        "<!-- Elaboration: step 01-01, 2026-01-01T00:00:00Z -->\n# Elaboration Insights (step 01-01)\n\nx\n"
    )
    document = f"# Spec\n\n{block}\n## Goals\n\n{marker}\n**Goal**: x\n"
    goals = next(each for each in read_outline(document.encode()).sections if each.heading == "Goals")
    assert not goals.elaboration
