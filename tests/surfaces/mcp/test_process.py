"""The server as a process of its own, the package's client over stdio: whole plays, kills, other sessions."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from hosting import Host, Refusal, host, parameters, play
from project import meta, texts
from roundtable.store.lock import item_lock

Place = tuple[Path, Path]


def pid_of(item: Path) -> int:
    """The process that holds the item."""
    return int(json.loads((item / ".journal" / "holder.json").read_text())["pid"])


@pytest.mark.rule("STEP-4", "STEP-5", "MENU-1", "MENU-3")
def test_a_whole_step_by_moves(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with host(parameters(root)) as player:
            assert [each["slug"] for each in json.loads(await player.raw("list_items"))["items"]] == [
                item.name
            ]
            first = await player.start("offline")
            assert first["session"] == item.name
            assert player.move["kind"] == "answer"
            await player.send("relay_user", words="The inspector retypes forms.")
            await player.send("relay_user", words="many of them")
            assert (player.move["kind"], player.move["speaker"]) == ("follow-up", "business-analyst")
            assert "Inspectors fill in forms in basements" in player.last["context"]
            await player.send("submit_turn", speaker="business-analyst", text="How many, in figures?")
            assert player.last["lines"] == [{"kind": "question", "text": "How many, in figures?"}]
            await player.send("relay_user", words="60 inspectors")
            assert player.move["kind"] == "menu"
            assert "[S] Skip remaining steps" in player.lines[-1].text
            await player.send("relay_user", words="The office may be offline too.")
            assert player.move["kind"] == "feedback"
            await player.send("submit_turn", speaker="business-analyst", text="I note the office.")
            assert texts(player.lines, "feedback")[-1] == "Maya Chen (Business Analyst): I note the office."
            await player.send("relay_user", words="C")
            assert player.move["kind"] == "answer"

    play(test())
    document = (item / "quick-scan.md").read_text()
    assert "**Point**: The inspector retypes forms (unverified)" in document
    assert "60 inspectors (unverified)" in document
    assert "The office may be offline too (unverified)" in document
    assert meta(item)["steps_completed"] == ["00-01"]


@pytest.mark.rule("MENU-5", "META-5", "SYN-2", "LOOP-5")
def test_a_whole_elaboration_by_moves_and_what_the_transcript_says_of_it(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with host(parameters(root)) as player:
            await player.start(item.name, "00-01")
            await player.play(["Alex, how many are locked?", "We go with A.", "done"])
            assert player.move["kind"] == "menu"
            await player.play(["C"])
            assert player.move["kind"] == "answer"

    play(test())
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == 7
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "- **Panel**: host (one model speaks for every persona)" in transcript
    assert transcript.count("Relayed by the host, perhaps not word for word (unverified).") == 2


@pytest.mark.rule("GREET-6", "META-6")
def test_killed_in_the_middle_the_same_move_is_open_and_what_counted_counts(place: Place) -> None:
    root, item = place

    async def test() -> None:
        with pytest.raises(Exception):  # noqa: B017 (however the client words that its server is gone)
            async with host(parameters(root)) as player:
                await player.start(item.name, "00-01")
                await player.obey()
                used = player.move["id"]
                await player.obey()
                left = player.move
                os.kill(pid_of(item), signal.SIGKILL)
                await player.call("next_move", session=item.name)
        async with host(parameters(root)) as player:
            await player.start(item.name)
            assert player.move["id"] == left["id"]
            assert player.move["speaker"] == left["speaker"] == "system-designer"
            assert "Turn 1, Maya Chen:\n| We just covered Scope Estimation." in player.last["context"]
            assert player.lines[-1].text.endswith("Remark 2 by Alex on the first-round.")
            with pytest.raises(Refusal, match="is not open"):
                await player.send("submit_turn", move=used, speaker="solutions-architect", text="Once more.")
            await player.play(["done"])

    play(test())
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == 3
    assert (item / "quick-scan.md").read_text().count("<!-- Elaboration:") == 1


@pytest.mark.rule("GREET-6", "META-5", "ART-5")
@pytest.mark.parametrize("after", [0, 3, 4, 6, 9])
def test_killed_after_any_move_it_finishes_exactly_once(place: Place, after: int) -> None:
    root, item = place
    words = ["We go with A.", "done", "accept"]

    async def moved(player: Host) -> None:
        if player.move["speaker"] == "user":
            await player.send("relay_user", words=words.pop(0))
        else:
            await player.obey()

    async def test() -> None:
        with pytest.raises(Exception):  # noqa: B017 (however the client words that its server is gone)
            async with host(parameters(root)) as player:
                await player.start(item.name, "00-01")
                for _ in range(after):
                    await moved(player)
                left = player.move["id"]
                os.kill(pid_of(item), signal.SIGKILL)
                await player.call("next_move", session=item.name)
        async with host(parameters(root)) as player:
            await player.call("next_move", session=item.name)
            assert player.move["id"] == left
            player.heard = "We go with A."
            while player.move["kind"] != "menu":
                await moved(player)

    play(test())
    (record,) = meta(item)["elaborations"]
    assert record["turn_count"] == 5
    document = (item / "quick-scan.md").read_text()
    assert document.count("<!-- Elaboration:") == document.count("- We go with A (unverified): said so") == 1


@pytest.mark.rule("META-4")
def test_two_clients_with_a_server_each_cannot_both_have_the_item(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with host(parameters(root)) as first, host(parameters(root)) as second:
            await first.start(item.name)
            with pytest.raises(Refusal, match=f"{item.name} is in use by process"):
                await second.start(item.name)
            await first.raw("leave", session=item.name)
            await second.start(item.name)
            assert second.move["kind"] == "menu"

    play(test())


@pytest.mark.rule("META-4")
def test_an_item_that_a_terminal_holds_is_refused_until_it_lets_go(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with host(parameters(root)) as player:
            with item_lock(item), pytest.raises(Refusal, match=r"in use by process .* Nothing was changed"):
                await player.start(item.name)
            await player.start(item.name)
            assert player.move["kind"] == "menu"

    play(test())


@pytest.mark.rule("GREET-6")
def test_a_client_that_goes_while_a_move_is_open_leaves_it_to_the_next(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with host(parameters(root)) as player:
            await player.start(item.name, "00-01")
            left = player.move
        async with host(parameters(root)) as player:
            await player.start(item.name)
            assert player.move["id"] == left["id"]
            assert player.move["brief"] == left["brief"]
            await player.play(["done"])
            assert player.move["kind"] == "menu"

    play(test())
    assert meta(item)["elaborations"][0]["turn_count"] == 3


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_can_ask_asks_the_person(place: Place, mode: str) -> None:
    root, item = place

    async def test() -> None:
        async with host(
            parameters(root), user=["We go with A.", None, "done", "accept"], mode=mode
        ) as player:
            await player.start(item.name, "00-01")
            await player.until_heard()
            assert player.move["legal"] == [f'hear_user(session, move="{player.move["id"]}")']
            with pytest.raises(Refusal, match="so their words are not relayed: call hear_user"):
                await player.send("relay_user", words="We go with B.")
            await player.send("hear_user")
            await player.until_heard()
            before = player.move["id"]
            with pytest.raises(Refusal, match="closed the question without an answer"):
                await player.send("hear_user")
            assert player.move["id"] == before
            await player.call("next_move", session=player.session)
            assert "relay_user" in player.move["legal"][0], "whoever closed the form may answer in the chat"
            await player.send("hear_user")
            await player.until_heard()
            assert player.move["kind"] == "menu"
            assert len(player.asked) == 4
            first, *said, asked = player.asked[0].split("\n\n")
            assert first == f"Roundtable, {item.name}"
            assert "2. Alex Rivera (Solutions Architect): Remark 2 by Alex on the first-round." in said
            assert "2. Alex" not in player.asked[1]
            assert "5. Maya Chen (Business Analyst): Remark" in player.asked[1]
            assert asked.startswith("Your turn in the discussion.")

    play(test())
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "We go with A." in transcript
    assert "Relayed" not in transcript


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_cannot_ask_is_told_to_ask_in_the_chat(place: Place, mode: str) -> None:
    root, item = place

    async def test() -> None:
        async with host(parameters(root), mode=mode) as player:
            await player.start(item.name)
            assert player.move["legal"] == [f'relay_user(session, move="{player.move["id"]}", words)']
            assert "call relay_user with their exact words" in player.move["brief"]
            sent = player.last
            told = await player.send("hear_user")
            assert told["note"].startswith("This client cannot show a form. Ask in the chat, wait for")
            assert told == sent | {"note": told["note"]}
            await player.send("relay_user", words="C")
            assert player.move["kind"] == "answer"

    play(test())
