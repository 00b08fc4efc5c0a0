"""`personas`, `steps` and `doctor`: what there is to work with, and what is wrong with it."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import pytest

import roundtable
from commandline import CommandLine, command_line


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


def _persona(cli: CommandLine, name: str, text: str) -> None:
    home = cli.root / ".roundtable" / "personas"
    home.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text)


@pytest.mark.rule("PERS-1")
def test_personas_are_listed_in_roster_order(cli: CommandLine) -> None:
    head, *rows = cli.run("personas", "list").out.splitlines()
    assert head.split() == ["key", "name", "role", "phases", "short_role"]
    assert [row.split()[0] for row in rows] == ["business-analyst", "solutions-architect", "system-designer"]
    assert "Maya Chen    Business Analyst     00-quick-scan, 01-requirements" in rows[0]
    first = cli.run("personas", "list", "--json").json[0]
    assert first == {
        "key": "business-analyst",
        "name": "Maya Chen",
        "role": "Business Analyst",
        "short_role": "BA",
        "phases": ["00-quick-scan", "01-requirements"],
        "perspective": "user",
        "lens": ["user needs", "business value", "stakeholder impact"],
    }


def test_steps_are_listed_in_the_order_in_which_they_run(cli: CommandLine) -> None:
    rows = cli.run("steps", "list").out.splitlines()
    assert rows[0].split() == ["step_id", "title", "persona", "depth", "outputs"]
    assert [row[:5] for row in rows[1:4]] == ["00-01", "00-02", "00-03"]
    listed = cli.run("steps", "list", "--json").json
    assert len(listed) == len(rows) - 1 == 24
    assert listed[4] == {
        "step_id": "01-02",
        "title": "User Needs Discovery",
        "phase": "01-requirements",
        "persona": "business-analyst",
        "depth": "standard",
        "outputs": ["requirements-spec.md"],
        "depends_on": ["01-01"],
        "skip_if": "",
    }


@pytest.mark.parametrize(("noun", "total"), [("personas", "3 personas"), ("steps", "24 steps")])
def test_a_check_without_problems_says_how_many_were_read(cli: CommandLine, noun: str, total: str) -> None:
    ran = cli.run(noun, "check")
    assert (ran.status, ran.out, ran.err) == (0, f"{total} read, no problems.\n", "")
    assert cli.run(noun, "check", "--json").json == {noun: int(total.split()[0]), "problems": []}


def test_a_check_of_personas_counts_a_project_s_own_prompts(cli: CommandLine) -> None:
    folder = cli.root / ".roundtable" / "prompts"
    folder.mkdir(parents=True)
    asked = '[[prompt]]\npersona = "business-analyst"\ntext = "Who stands beside her then?"\n'
    (folder / "own.toml").write_text(asked)
    assert cli.run("personas", "check").out == "3 personas and 1 prompt of your own read, no problems.\n"
    found = cli.run("personas", "check", "--json").json
    assert found == {"personas": 3, "prompts": 1, "problems": []}
    assert "3 at the table" in cli.run("doctor").out


@pytest.mark.rule("PERS-3")
def test_a_check_names_file_field_and_reason_of_every_problem(cli: CommandLine) -> None:
    _persona(cli, "broken.md", "no front matter\n")
    _persona(cli, "empty.md", "---\nkey: security\n---\n")
    ran = cli.run("personas", "check")
    assert ran.status == 2
    rows = ran.out.splitlines()
    assert rows[0].startswith(".roundtable/personas/broken.md, front matter: ")
    assert rows[1].startswith(".roundtable/personas/empty.md, ")
    assert rows[-1] == f"3 personas read, {len(rows) - 1} problems."
    found = cli.run("personas", "check", "--json")
    assert found.status == 2
    assert found.json["personas"] == 3
    assert found.json["problems"][0]["file"] == ".roundtable/personas/broken.md"
    assert set(found.json["problems"][0]) == {"file", "field", "reason", "skipped"}


SAM = "---\nkey: sam\nname: Sam Lee\nrole: Tester\nperspective: Testing\nlens: [tests]\nphases: [{}]\n---\n"


@pytest.mark.rule("PERS-2")
def test_two_personas_that_lead_the_same_phase_are_reported(cli: CommandLine) -> None:
    cli.add()
    _persona(cli, "sam.md", SAM.format("04-design"))
    said = "phases: 04-design is led by Jordan Park and Sam Lee; only Jordan Park does it."
    ran = cli.run("personas", "check")
    assert (ran.status, ran.out.splitlines()[0]) == (2, f".roundtable/personas, {said}")
    assert said in cli.run("analyze", answers=[]).out
    _persona(cli, "sam.md", SAM.format(""))
    assert cli.run("personas", "check").status == 0


@pytest.mark.rule("PERS-2")
def test_a_persona_added_while_a_menu_is_open_is_said_to_join_later(cli: CommandLine) -> None:
    cli.add()
    cli.run("analyze", answers=["The inspector retypes forms.", "No photos."])
    assert "next step on" not in cli.run("analyze", answers=[]).out
    _persona(cli, "sam.md", SAM.format(""))
    said = "Sam Lee will take part from the next step on."
    assert said in cli.run("analyze", answers=[]).out
    assert "Sam Lee" in cli.run("analyze", answers=["C", "/who"]).out.partition("Step 00-02")[2]
    assert said not in cli.run("analyze", answers=[]).out


@pytest.mark.rule("STEP-2")
def test_one_problem_of_a_step_is_counted_as_one(cli: CommandLine) -> None:
    home = cli.root / ".roundtable" / "steps" / "00-quick-scan"
    home.mkdir(parents=True)
    (home / "09-broken.md").write_text("---\n")
    ran = cli.run("steps", "check")
    assert ran.status == 2
    assert ran.out.splitlines()[-1] == "24 steps read, 1 problem."


def test_nobody_left_at_the_table_is_a_usage_error(cli: CommandLine) -> None:
    for key in ("business-analyst", "solutions-architect", "system-designer"):
        _persona(cli, f"{key}.md", f"---\nkey: {key}\ndisabled: true\n---\n")
    cli.add()
    for command in (["personas", "list"], ["analyze"]):
        ran = cli.run(*command, answers=[])
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("No persona is left")
    assert cli.run("doctor").status == 2


def test_the_doctor_finds_a_new_project_sound(cli: CommandLine) -> None:
    ran = cli.run("doctor", "--json")
    assert ran.status == 0
    found = {each["name"]: each["found"] for each in ran.json["findings"]}
    assert ran.json["sound"] is True
    assert found["roundtable"] == roundtable.__version__
    assert found["project"] == str(cli.root)
    assert found["items"] == "docs/requirements: 0 items, writable"
    assert found["git"] == "no commit here; that is fine"
    assert found["optional: mcp"] == f"mcp {version('mcp')}"
    assert found["personas"] == "3 at the table"
    assert found["steps"] == "24 to run"
    assert found["panel"] == "offline: needs no network and no key"
    assert "needs repair" not in cli.run("doctor").out


def test_the_doctor_lists_the_limits_that_are_set(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BUDGET_TOKENS": "60000", "BUDGET_MONEY": "0.50", "TIME_LIMIT": "90"}.items():
        monkeypatch.setenv(f"ROUNDTABLE_{name}", value)
    found = {each["name"]: each["found"] for each in cli.run("doctor", "--json").json["findings"]}
    assert (found["budget.tokens"], found["budget.money"], found["time_limit"]) == ("60000", "0.50", "90")
    assert "budget.turns" not in found


def test_the_doctor_names_what_needs_repair(cli: CommandLine) -> None:
    cli.add()
    (cli.item / "meta.json").write_text("{")
    (cli.root / "roundtable.toml").write_text("nonsense = 1\n")
    _persona(cli, "broken.md", "no\x1b[31m front matter\n")
    ran = cli.run("doctor")
    assert ran.status == 2
    bad = [row for row in ran.out.splitlines() if row.endswith("<- needs repair")]
    assert [row.split()[0] for row in bad] == ["settings", "items", "personas"]
    assert "meta.json cannot be used in offline-forms" in ran.out
    assert "\x1b" not in ran.out


def test_the_doctor_sees_a_file_where_the_items_folder_should_be(cli: CommandLine) -> None:
    (cli.root / "docs").write_text("")
    ran = cli.run("doctor")
    assert ran.status == 2
    assert "docs cannot be written to <- needs repair" in ran.out


def test_the_doctor_does_without_git(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(cli.root))
    ran = cli.run("doctor")
    assert ran.status == 0
    assert "not installed; an analysis does not note the commit" in ran.out


def test_the_doctor_warns_about_a_link_out_of_the_project(cli: CommandLine) -> None:
    cli.add()
    (cli.item.parent / "away").symlink_to(cli.root.parent)
    (cli.item.parent / "same").symlink_to(cli.item)
    ran = cli.run("doctor")
    assert ran.status == 2
    assert "away leads out of the project, so it is not an item <- needs repair" in ran.out


def test_settings_that_cannot_be_used_are_said_on_stderr_by_every_command(cli: CommandLine) -> None:
    (cli.root / "roundtable.toml").write_text("nonsense = 1\n")
    known = "items, panel, user_name, review, model, base_url, telemetry, time_limit, "
    known += "budget.turns, budget.tokens, budget.money"
    said = f"roundtable.toml: nonsense is not a setting; the settings are {known}.\n"
    for command in (["list"], ["status"], ["personas", "check"], ["add", "x"]):
        ran = cli.run(*command)
        assert (ran.status, ran.err) == (0, said)
    assert os.listdir(cli.root / "docs") == ["requirements"]  # noqa: PTH208


def test_doctor_names_the_optional_parts_that_a_user_may_want(cli: CommandLine) -> None:
    shown = cli.run("doctor").out
    assert "optional: models" in shown
    assert f"optional: mcp        mcp {version('mcp')}\n" in shown
    assert "optional: telemetry" in shown
    assert "optional: dev" not in shown
