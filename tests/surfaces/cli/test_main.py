"""The entry point: options anywhere, help, exit statuses, and never a traceback unasked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import roundtable
from commandline import SLUG, CommandLine, command_line
from roundtable.content import read_tables
from roundtable.core import errors
from roundtable.settings import PANELS
from roundtable.surfaces.cli import program
from roundtable.surfaces.cli.program import Command


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


def test_without_arguments_it_shows_the_first_three_commands(cli: CommandLine) -> None:
    ran = cli.run()
    assert (ran.status, ran.err) == (0, "")
    for command in ('roundtable add "', "roundtable analyze ", "roundtable status "):
        assert command in ran.out
    assert ran.out == cli.run("--help").out == cli.run("-h").out


def test_commands_and_options_are_those_that_are_built() -> None:
    assert set(program.cli.list_commands(click.Context(program.cli))) == {
        "add", "analyze", "elaborate", "discuss", "list", "status", "show", "questions", "handoff", "check",
        "why", "undo", "rename", "remove", "personas", "steps", "models", "doctor", "serve", "mcp",
        "export",
    }  # fmt: skip
    for name in ("personas", "steps"):
        found = program.cli.get_command(click.Context(program.cli), name)
        assert found is not None
        [action] = [each for each in found.params if each.name == "action"]
        assert isinstance(action.type, click.Choice)
        assert tuple(action.type.choices) == ("list", "check")
    panel = next(option for option in program.cli.params if option.name == "panel")
    assert isinstance(panel.type, click.Choice)
    assert tuple(panel.type.choices) == PANELS


@pytest.mark.parametrize(
    ("command", "own"),
    [
        (["list"], {"--json"}),
        (["add"], {"--json", "--title"}),
        (["remove"], {"--json", "--yes"}),
        (["personas"], {"--json"}),
        (["models"], {"--json", "--base-url", "--yes"}),
        (["doctor"], {"--json", "--panel", "--model", "--base-url"}),
        (
            ["elaborate"],
            {"--json", "--plain", "--answers", "--panel", "--model", "--base-url", "--step"},
        ),
    ],
)
def test_the_help_of_a_command_shows_only_its_own_options(
    cli: CommandLine, command: list[str], own: set[str]
) -> None:
    shown = cli.run(*command, "--help").out
    assert set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", shown, re.MULTILINE)) == {*own, "--help"}
    everything = cli.run("--help").out
    assert all(option in everything for option in ("--root", "--model", "--answers", "--debug"))


@pytest.mark.parametrize(
    "arguments", [["--version"], ["status", "--version"], ["--json", "steps", "list", "--version"]]
)
def test_the_version_is_said_anywhere(cli: CommandLine, arguments: list[str]) -> None:
    ran = cli.run(*arguments)
    assert (ran.status, ran.out, ran.err) == (0, f"roundtable {roundtable.__version__}\n", "")


def test_options_may_stand_before_or_after_the_command(cli: CommandLine, tmp_path: Path) -> None:
    cli.add()
    other = tmp_path / "other"
    other.mkdir()
    for arguments in (["--root", str(other), "--json", "list"], ["list", "--json", "--root", str(other)]):
        assert cli.run(*arguments).json == []
    assert cli.run("--root", str(other), "list", "--json", "--root", ".").json != []
    nested = ["--json", "personas", "list"], ["personas", "--json", "list"], ["personas", "list", "--json"]
    assert len({cli.run(*arguments).out for arguments in nested}) == 1
    assert cli.run("personas", "list", "--json").json[0]["key"] == "business-analyst"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["analyze", "a", "b"],
        ["elaborate", "a"],
        ["add"],
        ["--panel", "oracle", "list"],
        ["--root"],
        ["list", "--root", "no such folder"],
        ["personas", "new"],
    ],
)
def test_wrong_usage_is_status_2_and_says_so_on_stderr(cli: CommandLine, arguments: list[str]) -> None:
    ran = cli.run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err
    assert "Traceback" not in ran.err


def test_every_text_of_the_help_belongs_to_a_command_and_is_shown(cli: CommandLine) -> None:
    for name, text in read_tables("terminal.toml")["help"].items():
        ran = cli.run(*([] if name == "roundtable" else [name]), "--help")
        assert ran.status == 0
        assert "".join(text.replace("\b", "").split()) in "".join(ran.out.split())


def test_help_says_what_post_does(cli: CommandLine) -> None:
    told = " ".join(cli.run("handoff", "--help").out.split())
    assert "With --post it shows the page, asks, and posts it as a comment on the item's issue" in told


def test_what_was_typed_never_reaches_the_terminal_raw(cli: CommandLine) -> None:
    ran = cli.run("no\x1b[31msuch\udcff")
    assert ran.status == 2
    assert ran.err.startswith("No such command 'no")
    assert not {"\x1b", "\udcff"} & set(ran.err)
    assert ran.err.endswith("More with: roundtable --help\n")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.RuleBroken("Not now."), 2),
        (errors.ItemUnknown("Nobody."), 2),
        (errors.ContentBroken("Nothing left."), 2),
        (errors.PanelFailed("No words."), 3),
        (errors.ItemLocked("In use."), 4),
        (errors.ItemCorrupt("Corrupt."), 4),
        (errors.DiskFailed("Full."), 1),
    ],
)
def test_every_error_of_ours_has_its_status_and_says_its_text(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    _raise(monkeypatch, error)
    ran = cli.run("list")
    assert (ran.status, ran.out, ran.err) == (status, "", f"{error}\n")
    assert "Traceback" in cli.run("list", "--debug").err


def test_every_kind_of_error_has_a_status() -> None:
    kinds = set(program.STATUSES)
    leaves = {errors.RuleBroken, *errors.OutsideFailure.__subclasses__()}
    assert kinds == leaves


@pytest.mark.parametrize(
    "error", [ValueError("a\x1b[31m\nb"), RecursionError(), MemoryError(), OSError(5, "x")]
)
def test_anything_else_is_status_1_with_a_hint_and_no_traceback(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    _raise(monkeypatch, error)
    ran = cli.run("list")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"Something unexpected happened ({type(error).__name__}")
    assert ran.err.endswith(
        "What was shown before it is saved. Run the same command with --debug to see where.\n"
    )
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
    debug = cli.run("--debug", "list")
    assert debug.status == 1
    assert "Traceback (most recent call last)" in debug.err


def test_an_interrupt_is_status_130(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    _raise(monkeypatch, KeyboardInterrupt())
    assert cli.run("list") == type(cli.run("list"))(130, "", "Interrupted.\n")


def _raise(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setitem(program.cli.commands, "list", Command("list", callback=fail))


# --- as a process ---------------------------------------------------------------------------------------


def test_an_installed_script_and_the_module_are_the_same(cli: CommandLine) -> None:
    assert cli.call("--version").out == f"roundtable {roundtable.__version__}\n"


@pytest.mark.parametrize("arguments", [["--version"], ["status"], ["list"]])
def test_light_commands_import_nothing_heavy(cli: CommandLine, arguments: list[str]) -> None:
    cli.add()
    code = (
        "import sys; from roundtable.surfaces.cli.main import main; main(sys.argv[1:]);"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    imported = set(ran.stderr.split())
    heavy = {"asyncio", "markdown_it", "textual", "rich", "httpx", "starlette", "uvicorn", "mcp", "openai"}
    heavy |= {"pydantic", "pydantic_ai", "anthropic", "genai_prices", "opentelemetry"}
    assert not heavy & imported
    if arguments != ["list"]:  # which asks how wide the terminal is
        assert not {"hashlib", "shutil"} & imported
    if arguments == ["--version"]:
        assert not {"yaml", "filelock", "tomllib", "subprocess"} & imported


@pytest.mark.parametrize("arguments", [["steps", "list"], ["analyze", SLUG], ["--help"]])
def test_a_reader_that_goes_away_is_no_error(cli: CommandLine, arguments: list[str]) -> None:
    cli.add()
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ran = cli.call(*arguments, stdout=writer)
    finally:
        os.close(writer)
    assert (ran.status, ran.err) == (0, "")


def test_piped_into_head_everything_is_saved(cli: CommandLine) -> None:
    cli.add()
    with cli.spawn("analyze", SLUG, "--json") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"Inspectors save a form.\n" * 3)
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""
    assert cli.run("analyze", SLUG, "--json", answers=[]).kinds[-1] == "paused"


def test_a_full_disk_behind_stdout_is_said(cli: CommandLine) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = cli.call("steps", "list", stdout=full)
    assert ran.status == 1
    assert ran.err.startswith("Could not write to the standard output: No space left on device.")


def test_closed_stdout_and_stderr_are_no_reason_to_fail(cli: CommandLine) -> None:
    def close() -> None:
        os.close(1)
        os.close(2)

    assert cli.call("list", stdout=None, stderr=None, preexec_fn=close).status == 0
    assert cli.call("nonsense", stdout=None, stderr=None, preexec_fn=close).status == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_title_can_be_printed_in_every_locale(cli: CommandLine, encoding: str) -> None:
    cli.add("Café – 日本")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    plain = cli.call("list", env=environment)
    assert plain.status == 0
    ran = cli.call("list", "--json", env=environment)
    assert ran.json[0]["title"] == "Café – 日本"


def test_the_help_of_add_and_analyze_names_the_tracks(cli: CommandLine) -> None:
    for name in ("add", "analyze"):
        words = " ".join(cli.run(name, "--help").out.split())
        assert all(track in words for track in ("feature", "bug fix", "small change")), words
