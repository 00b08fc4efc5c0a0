"""A conversation in a real pseudo-terminal: what stands in the scrollback is what was said, and stays."""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyte
import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.store.meta import change_meta
from roundtable.store.transcript import list_transcripts
from streaming import REJECTED, contribution
from tools.pseudo_terminal import PseudoTerminal, Screen

Opens = Callable[..., PseudoTerminal]
STEP = "00-01"
DISCUSSION = (
    "Alex, what happens while the gateway is down?",
    "We go with the queue, because it survives a restart.",
    "",
    "done",
)
# Lines of the lead, which are no turns.
LINES = re.compile(
    r"Maya Chen \(Business Analyst\): (?:We are nearing the end|That is a great question for|Any thoughts|"
    r"Ada, any thoughts|\w+ \w+ raises an interesting point)"
)
STREAMING = Path(__file__).parents[2] / "streaming.py"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("ROUNDTABLE_REVIEW", "false")
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


@pytest.fixture
def at_menu(cli: CommandLine) -> CommandLine:
    """The first step is complete, and its menu is open."""
    assert cli.run("analyze", answers=["I don't know"] * 3).status == 0
    assert cli.run("status", SLUG, "--json").json["steps_completed"] == [STEP]
    return cli


@pytest.fixture
def opened(cli: CommandLine) -> Iterator[Opens]:
    terminals: list[PseudoTerminal] = []

    def start(*arguments: str, **more: Any) -> PseudoTerminal:
        terminals.append(PseudoTerminal(arguments or ("analyze",), root=cli.root, **more))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.process.close(force=True)


@pytest.fixture
def streamed(cli: CommandLine, opened: Opens) -> Opens:
    """A roundtable with a panel that streams, on a step that counts as complete."""
    change_meta(cli.item, lambda meta: meta["steps_completed"].append(STEP))
    (cli.item / "quick-scan.md").write_text("# Quick Scan\n\n## 1. Scope\n\nForms.\n")

    def start(**more: Any) -> PseudoTerminal:
        arguments = (str(STREAMING), str(cli.root), SLUG, STEP)
        environment = {"PYTHONPATH": str(STREAMING.parent)}
        return opened(*arguments, program=(), environment=environment, **more)

    return start


def plain(text: str) -> str:
    return " ".join(re.sub(r"[`*]", "", text).split())


def turns(item: Path) -> list[str]:
    """The turns of the last transcript, as `Name (Role): words`, in one line each."""
    text = list_transcripts(item)[-1].read_text()
    body = text.partition("## Discussion")[2].partition("## Synthesis")[0]
    parts = re.split(r'<a id="turn-\d+"></a>\n\*\*\d+\. (.+?)\*\*\n', body)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    words = ((name, re.sub(r"(?m)^> .*$", "", said)) for name, said in pairs)
    return [plain(f"{'Ada' if name == 'User' else name}: {text}").replace("\\", "") for name, text in words]


def reading(terminal: PseudoTerminal, end: str = "Elaboration Insights") -> str:
    """The discussion as it stands in the scrollback, in one line."""
    return terminal.words('Type "done" to end discussion early.', end).lstrip("- ")


# --- a whole elaboration ----------------------------------------------------------------------------------


@pytest.mark.rule("ENTRY-3", "LOOP-3", "SYN-6", "EXIT-3")
@pytest.mark.parametrize("columns", [100, 40])
def test_what_stands_in_the_scrollback_is_the_discussion_and_nothing_else(
    at_menu: CommandLine, opened: Opens, columns: int
) -> None:
    terminal = opened(columns=columns)
    terminal.say("E", *DISCUSSION)
    shown = reading(terminal)
    position = 0
    for turn in turns(at_menu.item):
        found = shown.find(turn, position)
        assert found >= 0, f"{turn}\n\nis not in\n\n{shown[position:]}"
        between = shown[position:found].strip()
        assert between == "" or LINES.match(between), between
        position = found + len(turn)
    ending = (
        shown[position:]
        .strip()
        .removeprefix(
            "Maya Chen (Business Analyst): We are nearing the end of our discussion time. "
            "Any final points before we synthesize? "
        )
        .removeprefix("Maya Chen (Business Analyst): Any thoughts on this, or should we wrap up? ")
    )
    assert ending in (
        "Ada: done Wrapping up the discussion. Let me synthesize our key points.",
        "Maya Chen (Business Analyst): We have had a thorough discussion. "
        "Let me synthesize the key points from our conversation.",
    )
    assert terminal.screen.trespasses == []
    assert max(len(line) for line in terminal.lines) <= columns
    assert "E Elaboration" in terminal.shown
    assert json.loads((at_menu.item / "meta.json").read_text())["elaborations"][0]["step_id"] == STEP
    terminal.keys("\x04")
    assert terminal.end() == 0
    assert f"Paused; everything is saved. Go on with: roundtable analyze {SLUG}" in terminal.words()


def test_a_newcomers_first_menu_says_once_what_e_does(at_menu: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("The office is offline too.")
    assert terminal.words().count("New here? E brings all personas to the table") == 1
    terminal.say("E", "done")
    terminal.keys("\x04")
    assert terminal.end() == 0
    assert "New here?" not in at_menu.run("analyze", answers=[]).out
    terminal = opened()
    terminal.see("E Elaboration")
    assert "New here?" not in terminal.words()


# --- words as they come -----------------------------------------------------------------------------------


@pytest.mark.rule("GREET-6", "VOICE-2")
def test_words_show_as_they_come_and_a_draft_that_is_rejected_leaves_nothing_behind(
    cli: CommandLine, streamed: Opens
) -> None:
    (cli.root / "reject-2").touch()
    terminal = streamed()
    terminal.see("Alex Rivera (Solutions Architect): That would delight")
    assert REJECTED not in terminal.shown
    terminal.see("Alex is speaking")
    (cli.root / "go-2").touch()
    terminal.see("Remark 3 by Jordan: word1 word2")
    (cli.root / "go").touch()
    terminal.listen()
    shown = reading(terminal, "turn 3 of 10")
    assert "delight" not in shown
    for number, name in ((2, "Alex"), (3, "Jordan")):
        # A bullet stands before each point, which the transcript has as markdown.
        words = plain(contribution(number, name).replace("\n- ", "\n• "))
        assert shown.count(words) == 1
    assert terminal.screen.trespasses == []
    assert terminal.output.count("\x1b[2J") == 0


@pytest.mark.rule("LOOP-2")
def test_ctrl_c_stops_the_speaker_and_keeps_what_was_said(cli: CommandLine, streamed: Opens) -> None:
    terminal = streamed()
    terminal.see("Remark 2 by Alex: word1 word2")
    terminal.keys("\x03")
    terminal.see("Stopped. Ctrl-C again leaves")
    (cli.root / "go").touch()
    terminal.listen()
    kept = re.search(
        r"Alex Rivera \(Solutions Architect\): (Remark 2 by Alex: .*? \.\.\.) ", terminal.words()
    )
    assert kept is not None
    assert "that was all" not in kept[1]
    terminal.say("done")
    terminal.listen()
    assert f"Alex Rivera (Solutions Architect): {kept[1]}" in turns(cli.item)
    assert terminal.screen.trespasses == []


@pytest.mark.rule("LOOP-1")
@pytest.mark.parametrize("is_silent", [True, False])
def test_a_speaker_is_stopped_in_order_to_speak_and_early_words_are_heard(
    cli: CommandLine, streamed: Opens, is_silent: bool
) -> None:
    if is_silent:
        (cli.root / "silent-2").touch()
    terminal = streamed()
    terminal.see("Alex is thinking" if is_silent else "Remark 2 by Alex: word1 word2")
    terminal.keys("What about IPv6?\r\x03")
    terminal.see("Ada: What about IPv6?")
    (cli.root / "go").touch()
    terminal.listen()
    terminal.say("done")
    terminal.listen()
    names = [turn.partition(":")[0] for turn in turns(cli.item)]
    before = ["Maya Chen (Business Analyst)", *([] if is_silent else ["Alex Rivera (Solutions Architect)"])]
    assert names[: len(before) + 1] == [*before, "Ada"]
    assert "Try again" not in terminal.shown


def test_a_window_that_changes_while_somebody_speaks_does_no_harm(cli: CommandLine, streamed: Opens) -> None:
    terminal = streamed()
    terminal.see("Remark 2 by Alex: word1 word2")
    for columns, number in ((50, 2), (120, 3)):
        terminal.resize(columns)
        (cli.root / f"go-{number}").touch()
    terminal.listen()
    shown = reading(terminal, "turn 3 of 10")
    for number, name in ((2, "Alex"), (3, "Jordan")):
        assert shown.count(plain(contribution(number, name).replace("\n- ", "\n• "))) == 1
    assert terminal.screen.trespasses == []


def test_words_that_are_typed_early_wait_and_enter_alone_says_nothing(
    cli: CommandLine, streamed: Opens
) -> None:
    terminal = streamed()
    terminal.see("Remark 2 by Alex: word1 word2")
    terminal.keys("\r\rJordan, is that so?\r")
    (cli.root / "go").touch()
    terminal.see("Remark 5 by Jordan: word1")
    terminal.see("turn 5 of 10")
    terminal.listen()
    shown = reading(terminal, "turn 5 of 10")
    assert shown.index("Remark 3 by Jordan") < shown.index("Ada: Jordan, is that so?")
    assert shown.count("Remark ") == 3


def test_messages_that_are_typed_ahead_stay_apart(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.keys("The first answer.\rThe second answer.\rC\r")
    terminal.see("E Elaboration Mode")
    terminal.see("› C")  # entered for a menu that nobody had seen: it waits in the line
    document = (cli.item / "quick-scan.md").read_text()
    assert ": The first answer.\n" in document and ": The second answer.\n" in document
    terminal.keys("\r")
    terminal.see("Step 00-02")


def test_a_screen_notices_whoever_paints_over_what_stands() -> None:
    for bytes_, noticed in (
        ("one\r\ntwo\r\n\x1b[Jdesk\r\x1b[Jthree\r\n\x1b[J", 0),
        ("one\r\n\x1b[Jdesk\x1b[1A", 1),
        ("one\r\n\x1b[Jdesk\x1b[2J", 1),
        ("one\r\n\x1b[Jdesk\x1b[1;1H", 1),
    ):
        screen = Screen(20, 10)
        pyte.Stream(screen).feed(bytes_)
        assert len(screen.trespasses) == noticed, bytes_


# --- leaving and coming back ------------------------------------------------------------------------------


@pytest.mark.rule("GREET-6")
def test_ctrl_c_twice_leaves_with_the_command_and_the_discussion_is_taken_up_again(
    at_menu: CommandLine, opened: Opens
) -> None:
    terminal = opened()
    terminal.say("E")
    terminal.keys("half a sentence")
    terminal.see("half a sentence")
    terminal.keys("\x03")
    terminal.see("Ctrl-C again leaves; everything is saved.")
    terminal.listen()
    terminal.keys("\x03")
    assert terminal.end() == 130
    assert f"Interrupted. Everything is saved. Go on with: roundtable analyze {SLUG}" in terminal.words()
    again = opened()
    again.listen()
    assert f"The discussion of step {STEP} was cut off at turn 3 of 10." in again.words()
    again.say("r", "Alex, is that all?", "done")
    assert len(turns(at_menu.item)) >= 5
    assert turns(at_menu.item)[3] == "Ada: Alex, is that all?"


def test_a_question_mark_in_a_discussion_is_no_turn(at_menu: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("E", "?", "Alex, is that all?", "done")
    assert "At any prompt: /help" in terminal.words()
    assert turns(at_menu.item)[3] == "Ada: Alex, is that all?"


def test_the_limit_is_raised_when_the_warning_comes(at_menu: CommandLine, opened: Opens) -> None:
    change_meta(at_menu.item, lambda meta: meta.update(elaboration_config={"max_turns": 5}))
    terminal = opened()
    terminal.say("E", "/turns", "/turns 9")
    assert "We are nearing the end of our discussion time." in terminal.words()
    assert "While a discussion is running, /turns 14 raises its turn limit." in terminal.words()
    assert "turn 3 of 9" in terminal.shown
    assert json.loads((at_menu.item / "meta.json").read_text())["elaboration_config"] == {"max_turns": 9}


# --- input ------------------------------------------------------------------------------------------------


def test_a_paste_of_200_lines_is_one_message_and_keeps_its_line_breaks(
    cli: CommandLine, opened: Opens
) -> None:
    terminal = opened()
    terminal.listen()
    lines = [f"line {number} of the paste" for number in range(1, 201)]
    terminal.keys(f"\x1b[200~{chr(13).join(lines)}\x1b[201~")
    terminal.see("line 200 of the paste")
    assert "Ada:" not in terminal.shown
    terminal.keys("\r")
    terminal.listen()
    shown = [line.strip() for line in terminal.lines]
    start = shown.index("› Ada: line 1 of the paste")
    assert shown[start + 1 : start + 200] == lines[1:]
    assert terminal.screen.trespasses == []
    journal = next((cli.item / ".journal").glob("*.jsonl")).read_text()
    assert json.dumps("\n".join(lines))[1:-1] in journal


def test_alt_enter_makes_a_line_and_what_was_said_can_be_read_again(
    at_menu: CommandLine, opened: Opens
) -> None:
    terminal = opened()
    terminal.say("E")
    terminal.keys("Alex, one\x1b\rtwo\r")
    terminal.see("› Ada: Alex, one")
    terminal.listen()
    assert "  two" in terminal.lines
    terminal.keys("/transcript\r")
    terminal.see("4. You:")
    assert terminal.screen.trespasses == []


@pytest.mark.rule("MENU-7", "STEP-4")
def test_tab_puts_the_draft_into_the_line_to_be_edited(cli: CommandLine, opened: Opens) -> None:
    (cli.item / "draft.md").write_text("# Offline forms\n\nForms should be kept\n")
    terminal = opened()
    terminal.see("Enter takes the draft.")
    terminal.listen()
    terminal.keys("\t and more\r")
    terminal.see("and more")
    terminal.listen()
    terminal.keys("quit\r")
    terminal.see("Go on with")
    journal = next((cli.item / ".journal").glob("*.jsonl")).read_text()
    assert "Forms should be kept and more" in journal


def test_tab_completes_commands_and_names_in_the_line(at_menu: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("E")
    terminal.keys("jo\t")
    terminal.see("› Jordan")
    terminal.keys(", or al\t")
    terminal.see("› Jordan, or Alex")
    terminal.keys("\x15/wh\t")
    terminal.see("› /who")
    terminal.keys("\r")
    terminal.see("the decisions are yours")
    terminal.listen()
    for keys, line in (("/\t", "/help"), ("\t", "/transcript")):
        terminal.keys(keys)
        terminal.see(f"› {line}")
    terminal.keys("\r")
    terminal.see("1. Maya Chen (Business Analyst): ")
    assert terminal.screen.trespasses == []


def test_the_last_contribution_is_put_on_the_clipboard(cli: CommandLine, streamed: Opens) -> None:
    (cli.root / "go").touch()
    terminal = streamed()
    terminal.listen()
    terminal.say("/copy")
    assert "The terminal was asked to copy: Remark 3 by Jordan" in terminal.words()
    (copied,) = re.findall(r"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", terminal.output)
    assert b64decode(copied).decode().strip() == contribution(3, "Jordan").strip()
    assert terminal.screen.trespasses == []


def test_what_was_said_can_be_recalled_and_long_answers_are_written_in_the_editor(
    cli: CommandLine, opened: Opens
) -> None:
    editor = """sh -c 'printf " and\\nin the editor" >> "$0"'"""
    terminal = opened(environment={"EDITOR": editor, "VISUAL": editor})
    terminal.say("Said in the prompt")
    terminal.keys("\x1b[A")
    terminal.see("› Said in the prompt")
    terminal.keys("\x18\x05")
    terminal.see("in the editor")
    terminal.keys("\r")
    terminal.listen()
    start = terminal.lines.index("› Ada: Said in the prompt and")
    assert terminal.lines[start + 1] == "  in the editor"


def test_what_was_said_can_be_recalled_in_the_next_session(cli: CommandLine, opened: Opens) -> None:
    first = opened()
    first.say("Said in the first session", "x")
    first.keys("\x04")
    assert first.end() == 0
    history = Path(os.environ["XDG_CONFIG_HOME"], "roundtable", "history")
    assert history.stat().st_mode & 0o077 == 0
    second = opened()
    second.listen()
    second.keys("\x1b[A")
    second.see("› Said in the first session")


def test_a_history_that_cannot_be_kept_is_no_error(cli: CommandLine, opened: Opens) -> None:
    Path(os.environ["XDG_CONFIG_HOME"], "roundtable", "history").mkdir(parents=True)
    for environment in ({}, {"XDG_CONFIG_HOME": str(cli.item / "draft.md")}):
        terminal = opened(environment=environment)
        terminal.say("Said in the prompt")
        terminal.keys("\x1b[A")
        terminal.see("› Said in the prompt")
        terminal.keys("\x03\x04")
        assert terminal.end() == 0


def test_a_closed_terminal_is_a_hangup(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("Inspectors save a form in a basement.")
    terminal.process.close(force=False)
    resumed = cli.run("analyze", "--json", answers=[])
    assert resumed.status == 0
    assert "Inspectors save a form in a basement." in [
        line["text"] for line in resumed.lines if line["kind"] == "resume"
    ]


@pytest.mark.rule("MENU-3", "MENU-4")
def test_a_letter_skips_the_remaining_steps(at_menu: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.listen()
    terminal.say("s", "")
    terminal.see("Skip the remaining steps in this phase?")
    assert "Skipping" not in terminal.shown
    terminal.say("s")
    terminal.keys("s\r")
    terminal.see("Skipping remaining steps in this phase.")
    assert terminal.screen.trespasses == []


def test_question_mark_and_commands_leave_a_quiet_trace(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("?", "/transcript", "/nonsense", "/Who")
    for text in (
        "At any prompt: /help",
        "/copy, /chair, /quit.",
        "For example:",
        "There is: none yet;",
        "There is no command /nonsense.",
        "There is no command /Who.",
    ):
        assert text in " ".join(terminal.shown.split())
    assert "\n› Ada: ?\n" in terminal.shown
    terminal.say("brief")
    assert "Got it, switching to brief mode." in terminal.words()
    terminal.keys("/quit\r")
    assert terminal.end() == 0


@pytest.mark.parametrize("no_color", ["", "1"])
def test_long_texts_go_to_the_pager_and_a_diff_is_coloured(
    at_menu: CommandLine, opened: Opens, no_color: str
) -> None:
    terminal = opened(rows=24, environment={"PAGER": "sed s/^/|/", "NO_COLOR": no_color})
    terminal.say("E", "We go with the queue.", "done")
    terminal.say("/diff", "/artifact quick-scan.md", "/transcript", "/who")
    for command in ("/diff", "/artifact quick-scan.md", "/transcript"):
        assert f"› Ada: {command}\n|" in terminal.shown
    assert "\n|  +#### Key Insights" in terminal.shown
    document = terminal.words("Ada: /artifact quick-scan.md").partition("Ada: /transcript")[0]
    assert "Key Insights" in document and "####" not in document  # it is rendered
    assert ("\x1b[32m+#### Key Insights" in terminal.output) is (no_color == "")
    assert "\n\n● Maya" not in terminal.words("Ada: /who")
    assert "|" not in terminal.words("Ada: /who")
    assert terminal.screen.trespasses == []


@pytest.mark.rule("MENU-7")
def test_back_offers_the_answer_to_edit_and_can_be_said_again(cli: CommandLine, opened: Opens) -> None:
    terminal = opened()
    terminal.say("Inspectors keep their forms")
    terminal.say("60 inspectors")
    terminal.say("back")
    terminal.see("Draft, from your answer: 60 inspectors")
    terminal.see("Tab puts the draft into the line")
    terminal.say("back")
    terminal.see("Draft, from your answer: Inspectors keep their forms")
    terminal.say("\t and photos")
    terminal.see("Ada: Inspectors keep their forms and photos")
