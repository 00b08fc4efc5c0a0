"""Whatever a host sends that is not legal is refused, with the reason and what is, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData

from hosting import Refusal, here, play
from project import meta

Place = tuple[Path, Path]
TURN = "submit_turn"
ALEX = {"speaker": "solutions-architect"}


def on_disk(item: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(item.rglob("*")) if path.is_file()}


@pytest.mark.rule("LOOP-3", "LOOP-7", "LOOP-8", "LOOP-9")
@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        (
            TURN,
            {"speaker": "system-designer", "text": "x"},
            r"It is Alex Rivera's turn \(solutions-architect\)",
        ),
        (TURN, {"speaker": "user", "text": "x"}, "'user' cannot speak now"),
        (TURN, {**ALEX, "text": ""}, "The text is empty"),
        (TURN, {**ALEX, "text": " \x07\x1b[31m\u202e "}, "The text is empty"),
        (TURN, {**ALEX, "text": "word " * 171}, "171 words; at most 170"),
        (TURN, {**ALEX, "text": "x" * 1_000_000}, "1000000 characters; at most 2040"),
        (TURN, {**ALEX, "text": "x", "passes": True}, "has to speak here and cannot pass"),
        (TURN, {**ALEX, "text": "x", "opposes": 2}, "Turn 2 does not exist"),
        (TURN, {**ALEX, "text": "x", "decides": [9]}, "Turn 9 does not exist"),
        (
            TURN,
            {**ALEX, "text": "x", "off_topic": "storage", "belongs_to": "storage"},
            "There is no step or phase 'storage' for belongs_to.*03-02 .Technology",
        ),
        (TURN, {**ALEX, "text": "x", "move": "00-01.1"}, "Move '00-01.1' is not open"),
        (TURN, {**ALEX, "text": "x", "move": ""}, "Move '' is not open"),
        (TURN, {**ALEX, "text": {"a": 1}}, "not called as its schema says .text: "),
        (TURN, {**ALEX, "text": "x", "opposes": "two"}, "not called as its schema says .opposes: "),
        (TURN, {"text": "x"}, "not called as its schema says .speaker: Field required"),
        ("submit_judgement", {"takeaway": "x"}, "This move asks for a turn, not for a synthesis"),
        ("submit_judgement", {"decides": [1]}, "decides: Extra inputs are not permitted"),
        ("submit_judgement", {"insights": [{"text": "x", "turns": [1], "who": "A"}]}, "insights.0.who"),
        (TURN, {**ALEX, "text": "x", "feels": 1}, "feels: Extra inputs are not permitted"),
        ("submit_judgement", {"insights": [{"text": 3}]}, "not called as its schema says .insights.0.text: "),
        ("submit_judgement", {"insights": "no list"}, "not called as its schema says .insights: "),
        ("relay_user", {"words": "I am the user."}, "It is not the user.s turn"),
        ("hear_user", {}, "It is not the user.s turn"),
        ("next_move", {"session": "no-such-item"}, "schema says .move: Extra inputs are not"),
    ],
)
def test_a_wrong_call_in_a_persona_s_turn(
    place: Place, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            before, files, move = player.last, on_disk(item), player.move["id"]
            with pytest.raises(Refusal, match=reason) as refused:
                await player.send(tool, **arguments)
            if not any(each in reason for each in ("schema", "Extra", ".who")):
                call = f'submit_turn(session, move="{move}", speaker="solutions-architect", text'
                assert f"Legal now: {call}, ...)." in str(refused.value)
                assert "Nothing was written." in str(refused.value)
            assert on_disk(item) == files
            assert await player.call("next_move", session=item.name) == before

    play(test())


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        (
            TURN,
            {"speaker": "business-analyst", "text": "I know what they want."},
            "nobody answers for the user",
        ),
        ("submit_judgement", {}, "nobody answers for the user"),
        ("relay_user", {"words": "x" * 1_000_000}, "at most 20,000 characters, not 1,000,000"),
        ("relay_user", {"words": None}, "not called as its schema says .words"),
        ("relay_user", {}, "not called as its schema says .words: Field required"),
    ],
)
def test_nobody_speaks_for_the_user(place: Place, tool: str, arguments: dict[str, Any], reason: str) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            files = on_disk(item)
            with pytest.raises(Refusal, match=reason):
                await player.send(tool, **arguments)
            assert on_disk(item) == files

    play(test())


def test_a_move_counts_once(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            used = player.move["id"]
            await player.send(TURN, **ALEX, text="The gateway is the narrow part.")
            with pytest.raises(Refusal, match=rf"Move '{used}' has been used.*speaker=\"system-designer\""):
                await player.send(TURN, move=used, **ALEX, text="And again.")
            await player.send(TURN, speaker="system-designer", text="The form needs a version.")
            said = player.move["id"]
            await player.send("relay_user", words="Hm.")
            with pytest.raises(Refusal, match="has been used"):
                await player.send("relay_user", move=said, words="Hm.")

    play(test())


@pytest.mark.rule("FRAME-1")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"focus_question": " "}, "focus_question is empty"),
        ({"focus_topic": ""}, "focus_topic is empty"),
        ({"focus_topic": "word " * 13}, "focus_topic has 13 words; at most 12"),
        ({"text": ""}, "The text is empty"),
        ({"focus_question": "why " * 81}, "81 words; at most 80"),
    ],
)
def test_a_framing_needs_all_three(place: Place, change: dict[str, str], reason: str) -> None:
    root, item = place
    whole = {"text": "Two journeys.", "focus_question": "Who decides?", "focus_topic": "deciding"}

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            with pytest.raises(Refusal, match=reason):
                await player.send(TURN, speaker="business-analyst", **{**whole, **change})
            await player.send(TURN, speaker="business-analyst", **whole)
            assert player.move["speaker"] == "solutions-architect"

    play(test())


@pytest.mark.rule("VOICE-2")
def test_a_voice_that_breaks_its_rules_is_refused_once_and_then_noted(place: Place) -> None:
    root, item = place
    wrong = "The acceptance criterion here would be that it works."

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            files, move = on_disk(item), player.move["id"]
            again = await player.send(TURN, **ALEX, text=wrong)
            assert on_disk(item) == files
            assert "lines" not in again
            assert (again["move"]["speaker"], again["move"]["turn"]) == (ALEX["speaker"], "2 of 10")
            assert "An earlier try was not accepted." in again["move"]["brief"]
            assert "Alex does not write acceptance criteria" in again["move"]["brief"]
            with pytest.raises(Refusal, match="has been used"):
                await player.send(TURN, move=move, **ALEX, text=wrong)
            await player.send(TURN, **ALEX, text=wrong)
            assert player.move["speaker"] == "system-designer"
            await player.play(["done"])

    play(test())
    assert "Voice check: forbidden" in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("VOICE-2")
def test_a_second_try_that_is_sound_leaves_no_note(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            await player.send(TURN, **ALEX, text="The acceptance criterion is that it works.")
            await player.send(TURN, **ALEX, text="Option B keeps it small.")
            await player.play(["done"])

    play(test())
    assert "Voice check" not in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("SYN-3", "SYN-4")
def test_a_synthesis_that_cites_what_does_not_exist_is_refused_once_and_then_left_out(place: Place) -> None:
    root, item = place
    wrong = {
        "insights": [{"text": "Forms differ.", "turns": [2]}, {"text": "From nowhere.", "turns": [77]}],
        "summary": "Identified 1 gap",
    }

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="done")
            assert player.move["kind"] == "synthesis"
            before = (item / "quick-scan.md").read_bytes()
            await player.send("submit_judgement", **wrong)
            assert player.move["kind"] == "synthesis"
            assert 'Turn 77 does not exist, cited for: "From nowhere' in player.move["brief"]
            assert (item / "quick-scan.md").read_bytes() == before
            await player.send("submit_judgement", **wrong)
            await player.until_heard()
            assert player.move["kind"] == "menu"

    play(test())
    document = (item / "quick-scan.md").read_text()
    assert "[Alex] Forms differ (unverified)" in document
    assert "From nowhere" not in document


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "The synthesis is empty"),
        ({"insights": [{"text": "x", "turns": [1]}] * 41, "summary": "s"}, "at most 40 entries, not 41"),
        ({"insights": [{"text": "w " * 121, "turns": [1]}], "summary": "s"}, "121 words; at most 120"),
        ({"insights": [{"text": "x", "turns": [1]}]}, "The summary is empty"),
    ],
)
def test_a_synthesis_that_is_none(place: Place, arguments: dict[str, Any], reason: str) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="done")
            files = on_disk(item)
            with pytest.raises(Refusal, match=reason):
                await player.send("submit_judgement", **arguments)
            assert on_disk(item) == files

    play(test())


@pytest.mark.rule("MENU-5")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"item": "nothing-like-it"}, "nothing-like-it"),
        ({"item": ""}, "item"),
        ({"item": "offline-forms", "step": "09-09"}, "There is no step 09-09. The steps are 00-01"),
        ({"item": "offline-forms", "step": "01-01"}, "Step 01-01 is not complete yet. Complete: 00-01"),
        ({"item": "../.."}, "item"),
        ({"item": 7}, "not called as its schema says"),
        ({}, "not called as its schema says .item: Field required"),
    ],
)
def test_an_item_or_step_that_cannot_be_opened(place: Place, arguments: dict[str, Any], reason: str) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            with pytest.raises(Refusal, match=reason):
                await player.call("start", **arguments)
            await player.start(item.name)
            assert player.move["kind"] == "menu"

    play(test())
    assert meta(item)["elaborations"] == []


def test_control_characters_and_markup_do_no_harm(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            await player.send(
                TURN, **ALEX, text="Red\x1b[31m alert\r\n<!-- Elaboration: step 00-01 -->\x00 now."
            )
            await player.until_heard()
            await player.send("relay_user", words="say \x1b]0;evil\x07this\u202e")
            assert player.last["lines"][0]["text"] == "say this"
            await player.until_heard()
            await player.send("relay_user", words="done")
            hurt = {"text": "# Broken <!-- x -->\n```", "turns": [2]}
            await player.send("submit_judgement", insights=[hurt], summary="Identified\n1 gap")
            await player.until_heard()
            assert player.move["kind"] == "menu"

    play(test())
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "Red alert" in transcript
    assert transcript.count("<!--") == 1
    assert (item / "quick-scan.md").read_text().count("<!-- Elaboration:") == 1


def test_where_the_client_fails_to_show_a_form_the_chat_will_do(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root, user=[ErrorData(code=-32603, message="headless")]) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            with pytest.raises(MCPError, match="headless"):
                await player.send("hear_user")
            await player.send("relay_user", words="We go with A.")

    play(test())
