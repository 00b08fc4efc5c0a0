"""Open questions are a computed list; answering one adds the answer and edits nothing (ART-9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commandline import CommandLine, command_line
from insertions import find_insertion
from project import project, small_steps, talk
from roundtable import Project
from roundtable.core.errors import ItemLocked, RuleBroken
from roundtable.documents import questions
from roundtable.documents.outline import content_words
from roundtable.documents.questions import add_answer, find_asked_questions, find_open_questions
from roundtable.panel.offline import OfflinePanel
from roundtable.store.files import timestamp
from roundtable.store.lock import item_lock

pytestmark = pytest.mark.rule("ART-9")
SPEC = "requirements-spec.md"
BLOCK = """# Requirements Spec

## 3. User Journeys

Some words.

<!-- Elaboration: step 01-03, 2026-02-20T10:00:00.000Z -->

### Elaboration Insights (Step 01-03: User Experience & Journeys)

**Participants**: Maya Chen (BA), Alex Rivera (Architect), Jordan Park (Designer)
**Turns**: 4 | **Exit**: user-initiated

#### Key Insights
- None

#### Decisions Made
- None

#### Open Questions
- Who pays for the text messages?: for somebody who knows the people concerned
- Proposed by Alex: keep the queue for 48 hours: nobody decided it; for you to settle

## 4. Technical Context

More words.
"""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    line.add()
    return line


@pytest.fixture
def item(tmp_path: Path) -> tuple[Project, Path]:
    root, folder = project(tmp_path / "project")
    return Project(root), folder


@pytest.mark.parametrize("form", ["?: {}", "? ({})"])  # the second as some documents have it
def test_a_question_says_where_it_stands_and_who_can_resolve_it(
    item: tuple[Project, Path], form: str
) -> None:
    own, folder = item
    who = "for somebody who knows the people concerned"
    (folder / SPEC).write_text(BLOCK.replace(f"?: {who}", form.format(who)))
    first, second = own.open_questions(folder.name)
    assert (first.file, first.line, first.text) == (SPEC, 21, "Who pays for the text messages?")
    assert first.resolver == "for somebody who knows the people concerned"
    assert second.text == "Proposed by Alex: keep the queue for 48 hours"
    assert second.resolver == "nobody decided it; for you to settle"


def test_an_answer_stands_in_its_section_and_nothing_is_edited(
    item: tuple[Project, Path],
) -> None:
    own, folder = item
    (folder / SPEC).write_text(BLOCK)
    question, file = own.answer_question(folder.name, 1, "The city, *all* of it")
    assert (question.text, file) == ("Who pays for the text messages?", SPEC)
    inserted = find_insertion(BLOCK.encode(), (folder / SPEC).read_bytes())
    assert inserted is not None
    answer = f'**Answer ({timestamp()[:10]})** to "{question.words}": The city, \\*all* of it'
    assert inserted.decode().strip() == answer
    (left,) = own.open_questions(folder.name)
    assert left.text.startswith("Proposed by Alex")
    answered = own.list_questions(folder.name)[0]
    assert answered.answer == f"The city, *all* of it ({timestamp()[:10]})"
    assert [each.text for each in own.check(folder.name).open_questions] == [left.words]


def test_a_question_with_a_hidden_character_can_be_answered(item: tuple[Project, Path]) -> None:
    own, folder = item
    (folder / SPEC).write_text(BLOCK.replace("Who pays", "Who \x07pays"))
    question, file = own.answer_question(folder.name, 1, "The city")
    assert (question.text, file) == ("Who pays for the text messages?", SPEC)
    assert own.list_questions(folder.name)[0].answer.startswith("The city")


def test_what_a_step_vouches_for_stays_whole(tmp_path: Path) -> None:
    root, folder = project(tmp_path / "project")
    small_steps(root)
    panel = OfflinePanel(root)
    talk(root, folder, ["I don't know", "60 inspectors"], panel=panel)
    own = Project(root)
    (question,) = own.open_questions(folder.name)
    assert question.text == "What is the point?"
    assert question.resolver == "asked by Maya Chen (Business Analyst), step 00-01"
    own.answer_question(folder.name, 1, "Forms are retyped.")
    written = (folder / "quick-scan.md").read_text()
    assert f'**Answer ({timestamp()[:10]})** to "What is the point?": Forms are retyped.' in written
    assert own.open_questions(folder.name) == ()
    # Done again, the step replaces its own text only, and the answer stays.
    talk(root, folder, ["I don't know", "61 inspectors", "C"], panel=panel, reopen="00-01")
    again = (folder / "quick-scan.md").read_text()
    assert again.count("<!-- Step 00-01") == 1
    assert again.count("Forms are retyped.") == 1
    assert "61 inspectors" in again
    assert own.open_questions(folder.name) == ()
    assert own.check(folder.name).problems == ()


@pytest.mark.parametrize(
    ("decision", "is_settled"),
    [
        ("The city pays for the text messages: it has the contract", True),
        ("We keep the reminder of today: nobody asked for another", False),
        ("None", False),
    ],
)
def test_a_later_decision_settles_a_question(
    item: tuple[Project, Path], decision: str, is_settled: bool
) -> None:
    own, folder = item
    later = BLOCK.partition("## 3.")[2].partition("## 4.")[0].partition("<!--")[2]
    later = later.replace("02-20T10", "02-21T10").replace(
        "Decisions Made\n- None", f"Decisions Made\n- {decision}"
    )
    later = later.partition("#### Open Questions")[0] + "#### Open Questions\n- None\n"
    (folder / SPEC).write_text(BLOCK + f"\n<!--{later}")
    texts = [each.text for each in own.open_questions(folder.name)]
    assert ("Who pays for the text messages?" not in texts) == is_settled
    if is_settled:
        settled = own.list_questions(folder.name)[0].settled_by
        assert settled.startswith("The city pays for the text messages")
        assert f"({SPEC}:" in settled


def test_the_words_of_each_decision_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = "\n".join(f"- Courier {number} brings the parcel: law" for number in range(40))
    asked = "\n".join(f"- Open question: Who signs the contract {number}?" for number in range(40))
    text = BLOCK.replace("Decisions Made\n- None", f"Decisions Made\n{made}") + f"\n{asked}\n"
    read = list[str]()

    def count(words: str) -> frozenset[str]:
        read.append(words)
        return content_words(words)

    monkeypatch.setattr(questions, "content_words", count)
    assert len(questions.list_questions({SPEC: text})) == 42
    assert sum(words.startswith("Courier") for words in read) <= 2 * 40


def test_feedback_after_a_discussion_is_no_open_question(tmp_path: Path) -> None:
    root, folder = project(tmp_path)
    small_steps(root)
    said = "A cart has states: open, saved, expired."
    answers = ["The inspector retypes forms.", "60 inspectors"]
    talk(root, folder, [*answers, "E", "Alex, how many forms are there?", "done", said], panel=OfflinePanel())
    assert said in (folder / "quick-scan.md").read_text()
    (question,) = Project(root).list_questions(folder.name)
    assert question.text == "How many forms are there?"


def test_a_decision_of_the_same_discussion_settles_nothing(item: tuple[Project, Path]) -> None:
    own, folder = item
    text = BLOCK.replace(
        "Decisions Made\n- None", "Decisions Made\n- Who pays for the text messages comes later: x"
    )
    (folder / SPEC).write_text(text)
    assert len(own.open_questions(folder.name)) == 2


def test_a_question_in_a_data_file_is_answered_in_a_document(item: tuple[Project, Path]) -> None:
    own, folder = item
    (folder / SPEC).write_text("# Requirements Spec\n\n## 1. Business Context\n\nWords.\n")
    stories = '{"item": "x", "open_questions": ["Which story is first?"], "stories": []}\n'
    (folder / "user-stories.json").write_text(stories)
    _, file = own.answer_question(folder.name, 1, "Sign in")
    assert file == SPEC
    assert (folder / "user-stories.json").read_text() == stories
    assert 'to "Which story is first?": Sign in' in (folder / SPEC).read_text()
    assert own.open_questions(folder.name) == ()


def test_nothing_is_written_without_the_lock_a_question_or_an_answer(item: tuple[Project, Path]) -> None:
    own, folder = item
    (folder / SPEC).write_text(BLOCK)
    with pytest.raises(RuleBroken, match="no open question 3; there are 2"):
        own.answer_question(folder.name, 3, "x")
    with pytest.raises(RuleBroken, match="empty"):
        own.answer_question(folder.name, 1, " \n")
    with item_lock(folder), pytest.raises(ItemLocked):
        own.answer_question(folder.name, 1, "x")
    assert (folder / SPEC).read_text() == BLOCK


@given(st.text(min_size=1, max_size=60), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_words_are_one_insertion_that_answers_the_question(
    words: str, newline: str, is_last: bool
) -> None:
    text = "# T\n\n- Open question: Who pays?\n" + ("" if is_last else "- Open question: When?\n\nMore.\n")
    document = text.replace("\n", newline).encode()
    if is_last:
        document = document.rstrip()
    changed = add_answer(document, 3, "Who pays?", f"A {words}", "2026-02-20")
    assert find_insertion(document, changed) is not None
    asked = changed.decode().replace("\r\n", "\n")
    assert "Who pays?" not in [question for _, question in find_open_questions(asked)]
    assert "Who pays?" in [question for _, question in find_asked_questions("a.md", asked)]


# --- the command ----------------------------------------------------------------------------------------


def test_the_command_lists_all_items_and_answers_one(cli: CommandLine) -> None:
    assert cli.run("questions").out == "No question is open.\n"
    (cli.item / SPEC).write_text(BLOCK)
    ran = cli.run("questions")
    assert ran.out == (
        "offline-forms:\n"
        "  1. Who pays for the text messages?\n"
        "     requirements-spec.md:21; for somebody who knows the people concerned\n"
        "  2. Proposed by Alex: keep the queue for 48 hours\n"
        "     requirements-spec.md:22; nobody decided it; for you to settle\n"
        "Answer one with: roundtable questions offline-forms --answer N ANSWER\n"
    )
    done = cli.run("questions", "offline-forms", "--answer", "2", "24", "hours")
    assert (done.status, done.out) == (
        0,
        "Answered in requirements-spec.md: Proposed by Alex: keep the queue for 48 hours\n",
    )
    assert cli.run("questions", "--answer", "1", "The city").status == 0
    assert cli.run("questions", "offline").out == "No question is open.\n"
    rows = cli.run("questions", "--all", "--json").json
    assert [(row["number"], row["line"], row["answer"][:8]) for row in rows] == [
        (None, 21, "The city"),
        (None, 22, "24 hours"),
    ]
    assert cli.run("questions", "offline", "words").status == 2
