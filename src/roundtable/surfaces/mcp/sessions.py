"""Sessions that a host plays move by move, one for each item in play, and the texts that a host reads."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import aclosing, suppress
from functools import partial

from msgspec import Struct

from ...content import read_tables
from ...core.errors import RoundtableError
from ...core.lines import Awaits, Line
from ...core.text import fill_blanks
from ...core.turns import USER
from ...panel.host import HostPanel, HostReply, HostRequest, Refused
from ...project import Project
from ...runtime.session import Session
from ...settings import Settings, user_name

IDLE = 300.0  # seconds without a call until an item is released, so that a terminal can take it up
MAX_HOST_TEXT_LENGTH = 20_000


class OpenMove(Struct, frozen=True):
    """An open move: a request to the host's model or, without one, the user's turn."""

    id: str
    kind: str
    speaker: str | None  # the key of the persona who speaks, or the user; None for a judgement
    request: HostRequest | None

    @property
    def limits(self) -> str:
        """How long the answer should be, and how long it may be."""
        if self.request is None:
            return f"at most {MAX_HOST_TEXT_LENGTH:,} characters"
        words, most = self.request.words, self.request.most
        return f"about {words} words, at most {most}" if words else "each entry one or two sentences"

    def list_calls(self, *, can_ask: bool) -> list[str]:
        """Return the calls that are legal now; relaying is legal only if the person cannot be asked."""
        call = f'(session, move="{self.id}"'
        if self.request is None:
            return [f"hear_user{call})" if can_ask else f"relay_user{call}, words)"]
        if self.speaker is None:
            return [f"submit_judgement{call}, ...)"]
        call = f'submit_turn{call}, speaker="{self.speaker}"'
        words = "text, focus_question, focus_topic" if self.kind == "framing" else "text, ..."
        return [f"{call}, {words})", *([f"{call}, passes=true)"] if self.request.may_pass else [])]


class HostedSession:
    """Plays a session move by move; refuses whatever comes too early, too late or wrong."""

    def __init__(self, start: Callable[..., Session], idle: float) -> None:
        self.session = start(panel=HostPanel(self._open_move))
        self.slug = self.session.folder.name
        self.sent = set[str]()
        """The texts that the host already has, so that nothing is sent twice unless it asks."""
        self.step = ""  # the last text sent about a step
        self.last: tuple[OpenMove | None, bool, str] | None = None
        """The move that was sent last, whether the client could ask, and the whole answer."""
        self.move: OpenMove | None = None
        self.shown_form = ""  # the move for which a form was sent; the client may fail to show it
        self.lines: list[Line] = []
        self.failure: RoundtableError | None = None
        self._idle = idle
        self._news = asyncio.Event()
        self._used: set[str] = set()
        self._running = asyncio.create_task(self._run(), name=f"session {self.slug}")
        self._running.add_done_callback(lambda _: self._news.set())
        self._timer = asyncio.get_running_loop().call_later(idle, self._release)

    @property
    def has_ended(self) -> bool:
        return self._running.done()

    async def wait_for_move(self) -> None:
        """Wait until a move is open or the session has ended; raise its error if it failed."""
        self._timer.cancel()
        try:
            while self.move is None and not self.has_ended:
                self._news.clear()
                await self._news.wait()
        finally:  # also if the client has gone
            self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(self._idle, self._release)
        if self.failure is not None:
            raise self.failure

    async def close(self) -> None:
        """Release the item; everything that counts is on disk."""
        self._timer.cancel()
        self._running.cancel()
        with suppress(asyncio.CancelledError):
            await self._running

    async def submit(self, move_id: str, reply: HostReply) -> None:
        """Take the host's reply to the open move, and go on to the next."""
        move = await self.expect(move_id, from_user=False)
        assert move.request is not None
        move.request.submit(reply)
        await self._go_on(move)

    async def say(self, move_id: str, words: str | None, *, relayed: bool) -> None:
        """Take the user's words, `relayed` or from a form; None means that the form was closed."""
        move = await self.expect(move_id, from_user=True)
        if words is None:
            raise Refused(host_text("asking", "closed"))
        if len(words) > MAX_HOST_TEXT_LENGTH:
            raise Refused(f"A message has at most {MAX_HOST_TEXT_LENGTH:,} characters, not {len(words):,}.")
        self.session.say(words, relayed=relayed)
        await self._go_on(move)

    async def expect(self, move_id: str, *, from_user: bool) -> OpenMove:
        """Return the open move; raise Refused if it is another one or somebody else's."""
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

    def _release(self) -> None:
        self.failure = RoundtableError("Nobody called for a while, so the item was released. Call start.")
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
        """Open a move; a restarted server gives it the same id while it is open."""
        move_id = self.session.moment
        while move_id in self._used:  # the session is at the same moment once more
            move_id += "+"
        kind, persona = (request.kind, request.speaker) if request is not None else (str(awaits), None)
        speaker = USER if request is None else persona.key if persona is not None else None
        self.move = OpenMove(move_id, kind, speaker, request)
        self._news.set()


class HostedSessions:
    """The sessions of one project, by the name of the item's folder."""

    def __init__(self, settings: Settings, *, idle: float = IDLE) -> None:
        tools = {"add": "add_item(text)", "handoff": 'hand_off(item="{}")'}
        self.project = Project(
            settings.root,
            items_folder=settings.items_folder,
            command=lambda name, item, *_: tools.get(name, 'start(item="{}")').format(item),
        )
        self.in_play: dict[str, HostedSession] = {}
        self._idle = idle
        self._start = partial(
            self.project.open_session, user_name=user_name(settings), review=settings.review
        )
        self._sent: defaultdict[str, set[str]] = defaultdict(set)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def start(self, item: str, step: str | None = None, *, anew: bool = True) -> HostedSession:
        """Open the item's session, or go on with it; with `anew`, everything is sent again."""
        slug = self.project.find_item(item).slug
        async with self._locks[slug]:
            hosted = self.in_play.get(slug)
            if hosted is not None and (hosted.failure or (anew and (step is not None or hosted.has_ended))):
                await self._close(slug)
            if slug not in self.in_play:
                self.in_play[slug] = HostedSession(partial(self._start, slug, step=step), self._idle)
            hosted = self.in_play[slug]
            if anew:
                self._sent[slug], hosted.last = set(), None
            hosted.sent = self._sent[slug]
            try:
                await hosted.wait_for_move()
            except RoundtableError:
                await self._close(slug)
                raise
            return hosted

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

    async def _close(self, slug: str) -> None:
        if hosted := self.in_play.pop(slug, None):
            await hosted.close()


def host_text(group: str, name: str, /, **blanks: object) -> str:
    """Return a text for hosts of content/instructions.toml with its blanks filled."""
    return fill_blanks(read_tables("instructions.toml")["host"][group][name], blanks)
