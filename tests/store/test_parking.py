"""The parking lot: what was put off is kept where it belongs, and brought up there (FOCUS-2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import DiskFailed
from roundtable.core.personas import Persona, Roster
from roundtable.core.steps import Step
from roundtable.core.turns import USER, Parked
from roundtable.documents.outline import MAX_DOCUMENT_SIZE
from roundtable.store.parking import park_points, read_parked

pytestmark = pytest.mark.rule("FOCUS-2")

AT = "2026-02-20T14:30:00.000Z"
ALEX = Persona("alex", "Alex Rivera", "Solutions Architect", "Architect", (), "a", ())
STEPS = tuple(
    Step(step_id, title, "alex", "standard", ("a.md",))
    for step_id, title in (
        ("01-03", "Journeys"),
        ("03-01", "Options"),
        ("03-02", "Technology Decisions"),
        ("04-01", "Module Design"),
    )
)
STORE = Parked("the store", "03-02", 4, "alex", "Which store do we use?")


def put(folder: Path, *points: Parked, at: str = AT, step_id: str = "01-03") -> None:
    park_points(folder, points, step_id=step_id, at=at, steps=STEPS, roster=Roster((ALEX,)))


def lot(folder: Path) -> str:
    return (folder / "parking-lot.md").read_bytes().decode()


def test_a_point_stands_under_its_step(folder: Path) -> None:
    put(folder, STORE)
    assert lot(folder) == (
        "# Parking Lot\n\nPoints that were put off in a discussion, kept for the step where they belong.\n\n"
        "## 03-02 Technology Decisions\n\n"
        "- **the store** (Alex Rivera (Solutions Architect), step 01-03, turn 4): Which store do we use? "
        f"<!-- Parked: step 01-03, turn 4, {AT} -->\n"
    )
    assert read_parked(folder, "03-02") == (
        "Put off until now, by Alex Rivera (Solutions Architect) in the discussion of step 01-03: the store",
    )
    assert read_parked(folder, "03-01") == ()
    assert read_parked(folder, "03") == ()


def test_each_point_is_added_once(folder: Path) -> None:
    put(folder, STORE)
    once = lot(folder)
    put(folder, STORE)
    assert lot(folder) == once
    put(folder, STORE, at="2026-02-21T14:30:00.000Z")
    put(folder, Parked("x", "03-02", 5, "alex", "y"))
    assert len(read_parked(folder, "03-02")) == 3
    assert lot(folder).startswith(once.rstrip("\n"))
    assert lot(folder).count("## 03-02") == 1


def test_a_phase_is_its_first_step_and_anything_else_is_for_later(folder: Path) -> None:
    put(
        folder,
        Parked("phase", "03-architecture", 2, USER, "w"),
        Parked("none", None, 3, "alex", "w"),
        Parked("unknown", "09-09", 4, "gone", "w"),
        Parked("no steps", "02-impact-analysis", 5, "alex", "w"),
        Parked("step", "04-01", 6, "alex", "w"),
    )
    assert read_parked(folder, "03-01") == (
        "Put off until now, by the user in the discussion of step 01-03: phase",
    )
    assert [text.rpartition(": ")[2] for text in read_parked(folder, "Later")] == [
        "none", "unknown", "no steps",
    ]  # fmt: skip
    assert "by gone in" in read_parked(folder, "Later")[1]
    headings = [line for line in lot(folder).splitlines() if line.startswith("## ")]
    assert headings == ["## 03-01 Options", "## Later", "## 04-01 Module Design"]
    assert read_parked(folder, "04-01") != ()


def test_nothing_to_park_writes_nothing(folder: Path) -> None:
    put(folder)
    assert list(folder.iterdir()) == []
    assert read_parked(folder, "03-02") == ()


def test_what_a_person_wrote_stays_and_is_brought_up_too(folder: Path) -> None:
    mine = "# Us\n\n## 03-02 Tech\n\n* ask Kim about <!-- hm --> costs\nno bullet\n\n## Else\n- b"
    mine = mine.replace("\n", "\r\n")
    (folder / "parking-lot.md").write_bytes(mine.encode())
    assert read_parked(folder, "03-02") == ("Put off until now: ask Kim about costs",)
    put(folder, STORE)
    text = lot(folder)
    start = text.index("\r\n- **the store")
    end = text.index("## Else")
    assert (text[:start] + text[end - 2 :]).replace("\r\n\r\n\r\n", "\r\n\r\n") == mine
    assert "\n" not in text.replace("\r\n", "")
    assert [text.rpartition(": ")[2] for text in read_parked(folder, "03-02")] == [
        "ask Kim about costs", "the store",
    ]  # fmt: skip


def test_bullets_in_a_fence_are_not_points(folder: Path) -> None:
    (folder / "parking-lot.md").write_text("## 03-02 T\n\n```\n- no\n```\n")
    assert read_parked(folder, "03-02") == ()
    (folder / "parking-lot.md").write_text("## 03-02 T\n\n```\n- no\n")
    put(folder, STORE)
    assert len(read_parked(folder, "03-02")) == 1


@pytest.mark.rule("ART-7")
@given(
    subject=st.text(alphabet="ab *`<>!-#[]()\\:\n\x1b,", max_size=30),
    words=st.text(alphabet="ab *`<>!-#[]()\\:\n\x1b,", max_size=30),
)
def test_any_words_are_kept_and_brought_up(
    tmp_path_factory: pytest.TempPathFactory, subject: str, words: str
) -> None:
    folder = tmp_path_factory.mktemp("item")
    put(folder, Parked(subject, "03-02", 5, "alex", words), STORE)
    brought = read_parked(folder, "03-02")
    assert len(brought) == 2
    assert brought[1].endswith("step 01-03: the store")
    assert all(text.isprintable() for text in brought)
    once = lot(folder)
    put(folder, Parked(subject, "03-02", 5, "alex", words), STORE)
    assert lot(folder) == once


def test_a_subject_is_brought_up_as_it_was_said(folder: Path) -> None:
    put(folder, Parked("# the *big* <b> `x", "03-02", 4, "alex", "w"))
    assert read_parked(folder, "03-02")[0].endswith(": # the *big* <b> `x")


def test_a_point_without_a_subject_is_known_by_its_words(folder: Path) -> None:
    put(folder, Parked(" ", None, 4, "alex", "ab " * 40), Parked("", None, 5, "alex", ""))
    assert [text.partition("01-03: ")[2] for text in read_parked(folder, "Later")] == [
        "ab " * 27 + "...", "a point",
    ]  # fmt: skip


class TestBadPlaces:
    def test_a_link_out_is_refused(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "out.md").write_text("x")
        (folder / "parking-lot.md").symlink_to(tmp_path / "out.md")
        with pytest.raises(DiskFailed, match="it is a link that cannot be followed"):
            put(folder, STORE)
        assert (tmp_path / "out.md").read_text() == "x"

    def test_a_folder_of_that_name_is_said(self, folder: Path) -> None:
        (folder / "parking-lot.md").mkdir()
        with pytest.raises(DiskFailed, match="a folder has that name"):
            put(folder, STORE)
        assert read_parked(folder, "03-02") == ()

    def test_a_renamed_item_is_said(self, folder: Path) -> None:
        folder.rename(folder.with_name("new"))
        with pytest.raises(DiskFailed, match="its folder is gone"):
            put(folder, STORE)
        assert not folder.exists()

    def test_a_file_that_is_full_is_said(self, folder: Path) -> None:
        (folder / "parking-lot.md").write_bytes(b"x" * (MAX_DOCUMENT_SIZE - 10) + b"\n")
        with pytest.raises(DiskFailed) as caught:
            put(folder, STORE)
        assert caught.value.saved == "The file is as it was; the points are in the transcript."
        assert caught.value.failed.startswith("Could not write parking-lot.md: the document has ")
        (folder / "parking-lot.md").write_bytes(b"x" * (MAX_DOCUMENT_SIZE + 1))
        assert read_parked(folder, "03-02") == ()
