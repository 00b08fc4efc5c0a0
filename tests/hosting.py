"""A host that plays through MCP by script, with the package's own client; obedient unless told otherwise."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult, ErrorData, TextContent

from roundtable.core.lines import Line
from roundtable.settings import Settings
from roundtable.surfaces.mcp.server import RoundtableServer
from roundtable.surfaces.mcp.sessions import HostedSessions

NAMES = {"business-analyst": "Maya", "solutions-architect": "Alex", "system-designer": "Jordan"}
_CITED = re.compile(r"cited by a decision, ([\d, ]+) among them")


class Refusal(Exception):
    """A tool error, with the text that reaches the model."""


@dataclass(frozen=True)
class Says:
    """What a persona says in a turn, and its verdict on it."""

    text: str
    verdict: dict[str, Any] = field(default_factory=dict)


@dataclass
class Host:
    """One client: it holds the last answer, and knows how to answer each kind of move."""

    client: Client
    says: dict[int, Says] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    heard: str = ""
    accepts: bool = True
    """Whether the person accepts each synthesis when it is reviewed."""

    @property
    def move(self) -> dict[str, Any]:
        found = self.last["move"]
        assert isinstance(found, dict)
        return found

    @property
    def session(self) -> str:
        return str(self.last["session"])

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool; what it holds becomes the last answer."""
        text = await self.raw(tool, **arguments)
        self.last = json.loads(text)
        self.answers.append(text)
        self._take(self.last.get("lines", []))
        return self.last

    async def raw(self, tool: str, **arguments: Any) -> str:
        """The text that a tool answers with; a tool error is raised."""
        result = await self.client.call_tool(tool, arguments)
        content = result.content[0]
        assert isinstance(content, TextContent)
        if result.is_error:
            raise Refusal(content.text)
        return content.text

    async def start(self, item: str, step: str | None = None) -> dict[str, Any]:
        return await self.call("start", item=item, **({"step": step} if step else {}))

    async def send(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A call for the open move."""
        return await self.call(tool, **{"session": self.session, "move": self.move["id"], **arguments})

    async def obey(self) -> None:
        """Do what the open move asks of the model."""
        kind = self.move["kind"]
        if kind == "synthesis":
            await self.send("submit_judgement", **self._synthesis())
        else:
            await self.send("submit_turn", speaker=self.move["speaker"], **self._words())

    async def until_heard(self) -> None:
        """Obey until the user is to be heard or the session has ended; a review is accepted as it is."""
        while self.move.get("speaker", "user") != "user" or (self.move["kind"] == "review" and self.accepts):
            if self.move["kind"] == "review":
                by_form = "hear_user" in self.move["legal"][0]
                await (self.send("hear_user") if by_form else self.send("relay_user", words="accept"))
            else:
                await self.obey()

    async def play(self, words: Sequence[str]) -> None:
        """Relay these words, one after another, each when the user is to be heard."""
        await self.until_heard()
        for message in words:
            if "id" not in self.move:
                return
            await self.send("relay_user", words=message)
            await self.until_heard()

    # --- the script -------------------------------------------------------------------------------------

    def _words(self) -> dict[str, Any]:
        move = self.move
        turn = int(str(move.get("turn", "0")).split()[0])
        said = self.says.get(turn)
        if move["kind"] == "framing":
            return {
                "text": "Two journeys are written down.",
                "focus_question": "Who decides when answers differ?",
                "focus_topic": "differing answers",
            }
        must_speak = move.get("purpose") in ("answer", "go-on")  # what may be yielded is said all the same
        if said is None and not must_speak and any("passes=true" in call for call in move["legal"]):
            return {"passes": True}
        if said is None:
            name = NAMES.get(move["speaker"], move["speaker"])
            said = Says(f"Remark {turn} by {name} on the {move.get('purpose', move['kind'])}.")
        judged: dict[str, Any] = {}
        if "Judge turn " in move["brief"]:
            if "weather" in self.heard:
                judged = {"user_off_topic": "the weather", "user_belongs_to": "03-02"}
            elif "go with" in self.heard:
                judged = {"decides": [turn - 1]}
        return {"text": said.text, **judged, **said.verdict}

    def _synthesis(self) -> dict[str, Any]:
        found = _CITED.search(self.move["brief"])
        numbers = [int(each) for each in re.findall(r"\d+", found[1])] if found else []
        return {
            "insights": [{"text": "Answers can differ.", "turns": [2]}],
            "decisions": [{"text": self.heard, "turns": [n], "detail": "said so"} for n in numbers],
            "summary": "Identified 1 gap",
        }

    def _take(self, shown: list[dict[str, Any]]) -> None:
        for each in shown:
            if each["kind"] == "contribution" and each.get("speaker") == "user":
                self.heard = each["text"]
            self.lines.append(Line(each["kind"], each["text"], each.get("speaker"), each.get("turn")))


def parameters(root: Path, *more: str) -> StdioServerParameters:
    """How the server is started as a process of its own."""
    arguments = ["-m", "roundtable", "mcp", "--root", str(root), *more]
    return StdioServerParameters(command=sys.executable, args=arguments)


@asynccontextmanager
async def host(
    server: Any, *, user: Iterable[str | ErrorData | None] | None = None, **options: Any
) -> AsyncIterator[Host]:
    """A host; `user` are the words of a person whom the client can ask, None where they decline.

    An error is what a client gives that fails to ask.
    """
    said = iter(user if user is not None else ())
    asked: list[str] = []

    async def ask(context: Any, params: Any) -> ElicitResult | ErrorData:
        asked.append(params.message)
        words = next(said)
        if isinstance(words, ErrorData):
            return words
        if words is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"words": words})

    callback = ask if user is not None else None
    async with Client(server, elicitation_callback=callback, read_timeout_seconds=60, **options) as client:
        yield Host(client, asked=asked)


@asynccontextmanager
async def here(
    root: Path, *, idle: float = 300, **options: Any
) -> AsyncIterator[tuple[Host, HostedSessions]]:
    """A host with the server in this process."""
    sessions = HostedSessions(Settings(root), idle=idle)
    try:
        async with host(RoundtableServer(sessions), **options) as player:
            yield player, sessions
    finally:
        await sessions.close()


def play(test: Coroutine[Any, Any, None]) -> None:
    """Run a test's coroutine to its end, within a minute."""
    asyncio.run(asyncio.wait_for(test, 60))
