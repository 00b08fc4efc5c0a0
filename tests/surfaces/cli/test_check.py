"""`check`: the exit status says whether an item's documents hold together, each finding has its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import CommandLine, command_line
from roundtable.core.steps import PHASE_KEYS


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    line.add()
    return line


def write(cli: CommandLine, text: str, name: str = "requirements-spec.md") -> None:
    (cli.item / name).write_text(text)


def test_an_item_without_documents_is_sound(cli: CommandLine) -> None:
    ran = cli.run("check", "offline-forms")
    assert (ran.status, ran.out, ran.err) == (0, "No step has written anything yet.\n", "")


def test_sound_documents(cli: CommandLine) -> None:
    write(cli, "### FR-001: x\n\n- **AC-001-01** y\n")
    ran = cli.run("check", "offline")
    assert (ran.status, ran.out) == (0, "1 file checked: sound.\n")


def test_open_questions_alone_do_not_fail(cli: CommandLine) -> None:
    write(cli, "- Open question: Who pays?\n")
    ran = cli.run("check", "offline-forms")
    assert ran.status == 0
    asked = "requirements-spec.md:1: open question: Who pays?"
    assert ran.out == f"{asked}\n1 file checked: sound, 1 open question.\n"


def test_problems_fail_and_come_first(cli: CommandLine) -> None:
    write(cli, "- Open question: Who pays?\n- Open question: When?\n\n### FR-001: x\n\nsee ADR-001\n")
    ran = cli.run("check", "offline-forms")
    assert ran.status == 2
    assert ran.out == (
        "requirements-spec.md:4: FR-001 has no acceptance criterion.\n"
        "requirements-spec.md:6: ADR-001 is defined nowhere.\n"
        "requirements-spec.md:1: open question: Who pays?\nrequirements-spec.md:2: open question: When?\n"
        "1 file checked: 2 problems, 2 open questions.\n"
    )
    assert ran.err == ""


def test_the_item_that_is_taken_without_a_name_is_named_where_there_are_others(cli: CommandLine) -> None:
    write(cli, "### FR-001: x\n")
    for words in (["check"], ["handoff"], ["undo"]):
        assert "Item: " not in cli.run(*words).err
    done = cli.add("Another one")
    meta = json.loads((done / "meta.json").read_text())
    meta |= {"analysis_status": "analyzed", "phases_completed": list(PHASE_KEYS)}
    (done / "meta.json").write_text(json.dumps(meta))
    for words in (["check"], ["handoff"], ["undo"]):
        assert cli.run(*words).err.startswith("Item: offline-forms\n")
    assert cli.run("check", "offline").err == cli.run("check", "--json").err == ""


def test_for_a_program(cli: CommandLine) -> None:
    write(cli, "- Open question: Who pays?\n\nFR-001\n")
    ran = cli.run("check", "offline-forms", "--json")
    assert ran.status == 2
    assert ran.json == {
        "slug": "offline-forms",
        "sound": False,
        "files": ["requirements-spec.md"],
        "history": 0,
        "problems": [
            {
                "file": "requirements-spec.md",
                "line": 3,
                "kind": "id",
                "text": "FR-001 is defined nowhere.",
            }
        ],
        "open_questions": [{"file": "requirements-spec.md", "line": 1, "kind": "open", "text": "Who pays?"}],
        "unverified": [],
    }


def test_citations_are_looked_up_in_the_project_and_nowhere_else(cli: CommandLine) -> None:
    (cli.root / "src").mkdir()
    (cli.root / "src" / "a.py").write_text("one\ntwo\n")
    (cli.root.parent / "out.py").write_text("one\n")
    (cli.root / "src" / "link.py").symlink_to(cli.root.parent / "out.py")
    write(cli, "`src/a.py:2` `src/a.py:3` `src/b.py:1` `src/link.py:1` `../out.py:1` `src:1`\n")
    ran = cli.run("check", "offline-forms")
    assert ran.status == 2
    assert ran.out == (
        "requirements-spec.md:1: ../out.py:1: there is no file ../out.py in the project.\n"
        "requirements-spec.md:1: src/a.py:3: the file has 2 lines.\n"
        "requirements-spec.md:1: src/b.py:1: there is no file src/b.py in the project.\n"
        "requirements-spec.md:1: src/link.py:1: there is no file src/link.py in the project.\n"
        "1 file checked: 4 problems.\n"
    )


def test_a_document_that_cannot_be_read_is_a_problem(cli: CommandLine) -> None:
    (cli.item / "quick-scan.md").mkdir()
    ran = cli.run("check", "offline-forms")
    assert (ran.status, ran.out) == (
        2,
        "quick-scan.md:1: It cannot be read.\n0 files checked: 1 problem.\n",
    )


def test_an_unknown_item_is_a_usage_error(cli: CommandLine) -> None:
    ran = cli.run("check", "something")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err != ""


def test_what_a_person_wrote_cannot_upset_a_terminal(cli: CommandLine) -> None:
    write(cli, "- Open question: \x1b[31mred\x1b[0m?\n")
    assert "requirements-spec.md:1: open question: red?" in cli.run("check", "offline-forms").out
