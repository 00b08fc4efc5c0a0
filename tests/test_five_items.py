"""Five different items: no sentence of a document would fit another item (STEP-10)."""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from roundtable.core.analysis import Stage
from roundtable.panel.offline import OfflinePanel
from roundtable.runtime.session import Session
from roundtable.store.items import add_item
from tools.example import EXAMPLE

FIXED_LINES = 20
ITEMS: Mapping[str, str] = {
    "bug": "Renewal fails for loans without a due date\n\n"
    "Old loans from the import have no due date. Renewing one of them ends in a traceback.",
    "bug ": "Reminders crash when a card has no mail address\n\n"
    "The nightly run stops at the first card without an address, and nobody behind it gets a reminder.",
    "small": "Rename the heading of the overdue list\n\nStaff read `due` as a debt.",
    "feature": "Renew loans by text message\n\n"
    "Members answer the reminder with one word, and the loan is renewed without a call.",
    "feature ": "Reserve a room for reading groups\n\n"
    "Groups meet every week and want the same room; today the desk keeps a paper calendar.",
}
SUBJECTS = {
    "bug": "due date of an imported loan",
    "bug ": "card without an address",
    "small": "overdue heading",
    "feature": "one-word text message",
    "feature ": "weekly reading room",
}


def play_item(root: Path, kind: str) -> dict[str, str]:
    """Play an item to its end with an answer of its own for each question, and return its documents."""
    shutil.copytree(EXAMPLE / "project", root)
    shutil.rmtree(root / "docs")
    item = add_item(root, ITEMS[kind], commit=None)
    said = f"When the {SUBJECTS[kind]} comes up as case {{}}, it stays 5 days in library/loans.py."
    answers = itertools.chain(["standard"] * kind.startswith("feature"), map(said.format, itertools.count(1)))

    async def run() -> None:
        session = Session(root, item.name, panel=OfflinePanel())
        async for line in session.lines():
            if line.kind == "listen":
                is_question = session.analysis is not None and session.analysis.stage is Stage.ANSWER
                session.say(next(answers) if is_question else "")
            assert line.kind != "error"

    asyncio.run(run())
    files = (path for path in sorted(item.iterdir()) if path.is_file())
    return {path.name: path.read_text() for path in files if path.name not in ("meta.json", "draft.md")}


def sentences(text: str) -> set[str]:
    """The sentences of a document: no headings, table rules, code, or places in the project's code."""
    found: set[str] = set()
    for line in text.splitlines():
        words = re.sub(r"`[^`]*`|^\*\*[^*]+\*\*:", "", line).strip(" -|*")
        if line.startswith(("#", "<!--", "```", "| Id", "| Requirement", "| ---", "{", "}", "[")):
            continue
        for sentence in re.split(r"(?<=[.!?:])\s+", words):
            if len(re.findall(r"[A-Za-z]{2,}", sentence)) >= 3:
                found.add(sentence)
    return found


@pytest.mark.rule("STEP-10")
def test_no_sentence_stands_in_the_documents_of_two_items(tmp_path: Path) -> None:
    played = {kind: play_item(tmp_path / f"p{at}", kind) for at, kind in enumerate(ITEMS)}
    assert [len(documents) for documents in played.values()] == [1, 1, 1, 12, 12]
    said = {
        kind: {each for text in documents.values() for each in sentences(text)}
        for kind, documents in played.items()
    }
    pairs = itertools.combinations(said.values(), 2)
    shared = sorted({text for one, other in pairs for text in one & other})
    sys.stdout.write("\n".join(["Fixed lines:", *shared, ""]))
    assert len(shared) <= FIXED_LINES, shared
    for text in shared:
        assert not re.search(r"\b(?:the item|describes|as before|works as)\b", text), text
