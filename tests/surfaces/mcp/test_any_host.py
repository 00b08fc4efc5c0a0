"""Whatever a host does, in whatever order: it is answered or refused, and the rules hold."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from hosting import Host, Refusal, here, play
from project import meta

KEYS = ("business-analyst", "solutions-architect", "system-designer", "user", "", "nobody")
TEXTS = ("A point of its own about the van.", "", "\x00", "w " * 300, "The users will love it.", "<!-- x -->")
WORDS = (
    "",
    "done",
    "are we done?",
    "yes",
    "E",
    "C",
    "/turns 12",
    "Alex, why?",
    "everyone",
    "deep",
    "We go with A.",
)


def any_call(dice: random.Random, player: Host) -> tuple[str, dict[str, Any]]:
    """A call that a host might make, legal or not."""
    move = dice.choice([str(player.move.get("id", "none")), "00-01.3", "nonsense"])
    aimed: dict[str, Any] = {"session": player.session, "move": move}
    tool = dice.choice(
        ["submit_turn", "submit_turn", "submit_judgement", "relay_user", "hear_user", "next_move"]
    )
    match tool:
        case "submit_turn":
            verdict = {"opposes": dice.choice([None, 1, 2, 99]), "decides": dice.choice([[], [1], [99]])}
            framing = {"focus_question": dice.choice(["Who?", ""]), "focus_topic": dice.choice(["whom", ""])}
            said = {"speaker": dice.choice(KEYS), "text": dice.choice(TEXTS), "passes": dice.random() < 0.2}
            return tool, {**aimed, **said, **verdict, **framing}
        case "submit_judgement":
            entries = [{"text": dice.choice(TEXTS[:2]), "turns": dice.choice([[1], [], [99]])}]
            parts = {"insights": dice.choice([entries, [], 7]), "summary": dice.choice(["Identified x", ""])}
            return tool, {**aimed, **parts, "off_topic": dice.choice(["", "", "printers"])}
        case "relay_user":
            return tool, {**aimed, "words": dice.choice(WORDS)}
        case "hear_user":
            return tool, aimed
        case _:
            return tool, {"session": player.session}


@pytest.mark.rule("LOOP-5", "SYN-4", "META-5")
@pytest.mark.parametrize("seed", range(6))
def test_any_host(place: tuple[Path, Path], seed: int) -> None:
    root, item = place
    dice = random.Random(seed)
    refused = counted = 0

    async def test() -> None:
        nonlocal refused, counted
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            for _ in range(150):
                if dice.random() < 0.3 and player.move.get("speaker", "user") != "user":
                    await player.obey()
                    continue
                tool, arguments = any_call(dice, player)
                try:
                    await player.call(tool, **arguments)
                    counted += 1
                except Refusal as refusal:
                    refused += 1
                    assert re.search(r"Nothing (has changed|was written)\.", str(refusal))
                await player.call("next_move", session=player.session)
                assert {"kind", "brief", "legal"} <= set(player.move)

    play(test())
    assert refused > 20
    assert counted > 10
    for record in meta(item)["elaborations"]:
        assert 1 <= record["turn_count"] <= 12
    for transcript in (item / "elaborations").glob("*.md"):
        text = transcript.read_text()
        turns = [int(each) for each in re.findall(r'<a id="turn-(\d+)">', text)]
        assert turns == list(range(1, len(turns) + 1))
        assert {int(each) for each in re.findall(r"#turn-(\d+)\)", text)} <= set(turns)
    for journal in (item / ".journal").glob("*.jsonl"):
        for line in journal.read_text().splitlines():
            json.loads(line)
