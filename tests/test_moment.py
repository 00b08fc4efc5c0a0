"""Where a session stands has a name: it changes with every event, and is the same after a new start."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from project import project, small_steps
from roundtable.runtime.session import Session
from roundtable.testing import ScriptedPanel


async def moments(root: Path, item: Path, words: list[str], *, relayed: bool = False) -> list[str]:
    """Where the session stands each time the user is heard."""
    session = Session(root, item.name, panel=ScriptedPanel())
    assert session.moment == ""
    for message in words:
        session.say(message, relayed=relayed)
    session.hang_up()
    return [session.moment async for line in session.lines() if line.kind == "listen"]


@pytest.mark.rule("GREET-6")
def test_a_moment_is_named_after_its_leg_and_what_counts_so_far(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    small_steps(root)
    first = asyncio.run(moments(root, item, ["The inspector."]))
    assert first == ["00-01.1", "00-01.2"]
    assert asyncio.run(moments(root, item, [])) == ["00-01.2"]
    assert asyncio.run(moments(root, item, ["60", "C"])) == ["00-01.2", "00-01.6", "00-02.1"]


def test_relayed_words_are_journalled_as_such(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    small_steps(root)
    asyncio.run(moments(root, item, ["The inspector."], relayed=True))
    journal = (item / ".journal" / "00-01.jsonl").read_text()
    assert '"data":{"text":"The inspector.","relayed":true,"by":""}' in journal
