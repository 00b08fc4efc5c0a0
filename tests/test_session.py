"""The session: lines out, words in, all on disk before it counts (GREET-6, META-6, FAIL-1, VOICE-2)."""

from __future__ import annotations

import asyncio
import json
import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from project import ANSWERS, TEXT, kinds, meta, talk, texts
from roundtable.core.commands import AskOffers, Brief
from roundtable.core.errors import ItemCorrupt, ItemLocked, ItemUnknown, PanelFailed, RuleBroken
from roundtable.core.events import Saved
from roundtable.core.lines import Line, not_taken
from roundtable.core.steps import PHASE_KEYS
from roundtable.core.text import strip_unprintable, unescape_markdown
from roundtable.core.turns import USER, Verdict
from roundtable.panel.base import OnWords, PanelRequest, Speech, ignore_words
from roundtable.panel.offline import OfflinePanel
from roundtable.runtime.resume import read_leg
from roundtable.runtime.session import Session
from roundtable.store import files
from roundtable.store.items import add_item
from roundtable.store.journal import Journal
from roundtable.store.lock import item_lock
from roundtable.testing import ScriptedPanel

# --- the way through ------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4", "MENU-1", "GREET-1")
def test_a_step_asks_writes_saves_and_ends_at_its_menu(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, ANSWERS)
    assert kinds(lines) == [
        "greeting", "notice", "step", "question", "listen", "answer", "question", "listen", "answer",
        "update", "update", "menu", "listen", "paused",
    ]  # fmt: skip
    assert [line.awaits for line in lines if line.kind == "listen"] == ["answer", "answer", "menu"]
    assert meta(item)["steps_completed"] == ["00-01"]
    assert "The inspector retypes forms." in (item / "quick-scan.md").read_text()
    assert lines[-1].text == f"Paused; everything is saved. Go on with: roundtable analyze {item.name}"


@pytest.mark.rule("STEP-4", "MENU-1")
@pytest.mark.parametrize("key", ["C", "c", "[C]"])
def test_the_letters_of_a_menu_answer_no_question(place: tuple[Path, Path], key: str) -> None:
    root, item = place
    lines = talk(root, item, [key, *ANSWERS])
    assert "at the menu after this step" in texts(lines, "notice")[-1]
    assert meta(item)["steps_completed"] == ["00-01"]
    assert f": {key}" not in (item / "quick-scan.md").read_text()


@pytest.mark.rule("STEP-6", "GREET-4", "META-4", "STEP-3")
def test_the_whole_analysis_runs_to_its_end(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "C"] * 10)
    assert kinds(lines)[-1] == "done"
    done = meta(item)
    assert done["phases_completed"] == list(PHASE_KEYS)
    assert done["analysis_status"] == "analyzed"
    assert len(done["steps_completed"]) == 10
    handoffs = [text for text in texts(lines, "handoff") if "Handing off" in text]
    assert [text.split(" has finished")[0] for text in handoffs] == ["Maya Chen", "Alex Rivera"]
    assert len(texts(lines, "greeting")) == 5
    assert not list((item / ".journal").glob("*.jsonl"))
    again = talk(root, item, [])
    assert kinds(again) == ["greeting", "menu", "listen", "paused"]
    over = talk(root, item, ["S"])
    assert kinds(over)[:4] == ["greeting", "menu", "listen", "choice"]
    assert "step" in kinds(over)
    assert meta(item)["phases_completed"] == []


@pytest.mark.rule("GREET-4")
@pytest.mark.parametrize("text", ["", "60 inspectors"])
def test_the_incoming_persona_reads_where_there_is_something_to_read(
    place: tuple[Path, Path], text: str
) -> None:
    root, item = place
    talk(root, item, [*[*ANSWERS, "C"] * 3, *ANSWERS])
    for document in (item / "quick-scan.md", item / "requirements-spec.md"):
        document.write_text(text)
    panel = ScriptedPanel()
    lines = talk(root, item, ["C"], panel=panel)
    assert any("Handing off to Alex" in each for each in texts(lines, "handoff"))
    assert ("read" in panel.asked) == bool(text)


@pytest.mark.rule("MENU-5", "SYN-6", "META-5", "ART-4", "EXIT-3")
def test_an_elaboration_reaches_the_document_the_record_and_the_transcript(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "E", "We go with A.", "done"], user_name="Sam")
    assert kinds(lines)[-3:] == ["menu", "listen", "paused"]
    (record,) = meta(item)["elaborations"]
    assert record["step_id"] == "00-01"
    assert record["turn_count"] == max(line.turn or 0 for line in lines) == 5
    assert record["synthesis_summary"] == "Identified 1 gap"
    document = (item / "quick-scan.md").read_text()
    assert document.count(f"<!-- Elaboration: step 00-01, {record['timestamp']} -->") == 1
    assert "- We go with A: said so" in document
    assert (
        texts(lines, "update")[-1]
        == 'Updated quick-scan.md, section "1. Scope": added 1 insight, 1 decision.'
    )
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "We go with A." in transcript
    assert "scripted" in transcript


@pytest.mark.rule("META-5", "EXIT-3")
def test_several_elaborations_of_one_step_are_appended(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "done", "E", "done"])
    assert [record["step_id"] for record in meta(item)["elaborations"]] == ["00-01", "00-01"]
    assert sorted(path.name for path in (item / "elaborations").iterdir()) == ["00-01-1.md", "00-01-2.md"]
    assert (item / "quick-scan.md").read_text().count("<!-- Elaboration: step 00-01") == 2


@pytest.mark.rule("MENU-3")
def test_feedback_lands_in_the_section(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "The office may be offline too."])
    assert texts(lines, "feedback") == [
        "The office may be offline too.",
        "Maya Chen (Business Analyst): I take that up: The office may be offline too.",
    ]
    assert "The office may be offline too." in (item / "quick-scan.md").read_text()


@pytest.mark.rule("MENU-4", "STEP-6")
def test_skipping_completes_the_phase_but_not_its_steps(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "S"])
    assert meta(item)["phases_completed"] == ["00-quick-scan"]
    assert meta(item)["steps_completed"] == ["00-01"]
    assert "skipped" in (item / "quick-scan.md").read_text()


@pytest.mark.rule("MENU-4")
@pytest.mark.parametrize(
    ("words", "is_skipped"),
    [("S", True), ("yes", True), ("skip", True), ("", False), ("no", False), ("K", False), ("E", False),
     ("The office may be offline too.", False)],
)  # fmt: skip
def test_skipping_is_asked_for_twice_where_somebody_can_be_asked(
    place: tuple[Path, Path], words: str, is_skipped: bool
) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "S", words], interactive=True)
    menus = texts(lines, "menu")
    assert menus[1].startswith("Skip the remaining steps in this phase?")
    assert meta(item)["phases_completed"] == (["00-quick-scan"] if is_skipped else [])
    if not is_skipped:
        assert menus[2:] == menus[:1]
        assert "office" not in (item / "quick-scan.md").read_text()
        assert not texts(lines, "feedback") and not meta(item)["elaborations"]
        told = "Nothing was skipped, and these words were not kept." in texts(lines, "notice")
        assert told == (words not in ("", "no", "K"))


@pytest.mark.rule("DEPTH-1", "DEPTH-2", "DEPTH-4")
def test_the_depth_is_stored_per_phase_and_used_on_the_next_start(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, ["deep"])
    assert texts(lines, "depth") == ["Got it, switching to deep mode."]
    assert meta(item)["depth_overrides"] == {"00-quick-scan": "deep"}
    bad = meta(item) | {"depth_overrides": {"00-quick-scan": "DEEPEST"}}
    (item / "meta.json").write_text(json.dumps(bad))
    talk(root, item, ["x", "60", "C"])
    assert meta(item)["depth_overrides"] == {"00-quick-scan": "DEEPEST"}


@pytest.mark.rule("FOCUS-2")
def test_a_parked_point_comes_up_when_its_step_starts(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "How is the weather?", "done"])
    assert "the weather" in (item / "parking-lot.md").read_text()
    lines = talk(root, item, ["C", *[*ANSWERS, "C"] * 6, *ANSWERS, "C"])
    assert any("03-02" in line.text for line in lines if line.kind == "step")
    assert any("the weather" in text for text in texts(lines, "notice"))


# --- pausing and going on -------------------------------------------------------------------------------


@pytest.mark.rule("GREET-6", "META-6")
def test_answers_already_given_are_kept(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    lines = talk(root, item, ["60 inspectors"])
    assert kinds(lines)[:3] == ["greeting", "resume", "question"]
    assert texts(lines, "resume") == ["The inspector retypes forms."]
    assert texts(lines, "question") == ["How is it measured?"]
    assert texts(lines, "greeting") == ["Maya Chen: Welcome back. Let us pick up from Scope Estimation."]
    assert meta(item)["steps_completed"] == ["00-01"]
    assert "The inspector retypes forms." in (item / "quick-scan.md").read_text()


@pytest.mark.rule("GREET-6", "GREET-2")
def test_a_restart_at_an_open_menu_shows_the_greeting_then_that_menu(place: tuple[Path, Path]) -> None:
    root, item = place
    first = talk(root, item, ANSWERS)
    lines = talk(root, item, ["C"])
    assert kinds(lines)[:3] == ["greeting", "resume", "menu"]
    assert texts(lines, "menu")[0] == texts(first, "menu")[0]
    assert texts(lines, "greeting")[0] == (
        "Maya Chen: Welcome back. Last time we completed Scope Estimation. "
        "Let us pick up from the menu of Scope Estimation; Keyword Search comes next."
    )


@pytest.mark.rule("GREET-3")
def test_a_restart_at_an_open_menu_names_what_was_discussed_there(place: tuple[Path, Path]) -> None:
    root, item = place
    said = "Photos weigh 3 MB each and there are forty."
    talk(root, item, [*ANSWERS, "E", said, "done", "E", "Alex, who pays?", "done"], panel=OfflinePanel(root))
    (greeting,) = texts(talk(root, item, [], panel=OfflinePanel(root)), "greeting")
    on_step = "We also had a roundtable discussion on step 00-01 where we"
    assert f'{on_step} found: "{said[:-1]}". {on_step} left open: "Who pays?". Let us pick up' in greeting


@pytest.mark.rule("GREET-6", "LOOP-2")
def test_a_discussion_that_was_cut_off_resumes_without_asking_where_nobody_can_be_asked(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    first = talk(root, item, [*ANSWERS, "E", "Alex, why?"])
    said = [line.turn for line in first if line.kind == "contribution"]
    panel = ScriptedPanel()
    lines = talk(root, item, ["done"], panel=panel)
    assert "The discussion of step 00-01 was cut off at turn 5 of 10." in texts(lines, "resume")
    assert texts(lines, "resume")[1:] == ["Alex, why?", texts(first, "contribution")[-1]]
    assert panel.asked == ["synthesise"]
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == len(said) == 5


@pytest.mark.rule("GREET-6")
@pytest.mark.parametrize(("choice", "turns"), [("wrap up", 3), ("resume", 5)])
def test_at_a_terminal_a_cut_off_discussion_is_offered_again(
    place: tuple[Path, Path], choice: str, turns: int
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E"])
    lines = talk(
        root, item, [choice, "Alex, why?", "done"][: 1 if choice == "wrap up" else 3], interactive=True
    )
    assert texts(lines, "menu")[0].startswith(
        "Resume the discussion, or wrap up from what was said?\n[R] Resume"
    )
    assert meta(item)["elaborations"][0]["turn_count"] == turns


@pytest.mark.rule("GREET-6")
def test_other_words_resume_the_discussion_and_are_said_there(place: tuple[Path, Path]) -> None:
    root, item = place
    first = talk(root, item, [*ANSWERS, "E"])
    words = ["hm", "Alex, why not at night?", "done"]
    lines = talk(root, item, words, interactive=True)
    asked = kinds(lines).index("menu")
    last = texts(first, "contribution")[-1]
    assert [line.text for line in lines[:asked] if line.kind == "contribution"] == [last]
    assert texts(lines, "contribution").count(last) == 1
    assert texts(lines, "notice") == ["That is not one of the choices."]
    assert any("why not at night?" in text for text in texts(lines, "contribution"))
    assert meta(item)["elaborations"][0]["turn_count"] == 5


@pytest.mark.rule("GREET-6")
def test_words_said_instead_of_resume_are_not_asked_for_again(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E"])
    said, heard = ["Alex, why not at night?", "Jordan, and by day?", "done"], []

    async def answer_each_time_it_listens() -> None:
        session = Session(root, item.name, panel=ScriptedPanel(), interactive=True)
        async for line in session.lines():
            if line.kind == "listen":
                session.say(said.pop(0)) if said else session.hang_up()
            elif line.kind == "contribution" and line.speaker == USER:
                heard.append((line.text, len(said)))

    asyncio.run(answer_each_time_it_listens())
    assert heard == [("Alex, why not at night?", 2), ("Jordan, and by day?", 1)]


@pytest.mark.rule("GREET-6", "META-6")
def test_a_step_that_is_opened_again_takes_up_the_discussion_that_was_cut_off(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "We go with merging on the tablet."])
    lines = talk(root, item, ["done"], reopen="00-01")
    assert any("was cut off at turn" in text for text in texts(lines, "resume"))
    assert "We go with merging on the tablet." in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("META-6")
def test_without_a_journal_the_analysis_resumes_at_the_right_step(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", "half an answer"])
    for path in (item / ".journal").glob("*.jsonl"):
        path.unlink()
    lines = talk(root, item, [])
    assert texts(lines, "step") == ["Maya Chen (Business Analyst) -- Step 00-02: Keyword Search"]
    assert not (item / "state.json").exists()


@pytest.mark.rule("META-6", "META-4")
def test_meta_json_wins_over_a_journal_that_tells_another_story(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ANSWERS)
    undone = meta(item) | {"steps_completed": []}
    (item / "meta.json").write_text(json.dumps(undone))
    lines = talk(root, item, [])
    assert texts(lines, "step") == ["Maya Chen (Business Analyst) -- Step 00-01: Scope Estimation"]
    skipped = meta(item) | {"steps_completed": ["00-01", "00-02"]}
    (item / "meta.json").write_text(json.dumps(skipped))
    assert kinds(talk(root, item, []))[:2] == ["greeting", "menu"]


@pytest.mark.rule("META-4")
def test_a_hand_edit_during_a_run_survives(place: tuple[Path, Path]) -> None:
    root, item = place

    class Editing(ScriptedPanel):
        async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
            if isinstance(request, AskOffers):
                edited = meta(item) | {"owner": "Kim", "elaboration_config": {"max_turns": 4}}
                (item / "meta.json").write_text(json.dumps(edited))
            return await super().answer(request, on_words)

    lines = talk(root, item, [*ANSWERS, "E", "One word."], panel=Editing())
    after = meta(item)
    assert after["owner"] == "Kim"
    assert after["steps_completed"] == ["00-01"]
    assert "Turn limit: 4 exchanges." in texts(lines, "introduction")[0]
    assert after["elaborations"][0]["turn_count"] == 4


@pytest.mark.rule("PERS-3")
def test_an_edited_persona_takes_effect_at_the_next_leg_and_never_breaks_a_replay(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E"])
    personas = root / ".roundtable" / "personas"
    personas.mkdir()
    (personas / "alex.md").write_text("---\nkey: solutions-architect\ndisabled: true\n---\n")
    lines = talk(root, item, ["Alex, why?", "done", "C"])
    assert any(line.speaker == "solutions-architect" for line in lines)
    assert meta(item)["elaborations"][0]["personas_active"] == [
        "business-analyst", "solutions-architect", "system-designer",
    ]  # fmt: skip
    later = talk(root, item, [*ANSWERS, "E", "done"])
    assert not any(line.speaker == "solutions-architect" for line in later)
    assert meta(item)["elaborations"][1]["personas_active"] == ["business-analyst", "system-designer"]


# --- elaborate on a completed step ----------------------------------------------------------------------


@pytest.mark.rule("MENU-5")
def test_elaborate_opens_a_roundtable_on_a_completed_step_and_returns_to_its_menu(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", *ANSWERS, "C", "half"])
    lines = talk(root, item, ["done"], step="00-01")
    assert kinds(lines)[0] == "introduction"
    assert kinds(lines)[-3:] == ["menu", "listen", "paused"]
    assert lines[-1].text.endswith(f"roundtable elaborate {item.name} --step 00-01")
    assert [record["step_id"] for record in meta(item)["elaborations"]] == ["00-01"]
    back = talk(root, item, ["60"])
    assert "half" in texts(back, "resume")
    assert meta(item)["steps_completed"] == ["00-01", "00-02", "01-01"]


@pytest.mark.rule("MENU-5")
def test_elaborate_refuses_a_step_that_is_not_complete_or_does_not_exist(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ANSWERS)
    with pytest.raises(RuleBroken, match=r"Step 01-01 is not complete yet. Complete: 00-01"):
        talk(root, item, [], step="01-01")
    with pytest.raises(RuleBroken, match="There is no step 09-09"):
        talk(root, item, [], step="09-09")


@pytest.mark.rule("MENU-5", "GREET-6")
def test_a_roundtable_begun_with_elaborate_and_cut_off_is_found_again_by_both_commands(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", "half"])
    talk(root, item, ["Alex, why?"], step="00-01")
    by_elaborate = talk(root, item, [], step="00-01")
    assert "Alex, why?" in texts(by_elaborate, "resume")
    by_analyze = talk(root, item, ["done", "C", "60 forms"])
    assert "The discussion of step 00-01 was cut off at turn 5 of 10." in texts(by_analyze, "resume")
    assert meta(item)["elaborations"][0]["turn_count"] == 5
    assert meta(item)["steps_completed"] == ["00-01", "00-02"]


@pytest.mark.rule("GREET-6")
def test_two_discussions_that_were_cut_off_are_taken_up_one_after_the_other(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "C", "Another point.", "5 rows", "C"])
    talk(root, item, ["We keep the form on the tablet."], step="00-01")
    talk(root, item, ["We send one batch at night."], step="00-02")
    lines = [line for _ in range(2) for line in talk(root, item, ["done", "C"])]
    assert {"We keep the form on the tablet.", "We send one batch at night."} <= set(texts(lines, "resume"))
    assert {record["step_id"] for record in meta(item)["elaborations"]} == {"00-01", "00-02"}
    assert not list((item / ".journal").glob("*.elaborate.jsonl"))


@pytest.mark.rule("PERS-3", "PERS-4")
def test_who_came_to_the_table_since_takes_part(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ANSWERS)
    talk(root, item, ["done", ""], step="00-01")
    own = root / ".roundtable" / "personas" / "security.md"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(
        "---\nkey: security\nname: Noor Haddad\nrole: Security Engineer\nshort_role: Security\n"
        "perspective: security\nlens: [abuse]\nphases: []\n---\n"
    )
    [introduction] = texts(talk(root, item, ["done"], step="00-01"), "introduction")
    assert "Noor Haddad (Security Engineer)" in introduction.replace("\n", " ")


# --- the limit ------------------------------------------------------------------------------------------


@pytest.mark.rule("ENTRY-2")
def test_turns_n_raises_the_limit_and_is_written_to_the_config(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, [*ANSWERS, "E", "/turns 14", "/turns 3", "done"])
    assert meta(item)["elaboration_config"] == {"max_turns": 14}
    assert any("The turn limit is now 14" in text for text in texts(lines, "notice"))
    assert any("it can only be raised" in text for text in texts(lines, "notice"))
    assert [turn.text for turn in lines if turn.speaker == "user" and turn.turn] == []


@pytest.mark.rule("ENTRY-2")
@pytest.mark.parametrize("value", [True, "10", 2, 1e400, None, [], "x"])
def test_a_bad_limit_counts_as_ten_and_stays_in_the_file(place: tuple[Path, Path], value: object) -> None:
    root, item = place
    raw = json.dumps(meta(item) | {"elaboration_config": {"max_turns": value}}).replace("Infinity", "1e400")
    (item / "meta.json").write_text(raw)
    lines = talk(root, item, [*ANSWERS, "E", "done"])
    assert "Turn limit: 10 exchanges." in texts(lines, "introduction")[0]
    assert meta(item)["elaboration_config"] == {"max_turns": value}


@pytest.mark.rule("ENTRY-2")
def test_a_config_that_is_no_object_stays_as_it_is_when_the_limit_is_raised(place: tuple[Path, Path]) -> None:
    root, item = place
    (item / "meta.json").write_text(json.dumps(meta(item) | {"elaboration_config": "mine"}))
    lines = talk(root, item, [*ANSWERS, "E", "/turns 14", "done"])
    assert meta(item)["elaboration_config"] == "mine"
    assert any("could not be written to meta.json" in text for text in texts(lines, "notice"))


# --- failures -------------------------------------------------------------------------------------------


@pytest.mark.rule("MENU-5")
def test_elaborate_at_the_open_menu_of_that_step_uses_that_menu(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ANSWERS)
    talk(root, item, ["Alex, why?"], step="00-01")
    assert [path.name for path in (item / ".journal").glob("*.jsonl")] == ["00-01.jsonl"]
    lines = talk(root, item, ["done", "C"])
    assert meta(item)["elaborations"][0]["turn_count"] == 5
    assert "Step 00-02" in texts(lines, "step")[0]


@pytest.mark.rule("FAIL-1")
def test_without_a_terminal_a_failing_panel_ends_the_session_and_the_same_command_resumes(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    shown: list[Line] = []

    async def run() -> None:
        session = Session(root, item.name, panel=ScriptedPanel(fails={"speak": 1}))
        for message in [*ANSWERS, "E"]:
            session.say(message)
        session.hang_up()
        async for line in session.lines():
            shown.append(line)  # noqa: PERF401 (what came before the failure counts)

    with pytest.raises(PanelFailed, match=r"goes on from there: roundtable analyze"):
        asyncio.run(run())
    assert shown[-1].kind == "error"
    assert shown[-1].text == "The model did not answer (speak). Everything said so far is saved."
    journal = (item / ".journal" / "00-01.jsonl").read_text()
    assert '"event":"Failed"' in journal
    lines = talk(root, item, ["done"])
    assert meta(item)["elaborations"][0]["turn_count"] == 3
    assert [line.turn for line in lines if line.kind == "contribution"] == [1, 2, 3]


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize(
    ("choice", "asked"),
    [("try again", 2), ("offline", 1), ("wrap up", 1)],
    ids=["again", "offline", "wrap-up"],
)
def test_at_a_terminal_the_user_chooses(place: tuple[Path, Path], choice: str, asked: int) -> None:
    root, item = place
    panel = ScriptedPanel(fails={"speak": 1})
    end = [] if choice == "wrap up" else ["done"]
    lines = talk(root, item, [*ANSWERS, "E", choice, *end], panel=panel, interactive=True)
    assert texts(lines, "error") == ["The model did not answer (speak). Everything said so far is saved."]
    assert panel.asked.count("speak") == asked + (1 if choice == "try again" else 0)
    assert meta(item)["elaborations"][0]["turn_count"] == (1 if choice == "wrap up" else 3)
    offered = next(text for text in texts(lines, "menu") if text.startswith("Try again"))
    assert offered.endswith("[T] Try again  [O] Offline  [W] Wrap up")


@pytest.mark.rule("FAIL-1")
def test_when_the_framing_fails_there_is_nothing_to_wrap_up(place: tuple[Path, Path]) -> None:
    root, item = place
    panel = ScriptedPanel(fails={"frame": 1})
    lines = talk(root, item, [*ANSWERS, "E", "offline", "done"], panel=panel, interactive=True)
    offered = next(text for text in texts(lines, "menu") if text.startswith("Try again"))
    assert offered.endswith("[T] Try again  [O] Offline")
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == 3


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("what", ["take_up", "follow_up"])
def test_a_failure_in_a_step_can_be_tried_again_or_gone_on_with_offline(
    place: tuple[Path, Path], what: str
) -> None:
    root, item = place
    words = ["The inspector.", "many", "60"] if what == "follow_up" else ANSWERS
    before = {"take_up": 3, "follow_up": 2}[what]
    said = [*words, "Feedback on it."]
    said.insert(before, "offline")
    lines = talk(root, item, said, panel=ScriptedPanel(fails={what: 1}), interactive=True)
    assert len(texts(lines, "error")) == 1
    assert "[W]" not in next(text for text in texts(lines, "menu") if text.startswith("Try again"))
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("SYN-5")
def test_a_synthesis_that_fails_twice_is_extracted_offline_and_marked(place: tuple[Path, Path]) -> None:
    root, item = place
    panel = ScriptedPanel(fails={"synthesise": 2})
    lines = talk(root, item, [*ANSWERS, "E", "We go with A.", "done"], panel=panel)
    assert any("word for word from what was said" in text for text in texts(lines, "notice"))
    assert "We go with A" in texts(lines, "synthesis")[0]
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "offline" in transcript


@pytest.mark.rule("FOCUS-1", "FAIL-1")
def test_a_verdict_is_advice_and_never_blocks(place: tuple[Path, Path]) -> None:
    root, item = place
    panel = ScriptedPanel(fails={"judge": 5})
    lines = talk(root, item, [*ANSWERS, "E", "What do inspectors see?", "done"], panel=panel)
    assert texts(lines, "error") == []
    assert meta(item)["elaborations"][0]["turn_count"] >= 5


@pytest.mark.rule("VOICE-2")
def test_a_voice_that_breaks_its_rules_gets_one_more_try_and_what_stays_wrong_is_noted(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    said: list[Brief] = []

    def says(brief: Brief) -> Speech | None:
        if brief.speaker.key != "solutions-architect" or brief.purpose != "first-round":
            return None
        said.append(brief)
        return Speech("The acceptance criterion here would be that it works.")

    talk(root, item, [*ANSWERS, "E", "done"], panel=ScriptedPanel(says=says))
    assert [bool(brief.again) for brief in said] == [False, True]
    assert "acceptance criteri" in said[1].again[0]
    assert "forbidden" in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("VOICE-2")
def test_a_second_try_that_is_sound_is_taken_without_a_note(place: tuple[Path, Path]) -> None:
    root, item = place

    def says(brief: Brief) -> Speech | None:
        if brief.speaker.key != "solutions-architect":
            return None
        return Speech(
            "Option B keeps it small." if brief.again else "The acceptance criterion is that it works."
        )

    lines = talk(root, item, [*ANSWERS, "E", "done"], panel=ScriptedPanel(says=says))
    assert "Alex Rivera (Solutions Architect): Option B keeps it small." in texts(lines, "contribution")
    assert "forbidden" not in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("LOOP-7", "LOOP-3")
def test_words_are_cleaned_and_references_to_turns_that_do_not_exist_are_dropped(
    place: tuple[Path, Path],
) -> None:
    root, item = place

    def says(brief: Brief) -> Speech | None:
        if brief.number != 2:
            return None
        return Speech("Red\x1b[31m alert\r\nnow.\x00", Verdict(opposes=77, decisions=(88,)))

    lines = talk(
        root, item, [*ANSWERS, "E", "say \x1b]0;evil\x07this", "done"], panel=ScriptedPanel(says=says)
    )
    assert "Alex Rivera (Solutions Architect): Red alert\nnow." in texts(lines, "contribution")
    assert "say this" in texts(lines, "contribution")
    assert [line.speaker for line in lines if line.turn == 4] == ["user"]


@pytest.mark.rule("LOOP-3")
def test_a_panel_that_answers_with_nothing_has_failed(place: tuple[Path, Path]) -> None:
    root, item = place
    panel = ScriptedPanel(says=lambda brief: Speech(" \x07 ") if brief.number == 2 else None)
    with pytest.raises(PanelFailed, match="answered with nothing"):
        talk(root, item, [*ANSWERS, "E"], panel=panel)


# --- the item -------------------------------------------------------------------------------------------


@pytest.mark.rule("META-1")
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000])
def test_a_corrupt_meta_json_stops_the_analysis_and_is_not_touched(
    place: tuple[Path, Path], content: bytes
) -> None:
    root, item = place
    (item / "meta.json").write_bytes(content)
    with pytest.raises(ItemCorrupt, match="--start-over"):
        talk(root, item, ANSWERS)
    assert (item / "meta.json").read_bytes() == content


@pytest.mark.rule("META-1")
def test_a_missing_meta_json_is_a_fresh_start(place: tuple[Path, Path]) -> None:
    root, item = place
    (item / "meta.json").unlink()
    talk(root, item, ANSWERS)
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("META-4")
def test_one_session_at_a_time(place: tuple[Path, Path]) -> None:
    root, item = place
    with item_lock(item), pytest.raises(ItemLocked, match=f"{item.name} is in use by process"):
        talk(root, item, [])


def test_an_unknown_item_is_said_at_once(place: tuple[Path, Path]) -> None:
    with pytest.raises(ItemUnknown):
        Session(place[0], "nothing-like-it")


@pytest.mark.rule("META-6")
def test_a_corrupt_journal_is_reported_and_set_aside(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    journal = item / ".journal" / "00-01.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + b"garbage\n" + b"".join(lines[1:]))
    shown = talk(root, item, [])
    assert any("cannot be read" in text and "It is kept as" in text for text in texts(shown, "notice"))
    assert texts(shown, "question") == ["What is the point?"]
    assert list((item / ".journal").glob("00-01.jsonl.corrupt-*"))


@pytest.mark.rule("META-6")
def test_a_torn_last_line_is_dropped(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    journal = item / ".journal" / "00-01.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    lines = talk(root, item, [])
    assert texts(lines, "question") == ["What is the point?"]
    assert texts(lines, "notice") == []


@pytest.mark.rule("META-6")
def test_a_journal_that_breaks_the_rules_is_set_aside(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    journal = item / ".journal" / "00-01.jsonl"
    journal.write_text(journal.read_text().replace('"UserSpoke"', '"PersonaReplied"'))
    lines = talk(root, item, [])
    assert any("breaks the rules" in text for text in texts(lines, "notice"))


def test_an_event_that_the_machine_refuses_is_not_journalled(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    leg = read_leg(Journal(item, "00-01"))
    assert leg is not None
    before, analysis = leg.journal.path.read_bytes(), leg.analysis
    with pytest.raises(RuleBroken):
        leg.commit(Saved())
    assert leg.journal.path.read_bytes() == before
    assert leg.analysis is analysis


def test_reading_a_leg_leaves_a_torn_journal_as_it_is(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, ["The inspector retypes forms."])
    journal = Journal(item, "00-01")
    torn = journal.path.read_bytes()[:-20]
    journal.path.write_bytes(torn)
    assert read_leg(journal) is not None
    assert journal.path.read_bytes() == torn


@pytest.mark.rule("META-3")
def test_half_a_character_in_meta_json_stops_nothing(place: tuple[Path, Path]) -> None:
    root, item = place
    raw = json.dumps(meta(item) | {"steps_completed": ["\ud800", "00-01"]})
    (item / "meta.json").write_text(raw)
    talk(root, item, ANSWERS)
    assert meta(item)["steps_completed"] == ["\ud800", "00-01", "00-02"]


def test_early_words_wait_and_listening_says_what_is_awaited(place: tuple[Path, Path]) -> None:
    root, item = place

    async def run() -> list[str | None]:
        session = Session(root, item.name, panel=ScriptedPanel())
        assert session.listening is None
        session.say("Too early.")
        heard: list[str | None] = []
        async for line in session.lines():
            if line.kind == "listen":
                heard.append(session.listening)
                if len(heard) == 2:
                    await session.close()
        return heard

    assert asyncio.run(run()) == ["answer", "answer"]
    assert TEXT.startswith("Offline forms")


def test_words_are_handed_over_as_they_come(place: tuple[Path, Path]) -> None:
    root, item = place
    pieces: list[tuple[str, str]] = []
    talk(root, item, [*ANSWERS, "E"], on_words=lambda speaker, piece: pieces.append((speaker, piece)))
    assert pieces[:2] == [("solutions-architect", "Remark"), ("solutions-architect", "2")]


# --- going back -----------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-5", "STEP-3")
def test_a_completed_step_can_be_opened_again_and_what_others_wrote_stays(place: tuple[Path, Path]) -> None:
    root, item = place
    talk(root, item, [*ANSWERS, "E", "done", "C", "Forms.", "3 places", "C", "half"])
    document = (item / "quick-scan.md").read_bytes().replace(b"## 2.", b"A hand edit.\n\n## 2.")
    (item / "quick-scan.md").write_bytes(document)
    later = document[document.index(b"<!-- Elaboration") :]
    lines = talk(root, item, ["Paper gets lost."], reopen="00-01")
    assert texts(lines, "question")[0].startswith(
        "What is the point?\n  Draft, from what stands in the document: The"
    )
    talk(root, item, ["70 inspectors"], reopen="00-01")
    after = (item / "quick-scan.md").read_bytes()
    assert b"Paper gets lost." in after
    assert b"retypes" not in after
    assert after.endswith(later)
    assert meta(item)["steps_completed"] == ["00-01", "00-02"]
    back = talk(root, item, ["C", "60"])
    assert "half" in texts(back, "resume") or "Paper gets lost." in texts(back, "resume")
    assert meta(item)["steps_completed"] == ["00-01", "00-02", "01-01"]


@pytest.mark.rule("STEP-3")
def test_a_step_that_is_not_complete_cannot_be_opened_again(place: tuple[Path, Path]) -> None:
    with pytest.raises(RuleBroken, match="Step 00-02 is not complete yet"):
        talk(*place, [], reopen="00-02")


@pytest.mark.parametrize("name", ["$(touch marker)", "a;touch marker", "it's", "a\x1b['b", "ends\x1b["])
def test_the_command_to_go_on_with_is_quoted_for_a_shell(place: tuple[Path, Path], name: str) -> None:
    root, item = place
    item.rename(item.with_name(name))
    shown = " ".join(strip_unprintable(name).split())
    (farewell,) = [line.text for line in talk(root, Path(shown), []) if "Go on with: " in line.text]
    words = shlex.split(strip_unprintable(farewell).partition("Go on with: ")[2])
    assert words == ["roundtable", "analyze", shown]


@pytest.mark.rule("STEP-4")
def test_a_message_that_is_too_long_is_cut_and_that_is_said(place: tuple[Path, Path]) -> None:
    root, item = place
    lines = talk(root, item, ["x" * 100_001, "60 inspectors"])
    assert (
        "Your message has 100,001 characters; only the first 100,000 were taken. "
        "Say the rest in another message."
    ) in texts(lines, "notice")
    assert "x" * 100_000 in (item / "quick-scan.md").read_text()
    assert "x" * 100_001 not in (item / "quick-scan.md").read_text()


@pytest.mark.rule("STEP-4")
def test_invisible_characters_reach_no_document_and_that_is_said(place: tuple[Path, Path]) -> None:
    root, item = place
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    lines = talk(root, item, [f"Forms{hidden} are retyped.", "60 inspectors"])
    assert "4 invisible characters were left out of your message." in texts(lines, "notice")
    assert "Forms are retyped." in (item / "quick-scan.md").read_text()
    assert not any(hidden in line.text for line in lines)
    assert not_taken(1, 9, 99) == ("1 invisible character was left out of your message.",)


@pytest.mark.rule("SYN-7", "MENU-3")
def test_feedback_a_decision_and_an_answer_stand_in_the_documents_as_they_were_typed(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    typed = "2*3*4 tablets read <tablet_id>.json, see [text](https://host/?a=1&b=2) and __init__ `a*b` 👩‍👩‍👧"
    words = [f"An answer: {typed}", "60 inspectors", f"A remark: {typed}"]
    talk(root, item, [*words, "E", f"We go with it: {typed}", "done"])
    document = unescape_markdown((item / "quick-scan.md").read_text())
    for said in (f"An answer: {typed}", f"A remark: {typed}", f"We go with it: {typed}"):
        assert said in document
    (transcript,) = (item / "elaborations").iterdir()
    assert f"We go with it: {typed}" in unescape_markdown(transcript.read_text())
    lines = talk(root, item, [""], reopen="00-01")
    assert any(f"An answer: {typed}" in text for text in texts(lines, "question"))


# --- several in one process -------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2])
def test_a_session_beside_others_waits_for_the_disk_in_a_thread(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    root, item = place
    others = [add_item(root, f"Item {number}", commit=None) for number in range(1, count)]
    written: set[tuple[str, bool]] = set()

    def watch(name: str, write: Callable[..., None]) -> None:
        def note(path: Path, *given: Any, **named: Any) -> None:
            written.add((path.suffix, threading.current_thread() is threading.main_thread()))
            write(path, *given, **named)

        monkeypatch.setattr(files, name, note)

    watch("append", files.append)
    watch("write", files.write)

    async def play(folder: Path) -> list[str]:
        session = Session(root, folder.name, panel=ScriptedPanel())
        for words in ANSWERS:
            session.say(words)
        session.hang_up()
        return [line.kind async for line in session.lines()]

    async def run() -> list[list[str]]:
        return await asyncio.gather(*map(play, (item, *others)))

    assert [shown[-1] for shown in asyncio.run(run())] == ["paused"] * count
    assert [meta(each)["steps_completed"] for each in (item, *others)] == [["00-01"]] * count
    for ending in (".jsonl", ".md"):  # the journal and a document
        assert ((ending, False) in written) is (count > 1)


@pytest.mark.rule("GREET-6")
def test_a_session_that_is_cancelled_keeps_its_lock_until_its_write_is_over(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    other = add_item(root, "Another item", commit=None)
    append, is_writing, may_write = files.append, threading.Event(), threading.Event()

    def wait(path: Path, *given: Any, **named: Any) -> None:
        if item in path.parents:
            is_writing.set()
            assert may_write.wait(10)
        append(path, *given, **named)

    monkeypatch.setattr(files, "append", wait)

    async def listen(folder: Path, *words: str) -> None:
        session = Session(root, folder.name, panel=ScriptedPanel())
        for each in words:
            session.say(each)
        async for _ in session.lines():
            pass

    async def run() -> None:
        beside = asyncio.ensure_future(listen(other))
        writing = asyncio.ensure_future(listen(item, ANSWERS[0]))
        await asyncio.to_thread(is_writing.wait, 10)
        writing.cancel()
        await asyncio.wait((writing,), timeout=0.05)
        with pytest.raises(ItemLocked), item_lock(item):
            pass
        may_write.set()
        beside.cancel()
        await asyncio.wait((writing, beside))

    asyncio.run(run())
    with item_lock(item):
        leg = read_leg(Journal(item, "00-01"))
    assert leg is not None
    assert leg.journal.count == 1
