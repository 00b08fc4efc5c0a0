"""Words that another program passed on are marked: in the turn, in the transcript, across a replay."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from drafts import drafted
from legs_play import opening
from project import meta, project
from roundtable.core import events as on
from roundtable.core.claims import trusted_text
from roundtable.core.synthesis import Draft, Entry, mark_entry, mark_host_words
from roundtable.core.turns import OffTopic, Turn, Verdict
from roundtable.runtime.session import Session
from roundtable.store.journal import Journal
from roundtable.testing import ScriptedPanel
from talk import Talk


@pytest.mark.rule("LOOP-2")
def test_a_relayed_contribution_is_marked_and_others_are_not() -> None:
    talk = Talk().until_heard()
    talk.hear(on.UserSpoke("The office too.", relayed=True)).until_heard()
    talk.hear(on.UserSpoke("And the van.")).until_heard()
    marked = {turn.text: turn.relayed for turn in talk.now.turns if turn.speaker == "user"}
    assert marked == {"The office too.": True, "And the van.": False}
    assert not any(turn.relayed for turn in talk.now.turns if turn.speaker != "user")


@pytest.mark.rule("LOOP-2")
def test_the_turn_keeps_the_name_of_whoever_spoke() -> None:
    talk = Talk().until_heard()
    talk.hear(on.UserSpoke("The office too.", by="Alex")).until_heard()
    said = next(turn for turn in talk.now.turns if turn.text == "The office too.")
    assert (said.speaker, said.by) == ("user", "Alex")


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(("held", "answer"), [(True, False), (False, True)])
def test_a_held_message_keeps_its_own_mark(held: bool, answer: bool) -> None:
    talk = Talk().until_heard()
    talk.hear(on.UserSpoke("are we done?", relayed=held))
    assert talk.now.unclear_exit == on.UserSpoke("are we done?", relayed=held)
    talk.hear(on.UserSpoke("no", relayed=answer)).until_heard()
    assert talk.now.turns[3].relayed is held
    assert talk.now.unclear_exit is None
    other = Talk().until_heard()
    other.hear(on.UserSpoke("are we done?", relayed=held))
    other.hear(on.UserSpoke("The van is late.", relayed=answer)).until_heard()
    assert other.now.turns[3].relayed is answer


@pytest.mark.rule("META-6")
def test_a_journal_from_before_the_mark_still_replays(folder: Path) -> None:
    journal = Journal(folder, "01-03")
    journal.begin(opening())
    journal.append(on.UserSpoke("Hm.", relayed=True))
    assert journal.count == 1
    lines = journal.path.read_text().splitlines()
    old = json.loads(lines[1])
    del old["data"]["relayed"]
    journal.path.write_text("\n".join([lines[0], json.dumps(old)]) + "\n")
    again = Journal(folder, "01-03")
    recorded = again.read()
    assert recorded is not None
    assert recorded[1] == (on.UserSpoke("Hm."),)
    assert again.count == 1


@pytest.mark.rule("META-6", "ART-8")
def test_a_journal_with_more_marks_than_there_are_now_still_replays(folder: Path) -> None:
    journal = Journal(folder, "01-03")
    journal.begin(opening())
    events = (
        on.Framed("Two journeys.", "Who decides?", "decisions"),
        on.UserSpoke("Hm.", relayed=True),
        on.SynthesisDrafted(Draft(), "2026-01-01T00:00:00.000Z", relayed=True),
    )
    for event in events:
        journal.append(event)
    head, *rows = journal.path.read_text().splitlines()
    old = [json.loads(row) for row in rows]
    old[0]["data"]["relayed"] = True
    old[1]["data"]["seen"] = True
    journal.path.write_text("\n".join([head, *map(json.dumps, old)]) + "\n")
    recorded = Journal(folder, "01-03").read()
    assert recorded is not None
    assert recorded[1] == events


@pytest.mark.rule("FOCUS-2", "ART-8")
@pytest.mark.parametrize("relayed", [True, False])
def test_what_is_put_off_is_marked_where_a_host_passed_it_on(relayed: bool) -> None:
    talk = Talk().until_heard()
    talk.hear(on.UserSpoke("What about billing?", relayed=relayed))
    talk.hear(on.Judged(Verdict(off_topic=OffTopic("billing", "03-architecture"))))
    (point,) = talk.now.parked
    assert point.words == f"What about billing?{' (unverified)' if relayed else ''}"


@pytest.mark.rule("ART-8")
def test_of_two_answers_only_the_one_that_was_relayed_is_marked(place: tuple[Path, Path]) -> None:
    root, item = place

    async def answer() -> None:
        session = Session(root, item.name, panel=ScriptedPanel())
        session.say("The inspector retypes forms.", relayed=True)
        session.say("60 inspectors do.")
        session.say("quit")
        async for _ in session.lines():
            pass

    asyncio.run(answer())
    written = (item / "quick-scan.md").read_text()
    assert "**Point**: The inspector retypes forms (unverified).\n" in written
    assert "**Measure**: 60 inspectors do.\n" in written


TYPED = (
    "An hour a week, announced the day before.", "The brokers must not see each other's rates.",
    "Two of 24 brokers use a screen reader.", "The list of rates; the new people notice first.",
    "The wrong rate goes out to a customer, likelihood low.", "Nobody pays for that, low.", "quit",
)  # fmt: skip


@pytest.mark.rule("ART-8")
def test_a_relayed_answer_marks_its_own_row_though_the_rows_are_numbered(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    phases = {"phases_completed": ["00-quick-scan"], "depth_overrides": {"01-requirements": "deep"}}
    steps = ["00-01", "00-02", "00-03", "01-01", "01-02", "01-03", "01-04"]
    (item / "meta.json").write_text(json.dumps(meta(item) | phases | {"steps_completed": steps}))

    async def answer() -> None:
        session = Session(root, item.name, panel=ScriptedPanel())
        session.say("At most 2 seconds for 50 forms.", relayed=True)
        for said in TYPED:
            session.say(said)
        async for _ in session.lines():
            pass

    asyncio.run(answer())
    rows = [line for line in (item / "nfr-matrix.md").read_text().split("\n") if line.startswith("| NFR-")]
    assert ["(unverified)" in row for row in rows] == [True] + [False] * (len(rows) - 1)
    assert len(rows) > 3


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("text", "detail", "marked", "marked_detail"),
    [
        ("Drop the log.", "", "Drop the log {}", ""),
        ("Drop the log", "legal said so", "Drop the log {}", "legal said so"),
        ("Drop the log", "Legal did. It costs 5 EUR", "Drop the log {}", "Legal did. It costs 5 EUR {}"),
        ("See `no.py:9` {}. The user agreed", "", "See `no.py:9` {}. The user agreed {}", ""),
        ("What is {} elsewhere was checked", "", "What is {} elsewhere was checked {}", ""),
        ("Drop the log {}", "so. Be it {}", "Drop the log {}", "so. Be it {}"),
    ],
)
def test_a_host_cannot_bring_the_mark_itself(text: str, detail: str, marked: str, marked_detail: str) -> None:
    given = Entry(text.replace("{}", "(unverified)"), (1,), detail.format("(unverified)"))
    entry = mark_entry(given)
    assert entry.text == marked.replace("{}", "(unverified)")
    assert entry.detail == marked_detail.replace("{}", "(unverified)")
    assert trusted_text(f"{entry.text}: {entry.detail}") == ""
    assert mark_entry(entry) == entry


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Drop the log: after a day", "Drop the log {}: after a day {}"),
        ("We agreed: drop the log", "We agreed: drop the log {}"),
        ("Decision: drop the log: now: all", "Decision: drop the log {}: now: all {}"),
    ],
)
def test_a_decision_of_a_host_is_marked_before_a_colon_too(text: str, marked: str) -> None:
    """A decision record takes what stands before the colon for the decision."""
    marked = marked.replace("{}", "(unverified)")
    turns = (Turn(1, "business-analyst", "Drop it."),)
    draft = mark_host_words(Draft(decisions=(Entry(text, (1,)),)), turns, by_host=True)
    assert draft.decisions[0].text == marked
    assert mark_host_words(draft, turns, by_host=True) == draft
    section = "# A\n\n## 1. Review\n\n<!-- Elaboration: step 03-01, 2026-01-02T03:04:05.678Z -->\n"
    section += f"### Elaboration Insights (Step 03-01: Options)\n\n#### Decisions Made\n- {marked}: so\n"
    record = drafted("03-04", {}, {"architecture-overview.md": section})
    assert [line for line in record.splitlines() if "log" in line and "(unverified)" not in line] == []
    assert "ADR-001: Drop the log (unverified)" in record
