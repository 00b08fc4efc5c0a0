"""`models`: what is there, one small question after asking, and a choice that is kept."""

from __future__ import annotations

import os
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, command_line
from machine import Machine, make_machine
from roundtable.settings import user_file
from tools.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.rule("TABLE-4")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = make_machine(tmp_path)
    monkeypatch.setenv("PATH", str(made.programs))
    return made


def kept() -> dict[str, Any]:
    own = user_file(os.environ)
    assert own is not None
    file = own.with_name("panel.toml")
    return tomllib.loads(file.read_text()) if file.exists() else {}


def test_the_list_says_who_speaks_and_what_is_there(cli: CommandLine, machine: Machine) -> None:
    claude = machine.install("claude")
    ran = cli.run("models")
    assert ran.status == 0
    assert ran.out.startswith(" *  offline: built in. It is free. Nothing leaves this machine.\n")
    assert f"    claude: installed as {claude}. It counts against your own plan" in ran.out
    assert ran.out == cli.run("models", "list").out
    found = cli.run("models", "--json").json
    assert found["speaks"] == ["offline"]
    assert {"name": "claude", "how": f"installed as {claude}", "lacks": ""}.items() <= found["found"][
        0
    ].items()
    assert (machine.started, kept()) == ([], {})


def test_a_model_of_the_settings_is_listed_though_it_was_not_found(
    cli: CommandLine, machine: Machine
) -> None:
    machine.install("claude")
    ran = cli.run("models", "--model", "command:oracle --key secret-1")
    assert " *  command:oracle: named by you." in ran.out
    assert "secret-1" not in ran.out + ran.err
    ran = cli.run("models", "--model", "oracle")
    assert ran.err.startswith("There is no model 'oracle'.")
    assert ran.status == 0 and "claude: installed as" in ran.out


def test_a_choice_is_kept_and_speaks(cli: CommandLine, machine: Machine) -> None:
    claude = machine.install("claude")
    ran = cli.run("models", "use", "claude")
    assert ran.status == 0
    assert ran.out.startswith(
        "claude speaks from now on. It counts against your own plan or account there. What "
    )
    assert kept()["panel"] == "model"
    assert shlex.split(kept()["model"].removeprefix("command:"))[0] == str(claude)
    assert machine.started == []
    assert cli.run("models", "--json").json["speaks"] == ["claude"]
    assert cli.run("models", "use", "offline").status == 0
    assert kept()["panel"] == "offline"
    assert cli.run("models", "--json").json["speaks"] == ["offline"]


@pytest.mark.parametrize(
    ("words", "model", "base_url"),
    [
        (["anthropic:x"], "anthropic:x", None),
        (["ollama:llama3.2"], "ollama:llama3.2", None),
        (["command:llm -m x"], "command:llm -m x", None),
        (["qwen", "--base-url", "http://localhost:8080/v1"], "qwen", "http://localhost:8080/v1"),
    ],
)
def test_any_name_of_the_settings_can_be_used(
    cli: CommandLine, machine: Machine, words: list[str], model: str, base_url: str | None
) -> None:
    assert cli.run("models", "use", *words).status == 0
    assert (kept()["panel"], kept()["model"], kept().get("base_url")) == ("model", model, base_url)
    assert machine.started == []


def test_what_is_no_model_is_refused_and_what_is_stronger_is_said(
    cli: CommandLine, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install("codex")
    ran = cli.run("models", "use", "oracle")
    assert (ran.status, kept()) == (2, {})
    assert "There is no model 'oracle'." in ran.err
    assert "Found here: codex" in ran.err
    monkeypatch.setenv("ROUNDTABLE_MODEL", "ollama:x")
    ran = cli.run("models", "use", "codex")
    assert ran.status == 0
    assert ran.out.startswith("codex is kept in ") and ran.out.endswith(" or cannot be read.\n")


def test_it_is_said_when_the_users_own_file_names_another_model(cli: CommandLine, machine: Machine) -> None:
    own = user_file(os.environ)
    assert own is not None
    own.parent.mkdir(parents=True)
    own.write_text('model = "ollama:x"\n')
    ran = cli.run("models", "use", "ollama:y")
    assert ran.status == 0
    assert ran.out.endswith(
        f"but does not speak: your environment or {own} names another one or cannot be read.\n"
    )
    assert cli.run("models", "--json").json["speaks"] == ["ollama:x"]
    own.unlink()
    ran = cli.run("models", "use", "ollama:y")
    assert ran.out.startswith("ollama:y speaks from now on.")


def test_a_test_asks_once_and_only_with_a_yes(cli: CommandLine, machine: Machine) -> None:
    machine.install("llm")
    ran = cli.run("models", "test", "llm")
    assert ran.status == 2
    assert ran.err.startswith("llm is asked one short question. It counts against your own plan")
    assert "Nothing was sent. Give --yes to do it." in ran.err
    assert machine.started == []
    ran = cli.run("models", "test", "llm", "--yes")
    assert (ran.status, ran.out.startswith('llm answered "ready" with ')) == (0, True)
    assert len(machine.started) == 1


def test_a_test_without_a_name_asks_the_model_that_speaks(cli: CommandLine, machine: Machine) -> None:
    ran = cli.run("models", "test", "--yes")
    assert (ran.status, ran.err.split(",")[0]) == (2, "No model is chosen")
    ran = cli.run("models", "test", "--yes", "--model", "command:no-such-program")
    assert ran.status == 3
    assert "command:no-such-program cannot be used" in ran.out
    program = machine.install("llm")
    cli.run("models", "use", f"command:{program}")
    (tested,) = cli.run("models", "test", "--yes", "--json").json
    assert (tested["name"], tested["sound"]) == ("llm", True)
    assert tested["answer"].startswith('answered "ready" with ')


@pytest.mark.parametrize(("key", "status", "started"), [("\r", 2, 0), ("y\r", 0, 1)])
def test_at_a_terminal_it_is_asked_first(
    cli: CommandLine, machine: Machine, key: str, status: int, started: int
) -> None:
    machine.install("llm")
    terminal = PseudoTerminal(("models", "test", "llm"), root=cli.root, columns=300)
    terminal.see("Nothing from your project is sent. Go on? y/N")
    assert machine.started == []
    terminal.keys(key)
    assert terminal.end() == status
    assert len(machine.started) == started
