"""Items that an earlier version left behind are taken up again exactly where they stood."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from roundtable import Session, read_meta
from roundtable.core.lines import Line

CORPUS = Path(__file__).parent / "corpus"
ITEM = "offline-forms-for-field-inspectors"


def take_up(tmp_path: Path, version: str, stopped: str, *words: str) -> tuple[Path, list[Line]]:
    """Put an item of the corpus into a project, say some words, and return its folder and what was shown."""
    folder = tmp_path / "docs" / "requirements" / ITEM
    shutil.copytree(CORPUS / version / stopped, folder)
    (folder / "journal").rename(folder / ".journal")

    async def play() -> list[Line]:
        session = Session(tmp_path, ITEM, review=stopped == "review")
        for word in words:
            session.say(word)
        session.hang_up()
        return [line async for line in session.lines()]

    return folder, asyncio.run(play())


def texts(lines: list[Line], kind: str) -> list[str]:
    return [line.text for line in lines if line.kind == kind]


@pytest.mark.rule("GREET-6", "META-6")
def test_a_question_is_asked_again_with_the_answers_before_it_kept(tmp_path: Path) -> None:
    words = ("No photos in the first version.", "Two forms were lost on Monday.", "", "")
    folder, lines = take_up(tmp_path, "v1", "question", *words)
    document = (folder / "quick-scan.md").read_text()
    assert "An inspector saves a form in the basement and sees that it is kept." in document
    assert "No photos in the first version." in document
    assert texts(lines, "menu") != []


@pytest.mark.rule("GREET-6")
def test_a_menu_is_shown_again(tmp_path: Path) -> None:
    _, lines = take_up(tmp_path, "v1", "menu")
    assert lines[0].kind == "greeting"
    assert "[E] Elaboration Mode" in texts(lines, "menu")[0]
    assert lines[-1].kind == "paused"


@pytest.mark.rule("GREET-6", "SYN-8")
def test_a_review_goes_on_with_what_was_unclear_then(tmp_path: Path) -> None:
    # "ok, looks good now" was unclear, and "drop 1" came after it.
    folder, lines = take_up(tmp_path, "v2", "review", "undo", "")
    assert "1. We always write the header row because Excel needs it." in texts(lines, "review")[-1]
    assert "We always write the header row" in (folder / "quick-scan.md").read_text()
    assert not list((folder / ".journal").glob("*.corrupt*"))


@pytest.mark.rule("GREET-6", "META-5")
def test_a_discussion_goes_on_and_is_recorded_once(tmp_path: Path) -> None:
    folder, lines = take_up(tmp_path, "v1", "discussion", "done")
    assert "turn " in texts(lines, "resume")[0]
    assert "- We go with keeping the form on the tablet: reason not given" in texts(lines, "synthesis")[0]
    meta = read_meta(folder)
    assert meta is not None
    assert [record["step_id"] for record in meta["elaborations"]] == ["00-01"]
    assert (folder / "elaborations" / "00-01-1.md").is_file()


@pytest.mark.rule("GREET-2", "META-2")
def test_a_finished_discussion_is_remembered(tmp_path: Path) -> None:
    folder, lines = take_up(tmp_path, "v1", "finished", "It is nowhere.", "", "", "E", "done")
    meta = read_meta(folder)
    assert meta is not None
    assert meta["steps_completed"][0] == "00-01"
    assert meta["elaborations"][0]["step_id"] == "00-01"
    document = (folder / "quick-scan.md").read_text()
    assert document.count("<!-- Elaboration: step 00-01") == 1
    assert "There are two offices." in document
    assert lines[-1].kind == "paused"


@pytest.mark.rule("GREET-6", "MENU-7")
def test_a_leg_in_which_back_led_nowhere_goes_on(tmp_path: Path) -> None:
    folder, lines = take_up(tmp_path, "v4", "back", "done")
    assert "turn " in texts(lines, "resume")[0]
    assert "archive must keep paper for ten years" in texts(lines, "synthesis")[0]
    assert not list((folder / ".journal").glob("*.corrupt*"))


@pytest.mark.rule("GREET-6", "STEP-9")
def test_a_step_in_which_a_track_was_refused_goes_on(tmp_path: Path) -> None:
    folder, lines = take_up(tmp_path, "v5", "track", "Photos come later.")
    document = (folder / "quick-scan.md").read_text()
    assert "A saved form reaches the office." in document
    assert "Photos come later." in document
    assert texts(lines, "menu") != []
    assert not list((folder / ".journal").glob("*.corrupt*"))


@pytest.mark.rule("GREET-6", "MENU-7")
def test_what_an_earlier_version_wrote_is_taken_back_byte_for_byte(tmp_path: Path) -> None:
    folder, lines = take_up(tmp_path, "v3", "undo", "undo", "undo")
    assert texts(lines, "update")[-2:] == [
        "Took back the discussion of step 00-01 in quick-scan.md.",
        "Took back your feedback in quick-scan.md.",
    ]
    assert (folder / "quick-scan.md").read_bytes() == (folder / ".journal" / "written.md").read_bytes()
