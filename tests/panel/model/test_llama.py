"""A real language model on this machine, through the same code as a hosted one: a whole elaboration.

SmolLM2 has too few parameters to say anything of use. Whatever it says, the rules hold.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from panel.model.llama import llama
from project import kinds, meta, project, small_steps, talk, texts
from roundtable.core.lines import Line
from roundtable.panel.model.choice import model_of, read_choice
from roundtable.panel.model.panel import Call, Model, ModelPanel, Request
from roundtable.runtime.session import Session

PERSONA = "---\nkey: {key}\nname: {name}\nrole: {role}\nperspective: {view}\nlens: [{lens}]\n{more}---\n"
DECIDES = "We go with a queue of forms on the device of the inspector, because basements have no signal."
WORDS, OBJECT = 40, 120
PATIENCE = 300.0
TRIES = 3


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with llama() as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A project at a completed step, with two personas of few words and three turns, so that it is quick."""
    root, item = project(tmp_path / "project")
    small_steps(root)
    folder = root / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    lead = "phases: [00-quick-scan]\n"
    (folder / "1.md").write_text(
        PERSONA.format(
            key="business-analyst", name="Maya Chen", role="Analyst", view="user", lens="needs", more=lead
        )
    )
    (folder / "2.md").write_text(
        PERSONA.format(
            key="solutions-architect", name="Alex Rivera", role="Architect", view="risk", lens="risk", more=""
        )
    )
    (folder / "3.md").write_text("---\nkey: system-designer\ndisabled: true\n---\n")
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    kept = meta(item) | {"elaboration_config": {"max_turns": 3}}
    (item / "meta.json").write_text(json.dumps(kept))
    return root, item


@dataclass
class Listening:
    """Another model, asked for little, with all that it was asked and said."""

    model: Model
    heard: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        most = OBJECT if request.schema else WORDS
        pieces: list[str] = []
        self.heard.append((request.purpose if request.schema else "", pieces))
        async with aclosing(self.model.reply(replace(request, output_tokens=most))) as words:
            async for piece in words:
                pieces.append(piece)
                yield piece


def discuss(place: tuple[Path, Path], panel: ModelPanel, streamed: list[str]) -> list[Line]:
    """Speak once; where the model fails try again, and in the end go on without it."""
    lines: list[Line] = []

    async def run() -> None:
        root, item = place
        tries = iter(["T"] * TRIES)
        session = Session(
            root,
            item.name,
            step="00-01",
            panel=panel,
            interactive=True,
            on_words=lambda _, words: streamed.append(words),
        )
        async for line in session.lines():
            lines.append(line)
            if line.kind == "listen":
                match line.awaits:
                    case "discussion":
                        session.say(DECIDES)
                    case "choice":
                        session.say(next(tries, "O"))
                    case _:
                        session.hang_up()

    asyncio.run(run())
    return lines


@pytest.mark.rule("LOOP-5", "SYN-3", "SYN-5", "SYN-6", "META-5", "ART-4")
def test_a_whole_elaboration_with_a_real_model(address: str, place: tuple[Path, Path]) -> None:
    calls: list[Call] = []
    streamed: list[str] = []
    model = Listening(model_of(read_choice("smollm2", address)))
    lines = discuss(place, ModelPanel(model, calls.append, seconds=PATIENCE), streamed)

    said = [(line.turn, line.speaker) for line in lines if line.kind == "contribution"]
    assert said == [(1, "business-analyst"), (2, "solutions-architect"), (3, "user")]
    assert "limit" in kinds(lines)

    shapes = [shape for shape, _ in model.heard]
    assert shapes[0] == "framing"
    assert shapes[-1] == "synthesis"
    assert "" in shapes
    for shape, pieces in model.heard:
        assert len(pieces) > 1, "words come in pieces"
        if shape:
            assert "".join(pieces).lstrip().startswith("{"), "the server is held to the schema"
    assert len(streamed) > 1, "and are handed on in pieces"
    calls = [call for call in calls if call.over]
    assert len(calls) == len(model.heard)
    assert all(call.usage.input > 100 and not call.usage.estimated for call in calls)
    assert any(call.usage.cached > call.usage.input // 2 for call in calls), "what comes first stays the same"

    (record,) = meta(place[1])["elaborations"]
    assert record["turn_count"] == 3
    document = (place[1] / "quick-scan.md").read_text()
    assert document.count(f"<!-- Elaboration: step 00-01, {record['timestamp']} -->") == 1
    assert "**Turns**: 3 | **Exit**: turn-limit" in document
    assert "queue of forms on the device" in document, "what the user decided is in it in any case"
    assert texts(lines, "saved")
    assert kinds(lines)[-1] == "paused"
