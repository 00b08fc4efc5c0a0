"""`eval`: the figures for people and programs, and what is written for a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine, command_line

TEXT = "# Offline forms\n\nInspectors fill in forms in basements. Two may change the same form at once.\n"
SCRIPT = """
step = "01-03"
[answers]
Journey = "The inspector goes down, fills in eight forms and comes back up."
[[messages]]
kind = "question"
text = "Alex, what if two inspectors change the same form?"
[[messages]]
kind = "drift-step"
text = "Which forms does the inspector fill in first?"
belongs_to = "03-02"
"""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    made = command_line(tmp_path, monkeypatch)
    items = made.root / "items"
    items.mkdir()
    (items / "01-forms.md").write_text(TEXT)
    (items / "01-forms.toml").write_text(SCRIPT)
    return made


def test_the_figures_are_one_table(cli: CommandLine) -> None:
    ran = cli.run("eval", "--items", "items", "--quick")
    head, columns, *rows = ran.out.splitlines()
    assert (ran.status, ran.err) == (0, "")
    assert head.startswith("set: items, items: 1, contributions: ")
    assert columns.split() == ["figure", "found", "wanted", "counted"]
    assert rows[0].startswith("speaker told from the words alone")
    assert any(row.startswith("talk of another step redirected") and "FALLS SHORT" in row for row in rows)
    assert rows[-1].endswith("figures hold.")


def test_a_program_gets_every_figure_with_what_it_missed(cli: CommandLine) -> None:
    report = cli.run("eval", "--items", "items", "--quick", "--json").json
    assert (report["set"], report["items"]) == ("items", 1)
    figure = next(each for each in report["figures"] if each["name"] == "talk of another step redirected")
    assert figure == {
        "name": "talk of another step redirected",
        "value": 0.0,
        "unit": "%",
        "wanted": "at least 50 %",
        "holds": False,
        "counted": "0 of 1; 0 to the right phase",
        "misses": ["Which forms does the inspector fill in first?"],
    }


def test_only_strict_makes_a_missed_figure_a_failure(cli: CommandLine) -> None:
    assert cli.run("eval", "--items", "items", "--quick").status == 0
    assert cli.run("eval", "--items", "items", "--quick", "--strict").status == 1


def test_misses_are_shown_on_request(cli: CommandLine) -> None:
    out = cli.run("eval", "--items", "items", "--quick", "--misses", "1").out
    assert (
        "talk of another step redirected (1 missed)\n  - Which forms does the inspector fill in first" in out
    )


def test_a_reader_gets_transcripts_and_a_table_and_gives_verdicts(cli: CommandLine) -> None:
    ran = cli.run(
        "eval", "--items", "items", "--quick", "--transcripts", "read", "--sample", "2", "--seed", "7"
    )
    assert "Wrote 1 transcripts to read." in ran.err
    assert (
        "Wrote 2 contributions to sample.md. Fill in yes or no, then: roundtable eval --verdicts sample.md"
        in ran.err
    )
    assert (cli.root / "read" / "01-forms.md").read_text().startswith("# Offline forms\n")
    table = cli.root / "sample.md"
    table.write_text(table.read_text().replace("|  |  |  |  |", "| yes | no | no | yes |"))
    shares = cli.run("eval", "--verdicts", "sample.md", "--json", "--strict")
    assert [each["value"] for each in shares.json["figures"]] == [100.0, 0.0, 0.0, 100.0]
    assert shares.status == 1


def test_a_table_that_is_there_is_never_written_over(cli: CommandLine) -> None:
    (cli.root / "sample.md").write_text("verdicts of a day")
    ran = cli.run("eval", "--items", "items", "--quick", "--sample", "2")
    assert (ran.status, ran.out) == (2, "")
    assert "sample.md is there already" in ran.err
    assert (cli.root / "sample.md").read_text() == "verdicts of a day"
    assert cli.run("eval", "--items", "items", "--quick", "--sample", "2", "--table", "b.md").status == 0
    assert (cli.root / "b.md").exists()


def test_where_nothing_can_be_written_or_read_it_is_said(cli: CommandLine) -> None:
    (cli.root / "file").write_text("")
    ran = cli.run("eval", "--items", "items", "--quick", "--transcripts", "file/below")
    assert ran.status == 1
    assert "Could not write to file/below" in ran.err
    ran = cli.run("eval", "--items", "items", "--quick", "--sample", "1", "--table", "none/x.md")
    assert "Could not write to none/x.md: No such file" in ran.err
    ran = cli.run("eval", "--items", "nowhere")
    assert (ran.status, ran.out) == (2, "")
    assert "There are no items in nowhere." in ran.err
