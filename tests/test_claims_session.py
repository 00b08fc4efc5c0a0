"""In a session claims are refused once and then marked: on screen, in the transcript, in the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from project import talk, texts
from roundtable.core import commands as do
from roundtable.core.events import Offer
from roundtable.core.synthesis import Draft, Entry
from roundtable.panel.base import Framing, PanelKind, Speech
from roundtable.testing import ScriptedPanel

LIE = "The sync waits in `forms/queue.py:41` for a signal."
PLAIN = "The sync waits for a signal, however long that takes."
Place = tuple[Path, Path]


def say(lie: str, better: str) -> Callable[[do.Brief], Speech | None]:
    """Alex tells a lie in turn 2, and something better when that is refused."""

    def says(brief: do.Brief) -> Speech | None:
        return Speech(better if brief.again else lie) if brief.number == 2 else None

    return says


def discuss(place: Place, panel: ScriptedPanel, *words: str) -> tuple[list[str], str, str]:
    """What was shown as contributions, the transcript, and the document, after a discussion on step 00-01."""
    root, item = place
    lines = talk(root, item, [*words, "done"], step="00-01", panel=panel)
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    return texts(lines, "contribution"), transcript, (item / "quick-scan.md").read_text()


@pytest.mark.rule("ART-8")
def test_a_refused_claim_is_said_otherwise_and_leaves_no_trace(completed: Place) -> None:
    panel = ScriptedPanel(says=say(LIE, PLAIN))
    shown, transcript, _ = discuss(completed, panel)
    again = [brief.again for brief in panel.briefs if brief.again]
    missing = "forms/queue.py:41: there is no file forms/queue.py in the project."
    assert again == [(f"{missing} Cite what exists, or leave it out.",)]
    assert shown[1].endswith(PLAIN)
    assert "nverified" not in transcript


@pytest.mark.rule("ART-8")
def test_a_claim_that_stays_is_marked_on_screen_and_in_the_transcript(completed: Place) -> None:
    shown, transcript, _ = discuss(completed, ScriptedPanel(says=say(LIE, LIE)))
    assert "`forms/queue.py:41` (unverified) for a signal." in shown[1]
    assert "`forms/queue.py:41` (unverified) for a signal." in transcript
    assert "> - Unverified: forms/queue.py:41: there is no file forms/queue.py in the project." in transcript


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(("kind", "is_checked"), [("offline", False), ("model", True), ("host", True)])
def test_the_kind_of_a_panel_and_not_its_name_says_whether_its_claims_are_checked(
    completed: Place, kind: PanelKind, is_checked: bool
) -> None:
    class Called(ScriptedPanel):
        name = "offline"

    panel = Called(says=say(LIE, LIE))
    Called.kind = kind
    shown, _, _ = discuss(completed, panel)
    assert ("(unverified)" in shown[1]) is is_checked


@pytest.mark.rule("ART-8")
def test_a_file_of_the_project_can_be_cited_also_by_its_name_and_no_link_out(
    completed: Place, tmp_path: Path
) -> None:
    root, _ = completed
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("one\ntwo\n")
    (root / "forms").mkdir()
    (root / "forms" / "sync.py").write_text("one\ntwo\n")
    (root / "forms" / "linked.py").symlink_to(outside / "secret.py")
    good = "The sync is `forms/sync.py:2`, or sync.py:1 for short, and quick-scan.md names it."
    panel = ScriptedPanel(says=say(good, good))
    discuss(completed, panel)
    assert [brief.again for brief in panel.briefs if brief.again] == []
    bad = "The sync is `forms/linked.py:2`."
    linked = ScriptedPanel(says=say(bad, bad))
    root, item = completed
    lines = talk(root, item, ["done"], step="00-01", panel=linked)
    assert "`forms/linked.py:2` (unverified)." in texts(lines, "contribution")[1]


class Framer(ScriptedPanel):
    """A panel whose lead credits the user with what nobody said, once or always."""

    insists = False

    async def frame(self, brief: do.Brief) -> Framing:
        lie = "The user confirmed that signatures may be deleted."
        text = lie if self.insists or not brief.again else "Two journeys are written down."
        return Framing(text, "Who decides when answers differ?", "differing answers")


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize("insists", [False, True])
def test_a_framing_is_refused_once_and_then_marked(completed: Place, insists: bool) -> None:
    panel = Framer()
    panel.insists = insists
    shown, _, _ = discuss(completed, panel)
    assert panel.asked.count("frame") == 2
    assert ("signatures may be deleted (unverified)." in shown[0]) is insists
    assert ("Two journeys" in shown[0]) is not insists


class Refuser(ScriptedPanel):
    """A panel whose lead refuses to ask a question, the first time."""

    async def frame(self, brief: do.Brief) -> Framing:
        question = "Who decides?" if brief.again else "I'm sorry, but I can't help with that."
        return Framing("Two journeys are written down.", question, "differing answers")


@pytest.mark.rule("ART-8")
def test_a_framing_is_refused_for_its_question_alone(completed: Place) -> None:
    panel = Refuser()
    shown, _, _ = discuss(completed, panel)
    assert panel.asked.count("frame") == 2
    assert "Who decides?" in shown[0]
    assert "(unverified)" not in shown[0]


class Summer(ScriptedPanel):
    """A panel whose synthesis has a figure from nowhere, the first time or always."""

    insists = False
    problems: tuple[tuple[str, ...], ...] = ()

    async def synthesise(self, ask: do.AskSynthesis) -> Draft:
        self.problems = (*self.problems, ask.problems)
        figure = "4,700 remarks" if self.insists or not ask.problems else "Some remarks"
        return Draft(insights=(Entry(f"{figure} were made by Alex.", (2,)),), summary="Identified 1 gap")


@pytest.mark.rule("ART-8", "SYN-4")
@pytest.mark.parametrize("insists", [False, True])
def test_a_synthesis_is_sent_back_once_and_then_marked(completed: Place, insists: bool) -> None:
    panel = Summer()
    panel.insists = insists
    _, transcript, document = discuss(completed, panel)
    assert len(panel.problems) == 2
    assert panel.problems[0] == ()
    assert "4,700 remarks" not in document
    assert any(reason.startswith("4,700 is not in the cited turns") for reason in panel.problems[1])
    for text in (transcript, document):
        assert ("- [Alex] 4,700 (unverified) remarks were made by Alex." in text) is insists


@pytest.mark.rule("ART-8", "SYN-9")
def test_the_offline_panel_only_quotes_and_is_exempt(completed: Place) -> None:
    root, item = completed
    words = "Alex said forms/queue.py:41 holds 4,700 forms, we go with dropping it."
    talk(root, item, [words, "done"], step="00-01", panel=None)
    assert "(unverified)" not in (item / "quick-scan.md").read_text()


OUTCOME = "429 after 20 links a minute, as GET does today"
NOT_THERE = "app/server.py:99"


@pytest.mark.rule("STEP-4", "ART-8")
@pytest.mark.parametrize(
    ("text", "source", "is_read"),
    [
        (OUTCOME, "app/server.py:2", True),
        (f"{OUTCOME} (app/server.py:2)", "the item", True),
        ("LIMIT_A_MINUTE is 20 (app/server.py:2)", "app/server.py:2", True),
        ("A new file app/limits.py counts", "the item", True),
        (OUTCOME, NOT_THERE, False),
        (OUTCOME, "app/gone.py:1", False),
        (f"{OUTCOME} ({NOT_THERE})", "the item", False),
    ],
)
def test_a_draft_that_cites_what_is_not_there_is_asked_and_not_taken_as_read(
    place: Place, text: str, source: str, is_read: bool
) -> None:
    root, item = place
    (root / "app").mkdir()
    (root / "app" / "server.py").write_text("import time\nLIMIT_A_MINUTE = 20\n")
    panel = ScriptedPanel(offers=(Offer("Point", text, source, "read", matters=False),))
    lines = talk(root, item, ["", "quit"], panel=panel)
    drafts = [line.draft for line in lines if line.kind == "question"]
    assert (text in drafts) is not is_read
    assert any(f"Point, from {source}: {text}" in notice for notice in texts(lines, "notice")) is is_read
    document = item / "quick-scan.md"
    assert not document.exists() or "(assumed)" not in document.read_text()
