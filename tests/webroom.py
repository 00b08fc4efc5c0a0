"""A web room under test: its people, and ways to follow and to talk that wait for what they expect."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from roundtable.core.lines import Line
from roundtable.panel.base import Panel, StoppablePanel
from roundtable.runtime.session import Session
from roundtable.surfaces.web.access import MEMBER, OBSERVER, Guest
from roundtable.surfaces.web.room import Room, StartSession
from roundtable.testing import ScriptedPanel

PATIENCE = 20.0
ANA, BEN, CLEO = Guest("Ana", MEMBER), Guest("Alex", MEMBER), Guest("Cleo", OBSERVER)
"""Two who may speak, the second with the name of a persona, and one who may only look."""


def start_with(root: Path, panel: Panel | None = None, *, review: bool = False) -> StartSession:
    """Return what makes sessions of a project, with this panel or the scripted one."""

    def start(
        slug: str, *, on_begin: Callable[[str], None], **options: Any
    ) -> tuple[Session, StoppablePanel]:
        stoppable = StoppablePanel(lambda: panel or ScriptedPanel(), on_begin)
        session = Session(root, slug, panel=stoppable, interactive=True, review=review, **options)
        return session, stoppable

    return start


class Shown(str):
    """An entry as it was drawn, which knows its line."""

    line: Line


def draw(_template: str, **given: Any) -> str:
    """Draw an entry as its text and the changes, and a table as the names of the people at it."""
    if "line" in given:
        changes = [row for rows in given["changes"].values() for row in rows]
        shown = Shown("\n".join([given["line"].words, *changes]))
        shown.line = given["line"]
        return shown
    return ", ".join(seat.name for seat in given["room"].people())


def make_room(
    root: Path, item: Path, panel: Panel | None = None, *, review: bool = False, **options: Any
) -> Room:
    start = start_with(root, panel, review=review)
    return Room(item.name, lambda **more: start(item.name, **more), draw, **options)


class Follower:
    """Somebody who follows a room and keeps all that comes."""

    def __init__(self, room: Room, guest: Guest, after: str = "") -> None:
        self.guest, self.events = guest, []  # type: tuple[Guest, list[dict[str, str]]]
        self.news = asyncio.Condition()
        self._stream = room.follow(guest, after)
        self.task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        async for event in self._stream:
            async with self.news:
                self.events.append(event)
                self.news.notify_all()

    @property
    def ids(self) -> list[str]:
        return [event["id"] for event in self.events if "id" in event]

    @property
    def table(self) -> dict[str, Any]:
        found = [event for event in self.events if event["event"] == "table"]
        table: dict[str, Any] = json.loads(found[-1]["data"])
        return table

    async def until(self, is_there: Callable[[Follower], bool]) -> Follower:
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: is_there(self)), PATIENCE)
        return self

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self._stream.aclose()  # type: ignore[attr-defined]


@asynccontextmanager
async def at_table(room: Room, *guests: Guest, opens: bool = True) -> AsyncIterator[list[Follower]]:
    """Let people follow an open room; the first has the chair."""
    followers = [Follower(room, guest) for guest in guests]
    if opens:
        room.open(guests[0])
    try:
        yield followers
    finally:
        for follower in followers:
            await follower.leave()
        await room.close()


async def listen(room: Room, follower: Follower, awaits: str) -> int:
    """Wait until the table waits for something, and return the number of that listening."""
    await follower.until(lambda _: room.awaits == awaits)
    return room.listen_number


async def say(room: Room, follower: Follower, text: str, awaits: str, by: Guest | None = None) -> None:
    """Say something when the table waits for it."""
    number = await listen(room, follower, awaits)
    room.say(by or follower.guest, text, number)


def entries(room: Room, kind: str = "") -> list[Shown]:
    """Return what was shown, or what was shown of one kind."""
    shown = [entry for entry in room.entries if isinstance(entry, Shown)]
    return [entry for entry in shown if kind in ("", entry.line.kind)]
