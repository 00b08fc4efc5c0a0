"""A small bug passes all five phases too, at brief depth, by reading and pressing Enter."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from project import kinds, meta, talk, texts
from roundtable.core.steps import PHASE_KEYS
from roundtable.item_check import check_documents
from roundtable.panel.offline import OfflinePanel
from roundtable.store.items import add_item
from tools.example import EXAMPLE, GOLDEN, read_documents

BUG = (
    "Renewal at the desk answers 500 when the loan id is unknown\n\n"
    "The desk page for renewals fails with a server error when staff type a loan number "
    "that is not on the card."
)


@pytest.mark.rule("STEP-4", "DEPTH-1", "DEPTH-2", "STEP-6")
def test_a_small_bug_passes_by_pressing_enter(tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(EXAMPLE / "project", root)
    item = add_item(root, BUG, commit=None)
    lines = talk(root, item, ["feature", "brief", *[""] * 120], panel=OfflinePanel())
    assert kinds(lines)[-1] == "done"
    assert meta(item)["phases_completed"] == list(PHASE_KEYS)
    assert len(meta(item)["steps_completed"]) == 24
    assert len(texts(lines, "menu")) == 24
    # Nothing that has a draft is asked; what has none, once.
    assert len(texts(lines, "question")) <= 25
    # What the survey suggests is shown with the question, and stands in no document unless the user says so.
    assert any("`library/desk.py:" in text for text in texts(lines, "question"))
    written = read_documents(item)
    assert "library/desk.py" not in "".join(written.values())
    found = check_documents(
        {name: text for name, text in written.items() if "/" not in name}, lambda path: 10_000
    )
    # Nobody said when it counts as done, and no sentence pretends that somebody did.
    assert [each.text for each in found] == ["FR-001 has no acceptance criterion."]
    for name, text in written.items():
        assert "TBD" not in text, name


@pytest.mark.rule("STEP-5")
def test_the_golden_example_is_sound_and_cites_only_lines_that_exist() -> None:
    def lines_of(path: str) -> int | None:
        file = EXAMPLE / "project" / path
        return len(file.read_text().splitlines()) if file.is_file() else None

    found = check_documents(
        {name: text for name, text in read_documents(GOLDEN).items() if "/" not in name}, lines_of
    )
    assert [f"{each.file}:{each.line}: {each.text}" for each in found] == []
    # The user named no line of it, so nothing that the survey found stands there either.
    assert "hits" not in "".join(read_documents(GOLDEN).values())
