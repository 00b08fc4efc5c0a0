"""`add`, `list`, `show`, `rename` and `remove`: items come in, are seen and read, and go."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.catalogue import load_steps
from roundtable.store.lock import item_lock

RECORD = {"step_id": "00-01", "turn_count": 3, "timestamp": "a", "synthesis_summary": "x"}


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


def test_add_makes_the_items_folder_and_says_what_comes_next(cli: CommandLine) -> None:
    ran = cli.run("add", "Offline", "forms")
    assert ran.status == 0
    assert ran.out == "Added offline-forms: Offline forms\nGo on with: roundtable analyze offline-forms\n"
    assert ran.err == ""
    assert (cli.item / "draft.md").read_text() == "# Offline forms\n"
    assert json.loads((cli.item / "meta.json").read_text())["slug"] == SLUG


def test_add_for_a_program_is_one_document(cli: CommandLine) -> None:
    assert cli.run("--json", "add", "Offline forms").json == {
        "slug": SLUG,
        "title": "Offline forms",
        "folder": f"docs/requirements/{SLUG}",
    }


@pytest.mark.parametrize("text", [(), ("",), ("  ", "\x1b[31m")])
def test_an_item_without_words_is_not_added(cli: CommandLine, text: tuple[str, ...]) -> None:
    ran = cli.run("add", *text)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err != ""
    assert not (cli.root / "docs").exists() or not list((cli.root / "docs" / "requirements").iterdir())


def test_an_issue_of_a_tracker_is_not_added_as_if_it_were_words(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    ran = cli.run("add", " ABC-12 ")
    assert (ran.status, ran.out) == (3, "")
    assert ran.err.startswith("Jira cannot be asked for ABC-12 yet.")
    assert not (cli.root / "docs").exists()
    assert cli.run("add", "#21 is slow").status == 0


def test_list_is_a_table_of_how_far_each_item_has_come(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")  # a runner of tests may have set another width
    cli.add()
    meta = json.loads((cli.item / "meta.json").read_text())
    meta |= {
        "steps_completed": ["99-99", *(step.step_id for step in load_steps()[:9])],
        "elaborations": [RECORD, RECORD | {"timestamp": "b"}, 3],
    }
    (cli.item / "meta.json").write_text(json.dumps(meta))
    broken = cli.add("A second one")
    (broken / "meta.json").write_text("[")
    ran = cli.run("list")
    assert ran.status == 0
    day = r"\d{4}-\d\d-\d\d \d\d:\d\d"
    assert re.fullmatch(
        r"item           steps          status   elaborations  last activity     title\n"
        rf"a-second-one   -------- 0/24  corrupt  0             {day}  A second one\n"
        rf"offline-forms  ###----- 9/24  raw      2             {day}  Offline forms\n",
        ran.out,
    ), ran.out
    first, second = cli.run("list", "--json").json
    assert first["problem"] is not None
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", second.pop("last_activity"))
    assert second == {
        "stale": False,
        "slug": SLUG,
        "title": "Offline forms",
        "analysis_status": "raw",
        "steps_completed": 9,
        "steps": 24,
        "elaborations": 2,
        "problem": None,
    }


@pytest.mark.parametrize("width", [40, 80, 110])
def test_the_list_fits_the_terminal(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    cli.run("add", "Compression for clients that refuse it and say so in a header", "--title", "Short")
    cli.run("add", "GZipMiddleware compresses for clients that refuse gzip in their header")
    monkeypatch.setenv("COLUMNS", str(width))
    lines = cli.run("list").out.splitlines()
    assert len(lines) == 3 and all(len(line) <= width for line in lines)
    assert width < 80 or all(" raw" in line for line in lines[1:])


def test_a_discussion_that_was_taken_back_does_not_count(cli: CommandLine) -> None:
    cli.add()
    meta = json.loads((cli.item / "meta.json").read_text())
    meta |= {"elaborations": [RECORD, RECORD | {"timestamp": "b"}], "elaborations_undone": ["b"]}
    (cli.item / "meta.json").write_text(json.dumps(meta))
    assert cli.run("list", "--json").json[0]["elaborations"] == 1
    assert "0 of 24 steps, 1 elaboration\n" in cli.run("status").out


def test_an_empty_list_says_how_to_begin(cli: CommandLine) -> None:
    assert cli.run("list").out == "No items yet. Add one with: roundtable add 'what it is about'\n"
    assert cli.run("list", "--json").json == []


def test_show_lists_documents_and_transcripts_with_their_sizes(cli: CommandLine) -> None:
    cli.add()
    talks = cli.item / "elaborations"
    talks.mkdir()
    (talks / "01-01-2.md").write_text("two")
    (talks / "01-01-10.md").write_text("ten")
    meta = (cli.item / "meta.json").stat().st_size
    ran = cli.run("show", SLUG)
    assert ran.status == 0
    assert ran.out == (
        "file          size\n"
        "draft.md      16 bytes\n"
        f"meta.json     {meta} bytes\n"
        "transcript 1  3 bytes    01-01-2.md\n"
        "transcript 2  3 bytes    01-01-10.md\n"
    )
    assert cli.run("show", SLUG, "--json").json == {
        "slug": SLUG,
        "folder": f"docs/requirements/{SLUG}",
        "documents": [{"file": "draft.md", "bytes": 16}, {"file": "meta.json", "bytes": meta}],
        "transcripts": [
            {"number": 1, "file": "01-01-2.md", "bytes": 3},
            {"number": 2, "file": "01-01-10.md", "bytes": 3},
        ],
    }


def test_show_prints_a_file_or_a_transcript(cli: CommandLine) -> None:
    cli.add()
    (cli.item / "notes.md").write_bytes(b"\xef\xbb\xbf# Notes\r\n\x1b[31mred\x1b[0m \xff\r\n")
    assert cli.run("show", SLUG, "notes.md").out == "# Notes\nred �\n"
    found = cli.run("show", SLUG, "notes.md", "--json").json
    assert found == {"slug": SLUG, "file": "notes.md", "text": "# Notes\nred �\n"}
    (cli.item / "elaborations").mkdir()
    (cli.item / "elaborations" / "01-01-1.md").write_text("# Talk\n")
    for name in (["transcript", "1"], ["elaborations/01-01-1.md"]):
        assert cli.run("show", SLUG, *name).out == "# Talk\n", name


@pytest.mark.parametrize(
    "name",
    [
        "../other/secret.md",
        "/etc/hostname",
        "link.md",
        "elaborations",
        "missing.md",
        "loop",
        "a\0b",
        "..",
        "attachments/plan.md",
    ],
)
def test_show_refuses_what_is_no_file_in_the_items_folder(cli: CommandLine, name: str) -> None:
    cli.add()
    other = cli.item.parent / "other"
    other.mkdir()
    (other / "secret.md").write_text("secret")
    (cli.item / "link.md").symlink_to(other / "secret.md")
    (cli.item / "loop").symlink_to("loop")
    for subfolder in ("elaborations", "attachments"):
        (cli.item / subfolder).mkdir()
        (cli.item / subfolder / "plan.md").write_text("plan")
    ran = cli.run("show", SLUG, name)
    assert (ran.status, ran.out) == (2, "")
    assert f" is none of the files and transcripts of {SLUG}: draft.md, " in ran.err


@pytest.mark.parametrize(
    "words", [("transcript",), ("transcript", "1"), ("transcript", "1", "2"), ("a", "b")]
)
def test_show_says_where_there_is_no_such_transcript(cli: CommandLine, words: tuple[str, ...]) -> None:
    cli.add()
    ran = cli.run("show", SLUG, *words)
    assert (ran.status, ran.out) == (2, "")
    assert "transcript" in ran.err


def test_show_names_the_transcripts_where_the_number_fits_none(cli: CommandLine) -> None:
    cli.add()
    (cli.item / "elaborations").mkdir()
    for number in (1, 2):
        (cli.item / "elaborations" / f"01-03-{number}.md").write_text("x")
    for words in ((), ("3",), ("0",)):
        ran = cli.run("show", SLUG, "transcript", *words)
        assert ran.status == 2
        assert ran.err.endswith("draft.md, meta.json, transcript 1, transcript 2.\n")


@pytest.mark.rule("ITEM-3")
@pytest.mark.parametrize("command", [("show",), ("status",), ("analyze",), ("elaborate", "--step", "01-01")])
def test_an_item_that_nothing_answers_to_is_a_usage_error_that_names_the_items(
    cli: CommandLine, command: tuple[str, ...]
) -> None:
    cli.add()
    ran = cli.run(command[0], "nobody\x1b[31m", *command[1:])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == 'No item is called "nobody". Items here: offline-forms.\n'


@pytest.mark.rule("ITEM-1")
def test_items_lie_where_the_settings_say(cli: CommandLine) -> None:
    (cli.root / "roundtable.toml").write_text('items = "backlog"\n')
    cli.run("add", "Offline forms")
    assert (cli.root / "backlog" / SLUG / "meta.json").exists()
    assert [row["slug"] for row in cli.run("list", "--json").json] == [SLUG]
    assert cli.run("status", SLUG, "--json").json["slug"] == SLUG
    assert cli.run("show", SLUG, "draft.md").status == 0
    assert cli.run("analyze", "--json", answers=[]).kinds[-1] == "paused"


def test_a_longer_text_comes_from_stdin(cli: CommandLine) -> None:
    ran = cli.call("add", "-", said=b"Pay by invoice\n\nCustomers ask for it.\n")
    assert (ran.status, ran.err) == (0, "")
    draft = cli.root / "docs" / "requirements" / "pay-by-invoice" / "draft.md"
    assert draft.read_text() == "# Pay by invoice\n\nCustomers ask for it.\n"
    empty = cli.call("add", "-", said=b" \n")
    assert (empty.status, empty.err) == (2, "There was no text on stdin. Nothing was added.\n")


def test_without_an_item_the_open_one_is_shown(cli: CommandLine) -> None:
    cli.add()
    assert cli.run("show").out == cli.run("show", SLUG).out
    assert cli.run("show", "draft.md").out == "# Offline forms\n"
    assert cli.run("show", "transcript").err.startswith("transcript is none of the files and transcripts of")
    cli.add("Export as PDF")
    ran = cli.run("show")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "Several items are open. Name one of: export-as-pdf, offline-forms.\n"
    meta = json.loads((cli.item / "meta.json").read_text())
    (cli.item / "meta.json").write_text(json.dumps(meta | {"analysis_status": "analyzed"}))
    assert cli.run("show", "draft.md").out == "# Export as PDF\n"


@pytest.mark.parametrize("command", [("show",), ("check",), ("elaborate", "--step", "01-01"), ("analyze",)])
def test_without_any_item_the_way_to_one_is_said(cli: CommandLine, command: tuple[str, ...]) -> None:
    ran = cli.run(*command, answers=[])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "There is no item yet. Add one with: roundtable add 'what it is about'\n"


def test_an_item_gets_another_title_and_its_folder_follows(cli: CommandLine) -> None:
    cli.run("add", "Offline forms\n\nIn the basement.")
    (cli.item / "quick-scan.md").write_text("# Offline forms\n")
    ran = cli.run("rename", "offline", "Forms", "without signal")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "Renamed offline-forms to forms-without-signal: Forms without signal\n"
    folder = cli.item.with_name("forms-without-signal")
    assert (folder / "draft.md").read_text() == "# Forms without signal\n\nIn the basement.\n"
    assert (folder / "quick-scan.md").read_text() == "# Offline forms\n"
    assert json.loads((folder / "meta.json").read_text())["slug"] == "forms-without-signal"
    assert not cli.item.exists()
    assert cli.run("check").status == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"# Offline forms\r\n\r\nIn the basement.  \r\n", b"# Export\r\n\r\nIn the basement.  \r\n"),
        (
            b"\xef\xbb\xbf\n# Offline forms\nNo \xff signal.\x07\n\n\n",
            b"\xef\xbb\xbf\n# Export\nNo \xff signal.\x07\n\n\n",
        ),
        (b"# Offline forms", b"# Export"),
        (b"\r\nIn the basement.\r\n", b"\r\n# Export\r\n\r\nIn the basement.\r\n"),
        (b"", b"# Export\n"),
        (None, b"# Export\n"),
    ],
)
def test_a_new_title_leaves_every_other_byte_of_the_draft(
    cli: CommandLine, before: bytes | None, after: bytes
) -> None:
    cli.add()
    (cli.item / "draft.md").unlink()
    if before is not None:
        (cli.item / "draft.md").write_bytes(before)
    assert cli.run("rename", SLUG, "Export").status == 0
    assert (cli.item.with_name("export") / "draft.md").read_bytes() == after
    assert cli.run("list", "--json").json[0]["title"] == "Export"


def test_a_draft_that_cannot_be_read_is_not_renamed(cli: CommandLine) -> None:
    cli.add()
    (cli.item / "draft.md").unlink()
    (cli.item / "draft.md").symlink_to(cli.root / "elsewhere.md")
    ran = cli.run("rename", SLUG, "Export")
    assert ran.status == 1 and "draft.md" in ran.err and cli.item.is_dir()
    (cli.item / "draft.md").unlink()
    (cli.item / "draft.md").write_bytes("# Forms\n".encode("utf-16"))
    assert "UTF-16" in cli.run("rename", SLUG, "Export").err and cli.item.is_dir()


def test_a_name_that_is_taken_gets_a_number(cli: CommandLine) -> None:
    cli.add()
    cli.add("Export")
    assert cli.run("rename", "export", "Offline forms", "--json").json["slug"] == "offline-forms-2"
    assert cli.run("rename", "offline-forms-2", "OFFLINE FORMS", "--json").json["slug"] == "offline-forms-2"
    assert cli.run("rename", SLUG, " ").err == "An item needs a title of a few words. Nothing was changed.\n"


def test_an_analysis_goes_on_under_its_new_name(cli: CommandLine) -> None:
    cli.add()
    cli.run("analyze", answers=["The inspector waits in the basement without any signal at all."])
    assert cli.run("rename", SLUG, "Export").status == 0
    ran = cli.run("analyze", answers=[])
    assert ran.status == 0
    assert "waits in the basement" in ran.out


def test_nothing_is_deleted_without_a_yes(cli: CommandLine) -> None:
    cli.add()
    ran = cli.run("remove", SLUG)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "This deletes offline-forms (Offline forms) with 2 documents. Nothing was deleted. "
        "Give --yes to do it.\n"
    )
    ran = cli.run("remove", SLUG, "--yes")
    assert (ran.status, ran.out, ran.err) == (0, "Deleted offline-forms.\n", "")
    assert not cli.item.exists()


def test_an_item_in_use_is_not_deleted_and_not_renamed(cli: CommandLine) -> None:
    cli.add()
    with item_lock(cli.item):
        for command in (("remove", SLUG, "--yes"), ("rename", SLUG, "Export")):
            ran = cli.run(*command)
            assert ran.status == 4
            assert ran.err.startswith("offline-forms is in use by process ")
    assert (cli.item / "draft.md").read_text() == "# Offline forms\n"


def test_what_a_link_leads_to_is_never_deleted(cli: CommandLine, tmp_path: Path) -> None:
    cli.add()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (cli.item / "notes").symlink_to(outside)
    elsewhere = cli.root / "elsewhere"
    cli.item.rename(elsewhere)
    cli.item.symlink_to(elsewhere)
    ran = cli.run("rename", "elsewhere", "Export")
    assert (ran.status, ran.err.partition(".")[0]) == (2, "offline-forms is a link")
    assert cli.run("remove", "elsewhere", "--yes").status == 0
    assert not cli.item.is_symlink()
    elsewhere.rename(cli.item)
    assert cli.run("remove", SLUG, "--yes").status == 0
    assert not cli.item.exists()
    assert (outside / "kept.txt").read_text() == "kept"


def test_commands_work_from_any_folder_of_the_project(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.add()
    below = cli.root / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert cli.run("list", "--json").json[0]["slug"] == SLUG
    assert cli.run("show", "draft.md").out == "# Offline forms\n"
    assert cli.run("list", "--root", ".", "--json").json == []
    assert cli.run("add", "Export", "--json").json["folder"] == str(cli.item.with_name("export"))
