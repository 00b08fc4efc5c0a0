"""The first analysis at a terminal: what the machine has is offered once, and nothing is sent before."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import SLUG, CommandLine, command_line
from machine import TAGS, Machine, ModelServer, make_machine, serve_models
from roundtable.settings import user_file
from tools.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.rule("TABLE-4")

WATCHED = Path(__file__).parents[2] / "watched.py"
QUESTION = "Number, or Enter:"
FIRST = "Step 00-01"
Opens = Callable[..., PseudoTerminal]


def squeeze(text: str) -> str:
    """Return a text without blanks, as it can be looked for across broken lines."""
    return "".join(text.split())


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = make_machine(tmp_path)
    monkeypatch.setenv("PATH", str(made.programs))
    monkeypatch.setenv("no_proxy", "*")
    return made


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serve_models({"/api/tags": TAGS}) as served:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{served.port}")
        yield served


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "watched.log"


@pytest.fixture
def opened(cli: CommandLine, log: Path) -> Iterator[Opens]:
    terminals: list[PseudoTerminal] = []

    def start(*arguments: str, **environment: str) -> PseudoTerminal:
        terminals.append(
            PseudoTerminal(
                arguments or ("analyze", "--plain"),
                root=cli.root,
                environment={"ROUNDTABLE_PANEL": "", **environment},
                program=(str(WATCHED), str(log)),
                columns=400,
            )
        )
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.process.close(force=True)


def own_file() -> Path:
    own = user_file(os.environ)
    assert own is not None
    return own


def kept_file() -> Path:
    return own_file().with_name("panel.toml")


def watched(log: Path) -> tuple[set[tuple[Any, ...]], list[list[str]]]:
    """Return where the process connected to, and the programs that it started, git left out."""
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    connected = {tuple(where) for event, where in lines if event == "socket.connect"}
    started = [where for event, where in lines if event not in ("socket.connect", "socket.getaddrinfo")]
    return connected, [words for words in started if Path(words[0]).name != "git"]


def leave(terminal: PseudoTerminal) -> None:
    terminal.keys("\x04")
    assert terminal.end() == 0


def test_enter_stays_offline_and_nobody_is_asked_again(
    machine: Machine, server: ModelServer, opened: Opens, log: Path
) -> None:
    claude = machine.install("claude")
    terminal = opened()
    terminal.see(QUESTION)
    shown = squeeze(terminal.words())  # a long path is broken over two lines
    for text in (
        f"1 claude: installed as {claude}. It counts against your own plan or account there.",
        "What you say, the item, its documents, decisions of other items that bear on it "
        "and excerpts of code go to Anthropic.",
        f"2 ollama:llama3.2:latest: answers on 127.0.0.1:{server.port}. It is free.",
        "Nothing leaves this machine.",
    ):
        assert squeeze(text) in shown
    assert "cloud" not in shown
    terminal.keys("\r")
    terminal.see(FIRST)
    leave(terminal)
    assert kept_file().read_text().splitlines()[1:] == ['panel = "offline"']
    assert machine.started == []
    log.unlink()
    asked = len(server.requests)
    again = opened()
    again.see("> ")
    leave(again)
    assert QUESTION not in again.output
    assert watched(log) == (set(), [])
    assert len(server.requests) == asked


def test_before_the_choice_only_this_machine_is_asked_and_nothing_is_started(
    machine: Machine, server: ModelServer, opened: Opens, log: Path
) -> None:
    for name in ("claude", "codex", "llm", "gemini"):
        machine.install(name)
    terminal = opened(ANTHROPIC_API_KEY="secret-1", GEMINI_API_KEY="secret-2")
    terminal.see(QUESTION)
    connected, started = watched(log)
    assert ("127.0.0.1", server.port) in connected
    assert connected <= {("127.0.0.1", server.port), ("127.0.0.1", 1234), ("127.0.0.1", 8080)}
    assert started == []
    assert machine.started == []
    assert [path for path, _ in server.requests] == ["/api/tags"]
    assert not kept_file().exists()
    assert "secret" not in terminal.output


def test_the_chosen_model_speaks_and_is_kept_beside_what_the_user_wrote(
    machine: Machine, server: ModelServer, opened: Opens
) -> None:
    claude = machine.install("claude")
    written = 'user_name = "Ada"  # me\n\n[budget]\nturns = 8\n'
    own_file().parent.mkdir(parents=True)
    own_file().write_text(written)
    terminal = opened()
    terminal.see(QUESTION)
    terminal.keys("9\r")
    terminal.see("That is not in the list.")
    assert machine.started == []
    terminal.keys("1\r")
    terminal.see(FIRST)
    leave(terminal)
    assert all(words[0] == "claude" for words in machine.started)
    assert own_file().read_text() == written
    kept = tomllib.loads(kept_file().read_text())
    assert kept["panel"] == "model"
    assert shlex.split(kept["model"].removeprefix("command:"))[:2] == [str(claude), "-p"]
    assert [path for path, _ in server.requests] == ["/api/tags"]


def test_a_model_that_a_server_has_may_be_chosen(
    machine: Machine, opened: Opens, server: ModelServer
) -> None:
    machine.install("claude")
    terminal = opened()
    terminal.see(QUESTION)
    terminal.keys("2\r")
    terminal.see(FIRST)
    leave(terminal)
    kept = tomllib.loads(kept_file().read_text())
    address = f"http://127.0.0.1:{server.port}/v1"
    assert kept == {"panel": "model", "model": "llama3.2:latest", "base_url": address}
    assert machine.started == []


def test_a_hostile_project_changes_nothing(
    cli: CommandLine, machine: Machine, opened: Opens, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.port
    for folder in ("bin", "node_modules/.bin"):
        for name in ("claude", "codex"):
            machine.install(name, folder=cli.root / folder)
    path = os.pathsep.join([str(cli.root / "bin"), "node_modules/.bin", "", str(machine.programs)])
    monkeypatch.setenv("PATH", path)
    claude = machine.install("claude")
    (cli.root / "roundtable.toml").write_text(
        'panel = "model"\nmodel = "command:node_modules/.bin/claude"\n[budget]\nmoney = 900\n'
    )
    (cli.root / ".env").write_text("OLLAMA_HOST=192.0.2.1\nANTHROPIC_API_KEY=theirs\n")
    terminal = opened()
    terminal.see(QUESTION)
    shown = squeeze(terminal.words())  # a long path is broken over two lines
    for line, key in enumerate(("panel", "model", "budget"), start=1):
        assert squeeze(f"roundtable.toml, line {line}: {key} is ignored.") in shown
    assert squeeze(f"1 claude: installed as {claude}.") in shown
    assert "codex" not in shown
    assert "ANTHROPIC" not in shown
    terminal.keys("1\r")
    terminal.see(FIRST)
    leave(terminal)
    assert f"command:{claude} " in kept_file().read_text()
    assert not [words for words in machine.started if Path(words[1]).is_relative_to(cli.root)]


@pytest.mark.parametrize("way", ["flag", "model", "variable", "user", "project"])
def test_where_a_panel_is_named_nothing_is_looked_for(
    cli: CommandLine, machine: Machine, server: ModelServer, opened: Opens, log: Path, way: str
) -> None:
    machine.install("claude")
    arguments, environment = ["analyze", "--plain"], {}
    match way:
        case "flag":
            arguments += ["--panel", "offline"]
        case "model":
            arguments += ["--model", "command:claude"]
        case "variable":
            environment = {"ROUNDTABLE_PANEL": "offline"}
        case "user":
            own_file().parent.mkdir(parents=True)
            own_file().write_text('panel = "offline"\n')
        case _:
            (cli.root / "roundtable.toml").write_text('panel = "offline"\n')
    terminal = opened(*arguments, **environment)
    terminal.see(FIRST)
    leave(terminal)
    assert QUESTION not in terminal.output
    assert server.requests == []
    if way != "model":  # a model that is named drafts the first step
        assert watched(log) == (set(), [])
        assert machine.started == []


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--answers", "-"]])
def test_a_pipe_is_never_asked_and_stays_offline(
    cli: CommandLine, machine: Machine, server: ModelServer, log: Path, arguments: list[str]
) -> None:
    machine.install("claude")
    ran = subprocess.run(
        [sys.executable, str(WATCHED), str(log), "analyze", SLUG, *arguments],
        cwd=cli.root,
        input=b"1\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0
    assert QUESTION.encode() not in ran.stdout + ran.stderr
    assert watched(log) == (set(), [])
    assert (server.requests, machine.started) == ([], [])
    assert not kept_file().exists()


@pytest.mark.parametrize("arguments", [["--json"], ["--answers", "/dev/tty", "--plain"]])
def test_a_terminal_that_a_program_reads_is_not_asked(
    machine: Machine, server: ModelServer, opened: Opens, arguments: list[str]
) -> None:
    machine.install("claude")
    terminal = opened("analyze", *arguments)
    terminal.see(FIRST)
    leave(terminal)
    assert QUESTION not in terminal.output
    assert server.requests == []


def test_without_an_answer_nothing_is_kept(machine: Machine, opened: Opens) -> None:
    machine.install("claude")
    for key, status in (("\x03", 130), ("\x04", 0)):
        terminal = opened()
        terminal.see(QUESTION)
        terminal.keys(key)
        assert terminal.end() == status
        assert "Traceback" not in terminal.output
        assert not kept_file().exists()
    assert machine.started == []


def test_what_cannot_be_kept_counts_for_this_time(machine: Machine, opened: Opens) -> None:
    machine.install("claude")
    own_file().parent.parent.mkdir(parents=True, exist_ok=True)
    own_file().parent.write_text("a file where the folder should be\n")
    terminal = opened()
    terminal.see(QUESTION)
    terminal.keys("\r")
    terminal.see("Your choice is used this once.")
    terminal.see(FIRST)
    leave(terminal)
    assert own_file().parent.is_file()


def test_the_question_comes_before_the_roundtable_of_a_step_too(
    cli: CommandLine, machine: Machine, opened: Opens
) -> None:
    while "00-01" not in cli.run("status", SLUG, "--json").json["steps_completed"]:
        assert cli.run("analyze", answers=["I don't know"]).status == 0
    machine.install("codex")
    terminal = opened("elaborate", SLUG, "--step", "00-01", "--plain")
    terminal.see(QUESTION)
    terminal.keys("\r")
    terminal.see("ELABORATION MODE")
    leave(terminal)


def test_at_a_terminal_that_paints_the_question_comes_first(machine: Machine, opened: Opens) -> None:
    machine.install("claude")
    terminal = opened("analyze")
    terminal.see(QUESTION)
    terminal.keys("\r")
    terminal.see(FIRST)
    terminal.listen()
    leave(terminal)
    assert terminal.screen.trespasses == []
