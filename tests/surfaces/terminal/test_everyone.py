"""For everyone: plain lines, no colours, few signs, a first run, a window that rewraps, and the shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.store.meta import change_meta
from roundtable.store.transcript import list_transcripts
from tools.example import EXAMPLE
from tools.pseudo_terminal import PseudoTerminal

Opens = Callable[..., PseudoTerminal]
COLOUR = re.compile(r"\x1b\[[0-9;]*(?<![0-9])(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m")
STREAMING = Path(__file__).parents[2] / "streaming.py"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.delenv("NO_COLOR", raising=False)
    return command_line(tmp_path, monkeypatch)


@pytest.fixture
def opened(cli: CommandLine) -> Iterator[Opens]:
    terminals: list[PseudoTerminal] = []

    def start(*arguments: str, **more: Any) -> PseudoTerminal:
        terminals.append(PseudoTerminal(arguments or ("analyze",), root=cli.root, **more))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.process.close(force=True)


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("analyze", "--plain"), {}),
        (("analyze",), {"TERM": "dumb"}),
        (("analyze",), {"TERM": "linux"}),
        (("analyze",), {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
    ],
)
def test_plain_lines_hold_no_escape_sequence(
    cli: CommandLine, opened: Opens, arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    cli.add()
    terminal = opened(*arguments, environment=environment)
    terminal.see("\r\n> ")
    terminal.keys("\x04")
    assert terminal.end() == 0
    assert "Maya Chen: Hi, I'm Maya" in terminal.output
    assert "\x1b" not in terminal.output


def test_no_color_is_heeded(cli: CommandLine, opened: Opens) -> None:
    cli.add()
    outputs = []
    for environment in ({"NO_COLOR": "1"}, {}):
        terminal = opened(environment=environment)
        terminal.listen()
        outputs.append(terminal.output)
        terminal.keys("\x04")
        assert terminal.end() == 0
    assert not COLOUR.search(outputs[0])
    assert COLOUR.search(outputs[1])


# --- the first run ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "slug"), [("", "renew-loans-by-text-message"), ("Export as PDF", "export-as-pdf")]
)
def test_a_first_run_says_what_it_makes_and_gets_to_the_first_question(
    cli: CommandLine, opened: Opens, words: str, slug: str
) -> None:
    began = time.monotonic()
    terminal = opened(columns=120)
    terminal.see("or press Enter to try the example: Renew loans by text message.")
    assert str(cli.root / "docs" / "requirements") in terminal.words()
    terminal.see("\r\n› ")
    terminal.keys(f"{words}\r")
    terminal.see(f"Added {slug}.")
    terminal.see("Step 00-01: Scope Estimation")
    terminal.listen()
    assert time.monotonic() - began < 30
    assert [path.name for path in cli.root.iterdir()] == ["docs"]
    draft = cli.root / "docs" / "requirements" / slug / "draft.md"
    if words:
        assert draft.read_text().startswith("# Export as PDF\n")
    else:
        example = EXAMPLE / "project" / "docs" / "requirements" / slug
        assert draft.read_text() == (example / "draft.md").read_text()


def test_a_first_run_may_be_left(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.see("\r\n› ")
    terminal.keys("\x04")
    assert terminal.end() == 2
    assert list(cli.root.iterdir()) == []
    again = opened()
    again.see("\r\n› ")
    again.keys("\x03")
    assert again.end() == 130


def test_words_that_steer_do_not_become_the_first_item(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.see("Ctrl-D leaves.")
    for words in ("?", "/help"):
        terminal.see("\r\n› ")
        terminal.keys(f"{words}\r")
        terminal.see("Enter alone starts the example")
    terminal.see("\r\n› ")
    terminal.keys("quit\r")
    assert terminal.end() == 2
    assert list(cli.root.iterdir()) == []


# --- the review -------------------------------------------------------------------------------------------


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize("arguments", [(), ("--plain",)])
def test_entries_are_dropped_and_edited_before_anything_is_written(
    cli: CommandLine, opened: Opens, arguments: tuple[str, ...]
) -> None:
    cli.add()
    (cli.item / "quick-scan.md").write_text("# Quick Scan\n\n## 1. Scope\n\nForms in basements.\n")
    change_meta(cli.item, lambda meta: meta["steps_completed"].append("00-01"))
    terminal = opened("elaborate", SLUG, "--step", "00-01", *arguments)
    prompt = "\r\n> " if arguments else ""

    def say(words: str, then: str) -> None:
        terminal.see(prompt) if prompt else terminal.listen()
        terminal.keys(f"{words}\r")
        terminal.see(then)

    say("We go with the queue on the device.", "We go with the queue on the device.")
    say("Remember that the forms are signed by two persons.", "signed by two persons.")
    say("done", "Nothing is written yet.")
    listed = re.findall(r"(\d+)\. (.+)", terminal.shown)
    assert (cli.item / "quick-scan.md").read_text().count("Elaboration") == 0
    decision = next(number for number, text in listed if "queue on the device" in text)
    other = next(number for number, text in listed if "signed by two" in text)
    say(f"edit {decision} The queue lives on the device", "The queue lives on the device")
    say(f"drop {other}", "Nothing is written yet.")
    say("drop 999", "There is no such entry.")
    say("?", "I did not understand that. Nothing is written yet.")  # and what can be typed here
    say("", "Updated quick-scan.md")
    terminal.see("[E]" if arguments else "E Elaboration")
    document = (cli.item / "quick-scan.md").read_text()
    assert "- The queue lives on the device" in document
    assert "signed by two persons" not in document
    transcript = list_transcripts(cli.item)[-1].read_text()
    struck = transcript.partition("### Struck or reworded before it was written")[2]
    assert "signed by two persons" in struck
    assert "We go with the queue on the device" in struck


# --- a window that rewraps --------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux rewraps lines as real terminals do")
def test_a_terminal_that_rewraps_its_lines_keeps_no_remains_of_the_desk(
    cli: CommandLine, tmp_path: Path
) -> None:
    cli.add()
    change_meta(cli.item, lambda meta: meta["steps_completed"].append("00-01"))
    (cli.item / "quick-scan.md").write_text("# Quick Scan\n\n## 1. Scope\n\nForms.\n")
    command = [sys.executable, str(STREAMING), str(cli.root), SLUG, "00-01"]
    environment = {
        **os.environ,
        "TMUX_TMPDIR": str(tmp_path),
        "PYTHONPATH": str(STREAMING.parent),
        "TERM": "xterm",
    }
    environment.pop("TMUX", None)

    def tmux(*arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-f", os.devnull, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def see(text: str) -> str:
        limit = time.monotonic() + 60
        while text not in (shown := tmux("capture-pane", "-p", "-S", "-200")):
            assert time.monotonic() < limit, shown
            time.sleep(0.05)
        return shown

    tmux("new-session", "-d", "-x", "100", "-y", "30", *command)
    try:
        see("word20")
        # tmux tells the program its new width a little later: the last line ends where it is cut by then.
        for columns, end in (("60", "Quick Scan"), ("100", "Offline forms"), ("45", "step 1/2")):
            tmux("resize-window", "-x", columns, "-y", "30")
            see(f" · {end}\n")
        (cli.root / "go").touch()
        shown = see("\n  turn 3 of 10 · step 1/24 ")  # the program listens
    finally:
        tmux("kill-server")
    text = " ".join(shown.split())
    assert text.count("Remark 2 by Alex") == text.count("Remark 3 by Jordan") == 1
    assert text.count("step 1/24") == 1


# --- without a terminal, and around it --------------------------------------------------------------------

IMPORTED = """
import sys
from roundtable.surfaces.cli.main import main
status = main(sys.argv[1:])
print(sorted({"prompt_toolkit", "rich"} & set(sys.modules)), status, file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--version"], ["status"], ["analyze"], ["analyze", "--json"]])
def test_without_a_terminal_nothing_for_terminals_is_imported(cli: CommandLine, arguments: list[str]) -> None:
    cli.add()
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], cwd=cli.root, input="", capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == "[] 0"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_its_completion_script(cli: CommandLine, shell: str) -> None:
    made = cli.call(env={**os.environ, "_ROUNDTABLE_COMPLETE": f"{shell}_source"})
    assert made.status == 0
    assert f"_ROUNDTABLE_COMPLETE={shell}_complete" in made.out


def test_items_are_completed(cli: CommandLine) -> None:
    cli.add()
    asked = {
        "_ROUNDTABLE_COMPLETE": "bash_complete",
        "COMP_WORDS": "roundtable analyze off",
        "COMP_CWORD": "2",
    }
    done = cli.call(env={**os.environ, **asked})
    assert done.out.strip() == f"plain,{SLUG}"


def test_only_plain_names_are_completed(cli: CommandLine) -> None:
    cli.add()
    for name in ("$(touch marker)", "`touch marker`", "a;b", "a b", "a'b", "a&b", "-x", "..x", "Loan_2.b-c"):
        folder = cli.item.parent / name
        folder.mkdir()
        (folder / "draft.md").write_text("# x\n")
    asked = {"_ROUNDTABLE_COMPLETE": "bash_complete", "COMP_WORDS": "roundtable analyze ", "COMP_CWORD": "2"}
    done = cli.call(env={**os.environ, **asked})
    assert done.out.split() == ["plain,Loan_2.b-c", f"plain,{SLUG}"]
