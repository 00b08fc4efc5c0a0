"""What the panel writes outside a discussion: sections, follow-ups, feedback, hand-offs."""

from __future__ import annotations

import pytest

from offline_talk import ROSTER, run, step
from roundtable.core.commands import Answer, AskDraft, AskFeedback, AskFollowUp, StepBrief
from roundtable.core.items import Item
from roundtable.core.steps import Criterion, Question, Target
from roundtable.core.turns import Material
from roundtable.core.voice import check_voice
from roundtable.panel.offline import OfflinePanel

PANEL = OfflinePanel()
ITEM = Item("forms", "Offline forms", "Inspectors work in basements.")
ANSWERS = (
    Answer("Journey", "Walk with one person.", "She opens the form."),
    Answer("Rules", "Which rules hold?", "- first\n# second\n```\n<!-- third -->\n"),
    Answer("Cost", "What does it cost?", "I don't know", unknown=True),
    Answer("Formula", "What is computed?", "=SUM(A1:A2)"),
)


def brief(persona: int = 0, answers: tuple[Answer, ...] = ANSWERS) -> StepBrief:
    return StepBrief(ITEM, step("01-03"), ROSTER.personas[persona], ROSTER, "standard", answers)


@pytest.mark.rule("STEP-4", "STEP-5")
def test_every_target_gets_its_text_with_an_eye_on_the_documents() -> None:
    targets = (
        Target("requirements-spec.md", "A"),
        Target("requirements-spec.md", "6. Functional Requirements"),
    )
    spec = Material("requirements-spec.md", "### FR-004: Offline forms\n")
    first, second = run(PANEL.draft(AskDraft(brief(), targets), (spec,)))
    assert [first.target, second.target] == list(targets)
    assert first.text.startswith("**Journey**: She opens the form.\n\n**Rules**:\n\n- first\n")
    assert first.text.endswith("- Open question: What does it cost?")
    assert second.text.startswith("### FR-004: Offline forms\n")


@pytest.mark.rule("STEP-4")
def test_the_follow_up_is_the_criterions() -> None:
    criterion = Criterion("Journey", "a number", "How many are there?")
    ask = AskFollowUp(brief(), Question("Journey", "Walk with one person."), "some", criterion)
    assert run(PANEL.follow_up(ask)) == "How many are there?"


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize("persona", [0, 1, 2])
@pytest.mark.parametrize("words", ["Tablets are shared.", "the payload schema is wrong", "x"])
def test_feedback_is_quoted_and_taken_up_in_the_leads_voice(persona: int, words: str) -> None:
    reply = run(PANEL.take_up(AskFeedback(brief(persona), words)))
    assert f'"{words.rstrip(".")}"' in reply
    assert "User Experience & Journeys" in reply
    assert not check_voice(reply, ROSTER.personas[persona], earlier=(), names=())


@pytest.mark.rule("GREET-4")
def test_the_incoming_persona_names_documents_and_quotes_one_line() -> None:
    spec = Material("requirements-spec.md", "# Spec\n\n## 1. Journeys\n\nThe inspector must sign the form.\n")
    said = run(PANEL.read(brief(1), (spec,)))
    assert "requirements-spec.md" in said
    assert '"The inspector must sign the form"' in said
    assert not check_voice(said, ROSTER.personas[1], earlier=(), names=())


@pytest.mark.rule("GREET-4")
def test_an_open_question_in_the_documents_comes_first() -> None:
    text = "# Spec\n\n## 1. Journeys\n\nShe signs.\n\n**Open questions**:\n\n- What does it cost?\n"
    said = run(PANEL.read(brief(2), (Material("requirements-spec.md", text),)))
    assert '"What does it cost"' in said


@pytest.mark.rule("GREET-4")
@pytest.mark.parametrize("text", ["", "# Title\n\n## 1. Empty\n"])
def test_nothing_to_read_leaves_nothing_to_say(text: str) -> None:
    assert run(PANEL.read(brief(1), (Material("requirements-spec.md", text),))) == ""
    assert run(PANEL.read(brief(1), ())) == ""
