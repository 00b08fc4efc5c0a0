"""Models on the command line: what is configured, what it may cost, and how it fails."""

from __future__ import annotations

import json
import os
import shlex
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from commandline import SLUG, CommandLine, command_line
from roundtable.settings import user_file
from roundtable.store import ledger
from roundtable.store.ledger import LedgerEntry

CANARY = "sk-canary-0123456789abcdef"
ENTRY = LedgerEntry(
    "2026-02-20T14:30:00.000Z", "m", "contribution", "01-03", 1, 1_200, 80, 1_000, 0, False, "0.0042", "1"
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    for name in (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "ROUNDTABLE_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    return command_line(tmp_path, monkeypatch)


class Server(BaseHTTPRequestHandler):
    """Lists its models to whoever has the key; sends others away, one of them to another address."""

    seen: list[tuple[str, str]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization", "")))
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", "/v1/models")
        else:
            self.send_response(200 if self.headers.get("Authorization") != "Bearer wrong-key-1" else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    Server.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def findings(cli: CommandLine, *arguments: str) -> list[tuple[str, str, bool]]:
    found = cli.run("doctor", "--json", *arguments).json["findings"]
    return [(each["name"], each["found"], each["sound"]) for each in found]


def _own_settings(text: str) -> None:
    """Write the user's own settings."""
    own = user_file(os.environ)
    assert own is not None
    own.parent.mkdir(parents=True)
    own.write_text(text)


def test_doctor_says_who_speaks(cli: CommandLine) -> None:
    assert ("panel", "offline: needs no network and no key", True) in findings(cli)
    assert ("panel", "model: no model is named", False) in findings(cli, "--panel", "model")
    found = findings(cli, "--model", "anthropic:claude-x")
    assert ("model", "anthropic:claude-x: has no key; set ANTHROPIC_API_KEY", False) in found
    assert cli.run("doctor", "--model", "anthropic:claude-x").status == 2


def test_doctor_names_every_model_of_a_chain(cli: CommandLine) -> None:
    _own_settings(
        'model = ["openai:x", "oracle", "command:no-such-program -x", "offline"]\n'
        "[budget]\nturns = 8\ntokens = 60000\n"
    )
    found = findings(cli)
    assert ("model", "openai:x: has no key; set OPENAI_API_KEY", False) in found
    assert any(name == "model" and "There is no model 'oracle'" in text for name, text, _ in found)
    assert ("model", "command:no-such-program: there is no such program to run", False) in found
    assert ("model", "offline: needs no network and no key", True) in found


def test_doctor_asks_a_server_only_whether_it_answers_and_sends_no_key(
    cli: CommandLine, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = address.removeprefix("http://")
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("ROUNDTABLE_API_KEY", "own-key-12")
    own = ["--model", "qwen", "--base-url", f"{address}/v1"]
    assert ("model", f"qwen at {host}: {host} answers", True) in findings(cli, *own)
    assert Server.seen == [("/v1", "")]


def test_doctor_takes_its_key_nowhere(
    cli: CommandLine, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTABLE_API_KEY", "own-key-12")
    findings(cli, "--model", "qwen", "--base-url", f"{address}/moved")
    assert {key for _, key in Server.seen} == {""}


def test_doctor_says_what_cannot_be_reached(cli: CommandLine) -> None:
    found = findings(cli, "--model", "qwen", "--base-url", "http://127.0.0.1:9/v1")
    assert ("model", "qwen at 127.0.0.1:9: 127.0.0.1:9 cannot be reached", False) in found


def test_doctor_names_a_program_without_its_arguments(cli: CommandLine) -> None:
    python = shlex.quote(sys.executable)
    ran = cli.run("doctor", "--model", f"command:{python} --api-key {CANARY} --user=hunter2")
    assert f"command:{Path(sys.executable).name}: runs " in ran.out
    assert CANARY not in ran.out + ran.err
    assert "hunter2" not in ran.out + ran.err


@pytest.mark.parametrize(
    "address", ["http://h:99999/v1", "http://[::1", "http://u:hunter2@/v1", "http://u:hunter2@h/v1"]
)
@pytest.mark.parametrize("words", [("doctor",), ("analyze", SLUG)])
def test_an_address_that_cannot_be_used_is_wrong_usage(
    cli: CommandLine, address: str, words: tuple[str, ...]
) -> None:
    cli.add()
    ran = cli.run(*words, "--model", "qwen", "--base-url", address, "--debug")
    assert ran.status == 2
    assert "--base-url must " in ran.err
    assert "hunter2" not in ran.out + ran.err


def test_what_a_projects_file_would_run_or_send_is_neither_run_nor_sent(
    cli: CommandLine, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli.add()
    marker = tmp_path / "marker"
    monkeypatch.setenv("ROUNDTABLE_API_KEY", CANARY)
    (cli.root / "roundtable.toml").write_text(
        f'model = "command:sh -c \'AUTH=1; touch {marker}\'"\nbase_url = "{address}/v1"\n'
    )
    answers = ["The inspector waits in the basement without any signal at all."] * 12
    for ran in (
        cli.run("doctor"),
        cli.run("models", "test", "--yes"),
        cli.run("analyze", SLUG, answers=answers),
    ):
        assert "roundtable.toml, line 1: model is ignored." in ran.out + ran.err
        assert "roundtable.toml, line 2: base_url is ignored." in ran.out + ran.err
    assert not marker.exists()
    assert Server.seen == []


def test_a_command_that_cannot_be_read_is_one_finding_among_others(cli: CommandLine) -> None:
    _own_settings('model = ["command:llm \'x", "offline"]\n')
    found = findings(cli)
    told = "The command after command: has a quotation mark without its partner."
    assert ("model", told, False) in found
    assert ("model", "offline: needs no network and no key", True) in found


def test_doctor_asks_no_model(cli: CommandLine, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    program = tmp_path / "model.py"
    program.write_text(f"open({str(asked)!r}, 'a').write('x'); print('ready')")
    model = f"command:{shlex.join([sys.executable, str(program)])}"
    assert findings(cli, "--model", model)
    assert not asked.exists()
    assert 'answered "ready" with ' in cli.run("models", "test", model, "--yes").out
    assert asked.read_text() == "x"


def test_status_tells_what_was_spent_in_all_and_by_discussion(cli: CommandLine) -> None:
    cli.add()
    folder = cli.root / "docs" / "requirements" / SLUG
    assert cli.run("status", SLUG, "--json").json["spent"] is None
    ledger.append(folder, ENTRY)
    ledger.append(folder, LedgerEntry("", "m", "draft", "00-01", None, 300, 20, 0, 0, True, None, "2"))
    report = cli.run("status", SLUG, "--json").json
    schema = Path(__file__).parents[3] / "docs" / "schemas" / "status.schema.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(report)
    figures = {
        "calls": 1, "input_tokens": 1_200, "output_tokens": 80, "cached_tokens": 1_000, "estimated": False,
    }  # fmt: skip
    assert report["spent"] == {
        "calls": 2, "input_tokens": 1_500, "output_tokens": 100, "cached_tokens": 1_000, "estimated": True,
        "money": "0.0042", "elaborations": [{"number": 1, "step": "01-03", **figures, "money": "0.0042"}],
    }  # fmt: skip
    shown = cli.run("status", SLUG).out
    assert "spent   2 calls, about 1,500 tokens in (1,000 cached), 100 out, $0.004" in shown


def test_a_model_that_is_none_is_wrong_usage(cli: CommandLine) -> None:
    cli.add()
    ran = cli.run("analyze", SLUG, "--model", "oracle", answers=[])
    assert ran.status == 2
    assert ran.err.startswith("There is no model 'oracle'.")
    ran = cli.run("analyze", SLUG, "--panel", "model", answers=[])
    assert (ran.status, ran.err.split(":")[0]) == (2, "The model panel needs a model")


@pytest.mark.rule("FAIL-1")
def test_a_missing_key_is_status_3_and_says_which(cli: CommandLine) -> None:
    cli.add()
    answers = ["The inspector waits in the basement without any signal at all."] * 12
    ran = cli.run("analyze", SLUG, "--model", "anthropic:claude-x", answers=answers)
    assert ran.status == 3
    assert "anthropic:claude-x has no key." in ran.err
    assert "Set ANTHROPIC_API_KEY" in ran.out
    assert "roundtable analyze" in ran.err


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("debug", [[], ["--debug"]])
def test_a_key_is_in_no_message_and_no_traceback(
    cli: CommandLine, address: str, monkeypatch: pytest.MonkeyPatch, debug: list[str]
) -> None:
    for name in ("OPENAI_API_KEY", "ROUNDTABLE_API_KEY"):
        monkeypatch.setenv(name, CANARY)
    cli.add()
    answers = ["The inspector waits in the basement without any signal at all."] * 12
    ran = cli.run("analyze", SLUG, "--model", "qwen", "--base-url", f"{address}/v1", *debug, answers=answers)
    assert ran.status == 3
    assert CANARY not in ran.out + ran.err
    assert ("Traceback" in ran.err) is bool(debug)
    assert [
        path for path in cli.root.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()
    ] == []


def test_an_unexpected_error_shows_no_key_either(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtable.surfaces.cli import program
    from roundtable.surfaces.cli.program import Command

    def fail() -> None:
        raise ValueError(f"bad key {CANARY}")

    monkeypatch.setitem(program.cli.commands, "list", Command("list", callback=fail))
    assert CANARY not in cli.run("list").err
    debug = cli.run("list", "--debug").err
    assert CANARY not in debug
    assert "[hidden]" in debug


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("anthropic:x", "anthropic:x: has no key; set ANTHROPIC_API_KEY. See roundtable doctor.\n"),
        (
            "command:no-such-program-here",
            "command:no-such-program-here: there is no such program to run. See",
        ),
    ],
)
def test_what_a_model_lacks_is_said_before_the_first_question(
    cli: CommandLine, model: str, said: str
) -> None:
    cli.add()
    ran = cli.run("analyze", "--model", model, answers=[])
    assert ran.status == 3  # a model drafts the step before the first question, and this one cannot
    assert ran.err.startswith(said)
    assert "Step 00-01" in ran.out


def test_what_a_model_lacks_is_said_before_anything_else(cli: CommandLine) -> None:
    said = "anthropic:x: has no key; set ANTHROPIC_API_KEY. See roundtable doctor.\n"
    for words in (["analyze"], ["analyze", "nothing"], ["elaborate", "--step", "01-01"]):
        ran = cli.run(*words, "--model", "anthropic:x", answers=[])
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith(said)
        assert ran.err != said
