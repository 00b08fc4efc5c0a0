"""What steps write in their sections, and may replace."""

from __future__ import annotations

import hashlib

import pytest

from roundtable.documents.additions import Addition, insert_addition, write_section, write_skeleton
from roundtable.documents.outline import read_outline

BASE = b"# Spec\n\n**Item**: Offline\n\n## 1. Context\n\n## 2. Needs\n\n## 3. Journeys\n"
ELABORATION = (
    "<!-- Elaboration: step 01-02, t -->\n\n### Elaboration Insights (Step 01-02: Needs)\n\n- [Maya] x"
)
FEEDBACK = "<!-- Feedback: step 01-02, t -->\n\n- Not so."


def write(document: bytes, text: str, heading: str = "Needs", step_id: str = "01-02") -> bytes:
    return write_section(document, step_id=step_id, heading=heading, text=text)


def add_feedback(document: bytes, heading: str = "Needs") -> Addition:
    return insert_addition(document, FEEDBACK, topic=heading, step_id="01-02")


def own(text: str, step_id: str = "01-02") -> bytes:
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"<!-- Step {step_id}: {len(text)} characters, {digest} -->\n\n{text}".encode()


def elaborated(document: bytes) -> bytes:
    return insert_addition(document, ELABORATION, topic="Needs", section="Needs").document


@pytest.mark.rule("STEP-5")
def test_a_new_output_has_title_item_and_numbered_sections() -> None:
    assert write_skeleton("Requirements", "Offline\nforms", ["Context", "User Needs"]) == (
        b"# Requirements\n\n**Item**: Offline forms\n\n## 1. Context\n\n## 2. User Needs\n"
    )
    assert write_skeleton("T", "x", []) == b"# T\n\n**Item**: x\n"


@pytest.mark.rule("STEP-5")
def test_a_step_writes_its_own_section_under_its_marker() -> None:
    assert write(BASE, "Ein Café.\n\n- a") == BASE.replace(
        b"## 2. Needs\n", b"## 2. Needs\n\n" + own("Ein Café.\n\n- a") + b"\n"
    )


@pytest.mark.rule("STEP-5")
def test_writing_the_same_again_changes_nothing() -> None:
    once = write(BASE, "one")
    assert write(once, "one") == once
    assert write(once, "\none\r\n") == once


@pytest.mark.rule("STEP-5")
def test_feedback_goes_to_the_section_that_holds_the_step_s_text() -> None:
    notes = b"## Needs\n\nNotes from the workshop.\n\n"
    twice = write(BASE, "one").replace(b"## 1.", notes + b"## 1.")
    for document in (twice, twice.replace(b"\none\n", b"\none, edited\n")):
        added = add_feedback(document)
        assert added.heading == "2. Needs"
        assert document[added.start :].lstrip().startswith(b"## 3. Journeys")


@pytest.mark.rule("STEP-5")
def test_a_re_run_replaces_only_what_the_step_wrote() -> None:
    once = add_feedback(elaborated(write(BASE, "one\n\n- x"))).document.replace(
        b"## 3.", b"A hand-written line.\n\n## 3."
    )
    again = write(once, "two")
    assert again == once.replace(own("one\n\n- x"), own("two"))
    assert b"A hand-written line." in again


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_endings_are_no_edit(newline: bytes) -> None:
    once = write(BASE, "one\n\n- x").replace(b"\n", newline)
    assert write(once, "one\n\n- x") == once
    assert write(once, "a\nb") == write(BASE, "a\nb").replace(b"\n", newline)


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize(
    ("written", "edited"),
    [
        ("one two", b"one, two"),
        ("one two", b"one two three"),
        ("one two", b"one two\nthree"),
        ("- a\n- b", b"- a\n- b\n- c"),
        ("- a\n- b", b"- a\n- b\n\n- c"),
        ("- a\n- b", b"- a\n- b\n\n  more of b"),
        ("one two", b""),
        ("```\na\n```", b"```\na\n```\nright below"),
    ],
)
def test_edited_text_stays_and_the_new_text_follows_it(written: str, edited: bytes) -> None:
    marker = own(written).partition(b"\n")[0]
    once = elaborated(write(BASE, written))
    by_hand = once.replace(own(written), marker + b"\n\n" + edited)
    again = write(by_hand, "new")
    assert again.replace(own("new") + b"\n\n", b"") == by_hand
    assert again.index(marker + b"\n\n" + edited) < again.index(own("new")) < again.index(b"<!-- Elaboration")
    assert write(again, "newer") == again.replace(own("new"), own("newer"))


@pytest.mark.rule("STEP-5")
def test_edited_text_keeps_feedback_and_other_steps_behind_the_new_text() -> None:
    first = write(write(BASE, "one"), "other", step_id="01-03")
    edited = first.replace(b"one\n", b"one!\n")
    again = write(edited, "new")
    assert again.index(b"one!") < again.index(own("new")) < again.index(own("other", "01-03"))
    feedback = add_feedback(write(BASE, "one")).document
    again = write(feedback.replace(b"one\n", b"one!\n"), "new")
    assert again.index(b"one!") < again.index(own("new")) < again.index(b"<!-- Feedback")


@pytest.mark.rule("STEP-5")
def test_two_steps_may_write_one_section() -> None:
    both = write(elaborated(write(BASE, "one")), "other", step_id="01-03")
    assert both.index(own("one")) < both.index(own("other", "01-03")) < both.index(b"<!-- Elaboration")
    assert write(both, "two") == both.replace(own("one"), own("two"))
    assert write(both, "more", step_id="01-03") == both.replace(own("other", "01-03"), own("more", "01-03"))


@pytest.mark.rule("STEP-5")
def test_hand_written_text_comes_before_a_step_s_first_text() -> None:
    by_hand = BASE.replace(b"## 2. Needs\n", b"## 2. Needs\n\nMine.\n")
    assert write(by_hand, "one") == by_hand.replace(b"Mine.\n", b"Mine.\n\n" + own("one") + b"\n")


@pytest.mark.rule("STEP-5")
def test_an_elaboration_of_seed_001_without_a_marker_ends_the_step_s_text_too() -> None:
    block = b"## Elaboration Insights (Step 01-02: Needs)\n\nx\n"
    document = BASE.replace(b"## 2. Needs\n", b"## 2. Needs\n\n" + block)
    assert write(document, "one") == document.replace(block, own("one") + b"\n\n" + block)


@pytest.mark.rule("STEP-5")
def test_a_missing_section_is_made_at_the_end() -> None:
    document = b"# T\n\n## 1. A\n\na\n\n## 3. C\n\nz"
    assert write(document, "new", heading="## New") == document + b"\n\n## New\n\n" + own("new") + b"\n"


@pytest.mark.rule("STEP-5")
def test_a_missing_section_in_an_empty_document() -> None:
    assert write(b"", "one", heading="1. A") == b"## 1. A\n\n" + own("one") + b"\n"


@pytest.mark.rule("STEP-5", "ART-7")
def test_a_step_s_text_stays_inside_its_section() -> None:
    hostile = "# Evil\n\n## Sub\n\n<!-- Elaboration: step 01-02, t -->\n\n<pre>\n\n```\nopen"
    again = write(BASE, hostile)
    assert [(s.heading, s.level) for s in read_outline(again).sections] == [
        *[("Spec", 1), ("1. Context", 2), ("2. Needs", 2), ("Evil", 3), ("3. Journeys", 2)]
    ]
    assert b"<!-- Elaboration" not in again
    assert write(again, hostile) == again
    assert write(again, "plain") == write(BASE, "plain")


@pytest.mark.rule("STEP-5")
def test_sub_headings_below_the_section_keep_their_levels() -> None:
    assert own("### A\n\n#### B\n\n### C") in write(BASE, "### A\n\n#### B\n\n### C")


@pytest.mark.rule("STEP-5")
def test_a_forged_marker_in_a_step_s_text_is_no_marker() -> None:
    forged = own("x").decode()
    again = write(BASE, forged)
    assert again.count(b"<!-- Step") == 1
    assert write(again, forged) == again


@pytest.mark.rule("STEP-5")
def test_a_list_below_does_not_join_the_step_s_list() -> None:
    by_hand = write(BASE, "one").replace(b"## 3.", b"- mine\n\n## 3.")
    again = write(by_hand, "- a")
    assert own("- a\n\n<!-- End of addition -->") + b"\n\n- mine\n" in again
    assert write(again, "- a") == again


@pytest.mark.rule("STEP-5")
def test_an_empty_text_leaves_the_marker_and_can_be_filled_later() -> None:
    empty = write(BASE, "")
    assert b"<!-- Step 01-02: 0 characters, e3b0c442 -->\n\n## 3." in empty
    assert write(empty, "one") == write(BASE, "one")


@pytest.mark.rule("STEP-5")
def test_of_two_sections_with_one_name_the_step_keeps_its_own() -> None:
    document = write(BASE, "one").replace(b"## 1. Context", b"## Needs")
    assert write(document, "two") == document.replace(own("one"), own("two"))


@pytest.mark.rule("MENU-3", "STEP-5")
def test_feedback_goes_to_the_end_of_the_section() -> None:
    document = elaborated(write(BASE, "one"))
    addition = add_feedback(document, "2. Needs")
    end = addition.start + addition.length
    assert addition.document[: addition.start] + addition.document[end:] == document
    assert addition.document[addition.start : end] == f"\n{FEEDBACK}\n".encode()
    assert addition.document[end:] == b"\n## 3. Journeys\n"
    assert addition.heading == "2. Needs"


@pytest.mark.rule("MENU-3")
def test_feedback_makes_its_section_where_it_is_missing() -> None:
    addition = add_feedback(BASE, "4. Risks")
    assert addition.document == BASE + f"\n## 4. Risks\n\n{FEEDBACK}\n".encode()
    assert addition.heading == "4. Risks"


@pytest.mark.rule("STEP-5")
def test_an_indented_marker_still_vouches_for_the_text() -> None:
    """`check` finds nothing wrong with it, so a re-run may not take the text for a hand edit."""
    indented = write(BASE, "one").replace(b"<!-- Step", b"  <!-- Step")
    assert write(indented, "other") == write(BASE, "other")
