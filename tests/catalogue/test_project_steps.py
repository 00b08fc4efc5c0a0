"""A project adds and replaces steps; what is wrong in the front matter is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import read_steps
from roundtable.catalogue import load_roster, load_steps
from roundtable.catalogue.files import Problem
from roundtable.core.steps import Criterion, Question, Target

STEPS = ".roundtable/steps/01-requirements"


def step(project: Path, file: str, step_id: str, more: str = "", body: str = "", **fields: str) -> None:
    given = {
        "step_id": step_id,
        "title": "Data Protection",
        "persona": "business-analyst",
        "depth": "standard",
        "outputs": "[privacy.md]",
    }
    given.update(fields)
    front = "".join(f"{name}: {value}\n" for name, value in given.items() if value)
    body = body or "## Standard Mode\n\n### Data\nWhich data is it?\n"
    write(project, f"{STEPS}/{file}", f"---\n{front}{more}---\n\n{body}")


def three_modes() -> str:
    return "\n".join(
        f"## {mode} Mode\n### Data\nWhich data is it?\n" for mode in ("Brief", "Standard", "Deep")
    )


def write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def texts(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.text for problem in problems]


def phase_01(project: Path) -> list[str]:
    return [one.step_id for one in load_steps(project) if one.step_id.startswith("01")]


@pytest.mark.rule("STEP-7", "STEP-3")
def test_a_step_is_added_at_the_place_of_its_file_name(tmp_path: Path) -> None:
    step(tmp_path, "04b-data-protection.md", "01-44")
    step(tmp_path, "00-first.md", "01-99")
    assert read_steps(tmp_path)[1] == ()
    assert phase_01(tmp_path)[:1] == ["01-99"]
    assert phase_01(tmp_path)[4:7] == ["01-04", "01-44", "01-05"]
    assert len(load_steps(tmp_path)) == 26


@pytest.mark.rule("STEP-7")
def test_a_file_may_hold_several_steps_each_at_the_place_of_its_id(tmp_path: Path) -> None:
    step(tmp_path, "a.md", "01-99")
    last = (tmp_path / STEPS / "a.md").read_text()
    step(tmp_path, "zz.md", "01-00", title="Begin")
    both = tmp_path / STEPS / "zz.md"
    both.write_text(f"{both.read_text()}\n{last.replace('01-99', '01-50')}")
    assert read_steps(tmp_path)[1] == ()
    assert [phase_01(tmp_path)[0], *phase_01(tmp_path)[-2:]] == ["01-00", "01-50", "01-99"]
    both.write_text(both.read_text().replace("01-50", "01-00"))
    assert texts(read_steps(tmp_path)[1]) == [
        f"{STEPS}/zz.md, step_id: 01-00 is already the id of {STEPS}/zz.md. The file is skipped."
    ]
    assert [one.title for one in load_steps(tmp_path) if one.step_id == "01-00"] == ["Begin"]


@pytest.mark.rule("STEP-7")
def test_the_same_id_replaces_and_keeps_the_place(tmp_path: Path) -> None:
    step(tmp_path, "zz-ours.md", "01-03", title="Our Journeys")
    assert phase_01(tmp_path) == phase_01(tmp_path / "nowhere")
    assert [one.title for one in load_steps(tmp_path) if one.step_id == "01-03"] == ["Our Journeys"]


@pytest.mark.rule("STEP-1")
def test_the_whole_form_of_a_step_file(tmp_path: Path) -> None:
    body = """
## Brief Mode
### Data
Only the e-mail address,
is it?
- Help: What a person could be
  found by.
- Example: Name and street.
- Draft: text: Only the e-mail address.

## Standard Mode
<!-- ### Not asked
Really? -->
### Data
Which data is it?
- Draft: answer 01-01 Problem

## deep mode
### Data
Which data is it?
### Keeper
Who keeps it?
## Notes
Written for the audit.
## Validation
- Keeper | an owner | Who is that?
- Data | at least 2 words | Which?

## Artifacts
- privacy.md | 1. Data
"""
    step(
        tmp_path,
        "50-privacy.md",
        "01-50",
        body=body,
        more="depends_on: ['01-01']\nskip_if: scope == 'small'\n",
    )
    steps, problems = read_steps(tmp_path)
    assert problems == ()
    found = next(one for one in steps if one.step_id == "01-50")
    assert found.brief == (
        Question(
            "Data",
            "Only the e-mail address, is it?",
            "What a person could be found by.",
            "Name and street.",
            "text: Only the e-mail address.",
        ),
    )
    assert found.standard == (Question("Data", "Which data is it?", draft="answer 01-01 Problem"),)
    assert [question.label for question in found.deep] == ["Data", "Keeper"]
    assert found.validation == (
        Criterion("Keeper", "an owner", "Who is that?"),
        Criterion("Data", "at least 2 words", "Which?"),
    )
    assert found.targets == (Target("privacy.md", "1. Data"),)
    assert (found.depends_on, found.skip_if) == (("01-01",), "scope == 'small'")


@pytest.mark.rule("STEP-2")
@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"step_id": ""}, "step_id", "is missing"),
        ({"step_id": "1-1"}, "step_id", "must be the number of a phase, 00 to 04, a hyphen and two digits"),
        ({"step_id": "103"}, "step_id", "must be text, is a number; put it in quotes"),
        ({"step_id": "05-09"}, "step_id", "must be the number of a phase, 00 to 04, a hyphen and two digits"),
        ({"title": ""}, "title", "is missing"),
        ({"title": "no"}, "title", "must be text, is true or false; put it in quotes"),
        ({"title": "x" * 61}, "title", "has more than 60 characters"),
        ({"persona": ""}, "persona", "is missing"),
        ({"depth": ""}, "depth", "is missing"),
        ({"depth": "Deep"}, "depth", "must be one of brief, standard, deep"),
        ({"outputs": ""}, "outputs", "is missing"),
        ({"outputs": "[]"}, "outputs", "is empty"),
        ({"outputs": "a.md"}, "outputs", "must be a list, is text"),
    ],
)
def test_a_step_without_a_sound_field_is_skipped(
    tmp_path: Path, fields: dict[str, str], field: str, reason: str
) -> None:
    step(tmp_path, "50-x.md", fields.pop("step_id", "01-50"), **fields)
    steps, problems = read_steps(tmp_path)
    assert len(steps) == 24
    assert texts(problems) == [
        f".roundtable/steps/01-requirements/50-x.md, {field}: {reason}. The file is skipped."
    ]


@pytest.mark.rule("STEP-2", "ART-1")
@pytest.mark.parametrize(
    "output", ["../a.md", "a/b.md", "a\\\\b.md", "/a.md", ".a.md", "..", "a.txt", "a.md.exe", "C:a.md", "a",
               "meta.json", "Draft.md"],
)  # fmt: skip
def test_an_output_that_is_no_plain_file_name_is_refused(tmp_path: Path, output: str) -> None:
    step(tmp_path, "50-x.md", "01-50", outputs=f'["{output}"]')
    steps, problems = read_steps(tmp_path)
    assert len(steps) == 24
    assert [(problem.field, problem.skipped) for problem in problems] == [("outputs", True)]


@pytest.mark.rule("STEP-1")
def test_a_title_of_60_characters_and_outputs_in_three_formats_are_fine(tmp_path: Path) -> None:
    step(tmp_path, "50-x.md", "01-50", title="x" * 60, outputs="[a.md, b.json, c.csv, a.md]")
    found = next(one for one in load_steps(tmp_path) if one.step_id == "01-50")
    assert (len(found.title), found.outputs) == (60, ("a.md", "b.json", "c.csv"))


@pytest.mark.rule("STEP-2")
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("depends_on: 01-01\n", "must be a list, is text; it is ignored"),
        ("depends_on: [1]\n", "must be text, is a number; put it in quotes; it is ignored"),
        ("depends_on: [business]\n", "no step business comes before it; it is ignored"),
        ("depends_on: ['01-77']\n", "no step 01-77 comes before it; it is ignored"),
        ("depends_on: ['01-50']\n", "no step 01-50 comes before it; it is ignored"),
    ],
)
def test_a_bad_dependency_is_ignored_with_a_warning(tmp_path: Path, more: str, reason: str) -> None:
    step(tmp_path, "50-x.md", "01-50", more, body=three_modes())
    steps, problems = read_steps(tmp_path)
    assert next(one for one in steps if one.step_id == "01-50").depends_on == ()
    assert texts(problems) == [f".roundtable/steps/01-requirements/50-x.md, depends_on: {reason}."]


@pytest.mark.rule("STEP-2", "STEP-3")
@pytest.mark.parametrize("condition", ["scope ==", "__import__('os')", "7 7", "[a]", "yes"])
def test_a_bad_skip_if_is_ignored_with_a_warning(tmp_path: Path, condition: str) -> None:
    step(tmp_path, "50-x.md", "01-50", f"skip_if: {condition}\n", body=three_modes())
    steps, problems = read_steps(tmp_path)
    assert next(one for one in steps if one.step_id == "01-50").skip_if == ""
    assert [(problem.field, problem.skipped) for problem in problems] == [("skip_if", False)]
    assert "ignored" in problems[0].reason


@pytest.mark.rule("STEP-2")
def test_a_step_depends_only_on_those_before_it(tmp_path: Path) -> None:
    step(tmp_path, "50.md", "01-50", "depends_on: ['01-52', '01-01']\n", body=three_modes())
    step(tmp_path, "51.md", "01-51", "depends_on: ['01-50']\n", body=three_modes())
    step(tmp_path, "52.md", "01-52", "depends_on: ['01-51']\n", body=three_modes())
    step(tmp_path, "53.md", "01-53", "depends_on: ['01-50']\n", body=three_modes())
    steps, problems = read_steps(tmp_path)
    waits = {one.step_id: one.depends_on for one in steps if one.step_id > "01-49"}
    assert [waits[one] for one in ("01-50", "01-51", "01-52", "01-53")] == [
        ("01-01",),
        ("01-50",),
        ("01-51",),
        ("01-50",),
    ]
    assert texts(problems) == [f"{STEPS}/50.md, depends_on: no step 01-52 comes before it; it is ignored."]


@pytest.mark.rule("STEP-2")
def test_of_two_files_with_one_id_the_second_is_skipped(tmp_path: Path) -> None:
    step(tmp_path, "50-a.md", "01-50", title="First", body=three_modes())
    step(tmp_path, "50-b.md", "01-50", title="Second", body=three_modes())
    steps, problems = read_steps(tmp_path)
    assert [one.title for one in steps if one.step_id == "01-50"] == ["First"]
    assert texts(problems) == [
        ".roundtable/steps/01-requirements/50-b.md, step_id: 01-50 is already the id of "
        ".roundtable/steps/01-requirements/50-a.md. The file is skipped."
    ]


@pytest.mark.rule("STEP-2")
def test_a_broken_replacement_leaves_the_built_in_step_in_place(tmp_path: Path) -> None:
    step(tmp_path, "03-x.md", "01-03", title="")
    assert load_steps(tmp_path) == load_steps()


@pytest.mark.rule("STEP-2", "PERS-3")
def test_an_unknown_persona_gives_way_to_the_lead(tmp_path: Path) -> None:
    step(tmp_path, "50-x.md", "01-50", persona="security-lead", body=three_modes())
    steps, problems = read_steps(tmp_path)
    assert next(one for one in steps if one.step_id == "01-50").persona == "business-analyst"
    assert texts(problems) == [
        ".roundtable/steps/01-requirements/50-x.md, persona: no persona has the key 'security-lead'; "
        "Maya Chen conducts the step."
    ]


@pytest.mark.rule("PERS-3")
def test_a_step_may_be_conducted_by_a_persona_of_the_project(tmp_path: Path) -> None:
    front = "key: security-lead\nname: Ann\nrole: Guard\nperspective: security\nlens: [threats]"
    write(tmp_path, ".roundtable/personas/a.md", f"---\n{front}\n---\n")
    step(tmp_path, "50-x.md", "01-50", persona="security-lead", body=three_modes())
    steps, problems = read_steps(tmp_path)
    assert next(one for one in steps if one.step_id == "01-50").persona == "security-lead"
    assert problems == ()


@pytest.mark.rule("STEP-7")
def test_the_id_decides_the_phase_wherever_the_file_lies(tmp_path: Path) -> None:
    front = "title: T\npersona: business-analyst\ndepth: deep\noutputs: [a.md]"
    for name, step_id in (
        ("loose.md", "01-50"),
        ("05-party/x.md", "02-50"),
        ("01-requirements/y.md", "03-50"),
    ):
        text = f"---\nstep_id: {step_id}\n{front}\n---\n## Questions\n### Data\nWhich?\n"
        write(tmp_path, f".roundtable/steps/{name}", text)
    write(tmp_path, ".roundtable/steps/README.md", "about our steps")
    steps, problems = read_steps(tmp_path)
    assert problems == ()
    assert [one.step_id for one in steps if one.step_id.endswith("-50")] == ["01-50", "02-50", "03-50"]


@pytest.mark.rule("STEP-1", "STEP-2")
@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        ("## Standart Mode\n", "section 'Standart Mode'", "is not known; known: Brief Mode, Standard Mode"),
        ("## Deep Mode\n### Data\nTwice?\n", "Deep Mode, 'Data'", "the label stands twice at this depth"),
        ("### Empty\n- Help: no question\n", "Deep Mode, 'Empty'", "has no question below the label"),
        ("### A*b\nQuestion?\n", "Deep Mode, 'A*b'", "a label has at most 60 characters"),
        (f"### {'A' * 61}\nQuestion?\n", f"Deep Mode, '{'A' * 60}'", "a label has at most 60 characters"),
        ("### More\nWhat?\n- Hint: x\n", "Deep Mode, 'More'", "'hint' is not known; known: help, example"),
        ("### More\nWhat?\n- Draft: magic\n", "Deep Mode, 'More'", "a draft must be item, survey"),
        (
            "## Validation\n- Data | magic | Again?\n",
            "Validation",
            "'Data | magic' names no question here, or no",
        ),
        (
            "## Validation\n- Dat | a number | Again?\n",
            "Validation",
            "'Dat | a number' names no question here",
        ),
        ("## Validation\n- Data | a number\n", "Validation", "a line needs 3 parts with | between them"),
        ("## Validation\n- Data | a number |\n", "Validation", "a line needs 3 parts with | between them"),
        ("## Validation\nData | a number | Again?\n", "Validation", "a line needs 3 parts"),
        ("## Artifacts\n- other.md | 1. X\n", "Artifacts", "'other.md' is not among the outputs"),
        ("## Artifacts\n- privacy.md\n", "Artifacts", "a line needs 2 parts with | between them"),
    ],
)
def test_a_step_with_a_fault_in_its_body_is_skipped(
    tmp_path: Path, body: str, field: str, reason: str
) -> None:
    step(tmp_path, "50-x.md", "01-50", body=three_modes() + body)
    steps, problems = read_steps(tmp_path)
    assert len(steps) == 24
    assert [(one.field, one.skipped) for one in problems] == [(field, True)]
    assert problems[0].reason.startswith(reason)


@pytest.mark.rule("STEP-1")
def test_a_label_alone_asks_the_question_of_standard_mode(tmp_path: Path) -> None:
    body = "## Brief Mode\n### Data\n## Deep Mode\n### Data\n\n### Keeper\nWho?\n"
    step(tmp_path, "50-x.md", "01-50", body=f"{body}## Standard Mode\n### Data\nWhich?\n- Help: All of it.\n")
    steps, problems = read_steps(tmp_path)
    found = next(one for one in steps if one.step_id == "01-50")
    assert problems == ()
    assert found.brief == found.standard == (Question("Data", "Which?", "All of it."),)
    assert found.deep == (*found.standard, Question("Keeper", "Who?"))


@pytest.mark.rule("STEP-1")
@pytest.mark.parametrize("mode", ["Brief", "Standard", "Deep"])
def test_a_missing_mode_asks_what_another_asks(tmp_path: Path, mode: str) -> None:
    step(tmp_path, "50-x.md", "01-50", body=f"## {mode} Mode\n### Data\nWhich?\n")
    steps, problems = read_steps(tmp_path)
    found = next(one for one in steps if one.step_id == "01-50")
    assert found.brief == found.standard == found.deep == (Question("Data", "Which?"),)
    assert problems == ()


@pytest.mark.rule("STEP-1")
def test_a_comment_that_nothing_closes_takes_no_question_with_it(tmp_path: Path) -> None:
    body = "## Questions\n<!-- a --> <!-- b\n### Data\nWhich data is it?\n### Keeper\nWho keeps it?\n"
    step(tmp_path, "50-x.md", "01-50", body=body)
    added = next(one for one in load_steps(tmp_path) if one.step_id == "01-50")
    assert [question.label for question in added.standard] == ["Data", "Keeper"]


@pytest.mark.rule("STEP-2")
def test_a_step_that_asks_nothing_is_skipped(tmp_path: Path) -> None:
    step(tmp_path, "50-x.md", "01-50", body="## Standard Mode\nJust words.\n")
    steps, problems = read_steps(tmp_path)
    assert len(steps) == 24
    assert [(one.field, one.skipped) for one in problems] == [("body", True)]


@pytest.mark.rule("STEP-8")
def test_loading_writes_nothing(tmp_path: Path) -> None:
    step(tmp_path, "50-x.md", "01-50")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    load_roster(tmp_path)
    load_steps(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
