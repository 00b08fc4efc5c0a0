"""What a check of an item's documents finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drafts import play
from roundtable.core.steps import DEPTHS, Depth
from roundtable.documents.questions import find_asked_questions, find_open_questions
from roundtable.item_check import CheckFinding, check_documents

SPEC = "requirements-spec.md"
STORIES = "user-stories.json"
TRACE = "traceability-matrix.csv"
STORY: dict[str, Any] = {
    "id": "US-001", "as_a": "guest", "i_want": "tea", "so_that": None, "requirements": [], "acceptance": [],
    "text": "As a guest, I want tea.",
}  # fmt: skip
FILE = {"item": "x", "stories": [STORY], "open_questions": []}


def found(documents: dict[str, str], files: dict[str, int] | None = None) -> list[tuple[str, int, str, str]]:
    """What is found, as plain values; `files` are the project's, with how many lines they have."""
    findings = check_documents(documents, (files or {}).get)
    assert all(isinstance(each, CheckFinding) for each in findings)
    return [(each.file, each.line, each.kind, each.text) for each in findings]


def spec(*lines: str, **files: int) -> list[list[object]]:
    """What is found in one document."""
    paths = {name.replace("__", "/").replace("_", "."): count for name, count in files.items()}
    return [list(each[1:]) for each in found({SPEC: "\n".join(lines)}, paths)]


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_documents_of_an_analysis_hold_together(folder: Path, depth: Depth) -> None:
    """Apart from what the examples leave out: ids that they name, and criteria that they do not give."""
    documents = play(folder, depth)
    problems = check_documents(documents, lambda _path: 1_000)
    assert {each.kind for each in problems} <= {"id"}
    assert not problems or depth != "brief"


def test_sound_documents_give_nothing() -> None:
    assert found({}) == []
    assert spec("### FR-001: x", "- **AC-001-01** y", "See FR-001, AC-001-01.") == []


def test_an_id_that_is_defined_nowhere_is_a_dangling_reference() -> None:
    assert spec("FR-001 and NFR-002, FR-001", "(AC-001-01) US-003", "ADR-004 E-005 E-404") == [
        [1, "id", "FR-001 is defined nowhere."],
        [1, "id", "NFR-002 is defined nowhere."],
        [2, "id", "AC-001-01 is defined nowhere."],
        [2, "id", "US-003 is defined nowhere."],
        [3, "id", "ADR-004 is defined nowhere."],
    ]


def test_what_only_looks_like_an_id_is_none() -> None:
    assert (
        spec(
            "CVE-2024-001 XFR-001 FR-01 E-1234 FR-001-x AC-001", "```", "FR-007", "```", "~~~", "FR-8", "~~~"
        )
        == []
    )


def test_ids_are_defined_in_headings_criteria_rows_and_stories() -> None:
    documents = {
        SPEC: "### FR-001: x\n- **AC-001-01** y\nsee US-001 ADR-001 NFR-001",
        "nfr-matrix.md": "| NFR-001 | Speed | 2 s | x |",
        "architecture-overview.md": "### ADR-001: x",
        STORIES: json.dumps(FILE),
    }
    assert found(documents) == []


def test_data_files_refer_to_ids_too() -> None:
    story = FILE | {"stories": [STORY | {"requirements": ["FR-009"]}]}
    rows = "requirement,title,priority,stories,acceptance,section\nFR-008,x,,US-001,,6\n"
    assert found({STORIES: json.dumps(story, indent=2), TRACE: rows}) == [
        (STORIES, 10, "id", "FR-009 is defined nowhere."),
        (TRACE, 2, "id", "FR-008 is defined nowhere."),
    ]


def test_a_requirement_without_criteria_is_named() -> None:
    assert spec("### FR-001: x", "", "### FR-002: y", "- **AC-002-01** z") == [
        [1, "id", "FR-001 has no acceptance criterion."]
    ]


def test_an_id_that_is_defined_twice_is_named_with_both_places() -> None:
    assert spec("### ADR-001: x", "### ADR-001: y") == [
        [2, "id", "ADR-001 is defined a second time; first in requirements-spec.md, line 1."]
    ]
    story = FILE | {"stories": [STORY, STORY]}
    documents = {SPEC: "### ADR-001: x", "other.md": "### ADR-001: y", STORIES: json.dumps(story, indent=2)}
    assert found(documents) == [
        ("other.md", 1, "id", f"ADR-001 is defined a second time; first in {SPEC}, line 1."),
        (STORIES, 14, "id", "US-001 is defined a second time; first in user-stories.json, line 5."),
    ]


def test_questions_left_open_are_no_problem() -> None:
    lines = (
        "- Open question: Who pays?", "#### Open Questions", "- When?: Alex", "- None", "* none.",
        "#### Action Items", "- Call: Maya", "```", "- Open question: no", "```",
    )  # fmt: skip
    assert spec(*lines) == []
    assert list(find_open_questions("\n".join(lines))) == [(1, "Who pays?"), (3, "When?: Alex")]
    story = FILE | {"open_questions": ["Why?"]}
    assert found({STORIES: json.dumps(story, indent=2)}) == []
    assert list(find_asked_questions(STORIES, json.dumps(story, indent=2))) == [(15, "Why?")]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("`a/b.py:12`", None),
        ("(a/b.py:3-12)", None),
        ("a/b.py:13", "a/b.py:13: the file has 12 lines."),
        ("a/b.py:9-13", "a/b.py:9-13: the file has 12 lines."),
        ("a/b.py:0", "a/b.py:0: the file has 12 lines."),
        ("a/b.py:5-3", "a/b.py:5-3: the file has 12 lines."),
        ("one.py:2", "one.py:2: the file has 1 line."),
        ("`c.py:1`, x", "c.py:1: there is no file c.py in the project."),
        ("a/Makefile:1", "a/Makefile:1: there is no file a/Makefile in the project."),
        ("at 10:12, http://x.org/a.py:1, localhost:80, example.com:443, 3:1, a: 1", None),
        ("a.py:1:2", None),
        ("```\nc.py:1\n```", None),
    ],
)
def test_citations_exist(line: str, text: str | None) -> None:
    assert [each[2] for each in spec(*line.split("\n"), a__b_py=12, one_py=1)] == ([text] if text else [])


@pytest.mark.parametrize(
    "line",
    [
        "<!-- Step 01-01: 12 characters, 0123abcd -->",
        "<!-- Elaboration: step 01-01, 2026-01-02T03:04:05.678Z -->",
        "<!-- Elaboration enrichment (step 01-01) -->",
        "<!-- Feedback: step 01-01, 2026-01-02T03:04:05Z -->  ",
        "<!-- End of addition -->",
        "<!-- stepping stones -->",
        "`x` &lt;!-- Step",
    ],
)
def test_sound_markers(line: str) -> None:
    assert spec(line) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("<!-- Step 01-01: 12 characters, 0123ABCD -->", "step"),
        ("<!-- Step 01-01: 12 characters, 0123abcd", "step"),
        ("text <!-- Step 01-01: 12 characters, 0123abcd -->", "step"),
        ("<!--elaboration: step 01-01, 2026-01-02T03:04:05Z -->", "elaboration"),
        ("<!-- Elaboration: step 01-01, yesterday -->", "elaboration"),
        ("<!-- Feedback: 01-01, 2026-01-02T03:04:05Z -->", "feedback"),
    ],
)
def test_malformed_markers(line: str, kind: str) -> None:
    assert spec("x", line) == [
        [2, "document", f"The {kind} marker is malformed, so that what it marks is taken for a hand edit."]
    ]


@pytest.mark.parametrize("text", ["{\n  x", "", "[" * 100_000])
def test_data_that_is_no_json_is_named_and_other_data_is_left_alone(text: str) -> None:
    assert found({STORIES: text}) == [(STORIES, 1, "document", "It is not valid JSON.")]
    assert found({"own.csv": "a\n1,2\n", "own.txt": "<!-- Step"}) == []


def test_findings_come_by_file_and_by_line() -> None:
    documents = {"b.md": "FR-002\nFR-001", "a.md": "FR-004\nFR-003"}
    assert [(file, line) for file, line, _, _ in found(documents)] == [
        ("b.md", 1),
        ("b.md", 2),
        ("a.md", 1),
        ("a.md", 2),
    ]


@settings(max_examples=150)
@given(st.text(max_size=200), st.sampled_from([SPEC, STORIES, TRACE]))
def test_nothing_is_too_odd_to_be_checked(text: str, name: str) -> None:
    for each in check_documents({name: text}, lambda _path: None):
        assert each.line >= 1


def test_a_story_that_departs_from_the_schema_is_named_with_its_place() -> None:
    broken = [STORY, {**STORY, "id": "US-003", "requirements": ["FR-1"]}]
    (what,) = (
        each[3] for each in found({STORIES: json.dumps({**FILE, "stories": broken})}) if each[2] == "document"
    )
    assert "`$.stories[1].requirements[0]`" in what


def test_a_field_that_the_stories_lack_is_named() -> None:
    (only,) = found({STORIES: json.dumps({"item": "x", "stories": []})})
    assert only[2] == "document" and "`open_questions`" in only[3]


def test_a_matrix_is_checked_by_header_cells_and_ids() -> None:
    header = "requirement,title,priority,stories,acceptance,section"
    rows = f"{header}\nFR-001,x\nFR-1,a,b,c,d,e\n"
    assert [each[1:] for each in found({TRACE: rows}) if each[2] == "document"] == [
        (2, "document", "A row has 2 of 6 cells."),
        (3, "document", '"FR-1" is not the id of a requirement.'),
    ]
    assert found({TRACE: header.replace("priority", "prio")}) == [
        (TRACE, 1, "document", "Columns are missing: priority.")
    ]
    assert "section" in found({TRACE: ""})[0][3]


def test_an_id_that_was_taken_out_is_called_withdrawn() -> None:
    assert spec("- Withdrawn: FR-007, the old way", "See FR-007.") == [[2, "id", "FR-007 was withdrawn."]]
    text = json.dumps({**FILE, "withdrawn": [{"id": "US-009", "text": "x"}]})
    assert found({SPEC: "See US-009.", STORIES: text}) == [(SPEC, 1, "id", "US-009 was withdrawn.")]
