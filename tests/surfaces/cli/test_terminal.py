"""At a terminal: a prompt, no echo, a choice of items, and a way out with Ctrl-C and Ctrl-D."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from commandline import SLUG, CommandLine, command_line

REMOVED = "-- We go with the queue: reason not given"
SAID = "Inspectors save a form in a basement."


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    monkeypatch.setenv("ROUNDTABLE_PANEL", "offline")  # what this machine has is offered to nobody
    found.add()
    return found


class Terminal:
    """A command that runs in a terminal of its own."""

    def __init__(self, cli: CommandLine, *arguments: str) -> None:
        self.process: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "roundtable", *arguments],
            cwd=str(cli.root),
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 300),
        )

    def expect(self, text: str) -> str:
        """Wait for a text; what came before it is returned."""
        self.process.expect_exact(text)
        before: str = self.process.before or ""
        return before

    def end(self) -> tuple[int | None, str]:
        self.process.expect(pexpect.EOF)
        rest: str = self.process.before or ""
        self.process.close()
        return self.process.exitstatus, rest


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.process.close(force=True)


def test_the_prompt_stands_where_the_user_is_heard_and_words_are_not_repeated(
    cli: CommandLine, terminals: list[Terminal]
) -> None:
    terminal = Terminal(cli, "analyze", "--plain")
    terminals.append(terminal)
    before = terminal.expect("\r\n\r\n> ")
    assert before.startswith("Maya Chen: Hi, I'm Maya, your Business Analyst.")
    assert "\x1b" not in before
    terminal.process.sendline(SAID)
    assert terminal.expect("\r\n\r\n> ").count(SAID) == 1
    terminal.process.sendeof()
    status, rest = terminal.end()
    assert status == 0
    assert rest.strip() == f"Paused; everything is saved. Go on with: roundtable analyze {SLUG}"


def test_ctrl_c_ends_it_with_everything_saved(cli: CommandLine, terminals: list[Terminal]) -> None:
    terminal = Terminal(cli, "analyze", "--plain")
    terminals.append(terminal)
    terminal.expect("> ")
    terminal.process.sendline(SAID)
    terminal.expect("\r\n\r\n> ")
    terminal.process.sendintr()
    status, rest = terminal.end()
    assert status == 130
    assert rest.endswith(f"Interrupted. Everything is saved. Go on with: roundtable analyze {SLUG}\r\n")
    assert "Traceback" not in rest
    again = Terminal(cli, "analyze", "--plain")
    terminals.append(again)
    assert f": {SAID}\r\n" in again.expect("> ")


def test_a_closed_terminal_is_a_hangup(cli: CommandLine, terminals: list[Terminal]) -> None:
    terminal = Terminal(cli, "analyze", "--plain")
    terminals.append(terminal)
    terminal.expect("> ")
    terminal.process.sendline(SAID)
    terminal.expect("\r\n\r\n> ")
    terminal.process.close(force=False)
    resumed = cli.run("analyze", "--json", answers=[])
    assert resumed.status == 0
    assert SAID in [line["text"] for line in resumed.lines if line["kind"] == "resume"]


def test_json_at_a_terminal_is_json_alone(cli: CommandLine, terminals: list[Terminal]) -> None:
    terminal = Terminal(cli, "analyze", "--json")
    terminals.append(terminal)
    before = terminal.expect('"awaits": "answer"}\r\n')
    assert all(line.startswith('{"seq": ') for line in before.split("\r\n"))


@pytest.mark.parametrize("choice", ["2", SLUG])
def test_where_several_items_are_open_the_user_chooses(
    cli: CommandLine, terminals: list[Terminal], choice: str
) -> None:
    cli.add("Another one")
    terminal = Terminal(cli, "analyze", "--plain")
    terminals.append(terminal)
    assert "2  offline-forms  Offline forms" in terminal.expect("Which one? ")
    for nonsense in ("9", "0", "nobody"):
        terminal.process.sendline(nonsense)
        assert f'No item is called "{nonsense}".' in terminal.expect("Which one? ")
    terminal.process.sendline(choice)
    terminal.expect("> ")
    terminal.process.sendeof()
    status, rest = terminal.end()
    assert status == 0
    assert rest.endswith(f"roundtable analyze {SLUG}\r\n")


def test_no_choice_is_a_usage_error_and_ctrl_c_an_interrupt(
    cli: CommandLine, terminals: list[Terminal]
) -> None:
    cli.add("Another one")
    for leave, expected in (("sendeof", 2), ("sendintr", 130)):
        terminal = Terminal(cli, "analyze", "--plain")
        terminals.append(terminal)
        terminal.expect("Which one? ")
        getattr(terminal.process, leave)()
        status, rest = terminal.end()
        assert status == expected
        assert "Traceback" not in rest


@pytest.mark.rule("GREET-6")
def test_a_discussion_that_was_cut_off_is_offered_again(cli: CommandLine, terminals: list[Terminal]) -> None:
    cli.run("analyze", answers=["I don't know"] * 4)
    while "00-01" not in cli.run("status", SLUG, "--json").json["steps_completed"]:
        assert cli.run("analyze", answers=["I don't know"]).status == 0
    cli.run("elaborate", SLUG, "--step", "00-01", answers=[])
    terminal = Terminal(cli, "elaborate", SLUG, "--step", "00-01", "--plain")
    terminals.append(terminal)
    before = terminal.expect("> ")
    assert "The discussion of step 00-01 was cut off at turn 3 of 10." in before
    assert "[W] Wrap up" in before
    terminal.process.sendline("w")
    terminal.expect("Nobody answered")
    terminal.expect("[E] Elaboration Mode")


def test_an_item_is_deleted_after_a_yes_and_kept_after_anything_else(
    cli: CommandLine, terminals: list[Terminal]
) -> None:
    for answer, status, said in (
        ("", 2, "Nothing was deleted."),
        ("maybe", 2, "Nothing was deleted."),
        ("Yes", 0, f"Deleted {SLUG}."),
    ):
        assert cli.item.is_dir()
        terminal = Terminal(cli, "remove", SLUG)
        terminals.append(terminal)
        terminal.expect("This deletes offline-forms (Offline forms) with 2 documents. Go on? y/N: ")
        terminal.process.sendline(answer)
        ended, rest = terminal.end()
        assert (ended, rest.strip()) == (status, said if answer == "" else f"{answer}\r\n{said}")
    assert not cli.item.exists()


@pytest.mark.rule("MENU-7")
def test_undo_says_what_would_go_and_asks_first(cli: CommandLine, terminals: list[Terminal]) -> None:
    cli.run("analyze", answers=["I don't know"] * 3 + ["E", "We go with the queue.", "done"])
    document = cli.item / "quick-scan.md"
    written = document.read_text()
    assert "We go with the queue" in written
    for answer, status, said in (
        ("", 2, "Nothing was taken back."),
        ("y", 0, "Took back the discussion of step 00-01"),
    ):
        assert document.read_text() == written
        terminal = Terminal(cli, "undo")
        terminals.append(terminal)
        told = terminal.expect("Go on? y/N: ")
        assert told.startswith(f"This takes the discussion of step 00-01 out of {SLUG}:")
        assert "- We go with the queue: reason not given" in told
        terminal.process.sendline(answer)
        ended, rest = terminal.end()
        assert ended == status
        assert said in rest
    assert "We go with the queue" not in document.read_text()


@pytest.mark.rule("MENU-7")
def test_undo_of_a_discussion_without_entries_says_so(cli: CommandLine, terminals: list[Terminal]) -> None:
    cli.run("analyze", answers=["I don't know"] * 3 + ["E", "done"])
    terminal = Terminal(cli, "undo")
    terminals.append(terminal)
    told = " ".join(terminal.expect("Go on? y/N: ").split())
    assert told == f"This takes the discussion of step 00-01 out of {SLUG}: (it has no entries there)"
    terminal.process.sendline("y")
    assert terminal.end()[0] == 0


@pytest.mark.rule("MENU-7")
def test_long_results_go_to_the_pager_and_a_diff_is_coloured(
    cli: CommandLine, terminals: list[Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("PAGER", "sed s/^/:/")
    monkeypatch.delenv("NO_COLOR", raising=False)
    cli.run("analyze", answers=["I don't know"] * 3 + ["E", "We go with the queue.", "done"])

    def see(*arguments: str) -> str:
        terminals.append(Terminal(cli, *arguments))
        return terminals[-1].end()[1].replace("\r\n", "\n")

    assert see("show", SLUG, "draft.md").startswith(":# Offline forms\n")
    assert see("show", SLUG, "draft.md", "--plain").startswith("# Offline forms\n")
    diff = see("undo", "--dry-run")
    assert f":\x1b[31m{REMOVED}\x1b[0m\n" in diff
    assert ":\x1b[36m@@" in diff
    assert f"\n{REMOVED}\n" in see("undo", "--dry-run", "--plain")
    monkeypatch.setenv("NO_COLOR", "1")
    assert f":{REMOVED}\n" in see("undo", "--dry-run")
    assert f"\n{REMOVED}\n" in cli.run("undo", "--dry-run").out
    monkeypatch.setenv("PAGER", "less '")
    assert see("show", SLUG, "draft.md").startswith("# Offline forms\n")


@pytest.mark.rule("ART-9")
def test_questions_asks_which_one_to_answer_until_enter_leaves(
    cli: CommandLine, terminals: list[Terminal]
) -> None:
    document = cli.item / "requirements-spec.md"
    document.write_text(
        "# Requirements\n\n## 1. Scope\n\n- Open question: Who pays?\n- Open question: When?\n"
    )
    terminal = Terminal(cli, "questions")
    terminals.append(terminal)
    for number, answer, left in (("2", "In May", "1. Who pays?"), ("1", "The city", "No question is open.")):
        terminal.expect("Answer which one? (Enter leaves): ")
        if number == "2":
            terminal.process.sendline("3")
            terminal.expect("Error: 3 is not in the range 0<=x<=2.")
        terminal.process.sendline(number)
        terminal.expect("Answer (Enter leaves): ")
        terminal.process.sendline(answer)
        terminal.expect("Answered in requirements-spec.md: ")
        terminal.expect(left)
    assert terminal.end()[0] == 0
    assert document.read_text().count("In May") == document.read_text().count("The city") == 1


def test_an_answer_goes_only_to_the_question_that_was_shown(
    cli: CommandLine, terminals: list[Terminal]
) -> None:
    document = cli.item / "requirements-spec.md"
    document.write_text(
        "# Requirements\n\n## 1. Scope\n\n- Open question: Who pays?\n- Open question: When?\n"
    )
    terminals.append(Terminal(cli, "questions"))
    terminals[0].expect("(Enter leaves): ")
    terminals[0].process.sendline("1")
    terminals[0].expect("Answer (Enter leaves): ")
    changed = document.read_text().replace("- Open question: Who pays?\n", "")
    document.write_text(changed)
    terminals[0].process.sendline("The city")
    status, rest = terminals[0].end()
    assert (status, document.read_text()) == (2, changed)
    assert "The questions have changed meanwhile. Nothing was changed." in rest


@pytest.mark.parametrize("typed", [("",), ("1", "")])
def test_no_answer_to_a_question_changes_nothing(
    cli: CommandLine, terminals: list[Terminal], typed: tuple[str, ...]
) -> None:
    document = cli.item / "requirements-spec.md"
    document.write_text("# Requirements\n\n## 1. Scope\n\n- Open question: Who pays?\n")
    before = document.read_bytes()
    terminal = Terminal(cli, "questions", SLUG)
    terminals.append(terminal)
    for words in typed:
        terminal.expect("(Enter leaves): ")
        terminal.process.sendline(words)
    assert terminal.end()[0] == 0
    assert document.read_bytes() == before
