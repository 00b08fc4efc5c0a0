"""`roundtable why`: the turns and speakers behind a line, also after people moved or edited it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commandline import CommandLine, command_line
from roundtable import Project
from roundtable.core.errors import RuleBroken

EXAMPLE = Path(__file__).parents[1] / "docs" / "example"
SLUG, SPEC = "renew-loans", "requirements-spec.md"
DECISION = "We go with renewing only the titles of the message that was answered"
TRANSCRIPT = "elaborations/01-03-1.md"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    shutil.copytree(EXAMPLE, line.root / "docs" / "requirements" / SLUG)
    return line


def find_line(folder: Path, words: str, name: str = SPEC) -> int:
    lines = (folder / name).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


@pytest.fixture
def folder(cli: CommandLine) -> Path:
    return cli.root / "docs" / "requirements" / SLUG


def test_a_line_of_a_block_has_its_turns_and_speakers(cli: CommandLine, folder: Path) -> None:
    (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, 'we stop the messages')}")
    assert [(turn.number, turn.speaker) for turn in found.turns] == [(4, "User")]
    assert found.turns[0].text.startswith("Alex, option A: we stop the messages")
    assert found.origin == "Key Insights of the roundtable on step 01-03, 2026-02-20T10:00:00.000Z."
    assert (found.transcript, found.remarks) == (TRANSCRIPT, ())


def test_a_line_that_was_edited_says_so(cli: CommandLine, folder: Path) -> None:
    path = folder / SPEC
    path.write_text(path.read_text().replace("never all loans of the number", "not all loans of that number"))
    (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, DECISION)}")
    assert [turn.number for turn in found.turns] == [8]
    (remark,) = found.remarks
    assert remark.startswith("It was edited since. As it was written: ")
    assert "never all loans of the number" in remark


@pytest.mark.parametrize("edited", [False, True])
def test_a_line_that_was_moved_says_so(cli: CommandLine, folder: Path, edited: bool) -> None:
    path = folder / SPEC
    line = next(each for each in path.read_text().splitlines() if DECISION in each)
    text = path.read_text().replace(f"{line}\n", "- None\n")
    moved = line.replace("never all", "not all") if edited else line
    path.write_text(text.replace("## 4. Technical Context\n", f"## 4. Technical Context\n\n{moved}\n"))
    (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, DECISION)}")
    assert [turn.number for turn in found.turns] == [8]
    assert found.remarks[0].startswith("It stands outside of its block now")
    assert (len(found.remarks) == 2) == edited


def test_text_around_it_may_have_changed(cli: CommandLine, folder: Path) -> None:
    path = folder / SPEC
    path.write_text("Some words on top.\n\n" * 20 + path.read_text())
    (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, DECISION)}")
    assert ([turn.number for turn in found.turns], found.remarks) == ([8], ())


def test_what_was_added_to_a_block_by_hand_is_not_credited(cli: CommandLine, folder: Path) -> None:
    path = folder / SPEC
    path.write_text(
        path.read_text().replace("#### Decisions Made\n", "#### Decisions Made\n- Everything is free.\n")
    )
    (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, 'Everything is free')}")
    assert found.turns == ()
    assert found.remarks == ("The transcript does not have it: somebody added it since.",)


def test_other_lines_come_from_an_answer_a_step_feedback_or_a_hand(cli: CommandLine, folder: Path) -> None:
    own = Project(cli.root)

    def explain(words: str, name: str = SPEC) -> str:
        return own.explain(SLUG, f"{name}:{find_line(folder, words, name)}")[0].origin

    problem = "Is this the problem, as the person who reported it would describe it?"
    assert explain("**Problem**") == f'The answer to "{problem}", step 01-01 (Business Context Discovery).'
    assert explain("**AC-001-01**") == "Written by step 01-06 (Core Feature Definition)."
    assert explain("The children's cards", "design-summary.md") == (
        "The user's feedback on step 04-05, 2026-02-20T10:00:00.000Z."
    )
    (folder / SPEC).write_text((folder / SPEC).read_text() + "\n## Notes\n\nMine alone.\n")
    assert explain("Mine alone.") == "No discussion wrote it, and no step in these words."
    own.answer_question(SLUG, 1, "The parents.")
    assert explain("The parents.").startswith("An answer to an open question, added on 20")


def test_a_line_of_a_step_that_was_edited_is_still_the_step_s(cli: CommandLine, folder: Path) -> None:
    path = folder / SPEC
    text = path.read_text().replace("**Problem**: Members", "**Problem**: Many members")
    path.write_text(text.replace("## 2. ", "Mine alone.\n\n## 2. "))
    edited = ("The step's text was edited since, so this line may be somebody's own.",)
    for words in ("Many members", "Mine alone."):
        (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, words)}")
        assert found.origin.endswith("step 01-01 (Business Context Discovery).")
        assert found.remarks == edited
    for words in ("## 2. Stakeholders", "**Users**"):  # not of that step
        (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, words)}")
        assert (found.remarks, "01-01" in found.origin) == ((), False)


def test_a_piece_of_text_is_found_wherever_it_stands(cli: CommandLine) -> None:
    every = Project(cli.root).explain(SLUG, "never ALL loans  of the number")
    assert [each.file for each in every] == ["architecture-overview.md"] * 2 + [SPEC]
    found = every[-1]
    assert [turn.number for turn in found.turns] == [8]


def test_a_turn_of_a_transcript_says_what_it_led_to(cli: CommandLine, folder: Path) -> None:
    own = Project(cli.root)
    (found,) = own.explain(SLUG, f"{TRANSCRIPT}:{find_line(folder, 'who signs the contract', TRANSCRIPT)}")
    assert found.origin.startswith("Turn 6 of the roundtable on step 01-03")
    assert found.remarks[0].startswith("It led to Open Questions: Who signs the contract")
    (silent,) = own.explain(
        SLUG, f"{TRANSCRIPT}:{find_line(folder, 'What must never happen here', TRANSCRIPT)}"
    )
    assert silent.remarks == ("It led to no entry of the synthesis.",)


def test_an_entry_of_a_transcript_names_its_turns(cli: CommandLine, folder: Path) -> None:
    line = (folder / TRANSCRIPT).read_text().split("\n### Decisions Made\n")[0].count("\n") + 4
    (found,) = Project(cli.root).explain(SLUG, f"{TRANSCRIPT}:{line}")
    assert found.origin.startswith("Decisions Made of the roundtable on step 01-03")
    assert [turn.number for turn in found.turns] == [8]


def test_what_cannot_be_found_is_said(cli: CommandLine) -> None:
    for where in (f"{SPEC}:100000", f"{SPEC}:2", "nobody ever wrote this", "elaborations/01-03-1.md:1"):
        with pytest.raises(RuleBroken):
            Project(cli.root).explain(SLUG, where)
    with pytest.raises(RuleBroken, match=f"There is nothing in line 2 of {SPEC}"):
        Project(cli.root).explain(SLUG, f"{SPEC}:2")


def test_the_command(cli: CommandLine, folder: Path) -> None:
    line = find_line(folder, DECISION)
    for words in ([f"{SPEC}:{line}"], [SLUG, f"{SPEC}:{line}"], [f"docs/requirements/{SLUG}/{SPEC}:{line}"]):
        ran = cli.run("why", *words)
        assert ran.status == 0
        assert ran.out.splitlines()[2].startswith("  turn 8, User: We go with renewing")
        assert ran.out.endswith(f"  See {TRANSCRIPT}\n")
    assert cli.run("why", "never", "all", "loans", "--json").json[0]["turns"][0]["number"] == 8
    assert cli.run("why", f"{SPEC}:{line}", "--json").json[0]["text"].startswith("We go with renewing")
    assert cli.run("why").status == 2
    assert cli.run("why", "no such words").status == 2


@pytest.mark.parametrize(
    "said", [" Not for children.", "\n\n  - At night.\n\n  ```text\n  x\n  ```\n\n  - Not for children."]
)
def test_feedback_after_a_discussion_is_the_user_s(cli: CommandLine, folder: Path, said: str) -> None:
    path = folder / SPEC
    at = "2026-02-21T10:00:00.000Z"
    feedback = f"<!-- Feedback: step 01-03, {at} -->\n\n- **Feedback**:{said}\n\n"
    text = path.read_text().replace("- **Feedback**: Members", "- Members")  # of another step
    path.write_text(text.replace("## 4. Technical", f"{feedback}By hand.\n\n## 4. Technical"))
    for words in ("Not for children", "**Feedback**:"):
        (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, words)}")
        assert found.origin == f"The user's feedback on step 01-03, {at}."
    for words in ("By hand.", "## 4. Technical"):
        (found,) = Project(cli.root).explain(SLUG, f"{SPEC}:{find_line(folder, words)}")
        assert "feedback" not in found.origin
