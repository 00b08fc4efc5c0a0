"""What is on the table: everything that is held, in each request of a whole elaboration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest

from model_talk import ScriptedModel
from project import ANSWERS, kinds, meta, talk, texts
from roundtable.core import commands as do
from roundtable.core.events import Offer
from roundtable.core.hearing import find_corrections
from roundtable.panel.base import OnWords, PanelRequest, ignore_words
from roundtable.panel.model.conversation import MARK
from roundtable.store.background import read_background
from roundtable.store.items import read_item
from roundtable.testing import ScriptedPanel

Place = tuple[Path, Path]
CODE = '''"""Forms that inspectors fill in."""


def keep_forms(inspectors: list[str]) -> int:
    """Keep the forms of inspectors without signal in basements."""
    return len(inspectors)
'''
RECORD = (
    "# 1. Forms are kept locally\n\n## Status\n\nAccepted\n\n"
    "## Decision\n\nInspectors keep forms on the van.\n"
)
TALK = ["We go with A.", "Alex, what breaks?", "", "How is the weather?", "Maya, and then?"]


@pytest.fixture
def rich(completed: Place) -> Place:
    """An item with an earlier discussion, other documents, another item, decision records and code."""
    root, item = completed
    (root / "forms.py").write_text(CODE)
    (root / "docs" / "adr").mkdir(parents=True)
    (root / "docs" / "adr" / "0001-forms.md").write_text(RECORD)
    gone = RECORD.replace("Accepted", "Superseded by 3").replace("kept locally", "printed")
    (root / "docs" / "adr" / "0002-print.md").write_text(gone)
    other = item.parent / "inspector-vans"
    other.mkdir()
    (other / "meta.json").write_text("{}")
    (other / "quick-scan.md").write_text(
        "# Scan\n\n<!-- Elaboration: step 00-01, 2026-01-02T03:04:05.678Z -->\n\n#### Decisions Made\n"
        "- Inspectors share one van and its forms: cheaper\n"
    )
    (item / "notes.md").write_text("# Notes\n\n- Open question: Who prints the forms?\n")
    talk(root, item, ["We go with paper.", "done"], step="00-01")
    return completed


def hold(place: Place, words: Sequence[str], model: ScriptedModel) -> list[str]:
    """Hold a discussion and return the requests it took, the contributions that passed not counted."""
    talk(*place, words, step="00-01", panel=model.panel())
    return [request for request, _ in model.requests]


def share(before: str, after: str) -> float:
    """How much of a request the next one begins with."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(1 for _ in same) / len(before)


@pytest.mark.rule("TABLE-1")
def test_a_decision_of_another_item_is_read_anew_once_its_file_or_record_changed(rich: Place) -> None:
    item, other = rich[1], rich[1].parent / "inspector-vans"

    def decided() -> list[str]:
        return [each.text for each in read_background(rich[0], item, read_item(item), ()).related]

    first = "Inspectors share one van and its forms: cheaper"
    assert first in "\n".join(decided())
    text = (other / "quick-scan.md").read_text()
    (other / "quick-scan.md").write_text(text.replace("one van", "two van"))
    assert "two van" in "\n".join(decided())
    (other / "meta.json").write_text('{"elaborations_undone": ["2026-01-02T03:04:05.678Z"]}')
    assert "two van" not in "\n".join(decided())


@pytest.mark.rule("TABLE-1")
def test_each_request_of_an_elaboration_holds_everything_in_its_order(rich: Place) -> None:
    requests = hold(rich, TALK, ScriptedModel())
    decided = "- We go with paper: said so (quick-scan.md:"
    parts = (
        "Maya Chen (Business Analyst):", "The item:\n| Offline forms",
        "A decision that may bear on this, docs/adr/0001-forms.md:",
        "A decision that may bear on this, another item, inspector-vans:\n| Inspectors share one van",
        "The document elaborations/00-01-1.md:", "The document notes.md:", "The document quick-scan.md:",
        f"Decided so far:\n{MARK}{decided}", f"Still open:\n{MARK}- Who prints the forms? (notes.md)",
        "The code, forms.py:", "The step: 00-01 Scope Estimation",
    )  # fmt: skip
    assert len(requests) > 5
    for request in requests:
        places = [request.index(part) for part in parts]
        assert places == sorted(places)
        assert "0002-print" not in request
        assert "may be said as knowledge" in request or "you may say as knowledge" in request


@pytest.mark.rule("TABLE-1")
def test_each_request_repeats_nine_tenths_of_the_one_before(rich: Place) -> None:
    requests = hold(rich, TALK, ScriptedModel())
    for before, after in pairwise(requests):
        assert share(before, after) >= 0.9


@pytest.mark.rule("TABLE-1", "FOCUS-1")
def test_ten_turns_take_nine_calls(rich: Place) -> None:
    model = ScriptedModel(
        twist=lambda _, words: words if "{" in words else f"{words.split('@@')[0]}\n@@ next=none"
    )
    lines = talk(*rich, ["We wait.", "Alex, why?"] + [""] * 9, step="00-01", panel=model.panel())
    assert max(line.turn or 0 for line in lines) == 10
    calls = next(at for at, brief in enumerate(model.briefs, 1) if brief.startswith("Now the synthesis"))
    assert calls <= 9


@pytest.mark.rule("TABLE-1")
def test_a_speaker_looks_things_up_before_it_speaks_and_all_see_it(rich: Place) -> None:
    asked: list[str] = []

    def twist(brief: str, words: str) -> str:
        if brief.startswith("Now turn 2 ") and len(asked) < 2:
            asked.append(brief)
            looks = (
                "@@ search keep_forms\n@@ read ../../etc/passwd",
                "@@ read forms.py:4-6\n@@ search x\n@@ search y",
            )
            return looks[len(asked) - 1]
        return words

    model = ScriptedModel(twist=twist)
    requests = hold(rich, ["done"], model)
    first, second, third = requests[1:4]
    assert "up to 2 lines of: @@ search" in first
    assert "Looked up, search keep_forms:\n| forms.py:4 def keep_forms" in second
    assert "Looked up, read ../../etc/passwd:\n| There is no such file to show." in second
    assert "up to 1 lines" in second
    assert "Looked up, read forms.py:4-6:\n| 4 def keep_forms" in third
    assert "Looked up, search x" not in third
    assert "@@ search WORDS" not in third
    last = requests[-1]
    parts = ("Turn 1, ", "Looked up, search keep_forms", "Turn 2, ", "Turn 3, ")
    places = [last.index(part) for part in parts]
    assert places == sorted(places)
    for before, after in pairwise(requests):
        assert share(before, after) >= 0.9


@pytest.mark.rule("TABLE-1")
def test_a_search_shows_what_the_user_has_struck(rich: Place) -> None:
    talk(*rich, ["`forms.py` is not touched.", "done"], step="00-01")
    asked: list[str] = []

    def twist(brief: str, words: str) -> str:
        if brief.startswith("Now turn 2 ") and not asked:
            asked.append(brief)
            return "@@ search keep_forms"
        return words

    last = hold(rich, ["done"], ScriptedModel(twist=twist))[-1]
    assert "The code, forms.py" not in last
    assert "Looked up, search keep_forms:\n| forms.py:4 def keep_forms" in last


@pytest.mark.rule("TABLE-1")
def test_whoever_opens_or_drafts_may_look_things_up_too(place: Place) -> None:
    root, item = place
    (root / "forms.py").write_text(CODE)
    seen: set[str] = set()

    def twist(brief: str, words: str) -> str:
        kind = next((each for each in ('"drafts"', "opens the discussion") if each in brief), "")
        if kind and kind not in seen:
            seen.add(kind)
            return '{"look": ["search keep_forms", "@@ read forms.py:4-5"]}'
        return words

    model = ScriptedModel(twist=twist)
    talk(root, item, [*ANSWERS, "E", "done"], panel=model.panel())
    for start in ("Before the user is asked", "Now Maya Chen opens the discussion"):
        first, second = (request for request, _ in model.requests if f"\n\n{start}" in request)
        assert "Looked up," not in first
        assert "Looked up, read forms.py:4-5:\n| 4 def keep_forms" in second
    framed = next(request for request, brief in model.requests if brief.startswith("Now turn 2 "))
    assert framed.index("Looked up, search keep_forms") < framed.index("Turn 1, ")


@pytest.mark.rule("TABLE-1")
def test_one_that_only_looks_things_up_fails_and_says_so(rich: Place) -> None:
    model = ScriptedModel(
        twist=lambda brief, words: "@@ search x" if brief.startswith("Now turn 2 ") else words
    )
    with pytest.raises(Exception, match="There were no words for Alex Rivera"):
        talk(*rich, ["done"], step="00-01", panel=model.panel())


@pytest.mark.rule("TABLE-2")
@pytest.mark.parametrize("where", ["answer", "feedback", "turn"])
def test_what_the_user_says_of_the_code_holds_from_then_on(place: Place, where: str) -> None:
    root, item = place
    (root / "forms.py").write_text(CODE)
    said = "`forms.py` is not touched."
    words = {
        "answer": [said, "60 inspectors"],
        "feedback": [*ANSWERS, said],
        "turn": [*ANSWERS, "E", said, "done"],
    }[where]
    talk(root, item, words)
    (kept,) = meta(item)["code_corrections"]
    assert kept == {"path": "forms.py", "touched": False, "words": said}
    model = ScriptedModel()
    request = hold(place, ["done"], model)[-1]
    assert f"What the user said of the code, which holds:\n{MARK}{said}" in request
    assert "The code, forms.py" not in request


@pytest.mark.rule("TABLE-2")
def test_whoever_takes_up_a_word_on_the_code_knows_it_already(place: Place) -> None:
    seen: list[tuple[str, ...]] = []

    class Attentive(ScriptedPanel):
        async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
            if isinstance(request, do.AskFeedback):
                seen.append(request.brief.known.corrections)
            return await super().answer(request, on_words)

    (place[0] / "forms.py").write_text(CODE)
    said = "`forms.py` is not touched."
    talk(*place, [*ANSWERS, said], panel=Attentive())
    assert seen == [(said,)]


@pytest.mark.rule("TABLE-2")
@pytest.mark.parametrize(
    ("said", "path", "touched"),
    [
        ("`_main.py` is not touched", "_main.py", False),
        ("src/httpx/_main.py isn't affected by this.", "src/httpx/_main.py", False),
        ("Please don't touch forms.py; the rest is fine.", "forms.py", False),
        ("Leave lib/old.js alone.", "lib/old.js", False),
        ("docs/ stays as it is.", "docs", None),
        ("forms.py is touched after all.", "forms.py", True),
        ("Is forms.py not touched?", "", None),
        ("The inspector is not touched by rain.", "", None),
        ("forms.py is where it breaks.", "", None),
        ("The check at forms.py:191 and the rest do not change.", "", None),
        ("`uvicorn/server.py:93` is not touched.", "uvicorn/server.py:93", False),
        ("So the max_redirects check at src/requests/sessions.py:191 does not change.", "", None),
        ("The checks in a.py and b.py do not change.", "", None),
        ("b.py does not change.", "b.py", False),
        ("The order of loans in loans.py stays as it is.", "", None),
        ("utils.py:233 (colours) only looks like it.", "utils.py:233", False),
        ("`forms.py` is (really) not touched.", "forms.py", False),
        ("Do not (ever) touch forms.py.", "forms.py", False),
        ("Leave forms.py ALONE.", "forms.py", False),
    ],
)
def test_corrections_are_heard_in_plain_words(said: str, path: str, touched: bool | None) -> None:
    found = find_corrections(said)
    assert [(each.path, each.is_touched) for each in found] == (
        [(path, touched)] if touched is not None else []
    )


@pytest.mark.rule("TABLE-2")
@pytest.mark.parametrize("aside", ["", " (the form)"])
def test_one_sentence_on_two_files_stands_once_and_strikes_both(place: Place, aside: str) -> None:
    root, item = place
    said = f"forms.py{aside} and src/print.py:12{aside} are not touched."
    talk(root, item, [said, "60 inspectors"])
    assert [each["path"] for each in meta(item)["code_corrections"]] == ["forms.py", "src/print.py:12"]
    request = hold(place, ["done"], ScriptedModel())[-1]
    assert request.partition("What the user said of the code")[2].count(said) == 1


@pytest.mark.rule("TABLE-2")
def test_a_draft_taken_as_it_is_is_not_what_the_user_said_of_the_code(place: Place) -> None:
    root, item = place
    offers = (Offer("Point", "forms.py is not touched.", "", "assumed", matters=True),)
    talk(root, item, ["", "60 inspectors"], panel=ScriptedPanel(offers=offers))
    assert "forms.py is not touched." in (item / "quick-scan.md").read_text()
    assert "code_corrections" not in meta(item)


# --- draft first ----------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4")
def test_what_was_read_is_taken_and_only_what_matters_is_asked(place: Place) -> None:
    root, item = place
    offers = (
        Offer("Point", "Forms are lost without signal.", "the item", "read"),
        Offer("Measure", "60 inspectors", "", "assumed", matters=True),
    )
    lines = talk(root, item, ["", "C"], panel=ScriptedPanel(offers=offers))
    assert texts(lines, "question")[0].startswith("How is it measured?\n  Draft: 60 inspectors")
    assert any(
        "Point, from the item: Forms are lost without signal." in text for text in texts(lines, "notice")
    )
    document = (item / "quick-scan.md").read_text()
    assert "**Point**: Forms are lost without signal.\n" in document
    assert "**Measure**: 60 inspectors\n" in document


@pytest.mark.rule("STEP-4")
def test_what_is_assumed_and_changes_nothing_is_marked_and_what_nobody_knows_stays_open(place: Place) -> None:
    root, item = place
    offers = (
        Offer("Point", "Forms are lost.", "", "assumed", matters=False),
        Offer("Measure", "", "", "unknown", matters=False),
    )
    lines = talk(root, item, [], panel=ScriptedPanel(offers=offers))
    assert "question" not in kinds(lines)
    assert kinds(lines)[-1] == "paused"
    document = (item / "quick-scan.md").read_text()
    assert "**Point**: Forms are lost. (assumed)" in document


@pytest.mark.rule("TABLE-1")
def test_a_decision_that_a_step_asked_for_stands_among_what_was_decided(rich: Place) -> None:
    _, item = rich
    (item / "change-plan.md").write_text("# Plan\n\n- **Decision**: Workers are replaced at once.\n")
    (item / "guess.md").write_text("# Plan\n\n- **Decision**: Perhaps never. (assumed)\n")
    request = hold(rich, ["done"], ScriptedModel())[-1]
    decided = request.partition("Decided so far:\n")[2].partition("\n\n")[0]
    assert "- Workers are replaced at once. (change-plan.md)" in decided
    assert "Perhaps never" not in decided
