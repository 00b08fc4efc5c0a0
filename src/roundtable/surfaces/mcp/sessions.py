"""Sessions that a host plays by moves, and the texts of content/host that a host reads.

A session runs in the background until a move is open, which says what the host or its user has to do next,
and waits for that move. There is one session for each item in play. It is opened when it is asked for, and
released when nobody calls any more.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections import defaultdict
from collections.abc import Callable
from contextlib import aclosing, suppress
from functools import cache, partial
from importlib.resources import files
from typing import Any

from msgspec import Struct

from ...core.errors import RoundtableError
from ...core.lines import Awaits, Line
from ...core.text import fill_blanks
from ...core.turns import USER
from ...panel.host import HostPanel, HostReply, HostRequest, Refused
from ...project import Project
from ...runtime.session import Session
from ...settings import Settings, user_name

IDLE = 300.0
"""After so many seconds without a call an item is released, so that a terminal can take it up."""
MAX_MESSAGE_LENGTH = 20_000
HOST_FILES = files("roundtable.content") / "host"


class OpenMove(Struct, frozen=True):
    """A request to the host's model, or the user's words that are awaited."""

    id: str
    request: HostRequest | None = None
    awaits: Awaits | None = None

    @property
    def kind(self) -> str:
        return self.request.kind if self.request is not None else str(self.awaits)

    @property
    def speaker(self) -> str | None:
        """The key of the persona who speaks, or the user; None where a judgement is asked for."""
        if self.request is None:
            return USER
        return self.request.speaker.key if self.request.speaker is not None else None

    def list_calls(self, *, can_ask: bool) -> list[str]:
        """Return the calls that are legal now; without a way to ask the person, only relaying is."""
        call = f'(session, move="{self.id}"'
        if self.request is None:
            return [*([f"hear_user{call})"] if can_ask else []), f"relay_user{call}, words)"]
        if self.request.speaker is None:
            return [f"submit_judgement{call}, ...)"]
        call = f'submit_turn{call}, speaker="{self.speaker}"'
        words = "text, focus_question, ..." if self.kind == "framing" else "text, ..."
        return [f"{call}, {words})", *([f"{call}, passes=true)"] if self.request.may_pass else [])]


class AlreadySent(set[object]):
    """What the host has been sent about an item, so that nothing is sent twice unless it asks."""

    last: tuple[OpenMove | None, bool, str] | None = None
    """The move that was sent last, whether the client could ask, and the whole answer."""

    def is_new(self, what: object) -> bool:
        """Whether something was not sent yet; from now on it was."""
        is_new = what not in self
        self.add(what)
        return is_new


class HostedSession:
    """Plays a session by moves; whatever comes too early, too late or wrong is refused."""

    def __init__(self, start: Callable[..., Session], sent: AlreadySent, idle: float) -> None:
        self._panel = HostPanel(self._open_move)
        self.session = start(panel=self._panel)
        self.sent = sent
        self.move: OpenMove | None = None
        self.lines: list[Line] = []
        self.failure: RoundtableError | None = None
        self._idle = idle
        self._news = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiting = 0
        self._moment, self._part = "", 0
        self._used: set[str] = set()

    @property
    def slug(self) -> str:
        return self.session.folder.name

    @property
    def has_ended(self) -> bool:
        return self._running is not None and self._running.done()

    async def wait_for_move(self) -> None:
        """Begin or go on until a move is open or the session has ended; raise what made it fail."""
        self._stop_timer()
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name=f"session {self.slug}")
            self._running.add_done_callback(lambda _: self._news.set())
        self._waiting += 1
        try:
            while self.move is None and not self.has_ended:
                self._news.clear()
                await self._news.wait()
        finally:  # also where the client has gone
            self._waiting -= 1
            self._stop_timer()
            if not self._waiting:
                self._timer = asyncio.get_running_loop().call_later(self._idle, self._release)
        if self.failure is not None:
            raise self.failure

    async def close(self) -> None:
        """Release the item; everything that counts is on disk."""
        self._stop_timer()
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def submit(self, move_id: str, reply: HostReply) -> None:
        """Take a reply of the host to the open move, and go on to the next."""
        move = await self.expect(move_id, from_user=False)
        self._panel.submit(reply)
        before = self.lines
        await self._go_on(move)
        after = self.move.request if self.move is not None else None
        if after is not None and after.again:
            self.lines = before + self.lines
            reasons = " ".join(each if each.endswith(".") else f"{each}." for each in after.again)
            raise Refused(f"{reasons} {host_text('again', after.kind)}")

    async def say(self, move_id: str, words: str, *, relayed: bool) -> None:
        """Take the user's words for the open move, and go on to the next.

        Those that are not `relayed` come from a form that showed all that the host had worded.
        """
        move = await self.expect(move_id, from_user=True)
        if len(words) > MAX_MESSAGE_LENGTH:
            raise Refused(f"A message has at most {MAX_MESSAGE_LENGTH:,} characters, not {len(words):,}.")
        self.session.say(words, relayed=relayed, seen=not relayed)
        await self._go_on(move)

    async def expect(self, move_id: str, *, from_user: bool) -> OpenMove:
        """Return the open move, or refuse where it is another one or somebody else's."""
        await self.wait_for_move()
        if self.move is None:
            raise Refused("The session has ended.")
        if self.move.id != move_id:
            used = "has been used" if move_id in self._used else "is not open"
            raise Refused(f"Move {move_id[:60]!r} {used}.")
        if from_user and self.move.request is not None:
            raise Refused("It is not the user's turn.")
        if not from_user and self.move.request is None:
            raise Refused("It is the user's turn: a persona cannot speak, and nobody answers for the user.")
        return self.move

    async def _go_on(self, move: OpenMove) -> None:
        self._used.add(move.id)
        self.move, self.lines = None, []
        await self.wait_for_move()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _release(self) -> None:
        self.failure = RoundtableError("Nobody called for a while, so the item was released. Call start.")
        if self._running is not None:
            self._running.cancel()

    async def _run(self) -> None:
        try:
            async with aclosing(self.session.lines()) as lines:
                async for line in lines:
                    if line.kind == "listen":
                        self._open_move(awaits=line.awaits)
                    else:
                        self.lines.append(line)
        except RoundtableError as failure:
            self.failure = failure
        except Exception as error:
            message = f"Something unexpected happened ({type(error).__name__}: {error})."
            self.failure = RoundtableError(message)
        finally:
            self.move = None

    def _open_move(self, request: HostRequest | None = None, awaits: Awaits | None = None) -> None:
        """Open a move; a restarted server gives it the same id, as long as it is open."""
        again = request is not None and bool(request.again)
        moment = self.session.moment
        if moment != self._moment:
            self._moment, self._part = moment, 0
        elif not again:
            self._part += 1
        move_id = f"{moment}-{self._part}" if self._part else moment
        if again:
            self._used.discard(move_id)
        while move_id in self._used:  # the session goes through the same moment once more
            move_id += "+"
        self.move = OpenMove(move_id, request, awaits)
        self._news.set()


class HostedSessions:
    """The sessions of one project, by the name of the item's folder."""

    def __init__(self, settings: Settings, *, idle: float = IDLE) -> None:
        self.project = Project(
            settings.root,
            items_folder=settings.items_folder,
            command=lambda name, item, *_: (
                "add_item(text)"
                if name == "add"
                else f'{"hand_off" if name == "handoff" else "start"}(item="{item}")'
            ),
        )
        self.in_play: dict[str, HostedSession] = {}
        self._idle = idle
        self._start = partial(
            self.project.open_session, user_name=user_name(settings), review=settings.review
        )
        self._sent: defaultdict[str, AlreadySent] = defaultdict(AlreadySent)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def start(self, item: str, step: str | None) -> HostedSession:
        """Open the item's session, with everything to be sent again; with a step, at a roundtable on it."""
        slug = self.project.find_item(item).slug
        async with self._locks[slug]:
            self._sent[slug] = AlreadySent()
            hosted = self.in_play.get(slug)
            if hosted is not None and (step is not None or hosted.has_ended):
                await self._close(slug)
            elif hosted is not None:
                hosted.sent = self._sent[slug]
            return await self._take(slug, step)

    async def find(self, session: str) -> HostedSession | None:
        """Return the item's session where one is open here, or raise what made it fail; none is opened."""
        slug = self.project.find_item(session).slug
        async with self._locks[slug]:
            hosted = self.in_play.get(slug)
            if hosted is not None:
                await hosted.wait_for_move()
            return hosted

    async def take(self, session: str) -> HostedSession:
        """Return an open session; one that a restart or a pause closed goes on where it stood."""
        slug = self.project.find_item(session).slug
        async with self._locks[slug]:
            return await self._take(slug)

    async def leave(self, session: str) -> str:
        """Release an item and return its name."""
        slug = self.project.find_item(session).slug
        async with self._locks[slug]:
            await self._close(slug)
        return slug

    async def close(self) -> None:
        """Release every item."""
        for slug in list(self.in_play):
            await self._close(slug)

    async def _take(self, slug: str, step: str | None = None) -> HostedSession:
        if slug in self.in_play and self.in_play[slug].failure is not None:
            await self._close(slug)
        if slug not in self.in_play:
            start = partial(self._start, slug, step=step)
            self.in_play[slug] = HostedSession(start, self._sent[slug], self._idle)
        try:
            await self.in_play[slug].wait_for_move()
        except RoundtableError:
            await self._close(slug)
            raise
        return self.in_play[slug]

    async def _close(self, slug: str) -> None:
        if slug in self.in_play:
            await self.in_play[slug].close()
            self.in_play.pop(slug, None)


def host_text(group: str, name: str, /, **blanks: object) -> str:
    """Return a text of content/host/tasks.toml with its blanks filled."""
    return fill_blanks(host_table("tasks.toml")[group][name], blanks)


@cache
def host_table(name: str) -> dict[str, Any]:
    """Return the texts of a file of content/host."""
    return tomllib.loads((HOST_FILES / name).read_text(encoding="utf-8"))
