"""`status`: how far each item has come, what comes next, and what is wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import roundtable
from commandline import SLUG, CommandLine, command_line
from roundtable.core.steps import PHASE_KEYS


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


def _change(cli: CommandLine, **fields: Any) -> None:
    path = cli.item / "meta.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.mark.rule("META-8")
def test_a_new_item_starts_at_the_first_step(cli: CommandLine) -> None:
    assert cli.run("status", SLUG, "--json").json == {
        "slug": SLUG,
        "title": "Offline forms",
        "folder": f"docs/requirements/{SLUG}",
        "source": "manual",
        "source_id": None,
        "analysis_status": "raw",
        "phases_completed": [],
        "steps_completed": [],
        "next": "step 00-01, Scope Estimation (Quick Scan)",
        "next_step": "00-01",
        "start_phase": {
            "completed": [],
            "next": "00-quick-scan",
            "remaining": list(PHASE_KEYS),
            "warnings": [],
        },
        "elaborations": 0,
        "stale": False,
        "discussion": None,
        "spent": None,
        "problem": None,
    }
    assert cli.run("status", SLUG).out == (
        "offline-forms: Offline forms\n"
        "status  raw: 0 of 5 phases, 0 of 24 steps, 0 elaborations\n"
        "next    step 00-01, Scope Estimation (Quick Scan): roundtable analyze offline-forms\n"
    )


def test_without_an_item_all_are_reported(cli: CommandLine) -> None:
    cli.add("Another one")
    assert [each["slug"] for each in cli.run("status", "--json").json] == ["another-one", SLUG]
    assert cli.run("status").out.count("roundtable analyze ") == 2
    assert "\n\noffline-forms: Offline forms\n" in cli.run("status").out


def test_without_items_it_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "none").mkdir()
    empty = command_line(tmp_path / "none", monkeypatch)
    assert empty.run("status").out == "No items yet. Add one with: roundtable add 'what it is about'\n"
    assert empty.run("status", "--json").json == []


@pytest.mark.rule("META-8")
def test_the_next_step_and_the_warnings_follow_from_what_is_complete(cli: CommandLine) -> None:
    _change(
        cli,
        source="github",
        source_id="GH-21",
        analysis_status="partial",
        phases_completed=["00-quick-scan", "03-architecture", "05-x"],
        steps_completed=["00-01", 7, "01-01"],
        elaborations=[{"step_id": "01-01", "synthesis_summary": "x"}],
    )
    found = cli.run("status", SLUG, "--json").json
    assert found["next_step"] == "01-02"
    assert found["steps_completed"] == ["00-01", "01-01"]
    assert found["start_phase"]["completed"] == ["00-quick-scan"]
    assert found["start_phase"]["next"] == "01-requirements"
    assert len(found["start_phase"]["warnings"]) == 2
    text = cli.run("status", SLUG).out
    assert "status   partial: 1 of 5 phases, 2 of 24 steps, 1 elaboration\n" in text
    assert (
        "next     step 01-02, User Needs Discovery (Requirements): roundtable analyze offline-forms\n" in text
    )
    assert "source   github GH-21\n" in text
    assert text.count("\nwarning  ") == 1 and "'05-x' in phases_completed is not a phase." in text


@pytest.mark.rule("STEP-3")
def test_a_step_whose_condition_skips_it_does_not_come_next(cli: CommandLine) -> None:
    home = cli.root / ".roundtable" / "steps" / "00-quick-scan"
    home.mkdir(parents=True)
    built_in = Path(roundtable.__file__).parent / "content" / "steps" / "00-quick-scan.md"
    text = built_in.read_text().replace("step_id: 00-02\n", 'step_id: 00-02\nskip_if: scope == "small"\n')
    (home / "ours.md").write_text(text)
    _change(cli, steps_completed=["00-01"])
    assert cli.run("status", SLUG, "--json").json["next_step"] == "00-02"
    (cli.item / "quick-scan.md").write_text("# Quick Scan\n\nScope: small\n")
    assert cli.run("status", SLUG, "--json").json["next_step"] != "00-02"


def test_all_steps_of_a_phase_done_leads_to_its_menu(cli: CommandLine) -> None:
    _change(cli, steps_completed=["00-01", "00-02", "00-03"])
    assert cli.run("status", SLUG, "--json").json["next_step"] is None
    assert "next    the menu of phase 00: roundtable analyze offline-forms\n" in cli.run("status").out


def test_when_all_phases_are_complete_nothing_comes_next(cli: CommandLine) -> None:
    _change(cli, phases_completed=list(PHASE_KEYS), analysis_status="analyzed")
    assert (
        "next    nothing, all phases are complete: roundtable handoff offline-forms\n"
        in cli.run("status").out
    )
    assert cli.run("status", SLUG, "--json").json["start_phase"]["next"] is None


def test_the_command_that_goes_on_names_the_project_that_was_named(cli: CommandLine) -> None:
    (other := cli.root / "other place").mkdir()
    root = ("--root", str(other))
    go_on = f"roundtable analyze a-form --root '{other}'\n"
    assert cli.run("status", *root).out.endswith(f"roundtable add 'what it is about' --root '{other}'\n")
    assert cli.run("add", "A form", *root).out.endswith(go_on)
    assert cli.run("status", *root).out.endswith(go_on)
    assert cli.run("handoff", *root).err.endswith(go_on)


@pytest.mark.rule("META-8")
def test_the_code_has_moved_on_where_the_commits_differ(cli: CommandLine) -> None:
    git = ["git", "-C", str(cli.root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    _change(cli, codebase_hash=head.strip())
    assert cli.run("status", SLUG, "--json").json["stale"] is False
    _change(cli, codebase_hash="fffffff")
    assert cli.run("status", SLUG, "--json").json["stale"] is True
    assert "code    has moved on since the last phase was completed\n" in cli.run("status").out


@pytest.mark.rule("META-1")
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"7", b"NaN", b"[" * 100_000, b'{"source": "\xff"}'], ids=range(7)
)
def test_a_corrupt_file_is_reported_and_not_touched(cli: CommandLine, data: bytes) -> None:
    (cli.item / "meta.json").write_bytes(data)
    ran = cli.run("status", SLUG, "--json")
    assert ran.status == 0
    assert ran.json["analysis_status"] is None
    assert ran.json["next_step"] is None
    assert "meta.json cannot be used" in ran.json["problem"]
    text = cli.run("status").out
    assert "\nstatus   corrupt\n" in text
    assert "begin anew and keep it aside: roundtable analyze offline-forms --start-over\n" in text
    assert (cli.item / "meta.json").read_bytes() == data


def test_what_others_wrote_in_the_file_never_upsets_the_report(cli: CommandLine) -> None:
    _change(cli, source=[1], source_id={"a": 1}, analysis_status=3, codebase_hash=5, elaborations="x")
    found = cli.run("status", SLUG, "--json").json
    assert (found["source"], found["source_id"], found["elaborations"]) == ("manual", None, 0)
    assert (found["analysis_status"], found["stale"]) == ("raw", False)


def test_control_characters_of_a_title_do_not_reach_the_terminal(cli: CommandLine) -> None:
    (cli.item / "draft.md").write_text("# A\x1b]0;owned\x07 \x1b[31mred\x9b0m \u202etitle\n")
    for ran in (
        cli.run("status"),
        cli.run("list"),
        cli.run("status", "--json"),
        cli.run("show", SLUG, "draft.md"),
    ):
        assert ran.status == 0
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(ran.out)
        assert "red" in ran.out


@pytest.mark.rule("META-8")
def test_status_follows_its_schema(cli: CommandLine) -> None:
    from jsonschema import Draft202012Validator

    schema = Path(__file__).parents[3] / "docs" / "schemas" / "status.schema.json"
    validator = Draft202012Validator(json.loads(schema.read_text()))
    validator.validate(cli.run("status", SLUG, "--json").json)
    _change(cli, phases_completed=list(PHASE_KEYS), codebase_hash="abc1234", source_id="GH-21")
    validator.validate(cli.run("status", SLUG, "--json").json)
    (cli.item / "meta.json").write_text("[")
    for report in cli.run("status", "--json").json:
        validator.validate(report)
