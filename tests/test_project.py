"""The facade of a project: its items, their status, open questions, starting over, sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from project import ANSWERS, TEXT, kinds, meta, talk
from roundtable import Project, change_meta
from roundtable.core.errors import DiskFailed, ItemUnknown
from roundtable.store.items import add_item
from roundtable.testing import ScriptedPanel


def test_a_project_lists_its_items_and_finds_one_by_its_beginning(place: tuple[Path, Path]) -> None:
    root, item = place
    add_item(root, "Export as PDF", commit=None)
    project = Project(root)
    assert [entry.slug for entry in project.items()] == ["export-as-pdf", "offline-forms"]
    assert project.find_item("off").folder == item
    with pytest.raises(ItemUnknown, match="Items here: export-as-pdf, offline-forms"):
        project.find_item("nothing-like-it")


def test_items_may_have_another_folder(tmp_path: Path) -> None:
    folder = add_item(tmp_path, TEXT, items_folder="items", commit=None)
    assert Project(tmp_path).items() == ()
    assert Project(tmp_path, items_folder="items").find_item("offline-forms").folder == folder


def test_the_status_tells_what_is_done_and_what_comes_next(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    status = Project(str(root)).status("offline-forms")
    assert (status.steps_done, status.next_step) == (1, status.steps[1][0])
    assert (status.discussion, status.cost, status.entry.problem) == (None, "", None)
    data = status.to_data()
    assert (data["steps_completed"], data["next_step"]) == (["00-01"], "00-02")
    assert (data["discussion"], data["spent"], data["problem"]) == (None, None, None)
    [row] = Project(root).list_progress()
    assert (row["slug"], row["steps_completed"], row["analysis_status"]) == ("offline-forms", 1, "raw")


def test_the_status_shows_an_open_discussion_and_leaves_its_torn_journal_as_it_is(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "What about the basement?"])
    [journal] = (item / ".journal").glob("*.jsonl")
    torn = journal.read_bytes() + b'{"n":99,"ev'
    journal.write_bytes(torn)
    discussion = Project(root).status("offline-forms").discussion
    assert discussion is not None
    assert discussion.step.step_id == "00-01"
    assert len(discussion.turns) > 0
    assert journal.read_bytes() == torn


def test_a_journal_that_cannot_be_read_stays_where_it_is(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E"])
    [journal] = (item / ".journal").glob("*.jsonl")
    broken = journal.read_bytes().replace(b'"n":2,', b'"n":3,')
    journal.write_bytes(broken)
    assert Project(root).status("offline-forms").discussion is None
    assert journal.read_bytes() == broken


def test_the_open_questions_of_an_item_come_with_their_place(place: tuple[Path, Path]) -> None:
    root, item = place
    (item / "quick-scan.md").write_text("# Quick Scan\n\n## Scope\n\n- Open question: Who signs the form?\n")
    [question] = Project(root).open_questions("offline-forms")
    assert (question.file, question.line, question.text) == ("quick-scan.md", 5, "Who signs the form?")


def test_the_files_of_an_item_are_listed_and_read(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "done"])
    project = Project(root)
    documents, transcripts = project.list_files(item.name)
    assert [path.name for path in documents] == ["draft.md", "meta.json", "quick-scan.md"]
    assert [path.name for path in transcripts] == ["00-01-1.md"]
    assert list(project.documents(item.name)) == ["quick-scan.md"]
    (discussion,) = project.transcripts(item.name)
    assert (discussion.number, discussion.name) == (1, "elaborations/00-01-1.md")
    assert project.read_file(item.name, discussion.name) == discussion.text
    with pytest.raises(FileNotFoundError):
        project.read_file(item.name, "parking-lot.md")


@pytest.mark.rule("ART-1")
def test_no_file_outside_of_an_item_is_read(place: tuple[Path, Path]) -> None:
    root, item = place
    (root / "secret.md").write_text("mine")
    (item / "linked.md").symlink_to(root / "secret.md")
    project = Project(root)
    for name in ("linked.md", "../../../secret.md"):
        with pytest.raises(DiskFailed, match="leads elsewhere"):
            project.read_file(item.name, name)
    assert "linked.md" not in project.documents(item.name)
    assert "linked.md" not in [path.name for path in project.list_files(item.name)[0]]


def test_starting_over_forgets_the_progress_and_keeps_what_was_written(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    assert Project(root).start_over("offline-forms") is None
    assert meta(item)["steps_completed"] == []
    assert "The inspector retypes forms." in (item / "quick-scan.md").read_text()


def test_starting_over_sets_a_meta_json_aside_that_cannot_be_used(place: tuple[Path, Path]) -> None:
    root, item = place
    (item / "meta.json").write_text("{")
    notice = Project(root).start_over("offline-forms")
    assert notice is not None
    assert "It is kept as meta.json.corrupt-" in notice
    assert not (item / "meta.json").exists()


def test_a_session_is_opened_on_an_item(place: tuple[Path, Path]) -> None:
    root, _ = place

    async def run() -> list[str]:
        session = Project(root).open_session("offline-forms", panel=ScriptedPanel())
        session.hang_up()
        return kinds([line async for line in session.lines()])

    assert asyncio.run(run())[-1] == "paused"


def test_every_step_says_how_it_stands(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", *ANSWERS, "C"])
    states = {step.step_id: state for step, state in Project(root).status(item.name).steps}
    assert (states["00-01"], states["00-02"], states["00-03"]) == ("done", "done", "not needed")
    assert (states["01-01"], states["01-02"]) == ("current", "ahead")
    change_meta(item, lambda meta: meta.update(phases_completed=["00-quick-scan", "01-requirements"]))
    states = {step.step_id: state for step, state in Project(root).status(item.name).steps}
    assert (states["01-01"], states["02-01"]) == ("skipped", "current")


def test_the_current_step_is_the_next_one_also_after_a_phase_that_the_track_leaves_out(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    change_meta(item, lambda meta: meta.update(track="bug", phases_completed=["00-quick-scan"]))
    status = Project(root).status(item.name)
    [current] = [step for step, state in status.steps if state == "current"]
    assert current == status.next_step
    assert not any(step.phase.key == "01-requirements" for step, _ in status.steps if step.phase)


def test_a_status_for_programs_holds_no_signs_that_upset_a_screen(place: tuple[Path, Path]) -> None:
    root, item = place
    change_meta(item, lambda meta: meta.update(source=" ", source_id="AB\u202eC\n1"))
    data = Project(root).status(item.name).to_data()
    assert (data["source"], data["source_id"]) == ("manual", "ABC 1")
