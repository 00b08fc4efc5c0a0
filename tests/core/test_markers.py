"""The comments of ours: what is written is read again, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.markers import (
    ElaborationMarker,
    EndMarker,
    EnrichmentMarker,
    FeedbackMarker,
    Marker,
    NoneMarker,
    ParkedMarker,
    StepMarker,
    TranscriptMarker,
    begins_like_elaboration,
    find_malformed_marker,
    parse_marker,
    strip_markers,
)

AT = "2026-02-20T14:30:00.000Z"
WRITTEN = [
    (ElaborationMarker("01-03", AT), f"<!-- Elaboration: step 01-03, {AT} -->"),
    (ElaborationMarker("", AT), f"<!-- Elaboration: {AT} -->"),
    (FeedbackMarker("01-03", AT), f"<!-- Feedback: step 01-03, {AT} -->"),
    (TranscriptMarker("01-03", AT), f"<!-- Transcript: step 01-03, {AT} -->"),
    (TranscriptMarker("", AT), f"<!-- Transcript: {AT} -->"),
    (StepMarker("01-03", 12, "0123abcd"), "<!-- Step 01-03: 12 characters, 0123abcd -->"),
    (NoneMarker(("Cost", "Third Way")), "<!-- None: Cost; Third Way -->"),
    (EnrichmentMarker("(step 01-01, t)"), "<!-- Elaboration enrichment (step 01-01, t) -->"),
    (EndMarker(), "<!-- End of addition -->"),
]


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize(("marker", "written"), WRITTEN)
def test_what_is_written_is_read_again(marker: Marker, written: str) -> None:
    assert str(marker) == written
    forms = (f"{lead}{written}{tail}" for lead in ("", "   ") for tail in ("", " \r\n"))
    assert {parse_marker(form) for form in forms} == {marker}
    assert marker.stands_in(f"# T\n\n{written}\n".encode()) and not marker.stands_in(b"# T\n")


@pytest.mark.rule("FOCUS-2")
def test_a_parked_point_is_marked_in_its_own_line() -> None:
    assert str(ParkedMarker("01-03", 4, AT)) == f"<!-- Parked: step 01-03, turn 4, {AT} -->"


@pytest.mark.rule("ART-7")
@pytest.mark.parametrize(
    "line",
    [
        "",
        "text",
        "<!-- a note of somebody's -->",
        "<!-- Elaboration of the plan -->",
        f"<!-- elaboration: step 01-03, {AT} -->",
        f"<!--Elaboration: step 01-03, {AT} -->",
        f"    <!-- Elaboration: step 01-03, {AT} -->",
        f"- <!-- Elaboration: step 01-03, {AT} -->",
        f"<!-- Elaboration: step 01-03, {AT} --> and more",
        "<!-- Elaboration: step 01-03, x--><script> -->",
        "<!-- Elaboration: step 01-03,\n x -->",
        f"<!-- Feedback: {AT} -->",
        "<!-- Step 01-03: 12 characters, 0123ABCD -->",
        "<!-- Step 01-03: 1234567890 characters, 0123abcd -->",
        "<!-- None: a --> b -->",
        "<!-- End of additions -->",
        f"&lt;!-- Feedback: step 01-03, {AT} --&gt;",
    ],
)
def test_what_only_resembles_a_marker_is_none(line: str) -> None:
    assert parse_marker(line) is None


@given(st.lists(st.text(st.characters(exclude_characters=";"), min_size=1), min_size=1))
def test_no_label_can_close_the_comment(labels: list[str]) -> None:
    written = str(NoneMarker(tuple(labels)))
    assert written.index("-->") == len(written) - 3 and written.rindex("<!--") == 0


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        (f"<!-- Elaboration: step 01-03, {AT} -->\n", True),
        (f"  <!-- elaboration: {AT}\n edited -->\n", True),
        ("<!-- Elaboration: step 01-03 -->\n", True),
        ("<!-- Elaboration enrichment (step 01-01) -->\n", True),
        ("<!-- Elaboration of the plan -->\n", False),
        ("<!-- Step 01-03: 12 characters, 0123abcd -->", False),
    ],
)
def test_an_edited_marker_still_stands_before_an_addition(comment: str, expected: bool) -> None:
    assert begins_like_elaboration(comment) is expected


def test_an_undated_marker_is_read_and_called_malformed() -> None:
    line = "<!-- Elaboration: step 01-03, yesterday -->"
    assert parse_marker(line) == ElaborationMarker("01-03", "yesterday")
    assert find_malformed_marker(line) == "elaboration"
    assert [find_malformed_marker(str(marker)) for marker, _ in WRITTEN] == [""] * len(WRITTEN)


def test_markers_are_left_out_with_the_blank_line_after_them() -> None:
    lines = [str(marker) for marker, _ in WRITTEN]
    text = "\n\n".join(["# T", *lines, "text"])
    assert strip_markers(text, *(type(marker) for marker, _ in WRITTEN)) == "# T\n\ntext"
    assert strip_markers(text, NoneMarker) == text.replace("<!-- None: Cost; Third Way -->\n\n", "")
    assert strip_markers("a\n<!-- a note -->\n\nb", NoneMarker) == "a\n<!-- a note -->\n\nb"
