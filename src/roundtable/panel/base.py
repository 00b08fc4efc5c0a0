"""The panel: the port through which the personas get their words.

A panel has one method, `answer`. The requests are the core's commands that ask for words; each carries
everything that is needed to answer it. A panel decides nothing about turns, limits, order or files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias, overload

from msgspec import Struct

from ..core import commands as do
from ..core.errors import PanelFailed
from ..core.events import Offer
from ..core.steps import Item
from ..core.synthesis import Draft
from ..core.turns import NEUTRAL, Material, Verdict


class AskFiles(Struct, frozen=True):
    """Ask which files the item will change: the project's folders, and what a survey found, for a choice."""

    item: Item
    folders: str
    candidates: str


PanelRequest: TypeAlias = (
    do.AskFraming | do.AskPersona | do.AskVerdict | do.AskSynthesis | do.AskOffers | do.AskFollowUp
    | do.AskFeedback | do.AskReading | AskFiles
)  # fmt: skip
PanelKind = Literal["offline", "model", "host"]
"""Where a panel has its words from; the runtime treats them accordingly.

`offline`: from what was written and said. It claims nothing, so nothing is checked, and it costs nothing.
`model`: from a language model. It sees all that is held, may look at the code, and its claims are checked.
`host`: from another program. Its claims are checked, and its words are marked until the user accepts them.
"""
OFFLINE: Final = "offline"
"""The offline panel's kind, and what the user calls it."""
MAX_PICKS, MAX_PICK_WORDS = 20, 8
"""How many paths, and how many further words to search for, a panel may pick."""
OnWords = Callable[[str], None]
"""Receives the words of a contribution, piece by piece, as they come."""


class Framing(Struct, frozen=True):
    """How the lead opens a discussion: a summary, the focus question, and its topic in a few words."""

    summary: str
    focus_question: str
    focus_topic: str
    looked_up: tuple[Material, ...] = ()


class Picks(Struct, frozen=True):
    """The paths that the item will change, likeliest first, and further words that the code uses for it."""

    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Look(Struct, frozen=True):
    """What a speaker wants to see of the code: words to search for, or `path:first-last` to read."""

    kind: Literal["search", "read"]
    what: str


class LookUpsWanted(Exception):
    """A panel wants to see more of the code before it answers; it is asked again with what that shows."""

    def __init__(self, looks: tuple[Look, ...]) -> None:
        super().__init__(f"{len(looks)} look-ups")
        self.looks = looks


class Speech(Struct, frozen=True):
    """A contribution, without its speaker's name, and the speaker's own verdict on it.

    `judged` is its verdict on the user's turn that it follows; `notes` are for the transcript, and
    `looked_up` is what it asked to see before it spoke.
    """

    text: str
    verdict: Verdict = NEUTRAL
    judged: Verdict | None = None
    notes: tuple[str, ...] = ()
    looked_up: tuple[Material, ...] = ()


def ignore_words(words: str, /) -> None:
    """Do nothing: the reply itself is enough."""


class Panel(Protocol):
    """Gives the personas their words.

    The kind decides how the words are treated; the name is only shown. The overloads tell callers which reply
    belongs to which request. An implementation takes a `PanelRequest`, matches on it and is annotated to
    return `Any`, the one type that satisfies all of them.
    """

    @property
    def name(self) -> str:
        """The panel's name, as messages and transcripts show it."""

    @property
    def kind(self) -> PanelKind:
        """Where the words come from; it may change when another panel takes over."""

    @overload
    async def answer(self, request: do.AskFraming, on_words: OnWords = ...) -> Framing: ...
    @overload
    async def answer(self, request: do.AskPersona, on_words: OnWords = ...) -> Speech | None: ...
    @overload
    async def answer(self, request: do.AskVerdict, on_words: OnWords = ...) -> Verdict | None: ...
    @overload
    async def answer(self, request: do.AskSynthesis, on_words: OnWords = ...) -> Draft: ...
    @overload
    async def answer(self, request: do.AskOffers, on_words: OnWords = ...) -> tuple[Offer, ...]: ...
    @overload
    async def answer(self, request: AskFiles, on_words: OnWords = ...) -> Picks | None: ...
    @overload
    async def answer(
        self, request: do.AskFollowUp | do.AskFeedback | do.AskReading, on_words: OnWords = ...
    ) -> str: ...
    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> object:
        """Return the reply to the request, or raise `PanelFailed`.

        Only a contribution streams: `on_words` receives its pieces. None instead of a contribution means that
        the persona passes, which its brief has to allow. None instead of a verdict means that the next
        speaker judges the user's turn with its own words; None instead of picks means that the survey's order
        stays. A reading and offers may be empty.
        """


class PanelWrapper:
    """A panel around another one; it has the name and the kind of the one inside."""

    def __init__(self, make: Callable[[], Panel]) -> None:
        """`make` makes the panel inside when it is first needed, which may be long after the first prompt."""
        self._make = make

    @cached_property
    def _panel(self) -> Panel:
        return self._make()

    @property
    def name(self) -> str:
        return self._panel.name

    @property
    def kind(self) -> PanelKind:
        return self._panel.kind


class PanelStopped(PanelFailed):
    """The user stopped a speaker, so it is the user's turn."""


class StoppablePanel(PanelWrapper):
    """Another panel, with a way to stop it: what a speaker has said by then is the contribution.

    Then the user has the floor: `PanelStopped` answers for whoever is due right after.
    """

    def __init__(self, make: Callable[[], Panel], on_begin: Callable[[str], None] = lambda _: None) -> None:
        """`on_begin` receives a speaker's key whenever its words begin, or begin anew."""
        super().__init__(make)
        self._on_begin = on_begin
        self._pending: asyncio.Future[Any] | None = None
        self._cut_off: tuple[int, Speech | None] = (0, None)
        """The number of the turn that was stopped last, and what was said of it."""

    def stop(self) -> bool:
        """Stop the panel; return False if nobody waits for it."""
        return self._pending is not None and self._pending.cancel()

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        brief = request.brief if isinstance(request, do.AskPersona) else None
        if brief is not None:
            number, speech = self._cut_off
            if brief.again and brief.number == number:  # what was cut off is not tried again
                return speech
            self._cut_off = (0, None)
            if number and brief.number == number + 1 and brief.purpose != "go-on":
                raise PanelStopped("You stopped the one who spoke before.")
            self._on_begin(brief.speaker.key)
        said: list[str] = []

        def take(piece: str) -> None:
            said.append(piece)
            on_words(piece)

        self._pending = asyncio.ensure_future(self._panel.answer(request, take))
        try:
            return await self._pending
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if waiting is None or waiting.cancelling():  # the conversation itself ends
                raise
        finally:
            self._pending = None
        if brief is None:
            raise PanelFailed("You stopped the panel.")
        words = "".join(said).strip()
        if not words:
            raise PanelStopped(f"You stopped {brief.speaker.name} before the first word.")
        self._cut_off = brief.number, Speech(f"{words} ...")
        return self._cut_off[1]
