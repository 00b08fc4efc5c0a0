"""An answer that a host passed on is marked in every part that a section makes of it (ART-8)."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drafts import STEPS, ask, drafted
from roundtable.core.progress import read_scope
from roundtable.core.steps import DEPTHS
from roundtable.core.synthesis import strip_mark
from roundtable.documents.answers import read_answers, read_labelled
from roundtable.documents.drafting import draft, read_priority_rows
from roundtable.documents.page import mark_answer

MARK = "(unverified)"
QUESTIONS = sorted(
    {(step.step_id, each.label) for step in STEPS for depth in DEPTHS for each in step.questions(depth)}
)


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Drop the log.", "Drop the log (unverified)."),
        ("A goes, e.g. at night. B stays?", "A goes, e.g. at night (unverified). B stays (unverified)?"),
        ("one; two", "one (unverified); two (unverified)"),
        ("1. retry 2. stop", "1. retry (unverified) 2. stop (unverified)"),
        ("It takes 2.", "It takes 2 (unverified)."),
        ("Both:\n- one\n- two", "Both (unverified):\n- one (unverified)\n- two (unverified)"),
        ('`a; b` and "Stop. Now."', '`a; b` and "Stop. Now." (unverified)'),
        ("```\nx = 7\n```", "```\nx = 7 (unverified)\n```"),
        ("一つ。二つ", "一つ (unverified)。二つ (unverified)"),
        ("one\u2028two", "one (unverified)\ntwo (unverified)"),
        ("✅", "✅ (unverified)"),
        ("100 %. 👍", "100 % (unverified). 👍 (unverified)"),
        ("+++", "+++ (unverified)"),  # a rating, and no markup
        ("+ one\n+ 1. two", "+ one (unverified)\n+ 1. two (unverified)"),
        ("...", "..."),
        ("", ""),
    ],
)
def test_every_line_entry_and_sentence_carries_the_mark(text: str, marked: str) -> None:
    assert mark_answer(text) == marked
    assert mark_answer(marked) == marked


PIECES = (
    "word", ". And more", "; then this", "\nA line", "\n- one", "\n- two", "\n```\nx = 7", "\n```\n",
    " 2. next", ": a reason", ", because so", "As a clerk, I want it, so that we go", "Option B: ",
    ", small, low", "E_GONE: ", " (see", ") ", "FR-001 must", "Given a\nWhen b", '"', "`", "!",
    "    f(x) {", "|", "\u2028",
)  # fmt: skip


@pytest.mark.rule("ART-8", "STEP-5")
@given(st.sampled_from(QUESTIONS), st.lists(st.sampled_from(PIECES), max_size=8))
def test_no_part_of_it_stands_in_a_section_without_the_mark(
    question: tuple[str, str], pieces: list[str]
) -> None:
    step_id, label = question
    plain = re.sub(r"(\w+)", r"ZQ\1", "".join(pieces))
    for section in draft(ask(step_id, {label: mark_answer(plain)}), {}):
        assert section.notice == ""
        text = re.sub(r"(?s)```\S*\n.*?\n```\n\n- \(unverified\)", "", section.text)
        assert [line for line in text.splitlines() if "ZQ" in line and MARK not in line] == []


@pytest.mark.rule("ART-8")
def test_code_is_left_as_it_is_and_has_the_mark_below() -> None:
    answer = "Run this:\n```sh\nmake all; make test\n```"
    section = drafted("01-04", {"Systems": mark_answer(answer)})
    assert section == (
        "**Systems**:\n\n- Run this (unverified):\n\n```sh\nmake all; make test\n```\n\n- (unverified)"
    )
    (found,) = read_labelled(section)
    assert MARK in found.text
    assert strip_mark(found.text) == answer


@pytest.mark.rule("ART-8", "STEP-5")
def test_requirements_keep_their_ids_and_titles_and_can_be_read_again() -> None:
    features, criteria = "A guest sees tables. A guest books one.", "Given a table, When booked, Then taken."
    plain = drafted("01-06", {"Features": features, "Acceptance": criteria})
    documents = {"requirements-spec.md": f"# Spec\n\n## 6. Functional Requirements\n\n{plain}\n"}
    features = mark_answer("A guest books one. A guest sees tables.")
    marked = drafted("01-06", {"Features": features, "Acceptance": criteria}, documents)
    assert "### FR-002: A guest books one (unverified)\n" in marked
    assert "### FR-001: A guest sees tables (unverified)\n" in marked
    assert "- **AC-002-01** Given a table" in marked or "- **AC-001-01** Given a table" in marked
    found = read_answers({"requirements-spec.md": f"# Spec\n\n{marked}\n"}, "Offline forms")
    assert strip_mark(found["01-06", "Features"]) == "A guest books one\nA guest sees tables"
    long = mark_answer(f"A guest {'very ' * 30}patiently waits")
    assert "very… (unverified)\n" in drafted("01-06", {"Features": long})


@pytest.mark.rule("ART-8")
def test_stories_priorities_sizes_records_and_errors_are_marked_in_their_own_forms() -> None:
    story = mark_answer("As a guest, I want a table, so that I can eat.")
    (told,) = json.loads(drafted("01-07", {"Stories": story}))["stories"]
    assert {key: told[key] for key in ("as_a", "i_want", "so_that")} == {
        "as_a": f"guest {MARK}", "i_want": f"a table {MARK}", "so_that": f"I can eat {MARK}"
    }  # fmt: skip
    spec = "# Spec\n\n## 6. Functional Requirements\n\n### FR-001: Tables\n\n### FR-002: Mail (unverified)\n"
    chosen = mark_answer("FR-002 must, FR-001 could")
    table = drafted("01-08", {"Priorities": chosen}, {"requirements-spec.md": spec})
    assert read_priority_rows(table) == {"FR-002": f"Must {MARK}", "FR-001": f"Could {MARK}"}
    named = mark_answer("The tables must, the mail could")  # two marks are no words in common
    table = drafted("01-08", {"Priorities": named}, {"requirements-spec.md": spec})
    assert read_priority_rows(table) == {"FR-001": f"Must {MARK}", "FR-002": f"Could {MARK}"}
    sizes = drafted("00-03", {"Scope": mark_answer("small, low")})
    assert sizes == f"**Scope**: small, low {MARK}"
    assert read_scope(sizes) == ("small", "low")
    options = "Option A: a file. Option B: a queue."
    record = drafted("03-01", {"Options": mark_answer(options), "Decision": mark_answer("B")})
    assert record.startswith("### ADR-001: A queue (unverified)\n")
    assert f"\n#### Decision\n\nB {MARK}" in record
    errors = drafted("04-04", {"Errors": mark_answer("E_FULL: no room; E_GONE: no file")})
    assert errors == f"**Errors**: E_FULL: no room {MARK}; E_GONE: no file {MARK}"
