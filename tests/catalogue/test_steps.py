"""The 24 built-in steps: what the spec's table says, and questions worth answering."""

from __future__ import annotations

import re

import pytest

from people import find_slips
from project import read_steps
from roundtable.catalogue import load_roster, read_tracks
from roundtable.core.steps import DEPTHS, PHASES, PROJECT_KINDS, Depth, Question, Step, split_drafts
from roundtable.core.validation import is_unknown, meets_check

STEPS, PROBLEMS = read_steps()
ROSTER = load_roster()
BY_ID = {step.step_id: step for step in STEPS}
EVERY_STEP = {step.step_id: step for track in read_tracks()[0] for step in track.steps} | BY_ID
SPEC, IMPACT, OVERVIEW = "requirements-spec.md", "impact-analysis.md", "architecture-overview.md"
TABLE = [
    ("00-01", "Scope Estimation", "standard", ("quick-scan.md",), ()),
    ("00-02", "Keyword Search", "brief", ("quick-scan.md",), ("00-01",)),
    ("00-03", "File Count Estimation", "brief", ("quick-scan.md",), ("00-02",)),
    ("01-01", "Business Context Discovery", "standard", (SPEC,), ()),
    ("01-02", "User Needs Discovery", "standard", (SPEC,), ("01-01",)),
    ("01-03", "User Experience & Journeys", "standard", (SPEC,), ("01-02",)),
    ("01-04", "Technical Context", "standard", (SPEC,), ("01-01",)),
    ("01-05", "Quality & Risk Assessment", "standard", (SPEC, "nfr-matrix.md"), ("01-04",)),
    ("01-06", "Core Feature Definition", "deep", (SPEC,), ("01-03",)),
    ("01-07", "User Story Writing", "standard", ("user-stories.json",), ("01-06",)),
    ("01-08", "MoSCoW Prioritization", "brief", (SPEC, "traceability-matrix.csv"), ("01-06",)),
    ("02-01", "Blast Radius Assessment", "standard", (IMPACT,), ()),
    ("02-02", "Entry Point Identification", "standard", (IMPACT,), ("02-01",)),
    ("02-03", "Risk Zone Analysis", "deep", (IMPACT,), ("02-01",)),
    ("02-04", "Impact Summary & User Review", "brief", (IMPACT,), ("02-03",)),
    ("03-01", "Architecture Options & Tradeoffs", "deep", (OVERVIEW,), ()),
    ("03-02", "Technology Decisions", "standard", (OVERVIEW,), ("03-01",)),
    ("03-03", "Integration Architecture", "standard", (OVERVIEW,), ("03-01",)),
    ("03-04", "Architecture Review & Approval", "brief", (OVERVIEW,), ("03-03",)),
    ("04-01", "Module Design & Boundaries", "deep", ("module-design.md",), ()),
    ("04-02", "Interface Contracts", "deep", ("interface-spec.md",), ("04-01",)),
    ("04-03", "Data Flow & State Management", "standard", ("data-flow.md",), ("04-01",)),
    ("04-04", "Error Handling & Validation", "standard", ("error-taxonomy.md",), ("04-02",)),
    ("04-05", "Design Review & Approval", "brief", ("design-summary.md",), ("04-04",)),
]
SECTIONS = {
    "00-01": {("quick-scan.md", "1. Scope")},
    "00-02": {("quick-scan.md", "2. Keyword Search")},
    "00-03": {("quick-scan.md", "3. Size and Complexity")},
    "01-01": {(SPEC, "1. Business Context")},
    "01-02": {(SPEC, "2. Stakeholders and Needs")},
    "01-03": {(SPEC, "3. User Journeys")},
    "01-04": {(SPEC, "4. Technical Context")},
    "01-05": {(SPEC, "5. Quality Attributes and Risks"), ("nfr-matrix.md", "1. Quality Attributes")},
    "01-06": {(SPEC, "6. Functional Requirements"), (SPEC, "7. Out of Scope")},
    "01-07": {("user-stories.json", "stories")},
    "01-08": {(SPEC, "8. Prioritization"), ("traceability-matrix.csv", "rows")},
    "02-01": {(IMPACT, "1. Blast Radius")},
    "02-02": {(IMPACT, "2. Entry Points")},
    "02-03": {(IMPACT, "3. Risk Zones")},
    "02-04": {(IMPACT, "4. Summary")},
    "03-01": {(OVERVIEW, "1. Options and Tradeoffs")},
    "03-02": {(OVERVIEW, "2. Technology Decisions")},
    "03-03": {(OVERVIEW, "3. Integration")},
    "03-04": {(OVERVIEW, "4. Review")},
    "04-01": {("module-design.md", "1. Modules and Boundaries")},
    "04-02": {("interface-spec.md", "1. Interface Contracts")},
    "04-03": {("data-flow.md", "1. Data Flow and State")},
    "04-04": {("error-taxonomy.md", "1. Errors and Validation")},
    "04-05": {("design-summary.md", "1. Design Review")},
}
# An answer that says nothing to the point fails every check but the mere count of words.
EMPTY_WORDS = "hm"


each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step_id)


def list_questions(step: Step) -> list[tuple[Depth, Question]]:
    return [(depth, question) for depth in DEPTHS for question in step.questions(depth)]


@pytest.mark.rule("STEP-1", "STEP-3")
def test_the_steps_are_those_of_the_table_in_its_order() -> None:
    assert PROBLEMS == ()
    assert [(one.step_id, one.title, one.depth, one.outputs, one.depends_on) for one in STEPS] == TABLE
    assert [one.skip_if for one in STEPS] == [""] * 24


@pytest.mark.rule("STEP-1", "PERS-1")
@each_step
def test_the_phase_s_lead_conducts_each_step(step: Step) -> None:
    assert step.phase is not None
    assert step.persona == ROSTER.lead_of(step.phase.key).key


@pytest.mark.rule("STEP-1")
@each_step
def test_a_step_names_the_section_it_writes_in_every_output(step: Step) -> None:
    assert {(target.output, target.section) for target in step.targets} == SECTIONS[step.step_id]
    assert all(step.section(output) for output in step.outputs)


@pytest.mark.rule("STEP-1")
@each_step
def test_one_question_in_brief_at_most_three_in_standard_five_to_seven_in_deep(step: Step) -> None:
    assert len(step.brief) == 1
    assert 1 <= len(step.standard) <= 3
    assert 5 <= len(step.deep) <= 7


@pytest.mark.rule("STEP-10")
def test_no_draft_is_a_sentence_that_fits_any_item() -> None:
    asked = [question for step in STEPS for _, question in list_questions(step)]
    assert [question for question in asked if question.draft.startswith("text:")] == []


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize("kind", PROJECT_KINDS)
def test_only_the_author_of_an_app_is_asked_about_screens(kind: str) -> None:
    for step in (each.word_for(kind) for track in read_tracks()[0] for each in track.steps):
        for depth in DEPTHS:
            for question in step.questions(depth):
                said = f"{question.text} {question.help}".casefold()
                assert kind == "app" or not re.search(r"\b(?:screens?|buttons?)\b", said), question


@pytest.mark.rule("STEP-1")
def test_phase_01_at_standard_asks_at_most_16_questions_with_their_follow_ups() -> None:
    phase = [step for step in STEPS if step.phase is PHASES[1]]
    questions = sum(len(step.standard) for step in phase)
    # Who answers in full sentences is followed up only where something else than words is asked for.
    strict = [
        criterion
        for step in phase
        for criterion in step.validation
        if criterion.label in {question.label for question in step.standard}
        and not criterion.check.startswith("at least")
    ]
    assert questions + len(strict) <= 16


@pytest.mark.rule("STEP-1")
@each_step
def test_every_question_is_whole(step: Step) -> None:
    for _, question in list_questions(step):
        assert "?" in question.text or question.text.endswith("."), question
        assert 40 <= len(question.text) <= 220, question
        assert 0 < len(question.help) <= 160, question
        assert len(question.example) <= 220, question
        assert question.example != question.text, question
        assert re.fullmatch(r"[A-Z][A-Za-z' ]{1,22}", question.label), question
        assert "TBD" not in question.text + question.help + question.example, question


@pytest.mark.rule("STEP-1")
@pytest.mark.parametrize("step", EVERY_STEP.values(), ids=lambda step: step.step_id)
def test_a_question_about_what_is_shown_has_words_for_where_nothing_is(step: Step) -> None:
    pointing = re.compile(
        r"(?i)is this the|(?:of|in) these\b|given this|this decision|that (?:choice|failure)\b"
    )
    for _, question in list_questions(step):
        if pointing.search(question.text) and "item whole" not in question.draft and not question.without:
            assert not question.draft and not question.shows, question
        if question.without not in ("", "-"):
            assert "?" in question.without and not re.search(r"\bof these\b", question.without), question
            found = find_slips(question.without, ROSTER[step.persona], free=True)
            assert [each.found for each in found if each.kind == "forbidden"] == []


@pytest.mark.rule("STEP-1")
def test_no_example_answer_is_used_for_two_questions() -> None:
    examples = {(step.step_id, question) for step in STEPS for _, question in list_questions(step)}
    assert sorted({question.example for _, question in examples}) == sorted(
        question.example for _, question in examples
    )


@pytest.mark.rule("STEP-1")
@each_step
def test_a_label_asks_the_same_in_standard_and_deep(step: Step) -> None:
    deep = {question.label: question.text for question in step.deep}
    assert [question.label for question in step.standard if deep.get(question.label) != question.text] == []


@pytest.mark.rule("VOICE-4", "STEP-1")
@each_step
def test_the_persona_asks_in_its_own_voice(step: Step) -> None:
    persona = ROSTER[step.persona]
    spoken = [question.text for depth in DEPTHS for question in step.questions(depth)]
    spoken += [question.help for depth in DEPTHS for question in step.questions(depth)]
    spoken += [criterion.follow_up for criterion in step.validation]
    for text in spoken:
        found = find_slips(text, persona, free=True)
        assert [violation.found for violation in found if violation.kind == "forbidden"] == []


@pytest.mark.rule("STEP-1", "STEP-4")
@each_step
def test_every_example_meets_the_criteria_and_an_empty_phrase_does_not(step: Step) -> None:
    for criterion in step.validation:
        assert not meets_check(criterion.check, EMPTY_WORDS), criterion
        assert criterion.follow_up.endswith((".", "?")), criterion
    for _, question in list_questions(step):
        assert not is_unknown(question.example), question
        checks = [criterion.check for criterion in step.validation if criterion.label == question.label]
        assert all(meets_check(check, question.example) for check in checks), question


@pytest.mark.rule("STEP-4")
@each_step
def test_a_draft_from_an_answer_points_to_a_question_of_an_earlier_step(step: Step) -> None:
    for depth, question in list_questions(step):
        for draft in split_drafts(question.draft):
            if not draft.startswith("answer "):
                kinds = ("steps", "wish", "whole")
                assert draft in ("", "item", "survey", *(f"item {kind}" for kind in kinds))
                continue
            words = draft.removeprefix("answer ")
            assert re.match(r"\d\d-\d\d ", words), question
            source = EVERY_STEP[words[:5]]
            assert source.step_id not in BY_ID or source.step_id < step.step_id, question
            assert words[6:] in {other.label for other in source.questions(depth)}, question


@pytest.mark.rule("DEPTH-1")
def test_the_quick_scan_asks_for_scope_and_complexity() -> None:
    step = BY_ID["00-03"]
    assert [question.label for question in step.brief] == ["Scope"]
    for depth in ("standard", "deep"):
        assert {"Scope", "Complexity"} <= {question.label for question in step.questions(depth)}
    assert {(one.label, one.check) for one in step.validation} >= {
        ("Scope", "one of small, medium, large"),
        ("Complexity", "one of low, medium, high"),
    }
    others = [one for one in STEPS if one.phase is PHASES[0] and one is not step]
    labels = {question.label for one in others for depth in DEPTHS for question in one.questions(depth)}
    assert labels.isdisjoint({"Scope", "Complexity"})


@pytest.mark.rule("STEP-10")
def test_a_question_that_is_left_open_says_in_a_document_what_it_is_about() -> None:
    pointing = re.compile(
        r"(?i)\bthese (?:places\b|(?:count|must|can|do|will)\b)|each of these,|\bcall it this\b"
    )
    questions = [question for step in read_steps()[0] for question in step.every_question]
    assert [each.text for each in questions if pointing.search(each.text)] == []


@pytest.mark.rule("MENU-7")
def test_only_the_step_on_options_speaks_of_them() -> None:
    """Where options were spoken of, a `C` alone is an answer; anywhere else it is meant for the menu."""
    speaking = {
        step.step_id
        for step in EVERY_STEP.values()
        for question in step.every_question
        if "option" in f"{question.text} {question.example}".casefold()
    }
    assert speaking == {"03-01"}
