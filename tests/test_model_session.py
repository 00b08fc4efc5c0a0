"""A session with a language model: what it costs, where its budget ends, how it fails, what it cannot do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from pydantic_ai import exceptions as api

from hosting import Says
from model_talk import ScriptedModel, misbehaving
from project import ANSWERS, kinds, meta, talk, texts
from roundtable.core.errors import PanelFailed
from roundtable.core.lines import Line
from roundtable.core.steps import PHASE_KEYS
from roundtable.panel.base import Panel
from roundtable.panel.model.choice import FallbackPanel
from roundtable.panel.offline import OfflinePanel
from roundtable.runtime.budget import BudgetAccount
from roundtable.settings import Budget
from roundtable.store import ledger

CANARY = "sk-canary-0123456789abcdef"


def hold(
    place: tuple[Path, Path], words: Iterable[str], model: ScriptedModel, budget: Budget | None = None
) -> tuple[list[Line], BudgetAccount]:
    """A roundtable on the first step, with an account."""
    account = BudgetAccount(place[1], budget or Budget())
    lines = talk(*place, words, step="00-01", panel=model.panel(meter=account.record_call), account=account)
    return lines, account


# --- the way through ------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4", "STEP-5", "GREET-4")
def test_the_whole_analysis_runs_with_a_model_that_misbehaves(place: tuple[Path, Path]) -> None:
    lines = talk(*place, [*ANSWERS, "C"] * 10, panel=ScriptedModel(twist=misbehaving()).panel())
    assert kinds(lines)[-1] == "done"
    assert meta(place[1])["phases_completed"] == list(PHASE_KEYS)
    document = (place[1] / "quick-scan.md").read_text()
    assert "The inspector retypes forms." in document
    assert [text for text in texts(lines, "handoff") if "I have taken that up." in text]


@pytest.mark.rule("STEP-4", "MENU-3")
def test_follow_ups_and_feedback_are_in_the_models_words(place: tuple[Path, Path]) -> None:
    def twist(brief: str, words: str) -> str:
        return "Many, you say: how many of them?" if "It lacks a number" in brief else words

    lines = talk(
        *place,
        ["Forms.", "Many", "60", "The office is offline too."],
        panel=ScriptedModel(twist=twist).panel(),
    )
    assert "Many, you say: how many of them?" in texts(lines, "question")
    assert texts(lines, "feedback")[-1] == "Maya Chen (Business Analyst): I have taken that up."


def test_a_contribution_that_was_cut_is_noted_in_the_transcript(completed: tuple[Path, Path]) -> None:
    def rambles(brief: str, words: str) -> str:
        return f"{'The form is kept. ' * 60}{words}" if "Alex" in brief and "at most 170" in brief else words

    hold(completed, ["done"], ScriptedModel(twist=rambles))
    transcript = (completed[1] / "elaborations" / "00-01-1.md").read_text()
    assert transcript.count("length: cut at 170 words") == 1


@pytest.mark.rule("LOOP-6", "LOOP-8")
@pytest.mark.parametrize("words", ["", "We could go on for days."])
def test_a_model_with_nothing_left_has_the_user_asked_whether_to_wrap_up(
    completed: tuple[Path, Path], words: str
) -> None:
    def yields(brief: str, words: str) -> str:
        return "PASS" if "answer PASS" in brief else words

    lines, _ = hold(completed, [words, "done"], ScriptedModel(twist=yields))
    shown = kinds(lines)[kinds(lines).index("listen") + 1 :]
    assert shown[: shown.index("acknowledgement")] == [
        *(["contribution"] if words else []),
        "inactivity",
        "listen",
        "choice",
    ]


# --- cost -----------------------------------------------------------------------------------------------


def analyse(
    place: tuple[Path, Path], words: Iterable[str], panel: Panel, account: BudgetAccount
) -> list[Line]:
    """The analysis, which stands at the menu of the first step."""
    return talk(*place, words, panel=panel, account=account)


@pytest.mark.rule("MENU-6")
def test_the_menu_says_what_a_discussion_may_cost_before_it_begins(completed: tuple[Path, Path]) -> None:
    account = BudgetAccount(completed[1], Budget())
    lines = analyse(completed, ["E", "done"], ScriptedModel().panel(), account)
    assert kinds(lines).index("menu") < kinds(lines).index("introduction")
    assert [text for text in texts(lines, "notice") if "up to" in text] == []
    first = texts(lines, "menu")[0]
    assert re.fullmatch(
        r"---\nElaboration Mode with scripted: up to 10 turns, about \d+,000 tokens\.\n"
        r"\[E\] Elaboration Mode -- bring all perspectives to discuss this topic\n(?s:.*)\n---",
        first,
    )


@pytest.mark.rule("MENU-6")
def test_the_menu_of_the_offline_panel_says_nothing_about_cost(completed: tuple[Path, Path]) -> None:
    account = BudgetAccount(completed[1], Budget())
    broken = ScriptedModel(before=_failing(api.ModelServerError("m", "x")))
    panel = FallbackPanel((broken.panel(), OfflinePanel()), account.add_news)
    lines = analyse(completed, ["E", "done"], panel, account)
    first, last = texts(lines, "menu")
    assert "up to 10 turns" in first
    assert last.startswith("---\n[E] ")
    assert "scripted failed on its side. offline goes on." in texts(lines, "notice")
    assert all("tokens" not in menu for menu in texts(talk(*completed, []), "menu"))


@pytest.mark.rule("MENU-6")
def test_a_discussion_without_a_menu_before_it_says_its_cost_first(completed: tuple[Path, Path]) -> None:
    lines, _ = hold(completed, ["done"], ScriptedModel())
    at = kinds(lines).index("introduction")
    assert lines[at - 1].kind == "notice"
    assert lines[at - 1].text.startswith("Elaboration Mode with scripted: up to 10 turns, about ")


def test_what_a_discussion_used_is_said_at_its_end_and_kept(completed: tuple[Path, Path]) -> None:
    lines, account = hold(completed, ["We go with A.", "done"], ScriptedModel())
    (used,) = [text for text in texts(lines, "notice") if text.startswith("This discussion used")]
    assert used == account_words(account)
    at = [line.text for line in lines].index(used)
    assert "menu" in kinds(lines[at:])
    entries = ledger.read(completed[1])
    assert [entry.purpose for entry in entries] == ["framing", *["contribution"] * 5, "synthesis"]
    assert {entry.discussion for entry in entries} == {1}
    more, _ = hold(completed, ["done", "E", "done"], ScriptedModel())
    assert {entry.discussion for entry in ledger.read(completed[1])} == {1, 2, 3}
    second, third = (
        text for text in texts(more, "notice") if text.startswith("This discussion used 4 calls")
    )
    assert "The item so far: 11 calls" in second
    assert "The item so far: 15 calls" in third


def account_words(account: BudgetAccount) -> str:
    return f"This discussion used {ledger.describe_total(account.item)}."


@pytest.mark.rule("EXIT-2", "LOOP-5")
def test_a_spent_budget_ends_like_the_turn_limit_with_a_line_that_says_so(
    completed: tuple[Path, Path],
) -> None:
    lines, _ = hold(completed, [""] * 9, ScriptedModel(), Budget(turns=4))
    assert max(line.turn or 0 for line in lines) == 4
    assert texts(lines, "limit") == [
        "Maya Chen (Business Analyst): The budget for this discussion is used up (4 of 4 turns). "
        "Let me synthesize the key points from our conversation."
    ]
    assert texts(lines, "acknowledgement") == []
    assert "**Turns**: 4 | **Exit**: turn-limit" in texts(lines, "synthesis")[0]
    warning = "The budget for this discussion is nearly used up: 2 of 4 turns."
    assert [line.text for line in lines].index(warning) < kinds(lines).index("limit")
    assert meta(completed[1])["elaborations"][0]["turn_count"] == 4


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_tokens_leaves_room_for_the_synthesis(completed: tuple[Path, Path]) -> None:
    whole, _ = hold(completed, [""] * 9, ScriptedModel())
    budget = 4 * max(entry.input for entry in ledger.read(completed[1]))
    lines, _ = hold(completed, [""] * 9, ScriptedModel(), Budget(tokens=budget))
    assert 1 <= max(line.turn or 0 for line in lines) < max(line.turn or 0 for line in whole)
    assert len(texts(lines, "limit")) == 1
    assert "Identified 1 gap" in meta(completed[1])["elaborations"][1]["synthesis_summary"]
    assert [entry for entry in ledger.read(completed[1]) if entry.discussion == 2][-1].purpose == "synthesis"


# --- failing --------------------------------------------------------------------------------------------


def _failing(error: Exception, start: str = "Now turn 3") -> Callable[[str], None]:
    def fail(brief: str) -> None:
        if brief.startswith(start) or start == "Now turn 3":
            raise error

    return fail


def _once(error: Exception, start: str) -> Callable[[str], None]:
    left = [error]

    def fail(brief: str) -> None:
        if brief.startswith(start) and left:
            raise left.pop()

    return fail


FAILURES = [
    api.ModelAuthenticationError("m", f"bad {CANARY}", body={"message": CANARY}),
    api.ModelRateLimitError("m", CANARY, retry_after=12.0),
    api.ModelTimeoutError("m", CANARY),
    api.ModelConnectionError("m", CANARY),
    api.ModelServerError("m", CANARY),
    api.ModelRequestRejectedError("m", CANARY, body={"error": {"message": f"see {CANARY}"}}),
    api.ContentFilterError(CANARY),
    api.UnexpectedModelBehavior(CANARY),
    RuntimeError(CANARY),
]


def holds_no_key(place: tuple[Path, Path], lines: Iterable[Line]) -> None:
    files = [path for path in place[0].rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path for path in files if CANARY.encode() in path.read_bytes()] == []
    assert [line for line in lines if CANARY in line.text] == []


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("choice", ["try again", "offline", "wrap up"])
def test_at_a_terminal_the_user_chooses_and_what_was_said_stays(
    completed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, error: Exception, choice: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    model = ScriptedModel(before=_once(error, "Now turn 3"))
    account = BudgetAccount(completed[1], Budget())
    panel = model.panel(meter=account.record_call)
    lines = talk(
        *completed, [choice, "done"], step="00-01", panel=panel, account=account, interactive=True
    )  # fmt: skip
    (told,) = texts(lines, "error")
    assert told.startswith("scripted ")
    assert told.endswith("Everything said so far is saved.")
    spoken = texts(lines, "contribution")
    assert spoken[1] == "Alex Rivera (Solutions Architect): Remark 2 by Alex on the first-round."
    assert len(spoken) == (2 if choice == "wrap up" else 3)
    assert len(meta(completed[1])["elaborations"]) == 1
    holds_no_key(completed, lines)


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
def test_without_a_terminal_it_ends_and_the_same_command_goes_on(
    completed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with pytest.raises(PanelFailed, match="The same command goes on from there") as failure:
        hold(completed, ["done"], ScriptedModel(before=_once(error, "Now turn 3")))
    assert CANARY not in str(failure.value)
    model = ScriptedModel()
    lines, _ = hold(completed, ["done"], model)
    assert [brief[:10] for brief in model.briefs] == ["Now turn 3", "Now the sy"]
    assert len(meta(completed[1])["elaborations"]) == 1
    holds_no_key(completed, lines)


@pytest.mark.rule("FAIL-1")
def test_without_a_terminal_the_configured_order_applies(completed: tuple[Path, Path]) -> None:
    account = BudgetAccount(completed[1], Budget())
    first = ScriptedModel(before=_once(api.ModelServerError("m", "x"), "Now turn 3"))
    second = ScriptedModel()
    panel = FallbackPanel((first.panel(), second.panel()), account.add_news)
    lines = talk(*completed, ["done"], step="00-01", panel=panel, account=account)
    assert texts(lines, "error") == []
    assert "scripted failed on its side. scripted goes on." in texts(lines, "notice")
    assert [brief[:10] for brief in second.briefs] == ["Now turn 3", "Now the sy"]
    notice = next(at for at, line in enumerate(lines) if "goes on" in line.text)
    assert lines[notice + 1].turn == 3


@pytest.mark.rule("SYN-5")
def test_a_synthesis_that_fails_twice_is_extracted_offline(completed: tuple[Path, Path]) -> None:
    def twist(brief: str, words: str) -> str:
        return "I cannot." if brief.startswith("Now the synthesis") else words

    model = ScriptedModel(twist=twist)
    lines, _ = hold(completed, ["We go with merging field by field.", "done"], model)
    assert sum(brief.startswith("Now the synthesis") for brief in model.briefs) == 2
    assert "There was no JSON object in it." in model.briefs[-1]
    assert "merging field by field" in texts(lines, "synthesis")[0]
    assert any("word for word" in text for text in texts(lines, "notice"))


@pytest.mark.rule("SYN-2", "SYN-3", "SYN-4")
def test_a_synthesis_that_invents_is_corrected_by_rule(completed: tuple[Path, Path]) -> None:
    def twist(brief: str, words: str) -> str:
        if not brief.startswith("Now the synthesis"):
            return words
        made_up = {"text": "Alex promised a rewrite.", "detail": "", "turns": [77]}
        uncited = {"text": "Everyone is happy.", "detail": "", "turns": []}
        return json.dumps(
            {"insights": [{"text": "[Jordan] Wide reach.", "turns": [2, 2]}], "decisions": [made_up],
             "questions": [uncited], "actions": [], "summary": "Identified 1 gap"}
        )  # fmt: skip

    lines, _ = hold(completed, ["We go with A.", "done"], ScriptedModel(twist=twist))
    (block,) = texts(lines, "synthesis")
    assert "rewrite" not in block
    assert "happy" not in block
    assert "- [Alex] \\[Jordan] Wide reach." in block or "- [Alex] [Jordan] Wide reach." in block
    assert "#### Decisions Made\n- We go with A: reason not given\n" in block


# --- one growing conversation ---------------------------------------------------------------------------


def test_a_discussion_of_ten_turns_takes_one_call_a_turn_and_one_for_the_synthesis(
    completed: tuple[Path, Path],
) -> None:
    says = {
        number: Says(f"{'The desk asks who has the form. ' * 12}Point {number}.", {})
        for number in (2, 3, 5, 6, 8, 9, 10)
    }

    def twist(brief: str, words: str) -> str:
        following = {"Now turn 5": "Alex", "Now turn 8": "Jordan"}.get(brief[:10], "none")
        return f"{words}\n@@ next={following}" if brief.startswith("Now turn") else words

    model = ScriptedModel(says, twist)
    user = [
        "The desk has the form of the inspector, who asks for it in the basement.",
        "Who asks the desk?",
        "",
    ]
    lines, _ = hold(completed, user, model)
    assert max(line.turn or 0 for line in lines) == 10
    assert [line.turn for line in lines if line.kind == "contribution" and line.speaker == "user"] == [4, 7]
    assert len(model.requests) == 9
    for (before, _), (after, _) in zip(model.requests[1:], model.requests[2:], strict=False):
        same = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
        assert same / len(after) > 0.85
