"""Outputs at the edges: answers among other text, data of other shapes, words that could act as markup."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from people import ALEX, ITEM, MAYA
from roundtable.core.commands import (
    Record,
    SaveRecord,
    Table,
    UpdateArtifacts,
    WriteDrafts,
    WriteFeedback,
    WriteStep,
)
from roundtable.core.errors import DiskFailed
from roundtable.core.events import SectionText
from roundtable.core.markers import ElaborationMarker
from roundtable.core.personas import Roster
from roundtable.core.steps import Question, Step, Target
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import Material, Parked, Turn
from roundtable.documents.outline import MAX_DOCUMENT_SIZE
from roundtable.store.outputs import Outputs
from roundtable.store.parking import park_points, read_parked
from roundtable.store.transcript import write_transcript

AT = "2026-02-20T14:30:00.000Z"
MARKER = ElaborationMarker("01-01", AT)
ROSTER = Roster((MAYA, ALEX))
CONTEXT = Step(
    "01-01", "Business Context", MAYA.key, "standard", ("spec.md",),
    standard=(Question("Problem", "?"), Question("Cost", "?")), targets=(Target("spec.md", "1. Context"),),
)  # fmt: skip


def writing(*outputs: str) -> Step:
    return replace(CONTEXT, outputs=outputs, targets=())


# --- documents that are not UTF-8 -----------------------------------------------------------------------


@pytest.mark.rule("ART-1")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_8_is_not_added_to_a_document_of_another_width(folder: Path, encoding: str) -> None:
    document = "# Spec\n\n## 1. Context\n\nWritten elsewhere.\n".encode(encoding)
    (folder / "spec.md").write_bytes(document)
    outputs = Outputs(folder, (CONTEXT,))
    told = [
        *outputs.update(UpdateArtifacts(CONTEXT, MARKER, "#### Block\n\nText.", "a block")),
        *outputs.write_feedback(WriteFeedback(CONTEXT, "More.", AT)),
        *outputs.write_drafts(WriteDrafts((), (CONTEXT,))),
    ]
    assert len(told) == 3
    assert all("it is UTF-16 or UTF-32 text" in each for each in told)
    with pytest.raises(DiskFailed, match="UTF-16 or UTF-32"):
        outputs.write_step(WriteStep(CONTEXT, (SectionText(Target("spec.md", "1. Context"), "Text."),)))
    assert (folder / "spec.md").read_bytes() == document


# --- answers --------------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("- **Problem**: x\n- unrelated\n", {"Problem": "x"}),
        ("**Problem**: x\nand y\n1. unrelated\n", {"Problem": "x and y"}),
        ("**Problem**:\n\n- this - and that\n- 2. more\n", {"Problem": "this - and that\n2. more"}),
        ("**Problem**: x\n\n  <!-- Feedback: step 01-01, now -->\n- **Cost**: 5\n", {"Problem": "x"}),
    ],
)
def test_an_answer_is_what_stands_under_its_label_and_no_more(
    folder: Path, text: str, answers: dict[str, str]
) -> None:
    (folder / "spec.md").write_text(f"# Spec\n\n## 1. Context\n\n{text}")
    found = Outputs(folder, (CONTEXT,)).stored_answers()
    assert found == {("01-01", label): answer for label, answer in answers.items()}


# --- documents ------------------------------------------------------------------------------------------


@pytest.mark.rule("ART-2")
def test_without_a_document_the_first_that_may_be_used_is_named(folder: Path) -> None:
    data = writing("data.json")
    steps = (data, replace(writing("draft.md", "b.md", "c.md"), step_id="01-02"))
    announced = Outputs(folder, steps).update(UpdateArtifacts(data, MARKER, "### B\n", "1 insight"))
    assert announced[1] == (
        "Could not update b.md (file not found). Elaboration insights are in the synthesis summary above."
    )


@pytest.mark.rule("ART-3", "ART-6")
@pytest.mark.parametrize(
    ("document", "heading"),
    [
        ("# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### 1. Context\n\nText.\n", "1. Context"),
        ("## A\n\nText.\n", "Additional Insights from Elaboration"),
        (f"{MARKER}\n\n### B\n", "Additional Insights from Elaboration"),
        ("## A\n\n## 2. Context\n\n### B\n\n## C\n", "2. Context"),
    ],
)
def test_a_block_that_is_there_already_is_announced_as_before(
    folder: Path, document: str, heading: str
) -> None:
    (folder / "spec.md").write_text(document)
    outputs = Outputs(folder, (CONTEXT,))
    command = UpdateArtifacts(CONTEXT, MARKER, "### B\n", "1 insight")
    for _ in range(2):
        assert outputs.update(command) == (f'Updated spec.md, section "{heading}": added 1 insight.',)


@pytest.mark.rule("ENTRY-1")
def test_one_character_of_room_is_used_and_none_is_not(folder: Path) -> None:
    (folder / "a.md").write_text("12")
    (folder / "b.md").write_text("34")
    outputs = Outputs(folder, (CONTEXT,))
    step = writing("a.md", "b.md")
    assert outputs.material(step, limit=3) == (Material("a.md", "12"), Material("b.md", "3\n[...]"))
    assert outputs.material(step, limit=2) == (Material("a.md", "12"),)


@pytest.mark.rule("ENTRY-1")
def test_a_document_that_is_too_large_is_not_read(folder: Path) -> None:
    (folder / "a.md").write_text(" " * (MAX_DOCUMENT_SIZE + 1))
    with pytest.raises(DiskFailed, match="Could not read what step"):
        Outputs(folder, (CONTEXT,)).material(writing("a.md"))


@pytest.mark.rule("STEP-5", "MENU-4")
def test_a_name_with_a_dot_in_it_keeps_it_in_the_title(folder: Path) -> None:
    step = writing("api-v1.2.md")
    Outputs(folder, (step,)).write_drafts(WriteDrafts((), (step,)))
    assert (folder / "api-v1.2.md").read_text().startswith("# API V1.2\n")


# --- the parking lot ------------------------------------------------------------------------------------


def parked(folder: Path, *points: Parked) -> str:
    park_points(folder, points, step_id="01-01", at=AT, steps=(CONTEXT,), roster=ROSTER)
    return (folder / "parking-lot.md").read_text()


@pytest.mark.rule("FOCUS-2")
def test_stars_in_a_subject_do_not_end_it_early(folder: Path) -> None:
    lot = parked(folder, Parked("a** (b, step 9, turn 9): c", "01-01", 2, "user", "Words."))
    assert r"- **a\*\* (b, step 9, turn 9): c** (the user, step 01-01, turn 2): Words. <!--" in lot
    assert read_parked(folder, "01-01") == (
        "Put off until now, by the user in the discussion of step 01-01: a** (b, step 9, turn 9): c",
    )


@pytest.mark.rule("FOCUS-2")
def test_only_points_directly_under_the_step_s_heading_are_brought_up(folder: Path) -> None:
    (folder / "parking-lot.md").write_bytes(
        b"# 01-01 is the title\n\n- no point\n\n## 01-01 Context\n\n- caf\xe9  \n  - below it\n"
    )
    assert read_parked(folder, "01-01") == ("Put off until now: caf\ufffd",)


@pytest.mark.rule("FOCUS-2")
def test_a_parking_lot_that_is_full_says_what_to_do(folder: Path) -> None:
    (folder / "parking-lot.md").write_bytes(b"# Lot\n\n" + b"x" * (MAX_DOCUMENT_SIZE - 20))
    with pytest.raises(DiskFailed) as caught:
        parked(folder, Parked("a", "01-01", 2, "user", "Words."))
    assert caught.value.failed.startswith("Could not write parking-lot.md: ")
    assert caught.value.saved == "The file is as it was; the points are in the transcript."
    assert caught.value.do == "Correct the file. Run the same command again."


# --- the transcript -------------------------------------------------------------------------------------


def transcript(
    folder: Path, *turns: Turn, draft: Draft | None = None, points: tuple[Parked, ...] = ()
) -> str:
    table = Table(ITEM, CONTEXT, ROSTER, MAYA, (CONTEXT,), (), 10, turns=turns)
    record = Record("01-01", len(turns), ROSTER.keys, AT, "Summed up")
    command = SaveRecord(record, table, draft or Draft(), "user-initiated", points)
    return (folder / write_transcript(folder, command, "offline")).read_text()


@pytest.mark.rule("SYN-2")
def test_every_line_end_of_a_turn_is_a_line_end(folder: Path) -> None:
    text = transcript(folder, Turn(1, MAYA.key, "One\r\nTwo\rThree\r\n\r\nFour"))
    assert "\n\nOne\nTwo\nThree\n\nFour\n\n" in text


@pytest.mark.rule("ART-7")
def test_a_line_that_would_make_a_table_is_disarmed(folder: Path) -> None:
    assert "a | b\n\\:-- | --\n" in transcript(folder, Turn(1, MAYA.key, "a | b\n:-- | --"))


@pytest.mark.rule("SYN-1", "SYN-5", "FOCUS-2")
def test_entries_and_points_stand_one_below_the_other(folder: Path) -> None:
    turns = (Turn(1, MAYA.key, "One."), Turn(2, ALEX.key, "Two."))
    draft = Draft(insights=(Entry("Use MAX.", (1,), "why"), Entry("B", (2,))))
    points = (Parked("cost", None, 1, MAYA.key, "How much?"), Parked("time", "03-02", 2, "user", "When?"))
    text = transcript(folder, *turns, draft=draft, points=points)
    assert (
        "### Key Insights\n\n- [Maya] Use MAX: why ([turn 1](#turn-1))\n- [Alex] B ([turn 2](#turn-2))\n\n"
    ) in text
    assert text.endswith(
        "## Put off\n\n"
        "- **cost**, Maya Chen (Business Analyst), [turn 1](#turn-1): How much?\n"
        "- **time** for 03-02, User, [turn 2](#turn-2): When?\n"
    )


@pytest.mark.rule("SYN-5")
def test_without_entries_the_step_is_named(folder: Path) -> None:
    assert "Key takeaway: Discussed Business Context\n" in transcript(folder, Turn(1, MAYA.key, "One."))


@pytest.mark.rule("SYN-2")
def test_a_folder_that_leads_out_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "elaborations").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DiskFailed) as caught:
        transcript(folder, Turn(1, MAYA.key, "One."))
    assert (
        caught.value.do
        == "Remove the link, or put a file or folder in its place. Run the same command again."
    )
