"""Exported files: made from the personas, steps and lines in use, complete, and never at others' expense."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from commandline import CommandLine, command_line
from roundtable import load_roster, load_steps
from roundtable.core import lines
from roundtable.core.steps import Step
from roundtable.core.synthesis import Draft, Entry, render
from roundtable.core.turns import Turn
from roundtable.surfaces.export import HOSTS, agent_file, questions_file

AGENT = "roundtable-analyst"
CLIENTS = Path(__file__).parents[2] / "build/clients/node_modules/.bin"
SECTIONS = (
    *(f"## {number}. " for number in range(1, 7)),
    *(f"#### 4.4.{number} " for number in range(1, 10)),
    "### 1.4 ",
    "### 5.1 ",
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


def test_the_agent_file_has_the_documents_sections_and_leaves_no_place_open() -> None:
    text = agent_file(load_roster(), load_steps())
    for section in SECTIONS:
        assert text.count(f"\n{section}") == 1, section
    assert "{{" not in text


def test_the_agent_file_says_the_fixed_lines_as_the_program_does() -> None:
    text = agent_file(load_roster(), load_steps())
    for said in (
        lines.ACKNOWLEDGEMENT,
        lines.UNCLEAR_EXIT,
        lines.CONTEXT_UNREADABLE,
        lines.RECORD_FAILED,
        lines.SKIPPING,
        lines.menu(last=False, next_phase=None).text,
        "We are nearing the end of our discussion time. Any final points before we synthesize?",
    ):
        assert said in text


@pytest.mark.rule("SYN-1")
def test_the_synthesis_in_the_agent_file_has_the_shape_that_the_program_writes() -> None:
    roster = load_roster()
    entry = Entry("{insight}", (1,))
    draft = Draft(insights=(entry,), decisions=(entry,), questions=(entry,), actions=(entry,))
    turns = (Turn(1, roster.personas[0].key, "Said."), Turn(2, "user", "Heard."))
    block = render(
        draft, Step("{step_id}", "{title}", "", "brief", ()), turns, roster, "user-initiated"
    ).replace("\\", "")
    shown = agent_file(roster, load_steps())
    fixed = [line for line in block.splitlines() if line.startswith(("#", "**Participants"))]
    assert len(fixed) == 6
    assert [line for line in shown.splitlines() if line in fixed] == fixed
    assert "**Turns**: 2 | **Exit**: user-initiated\n" in block
    assert "**Turns**: {turn_count} | **Exit**: {user-initiated | turn-limit}\n" in shown


def test_the_agent_file_takes_at_most_6000_tokens_and_names_the_file_of_questions() -> None:
    text = agent_file(load_roster(), load_steps())
    assert len(text) / 4 <= 6_000
    assert "`roundtable-questions.md`" in text and "Acceptance**:" not in text


def test_the_first_meta_json_in_the_agent_file_is_what_add_writes(here: CommandLine) -> None:
    here.run("add", "Offline forms")
    [written] = here.root.glob("docs/requirements/*/meta.json")
    text = agent_file(load_roster(), load_steps())
    shown = json.loads(text.partition("### 2.1 ")[2].partition("```json\n")[2].partition("```")[0])
    known = json.loads(written.read_text())
    assert list(shown) == list(known)
    assert shown | {"slug": known["slug"], "created_at": known["created_at"]} == known


def test_the_data_files_in_the_agent_file_have_the_fields_that_the_program_writes() -> None:
    example = Path(__file__).parents[2] / "docs/example"
    shapes = agent_file(load_roster(), load_steps()).partition("### 2.3 ")[2]
    stories = json.loads(shapes.partition("```json\n")[2].partition("```")[0])
    written = json.loads((example / "user-stories.json").read_text())
    assert list(stories) == list(written)
    assert list(stories["stories"][0]) == list(written["stories"][0])
    head = shapes.partition("```csv\n")[2].partition("\n")[0]
    assert head == (example / "traceability-matrix.csv").read_text().splitlines()[0]


def test_the_files_hold_every_persona_step_and_question() -> None:
    roster, steps = load_roster(), load_steps()
    text, questions = agent_file(roster, steps), questions_file(steps)
    for persona in roster.personas:
        assert persona.identity in text
        assert all(f"- Keeps to this: {ban.reason}" in text for ban in persona.bans)
        assert all(f"- Speaks like: {pattern}" in text for pattern in persona.patterns)
    assert len(steps) == 24
    for step in steps:
        assert f"| {step.step_id} | {step.title} |" in text
        for question in (*step.brief, *step.standard, *step.deep):
            assert f"- **{question.label}**: {question.text}" in questions


def test_the_record_in_the_agent_file_is_json_with_the_keys_of_the_personas() -> None:
    text = agent_file(load_roster(), load_steps())
    record = json.loads(text.partition("#### 4.4.8")[2].partition("```json\n")[2].partition("```")[0])
    assert record["personas_active"] == ["business-analyst", "solutions-architect", "system-designer"]


@pytest.mark.rule("PERS-3", "PERS-4")
def test_the_agent_file_follows_the_roster_in_use(here: CommandLine) -> None:
    folder = here.root / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    (folder / "security.md").write_text(
        "---\nkey: security\nname: Noor Haddad\nrole: Security Engineer\nshort_role: Security\n"
        "perspective: security\nlens: [abuse]\nphases: []\nidentity: Noor thinks like the attacker.\n---\n"
    )
    text = here.run("export", "agent-file").out
    assert "Noor thinks like the attacker." in text
    assert "as 4 named colleagues" in text
    assert "Jordan Park (Designer), Noor Haddad (Security)" in text


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_a_host_gets_server_commands_and_agent_file_that_parse(host: str, here: CommandLine) -> None:
    ran = here.run("export", host, "--to", str(here.root / "out"), "--json")
    assert ran.status == 0
    written = ran.json["files"]
    assert written == [
        str(path.relative_to(here.root / "out"))
        for name in written
        for path in [here.root / "out" / name]
        if path.is_file()
    ]
    whole = ""
    for name in written:
        text = (here.root / "out" / name).read_text()
        whole += text
        if name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".toml"):
            tomllib.loads(text)
        elif text.startswith("---\n"):
            head = yaml.safe_load(re.split(r"^---$", text, maxsplit=2, flags=re.MULTILINE)[1])
            assert head["description"]
    folders = [Path(name).parent for name in written if f"{AGENT}/" in name]
    assert [name for name in written if f"{AGENT}/" in name] == [
        f"{folders[0]}/SKILL.md",
        f"{folders[0]}/roundtable-questions.md",
    ]
    assert not any("agents/" in name.replace(".agents/", "") for name in written), "it could not ask the user"
    assert sum("elaborate" in name for name in written) == 1
    assert sum("analyze" in name for name in written) == 1
    assert "{{arguments}}" not in whole


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_the_agent_file_of_every_host_is_the_same(host: str, tmp_path: Path) -> None:
    agent, questions = agent_file(load_roster(), load_steps()), questions_file(load_steps())
    files = HOSTS[host].make_files(agent, questions, tmp_path)
    assert any(name.endswith(f"{AGENT}/SKILL.md") and text.endswith(agent) for name, text in files.items())
    assert questions in files.values()


def test_a_file_that_is_there_is_replaced_only_when_that_is_wanted(here: CommandLine) -> None:
    target = here.root / "agent.md"
    target.write_text("mine")
    refused = here.run("export", "agent-file", "--to", str(target))
    assert refused.status == 2
    assert "agent.md" in refused.err
    assert "Nothing was written" in refused.err
    assert target.read_text() == "mine"
    assert here.run("export", "agent-file", "--to", str(target), "--force").status == 0
    assert target.read_text() == agent_file(load_roster(), load_steps())
    assert (here.root / "roundtable-questions.md").read_text() == questions_file(load_steps())
    assert here.run("export", "agent-file", "--to", str(target)).status == 0, "the same text again is fine"


def test_the_name_of_the_second_file_is_not_taken_for_the_first(here: CommandLine) -> None:
    ran = here.run("export", "agent-file", "--to", str(here.root / "roundtable-questions.md"))
    assert ran.status == 2 and "Nothing was written" in ran.err
    assert not (here.root / "roundtable-questions.md").exists()


@pytest.mark.parametrize(
    ("host", "shared"), [("codex", ".codex/config.toml"), ("cursor", ".cursor/mcp.json")]
)
def test_a_configuration_with_other_servers_stays_as_it_is(host: str, shared: str, here: CommandLine) -> None:
    path = here.root / shared
    path.parent.mkdir()
    path.write_text("others live here")
    ran = here.run("export", host, "--force")
    assert ran.status == 0
    assert path.read_text() == "others live here"
    assert f"{shared} exists and was not changed. It needs this:" in ran.out
    assert "roundtable" in ran.out.split("It needs this:")[1]


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ("claude-code", ".mcp.json"),
        ("codex", ".codex/config.toml"),
        ("cursor", ".cursor/mcp.json"),
        ("gemini", "gemini-extension.json"),
    ],
)
def test_a_host_starts_the_server_of_this_project_from_anywhere(
    host: str, file: str, here: CommandLine, tmp_path: Path
) -> None:
    here.run("add", "Offline forms")
    here.run("export", host, "--to", str(tmp_path / "out"))
    text = (tmp_path / "out" / file).read_text()
    servers = tomllib.loads(text)["mcp_servers"] if file.endswith(".toml") else json.loads(text)["mcpServers"]
    command = [servers["roundtable"]["command"], *servers["roundtable"]["args"]]
    assert Path(command[0]).is_absolute() and command[-1] == "mcp"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "msgspec.py").write_text("raise SystemExit('a file of the project was imported')")
    ran = subprocess.run(
        [*command[:-1], "list"], cwd=elsewhere, env={"HOME": str(tmp_path)}, capture_output=True, text=True
    )
    assert ran.returncode == 0 and "offline-forms" in ran.stdout, ran.stderr


@pytest.mark.parametrize(
    ("host", "check"),
    [("claude-code", ("claude", "plugin", "validate")), ("gemini", ("gemini", "extensions", "validate"))],
)
@pytest.mark.skipif(not CLIENTS.exists(), reason="the clients are missing: .ci/run installs them")
def test_the_client_itself_finds_no_fault(
    host: str, check: tuple[str, ...], here: CommandLine, tmp_path: Path
) -> None:
    here.run("export", host, "--to", str(tmp_path / "out"))
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"}
    ran = subprocess.run(
        [CLIENTS / check[0], *check[1:], tmp_path / "out"], env=env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("host", ["claude-code", "gemini"])
def test_nothing_is_written_to_a_folder_that_the_project_links_to(
    host: str, here: CommandLine, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (here.root / f"roundtable-{host}").symlink_to(outside)
    ran = here.run("export", host)
    assert ran.status == 2
    assert "is a link that leads elsewhere. Nothing was written." in ran.err
    assert list(outside.iterdir()) == []
