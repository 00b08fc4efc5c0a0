"""A project's own probes: spoken in its sessions before the built-in ones, and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine, command_line

PROBE = """
[[probe]]
id = "clinic.moved"
persona = "{persona}"
topics = ["schedule"]
calls_for = ['\\bvisits?\\b', '\\b(?:mov|cancel)\\w*']
[[probe.says]]
form = "scene"
text = "Who has left home already when that happens? {{Says}}. Reach whoever is on the bus before the desk."
handle = "patient on the bus"
insight = "Whoever is on the way must be reached before they stand at the desk."
"""
ANSWER = "The nurse rings the patient by hand today, and it fails for 12 of them."


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


def write(cli: CommandLine, persona: str) -> None:
    folder = cli.root / ".roundtable" / "probes"
    folder.mkdir(parents=True)
    (folder / "clinic.toml").write_text(PROBE.format(persona=persona))


def test_what_the_project_has_written_is_said_in_its_session(cli: CommandLine) -> None:
    write(cli, "business-analyst")
    folder = cli.add("Patients come for nothing")
    text = "When the nurse cancels a visit, the patient stands at the desk for nothing."
    (folder / "draft.md").write_text(f"# Patients come for nothing\n\n{text}\n")
    ran = cli.run("analyze", "--json", answers=[*[ANSWER] * 8, "E", "", "", "done"])
    said = [line["text"] for line in ran.lines if line["kind"] == "contribution"]
    assert any("whoever is on the bus before the desk" in text for text in said), said
    [block] = [line["text"] for line in ran.lines if line["kind"] == "synthesis"]
    assert "- [Maya] Whoever is on the way must be reached before they stand at the desk." in block


def test_a_probe_of_nobody_is_named(cli: CommandLine) -> None:
    write(cli, "bussiness-analyst")
    ran = cli.run("personas", "check")
    assert ran.status == 2
    assert "clinic.moved, persona: 'bussiness-analyst' is nobody at the table" in ran.out
