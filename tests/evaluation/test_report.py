"""The whole report, the transcripts for a reader, and what is timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from people import ITEM
from roundtable.evaluation.discussion import Trial, play_all
from roundtable.evaluation.report import figures
from roundtable.evaluation.scripts import Message, Script
from roundtable.evaluation.speed import contributions, loaded_before_introduction
from roundtable.evaluation.transcripts import transcript, write_transcripts
from roundtable.panel.offline import OfflinePanel
from scripted import ScriptedPanel
from trials import discussion, says, trial

ANSWERS = (("Journey", "The inspector goes down, fills in eight forms and comes back up."),)
MESSAGES = (
    Message("question", "Alex, what if two inspectors change the same form?"),
    Message("decision", "Let's keep the first one.", "keep the first one"),
    Message("silence", ""),
    Message("drift-far", "How is the weather?"),
)


def script(name: str = "01-forms") -> Script:
    return Script(name, ITEM, "01-03", ANSWERS, MESSAGES)


@pytest.fixture(scope="module")
def played() -> tuple[Trial, ...]:
    return play_all([script("01-forms"), script("02-forms")], OfflinePanel())


def test_every_figure_of_the_report_is_there_once(played: tuple[Trial, ...]) -> None:
    found = list(figures(played, timed=False))
    names = [figure.name for figure in found]
    assert len(set(names)) == len(names) == 21
    assert [figure.name for figure in found if figure.bound is None] == [
        "sentences shared by two items, on average",
        "new sentences in them",
    ]
    assert [figure.name for figure in found if figure.value is None] == ["talk of another step redirected"]


def test_the_same_script_gives_the_same_discussion(played: tuple[Trial, ...]) -> None:
    (again,) = play_all([script()], OfflinePanel())
    assert [turn.text for turn in again.first.turns] == [turn.text for turn in played[0].first.turns]
    assert [turn.text for turn in again.second.turns] == [turn.text for turn in played[0].second.turns]


def test_a_transcript_shows_the_item_the_answers_and_both_discussions(tmp_path: Path) -> None:
    (made,) = play_all([script()], ScriptedPanel())
    (path,) = write_transcripts((made,), tmp_path / "new" / "folder")
    text = path.read_text(encoding="utf-8")
    assert path.name == "01-forms.md"
    assert text == transcript(made)
    assert text.startswith(
        "# offline mode feature\n\n> Inspectors fill in forms in basements without signal.\n\n"
        "## Step 01-03: User Experience & Journeys\n\n"
        "- **Journey**: The inspector goes down, fills in eight forms and comes back up.\n\n"
        "## The discussion\n\n**1. Maya Chen (Business Analyst)**: We just covered User Experience & Jour"
    )
    assert "**4. You**: Alex, what if two inspectors change the same form?" in text
    assert "**5. Alex Rivera (Solutions Architect)**: Remark 5 by Alex on the answer." in text
    assert "> Maya Chen (Business Analyst): That is a great question for Architecture." in text
    first, _, second = text.partition("## A second one, in which the user is silent\n")
    assert first.count("### Elaboration Insights") == second.count("### Elaboration Insights") == 1
    assert "You**" not in second
    assert "ELABORATION MODE" not in text


def test_the_first_item_is_the_start_and_is_not_timed() -> None:
    slow = trial(discussion(*(says("Maya", str(at)) for at in range(50)), name="01"))
    quick = trial(discussion(*(says("Maya", str(at)) for at in range(21)), name="02"))
    middle, most = contributions([slow, quick])
    assert (middle.value, middle.counted, middle.wanted) == (11.0, "21 measured", "below 5 ms")
    assert (most.value, most.counted) == (20.0, "slowest 21.0 ms")
    assert next(iter(contributions([slow]))).counted == "50 measured"
    assert list(contributions([])) == []


@pytest.mark.rule("ENTRY-3")
def test_the_introduction_is_shown_before_the_panel_has_read_anything() -> None:
    assert loaded_before_introduction() == ()
