"""The model panel: ten turns and a synthesis, beside a group chat in which a model chooses who speaks."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from roundtable.panel.model.conversation import CHARACTERS_PER_TOKEN, Usage
from roundtable.panel.model.panel import ModelPanel, Request
from roundtable.runtime.session import Session
from roundtable.store.items import add_item
from roundtable.store.meta import change_meta

MOST_CALLS, MOST_TOKENS, LEAST_SHARE = 9, 30_000, 0.90

_PERSONA, _CONTEXT, _REPLY, _USER = 300, 1_200, 90, 20
_TURNS = 10
_STEP, _DOCUMENT = "01-03", "requirements-spec.md"
_PERSONAS = (
    ("business-analyst", "Maya Chen", "Business Analyst", "[01-requirements]"),
    ("solutions-architect", "Alex Rivera", "Solutions Architect", "[]"),
    ("system-designer", "Jordan Park", "System Designer", "[]"),
)
_NEXT = ("none", "none", "Alex", "none", "Jordan", "none", "none")
"""Whom each contribution after the framing gives the floor to: one more speaks at turns 6 and 9."""
_LETTERS = 3
"""A word is so long with its blank that it is one token: the limit counts what is sent besides them."""


@dataclass
class Recorder:
    """A model that says what the scenario wants, and keeps what it was sent."""

    words: random.Random
    sent: list[str] = field(default_factory=list)
    spoken: int = 0

    @property
    def name(self) -> str:
        return "recorder"

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        self.sent.append(request.conversation.text)
        said = self._answer(request.conversation.brief)
        yield said
        request.report(Usage.estimate(request.conversation, said))

    def _answer(self, brief: str) -> str:
        if "focus_question" in brief:
            parts = {"summary": 70, "focus_question": 15, "focus_topic": 5}
            return json.dumps({name: words(self.words, count) for name, count in parts.items()})
        if "insights" in brief:
            insight = {"text": words(self.words, _USER), "turns": [2]}
            empty: dict[str, list[object]] = {"decisions": [], "questions": [], "actions": []}
            return json.dumps({"insights": [insight], **empty, "summary": words(self.words, 12)})
        self.spoken += 1
        return f"{words(self.words, _REPLY)}\n@@ next={_NEXT[self.spoken - 1]}"


@dataclass(frozen=True, slots=True)
class Traffic:
    """What was sent in one discussion."""

    sent: Sequence[str]

    @property
    def calls(self) -> int:
        return len(self.sent)

    @property
    def tokens(self) -> int:
        return sum(len(text) for text in self.sent) // CHARACTERS_PER_TOKEN

    @property
    def shares(self) -> list[float]:
        """How much of each request repeats the one before it from its first character on."""
        return [_common(before, text) / len(text) for before, text in pairwise(self.sent)]

    @property
    def new_tokens(self) -> int:
        """What no cache can have read in the request before."""
        repeated = sum(_common(before, text) for before, text in pairwise(self.sent))
        return self.tokens - repeated // CHARACTERS_PER_TOKEN

    def row(self, name: str) -> str:
        least, mean = min(self.shares), sum(self.shares) / len(self.shares)
        sent = f"{self.calls:3} calls  {self.tokens:,} tokens in, {self.new_tokens:6,} of them new"
        return f"{name:<18}{sent}   prefix {least:3.0%} at least, {mean:3.0%} on average"


def measure() -> Iterator[str]:
    peer, ours = Traffic(_group_chat()), Traffic(_discussion())
    yield peer.row("a model chooses")
    yield ours.row("the rules choose")
    yield "prefix by call: " + " ".join(f"{share:.0%}" for share in ours.shares)
    limits = f"{MOST_CALLS} calls, {MOST_TOKENS:,} tokens, {LEAST_SHARE:.0%} prefix"
    if ours.calls > MOST_CALLS or ours.tokens > MOST_TOKENS or min(ours.shares) < LEAST_SHARE:
        raise SystemExit(f"The model panel exceeds its limits: {limits}.")
    yield f"limits: {limits}; a word is one token, four characters with its blank"


def _common(one: str, other: str) -> int:
    """How many characters two texts share from the first on."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


def words(chance: random.Random, count: int) -> str:
    """So many words that mean nothing and hardly repeat each other."""
    made = ("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=_LETTERS)) for _ in range(count))
    return " ".join(made).capitalize() + "."


def _discussion() -> list[str]:
    """What the real panel sends in a real session."""
    chance = random.Random(5)
    recorder = Recorder(chance)
    with tempfile.TemporaryDirectory(prefix="model-bench-") as name:
        root = Path(name)
        folder = _project(root, chance)

        async def hold() -> int:
            session = Session(root, folder.name, step=_STEP, panel=ModelPanel(recorder))
            known = (folder / _DOCUMENT).read_text().split()
            for _ in range(2):  # turns 4 and 7, on what the document is about
                session.say(" ".join(chance.sample(known, _USER)))
            session.say("")
            session.hang_up()
            return max([line.turn or 0 async for line in session.lines()])

        turns = asyncio.run(hold())
    assert turns == _TURNS, f"the scenario has {_TURNS} turns, not {turns}"
    return recorder.sent


def _project(root: Path, chance: random.Random) -> Path:
    """An item at a completed step, and three personas, of as many words as the scenario says."""
    personas = root / ".roundtable" / "personas"
    personas.mkdir(parents=True)
    for key, name, role, phases in _PERSONAS:
        text = f"key: {key}\nname: {name}\nrole: {role}\nphases: {phases}\nperspective: user\nlens: [use]\n"
        identity = f"identity: {words(chance, _PERSONA)}\n"
        (personas / f"{key}.md").write_text(f"---\n{text}{identity}---\n")
    folder = add_item(root, "Offline forms", commit=None)
    (folder / _DOCUMENT).write_text(words(chance, _CONTEXT))
    change_meta(folder, lambda meta: meta["steps_completed"].append(_STEP))
    return folder


def _group_chat() -> list[str]:
    """What a group chat sends that asks a model for each next speaker, and begins with who speaks."""
    chance = random.Random(5)
    people = [f"{name}: {words(chance, _PERSONA)}" for _, name, _, _ in _PERSONAS]
    context = words(chance, _CONTEXT)
    history: list[str] = []
    sent = []
    for number in range(1, _TURNS + 1):
        said = "\n".join(history)
        roles = "\n".join(person[:200] for person in people)
        sent.append(f"Read the conversation and choose who speaks next.\n{said}\n{roles}\nOnly the name.")
        if number not in (4, 7):
            sent.append(f"You are {people[number % 3]}\n{context}\n{said}\nSpeak.")
        history.append(words(chance, _USER if number in (4, 7) else _REPLY))
    sent.append(f"Sum up the conversation.\n{context}\n" + "\n".join(history))
    return sent
