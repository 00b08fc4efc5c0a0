"""The way back: answers are edited, what was written is taken back, nothing that steers is filed (MENU-7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model_talk import ScriptedModel
from project import ANSWERS, meta, project, small_steps, talk, texts
from roundtable.core.hearing import find_corrected, hear_menu, hear_steering
from roundtable.store.meta import change_meta

FIRST, SECOND = ANSWERS


def read_files(item: Path) -> dict[str, bytes]:
    """Return every document of an item; the journal and meta.json are not documents."""
    return {path.name: path.read_bytes() for path in sorted(item.glob("*.md")) if path.name != "draft.md"}


# --- back and edit --------------------------------------------------------------------------------------


@pytest.mark.rule("MENU-7")
def test_back_asks_the_question_before_again_with_its_answer_to_edit(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [FIRST, "back", "The inspector retypes 40 forms.", SECOND])
    questions = texts(lines, "question")
    assert questions[0] == "What is the point?"
    assert f"Draft, from your answer: {FIRST}" in questions[2]
    document = (item / "quick-scan.md").read_text()
    assert "The inspector retypes 40 forms." in document
    assert FIRST not in document


@pytest.mark.rule("MENU-7")
def test_back_works_any_number_of_times_and_keeps_what_was_answered(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, ["back", FIRST, SECOND, "back", "back", "", ""])
    assert "This is the first question; there is nothing before it." in texts(lines, "notice")
    document = (item / "quick-scan.md").read_text()
    assert document.count(FIRST) == document.count(SECOND) == 1
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("MENU-7", "STEP-4")
@pytest.mark.parametrize("edit", ["edit 1", "edit point", "Edit 1."])
def test_one_answer_is_edited_at_the_menu(place: tuple[Path, Path], edit: str) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, edit, "Nobody retypes anything."])
    document = (item / "quick-scan.md").read_text()
    undone = talk(root, item, ["undo"])
    assert texts(undone, "update")[-1] == "Took back what you last answered in step 00-01 in quick-scan.md."
    assert "Nobody retypes anything." in document
    assert SECOND in document
    assert FIRST not in document


@pytest.mark.rule("MENU-7", "STEP-5")
def test_an_answer_of_an_earlier_session_is_edited_too(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    lines = talk(root, item, ["done", "edit 2", "61 inspectors"], step="00-01")
    assert f"Draft, from what stands in the document: {SECOND}" in texts(lines, "question")[-1]
    document = (item / "quick-scan.md").read_text()
    assert "61 inspectors" in document
    assert FIRST in document
    assert SECOND not in document


@pytest.mark.rule("MENU-3")
def test_feedback_that_corrects_changes_the_answer(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "No, there are 80 inspectors", ""])
    document = (item / "quick-scan.md").read_text()
    assert "**Measure**: There are 80 inspectors" in document
    assert SECOND not in document
    assert "Feedback" not in document
    assert texts(lines, "menu")[-1] == texts(lines, "menu")[0]


# --- undo -----------------------------------------------------------------------------------------------


@pytest.mark.rule("MENU-7")
def test_undo_takes_back_feedback_byte_for_byte(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    talk(root, item, ["The point is too narrow, I think."])
    assert read_files(item) != before
    lines = talk(root, item, ["undo"])
    assert read_files(item) == before
    assert texts(lines, "update")[-1] == "Took back your feedback in quick-scan.md."


@pytest.mark.rule("MENU-7")
def test_a_change_that_cannot_be_noted_is_made_and_that_is_said_at_once(place: tuple[Path, Path]) -> None:
    root, item = place
    (item / ".journal" / "undo.log").mkdir(parents=True)
    lines = talk(root, item, [*ANSWERS, "undo"])
    assert SECOND in (item / "quick-scan.md").read_text()
    said = next(text for text in texts(lines, "update") if "cannot be undone" in text)
    assert said.startswith("This change of quick-scan.md cannot be undone. Could not add to ")
    assert "a folder has that name" in said


@pytest.mark.rule("MENU-7")
def test_undo_takes_back_an_elaboration_and_notes_it(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    talk(root, item, ["E", "We go with A.", "done"])
    (record,) = meta(item)["elaborations"]
    lines = talk(root, item, ["undo", "C"])
    assert "Took back the discussion of step 00-01 in quick-scan.md." in texts(lines, "update")
    assert read_files(item) == before
    assert meta(item)["elaborations"] == [record]
    assert meta(item)["elaborations_undone"] == [record["timestamp"]]
    assert "roundtable discussion" not in " ".join(texts(lines, "greeting")[1:])


@pytest.mark.rule("MENU-7", "STEP-4")
def test_undo_of_a_section_returns_to_its_last_question(place: tuple[Path, Path]) -> None:
    root, item = place
    before = read_files(item)
    lines = talk(root, item, [*ANSWERS, "undo"])
    assert read_files(item) == before
    assert meta(item)["steps_completed"] == []
    assert f"Draft, from your answer: {SECOND}" in texts(lines, "question")[-1]
    talk(root, item, ["70 inspectors"])
    assert "70 inspectors" in (item / "quick-scan.md").read_text()
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("MENU-7")
def test_undo_of_an_edit_gives_the_answer_from_before_back(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    talk(root, item, ["edit 2", "61 inspectors"])
    lines = talk(root, item, ["undo", "edit 2", ""])
    assert f"Draft, from your answer: {SECOND}" in texts(lines, "question")[-1]
    assert read_files(item) == before
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("MENU-7")
def test_text_that_was_edited_since_is_left_alone(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "The point is too narrow, I think."])
    path = item / "quick-scan.md"
    path.write_text(path.read_text().replace("too narrow", "far too narrow"))
    edited = path.read_bytes()
    lines = talk(root, item, ["undo"])
    assert path.read_bytes() == edited
    assert "edited since" in texts(lines, "notice")[-1]
    path.write_text(path.read_text().replace("far too narrow", "too narrow"))
    talk(root, item, ["undo"])
    assert "too narrow" not in path.read_text()


@pytest.mark.rule("MENU-7")
def test_there_may_be_nothing_to_undo(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [FIRST, "back", "undo"])
    assert "This is the first question; there is nothing before it." in texts(lines, "notice")
    talk(root, item, [*ANSWERS, "undo", SECOND, "undo", SECOND])
    assert meta(item)["steps_completed"] == ["00-01"]


MOVES = ["undo", "edit 1", "edit 2", "cut off", "feedback", "elaborate", "quit", "redo", "deeper"]


@pytest.mark.rule("MENU-7", "STEP-5", "SYN-7")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.sampled_from(MOVES), max_size=9))
def test_what_was_answered_last_stands_once_and_undo_gives_the_bytes_back(
    tmp_path_factory: pytest.TempPathFactory, moves: list[str]
) -> None:
    root, item = project(tmp_path_factory.mktemp("play") / "p")
    small_steps(root)
    talk(root, item, [*ANSWERS])
    given = {"edit 1": FIRST, "edit 2": SECOND}
    for number, move in enumerate(moves):
        before, words = read_files(item), f"{number} words of mine"
        match move:
            case "feedback":
                talk(root, item, [f"remark {number} is mine", "undo"])
            case "elaborate":
                talk(root, item, ["E", "We go with A.", "done", "undo"])
            case "undo":
                talk(root, item, ["edit 2", words, "undo"])
            case "edit 1" | "edit 2":
                talk(root, item, [move, words])
                given[move] = words
            case "cut off":
                talk(root, item, ["edit 1"])
                talk(root, item, [words])
                given["edit 1"] = words
            case "redo":
                change_meta(item, lambda meta: meta["depth_overrides"].update({"00-quick-scan": "brief"}))
                talk(root, item, [], reopen="00-01")
            case "deeper":
                change_meta(item, lambda meta: meta["depth_overrides"].update({"00-quick-scan": "deep"}))
                talk(root, item, ["", "", "skip"], reopen="00-01")
            case _:
                talk(root, item, ["quit"])
        if move in ("feedback", "elaborate", "undo", "quit"):
            assert read_files(item) == before
        document = (item / "quick-scan.md").read_text()
        assert [document.count(answer) for answer in given.values()] == [1, 1]
    assert meta(item)["steps_completed"] == ["00-01"]


# --- what steers is never content -----------------------------------------------------------------------


@pytest.mark.rule("MENU-3", "MENU-7")
@pytest.mark.parametrize(
    "words",
    ["help", "?", "undo please", "2", "no", "How do I change an answer?", "menu", "how can I undo this?"],
)
def test_no_word_that_steers_becomes_content_at_a_menu(place: tuple[Path, Path], words: str) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    lines = talk(root, item, [words])
    if not words.startswith("undo"):
        assert read_files(item) == before
        assert texts(lines, "menu")[-1] == texts(lines, "menu")[0]
    assert texts(lines, "feedback") == []


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize(
    ("words", "choice"),
    [
        ("let us elaborate", "elaborate"),
        ("[E] Elaboration Mode -- bring all perspectives to discuss this topic", "elaborate"),
        ("[C] Continue -- move to the next step", "continue"),
        ("[C] Continue to Phase 02 (Impact Analysis)", "continue"),
        ("[S] Skip remaining steps in this phase", "skip"),
    ],
)
def test_the_menu_s_own_text_chooses(words: str, choice: str) -> None:
    assert hear_menu(words, can_skip=True) == choice


@pytest.mark.rule("MENU-7")
@pytest.mark.parametrize("words", ["2", "no", "No.", "40", "change it", "How many users do we have?"])
def test_at_a_question_a_number_or_a_no_is_an_answer(words: str) -> None:
    assert hear_steering(words, at_menu=False) is None


@pytest.mark.rule("MENU-7")
@pytest.mark.parametrize("words", ["skip", "skip it", "dunno, skip", "Skip this one."])
def test_skip_at_a_question_leaves_it_open(place: tuple[Path, Path], words: str) -> None:
    root, item = place
    lines = talk(root, item, [words, SECOND])
    assert texts(lines, "answer")[0] == words
    document = (item / "quick-scan.md").read_text()
    assert "- Open question: What is the point?" in document
    assert words not in document


@pytest.mark.rule("MENU-7", "STEP-5")
@pytest.mark.parametrize("way", ["back", "edit", "correction", "redo"])
def test_skip_keeps_an_answer_that_stands(place: tuple[Path, Path], way: str) -> None:
    root, item = place
    if way == "back":
        talk(root, item, [FIRST, "back", "skip", "skip"])
    elif way == "edit":
        talk(root, item, [*ANSWERS, "edit 1", "skip"])
    elif way == "correction":
        talk(root, item, [*ANSWERS, "No, there are 80 inspectors", "skip"])
    else:
        talk(root, item, [*ANSWERS, "C", "Ten files.", "By hand.", "00-01", "skip", "skip"])
    document = (item / "quick-scan.md").read_text()
    assert FIRST in document
    assert (SECOND in document) is (way != "back")
    assert ("- Open question: How is it measured?" in document) is (way == "back")
    assert "80 inspectors" not in document


@pytest.mark.rule("MENU-7")
def test_quit_pauses_and_nothing_is_lost(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [FIRST, "quit", SECOND])
    assert lines[-1].kind == "paused"
    assert not (item / "quick-scan.md").exists()
    talk(root, item, [SECOND])
    assert FIRST in (item / "quick-scan.md").read_text()


@pytest.mark.rule("EXIT-1")
def test_quit_in_a_discussion_is_asked_about(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "E", "quit", "yes"])
    assert texts(lines, "unclear-exit") == ["Did you want to end the discussion, or continue exploring this?"]
    assert len(meta(item)["elaborations"]) == 1


@pytest.mark.rule("MENU-3")
def test_a_message_to_a_persona_is_answered_and_not_filed(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    lines = talk(root, item, ["What do you think, Alex?"])
    assert read_files(item) == before
    said = [line for line in lines if line.kind == "feedback"]
    assert [line.speaker for line in said] == ["user", "solutions-architect"]


@pytest.mark.rule("MENU-3")
def test_the_offline_panel_shows_what_comes_closest_and_claims_nothing(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "Alex, how many inspectors are there?"], panel=None)
    assert texts(lines, "feedback")[-1].endswith(f'The closest lines in the documents: Measure: "{SECOND}".')
    lines = talk(root, item, ["Jordan, which colour is the roof?"], panel=None)
    assert "I can't answer that from what is written." in texts(lines, "feedback")[-1]


@pytest.mark.rule("MENU-3")
def test_a_model_is_asked_for_an_answer_and_not_for_what_it_makes_of_feedback(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before, model = read_files(item), ScriptedModel()
    talk(root, item, ["What do you think, Alex?"], panel=model.panel())
    (asked,) = [request for request, _ in model.requests if "What do you think, Alex?" in request]
    assert "The user asks you at this step:" in asked
    assert "You are Alex Rivera" in asked
    assert read_files(item) == before


@pytest.mark.rule("MENU-4")
def test_a_skipped_step_can_be_made_up(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", *ANSWERS, "C", *ANSWERS, "S"])
    assert "01-02" not in meta(item)["steps_completed"]
    lines = talk(root, item, [*ANSWERS, "C", *ANSWERS, "01-02", *ANSWERS])
    assert any(text.startswith("Skipped so far: 01-0") for text in texts(lines, "notice"))
    assert "01-02" in meta(item)["steps_completed"]
    assert sum("Welcome back" in text for text in texts(lines, "greeting")) == 1  # at the start


@pytest.mark.rule("MENU-7", "STEP-5")
def test_back_at_the_first_question_asks_the_last_one_of_the_step_before(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    lines = talk(root, item, ["back", "61 inspectors", "C"])
    assert f"Draft, from what stands in the document: {SECOND}" in texts(lines, "question")[1]
    assert "Step 00-02" in texts(lines, "step")[-1]
    document = (item / "quick-scan.md").read_text()
    assert "61 inspectors" in document
    assert FIRST in document
    assert SECOND not in document


@pytest.mark.rule("MENU-7")
def test_new_answers_of_a_complete_step_are_not_left_behind_by_back(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", "It is new.", "7 forms", "C"])
    lines = talk(root, item, ["It is newer.", "back", "back", "", "8 forms", "C"], reopen="00-02")
    assert "This is the first question; there is nothing before it." in texts(lines, "notice")
    assert "It is newer." in (item / "quick-scan.md").read_text()


@pytest.mark.rule("MENU-7")
def test_back_leads_through_steps_and_phases_to_the_very_first_question(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", *ANSWERS, "C"])
    written = read_files(item)
    lines = talk(root, item, ["back"] * 5)
    steps = [text.partition(":")[0][-5:] for text in texts(lines, "step")]
    assert steps == ["00-02", "00-01"]
    assert [FIRST in text for text in texts(lines, "question")] == [False, False, True, False, True, True]
    assert "This is the first question; there is nothing before it." in texts(lines, "notice")
    lines = talk(root, item, ["", "C"])  # from there the analysis goes on where it was
    assert "Step 01-01" in texts(lines, "step")[-1]
    assert read_files(item) == written


@pytest.mark.rule("MENU-7", "GREET-6")
@pytest.mark.parametrize("is_paused", [False, True])
def test_an_answer_that_was_left_by_going_back_waits_for_its_step(
    place: tuple[Path, Path], is_paused: bool
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    back, on = [FIRST, "back", "back"], ["61 inspectors", "C"]
    lines = talk(root, item, back) if is_paused else []
    lines += talk(root, item, on if is_paused else [*back, *on])
    assert SECOND in texts(lines, "question")[-2]
    assert f"Draft, from your answer: {FIRST}" in texts(lines, "question")[-1]
    talk(root, item, ["", "7 forms"])
    document = (item / "quick-scan.md").read_text()
    assert document.count(FIRST) == 2
    assert "61 inspectors" in document and "7 forms" in document


@pytest.mark.rule("MENU-7")
def test_answers_of_a_section_that_was_undone_wait_too(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    lines = talk(root, item, ["Point two.", "7 forms", "undo", "back", "back", "", "C", "", ""])
    assert "Draft, from your answer: Point two." in texts(lines, "question")[-2]
    assert "Draft, from your answer: 7 forms" in texts(lines, "question")[-1]
    assert meta(item)["steps_completed"] == ["00-01", "00-02"]


@pytest.mark.parametrize(
    ("words", "correction"),
    [
        ("No, there are two offices", ("Offices", "There are two offices")),
        ("Actually 40 inspectors", ("People", "40 inspectors")),
        ("There are two offices", None),
        ("No, the printer is broken", None),
        ("No new offices", None),
        ("Offices: two since May", ("Offices", "Offices: two since May")),
    ],
)
def test_what_a_correction_is_about(words: str, correction: tuple[str, str] | None) -> None:
    answers = (("Offices", "There is one office"), ("People", "60 inspectors"))
    assert find_corrected(words, answers) == correction


# --- what an outside reader found -----------------------------------------------------------------------


TWO_SECTIONS = """---
step_id: "00-01"
title: Scope Estimation
persona: business-analyst
depth: standard
outputs: [quick-scan.md]
---
## Brief Mode
### Point
What is the point?
## Standard Mode
### Point
What is the point?
## Deep Mode
### Point
What is the point?
## Artifacts
- quick-scan.md | 1. Scope
- quick-scan.md | 4. Out of Scope
"""


@pytest.mark.rule("MENU-7")
def test_a_step_that_writes_two_sections_is_undone_whole(place: tuple[Path, Path]) -> None:
    root, item = place
    (root / ".roundtable" / "steps" / "00-quick-scan" / "00-01.md").write_text(TWO_SECTIONS)
    talk(root, item, [FIRST])
    assert (item / "quick-scan.md").read_text().count(FIRST) == 2
    talk(root, item, ["undo"])
    assert not (item / "quick-scan.md").exists()
    talk(root, item, ["Once more."])
    before = read_files(item)
    talk(root, item, ["edit 1", "Twice."])
    talk(root, item, ["undo"])
    assert read_files(item) == before


@pytest.mark.rule("MENU-7")
def test_a_step_that_was_opened_again_is_undone_too(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C"])
    talk(root, item, ["One.", "1 inspector", "C"], reopen="00-01")
    before = read_files(item)
    talk(root, item, ["Two.", "2 inspectors", "undo"], reopen="00-01")
    assert read_files(item) == before


@pytest.mark.rule("MENU-7")
def test_what_wrote_nothing_does_not_stand_in_the_way_of_undo(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "I think it is too narrow."])
    document = (item / "quick-scan.md").read_bytes()
    talk(root, item, ["E", "We go with A."])
    (item / "quick-scan.md").unlink()
    talk(root, item, ["done"])
    (item / "quick-scan.md").write_bytes(document)
    talk(root, item, ["undo"])
    assert "too narrow" not in (item / "quick-scan.md").read_text()


@pytest.mark.rule("MENU-7")
def test_an_edit_that_was_left_by_going_back_keeps_every_answer(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "edit 2", "back", "Another point.", "help"])
    document = (item / "quick-scan.md").read_text()
    assert "Another point." in document
    assert SECOND in document
    assert "1 Point, 2 Measure." in texts(lines, "notice")[-1]


@pytest.mark.rule("MENU-7", "MENU-3")
def test_a_correction_that_was_undone_is_gone(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    before = read_files(item)
    lines = talk(root, item, ["No, there are 80 inspectors", "", "undo", "edit 2", ""])
    assert read_files(item) == before
    assert f"Draft, from your answer: {SECOND}" in texts(lines, "question")[-1]


@pytest.mark.rule("MENU-7")
def test_an_edit_of_an_earlier_session_s_answer_that_was_undone_is_gone(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS])
    change_meta(item, lambda meta: meta["depth_overrides"].update({"00-quick-scan": "brief"}))
    talk(root, item, ["edit 2", "7 inspectors", "undo", "edit 1", "Another point."], reopen="00-01")
    document = (item / "quick-scan.md").read_text()
    assert SECOND in document
    assert "7 inspectors" not in document
    assert "Another point." in document


@pytest.mark.rule("DEPTH-2")
def test_a_depth_word_answers_a_follow_up(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [FIRST, "many of them", "quick"])
    assert "quick" in (item / "quick-scan.md").read_text()
    assert meta(item)["depth_overrides"] == {}


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize(
    "words",
    [
        "Complete analysis of failure modes is missing here.",
        "Continue to phase out the fax orders",
        "Skip remaining steps in this phase only if QA agrees",
    ],
)
def test_a_remark_that_begins_like_the_menu_is_feedback(words: str) -> None:
    assert hear_menu(words, can_skip=True) == "feedback"


@pytest.mark.rule("MENU-7")
@pytest.mark.parametrize("words", ["Leave.", "Pause", "Menu", "previous", "q"])
def test_few_words_steer_at_a_question(words: str) -> None:
    assert hear_steering(words, at_menu=False) is None


@pytest.mark.rule("SYN-8")
def test_whether_a_synthesis_is_reviewed_depends_on_who_sits_there_now(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "We go with A.", "done"], review=True)
    assert "Elaboration Insights" not in (item / "quick-scan.md").read_text()
    lines = talk(root, item, [])
    assert texts(lines, "review") == []
    assert "Elaboration Insights" in (item / "quick-scan.md").read_text()
    lines = talk(root, item, ["E", "We go with B.", "done"], review=True)
    assert lines[-2].awaits == "review"
