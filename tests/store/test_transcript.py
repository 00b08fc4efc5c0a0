"""Transcripts: the whole discussion, readable, once, whatever was said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from roundtable.core.commands import Record, SaveRecord, Table
from roundtable.core.errors import DiskFailed
from roundtable.core.personas import Persona, Roster
from roundtable.core.steps import Item, Step
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import USER, OffTopic, Parked, Turn, Verdict
from roundtable.documents.blocks import parse_transcript
from roundtable.documents.outline import read_outline
from roundtable.store.transcript import list_transcripts, write_transcript

AT = "2026-02-20T14:30:00.000Z"
MAYA = Persona("business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", ())
ALEX = Persona("solutions-architect", "Alex Rivera", "Solutions Architect", "Architect", (), "a", ())
STEP = Step("01-03", "User Experience & Journeys", MAYA.key, "standard", ("requirements-spec.md",))
TURNS = (
    Turn(1, MAYA.key, "We covered journeys.\n\nWhat is missing?"),
    Turn(2, ALEX.key, "Sync can fail.", Verdict(opposes=1), notes=("sounds like a committee",)),
    Turn(3, USER, "Keep drafts for a day.", Verdict(decisions=(3,))),
    Turn(4, "gone", "Which store?", Verdict(off_topic=OffTopic("the store", "03-02"))),
)
DRAFT = Draft(
    insights=(Entry("Sync needs a state", (1, 2)),),
    decisions=(Entry("Keep drafts.", (3,), "they are short-lived"),),
)


def save(
    turns: tuple[Turn, ...] = TURNS, *, at: str = AT, draft: Draft = DRAFT, step: Step = STEP
) -> SaveRecord:
    roster = Roster((MAYA, ALEX))
    table = Table(
        item=Item("offline-mode", "Offline mode"),
        step=step,
        roster=roster,
        lead=MAYA,
        steps=(step,),
        material=(),
        max_turns=10,
        focus_question="What when offline?",
        turns=turns,
    )
    record = Record(step.step_id, len(turns), roster.keys, at, "Decided on drafts")
    return SaveRecord(record, table, draft, "user-initiated")


@pytest.mark.rule("LOOP-2")
def test_words_that_the_host_passed_on_are_marked_first(folder: Path) -> None:
    turns = tuple(replace(turn, relayed=turn.speaker == USER) for turn in TURNS)
    text = (folder / write_transcript(folder, save(turns), "host")).read_text()
    remark = "> - Relayed by the host, perhaps not word for word (unverified)."
    assert f"Keep drafts for a day.\n\n{remark}\n" in text
    assert text.count(remark) == 1


@pytest.mark.rule("SYN-2")
def test_of_several_people_each_is_named_and_never_taken_for_a_persona(folder: Path) -> None:
    named = tuple(replace(turn, by="Alex *Rivera*" if turn.speaker == USER else "") for turn in TURNS)
    text = (folder / write_transcript(folder, save(named), "offline")).read_text()
    assert "User (Alex \\*Rivera\\*)**" in text
    assert "- [User] " in text


@pytest.mark.rule("SYN-2", "FOCUS-2", "VOICE-2")
def test_holds_everything_with_anchors_and_links(folder: Path) -> None:
    command = replace(save(), parked=(Parked("the store", "03-02", 4, "gone", "Which store?"),))
    assert write_transcript(folder, command, "offline") == "elaborations/01-03-1.md"
    assert (
        (folder / "elaborations" / "01-03-1.md").read_text()
        == """\
<!-- Transcript: step 01-03, 2026-02-20T14:30:00.000Z -->

# Elaboration of step 01-03: User Experience & Journeys

- **Item**: Offline mode
- **Step**: 01-03 User Experience & Journeys
- **Participants**: Maya Chen (Business Analyst), Alex Rivera (Solutions Architect)
- **Turns**: 4 of 10
- **Exit**: user-initiated
- **Date**: 2026-02-20T14:30:00.000Z
- **Panel**: offline
- **Focus question**: What when offline?

## Discussion

<a id="turn-1"></a>
**1. Maya Chen (Business Analyst)**

We covered journeys.

What is missing?

<a id="turn-2"></a>
**2. Alex Rivera (Solutions Architect)**

Sync can fail.

> - Voice check: sounds like a committee

<a id="turn-3"></a>
**3. User**

Keep drafts for a day.

<a id="turn-4"></a>
**4. gone**

Which store?

> - Put off: the store

## Synthesis

### Key Insights

- [Maya/Alex] Sync needs a state ([turn 1](#turn-1), [turn 2](#turn-2))

### Decisions Made

- [User] Keep drafts: they are short-lived ([turn 3](#turn-3))

### Open Questions

- None

## Put off

- **the store** for 03-02, gone, [turn 4](#turn-4): Which store?
"""
    )


def test_what_was_said_is_read_again_with_its_paragraphs(folder: Path) -> None:
    text = (folder / write_transcript(folder, save(), "offline")).read_text()
    found = parse_transcript(text)
    assert found is not None
    assert [turn.text for turn in found.turns] == [turn.text for turn in TURNS]


@pytest.mark.rule("SYN-5")
def test_says_where_the_synthesis_was_extracted_offline(folder: Path) -> None:
    draft = Draft(actions=(Entry("Ask legal", (2,), "Maya"),))
    path = write_transcript(folder, replace(save(draft=draft), extracted=True), "model")
    text = (folder / path).read_text()
    assert (
        "\n\nExtracted offline: the panel could not draft the synthesis.\n\n### Key Insights\n\n- None"
        in text
    )
    assert text.endswith("### Action Items\n\n- [Alex] Ask legal: Maya ([turn 2](#turn-2))\n")


@pytest.mark.rule("SYN-5")
def test_nothing_to_extract_leaves_the_takeaway(folder: Path) -> None:
    command = save(draft=Draft(takeaway="Offline matters"))
    command = replace(command, table=replace(command.table, focus_question=""))
    text = (folder / write_transcript(folder, command, "offline")).read_text()
    assert text.endswith("## Synthesis\n\nKey takeaway: Offline matters\n")
    assert "Focus question" not in text
    assert "Extracted" not in text


class TestOnce:
    def test_the_same_discussion_is_written_once(self, folder: Path) -> None:
        first = write_transcript(folder, save(), "offline")
        before = (folder / first).read_bytes()
        assert write_transcript(folder, save(TURNS[:1]), "other") == first
        assert (folder / first).read_bytes() == before
        assert len(list_transcripts(folder)) == 1

    def test_another_discussion_gets_the_next_number(self, folder: Path) -> None:
        (folder / "elaborations").mkdir()
        (folder / "elaborations" / "01-03-9.md").write_text("by hand")
        (folder / "elaborations" / "01-03-notes.md").write_text("")
        (folder / "elaborations" / "01-03-11.md").mkdir()
        assert write_transcript(folder, save(), "offline") == "elaborations/01-03-12.md"
        other = replace(STEP, step_id="01-02")
        assert write_transcript(folder, save(step=other), "offline") == "elaborations/01-02-1.md"
        assert write_transcript(folder, save(), "offline") == "elaborations/01-03-12.md"
        assert [path.name for path in list_transcripts(folder)] == [
            "01-02-1.md", "01-03-9.md", "01-03-11.md", "01-03-12.md",
        ]  # fmt: skip

    def test_an_item_without_any_has_none(self, folder: Path) -> None:
        assert list_transcripts(folder) == ()


class TestBadPlaces:
    def test_a_folder_linked_out_is_refused(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        (folder / "elaborations").symlink_to(tmp_path / "out")
        with pytest.raises(DiskFailed) as caught:
            write_transcript(folder, save(), "offline")
        assert "it is a link that leads elsewhere. Nothing was changed." in str(caught.value)
        assert list((tmp_path / "out").iterdir()) == []

    def test_a_file_in_place_of_the_folder_is_said(self, folder: Path) -> None:
        (folder / "elaborations").write_text("")
        with pytest.raises(DiskFailed, match="something else has that name"):
            write_transcript(folder, save(), "offline")

    def test_a_renamed_item_is_said(self, folder: Path) -> None:
        folder.rename(folder.with_name("new"))
        with pytest.raises(DiskFailed, match="its folder is gone"):
            write_transcript(folder, save(), "offline")
        assert not folder.exists()


@pytest.mark.rule("ART-7")
class TestAnyWords:
    NASTY = (
        "# Heading\n```python\nx = 1\n\nSetext\n===\n\n<!-- open\n<script>\n---\n[a\nb]: /url\n"
        "|a|b|\n|-|-|\n\r\n    indented\x1b[31mred\x07\n1. one\n- two\n\n~~~"
    )

    def test_cannot_break_the_document(self, folder: Path) -> None:
        path = write_transcript(folder, save((Turn(1, MAYA.key, self.NASTY),), draft=Draft()), "o")
        document = (folder / path).read_bytes()
        shape = read_outline(document)
        headings = [piece.text for piece in shape.pieces if piece.kind == "heading"]
        assert headings == [
            "Elaboration of step 01-03: User Experience & Journeys",
            "Discussion",
            "Synthesis",
        ]
        kinds = {piece.kind for piece in shape.pieces}
        assert kinds == {"html_block", "heading", "paragraph", "bullet_list"}
        text = document.decode()
        assert "\x1b" not in text
        assert "indentedred" in text
        assert "\\# Heading\n" in text
        assert "\n\\|-|-|\n" in text
        assert "b]\\: /url" in text


@pytest.mark.rule("ART-7")
@given(text=st.text(alphabet="ab #`~<!->\n|:[]\\=_*\r\t\x1b1.", min_size=1, max_size=80))
def test_every_turn_stays_paragraphs(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("item")
    turns = (Turn(1, MAYA.key, text), Turn(2, ALEX.key, "after"))
    path = write_transcript(folder, save(turns, draft=Draft()), "offline")
    document = (folder / path).read_bytes()
    pieces = read_outline(document).pieces
    assert [piece.kind for piece in pieces if piece.kind not in ("paragraph", "bullet_list")] == [
        "html_block", "heading", "heading", "heading",
    ]  # fmt: skip
    assert sum(piece.kind == "bullet_list" for piece in pieces) == 1
    assert document.count(b'<a id="turn-2"></a>') == 1
