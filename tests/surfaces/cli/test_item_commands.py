"""`add`, `list` and `show`: items come in, are seen together, and are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commandline import SLUG, CommandLine, command_line


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


def test_list_is_a_table_of_how_far_each_item_has_come(cli: CommandLine) -> None:
    cli.add()
    meta = json.loads((cli.item / "meta.json").read_text())
    meta |= {"steps_completed": ["00-01", "00-02", "99-99"], "elaborations": [{}, 3]}
    (cli.item / "meta.json").write_text(json.dumps(meta))
    broken = cli.add("A second one")
    (broken / "meta.json").write_text("[")
    ran = cli.run("list")
    assert ran.status == 0
    day = r"\d{4}-\d\d-\d\d \d\d:\d\d"
    bar = "-" * 22
    assert re.fullmatch(
        r"item           steps                            status   elaborations  last activity     title\n"
        rf"a-second-one   \[{bar}--\] 0/24  corrupt  0             {day}  A second one\n"
        rf"offline-forms  \[##{bar}\] 2/24  raw      2             {day}  Offline forms\n",
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
        "steps_completed": 2,
        "steps": 24,
        "elaborations": 2,
        "problem": None,
    }


def test_an_empty_list_says_how_to_begin(cli: CommandLine) -> None:
    assert cli.run("list").out == 'No items yet. Add one with: roundtable add "what it is about"\n'
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
        "transcript 1  3 bytes 01-01-2.md\n"
        "transcript 2  3 bytes 01-01-10.md\n"
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
    for name in (["transcript"], ["transcript", "1"], ["transcript", "01-01-1"], ["elaborations/01-01-1.md"]):
        assert cli.run("show", SLUG, *name).out == "# Talk\n", name


@pytest.mark.parametrize(
    "name",
    ["../other/secret.md", "/etc/hostname", "link.md", "elaborations", "missing.md", "loop", "a\0b", ".."],
)
def test_show_refuses_what_is_no_file_in_the_items_folder(cli: CommandLine, name: str) -> None:
    cli.add()
    other = cli.item.parent / "other"
    other.mkdir()
    (other / "secret.md").write_text("secret")
    (cli.item / "link.md").symlink_to(other / "secret.md")
    (cli.item / "loop").symlink_to("loop")
    (cli.item / "elaborations").mkdir()
    ran = cli.run("show", SLUG, name)
    assert (ran.status, ran.out) == (2, "")
    assert "draft.md" in ran.err


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
        assert ran.err == "Name one of the transcripts: 1 (01-03-1), 2 (01-03-2).\n"


@pytest.mark.rule("ITEM-3")
@pytest.mark.parametrize("command", [("show",), ("status",), ("analyze",), ("elaborate", "--step", "01-01")])
def test_an_item_that_nothing_answers_to_is_a_usage_error_that_names_the_items(
    cli: CommandLine, command: tuple[str, ...]
) -> None:
    cli.add()
    ran = cli.run(command[0], "nobody\x1b[31m", *command[1:])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == 'No item answers to "nobody". Items here: offline-forms.\n'


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
