"""No answer stops a step: whatever is typed, the step is drafted, and its answers can be read again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drafts import STEPS, ask
from project import texts
from roundtable.core.lines import Line
from roundtable.core.steps import DEPTHS, Step
from roundtable.documents import drafting, page
from roundtable.documents.answers import read_answers
from roundtable.documents.drafting import draft
from roundtable.documents.page import DraftContext
from roundtable.runtime.session import Session

QUESTIONS = sorted(
    {
        (step.step_id, question.label)
        for step in STEPS
        for depth in DEPTHS
        for question in step.questions(depth)
    }
)
PIECES = "; - 1. . , : -> → | ` # A Option~A option~B: because Given When x:~y must FR-001 small 。 “ ” ( ) *"
ODD = st.lists(st.sampled_from([" ", "\n", "- ", "```\n", *PIECES.split()]), max_size=12).map(
    lambda pieces: "".join(pieces).replace("~", " ")
)


def draft_one(step_id: str, label: str, text: str) -> dict[str, str]:
    written = draft(ask(step_id, {label: text}), {})
    assert [each.notice for each in written if each.notice] == []
    return {each.target.output: each.text for each in written}


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("text", [";", "- ", "-", "", " ", "\n", ";;\n- ", "1. ", "...", "。", "Option A"])
def test_an_answer_without_words_is_drafted(text: str) -> None:
    for step_id, label in QUESTIONS:
        read_answers(draft_one(step_id, label, text), "Offline forms")


@pytest.mark.rule("STEP-5")
@given(st.sampled_from(QUESTIONS), st.one_of(ODD, st.text()))
def test_any_text_is_drafted_as_any_answer(question: tuple[str, str], text: str) -> None:
    read_answers(draft_one(*question, text), "Offline forms")


@pytest.mark.rule("STEP-5")
@given(st.sampled_from(STEPS), st.data())
def test_any_texts_are_drafted_together_and_again(step: Step, data: st.DataObject) -> None:
    first, second = (
        {
            question.label: data.draw(st.one_of(st.none(), ODD, st.text(max_size=40)))
            for question in step.questions("standard")
        }
        for _ in range(2)
    )
    documents = {each.target.output: each.text for each in draft(ask(step.step_id, first), {})}
    again = draft(ask(step.step_id, second), documents)
    assert [each.notice for each in again if each.notice] == []


@pytest.mark.rule("STEP-5")
def test_what_cannot_be_drafted_holds_the_answers_as_they_are_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_context: DraftContext) -> str:
        raise IndexError

    brief = ask("03-01", {"Decision": "2*3*4; really", "Options": None})
    (target, *_), heading = brief.step.sections, "Options and Tradeoffs"
    monkeypatch.setattr(drafting, "_WRITERS", {(target.output, heading): fail})
    (written, *_) = draft(brief, {})
    options = next(each for each in brief.answers if each.unknown)
    assert written.text == f"- **Decision**: 2\\*3*4; really\n- Open question: {options.question}"
    assert written.notice == (
        f'Could not draft {target.output}, section "{target.section}" (IndexError). '
        "It holds your answers as you gave them. Please report this."
    )


@pytest.mark.rule("STEP-5", "GREET-6")
def test_an_error_while_drafting_is_told_and_the_analysis_goes_on(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place

    def fail(_context: DraftContext) -> str:
        raise IndexError

    monkeypatch.setattr(page, "write_answers", fail)
    shown: list[Line] = []

    async def run() -> None:
        session = Session(root, item.name)
        for words in (";", ";", ";", ";"):
            session.say(words)
        session.hang_up()
        shown.extend([line async for line in session.lines()])

    asyncio.run(run())
    assert "Could not draft quick-scan.md" in " ".join(texts(shown, "notice"))
    assert "- **Point**: ;" in (item / "quick-scan.md").read_text()
