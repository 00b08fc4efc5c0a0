"""The rules of an elaboration, held whoever gives the words: one test, every way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hosting import Says
from project import kinds, meta, texts
from roundtable.core.lines import Line
from ways import Way

Place = tuple[Path, Path]
MAYA = "Maya Chen (Business Analyst)"
ALEX = "Alex Rivera (Solutions Architect)"
JORDAN = "Jordan Park (System Designer)"


def speakers(lines: list[Line]) -> list[str]:
    """Who took each turn, by first name."""
    said = [line for line in lines if line.kind == "contribution"]
    assert [line.turn for line in said] == list(range(1, len(said) + 1))
    return ["user" if line.speaker == "user" else line.text.split()[0] for line in said]


def limited(item: Path, turns: int) -> None:
    found = meta(item) | {"elaboration_config": {"max_turns": turns}}
    (item / "meta.json").write_text(json.dumps(found))


@pytest.mark.rule("ENTRY-3", "FRAME-1", "LOOP-1", "LOOP-2", "LOOP-3")
def test_the_lead_frames_and_the_others_answer_before_the_user_is_heard(hold: Way, place: Place) -> None:
    lines = hold(*place, [], {})
    assert kinds(lines)[:3] == ["choice", "introduction", "contribution"]
    assert f"Bringing {ALEX} and {JORDAN}" in lines[1].text
    assert speakers(lines) == ["Maya", "Alex", "Jordan"]
    assert texts(lines, "contribution")[0] == (
        f"{MAYA}: We just covered Scope Estimation. "
        "Here is where we landed: Two journeys are written down.\n\n"
        "I think we could benefit from all our perspectives on this specific question: "
        "Who decides when answers differ?\n\nAlex, what is your take from an architecture perspective?"
    )
    assert texts(lines, "contribution")[1] == f"{ALEX}: Remark 2 by Alex on the first-round."


@pytest.mark.rule("HEAR-1", "HEAR-2", "HEAR-3", "HEAR-4", "LOOP-8")
@pytest.mark.parametrize(
    ("words", "answering"),
    [
        ("Jordan, why?", ["Jordan"]),
        ("What do you think?", ["Maya", "Alex", "Jordan"]),
        ("The office may be offline too.", ["Maya"]),
        ("", ["Maya"]),
    ],
)
def test_who_answers_follows_from_the_words(
    hold: Way, place: Place, words: str, answering: list[str]
) -> None:
    lines = hold(*place, [words], {})
    assert speakers(lines)[3:] == [*(["user"] if words else []), *answering]


@pytest.mark.rule("LOOP-8")
def test_whoever_may_be_silent_may_also_speak(hold: Way, place: Place) -> None:
    lines = hold(*place, ["Jordan, why?"], {6: Says("The desk has to know before the van leaves.")})
    assert speakers(lines)[3:] == ["user", "Jordan", "Maya"]


@pytest.mark.rule("LOOP-4", "LOOP-5", "EXIT-2")
@pytest.mark.parametrize("limit", [3, 4, 5, 10])
def test_no_discussion_exceeds_its_limit(hold: Way, place: Place, limit: int) -> None:
    limited(place[1], limit)
    lines = hold(*place, ["What do you think?"] * 5, {})
    assert len(speakers(lines)) == limit
    assert len(texts(lines, "warning")) == len(texts(lines, "limit")) == 1
    assert texts(lines, "acknowledgement") == []
    assert "**Exit**: turn-limit" in texts(lines, "synthesis")[0]
    warned = kinds(lines).index("warning")
    assert lines[warned - 1].turn == limit - 2


@pytest.mark.rule("LOOP-6", "EXIT-2")
def test_after_three_silent_rounds_it_is_asked_once_and_then_ended(hold: Way, place: Place) -> None:
    limited(place[1], 30)
    lines = hold(*place, ["", "", ""], {})
    assert texts(lines, "inactivity")[0].endswith("ny thoughts on this, or should we wrap up?")
    assert texts(lines, "acknowledgement") == [
        "Wrapping up the discussion. Let me synthesize our key points."
    ]
    assert len(speakers(lines)) == 5


@pytest.mark.rule("LOOP-7")
def test_two_who_disagree_are_weighed_by_the_lead(hold: Way, place: Place) -> None:
    says = {3: Says("I would keep the caller waiting instead.", {"opposes": 2})}
    lines = hold(*place, [], says)
    assert speakers(lines) == ["Maya", "Alex", "Jordan", "Maya"]
    assert texts(lines, "contribution")[3] == f"{MAYA}: Remark 4 by Maya on the tradeoff."


@pytest.mark.rule("FOCUS-1", "FOCUS-2")
def test_what_drifts_is_put_off_and_kept(hold: Way, place: Place) -> None:
    says = {2: Says("The printers are old.", {"off_topic": "printers", "belongs_to": "03-02"})}
    lines = hold(*place, ["How is the weather?", "done"], says)
    by_persona, by_user = texts(lines, "redirect")
    assert by_persona.startswith(f"{MAYA}: Alex Rivera raises an interesting point about printers")
    assert by_user.startswith(f"{MAYA}: That is a great question")
    assert speakers(lines) == ["Maya", "Alex", "Jordan", "user"]
    parked = (place[1] / "parking-lot.md").read_text()
    assert "printers" in parked


@pytest.mark.rule("EXIT-1", "EXIT-3")
def test_an_unclear_exit_is_asked_about(hold: Way, place: Place) -> None:
    lines = hold(*place, ["are we done?", "no", "are we done?", "yes"], {})
    assert (
        texts(lines, "unclear-exit")
        == ["Did you want to end the discussion, or continue exploring this?"] * 2
    )
    assert speakers(lines)[3:] == ["user", "Maya"]
    assert kinds(lines)[-1] in ("menu", "paused", "listen")
    assert "[E] Elaboration Mode" in texts(lines, "menu")[-1]


@pytest.mark.rule("SYN-1", "SYN-2", "SYN-3", "SYN-6", "ART-4", "ART-6", "META-5")
def test_what_was_decided_reaches_document_record_and_transcript(hold: Way, place: Place) -> None:
    root, item = place
    before = (item / "quick-scan.md").read_bytes()
    lines = hold(root, item, ["We go with A.", "done"], {})
    block = texts(lines, "synthesis")[0]
    # What a host worded or passed on is marked (ART-8).
    block = block.replace(" (unverified)", "")
    assert "- [Alex] Answers can differ" in block
    assert "- We go with A: said so" in block
    assert texts(lines, "update")[0].endswith("added 1 insight, 1 decision.")
    (record,) = meta(item)["elaborations"]
    assert (record["step_id"], record["turn_count"]) == ("00-01", 5)
    assert record["synthesis_summary"].removesuffix(" (unverified)") == "Identified 1 gap"
    marker = f"<!-- Elaboration: step 00-01, {record['timestamp']} -->".encode()
    after = (item / "quick-scan.md").read_bytes()
    assert after.count(marker) == 1
    start = after.index(marker)
    added = len(after) - len(before)
    assert any(after[:at] + after[at + added :] == before for at in range(start - 4, start + 1))
    assert "We go with A." in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("VOICE-2")
def test_a_voice_that_stays_wrong_is_shown_and_noted(hold: Way, place: Place) -> None:
    words = "The acceptance criterion here would be that it works."
    lines = hold(*place, ["done"], {2: Says(words)})
    assert texts(lines, "contribution")[1] == f"{ALEX}: {words}"
    assert "forbidden" in (place[1] / "elaborations" / "00-01-1.md").read_text()
