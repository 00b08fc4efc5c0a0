"""`analyze` and `elaborate` without a terminal: lines out, messages in, and where it goes on."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.catalogue import load_roster
from roundtable.store.lock import item_lock

FIELDS = ["seq", "kind", "state", "speaker", "turn", "text"]
# Two questions need no more than two answers each; what is left over is used further on.
ANSWERS = ["Inspectors save a form in a basement.", "Photos stay out.", "A customer asked last week."] * 2


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


def test_json_lines_have_exactly_the_promised_fields_and_count_from_one(cli: CommandLine) -> None:
    ran = cli.run("analyze", SLUG, "--json", answers=ANSWERS)
    assert ran.status == 0
    assert ran.err == ""
    assert [line["seq"] for line in ran.lines] == list(range(1, len(ran.lines) + 1))
    for line in ran.lines:
        listens = line["kind"] == "listen"
        assert list(line) == ([*FIELDS, "awaits"] if listens else FIELDS)
        assert isinstance(line["text"], str)
        assert not listens or line["awaits"] in ("answer", "menu", "discussion", "exit", "choice")
    assert ran.kinds[0] == "greeting"
    assert ran.kinds[-2:] == ["listen", "paused"]
    assert ran.lines[-1]["text"].endswith(f"Go on with: roundtable analyze {SLUG}")


def test_the_way_to_go_on_names_the_project_that_the_command_named(cli: CommandLine) -> None:
    ran = cli.run("analyze", SLUG, "--json", "--root", ".", answers=ANSWERS)
    assert ran.lines[-1]["text"].endswith(f"Go on with: roundtable analyze {SLUG} --root .")


def test_the_way_to_go_on_names_the_speaker_that_the_command_named(cli: CommandLine) -> None:
    chosen = ["--panel", "offline", "--model", "ollama:m", "--base-url", "http://localhost:1/v1"]
    ran = cli.run("analyze", SLUG, "--json", *chosen, answers=ANSWERS)
    assert ran.lines[-1]["text"].endswith(f"Go on with: roundtable analyze {SLUG} {' '.join(chosen)}")


def test_the_way_to_go_on_never_names_a_key(cli: CommandLine) -> None:
    chosen = ["--panel", "offline", "--model", "command:talk --key sk-canary-0123456789abcdef"]
    ran = cli.run("analyze", SLUG, "--json", *chosen, answers=ANSWERS)
    assert "command:talk --key" in ran.lines[-1]["text"]
    assert "canary" not in ran.out


def test_every_message_is_asked_for_and_echoed_as_typed(cli: CommandLine) -> None:
    ran = cli.run("analyze", "--json", answers=["Inspectors save  a \x1b[31mform\x1b[0m. \xe9\U0001f600"])
    said = [line for line in ran.lines if line["speaker"] == "user"]
    assert [line["text"] for line in said] == ["Inspectors save  a form. \xe9\U0001f600"]
    assert ran.lines[said[0]["seq"] - 2]["kind"] == "listen"
    assert ran.kinds.count("listen") == 2


def test_a_command_in_a_pipe_is_answered_and_is_no_answer(cli: CommandLine) -> None:
    commands = ["/help", "/transcript", "/transcript 1", "/turns 12"]
    ran = cli.run("analyze", "--json", answers=[*commands, "/login", "/quit", "never read"])
    assert ran.status == 0
    _, *notices = [line["text"] for line in ran.lines if line["kind"] == "notice"]
    assert len(notices) == len(commands)
    assert "/transcript" in notices[0] and "There is: none yet;" in notices[1]
    assert [line["text"] for line in ran.lines if line["speaker"] == "user"] == ["/login"]
    assert ran.kinds[-2:] == ["listen", "paused"]
    assert ran.kinds.count("listen") == len(commands) + 2


def test_every_discussion_of_the_item_can_be_read_by_its_number(cli: CommandLine) -> None:
    (cli.item / "elaborations").mkdir()
    for name, text in (("01-01-2.md", "the second"), ("01-01-10.md", "the tenth")):
        (cli.item / "elaborations" / name).write_text(text)
    shown = ["the tenth", "the second", "the tenth", "There is no such transcript to show. There is: 1, 2."]
    assert (
        ask_at_menu(cli, "/transcript", "/transcript 1", "/transcript 2", "/transcript 0000000019") == shown
    )


def ask(cli: CommandLine, *words: str) -> list[str]:
    """Return the answers to commands."""
    ran = cli.run("analyze", "--json", answers=words)
    return [line["text"] for line in ran.lines if line["kind"] == "notice"]


def ask_at_menu(cli: CommandLine, *words: str) -> list[str]:
    """Return the answers to commands at the menu of the first step, which is complete."""
    cli.run("analyze", answers=ANSWERS[:2])
    return ask(cli, *words)


def test_who_is_at_the_table_is_said_with_roles_and_lenses(cli: CommandLine) -> None:
    (answer,) = ask_at_menu(cli, "/who")
    lenses = {persona.name: ", ".join(persona.lens) for persona in load_roster(cli.root).personas}
    assert [" ".join(row.split()) for row in answer.splitlines()[:3]] == [
        f"Maya Chen Business Analyst, leads: {lenses['Maya Chen']}",
        f"Alex Rivera Solutions Architect: {lenses['Alex Rivera']}",
        f"Jordan Park System Designer: {lenses['Jordan Park']}",
    ]


def test_every_step_is_listed_with_its_state(cli: CommandLine) -> None:
    here, skipped = ask_at_menu(cli, "/steps", "S", "/steps")[::3]
    states = [{row[:5]: row.rpartition("  ")[2] for row in each.splitlines()[1:]} for each in (here, skipped)]
    assert [states[0][step] for step in ("00-01", "00-02", "01-01")] == ["here", "ahead", "ahead"]
    assert [states[1][step] for step in ("00-01", "00-02", "01-01")] == ["done", "skipped", "here"]


def test_a_document_is_shown_as_it_stands(cli: CommandLine) -> None:
    own, named, missing = ask_at_menu(cli, "/artifact", "/artifact quick-scan.md", "/artifact draft.md")
    assert own == named == (cli.item / "quick-scan.md").read_text()
    assert missing == "There is no such document to show. There is: quick-scan.md."


def test_what_was_written_last_is_shown_as_a_diff(cli: CommandLine) -> None:
    section, *_, feedback = ask_at_menu(cli, "/diff", "The office may be offline too.", "/diff")
    assert "--- a/quick-scan.md" in section
    assert f"+**Afterwards**: {ANSWERS[0]}" in section
    added = [row for row in feedback.splitlines() if row[0] in "+-" and row[:3] not in ("+++", "---")]
    assert any("The office may be offline too." in row for row in added)
    assert ANSWERS[0] not in "".join(added)
    document = cli.item / "quick-scan.md"
    document.write_text(document.read_text().replace("office", "van"))
    edited, nothing = ask(cli, "/diff", "C", "/diff")
    assert edited.startswith("quick-scan.md was edited since")
    assert nothing == "Nothing was written since this step was opened."


def test_the_depth_is_shown_and_changed(cli: CommandLine) -> None:
    before, after = ask_at_menu(cli, "/depth", "/depth deep", "/depth")
    assert before.startswith("The depth is standard.") and after.startswith("The depth is deep.")
    assert json.loads((cli.item / "meta.json").read_text())["depth_overrides"] == {"00-quick-scan": "deep"}


def test_who_speaks_is_said_with_the_command_that_changes_it(cli: CommandLine) -> None:
    panel, model, copied = ask_at_menu(cli, "/panel", "/model", "/copy")
    assert panel == model
    assert panel.startswith("offline gives the personas their words.")
    assert f"roundtable analyze {SLUG} --model NAME" in panel
    assert copied.startswith("Nothing was copied")


def test_each_run_goes_on_where_the_last_one_stopped_and_counts_anew(cli: CommandLine) -> None:
    first = cli.run("analyze", SLUG, "--json", answers=["Inspectors save a form in a basement."])
    again = cli.run("--json", "analyze", SLUG, answers=[])
    assert again.lines[0]["seq"] == 1
    assert again.kinds[-1] == "paused"
    assert ("resume", "Inspectors save a form in a basement.") in [
        (line["kind"], line["text"]) for line in again.lines
    ]
    asked = [line["text"] for line in first.lines if line["kind"] == "question"]
    assert [line["text"] for line in again.lines if line["kind"] == "question"][-1] == asked[-1]


def test_plain_lines_have_a_blank_line_between_and_the_user_is_named(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Inspectors save a form in a basement."
    monkeypatch.setenv("ROUNDTABLE_USER_NAME", "Ada")
    ran = cli.run("analyze", SLUG, "--plain", answers=[said])
    shown = ran.out.split("\n\n")
    assert ran.err == ""
    assert shown[0].startswith("Maya Chen: Hi, I'm Maya, your Business Analyst. ")
    assert shown[2] == "Maya Chen (Business Analyst) -- Step 00-01: Scope Estimation"
    assert shown[4] == f"Ada: {said}"
    assert shown[-1] == f"Paused; everything is saved. Go on with: roundtable analyze {SLUG}\n"
    assert ">" not in ran.out
    assert "\x1b" not in ran.out


def test_a_user_without_a_name_is_called_you(cli: CommandLine) -> None:
    assert "\n\nYou: I don't know\n\n" in cli.run("analyze", answers=["I don't know"]).out


def test_silence_is_not_shown_as_words(cli: CommandLine) -> None:
    assert "You: \n" not in cli.run("analyze", answers=[""] * 12).out


@pytest.mark.rule("MENU-5")
def test_elaborate_refuses_a_step_that_is_not_complete_or_not_there(cli: CommandLine) -> None:
    for step in ("00-01", "77-77", "x"):
        ran = cli.run("elaborate", SLUG, "--step", step, answers=[])
        assert (ran.status, ran.out) == (2, "")
        assert f"tep {step}" in ran.err
    assert cli.run("elaborate", SLUG).status == 2


@pytest.mark.rule("MENU-5", "GREET-6")
def test_elaborate_discusses_a_completed_step_and_status_sees_it_while_it_is_open(cli: CommandLine) -> None:
    cli.run("analyze", answers=ANSWERS[:3])
    while "00-01" not in cli.run("status", SLUG, "--json").json["steps_completed"]:
        assert cli.run("analyze", answers=["I don't know"]).status == 0
    ran = cli.run("elaborate", SLUG, "--step", "00-01", "--json", answers=[])
    assert ran.status == 0
    assert ran.kinds[-1] == "paused"
    turns = [line["turn"] for line in ran.lines if line["kind"] == "contribution"]
    assert turns == [1, 2, 3]
    assert ran.lines[-1]["text"].endswith(f"roundtable elaborate {SLUG} --step 00-01")
    before = {path: path.read_bytes() for path in (cli.item / ".journal").iterdir()}
    assert cli.run("status", SLUG, "--json").json["discussion"] == {
        "step": "00-01",
        "turn": 3,
        "max_turns": 10,
    }
    assert "discussion  step 00-01, turn 3 of 10\n" in cli.run("status", SLUG).out
    assert {path: path.read_bytes() for path in (cli.item / ".journal").iterdir()} == before
    said = ["Two of the tablets are shared between shifts.", "done"]
    over = cli.run("elaborate", SLUG, "--step", "00-01", "--json", answers=said)
    assert {"synthesis", "update", "saved", "menu"} <= set(over.kinds)
    found = cli.run("status", SLUG, "--json").json
    assert (found["discussion"], found["elaborations"]) == (None, 1)
    assert cli.run("show", SLUG, "transcript", "1").out.startswith("<!-- Transcript: step 00-01")


def test_status_passes_over_a_journal_that_does_not_read_and_leaves_it(cli: CommandLine) -> None:
    cli.run("analyze", answers=[])
    journal = next((cli.item / ".journal").glob("*.jsonl"))
    journal.write_bytes(journal.read_bytes() + b'{"torn')
    torn = journal.read_bytes()
    assert cli.run("status", SLUG, "--json").json["discussion"] is None
    journal.with_name("99.jsonl").write_bytes(b"nonsense\n")
    assert cli.run("status", SLUG, "--json").json["discussion"] is None
    assert journal.read_bytes() == torn
    assert journal.with_name("99.jsonl").read_bytes() == b"nonsense\n"


# --- which item -----------------------------------------------------------------------------------------


def test_without_an_item_the_one_that_is_open_is_analysed(cli: CommandLine) -> None:
    done = cli.add("Done already")
    meta = json.loads((done / "meta.json").read_text()) | {"analysis_status": "analyzed"}
    (done / "meta.json").write_text(json.dumps(meta))
    assert cli.run("analyze", "--json", answers=[]).lines[-1]["text"].endswith(f"analyze {SLUG}")


def test_without_an_item_and_with_several_open_ones_they_are_listed(cli: CommandLine) -> None:
    cli.add("Another \x1b[31mone")
    ran = cli.run("analyze", answers=[])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "Name one of these items:\n"
        "   item           title\n"
        "1  another-one    Another one\n"
        "2  offline-forms  Offline forms\n"
    )


def test_without_any_item_it_says_how_to_add_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "none").mkdir()
    ran = command_line(tmp_path / "none", monkeypatch).run("analyze", answers=[])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "There is no item yet. Add one with: roundtable add 'what it is about'\n"


# --- starting over, locks, corrupt files ----------------------------------------------------------------


@pytest.mark.rule("META-1")
@pytest.mark.parametrize(
    "data",
    [b"", b"[", b"[]", b"7", b'{"a": NaN}', b"[" * 100_000, b'{"a": "\xff"}'],
    ids=["empty", "torn", "array", "number", "NaN", "nested", "not UTF-8"],
)
def test_a_corrupt_file_stops_the_analysis_until_it_is_set_aside(cli: CommandLine, data: bytes) -> None:
    (cli.item / "meta.json").write_bytes(data)
    ran = cli.run("analyze", SLUG, answers=[])
    assert (ran.status, ran.out) == (4, "")
    assert "--start-over" in ran.err
    assert (cli.item / "meta.json").read_bytes() == data
    again = cli.run("analyze", SLUG, "--start-over", "--json", answers=[])
    assert again.status == 0
    assert again.kinds[0] == "greeting"
    aside = list(cli.item.glob("meta.json.corrupt-*"))
    assert [path.read_bytes() for path in aside] == [data]
    assert aside[0].name in again.err


def test_starting_over_forgets_what_is_complete_and_keeps_everything_else(cli: CommandLine) -> None:
    path = cli.item / "meta.json"
    before = json.loads(path.read_text()) | {
        "steps_completed": ["00-01"],
        "phases_completed": ["00-quick-scan"],
        "elaborations": [{"step_id": "00-01"}],
        "mine": 1,
    }
    path.write_text(json.dumps(before))
    ran = cli.run("analyze", SLUG, "--start-over", "--json", answers=[])
    assert ran.status == 0
    assert "step" in ran.kinds
    after = json.loads(path.read_text())
    assert after == before | {"steps_completed": [], "phases_completed": [], "analysis_status": "raw"}


@pytest.mark.parametrize("more", [(), ("--start-over",)])
def test_an_item_in_use_is_refused_and_its_holder_named(cli: CommandLine, more: tuple[str, ...]) -> None:
    before = (cli.item / "meta.json").read_bytes()
    with item_lock(cli.item):
        ran = cli.call("analyze", SLUG, *more)
    assert (ran.status, ran.out) == (4, "")
    assert ran.err.startswith(f"{SLUG} is in use by process ")
    assert (cli.item / "meta.json").read_bytes() == before


# --- a disk and a folder that do not play along ---------------------------------------------------------


def test_a_full_disk_is_said_and_nothing_is_lost(cli: CommandLine) -> None:
    cli.run("analyze", answers=["Inspectors save a form in a basement."])
    size = max(path.stat().st_size for path in cli.item.rglob("*.jsonl"))

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))

    ran = cli.call("analyze", "--json", said=b"Photos stay out.\n" * 20, preexec_fn=fill)
    assert ran.status == 1
    assert ran.err.startswith("Could not ")
    assert ran.err.count("\n") == 1
    again = cli.run("analyze", "--json", answers=[])
    assert again.status == 0
    resumed = [line["text"] for line in again.lines if line["kind"] == "resume"]
    assert "Inspectors save a form in a basement." in resumed


def test_a_folder_that_was_renamed_meanwhile_is_said_and_nothing_is_lost(cli: CommandLine) -> None:
    with cli.spawn("analyze", "--json") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b'"kind": "listen"' in line:
                break
        cli.item.rename(cli.item.with_name("renamed"))
        _, err = process.communicate(b"Inspectors save a form.\n", timeout=60)
    assert process.returncode == 1
    assert b"If the item was renamed or moved, use its new name." in err
    assert cli.run("analyze", "renamed", "--json", answers=[]).status == 0
    assert not cli.item.exists()


def test_a_folder_of_any_name_is_an_item_and_its_command_can_be_typed(cli: CommandLine) -> None:
    home = os.fsencode(cli.item.parent)
    for name in (b"My item; rm -rf", b"bad\xff\x1b[31mred"):
        os.mkdir(home + b"/" + name)  # noqa: PTH102
        Path(os.fsdecode(home + b"/" + name + b"/notes.md")).write_text("# Notes")
    assert "roundtable analyze 'My item; rm -rf'\n" in cli.run("status", "My item").out
    for wanted in ("my item", "bad"):
        ran = cli.run("analyze", wanted, "--json", answers=["I don't know"])
        assert (ran.status, ran.kinds[-1]) == (0, "paused")
        assert "\x1b" not in ran.out
