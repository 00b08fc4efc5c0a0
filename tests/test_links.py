"""Links and forged files: an item's folder is not a window, and nothing outside the project is changed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commandline import SLUG, CommandLine, command_line
from project import ANSWERS, meta, small_steps, talk, texts
from roundtable.core.errors import ItemCorrupt, ItemUnknown, OutsideFailure
from roundtable.runtime.session import Session
from roundtable.store import ledger
from roundtable.store.items import add_item, find_entry, list_items, read_item
from roundtable.store.journal import Journal, list_journals
from roundtable.store.lock import item_lock
from roundtable.store.meta import change_meta, set_aside
from roundtable.store.parking import read_parked
from roundtable.store.transcript import parse_transcripts
from roundtable.testing import ScriptedPanel

SECRET = "hunter2 of the private file"
LEFTOVER = f".roundtable-{'0f' * 16}.tmp"

Place = tuple[Path, Path]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of somebody else, with files whose names look like ours."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("00-01.jsonl", "00-01-1.md", "holder.json", "item.lock", "meta.json", LEFTOVER, "draft.md"):
        (folder / name).write_text(SECRET)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


# --- folders --------------------------------------------------------------------------------------------


def test_a_journal_folder_that_is_a_link_stops_the_session(place: Place, outside: Path) -> None:
    root, item = place
    before = contents(outside)
    for leftover in (item / ".journal").iterdir():
        leftover.unlink()
    (item / ".journal").rmdir()
    (item / ".journal").symlink_to(outside)
    with pytest.raises(
        ItemCorrupt, match=r"\.journal cannot be used: it is a link that leads elsewhere\. .* Remove the link"
    ):
        talk(root, item, ANSWERS)
    with pytest.raises(ItemCorrupt):
        change_meta(item, lambda found: found.update(x=1))
    assert ledger.read(item) == ()
    assert contents(outside) == before
    (item / ".journal").unlink()
    (item / "notes").mkdir()
    (item / ".journal").symlink_to("notes")
    with pytest.raises(ItemCorrupt):
        change_meta(item, lambda found: found.update(x=1))
    assert contents(item / "notes") == {}


def test_folders_that_are_links_are_not_swept(place: Place, outside: Path) -> None:
    _, item = place
    (item / "elaborations").symlink_to(outside)
    (item / LEFTOVER).touch()
    with item_lock(item):
        assert not (item / LEFTOVER).exists()
    assert (outside / LEFTOVER).exists()


def test_an_item_that_is_a_link_out_of_the_project_is_refused(place: Place, outside: Path) -> None:
    root, item = place
    before = contents(outside)
    (item.parent / "linked").symlink_to(outside)
    assert [entry.slug for entry in list_items(root)] == [item.name]
    with pytest.raises(ItemCorrupt, match="linked cannot be used: it is a link that leads elsewhere"):
        find_entry(root, "linked")
    assert contents(outside) == before


@pytest.mark.parametrize("linked", ["docs", "docs/requirements"])
def test_an_items_folder_that_is_a_link_out_of_the_project_is_refused(
    tmp_path: Path, outside: Path, linked: str
) -> None:
    root = tmp_path / "project"
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(outside)
    before = sorted(outside.rglob("*"))
    for use in (
        lambda: add_item(root, "Offline forms", commit=None),
        lambda: list_items(root),
        lambda: find_entry(root, "outside"),
    ):
        with pytest.raises(ItemCorrupt, match="it is a link that leads elsewhere"):
            use()
    assert sorted(outside.rglob("*")) == before


@pytest.mark.parametrize("target", [".git", ".venv/notes", "."])
def test_an_item_is_no_link_to_a_hidden_folder_or_to_the_project(place: Place, target: str) -> None:
    root, item = place
    (root / target).mkdir(parents=True, exist_ok=True)
    (root / target / "notes.md").write_text(SECRET)
    (item.parent / "linked").symlink_to(root / target)
    assert [entry.slug for entry in list_items(root)] == [item.name]
    with pytest.raises(ItemCorrupt):
        find_entry(root, "linked")


def test_links_that_stay_in_the_project_go_on_working(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "specs").mkdir(parents=True)
    (real / "docs").mkdir()
    (real / "docs" / "requirements").symlink_to("../specs")
    root = tmp_path / "link"
    root.symlink_to(real)
    item = add_item(root, "Offline forms", commit=None)
    small_steps(root)
    assert (real / "specs" / item.name / "meta.json").exists()
    (real / "elsewhere").mkdir()
    (real / "elsewhere" / "draft.md").write_text("# Elsewhere\n")
    (real / "specs" / "elsewhere").symlink_to(real / "elsewhere")
    assert [entry.title for entry in list_items(root)] == ["Elsewhere", "Offline forms"]
    talk(root, item, ANSWERS)
    assert meta(item)["steps_completed"] == ["00-01"]


# --- files ----------------------------------------------------------------------------------------------


def test_a_meta_json_that_leads_out_is_not_written_through(place: Place, outside: Path) -> None:
    root, item = place
    (outside / "meta.json").write_text("{}")
    (item / "meta.json").unlink()
    (item / "meta.json").symlink_to(outside / "meta.json")
    with pytest.raises(ItemCorrupt, match=r"it is a link that cannot be followed\. .*--start-over"):
        talk(root, item, ANSWERS)
    with pytest.raises(ItemCorrupt):
        change_meta(item, lambda found: found.update(x=1))
    assert (outside / "meta.json").read_text() == "{}"
    assert set_aside(item).is_symlink()
    talk(root, item, ANSWERS)
    assert (outside / "meta.json").read_text() == "{}"


def test_a_draft_that_leads_out_is_not_read(place: Place, outside: Path) -> None:
    root, item = place
    (item / "draft.md").unlink()
    (item / "draft.md").symlink_to(outside / "draft.md")
    assert SECRET not in f"{read_item(item)} {list_items(root)}"
    panel = ScriptedPanel()
    lines = talk(root, item, [*ANSWERS, "E", "done"], panel=panel)
    assert SECRET not in str(lines)
    assert SECRET not in (item / "quick-scan.md").read_text()
    [said] = [text for text in texts(lines, "notice") if "draft.md" in text]
    assert "it is a link that leads elsewhere" in said


def test_a_transcript_that_leads_out_is_neither_read_nor_replaced(completed: Place, outside: Path) -> None:
    root, item = completed
    (item / "elaborations").mkdir()
    (item / "elaborations" / "00-01-1.md").symlink_to(outside / "00-01-1.md")
    assert list(parse_transcripts(item)) == []
    talk(root, item, ["E", "done"])
    assert (item / "elaborations" / "00-01-1.md").is_symlink()
    assert (item / "elaborations" / "00-01-2.md").is_file()
    assert (outside / "00-01-1.md").read_text() == SECRET


def test_parking_lot_and_ledger_that_lead_out_are_not_read(completed: Place, outside: Path) -> None:
    _, item = completed
    (outside / "lot.md").write_text(f"## 00-02 Scope\n\n- {SECRET}\n")
    (item / "parking-lot.md").symlink_to(outside / "lot.md")
    assert read_parked(item, "00-02") == ()
    ledger.append(item, ledger.LedgerEntry("now", "m", "speak", "00-01", None, 1, 1, 0, 0, False, None, "1"))
    (item / ".journal" / "spent.log").replace(outside / "spent.log")
    (item / ".journal" / "spent.log").symlink_to(outside / "spent.log")
    assert ledger.read(item) == ()


# --- journals -------------------------------------------------------------------------------------------


def forged(item: Path, change: Callable[[Any], None]) -> Journal:
    """The open journal of an item as somebody may have made it."""
    [journal] = list_journals(item)
    lines = [json.loads(line) for line in journal.path.read_text().splitlines()]
    change(lines)
    journal.path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return Journal(item, journal.name)


def _step_id(lines: Any) -> None:
    lines[0]["opening"]["step"]["step_id"] = "../../../../out/evil"


def _listed_step(lines: Any) -> None:
    lines[0]["opening"]["steps"][0]["step_id"] = "00-01/../x"


def _phase(lines: Any) -> None:
    lines[0]["opening"]["phase"]["key"] = "../00-quick-scan"


def _output(lines: Any) -> None:
    lines[0]["opening"]["step"]["outputs"] = ["run.sh"]


def _target(lines: Any) -> None:
    lines[0]["opening"]["step"]["targets"] = [{"output": "../x.md", "section": "S"}]


def _section(lines: Any) -> None:
    target = {"output": "Makefile", "section": "S"}
    data = {"sections": [{"target": target, "text": "all:"}]}
    lines[-1] = {**lines[-1], "event": "Drafted", "data": data}


@pytest.mark.parametrize("change", [_step_id, _listed_step, _phase, _output, _target, _section])
def test_a_journal_with_strange_ids_is_set_aside(place: Place, change: Callable[[Any], None]) -> None:
    root, item = place
    talk(root, item, ANSWERS[:1])
    before = sorted(path.name for path in item.parent.parent.parent.parent.iterdir())
    forged(item, change)
    lines = talk(root, item, [*ANSWERS, "E", "done"])
    [said] = [text for text in texts(lines, "notice") if "matching regex" in text]
    assert "It is kept as .journal/00-01.jsonl.corrupt-" in said
    assert sorted(path.name for path in item.parent.parent.parent.parent.iterdir()) == before
    assert not {"run.sh", "Makefile"} & {path.name for path in item.iterdir()}
    assert meta(item)["steps_completed"] == ["00-01"]


def test_files_in_the_journal_folder_that_are_not_ours_stay(place: Place, outside: Path) -> None:
    root, item = place
    home = item / ".journal"
    (home / "notes.jsonl").write_text("mine")
    (home / "..jsonl").write_text("mine")
    (home / "00-02.jsonl").symlink_to(outside / "00-01.jsonl")
    assert list_journals(item) == ()
    talk(root, item, ANSWERS)
    assert {(home / name).read_text() for name in ("notes.jsonl", "..jsonl")} == {"mine"}
    assert (home / "00-02.jsonl").is_symlink()


# --- commands -------------------------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    line.add()
    return line


@pytest.mark.parametrize("name", ["draft.md", "meta.json", "notes.md", "elaborations/00-01-1.md"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_no_command_reads_or_waits_for_what_is_no_file_of_the_item(
    cli: CommandLine, outside: Path, name: str, kind: str
) -> None:
    (outside / "notes.md").write_text(f"# {SECRET}\n\n<!-- Step {SECRET} -->\n")
    (cli.item / "elaborations").mkdir()
    (cli.item / name).unlink(missing_ok=True)
    if kind == "link":
        (cli.item / name).symlink_to(outside / Path(name).name)
    else:
        os.mkfifo(cli.item / name)
    before = contents(outside)
    for words in (
        ("list",), ("status",), ("show", SLUG), ("show", SLUG, name), ("show", SLUG, "transcript", "1"),
        ("check", SLUG), ("doctor",),
    ):  # fmt: skip
        ran = cli.run(*words)
        assert SECRET not in ran.out + ran.err, words
        assert "unexpected" not in ran.err, words
        assert f"{name}:" not in ran.out or name == "meta.json", words
    assert contents(outside) == before


def test_an_item_that_is_a_link_is_named_by_the_commands(cli: CommandLine, outside: Path) -> None:
    (cli.item.parent / "linked").symlink_to(outside)
    before = contents(outside)
    ran = cli.run("list")
    assert (ran.status, "linked" in ran.out) == (0, False)
    for words in (
        ("analyze", "linked"),
        ("analyze", "linked", "--start-over"),
        ("check", "linked"),
        ("remove", "linked", "--yes"),
    ):
        ran = cli.run(*words)
        assert ran.status == 4, words
        assert "linked cannot be used: it is a link that leads elsewhere" in ran.err
    assert contents(outside) == before


def test_export_does_not_write_through_a_link(cli: CommandLine, outside: Path) -> None:
    (cli.root / ".cursor").symlink_to(outside)
    before = contents(outside)
    ran = cli.run("export", "cursor", "--force")
    assert ran.status == 2
    assert "through a link that leads elsewhere. Nothing was written." in ran.err
    assert contents(outside) == before


# --- meta.json that goes away ---------------------------------------------------------------------------


@pytest.mark.rule("META-1")
def test_a_meta_json_that_goes_away_stops_the_session_and_is_not_made_anew(place: Place) -> None:
    root, item = place
    kept = (item / "meta.json").read_bytes()

    async def run() -> None:
        session = Session(root, item.name, panel=ScriptedPanel())
        for words in ANSWERS:
            session.say(words)
        session.hang_up()
        async for line in session.lines():
            if line.kind == "listen":
                (item / "meta.json").unlink(missing_ok=True)

    with pytest.raises(ItemCorrupt, match=r"meta\.json is gone.* kept in \.journal.* check out") as caught:
        asyncio.run(run())
    assert not (item / "meta.json").exists()
    assert not (item / "quick-scan.md").exists()
    assert caught.value.saved == "What was said is kept in .journal; no new meta.json was made."
    with pytest.raises(ItemCorrupt, match="is gone"):
        talk(root, item, [])
    (item / "meta.json").write_bytes(kept)
    talk(root, item, [])
    assert meta(item)["steps_completed"] == ["00-01"]


def test_without_its_meta_json_an_open_step_ends_with_status_4(cli: CommandLine) -> None:
    small_steps(cli.root)
    assert cli.run("analyze", SLUG, answers=ANSWERS[:1]).status == 0
    (cli.item / "meta.json").unlink()
    ran = cli.run("analyze", SLUG, answers=ANSWERS[1:])
    assert ran.status == 4
    assert "meta.json is gone; it was there when this step began." in ran.err
    assert not (cli.item / "meta.json").exists()
    ran = cli.run("analyze", SLUG, "--start-over", answers=[])
    assert ran.status == 0


def test_a_removed_working_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = command_line(tmp_path, monkeypatch)
    line.root.rmdir()
    for words in (("list",), ("add", "Forms"), ("analyze",), ("doctor",), ("export", "cursor"), ("mcp",)):
        ran = line.run(*words)
        assert (ran.status, ran.out) == (2, ""), words
        assert ran.err.startswith("The folder that you are in was removed."), words


def test_a_project_that_is_removed_in_mid_session_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    monkeypatch.chdir(root)

    async def run() -> None:
        session = Session(".", item.name, panel=ScriptedPanel())
        for words in ANSWERS:
            session.say(words)
        session.hang_up()
        async for line in session.lines():
            if line.kind == "listen" and root.exists():
                shutil.rmtree(root)

    with pytest.raises(OutsideFailure, match="gone"):
        asyncio.run(run())


def test_an_item_that_nobody_has_is_still_unknown(place: Place) -> None:
    with pytest.raises(ItemUnknown):
        find_entry(place[0], "nothing/../like-it")
