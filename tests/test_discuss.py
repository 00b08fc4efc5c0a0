"""`roundtable discuss`: a roundtable on any markdown document of the project (MENU-8)."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import killed
from commandline import CommandLine, command_line
from insertions import find_insertion
from project import kinds, texts
from roundtable.core.commands import AskSynthesis, Brief
from roundtable.core.errors import ItemLocked, RuleBroken
from roundtable.core.lines import Line
from roundtable.core.synthesis import Draft
from roundtable.core.turns import Material
from roundtable.documents.questions import find_gap, read_title
from roundtable.panel.base import Framing
from roundtable.runtime.discussion import DocumentSession, find_discussion_folder
from roundtable.store.lock import item_lock
from roundtable.surfaces.terminal.page import format_bottom_line
from roundtable.testing import ScriptedPanel, play_session
from tools.discuss import PAGE, play_discussion

pytestmark = pytest.mark.rule("MENU-8")

RFC = """# RFC 12: Try failed webhooks again

## Motivation

About 3 % of the deliveries fail because a receiver restarts.

## Open questions

- What happens to the order of deliveries?
- [x] Which queue?
- Who may replay a delivery by hand?

## Rollout

TBD
"""
DESIGN = """---
status: draft
---

# Design: an index for the archive

## 1. Context

The archive holds 12 million letters. A search takes 40 seconds.

## 2. Migration

## 3. Alternatives

- TODO compare with the search that we have
"""
REQUEST = """Cache the exchange rates

Rates were fetched for every row of the report.

### What changes

- `rates.py` keeps them for an hour. This is the longest part of all, and says what the change does and why.
- the report asks the cache

### Tests

- one more
"""
WORDS = ("Order is kept per receiver.", "We go with one queue per receiver.", "done")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three documents, as people have them."""
    root = tmp_path / "my project"
    (root / "docs").mkdir(parents=True)
    for name, text in (("rfc.md", RFC), ("design.md", DESIGN), ("request.md", REQUEST)):
        (root / "docs" / name).write_text(text)
    monkeypatch.chdir(root)
    return root


def discuss(root: Path, name: str, words: tuple[str, ...] = WORDS, **options: Any) -> list[Line]:
    options.setdefault("panel", ScriptedPanel())
    again = f"roundtable discuss docs/{name}"
    return play_session(DocumentSession(root, f"docs/{name}", again=again, **options), words)


@pytest.mark.rule("TABLE-1")
def test_what_the_lead_looked_up_outlives_the_documents_own_question(place: Path) -> None:
    class Looking(ScriptedPanel):
        async def frame(self, brief: Brief) -> Framing:
            return replace(await super().frame(brief), looked_up=(Material("rates.py:1-9", "KEEP = 3600"),))

    panel = Looking()
    discuss(place, "request.md", panel=panel)
    table = panel.briefs[1].table
    assert [(each.name, each.text) for each in table.looked_up] == [("rates.py:1-9", "KEEP = 3600")]


# --- three documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "title", "question", "section"),
    [
        ("rfc.md", RFC, "RFC 12: Try failed webhooks again", "What happens to the order of deliveries?",
         "Open questions"),
        ("design.md", DESIGN, "Design: an index for the archive",
         'What belongs under "Migration", and who can say so?', "2. Migration"),
        ("request.md", REQUEST, "request.md",
         'What does "What changes" leave out, and who would notice it first?', "What changes"),
    ],
)  # fmt: skip
def test_the_focus_question_comes_from_the_largest_gap(
    place: Path, name: str, text: str, title: str, question: str, section: str
) -> None:
    gap = find_gap(text.encode())
    assert (gap.question, gap.section) == (question, section)
    assert read_title(text.encode(), name) == title
    lines = discuss(place, name)
    assert f"Topic: {title} for docs/{name}" in texts(lines, "introduction")[0]
    assert question in texts(lines, "contribution")[0]
    beside = (place / "docs" / f"{name}.roundtable-1.md").read_text()
    assert f"# Roundtable: {title}\n\n- **Document**: docs/{name}\n" in beside
    assert f"- **Focus question**: {question}" in beside
    assert "- [User] We go with one queue per receiver: said so ([turn " in beside


@pytest.mark.parametrize(
    ("written", "question"),
    [
        ("TODO: who owns the cache?", "who owns the cache?"),
        ("- TODO(ann): who owns the cache?", "who owns the cache?"),
        ("- TODO compare it", 'How is this settled: "TODO compare it"?'),
        ("Who owns the cache?", "Who owns the cache?"),
        ("It is fast. The limit of the\nqueue is TBD by the team\nin May. It is new.",
         'How is this settled: "The limit of the queue is TBD by the team in May"?'),
    ],
)  # fmt: skip
def test_an_open_point_is_asked_about_in_its_words(written: str, question: str) -> None:
    document = f"# T\n\n## Rest\n\nWords.\n\n## Open points\n\n{written}\n"
    gap = find_gap(document.encode())
    assert (gap.section, gap.question) == ("Open points", question)
    assert gap.summary == "There are questions open in it."


def test_what_is_left_to_do_comes_after_empty_sections_and_not_from_code() -> None:
    text = "# T\n\n## Rest\n\n## Design\n\nWords.\n\n```\n# TODO: not this\n```\n\nIt takes ???\n"
    first = find_gap(text.encode()).question
    assert first == 'What belongs under "Rest", and who can say so?'
    assert find_gap(text.encode(), {first}).question == 'How is this settled: "It takes ???"?'


def test_the_panel_never_says_that_nothing_is_written_where_something_is() -> None:
    gap = find_gap(RFC.partition("## Open")[0].encode() + b"## Rollout\n\n- TBD\n")
    assert (gap.section, gap.summary) == ("Rollout", 'Only "- TBD" is written under "Rollout".')
    asked = "What happens to the order of deliveries?", "Who may replay a delivery by hand?"
    last = find_gap(RFC.replace("TBD\n", "In May.\n").encode(), asked)
    assert last.summary == 'The discussion begins with "Open questions".'


@pytest.mark.parametrize("gap", ["\n", "\n  "])
def test_a_question_is_asked_whole_however_it_is_wrapped(gap: str) -> None:
    text = (
        f"# T\n\n## Unresolved questions\n\n* Who pays for the files that a{gap}customer left?\n* And when?\n"
    )
    first = find_gap(text.encode()).question
    assert first == "Who pays for the files that a customer left?"
    assert find_gap(text.encode(), {first}).question == "And when?"


@pytest.mark.parametrize(
    ("entry", "question"),
    [
        ("There are two queues. Which one? We lean to the first.", "There are two queues. Which one?"),
        ("Who pays?: for somebody who knows the people concerned", "Who pays?"),
        ("Who pays?\n  - **Answer (2026-01-02)**: the city", "Who pays?"),
        ("The order of deliveries.", 'How is this settled: "The order of deliveries"?'),
    ],
)
def test_an_entry_that_asks_is_asked_as_it_is(entry: str, question: str) -> None:
    assert find_gap(f"# T\n\n## Open questions\n\n- {entry}\n".encode()).question == question


def test_the_longest_section_is_measured_without_its_subsections() -> None:
    text = (
        "# T\n\n## Small\n\nFive words are written here.\n\n## Big\n\n"
        + "word " * 60
        + "\n\n### Sub\n\nOne.\n"
    )
    first = find_gap(text.encode())
    assert first.section == "Big"
    second = find_gap(text.encode(), {first.question})
    assert second.section == "Small"
    third = find_gap(text.encode(), {first.question, second.question})
    assert third.section == "Sub"


@pytest.mark.parametrize(
    "left", ["<!-- Say how -->", "<!--\nSay how.\n\n- One?\n-->", "// Include any questions"]
)
def test_a_section_that_holds_only_a_comment_is_empty(left: str) -> None:
    gap = find_gap(f"# T\n\n## Rollout\n\n{left}\n\n## Rest\n\nWords.\n".encode())
    assert gap.question == 'What belongs under "Rollout", and who can say so?'
    gap = find_gap(f"# T\n\n## Rest\n\nWords.\n\n## Open Questions\n\n{left}\n".encode())
    assert gap.question == 'What belongs under "Open Questions", and who can say so?'


def test_stars_that_somebody_typed_stay_in_a_question() -> None:
    text = r"## Open Questions" "\n\n" r"- Is **really** 2\*\*32 the limit?" "\n"
    assert find_gap(text.encode()).question == "Is really 2**32 the limit?"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n## Summary\n", "One"),
        ("---\ntitle: 'Real title'\n---\n\n## Summary\n", "Real title"),
        ("- Feature Name: `stability`\n- Date: 2015\n\n# Summary\n\n# Motivation\n", "stability"),
        ("- **Feature Name**: stability\n\n## Summary\n", "stability"),
        ("# Part one\n\n# Part two\n", "Part one"),
        ("## Summary\n\n- Feature Name: other\n", "rfc.md"),
        ("", "rfc.md"),
    ],
)
def test_the_title_is_the_main_heading_else_the_name_at_the_top_else_the_file(text: str, title: str) -> None:
    assert read_title(text.encode(), "rfc.md") == title


def test_a_second_discussion_takes_the_next_gap(place: Path) -> None:
    discuss(place, "rfc.md")
    lines = discuss(place, "rfc.md")
    assert "Who may replay a delivery by hand?" in texts(lines, "contribution")[0]
    assert (place / "docs" / "rfc.md.roundtable-2.md").exists()
    third = discuss(place, "rfc.md")
    assert 'under "Rollout"' in texts(third, "contribution")[0]
    for section in ("What changes", "Tests"):
        lines = discuss(place, "request.md")
        assert f'What does "{section}" leave out' in texts(lines, "contribution")[0]


# --- what is written ------------------------------------------------------------------------------------


def test_the_document_gains_the_block_only_with_into(place: Path) -> None:
    path = place / "docs" / "rfc.md"
    lines = discuss(place, "rfc.md")
    assert path.read_text() == RFC
    assert texts(lines, "update") == [
        "rfc.md is not changed; only a discussion begun with --into adds its block."
    ]
    assert kinds(lines)[-2:] == ["saved", "done"]
    assert "menu" not in kinds(lines)
    again = discuss(place, "rfc.md", into=True)
    inserted = find_insertion(RFC.encode(), path.read_bytes())
    assert inserted is not None
    assert b"### Elaboration Insights (RFC 12: Try failed webhooks again)\n" in inserted
    assert inserted.lstrip().startswith(b"<!-- Elaboration: 20")
    assert texts(again, "update") == [
        'Updated rfc.md, section "Open questions": added 1 insight, 1 decision.'
    ]
    assert path.read_text().index("Elaboration Insights") < path.read_text().index("## Rollout")


def test_nothing_else_is_written_into_the_project(place: Path) -> None:
    discuss(place, "rfc.md")
    found = {path.relative_to(place).parts[0] for path in place.rglob("*") if path.is_file()}
    assert found == {"docs", ".roundtable"}
    assert sorted(path.name for path in (place / "docs").iterdir()) == [
        "design.md", "request.md", "rfc.md", "rfc.md.roundtable-1.md",
    ]  # fmt: skip
    assert (place / ".roundtable" / "discussions" / ".gitignore").read_text() == "*\n"
    assert not list(place.rglob("meta.json"))


def test_the_limit_and_the_review_are_the_same(place: Path) -> None:
    words = ("One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven.", "Eight.", "drop 1", "")
    lines = discuss(place, "rfc.md", words, review=True)
    assert "warning" in kinds(lines)
    assert "limit" in kinds(lines)
    assert len(texts(lines, "contribution")) == 10
    assert "review" in kinds(lines)


@pytest.mark.rule("MENU-8", "SYN-8")
@pytest.mark.rule("ENTRY-2")
def test_a_raised_limit_names_no_file_that_a_document_has_not(place: Path) -> None:
    lines = discuss(place, "rfc.md", ("/turns 14", "done"))
    assert "The turn limit is now 14 for this discussion." in texts(lines, "notice")


def test_commands_look_at_the_document(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    (place / "docs" / "rfc.md.roundtable-1.md").write_text("the first")
    words = ["/artifact", "/steps", "/diff", "/transcript 1", "/who"]
    ran = CommandLine(place).run("discuss", "docs/rfc.md", "--json", answers=words)
    document, steps, change, talk, _ = [line["text"] for line in ran.lines if line["kind"] == "notice"]
    assert document == RFC
    assert steps == "A document has no steps."
    assert change == "Nothing was written since this step was opened."
    assert talk == "the first"


def test_whether_it_is_reviewed_depends_on_who_sits_there_now(place: Path) -> None:
    begun = discuss(place, "rfc.md", ("We keep one day.",))
    assert kinds(begun)[-1] == "paused"
    reviewed = discuss(place, "rfc.md", ("done",), review=True)
    assert reviewed[-2].awaits == "review"
    written = discuss(place, "rfc.md", ())
    assert "review" not in kinds(written)
    assert "We keep one day." in (place / "docs" / "rfc.md.roundtable-1.md").read_text()


# --- resuming -------------------------------------------------------------------------------------------


def test_it_goes_on_where_it_stopped(place: Path) -> None:
    first = discuss(place, "rfc.md", WORDS[:1])
    assert first[-1].kind == "paused"
    assert first[-1].text.endswith("Go on with: roundtable discuss docs/rfc.md")
    assert not (place / "docs" / "rfc.md.roundtable-1.md").exists()
    second = discuss(place, "rfc.md", WORDS[1:])
    assert texts(second, "resume")[0].startswith("The discussion of this document was cut off at turn ")
    assert second[-1].kind == "done"
    beside = (place / "docs" / "rfc.md.roundtable-1.md").read_text()
    assert beside.count("Order is kept per receiver.") == 1


def test_a_document_that_was_deleted_meanwhile_is_not_said_to_be_updated(place: Path) -> None:
    class Deleting(ScriptedPanel):
        async def synthesise(self, ask: AskSynthesis) -> Draft:
            (place / "docs" / "rfc.md").unlink()
            return await super().synthesise(ask)

    shown = discuss(place, "rfc.md", panel=Deleting(), into=True)
    assert "Could not update rfc.md (file not found)" in "\n".join(line.text for line in shown)
    assert not (place / "docs" / "rfc.md").exists()


def test_killed_at_any_write_it_finishes_once(place: Path) -> None:
    (place / "answers.txt").write_text("".join(f"{word}\n" for word in WORDS))
    (place / "none.txt").write_text("")

    def run(answers: str, kill_at: int = 0) -> int:
        program = [sys.executable, killed.__file__, str(kill_at), "log"]
        command = ["discuss", "docs/rfc.md", "--into", "--json", "--answers", answers]
        return subprocess.run([*program, *command], cwd=place, capture_output=True, check=False).returncode

    assert run("answers.txt") == 0
    writes = len((place / "log").read_text().splitlines())
    assert writes > 15
    # The user's words are said by then; what is killed is the writing of the result.
    for at in range(writes - 8, writes, 2):
        for path in (place / "docs").glob("rfc.md.roundtable-*"):
            path.unlink()
        (place / "docs" / "rfc.md").write_text(RFC)
        shutil.rmtree(place / ".roundtable")
        assert run("answers.txt", at) == -signal.SIGKILL
        if list((place / ".roundtable").rglob("discussion.jsonl")):
            assert run("none.txt") == 0
        assert len(list((place / "docs").glob("rfc.md.roundtable-*"))) == 1, at
        assert (place / "docs" / "rfc.md").read_text().count("### Elaboration Insights") == 1, at


def test_the_bottom_line_names_the_document_and_no_step(place: Path) -> None:
    session = DocumentSession(place, "docs/rfc.md", again="", panel=ScriptedPanel())
    play_session(session, WORDS[:1])
    line = format_bottom_line(session.analysis)
    assert line.endswith("docs/rfc.md")
    assert "turn " in line
    assert "step" not in line


def test_one_discussion_at_a_time(place: Path) -> None:
    folder = find_discussion_folder(place, "docs/rfc.md")
    folder.mkdir(parents=True)
    with item_lock(folder), pytest.raises(ItemLocked):
        discuss(place, "rfc.md")


# --- what is refused ------------------------------------------------------------------------------------


def test_only_a_markdown_document_inside_the_project(place: Path) -> None:
    outside = place.parent / "outside.md"
    outside.write_text("# Outside\n")
    (place / "docs" / "link.md").symlink_to(outside)
    (place / "docs" / "data.csv").write_text("a,b\n")
    (place / ".git").mkdir()
    (place / ".git" / "x.md").write_text("# x\n")
    for name, reason in (
        (str(outside), "is not in the project"),
        ("docs/link.md", "is not in the project"),
        ("docs/data.csv", "is not a markdown document"),
        ("docs/missing.md", "missing.md is not there"),
        (".git/x.md", "hidden folder"),
        ("docs", "is not a markdown document"),
        ("docs/\0.md", "is not in the project"),
    ):
        with pytest.raises(RuleBroken, match=reason):
            DocumentSession(place, name, again="")


# --- the command and the page ---------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    (line.root / "rfc.md").write_text(RFC)
    return line


def test_the_command_with_the_offline_panel(cli: CommandLine) -> None:
    ran = cli.run("discuss", "rfc.md", "--json", answers=WORDS)
    assert ran.status == 0
    assert ran.kinds[:2] == ["introduction", "contribution"]
    assert ran.kinds[-1] == "done"
    assert {"listen", "synthesis", "saved"} <= set(ran.kinds)
    assert cli.run("discuss", "nothing.md").status == 2
    assert cli.run("discuss").status == 2


def test_the_framing_of_a_document_says_that_it_is_there_not_that_it_was_covered(cli: CommandLine) -> None:
    ran = cli.run("discuss", "rfc.md", "--into", "--json", answers=())
    assert ran.lines[1]["text"].startswith(
        "Maya Chen (Business Analyst): We have RFC 12: Try failed webhooks again before us. "
        "There are questions open in it.\n\n"
    )
    assert ran.lines[-1]["text"].endswith("Go on with: roundtable discuss rfc.md --into")


@pytest.mark.rule("SYN-7", "EXIT-1")
def test_a_wish_to_end_and_a_name_alone_are_no_open_questions(cli: CommandLine) -> None:
    words = ("Are we done?", "continue", "maya?", "Who pays for it? Alex?", "done")
    ran = cli.run("discuss", "rfc.md", "--json", answers=words)
    assert ran.kinds.count("unclear-exit") == 1
    shown = next(line["text"] for line in ran.lines if line["kind"] == "synthesis")
    asked = shown.partition("#### Open Questions\n")[2].strip().splitlines()
    assert [line.partition("?")[0] for line in asked] == ["- Who pays for it"]


def test_a_choice_by_its_letter_is_kept_with_its_options(cli: CommandLine) -> None:
    words = "Alex, to your question: Option A, because the sender picks the pattern, so it is one setting."
    ran = cli.run("discuss", "rfc.md", "--json", answers=(words, "done"))
    shown = next(line["text"] for line in ran.lines if line["kind"] == "synthesis")
    insights = shown.partition("#### Key Insights\n")[2].partition("\n\n")[0]
    assert insights.startswith("- [User/Alex] If the change turns out wrong: Option A switches it off ")
    assert insights.endswith(
        '"To your question: Option A, because the sender picks the pattern, so it is one setting."'
    )


def test_the_page_shows_what_one_gets() -> None:
    page = PAGE.read_text()
    block = page.partition("<!-- made by tools/discuss.py -->\n```text\n")[2].partition("```")[0]
    assert block == play_discussion(page), "run `python -m tools.discuss`"
