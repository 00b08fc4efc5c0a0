"""A table: one session in the background, the move that is open in it, and the lines that led to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress

from ...core.errors import RoundtableError, RuleBroken
from ...core.lines import Awaits, Line
from ...core.turns import USER
from ...panel.base import Panel
from ...panel.host import HostPanel, Reply, Request, Section, Words, clean
from ...runtime.session import Session
from . import moves
from .moves import LONGEST_WORDS, Move, Refused


class Table:
    """Plays a session by moves; whatever comes too early, too late or wrong is refused."""

    def __init__(self, start: Callable[[Panel], Session]) -> None:
        self._panel = HostPanel(self._open)
        self.session = start(self._panel)
        self.move: Move | None = None
        self.lines: list[Line] = []
        self._relayed: str | None = None
        self.failure: RoundtableError | None = None
        self.ended = False
        self.waiting = 0
        self._news = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._moment, self._part = "", 0
        self._used: set[str] = set()

    @property
    def slug(self) -> str:
        return self.session.folder.name

    async def open(self) -> None:
        """Begin or go on, until a move is open; what keeps it from that is raised."""
        if self._running is None:
            self._running = asyncio.create_task(self._run(), name=f"table {self.slug}")
        await self._settled()

    async def close(self) -> None:
        """Let go of the item; everything that counts is on disk."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running

    async def submit(self, move_id: str, reply: Reply) -> None:
        """A reply of the host to the open move, and on to the next."""
        move = await self.expect(move_id)
        if move.request is None:
            raise Refused("The user is to be heard now; a persona cannot speak, and nobody answers for them.")
        try:
            self._panel.submit(reply)
        except RuleBroken as refusal:
            raise Refused(str(refusal)) from refusal
        before = self.lines
        await self._go_on(move, _written(move.request, reply))
        after = self.move.request if self.move is not None else None
        if after is not None and after.again:
            self.lines = before + self.lines
            reasons = " ".join(each if each.endswith(".") else f"{each}." for each in after.again)
            raise Refused(f"{reasons} {moves.text('again', after.kind)}")

    async def say(self, move_id: str, words: str, *, relayed: bool) -> None:
        """The user's words for the open move, and on to the next."""
        move = await self.expect(move_id)
        move.check_user()
        if len(words) > LONGEST_WORDS:
            raise Refused(f"A message has at most {LONGEST_WORDS:,} characters, not {len(words):,}.")
        self.session.say(words, relayed=relayed)
        await self._go_on(move, relayed=words if relayed else None)

    async def expect(self, move_id: str) -> Move:
        """The open move, if it is that one."""
        await self._settled()
        if self.move is None:
            raise Refused("The session has ended.")
        if self.move.id != move_id:
            used = "has been used" if move_id in self._used else "is not open"
            raise Refused(f"Move {move_id[:60]!r} {used}.")
        return self.move

    def came_from_host(self, line: Line) -> bool:
        """True for the person's words as the host just passed them on."""
        if line.speaker != USER or self._relayed is None:
            return False
        return line.text.strip() == self._relayed.strip()

    async def _go_on(self, move: Move, shown: Sequence[Line] = (), relayed: str | None = None) -> None:
        self._used.add(move.id)
        self.move = None
        self.lines = [*shown]
        self._relayed = relayed
        await self._settled()

    async def _settled(self) -> None:
        """Wait until a move is open or the session has ended; a failure is raised."""
        self.waiting += 1
        try:
            while self.move is None and not self.ended:
                self._news.clear()
                await self._news.wait()
        finally:
            self.waiting -= 1
        if self.failure is not None:
            raise self.failure

    # --- what the session tells -------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            async with aclosing(self.session.lines()) as lines:
                async for line in lines:
                    if line.kind == "listen":
                        self._open(awaits=line.awaits)
                    else:
                        self.lines.append(line)
        except RoundtableError as failure:
            self.failure = failure
        except Exception as error:
            self.failure = RoundtableError(
                f"Something unexpected happened ({type(error).__name__}: {error})."
            )
        finally:
            self.ended = True
            self.move = None
            self._news.set()

    def _open(self, request: Request | None = None, awaits: Awaits | None = None) -> None:
        again = request is not None and request.kind == "turn" and bool(request.again)
        self.move = Move(self._name(again=again), request, awaits)
        self._news.set()

    def _name(self, *, again: bool) -> str:
        """A name for the move that a new start of the server gives again, as long as the move is open."""
        moment = self.session.moment
        if moment != self._moment:
            self._moment, self._part = moment, 0
        elif not again:
            self._part += 1
        name = f"{moment}-{self._part}" if self._part else moment
        if again:
            self._used.discard(name)
        while name in self._used:  # a leg that is gone through once more
            name += "+"
        return name


def _written(request: Request, reply: Reply) -> tuple[Line, ...]:
    """A section as it is going to be written, for the person who is asked about it next."""
    section = request.grounds
    if not isinstance(section, Section) or not isinstance(reply, Words):
        return ()
    text = section.draft if reply.passes else clean(reply.text)
    target = section.target
    shown = moves.text("person", "section", section=target.section, output=target.output, text=text)
    return (Line("update", shown),)
