"""The panel: the port through which the personas get their words.

A panel has one method, `answer`. The requests are the core's commands that ask for words; each carries
everything that is needed to answer it. A panel decides nothing about turns, limits, order or files.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias, overload

from msgspec import Struct
from msgspec.structs import replace

from ..core import commands as do
from ..core.errors import PanelFailed
from ..core.events import Offer
from ..core.synthesis import Draft
from ..core.turns import NEUTRAL, LookedUp, Material, Verdict

AsksText: TypeAlias = do.AskFollowUp | do.AskFeedback | do.AskReading
AtStep: TypeAlias = AsksText | do.AskOffers
AtTable: TypeAlias = do.AskFraming | do.AskPersona
PanelRequest: TypeAlias = AtTable | AtStep | do.AskVerdict | do.AskSynthesis | do.AskFiles
PanelKind = Literal["offline", "model", "host"]
"""Where the words come from: "offline" only uses what was written and said, so nothing is checked; "model" is
a language model; "host" is another program, whose synthesis is marked until the user accepts it."""
OFFLINE: Final = "offline"  # the offline panel's kind, and what the user calls it
MOST_LOOK_UPS = 3  # by one speaker, before one contribution
OnWords = Callable[[str], None]  # receives the words of a contribution, piece by piece, as they come


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
    """A panel wants to see more of the code before it answers; it is asked again with the result."""

    def __init__(self, looks: tuple[Look, ...]) -> None:
        self.looks = looks
        self.is_after_failure = False  # another panel failed; its words may have been shown


class Speech(Struct, frozen=True):
    """A contribution without its speaker's name, and the verdicts on it and on the user's turn before."""

    text: str
    verdict: Verdict = NEUTRAL
    judged: Verdict | None = None
    looked_up: tuple[Material, ...] = ()  # the code that was shown before the speaker spoke
    is_cut: bool = False  # the rest was dropped


def ignore_words(words: str, /) -> None:
    """Do nothing: the reply itself is enough."""


class Panel(Protocol):
    """Gives the personas their words.

    The overloads tell callers which reply belongs to which request. An implementation takes a `PanelRequest`,
    matches on it and is annotated to return `Any`, the one type that satisfies all of them.
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
    async def answer(self, request: do.AskFiles, on_words: OnWords = ...) -> Picks | None: ...
    @overload
    async def answer(self, request: AsksText, on_words: OnWords = ...) -> str: ...
    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> object:
        """Return the reply to the request, or raise `PanelFailed`.

        Only a contribution streams: `on_words` receives its pieces. None instead of a contribution means that
        the persona passes, which its brief must allow; instead of a verdict, that the next speaker judges
        the turn; instead of picks, that the survey's order counts. A reading and offers may be empty.
        """


class PanelWrapper:
    """A panel around another one, which is made when first needed; it has the same name and kind."""

    def __init__(self, make: Callable[[], Panel]) -> None:
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
    """A panel that can be stopped: what a speaker has said by then is the contribution.

    Then it is the user's turn: asking for the next contribution raises `PanelStopped`.
    """

    def __init__(self, make: Callable[[], Panel], on_begin: Callable[[str], None] = lambda _: None) -> None:
        """`on_begin` receives a speaker's key whenever its words begin, or begin anew."""
        super().__init__(make)
        self._on_begin = on_begin
        self._pending: asyncio.Future[Any] | None = None
        self._cut_off: tuple[int, Speech | None] = (0, None)  # the last turn that was stopped, and its words

    def stop(self) -> bool:
        """Stop the panel; return False if nobody waits for it."""
        return self._pending is not None and self._pending.cancel()

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        brief, said = request.brief if isinstance(request, do.AskPersona) else None, list[str]()
        if brief is not None:
            number, speech = self._cut_off
            if brief.again and brief.number == number:  # what was cut off is not tried again
                return speech
            self._cut_off = (0, None)
            if number and brief.number == number + 1 and brief.purpose != "go-on":
                raise PanelStopped("You stopped the one who spoke before.")
            self._on_begin(brief.speaker.key)

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


class LookUpPanel(PanelWrapper):
    """A panel around another one, which may ask to see code a few times before each answer (TABLE-1)."""

    def __init__(self, make: Callable[[], Panel], look: Callable[[Look], Material]) -> None:
        super().__init__(make)
        self._look = look
        self._seen: dict[int | str, tuple[Material, ...]] = {}  # by the turn's number or the step's id

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        if not isinstance(request, AtTable | AtStep) or self.kind == "host":  # a host has its own tools
            return await self._panel.answer(request, on_words)
        brief = request.brief
        key = brief.number if isinstance(brief, do.Brief) else brief.step.step_id
        # A second try at the same turn sees what the first one asked for; a step keeps all that it has seen.
        seen = () if isinstance(brief, do.Brief) and not brief.again else self._seen.get(key, ())
        left = MOST_LOOK_UPS - (len(seen) if isinstance(brief, do.Brief) else 0)
        while True:
            try:
                said: Any = await self._panel.answer(_add_code(request, seen, left), on_words)
            except LookUpsWanted as wanted:
                on_words = ignore_words if wanted.is_after_failure else on_words
                looks = wanted.looks[:left]
                if not looks:
                    raise PanelFailed(f"The {self.name} panel asks to see code and says nothing.") from None
                left -= len(looks)
                found = [await asyncio.to_thread(self._look, look) for look in looks]
                seen += tuple(each for each in found if each not in seen)
                continue
            self._seen[key] = seen
            return replace(said, looked_up=seen) if seen and isinstance(said, Framing | Speech) else said


def _add_code(request: AtTable | AtStep, seen: tuple[Material, ...], left: int) -> PanelRequest:
    """Return the request with what was seen, and how many look-ups are allowed now."""
    now = max(left - 1, min(left, 1))  # one is kept back, so that what a search finds can still be read
    if isinstance(request.brief, do.StepBrief):
        look_ups = now if isinstance(request, do.AskReading | do.AskOffers) else 0
        return replace(request, brief=replace(request.brief, looked_up=seen, look_ups=look_ups))
    table = request.brief.table
    names = {each.name for each in table.looked_up}
    new = (LookedUp(each.name, each.text, len(table.turns)) for each in seen if each.name not in names)
    table = replace(table, looked_up=(*table.looked_up, *new))
    return replace(request, brief=replace(request.brief, table=table, look_ups=now))
