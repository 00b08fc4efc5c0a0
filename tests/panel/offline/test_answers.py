"""Answers: what stands under a label is what was answered there, in whatever form the document holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from offline_talk import ROSTER, STEPS, step
from roundtable.core import commands as do
from roundtable.core.items import Item
from roundtable.core.steps import Step, Target
from roundtable.core.turns import Material
from roundtable.drafting import draft
from roundtable.panel.offline.answers import answers
from roundtable.panel.offline.reading import read
from roundtable.store.items import add_item, read_item
from roundtable.store.outputs import Outputs

TEXTS = (
    "The clerk signs the yellow form at noon.",
    "A driver waits at gate 4 for ten minutes.",
    "Nobody may see the list before Friday.",
    "The old number stays valid for a month.",
    "Two guests share one key in summer.",
    "The lamp turns red when the door is open.",
    "Every parcel carries a slip of paper.",
    "The choir meets in the cellar on Mondays.",
)


def written(home: Path, at: Step, given: dict[str, str | None]) -> tuple[Material, ...]:
    """The documents of a step as the program writes them from answers; None is an answer nobody knew."""
    folder = add_item(home, "Members renew a loan by answering a text message.", commit=None)
    outputs = Outputs(folder, tuple(each for each in STEPS if each.step_id >= at.step_id))
    asked = {question.label: question.text for question in at.standard}
    said = tuple(
        do.Answer(label, asked[label], text or "no idea", unknown=text is None)
        for label, text in given.items()
    )
    brief = do.StepBrief(read_item(folder), at, ROSTER[at.persona], ROSTER, at.depth, said)
    named = {target.output for target in at.targets}
    unnamed = (Target(name, at.title) for name in at.outputs if name not in named)
    sections = draft(do.AskDraft(brief, (*at.targets, *unnamed)), {})
    outputs.write_step(do.WriteStep(at, sections))
    return outputs.material(at)


@pytest.mark.rule("FRAME-2")
@pytest.mark.parametrize("at", STEPS, ids=lambda each: each.step_id)
def test_every_answer_is_found_under_its_label(at: Step, tmp_path: Path) -> None:
    given: dict[str, str | None] = {
        question.label: TEXTS[place] for place, question in enumerate(at.standard)
    }
    found = {each.label: each.text for each in answers(at, written(tmp_path, at, given), "Renewal")}
    for label, text in given.items():
        assert text is not None
        assert text.rstrip(".") in found[label], label


@pytest.mark.rule("FRAME-2")
@pytest.mark.parametrize("at", STEPS, ids=lambda each: each.step_id)
def test_what_nobody_knew_is_known_as_that(at: Step, tmp_path: Path) -> None:
    first, *others = [question.label for question in at.standard]
    given = {first: TEXTS[0], **dict.fromkeys(others)}
    found = {each.label: each.known for each in answers(at, written(tmp_path, at, given), "Renewal")}
    assert {label for label, known in found.items() if not known} == set(others)


def under(text: str, step_id: str = "01-03") -> list[tuple[str, bool, tuple[str, ...]]]:
    spec = Material(
        "requirements-spec.md",
        "# Spec\n\n## 2. Stakeholders and Needs\n\n**Detour**: Elsewhere.\n\n"
        f"## 3. User Journeys\n\n{text}\n\n"
        "### Elaboration Insights (Step 01-03: User Experience & Journeys)\n\n**Finish**: Talk of us.\n\n"
        "## 4. Technical Context\n\n**Detour**: Elsewhere too.\n",
    )
    return [(each.label, each.known, each.sentences) for each in answers(step(step_id), (spec,))]


def test_a_list_and_several_sentences_belong_to_their_label() -> None:
    assert under(
        "**Journey**:\n\n1. She opens the form.\n2. She signs it.\n\n**Detour**: It rains. She waits."
    ) == [
        ("Journey", True, ("She opens the form.", "She signs it.")),
        ("Detour", True, ("It rains.", "She waits.")),
    ]


def test_other_sections_other_labels_and_earlier_talk_are_no_answers() -> None:
    assert under("**Weather**: It rains.\n\nA free word on it.") == []


def test_a_person_who_says_not_to_know_has_not_answered() -> None:
    assert under("**Detour**: no idea") == [("Detour", False, ())]


def test_sentences_carry_their_label_and_furniture_is_left_out(tmp_path: Path) -> None:
    at = step("04-04")
    given: dict[str, str | None] = {
        "Errors": "CardExpired: the card is older than a year. CardLost: reported at the desk.",
        "Checks": "A number has 8 digits.",
        "Messages": '"Please renew your card at the desk."',
    }
    reading = read(Item("x", "Cards", ""), at, written(tmp_path, at, given), STEPS)
    said = [(each.label, each.text) for each in reading.sentences]
    assert ("Errors", "CardLost: reported at the desk") in said
    assert ("Checks", "A number has 8 digits.") in said
    assert not [text for _, text in said if "What the person sees" in text or "E-00" in text]


@pytest.mark.rule("FRAME-2")
@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Not sure yet.", False),
        ("I don't know, sorry.", False),
        ("No idea, ask the guard.", False),
        ("Not sure. All three are ours but three different teams.", True),
        ("Don't know, I guess a tick and the date when it went out.", True),
        ("The gate, I have no idea what else. Ask the guard.", True),
        ("The guests don't know the code before noon.", True),
        ("The guard opens it. Not sure about Sundays.", True),
    ],
)
def test_doubt_alone_is_no_answer_and_what_is_said_with_it_is(tmp_path: Path, text: str, known: bool) -> None:
    at = STEPS[0]
    label = at.standard[0].label
    found = {each.label: each for each in answers(at, written(tmp_path, at, {label: text}))}
    assert found[label].known is known
