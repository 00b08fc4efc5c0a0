"""Any step may be run again: elaborations and hand edits stay, byte for byte (STEP-5)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from drafts import STEPS, ask, documents, example, step_of, write
from people import ITEM
from project import ANSWERS, meta, project, talk, texts
from roundtable.core.analysis import STANDING
from roundtable.core.commands import WriteStep
from roundtable.core.progress import choose_depth, read_scope
from roundtable.core.steps import DEPTHS, Question, Step
from roundtable.core.text import unescape_markdown
from roundtable.documents.additions import insert_addition
from roundtable.documents.answers import read_answers
from roundtable.documents.drafting import draft
from roundtable.documents.outline import read_outline
from roundtable.runtime.draft_answers import keep_answers
from roundtable.store.items import read_item
from roundtable.store.meta import facts_of
from roundtable.store.outputs import Outputs

BLOCK = (
    "<!-- Elaboration: step {step_id}, 2026-02-20T14:30:00.000Z -->\n\n"
    "### Elaboration Insights (Step {step_id}: T)\n\n#### Key Insights\n- [Maya] Keep me.\n"
)
OLD_STORIES = "As a guest, I want tea.\nAs a waiter, I want the list."
EDIT = b"\n\nA sentence that a person wrote here.\n"


def run(outputs: Outputs, step_id: str, more: str = "") -> None:
    """The step from its questions' examples, or from other words."""
    step = step_of(step_id)
    answers: dict[str, str | None] = {
        question.label: example(step, question) + more for question in step.questions("standard")
    }
    documents = outputs.documents()
    outputs.write_step(WriteStep(step, draft(ask(step_id, answers), documents)))


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The documents of an item after all 24 steps."""
    folder = tmp_path_factory.mktemp("item")
    outputs = Outputs(folder, STEPS)
    for step in STEPS:
        run(outputs, step.step_id)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.rule("STEP-5", "ART-5")
@pytest.mark.parametrize("step_id", [step.step_id for step in STEPS])
def test_run_again_it_keeps_elaborations_and_hand_edits_and_changes_nothing_outside(
    step_id: str, analysed: dict[str, bytes], tmp_path: Path
) -> None:
    for name, data in analysed.items():
        (tmp_path / name).write_bytes(data)
    step = step_of(step_id)
    pages = [target for target in step.targets if target.output.endswith(".md")]
    for target in pages:
        path = tmp_path / target.output
        block = BLOCK.format(step_id=step_id)
        added = insert_addition(path.read_bytes(), block, topic=step.title, section=target.section)
        end = added.start + added.length
        path.write_bytes(added.document[:end] + EDIT + added.document[end:])
    before = {name: (tmp_path / name).read_bytes() for name in analysed}
    run(Outputs(tmp_path, STEPS), step_id, " And more of it, with 7 cats.")
    written = {target.output for target in step.targets} | set(step.outputs)
    for name in analysed:
        after = (tmp_path / name).read_bytes()
        if name not in written:
            assert after == before[name]
        elif name.endswith(".md"):
            mine = {target.section for target in pages if target.output == name}
            outside = [
                each
                for each in read_outline(before[name]).sections
                if each.level == 2 and each.heading not in mine
            ]
            for each in outside:
                assert before[name][each.start : each.end].strip() in after
            assert after.count(EDIT.strip()) == len(mine)
            assert after.count(b"- [Maya] Keep me.") == len(mine)
            assert b"7 cats" in after or not mine


def _own(step: Step, question: Question) -> str:
    """An answer that a test finds again, whatever form the document gives it."""
    number = [each.label for each in step.deep].index(question.label) + 1
    return f"{example(step, question).rstrip('.')} with 70{number} otters"


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("step_id", [step.step_id for step in STEPS])
@pytest.mark.parametrize(
    ("first", "second"), [("deep", "brief"), ("deep", "standard"), ("standard", "brief")]
)
def test_run_again_at_a_lower_depth_it_keeps_the_answers_it_does_not_ask(
    step_id: str, first: str, second: str, tmp_path: Path
) -> None:
    step = step_of(step_id)
    high, low = (next(depth for depth in DEPTHS if depth == name) for name in (first, second))
    words = {question.label: _own(step, question) for question in step.questions(high)}
    write(tmp_path, ask(step_id, dict(words), depth=high))
    asked = {question.label for question in step.questions(low)}
    before = documents(tmp_path)
    outputs = Outputs(tmp_path, STEPS)
    stored = outputs.stored_answers() | read_answers(before, ITEM.name)
    again = ask(step_id, {label: stored.get((step_id, label), "Said anew.") for label in asked}, depth=low)
    write(tmp_path, keep_answers(again, stored, outputs.open_questions(step)))
    after = " ".join(unescape_markdown(text) for text in documents(tmp_path).values())
    for label, text in words.items():
        if label not in asked:
            assert text[-12:] in after, (label, text)


@pytest.mark.rule("STEP-5")
def test_an_open_question_that_is_not_asked_again_stays_open(tmp_path: Path) -> None:
    step = step_of("01-01")
    words = {question.label: None for question in step.questions("deep")}
    write(tmp_path, ask("01-01", dict(words), depth="deep"))
    outputs = Outputs(tmp_path, STEPS)
    again = ask(
        "01-01", {question.label: "Known now." for question in step.questions("brief")}, depth="brief"
    )
    write(tmp_path, keep_answers(again, outputs.stored_answers(), outputs.open_questions(step)))
    text = " ".join(documents(tmp_path).values())
    known = {question.label for question in step.questions("brief")}
    for question in step.questions("deep"):
        assert (unescape_markdown(f"- Open question: {question.text}") in unescape_markdown(text)) == (
            question.label not in known
        )


@pytest.mark.rule("STEP-5")
def test_a_session_that_does_a_step_again_briefly_keeps_the_rest(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    (item / "meta.json").write_text(json.dumps(meta(item) | {"depth_overrides": {"00-quick-scan": "brief"}}))
    talk(root, item, ["edit 1", "The inspector types once."], reopen="00-01")
    text = (item / "quick-scan.md").read_text()
    assert "The inspector types once." in text
    assert "The inspector retypes forms." not in text
    assert "**Measure**: 60 inspectors" in text


@pytest.fixture
def cloned(tmp_path: Path) -> tuple[Path, Path]:
    """A project whose item has requirements, stories and a matrix; its .journal is missing, as in a clone."""
    root, item = project(tmp_path / "project")
    given: dict[str, dict[str, str | None]] = {
        "01-06": {"Features": "A guest books a table.\nA waiter sees the list.", "Acceptance": None},
        "01-07": {"Stories": OLD_STORIES, "Unhappy Story": None},
        "01-08": {"Priorities": "Must: FR-001. Should: FR-002."},
    }
    for step_id, answers in given.items():
        write(item, ask(step_id, answers, item=read_item(item), depth="deep"))
    done = [step.step_id for step in STEPS if step.step_id < "01-09"]
    (item / "meta.json").write_text(json.dumps(meta(item) | {"steps_completed": done}))
    shutil.rmtree(item / ".journal")
    return root, item


@pytest.mark.rule("STEP-5")
def test_in_a_fresh_clone_a_step_replaces_the_data_that_nobody_edited(cloned: tuple[Path, Path]) -> None:
    root, item = cloned
    story = "As a cook, I want the orders."
    shown = talk(root, item, [f"{OLD_STORIES}\n{story}"], reopen="01-07")
    assert "Wrote user-stories.json." in texts(shown, "update")
    assert story in (item / "user-stories.json").read_text()
    shown = talk(root, item, ["edit 1", "Could: FR-001."], reopen="01-08")
    assert "Wrote traceability-matrix.csv." in texts(shown, "update")
    first = (item / "traceability-matrix.csv").read_text().splitlines()[1]
    assert first.startswith("FR-001,A guest books a table,Could,")


@pytest.mark.rule("STEP-5")
def test_in_a_fresh_clone_edited_data_stays_and_the_answer_is_shown(cloned: tuple[Path, Path]) -> None:
    root, item = cloned
    file = item / "user-stories.json"
    edited = file.read_bytes().replace(b'"as_a": "guest"', b'"as_a": "regular guest"')
    file.write_bytes(edited)
    shown = talk(root, item, [f"{OLD_STORIES}\nAs a cook, I want the orders."], reopen="01-07")
    said = next(each for each in texts(shown, "update") if each.startswith("Left user-stories.json"))
    assert '"text": "As a cook, I want the orders."' in said
    assert file.read_bytes() == edited


@pytest.mark.rule("STEP-5", "DEPTH-1")
def test_a_complexity_given_with_the_scope_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    write(tmp_path, ask("00-03", {"Scope": "large", "Complexity": "high, since nobody knows it"}))
    outputs = Outputs(tmp_path, STEPS)
    stored = outputs.stored_answers() | read_answers(documents(tmp_path), ITEM.name)
    again = ask("00-03", {"Scope": "small, complexity: low"}, depth="brief")
    write(tmp_path, keep_answers(again, stored, frozenset()))
    text = (tmp_path / "quick-scan.md").read_text()
    assert read_scope(text) == ("small", "low")
    assert "nobody knows it" not in text


@pytest.mark.rule("STEP-5", "DEPTH-1")
@pytest.mark.parametrize(
    "given",
    [
        {"Scope": "medium to large, complexity: low"},
        {"Scope": "a handful of files, complexity is low"},
        {"Scope": "Small, because one page"},
        {"Scope": "Small; low because nothing else moves"},
        {"Scope": "small", "Complexity": "low, we follow the API"},
        {"Scope": "small", "Complexity": "hard to say"},
        {"Scope": "unclear", "Complexity": "unknown to us"},
        {"Scope": "medium; complexity: high", "Complexity": "a small team knows it"},
        {"Scope": "medium; small parts later", "Complexity": "low. It allows reuse"},
    ],
)
def test_a_size_that_is_kept_stays_as_it_is(tmp_path: Path, given: dict[str, str | None]) -> None:
    outputs = Outputs(tmp_path, STEPS)
    write(tmp_path, ask("00-03", given))
    first = documents(tmp_path)
    for _ in range(3):
        stored = outputs.stored_answers() | read_answers(documents(tmp_path), ITEM.name)
        write(tmp_path, keep_answers(ask("00-03", {}), stored, frozenset()))
        assert documents(tmp_path) == first


@pytest.mark.rule("STEP-5", "DEPTH-1")
def test_a_complexity_that_is_asked_apart_is_the_only_one_in_the_document(tmp_path: Path) -> None:
    (tmp_path / "forms.py").write_text("def save_forms(): ...\n")
    root, item = project(tmp_path)
    told = {"steps_completed": ["00-01", "00-02"], "depth_overrides": {"00-quick-scan": "brief"}}
    (item / "meta.json").write_text(json.dumps(meta(item) | told))
    (shown,) = (line for line in talk(root, item, [""]) if line.kind == "question")
    assert shown.draft == "small, complexity: medium"
    told = {"depth_overrides": {"00-quick-scan": "standard"}}
    (item / "meta.json").write_text(json.dumps(meta(item) | told))
    lines = talk(root, item, ["", "high, because nobody knows the forms", "None."], reopen="00-03")
    drafts = [(line.draft, line.source) for line in lines if line.kind == "question"][:2]
    assert drafts == [("small", STANDING), ("medium", STANDING)]
    assert read_scope((item / "quick-scan.md").read_text()) == ("small", "high")
    assert choose_depth({}, "01-requirements", facts_of(item, meta(item)), "standard") == "deep"


@pytest.mark.rule("STEP-5", "DEPTH-1")
@pytest.mark.parametrize("scope", ["small, complexity: low", "small; complexity = low, I hope", "small, low"])
def test_of_two_complexities_the_one_under_its_label_counts(tmp_path: Path, scope: str) -> None:
    again = keep_answers(ask("00-03", {"Scope": scope, "Complexity": "high"}), {}, frozenset())
    assert [each.text for each in again.answers] == ["small", "high"]
    unknown = keep_answers(ask("00-03", {"Scope": scope, "Complexity": None}), {}, frozenset())
    assert unknown.answers[0].text == scope


OLDER_SIZE = """# Quick Scan

## 3. Size and Complexity

**Scope**: large

**Complexity**: medium

**Why this scope**: large; every page shows a price.

**Why this complexity**: tax is new to us.
"""
OLDER_ERRORS = """# Error Taxonomy

## 1. Errors and Validation

| Id | Error | When |
| --- | --- | --- |
| E-001 | FeedLate | no message for 60 s \\| or more |
| E-002 | PushRejected | token gone |

**Checks**: one letter
"""


@pytest.mark.rule("STEP-5")
def test_answers_that_an_earlier_version_wrote_in_a_form_of_its_own_are_kept() -> None:
    found = read_answers({"quick-scan.md": OLDER_SIZE, "error-taxonomy.md": OLDER_ERRORS}, ITEM.name)
    assert found == {
        ("00-03", "Scope"): "large; every page shows a price.",
        ("00-03", "Complexity"): "medium; tax is new to us.",
        ("04-04", "Errors"): "FeedLate: no message for 60 s | or more\nPushRejected: token gone",
    }
    assert read_answers({"error-taxonomy.md": f"{OLDER_ERRORS}\n**Errors**: none of these\n"}, "x") == {}
