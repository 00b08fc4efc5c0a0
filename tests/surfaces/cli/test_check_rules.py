"""`check`: what a model wrote by prompt, held against the rules line by line."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Ran, command_line
from drafts import step_of
from roundtable.documents.additions import write_section
from tools.example import EXAMPLE, GOLDEN

AT = "2026-02-20T14:30:00.000Z"
BLOCK = f"""<!-- Elaboration: step 01-03, {AT} -->

### Elaboration Insights (Step 01-03: User Experience & Journeys)

**Participants**: Maya Chen (BA), Alex Rivera (Architect), Jordan Park (Designer)
**Turns**: 9 | **Exit**: user-initiated

#### Key Insights
- [Alex] Checking forms out would lock them in the morning.
- [User/All] A colleague can take over.

#### Decisions Made
- Answers are merged field by field: it keeps the hand-over possible.

#### Open Questions
- None
"""
SPEC = "# Requirements\n\n## 3. User Journeys\n\nA tablet in a basement.\n"
RECORD = {
    "step_id": "01-03",
    "turn_count": 9,
    "personas_active": ["business-analyst", "solutions-architect", "system-designer"],
    "timestamp": AT,
    "synthesis_summary": "Settled who decides when answers differ",
}


class Written:
    """An item's folder as a model left it."""

    def __init__(self, line: CommandLine) -> None:
        self.line = line
        self.folder = line.add()
        self.meta = self.folder / "meta.json"
        self.spec = self.folder / "requirements-spec.md"
        self.spec.write_text(f"{SPEC}\n{BLOCK}")
        self.change(steps_completed=["01-01", "01-02", "01-03"], elaborations=[RECORD])

    def change(self, **fields: Any) -> None:
        self.meta.write_text(json.dumps(json.loads(self.meta.read_text()) | fields, indent=2))

    def record(self, **fields: Any) -> None:
        self.change(elaborations=[RECORD | fields])

    def run(self) -> Ran:
        return self.line.run("check", self.folder.name)

    def problems(self) -> list[str]:
        rows = self.line.run("check", self.folder.name, "--json").json["problems"]
        return [f"{row['file']}:{row['line']}: {row['text']}" for row in rows]

    def add_second_record(self) -> None:
        self.change(elaborations=[RECORD, RECORD | {"timestamp": LATER, "step_id": "01-02"}])

    def git(self, *words: str) -> str:
        git = ["git", "-C", str(self.line.root), "-c", "user.name=t", "-c", "user.email=t@example.com"]
        return subprocess.run([*git, *words], check=True, capture_output=True).stdout.decode().strip()

    def commit(self) -> str:
        if not (self.line.root / ".git").exists():
            self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "--short", "HEAD")


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    return Written(command_line(tmp_path, monkeypatch))


def test_what_keeps_to_the_rules_is_sound(written: Written) -> None:
    ran = written.run()
    assert ran.out == "1 file checked: sound.\n"
    assert ran.status == 0


@pytest.mark.rule("META-5", "ENTRY-2")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"turn_count": 11}, "turn_count is 11, above the limit of 10 turns."),
        ({"turn_count": True}, "turn_count of an elaboration cannot be true."),
        ({"turn_count": "9"}, 'turn_count of an elaboration cannot be "9".'),
        ({"step_id": "09-09"}, "There is no step 09-09, which the record names."),
        ({"step_id": "01-05"}, "Step 01-05 was discussed but is not in steps_completed."),
        ({"personas_active": "bob"}, 'personas_active of an elaboration cannot be "bob".'),
        ({"personas_active": []}, "personas_active of an elaboration cannot be []."),
        ({"personas_active": ["bob"]}, "personas_active names bob, and no persona has that key."),
        (
            {"timestamp": "yesterday"},
            'timestamp of an elaboration cannot be "yesterday".',
        ),
        ({"synthesis_summary": " "}, 'synthesis_summary of an elaboration cannot be " ".'),
    ],
)
def test_a_record_that_breaks_its_schema_is_named_with_its_line(
    fields: dict[str, Any], said: str, written: Written
) -> None:
    written.record(**fields)
    lines = written.meta.read_text().split("\n")
    (line,) = [number for number, text in enumerate(lines, 1) if '"timestamp"' in text]
    assert f"meta.json:{line}: {said}" in written.problems()
    assert written.run().status == 2


def test_the_line_is_that_of_the_record_at_fault(written: Written) -> None:
    other = RECORD | {"timestamp": "2026-02-21T14:30:00.000Z", "turn_count": 99}
    written.change(elaborations=[RECORD, other])
    [line] = [
        number
        for number, text in enumerate(written.meta.read_text().split("\n"), 1)
        if "2026-02-21T14:30:00.000Z" in text
    ]
    assert f"meta.json:{line}: turn_count is 99, above the limit of 10 turns." in written.problems()


@pytest.mark.rule("ENTRY-2")
def test_a_configured_limit_counts(written: Written) -> None:
    written.change(elaboration_config={"max_turns": 5})
    assert any(each.endswith("turn_count is 9, above the limit of 5 turns.") for each in written.problems())


@pytest.mark.rule("META-4", "META-6")
def test_progress_that_contradicts_itself_is_named(written: Written) -> None:
    written.change(
        phases_completed=["01-requirements", "07-lunch"],
        analysis_status="analyzed",
        steps_completed=["01-03", "01-03", "12-01"],
    )
    (written.folder / "state.json").write_text("{}")
    said = [each.split(": ", 1)[1] for each in written.problems()]
    assert said == [
        "There is no phase 07-lunch.",
        "01-03 is listed 2 times.",
        "There is no step 12-01.",
        "analysis_status is 'analyzed'; with 1 of 5 phases it is 'partial'.",
        "Progress is kept in meta.json; this file is not used.",
    ]


@pytest.mark.rule("META-1")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": NaN}'])
def test_a_meta_json_that_cannot_be_read_is_said(text: str, written: Written) -> None:
    written.meta.write_text(text)
    [first, *_] = written.problems()
    assert first.startswith("meta.json:1: ")


@pytest.mark.rule("SYN-1", "SYN-4", "META-5")
@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (
            lambda t: t.replace("#### Decisions Made", "#### Decisions"),
            7,
            "The block has no part 'Decisions Made'.",
        ),
        (lambda t: t.replace("**Participants**: ", "With "), 7, "The block has no part '**Participants**'."),
        (lambda t: t.replace("**Turns**: ", "Turns: "), 7, "The block has no part '**Turns**'."),
        (
            lambda t: t.replace("Insights (Step 01-03", "Insights (Step 01-04"),
            7,
            "The block has no part 'Elaboration Insights (Step 01-03'.",
        ),
        (lambda t: t.replace("[Alex]", "[Bob]"), 15, "The insight credits Bob, who was not at the table."),
        (lambda t: t.replace("- [Alex] ", "- "), 15, "The insight credits nobody."),
        (
            lambda t: t.replace("**Turns**: 9", "**Turns**: 8"),
            7,
            "The block says 8 turns, the record in meta.json says 9.",
        ),
        (
            lambda t: t.replace(AT, "2026-02-20T14:31:00.000Z"),
            7,
            "<!-- Elaboration: step 01-03, 2026-02-20T14:31:00.000Z --> has no record in meta.json.",
        ),
        (
            lambda t: t.replace("<!-- Elaboration: step", "<!-- Elaboration step"),
            7,
            "The elaboration marker is malformed, so that what it marks is taken for a hand edit.",
        ),
    ],
)
def test_a_block_that_contradicts_the_rest_is_named_with_its_line(
    change: Callable[[str], str], line: int, said: str, written: Written
) -> None:
    written.spec.write_text(change(written.spec.read_text()))
    assert f"requirements-spec.md:{line}: {said}" in written.problems()


@pytest.mark.rule("META-5")
def test_a_record_without_a_block_is_named_unless_it_was_undone_or_had_nothing_to_add(
    written: Written,
) -> None:
    written.spec.write_text(SPEC)
    [problem] = written.problems()
    line = next(at for at, text in enumerate(written.meta.read_text().split("\n"), 1) if AT in text)
    assert problem == f"meta.json:{line}: No document holds the block of step 01-03, {AT}."
    written.change(elaborations_undone=[AT])
    assert written.problems() == []
    written.change(elaborations_undone=[])
    talk = f"<!-- Transcript: step 01-03, {AT} -->\n\n# Elaboration\n\n## Synthesis\n\nNobody answered\n"
    (written.folder / "elaborations").mkdir()
    (written.folder / "elaborations" / "01-03-1.md").write_text(talk)
    assert written.problems() == []
    written.spec.unlink()  # without its document a step has nothing to add to
    assert written.problems() == []


@pytest.mark.rule("ART-5")
def test_marks_that_reading_leaves_out_are_no_loss(written: Written) -> None:
    whole = f"\ufeff{SPEC}\nA line that turns\u202e.\n"
    written.spec.write_text(whole)
    written.commit()
    written.spec.write_text(f"{whole}\n{BLOCK}")
    assert written.problems() == []


LATER = "2026-02-22T14:30:00.000Z"
SECOND = BLOCK.replace(AT, LATER).replace("01-03", "01-02")
BY_HAND = "Our own paragraph, below the block."


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize("lost", ["A tablet in a basement.", BY_HAND, "## 3. User Journeys"])
def test_an_addition_that_took_a_line_away_is_found_in_the_history(lost: str, written: Written) -> None:
    first = f"{SPEC}\n{BLOCK}\n{BY_HAND}\n"
    written.spec.write_text(first)
    before = written.commit()
    written.add_second_record()
    whole = f"{first}\n## 2. Users\n\n{SECOND}"
    written.spec.write_text(whole.replace(f"{lost}\n", ""))
    line = first.split("\n").index(lost) + 1
    problem = f"requirements-spec.md:1: Line {line} of commit {before} was lost when {{}} added a block: "
    assert written.problems() == [f'{problem.format("the working tree")}"{lost}"']
    after = written.commit()
    assert written.problems() == [f'{problem.format(f"commit {after}")}"{lost}"']
    written.spec.write_text(whole)
    assert written.problems() == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## 3. User Journeys", "### 4. User Journeys"),
        ("**Status**: proposed", "**Status**: decided"),
        ("> Draft: step 01-04 (Technical Context) was skipped.", ""),
        (f"<!-- Feedback: step 01-03, {AT} -->\n\n- **Feedback**: Too long.", ""),
        (write_section(b"", step_id="01-02", heading="Users", text="Inspectors.").decode(), ""),  # undone
        ("1. Log in.\n2. Save.", "1. Open.\n2. Log in.\n3. Save."),
        ("| a | b |\n|---|---|\n| 1 | long |", "| a | b    |\n|---|---|\n| 1 | long |"),
        ("| a | b |\n|---|---|\n| 1 | long |", "| a | b    |\n| --- | :---: |\n| 1 | long |"),
        ("* A point.\n\n- [ ] To do.", "- A point.\n\n- [x] To do."),
        ("A figure from the host (unverified).", "A figure from the host."),
        ("```\nx = 1\n```\n(unverified)", "```\nx = 1\n```"),
    ],
)
def test_what_may_change_beside_an_addition_is_no_loss(before: str, after: str, written: Written) -> None:
    page = f"# Requirements\n\n{{}}\n\nBelow it.\n\n{BLOCK}"
    written.spec.write_text(page.format(before))
    written.commit()
    written.add_second_record()
    written.spec.write_text(f"{page.format(after)}\n{SECOND}")
    assert written.problems() == []


def test_a_discussion_that_was_undone_before_another_one_is_no_loss(written: Written) -> None:
    written.commit()
    written.add_second_record()
    written.change(elaborations_undone=[AT])
    written.spec.write_text(f"{SPEC}\n{SECOND}")
    assert written.problems() == []


@pytest.mark.rule("ART-5")
def test_only_the_commit_before_can_lose_a_line_to_an_addition(written: Written) -> None:
    written.spec.write_text(SPEC)
    written.commit()
    written.git("checkout", "-q", "-b", "other")
    written.spec.write_text(SPEC.replace("\n", f"\n\n{BY_HAND}\n", 1))
    written.commit()
    written.git("checkout", "-q", "-")
    written.spec.write_text(f"{SPEC}\n{BLOCK}")
    written.commit()
    written.git("merge", "-q", "-m", "x", "other")
    assert BY_HAND in written.spec.read_text() and BLOCK in written.spec.read_text()
    written.spec.write_text(f"{SPEC}\n{BLOCK}")  # by hand, and nothing is added
    assert written.problems() == []
    written.spec.unlink()
    written.commit()
    written.spec.write_text(BLOCK)
    assert written.problems() == []


def test_a_version_that_is_too_long_is_not_compared(written: Written) -> None:
    written.commit()
    whole = written.spec.read_text()
    written.spec.write_text(whole + "x" * 5_000_001)
    written.commit()
    written.spec.write_text(whole)
    assert written.run().out == "1 file checked: sound.\n"


@pytest.mark.rule("ART-9")
def test_an_answer_to_an_open_question_that_is_gone_is_found(written: Written) -> None:
    answer = '**Answer (2026-02-21)** to "Who signs?": the city.'
    whole = written.spec.read_text()
    written.spec.write_text(f"{whole}\n{answer}\n")
    name = written.commit()
    assert written.problems() == []
    written.spec.write_text(whole)
    lost = f'"{answer}" was in commit {name}, but not in the working tree.'
    assert written.problems() == [f"requirements-spec.md:1: The answer {lost}"]


@pytest.mark.rule("ART-5")
def test_a_block_that_was_shortened_or_removed_later_is_found(written: Written) -> None:
    name = written.commit()
    whole = written.spec.read_text()
    assert written.run().out == "1 file checked and compared with 1 earlier version: sound.\n"
    written.spec.write_text(whole.replace("- [User/All] A colleague can take over.\n", ""))
    assert written.problems() == [
        f'requirements-spec.md:1: "[User/All] A colleague can take over." in the block of step 01-03, {AT}, '
        f"was in commit {name}, but not in the working tree."
    ]
    written.spec.write_text(SPEC)
    assert (
        f"requirements-spec.md:1: The block of step 01-03, {AT}, was in commit {name}, "
        "but not in the working tree."
    ) in written.problems()


def test_a_step_that_was_answered_anew_before_a_discussion_is_no_loss(written: Written) -> None:
    note, feedback = "> Draft: step 01-04 (x) was skipped.\n", f"<!-- Feedback: step 01-03, {AT} -->\n- Hm.\n"
    for before, words, after in ((note, "At a desk.", feedback), ("", "On a phone.", BLOCK)):
        spec = SPEC.replace("\n", f"\n\n{before}", 1).encode()
        section = write_section(spec, step_id="01-03", heading="User Journeys", text=words).decode()
        written.spec.write_text(f"{section}\n{after}")
        written.commit()
    assert written.problems() == []


def test_a_mark_that_the_user_took_away_is_no_loss(written: Written) -> None:
    whole = written.spec.read_text()
    written.spec.write_text(whole.replace("can take over.", "can take over (unverified)."))
    written.commit()
    written.spec.write_text(whole)
    assert written.problems() == []


def test_a_hand_edit_without_an_addition_is_nobodys_business(written: Written) -> None:
    written.commit()
    written.spec.write_text(written.spec.read_text().replace("A tablet in a basement.", "A phone."))
    assert written.problems() == []


def test_other_line_ends_and_a_byte_order_mark_are_no_loss(written: Written) -> None:
    page = written.spec.with_name("architecture-overview.md")
    record = "### ADR-001: Hooks\n\n**Status**: decided\n\n#### Decision\n\nHooks.\n"
    page.write_text(f"# A\n\n## 1. Options and Tradeoffs\n\n{record}")
    written.commit()
    page.write_bytes(b"\xef\xbb\xbf" + page.read_bytes().replace(b"\n", b"\r\n"))
    assert written.problems() == []


@pytest.mark.rule("STEP-5")
def test_an_answer_that_vanished_is_found_in_the_history(written: Written) -> None:
    text = f"{SPEC}\n{BLOCK}".replace(
        "A tablet in a basement.",
        "**Personas**: Inspectors in the field.\n\n**Friction**: Forms are retyped.\n\n- Open question: x?",
    )
    labels = {question.label for question in step_of("01-03").questions("deep")}
    first, second = sorted(labels)[:2]
    text = text.replace("Personas", first).replace("Friction", second)
    written.spec.write_text(text)
    commit = written.commit()
    assert written.line.run("check", "offline").status == 0
    written.spec.write_text(text.replace(f"**{second}**: Forms are retyped.\n\n", ""))
    ran = written.line.run("check", "offline")
    assert ran.status == 2
    assert ran.out.startswith(
        f"requirements-spec.md:1: The answer on {second} of step 01-03 was in commit {commit}, "
        "but not in the working tree.\n"
    )
    (question,) = [each for each in step_of("01-03").questions("deep") if each.label == second]
    written.spec.write_text(
        text.replace(f"**{second}**: Forms are retyped.", f"- Open question: {question.text}")
    )
    assert written.line.run("check", "offline").status == 0


def test_answers_that_vanished_are_listed_in_the_same_order_each_time(written: Written) -> None:
    labels = [question.label for question in step_of("01-03").questions("deep")]
    answers = "\n\n".join(f"**{label}**: Forms are retyped." for label in labels)
    text = f"{SPEC}\n{BLOCK}".replace("A tablet in a basement.", answers)
    written.spec.write_text(text)
    written.commit()
    written.spec.write_text(text.replace(answers, ""))
    lost = [text.partition(" on ")[2].partition(" of ")[0] for text in written.problems()]
    assert lost == sorted(labels) and len(labels) > 3


def test_what_roundtable_itself_wrote_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = command_line(tmp_path, monkeypatch)
    shutil.copytree(GOLDEN, here.root / "docs" / "requirements" / "example")
    shutil.copytree(EXAMPLE / "project", here.root, dirs_exist_ok=True)
    ran = here.run("check", "example")
    assert ran.out.splitlines()[-1] == "12 files checked: sound, 1 open question."
    assert ran.status == 0


def test_the_old_name_still_works_and_says_what_it_is_now(written: Written) -> None:
    ran = written.line.run("validate")
    assert (ran.out, ran.status) == ("1 file checked: sound.\n", 0)
    assert ran.err == "`validate` is part of `check` now, so this is: roundtable check\n"
    assert written.line.run("validate", "--json").json["sound"]
    assert "validate" not in written.line.run("--help").out
