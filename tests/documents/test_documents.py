"""The documents of a whole analysis, at every depth: sound, whole, and stable when steps run again."""

from __future__ import annotations

import csv
import io
import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pymarkdown.api import PyMarkdownApi

from drafts import STEPS, ask, documents, play, write
from people import ITEM
from roundtable.core.progress import read_scope
from roundtable.core.steps import DEPTHS, Depth, Question, Step, Target
from roundtable.core.validation import says_none
from roundtable.documents.additions import insert_addition
from roundtable.documents.answers import read_answers
from roundtable.documents.drafting import draft
from roundtable.documents.outline import read_outline
from roundtable.store.outputs import Outputs

ROOT = Path(__file__).parents[2]
FILES = {
    "quick-scan.md", "requirements-spec.md", "nfr-matrix.md", "user-stories.json", "traceability-matrix.csv",
    "impact-analysis.md", "architecture-overview.md", "module-design.md", "interface-spec.md", "data-flow.md",
    "error-taxonomy.md", "design-summary.md",
}  # fmt: skip
BLOCK = """<!-- Elaboration: step {step_id}, 2026-01-02T03:04:05.678Z -->

### Elaboration Insights (Step {step_id}: {title})

**Participants**: Maya Chen (BA), Alex Rivera (Architect)
**Turns**: 4 | **Exit**: user-initiated

#### Key Insights
- [Maya] Two answers differ.

#### Decisions Made
- None

#### Open Questions
- None"""
_WITH_IDS = ("### FR", "### ADR", "| NFR")
GERMAN = "Der Empfänger öffnet die Liste; er prüft: „Stimmt das?“. Danach ist Schluß."
JAPANESE = "受付係は予約の一覧を見る。次に、確認を押す。終わったら閉じる。"
NASTY = (
    "# Heading\n## 1. Business Context\n---\n```\ncode\n<!-- Step 01-01: 3 characters, 00000000 -->",
    "```python\nprint('x')\n```",
    "=cmd|' /C calc'!A0",
    "<!-- Elaboration: step 01-01, x -->\n<script>alert(1)</script>\n-->",
    "- a\n  - b\n\n1. c\n> d\n| e | f |\n|---|---|",
    "[x]: http://a\n[link](http://b) ![i](c) **bold *odd `tick",
    "FR-001 AC-001-01 ### FR-009: no\n- **AC-009-01** no\n- Withdrawn: FR-010, no",
    "a -> `b` -> \"c\" -> <d>; \\ -> #",
    "Given x\nWhen y\nThen z\nGiven\nGiven ",
    "As a\nAs a x, I want\nI want",
    "\x1b[31mred\x1b[0m \u202egnp.exe\x00",
    GERMAN,
    JAPANESE,
    "...",
    "x" * 5_000,
    "word; " * 400,
)  # fmt: skip


@cache
def schema() -> Any:
    path = ROOT / "docs" / "schemas" / "user-stories.schema.json"
    found = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def linted(text: str, *, strict: bool = True) -> list[str]:
    """What the linter finds with the project's settings; where strict, also lists right below a heading."""
    api = PyMarkdownApi().configuration_file_path(str(ROOT / "pyproject.toml"))
    if strict:
        api = api.enable_rule_by_identifier("md022").enable_rule_by_identifier("md032")
    found = api.scan_string(text)
    assert not found.pragma_errors and not found.critical_errors
    return [f"{each.line_number}: {each.rule_id} {each.rule_description}" for each in found.scan_failures]


def assert_sound(found: dict[str, str], *, lint: bool = True) -> None:
    """Markdown without a flaw, diagrams that can be read, data that is valid."""
    for name, text in found.items():
        if name.endswith(".md"):
            assert not lint or linted(text) == [], name
    jsonschema.validate(json.loads(found["user-stories.json"]), schema(), jsonschema.Draft202012Validator)
    rows = list(csv.reader(io.StringIO(found["traceability-matrix.csv"]), strict=True))
    assert {len(row) for row in rows} == {6}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("depth", DEPTHS)
def test_realistic_answers_make_sound_documents(folder: Path, depth: Depth) -> None:
    found = play(folder, depth)
    assert set(found) == FILES
    assert_sound(found)
    whole = "\n".join(found.values())
    assert "TBD" not in whole and "No answers were given" not in whole
    assert read_scope(found["quick-scan.md"]) == {
        "brief": ("small", "low"), "standard": ("medium", "high"), "deep": ("medium", "high")
    }[depth]  # fmt: skip
    headings = [
        section.heading
        for section in read_outline(found["requirements-spec.md"].encode()).sections
        if section.level == 2
    ]
    assert headings == [
        "1. Business Context", "2. Stakeholders and Needs", "3. User Journeys", "4. Technical Context",
        "5. Quality Attributes and Risks", "6. Functional Requirements", "7. Out of Scope",
        "8. Prioritization",
    ]  # fmt: skip


@pytest.mark.rule("STEP-4", "STEP-5")
@pytest.mark.parametrize("depth", DEPTHS)
def test_every_answer_is_in_the_documents(folder: Path, depth: Depth) -> None:
    found = play(folder, depth)
    for step in STEPS:
        kept = "".join(_letters(found[output]) for output in step.outputs)
        for question in step.questions(depth):
            is_none = says_none(question.example)
            for part in () if is_none else question.example.replace("`", "").split():
                assert _letters(part) in kept, (step.step_id, question.label, part)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


@pytest.mark.rule("STEP-4")
def test_what_nobody_knows_is_an_open_question_and_nothing_else(folder: Path) -> None:
    found = play(folder, "standard", lambda _step, _question: None)
    assert_sound(found)
    for step in STEPS:
        text = found[step.outputs[0]].replace('\\"', '"')
        for question in step.standard:
            assert question.text in text
    assert "I don't know" not in "".join(found.values())
    assert json.loads(found["user-stories.json"])["stories"] == []


@pytest.mark.rule("STEP-5", "ART-7")
@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_no_answer_breaks_a_document(folder: Path, text: str) -> None:
    found = play(folder, "standard", lambda _step, _question: text)
    assert set(found) == FILES
    assert_sound(found, lint=False)
    for step in STEPS:
        for target in step.targets:
            if target.output.endswith(".md"):
                document = found[target.output].encode()
                own = [each.heading for each in read_outline(document).sections if each.level <= 2]
                assert own.count(target.section) == 1
    again = play(folder, "standard", lambda _step, _question: text)
    assert again == found


@pytest.mark.rule("STEP-5")
def test_an_answer_of_a_hundred_kilobytes(folder: Path) -> None:
    long = "Ein Satz mit Wörtern; noch einer, der länger ist. " * 2_000
    found = play(folder, "brief", lambda _step, _question: long)
    write(folder, ask("01-06", {"Features": long, "Acceptance": long}))
    assert_sound(found, lint=False)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.sampled_from(STEPS))
def test_any_text_can_be_drafted(text: str, step: Step) -> None:
    answers: dict[str, str | None] = {question.label: text for question in step.deep}
    for section in draft(ask(step.step_id, answers), {}):
        assert section.text.strip()


@pytest.mark.rule("ART-4", "ART-5", "STEP-5")
@pytest.mark.parametrize("depth", DEPTHS)
def test_documents_stay_sound_with_an_elaboration_and_steps_leave_it_alone(
    folder: Path, depth: Depth
) -> None:
    play(folder, depth)
    before: dict[str, bytes] = {}
    for step in STEPS:
        for target in step.targets:
            path = folder / target.output
            if path.suffix == ".md":
                block = BLOCK.format(step_id=step.step_id, title=step.title)
                addition = insert_addition(path.read_bytes(), block, topic=step.title, section=target.section)
                assert addition.heading == target.section
                path.write_bytes(addition.document)
                before[target.output] = addition.document
    for name, text in documents(folder).items():
        assert not name.endswith(".md") or linted(text, strict=False) == [], name
    play(folder, depth)
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an item whose analysis is complete, to be copied."""
    item = tmp_path_factory.mktemp("written")
    play(item, "standard")
    return item


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step_id)
def test_each_step_runs_again_without_a_change(folder: Path, written: Path, step: Step) -> None:
    shutil.copytree(written, folder, dirs_exist_ok=True)
    before = documents(folder)
    write(folder, ask(step.step_id, {each.label: each.example for each in step.standard}))
    assert documents(folder) == before


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.step_id)
def test_an_elaboration_and_a_hand_edit_outlive_other_answers(
    folder: Path, written: Path, step: Step
) -> None:
    """Both stay byte for byte, and nothing outside the section changes."""
    shutil.copytree(written, folder, dirs_exist_ok=True)
    edit = "By hand: ask Leila first."
    markdown = [target for target in step.targets if target.output.endswith(".md")]
    for target in markdown:
        block = BLOCK.format(step_id=step.step_id, title=step.title)
        path = folder / target.output
        document = insert_addition(
            path.read_bytes(), block, topic=step.title, section=target.section
        ).document
        path.write_bytes(
            document.replace(b"\n\n<!-- Elaboration", f"\n\n{edit}\n\n<!-- Elaboration".encode(), 1)
        )
    before = documents(folder)
    answers: dict[str, str | None] = {
        each.label: f"Other words, 5 days: {each.example[:40]}" for each in step.deep
    }
    write(folder, ask(step.step_id, answers, depth="deep"))
    after = documents(folder)
    assert {name for name in before if before[name] != after[name]} <= set(step.outputs)
    for target in markdown:
        block = BLOCK.format(step_id=step.step_id, title=step.title).partition("\n\n")[0]
        old, new = before[target.output], after[target.output]
        assert edit in new and block in new
        assert _outside(old, markdown) == _outside(new, markdown)
        kept = old[old.index(block) :].partition("\n## ")[0]
        assert kept.strip() in new


def _outside(document: str, targets: list[Target]) -> list[str]:
    """The sections that the step does not write."""
    own = tuple(target.section for target in targets)
    return [part for part in document.split("\n## ") if not part.startswith(own)]


@pytest.mark.rule("STEP-5")
def test_ids_outlive_a_change_of_depth(folder: Path) -> None:
    first = play(folder, "standard")
    play(folder, "brief")
    last = play(folder, "standard")
    assert last["user-stories.json"].count('"id": "US-001"') == 1
    for name in ("requirements-spec.md", "nfr-matrix.md", "architecture-overview.md"):
        old = [line for line in first[name].split("\n") if line.startswith(_WITH_IDS)]
        assert old and [line for line in old if line not in last[name]] == []


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize("depth", DEPTHS)
def test_the_answers_can_be_read_back_so_that_enter_keeps_them(folder: Path, depth: Depth) -> None:
    first = play(folder, depth)
    outputs = Outputs(folder, STEPS)
    stored = outputs.stored_answers() | read_answers(first, ITEM.name)

    def kept(step: Step, question: Question) -> str:
        return stored[step.step_id, question.label]

    assert play(folder, depth, kept) == first


@pytest.mark.rule("STEP-4")
def test_several_choices_are_read_back_as_a_list(folder: Path) -> None:
    write(folder, ask("03-02", {"Choice": "- A job queue. Rows.\n- A mail library"}))
    assert read_answers(documents(folder), "x") == {
        ("03-02", "Choice"): "- A job queue. Rows.\n- A mail library"
    }


def test_a_step_that_names_no_section_writes_one_of_its_title() -> None:
    brief = ask("01-01", {"Problem": "x"})
    (section,) = draft(replace(brief, step=replace(brief.step, targets=())), {})
    assert section.target == Target("requirements-spec.md", brief.step.title)
    assert section.text == "**Problem**: x"
