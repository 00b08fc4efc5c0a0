"""`roundtable undo`: one elaboration is taken back later, byte for byte, also on another machine (MENU-7)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commandline import CommandLine
from gitproject import git
from project import meta, talk
from roundtable import Project, insert_addition
from roundtable.core.errors import ItemLocked, RuleBroken
from roundtable.core.markers import ElaborationMarker
from roundtable.documents.additions import find_block, take_out_block
from roundtable.documents.outline import read_outline
from roundtable.store.lock import item_lock

pytestmark = pytest.mark.rule("MENU-7")
BLOCK = (
    "### Elaboration Insights (Step 01-03: Journeys)\n\n"
    "**Participants**: Maya Chen (BA)\n**Turns**: 3 | **Exit**: user-initiated\n\n"
    "#### Key Insights\n- [Maya] Forms are filled in twice.\n\n#### Decisions Made\n- None\n\n"
    "#### Open Questions\n- None\n"
)


def discuss(root: Path, item: Path, words: str = "We go with A.") -> str:
    """Hold a roundtable on the first step, and return its instant."""
    talk(root, item, [words, "done"], step="00-01")
    return str(meta(item)["elaborations"][-1]["timestamp"])


def read_documents(item: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in item.glob("*.md")}


def move_to_another_machine(item: Path) -> None:
    """Leave only what version control carries."""
    shutil.rmtree(item / ".journal")


@pytest.fixture(params=["with the local notes", "on another machine"])
def leave(request: pytest.FixtureRequest) -> bool:
    return str(request.param) == "on another machine"


def test_the_last_elaboration_is_taken_back_byte_for_byte(completed: tuple[Path, Path], leave: bool) -> None:
    root, item = completed
    before = read_documents(item)
    at = discuss(root, item)
    assert read_documents(item) != before
    if leave:
        move_to_another_machine(item)
    plan, told = Project(root).undo(item.name)
    assert read_documents(item) == before
    assert told == ("Took back the discussion of step 00-01 in quick-scan.md.",)
    assert (plan.step_id, plan.timestamp) == ("00-01", at)
    assert meta(item)["elaborations_undone"] == [at]
    assert len(meta(item)["elaborations"]) == 1
    assert len(list((item / "elaborations").iterdir())) == 1


def test_one_after_the_other_in_any_order(completed: tuple[Path, Path], leave: bool) -> None:
    root, item = completed
    before = read_documents(item)
    first = discuss(root, item)
    one = read_documents(item)
    second = discuss(root, item, "We go with B.")
    if leave:
        move_to_another_machine(item)
    project = Project(root)
    project.undo(item.name, 1)
    assert "We go with A" not in (item / "quick-scan.md").read_text()
    assert "We go with B" in (item / "quick-scan.md").read_text()
    project.undo(item.name)
    assert read_documents(item) == before
    assert meta(item)["elaborations_undone"] == [first, second]
    with pytest.raises(RuleBroken, match="There is no elaboration to undo"):
        project.undo(item.name)
    assert one != before


def test_text_that_was_edited_is_left_alone_unless_forced(completed: tuple[Path, Path], leave: bool) -> None:
    root, item = completed
    before = read_documents(item)
    discuss(root, item)
    if leave:
        move_to_another_machine(item)
    path = item / "quick-scan.md"
    path.write_text(path.read_text().replace("Answers can differ", "Answers often differ"))
    edited = path.read_bytes()
    with pytest.raises(RuleBroken, match="often differ"):
        Project(root).undo(item.name)
    assert path.read_bytes() == edited
    assert "elaborations_undone" not in meta(item)
    Project(root).undo(item.name, force=True)
    assert read_documents(item) == before


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("- [Alex] Answers can differ.", "- None", "an entry is gone"),
        ("- [Alex] Answers can differ.", "- [Alex] Answers can differ.\n  - By hand.", "something was added"),
        (
            "- [Alex] Answers can differ.",
            "- [Alex] Answers can differ.\n#12 has more.",
            "something was added",
        ),
        ("#### Open Questions\n- None", "#### Open Questions\n- Who pays?", "edited or added"),
    ],
)
def test_every_kind_of_edit_is_noticed(completed: tuple[Path, Path], old: str, new: str, reason: str) -> None:
    root, item = completed
    discuss(root, item)
    path = item / "quick-scan.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    ((_, found),) = Project(root).plan_undo(item.name).edits
    assert reason in found


def test_text_around_it_may_have_changed(completed: tuple[Path, Path], leave: bool) -> None:
    root, item = completed
    path = item / "quick-scan.md"
    discuss(root, item)
    if leave:
        move_to_another_machine(item)
    path.write_text("<!-- mine -->\n\n" + path.read_text() + "\nBy hand, below.\n")
    Project(root).undo(item.name)
    text = path.read_text()
    assert "Elaboration" not in text
    assert text.startswith("<!-- mine -->\n\n")
    assert text.endswith("\nBy hand, below.\n")


def test_without_a_transcript_nobody_knows_whether_it_was_edited(completed: tuple[Path, Path]) -> None:
    root, item = completed
    discuss(root, item)
    move_to_another_machine(item)
    shutil.rmtree(item / "elaborations")
    with pytest.raises(RuleBroken, match="no transcript to compare it with"):
        Project(root).undo(item.name)


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize("ending", ["", "\n", "\n## Next", "\n## Next\n\n\n"])
def test_where_the_notes_are_the_bytes_from_before_come_back(
    completed: tuple[Path, Path], ending: str
) -> None:
    """Also where the document does not tell which blank lines are its own, and without a transcript."""
    root, item = completed
    (item / "quick-scan.md").write_text(f"# Quick scan\n\n## Scope Estimation\n\nabc{ending}")
    before = read_documents(item)
    discuss(root, item)
    assert read_documents(item) != before
    shutil.rmtree(item / "elaborations")
    Project(root).undo(item.name)
    assert read_documents(item) == before


def test_a_block_that_is_gone_already_is_noted(completed: tuple[Path, Path]) -> None:
    root, item = completed
    before = read_documents(item)
    at = discuss(root, item)
    for name, data in before.items():
        (item / name).write_bytes(data)
    plan, told = Project(root).undo(item.name)
    assert (plan.changes, told) == ((), ())
    assert meta(item)["elaborations_undone"] == [at]


def test_nothing_is_taken_back_while_somebody_works_on_the_item(completed: tuple[Path, Path]) -> None:
    root, item = completed
    discuss(root, item)
    before = read_documents(item)
    with item_lock(item), pytest.raises(ItemLocked):
        Project(root).undo(item.name)
    assert read_documents(item) == before


def test_check_finds_nothing_wrong_with_what_was_undone(completed: tuple[Path, Path]) -> None:
    root, item = completed
    git(root, "init", "-q")
    discuss(root, item)
    git(root, "add", "docs")
    git(root, "commit", "-qm", "One elaboration")
    Project(root).undo(item.name)
    discuss(root, item, "We go with B.")
    report = Project(root).check(item.name)
    assert report.versions
    assert [each.text for each in report.problems] == []


# --- the command ----------------------------------------------------------------------------------------


def test_the_command(completed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    root, item = completed
    monkeypatch.chdir(root)
    cli = CommandLine(root)
    before = read_documents(item)
    at = discuss(root, item)
    with_block = read_documents(item)
    dry = cli.run("undo", "--dry-run")
    assert dry.status == 0
    assert "-- [Alex] Answers can differ." in dry.out.splitlines()
    assert not [line for line in dry.out.splitlines() if line.startswith("+") and line[1:2] != "+"]
    assert read_documents(item) == with_block
    ran = cli.run("undo", item.name, "1", "--json")
    assert ran.json == {
        "slug": item.name,
        "step": "00-01",
        "timestamp": at,
        "undone": True,
        "files": ["quick-scan.md"],
        "edited": [],
    }
    assert read_documents(item) == before
    assert cli.run("undo").err.startswith("There is no elaboration to undo.")
    assert cli.run("undo", "7").status == 2
    assert cli.run("undo", item.name, "1", "2").status == 2


# --- any document ---------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        "# Title",
        "## 1. Journeys",
        "## Other",
        "Some words.",
        "- a",
        "- b",
        "",
        "",
        "---",
        "    code",
        "| a |",
        "1. x",
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_was_inserted_last_comes_out_of_any_document(
    lines: list[str], newline: str, has_more: bool
) -> None:
    before = "".join(f"{line}{newline}" for line in lines).encode()
    mark = ElaborationMarker("01-03", "2026-02-20T10:00:00.000Z")
    added = insert_addition(before, f"{mark}\n\n{BLOCK}", topic="Journeys").document
    if has_more:
        mark = ElaborationMarker("01-03", "2026-02-21T10:00:00.000Z")
        before = added
        added = insert_addition(before, f"{mark}\n\n{BLOCK}", topic="Journeys").document
    shape = read_outline(added)
    found = find_block(shape, mark)
    assert found is not None
    rest = take_out_block(shape, found)
    # A blank line that was not there before may stay: the document does not tell.
    assert [line for line in rest.splitlines() if line.strip()] == [
        line for line in before.splitlines() if line.strip()
    ]
