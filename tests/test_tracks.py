"""Tracks: an item is asked what its kind and size need, and no more (STEP-9)."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from drafts import ask
from legs_play import Play, opening
from people import JOURNEYS
from project import kinds, meta, talk, texts
from roundtable.catalogue import read_tracks
from roundtable.core.analysis import Stage
from roundtable.core.commands import AskOffers
from roundtable.core.lines import Line
from roundtable.core.steps import PHASE_KEYS, Item, Question
from roundtable.core.tracks import TrackChoice, hear_track, propose_track
from roundtable.panel.offline import OfflinePanel
from roundtable.project import Project
from roundtable.runtime.draft_answers import collect_offers
from roundtable.runtime.session import Session
from roundtable.store import files
from roundtable.store.items import add_item
from tools.example import EXAMPLE

BUG = (
    "Renewal at the desk answers 500 when the loan id is unknown\n\n"
    "The desk page for renewals fails with a server error when staff type a loan number "
    "that is not on the card."
)
SMALL = "Rename the column `due` in the daily list to `due date`\n\nReaders take it for a duty to pay."
FEATURE = "Reserve a book by telephone\n\nA reader calls, and the desk reserves the next free copy for them."
BUG_ANSWERS = (
    "Type 99 into the loan field and press Renew. It happens every time.",
    "",
    "library/desk.py:12 looks the loan up and takes it for found.",
    "Answer 404 with the number. Catching every exception would hide the next fault.",
    "tests/test_desk.py: renew(99) answers 404 and changes no loan.",
    "The night report counts answers of 500; it has to count 404 too.",
    "",
)
SMALL_ANSWERS = (
    "The field in the database keeps its name.",
    "When the daily list is printed, its third column is headed `due date`.",
    "",
    "library/reminders.py:14 writes the heading.",
    "Change the heading only; renaming the field as well would break the import of the branches.",
    "tests/test_reminders.py: the first line of the list ends in `due date`.",
    "",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE / "project", tmp_path / "project")
    shutil.rmtree(tmp_path / "project" / "docs")
    return tmp_path / "project"


def prompts(lines: list[Line]) -> int:
    """How often the user was waited for, the pause at the end not counted."""
    return kinds(lines).count("listen") - (kinds(lines)[-1] == "paused")


def documents(item: Path) -> list[str]:
    return sorted(path.name for path in item.iterdir() if path.is_file() and path.name not in MACHINERY)


MACHINERY = ("meta.json", "draft.md")


@pytest.mark.rule("STEP-9", "META-4")
def test_a_bug_takes_at_most_eight_prompts_and_two_documents(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    lines = talk(root, item, ["", *BUG_ANSWERS], panel=OfflinePanel())
    assert kinds(lines)[-1] == "done"
    assert prompts(lines) <= 8
    assert documents(item) == ["bug-report.md"]
    text = (item / "bug-report.md").read_text()
    for answer in filter(None, BUG_ANSWERS):
        assert answer in text
    recorded = meta(item)
    assert recorded["track"] == "bug"
    assert recorded["analysis_status"] == "analyzed"
    assert recorded["phases_completed"] == list(PHASE_KEYS)
    assert len(recorded["steps_not_needed"]) == 24
    assert recorded["steps_completed"] == ["00-11", "02-11"]
    assert "skip" not in text + json.dumps(recorded)
    assert Project(root).check(item.name).problems == ()


@pytest.mark.rule("STEP-9")
def test_a_small_change_takes_at_most_twelve_prompts_and_one_document(root: Path) -> None:
    item = add_item(root, SMALL, commit=None)
    lines = talk(root, item, ["", *SMALL_ANSWERS], panel=OfflinePanel())
    assert kinds(lines)[-1] == "done"
    assert prompts(lines) <= 12
    assert documents(item) == ["change-plan.md"]
    assert meta(item)["track"] == "small"
    assert Project(root).check(item.name).problems == ()


@pytest.mark.rule("STEP-9")
def test_the_proposal_names_its_word_and_is_taken_with_enter(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    lines = talk(root, item, [""], panel=OfflinePanel())
    assert "bug fix (it says 'fails')" in texts(lines, "question")[0]
    assert meta(item)["track"] == "bug"
    assert "00-11" in texts(lines, "step")[0]


@pytest.mark.rule("GREET-1", "GREET-2")
def test_a_lead_introduces_itself_once_also_where_the_track_was_left_open(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    first = talk(root, item, [], panel=OfflinePanel())
    assert texts(first, "greeting")[0].startswith("Maya Chen: Hi, I'm Maya")
    again = talk(root, item, [], panel=OfflinePanel())
    assert texts(again, "greeting") == ["Maya Chen: Welcome back. Let us pick up from What Happens."]
    assert texts(again, "question") == texts(first, "question")


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize(
    ("said", "step"), [("feature", "00-01"), ("small", "00-21"), ("it's a bug", "00-11")]
)
def test_one_word_changes_the_track(root: Path, said: str, step: str) -> None:
    item = add_item(root, BUG, commit=None)
    lines = talk(root, item, [said], panel=OfflinePanel())
    assert meta(item)["track"] == said.split()[-1]
    assert f"Step {step}" in texts(lines, "step")[-1]


@pytest.mark.rule("STEP-9")
def test_a_feature_says_how_to_make_it_shorter_and_asks_at_once(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    lines = talk(root, item, [], panel=OfflinePanel())
    assert "Type `bug` or `small` to change that" in texts(lines, "notice")[0]
    assert "Step 00-01" in texts(lines, "step")[0]
    talk(root, item, ["small"], panel=OfflinePanel())
    assert meta(item)["track"] == "small"


@pytest.mark.rule("STEP-9")
def test_other_words_at_the_proposal_are_asked_about_and_lost_nowhere(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    lines = talk(root, item, ["What do you mean?"], panel=OfflinePanel())
    assert "`track feature`" in texts(lines, "notice")[-1]
    assert texts(lines, "notice")[-1].endswith("Enter goes on.")
    assert "track" not in meta(item)


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize(
    "said",
    ["No, that is something else", "it is rather a small change I think", "I really don't know yet", "hm hm",
     "which of them fits this best", "edit 1 something else", "is this a bug at all?",
     "change the track of this", "I do not think this is a bug", "I want to quit for today"],
)  # fmt: skip
def test_doubts_at_the_proposal_take_nothing(root: Path, said: str) -> None:
    item = add_item(root, BUG, commit=None)
    talk(root, item, [said], panel=OfflinePanel())
    assert "track" not in meta(item)


@pytest.mark.rule("STEP-9")
def test_another_track_later_asks_only_for_what_is_missing(root: Path) -> None:
    item = add_item(root, SMALL, commit=None)
    talk(root, item, ["", *SMALL_ANSWERS[:3]], panel=OfflinePanel())
    assert meta(item)["steps_completed"] == ["00-21"]
    lines = talk(root, item, [*SMALL_ANSWERS[3:6], "track feature"], panel=OfflinePanel())
    recorded = meta(item)
    assert recorded["track"] == "feature"
    assert "steps_not_needed" not in recorded
    assert recorded["phases_completed"] == []
    assert "Step 00-01" in texts(lines, "step")[-1]
    assert recorded["steps_completed"] == ["00-21", "02-21"]
    lines = talk(root, item, [""] * 200, panel=OfflinePanel())
    assert kinds(lines)[-1] == "done"
    assert meta(item)["analysis_status"] == "analyzed"
    # What the short track asked for is offered where the long one asks for the same.
    assert "The field in the database keeps its name." in (item / "quick-scan.md").read_text()
    assert "its third column is headed `due date`" in (item / "requirements-spec.md").read_text()


@pytest.mark.rule("STEP-9")
def test_a_finished_bug_can_still_become_a_feature(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    talk(root, item, ["", *BUG_ANSWERS], panel=OfflinePanel())
    lines = talk(root, item, ["track feature"], panel=OfflinePanel())
    assert meta(item)["phases_completed"] == []
    assert "Step 00-01" in texts(lines, "step")[-1]
    assert (item / "bug-report.md").is_file()


@pytest.mark.rule("STEP-9")
def test_an_item_begun_without_a_track_is_a_feature(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    recorded = meta(item) | {"steps_completed": ["00-01"]}
    (item / "meta.json").write_text(json.dumps(recorded))
    lines = talk(root, item, [], panel=OfflinePanel())
    assert "Step 00-02" in texts(lines, "step")[0]
    assert "track" not in meta(item)


@pytest.mark.rule("STEP-9", "STEP-7")
def test_a_project_adds_its_own_track_with_its_own_steps(root: Path) -> None:
    folder = root / ".roundtable" / "tracks"
    (folder / "spike" / "00-quick-scan").mkdir(parents=True)
    (folder / "spike.md").write_text(
        "---\nkey: spike\ntitle: spike\nsummary: one question\nshort: true\nwords: [try out]\n"
        'steps: ["00-51"]\n---\n'
    )
    broken = (folder / "spike.md").read_text().replace("key: spike", "key: probe").replace("00-51", "09-99")
    (folder / "probe.md").write_text(broken)
    (folder / "spike" / "00-quick-scan" / "01-question.md").write_text(
        '---\nstep_id: "00-51"\ntitle: The Question\npersona: business-analyst\ndepth: brief\n'
        "outputs: [spike.md]\n---\n## Questions\n### Question\nWhat do you want to know?\n"
        "## Artifacts\n- spike.md | 1. Question\n"
    )
    item = add_item(root, "Try out the new scanner", commit=None)
    lines = talk(root, item, ["", "Whether it reads wet labels.", ""], panel=OfflinePanel())
    (notice,) = (text for text in texts(lines, "notice") if "probe.md" in text)
    assert "steps: there is no step 09-99. The file is skipped." in notice
    assert kinds(lines)[-1] == "done"
    assert documents(item) == ["spike.md"]
    assert meta(item)["phases_completed"] == list(PHASE_KEYS)


@pytest.mark.rule("GREET-1")
def test_a_persona_introduces_itself_once(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    lines = talk(root, item, ["brief", *[""] * 120], panel=OfflinePanel())
    greetings = texts(lines, "greeting")
    assert kinds(lines)[-1] == "done"
    assert sum("Hi, I'm Maya" in text for text in greetings) == 1
    assert sum("Hi, I'm Alex" in text for text in greetings) == 1
    assert "Maya Chen: Next is Requirements Discovery." in greetings


@pytest.mark.rule("STEP-4", "MENU-3")
def test_what_is_said_below_a_draft_is_added_to_it(root: Path) -> None:
    item = add_item(root, SMALL, commit=None)
    said = "Only the printed list gets the new heading."
    talk(root, item, ["", *SMALL_ANSWERS[:2], said], panel=OfflinePanel())
    text = (item / "change-plan.md").read_text()
    assert "**Change**: Readers" in text
    assert said in text


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize(
    ("title", "text", "track"),
    [
        ("Responses in a history list themselves", "Pickling one dies with RecursionError.", "bug"),
        ("Panel title and subtitle lose the background", "Expected: they stand on it.", "bug"),
        ("Let click.edit take a pathlib.Path as filename", "Today it wants a str.", "small"),
        (
            "GZipMiddleware compresses for clients that refuse gzip",
            "A client that sends `gzip;q=0` gets a gzip body. GZipMiddleware only looks whether the word "
            "is there. RFC 9110 says that q=0 means not acceptable. Found with a proxy that cannot unpack.",
            "bug",
        ),
        ("Export writes the same row again", "Found while closing the month.", "bug"),
        ("The date in the footer", "It has no effect to change it: setting the zone does nothing.", "bug"),
        ("Checkout total becomes negative when the discount is large", "total([1], 3) gives -2", "bug"),
        ("Serve precompressed static files", "When app.js.gz lies beside app.js, send it.", "feature"),
        ("Let members renew their loans at home", "Nobody has to call then.", "feature"),
        (
            "Restart worker processes that die",
            "word " * 80 + "One that fails at startup stays dead.",
            "feature",
        ),
    ],
)
def test_a_track_is_proposed_by_the_title_and_the_beginning(
    root: Path, title: str, text: str, track: str
) -> None:
    tracks, _ = read_tracks(root)
    proposed = propose_track(tracks, Item("item", title, text))
    assert (proposed.track.key if proposed else "feature") == track


@pytest.mark.rule("STEP-9")
def test_the_first_word_of_a_title_is_not_told_as_the_reason(root: Path) -> None:
    item = add_item(root, "Add --json to the export command", commit=None)
    asked = texts(talk(root, item, [], panel=OfflinePanel()), "question")[0]
    assert "small change:" in asked and "it says" not in asked


@pytest.mark.rule("DEPTH-1", "DEPTH-3")
def test_the_depth_stays_where_the_user_put_it(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    lines = talk(root, item, ["deep", *["no idea", ""] * 60], panel=OfflinePanel())
    assert meta(item)["depth_overrides"] == {"00-quick-scan": "deep"}
    said = [text for text in texts(lines, "depth") if "thorough" in text]
    assert len(said) == 1
    assert any("Frequency" in text or "How often" in text for text in texts(lines, "question"))


@pytest.mark.rule("ENTRY-2", "MENU-3")
def test_the_user_chooses_who_joins_the_lead(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    words = ["", BUG_ANSWERS[0], "E alex", "We answer 404.", "done", "", "E maya"]
    lines = talk(root, item, words, panel=OfflinePanel())
    assert "Bringing Alex Rivera (Solutions Architect)" in texts(lines, "introduction")[0]
    assert {line.speaker for line in lines if line.kind == "contribution"} <= {
        "business-analyst", "solutions-architect", "user",
    }  # fmt: skip
    assert meta(item)["elaborations"][0]["personas_active"] == ["business-analyst", "solutions-architect"]


@pytest.mark.rule("STEP-4", "STEP-9")
@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("To reproduce:\n\n1. Open the card.\n2. Press Renew twice.", "- Press Renew twice."),
        ("Steps to repeat it:\n\n```python\nrenew(99)\n```\n", "```python\nrenew(99)\n```"),
    ],
)
def test_how_to_repeat_it_is_taken_from_the_item(root: Path, told: str, found: str) -> None:
    item = add_item(root, f"{BUG}\n\n{told}", commit=None)
    lines = talk(root, item, [""], panel=OfflinePanel())
    assert "How to Repeat, from the item: " in texts(lines, "notice")[-1]
    assert found in (item / "bug-report.md").read_text()


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("draft", "offered"),
    [
        ("item wish", "The list is sorted."),
        ("item", "The list is wrong."),
        ("item whole", "The list is wrong. Expected: the list is sorted."),
    ],
)
def test_a_draft_is_what_the_item_asks_for_or_how_it_begins_or_its_title(draft: str, offered: str) -> None:
    item = Item("list", "The list", "The list is wrong.\n\nExpected: the list is sorted.")
    questions = (Question("Expected", "What should happen?", draft=draft),)
    request = AskOffers(ask("00-01", {}, item=item), questions)
    (offer,) = collect_offers(request, {}, lambda _: None)
    assert offer.text == offered


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("The list is long. " * 30, ("The list is long. " * 22).strip()),
        ("list " * 100, "list " * 79 + "list ..."),
        ("貸出" * 300, "貸出" * 200 + " ..."),
    ],
)
def test_a_draft_from_a_long_item_ends_with_a_sentence_or_a_word(text: str, offered: str) -> None:
    item = Item("list", "The list", text)
    request = AskOffers(ask("00-01", {}, item=item), (Question("Change", "What?", draft="item"),))
    (offer,) = collect_offers(request, {}, lambda _: None)
    assert offer.text == offered


@pytest.mark.rule("STEP-9", "STEP-4")
def test_a_feature_asks_at_most_16_questions_in_phase_01_with_follow_ups(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    asked = 0

    async def run() -> None:
        nonlocal asked
        session = Session(root, item.name, panel=OfflinePanel())
        answers = itertools.chain(["standard"], itertools.repeat("The desk keeps the slip for the caller."))
        async for line in session.lines():
            analysis = session.analysis
            if analysis is None or line.kind != "listen":
                continue
            number = analysis.opening.phase.number
            is_question = analysis.stage is Stage.ANSWER
            asked += is_question and number == "01"
            session.say(next(answers) if is_question else "")
            if number == "02":
                await session.close()

    asyncio.run(run())
    assert "01-requirements" in meta(item)["phases_completed"]
    # Two of them are follow-ups: a figure for the success, and when a criterion holds.
    assert asked == 16


TITLES = {"feature": "feature", "bug": "bug fix", "small": "small change"}
CHOICES = tuple(TrackChoice(key, title, "") for key, title in TITLES.items())


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize(
    ("said", "track"),
    [("bug", "bug"), ("`small`", "small"), ("its a bug", "bug"), ("It’s a bug.", "bug"),
     ("This is a bug fix", "bug"), ("a small change", "small"), ("Feature!", "feature"),
     ("No, it's a small change.", "small"), ("Please take it as a feature", "feature")],
)  # fmt: skip
def test_while_a_track_is_proposed_its_name_chooses_it(said: str, track: str) -> None:
    wish = hear_track(said, CHOICES, is_open=True)
    assert wish and wish.track and wish.track.key == track
    assert hear_track(said, CHOICES, is_open=False) is None


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize(
    "said",
    ["its a bug that the export drops the last row", "it's a bug in the export", "no bug", "it's not a bug",
     "it is small", "make it small", "a small file", "the bug", "bug reports from users", "feature flags",
     "It's a bug, the export drops rows", "small and fast", "is it a bug?", "a bug tracker, we have none",
     "so small that it fits", "track shipments in the list", "Take it as a bug in the CRM.",
     "Please take it as a feature, we want to rework the leases.", "It's a bug: rows get lost.",
     "A bug - no, a feature", "Bug, or small?"],
)  # fmt: skip
def test_a_sentence_that_says_more_is_an_answer(said: str) -> None:
    assert hear_track(said, CHOICES, is_open=True) is None


@pytest.mark.rule("STEP-9")
def test_only_track_and_a_name_is_a_command() -> None:
    for said in ("track bug", "Track: bug", "change the track to bug", "switch track to bug."):
        wish = hear_track(said, CHOICES, is_open=False)
        assert wish and wish.is_command and wish.track == CHOICES[1], said
    for said in ("The track is small.", "tracks feature", "the track small", "change track small"):
        assert hear_track(said, CHOICES, is_open=False) is None, said


@pytest.mark.rule("STEP-9")
@pytest.mark.parametrize("said", ["bug", "its a bug"])
@pytest.mark.parametrize(
    "before", [[], ["skip"], ["A reader calls."], ["A reader calls.", "No other branch."]]
)
def test_the_name_of_a_track_works_as_long_as_it_is_proposed(
    root: Path, before: list[str], said: str
) -> None:
    item = add_item(root, FEATURE, commit=None)
    lines = talk(root, item, [*before, said], panel=OfflinePanel())
    assert meta(item)["track"] == "bug"
    assert "Step 00-11" in texts(lines, "step")[-1]
    written = "".join(path.read_text() for path in item.glob("*.md") if path.name != "draft.md")
    assert all(answer in written for answer in before if answer != "skip")
    assert said not in written


@pytest.mark.rule("STEP-9", "MENU-7")
def test_track_and_a_name_work_at_any_question_and_lose_no_answer(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    talk(root, item, ["", "Type 99 and press Renew.", "", "library/desk.py:12"], panel=OfflinePanel())
    lines = talk(root, item, ["track feature"], panel=OfflinePanel())
    assert meta(item)["track"] == "feature"
    assert meta(item)["steps_completed"] == ["00-11"]  # the step in hand is not complete
    assert "library/desk.py:12" in (item / "bug-report.md").read_text()
    assert "track feature" not in (item / "bug-report.md").read_text()
    assert "Step 00-01" in texts(lines, "step")[-1]
    assert Project(root).check(item.name).problems == ()
    lines = talk(root, item, ["track bug", "C"], panel=OfflinePanel())
    assert "Step 02-11" in texts(lines, "step")[-1]
    assert "library/desk.py:12" in texts(lines, "notice")[-1]  # taken as it stands
    lines = talk(root, item, list(BUG_ANSWERS[3:]), panel=OfflinePanel())
    assert kinds(lines)[-1] == "done"
    assert (item / "bug-report.md").read_text().count("library/desk.py:12") == 1


@pytest.mark.rule("STEP-9", "MENU-7")
def test_the_proposed_track_named_after_an_answer_goes_on_with_the_step(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    lines = talk(root, item, ["A reader calls.", "track feature", "No other branch."], panel=OfflinePanel())
    assert meta(item)["track"] == "feature"
    assert texts(lines, "question")[-2] == texts(lines, "question")[-1]
    assert "A reader calls." in (item / "quick-scan.md").read_text()
    assert texts(lines, "menu") != []


@pytest.mark.rule("STEP-9", "GREET-6")
def test_a_track_change_in_a_step_that_is_cut_off_anywhere_is_finished(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = add_item(root, BUG, commit=None)
    talk(root, begun, ["", "Type 99 and press Renew.", "", "library/desk.py:12"], panel=OfflinePanel())
    for cut in itertools.count(1):
        again = tmp_path / str(cut)
        shutil.copytree(root, again)
        item, points = again / begun.relative_to(root), itertools.count(1)

        def reach(point: str, points: itertools.count[int] = points, cut: int = cut) -> None:
            if next(points) == cut:
                raise RuntimeError(point)

        monkeypatch.setattr(files, "checkpoint", reach)
        with contextlib.suppress(RuntimeError):
            talk(again, item, ["track feature"], panel=OfflinePanel())
        monkeypatch.undo()
        lines = talk(again, item, [], panel=OfflinePanel())
        if meta(item)["track"] == "bug":  # it was cut off before the words counted
            lines = talk(again, item, ["track feature"], panel=OfflinePanel())
        assert meta(item)["track"] == "feature"
        assert (item / "bug-report.md").read_text().count("library/desk.py:12") == 1
        assert "Suppose it is finished" in texts(lines, "question")[-1]
        assert "Step 02-11" in texts(talk(again, item, ["track bug", "C"], panel=OfflinePanel()), "step")[-1]
        assert meta(item)["track"] == "bug"
        if next(points) <= cut:  # nothing was left to cut off
            return


@pytest.mark.rule("STEP-9", "MENU-7")
def test_a_track_named_while_an_answer_is_asked_again_keeps_the_answer(root: Path) -> None:
    item = add_item(root, FEATURE, commit=None)
    first, second = "The desk reserves a copy.", "No other branch."
    lines = talk(root, item, [first, second, "E", "done", "edit 2", "track small"], panel=OfflinePanel())
    assert meta(item)["track"] == "small"
    assert "Step 00-21" in texts(lines, "step")[-1]
    again = add_item(root, "Lend a book by post", commit=None)
    talk(root, again, [first, "back", "back", "track small"], panel=OfflinePanel())
    for folder in (item, again):
        assert first in (folder / "quick-scan.md").read_text()
    assert second in (item / "quick-scan.md").read_text()


@pytest.mark.rule("STEP-9")
def test_a_sentence_that_says_more_than_the_track_takes_nothing_where_the_track_is_asked(root: Path) -> None:
    item = add_item(root, BUG, commit=None)
    said = "Please take it as a feature, we want to rework the leases."
    lines = talk(root, item, [said], panel=OfflinePanel())
    assert "track" not in meta(item)
    assert texts(lines, "notice")[-1].startswith(
        "Please choose the track first; nothing of this was kept as an answer."
    )


@pytest.mark.rule("STEP-9")
def test_a_track_that_the_question_names_is_an_answer() -> None:
    asked = (Question("Size", "Is it small, medium or large?"), Question("Other", "What else?"))
    play = Play(opening(replace(JOURNEYS, standard=asked), track="feature", tracks=CHOICES, proposal="x"))
    play.says("small", "small")
    assert [answer.text for answer in play.now.answers] == ["small"]
    assert play.now.chosen == CHOICES[2]
