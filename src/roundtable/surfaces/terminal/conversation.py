"""The clipboard: through the system's own command, else through the terminal (OSC 52)."""

from __future__ import annotations

import asyncio
import base64
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

import click

from ...core.hearing import hear_menu
from ...core.lines import Line
from ...core.turns import USER
from ..cli.conversation import run
from . import slash
from .input_area import Desk
from .page import Menu, Page, Whereabouts, busy
from .renderer import Press, has_signs
from .review import review
from .slash import documents
from .stopping import StoppablePanel
from .welcome import Memory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ...core.commands import Table
    from ...core.synthesis import Draft
    from ...panel.base import Panel
    from ...runtime.session import Session


_PATIENCE = 2.0
_LONGEST = 70_000  # more than that terminals do not take


def copy(text: str, environment: Mapping[str, str]) -> str:
    """Copy a text; what comes back has to be sent to the terminal, where that is how it is done."""
    command = _command(environment)
    if command is not None:
        try:
            subprocess.run(command, input=text.encode(), timeout=_PATIENCE, check=True, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            pass
        else:
            return ""
    return f"\x1b]52;c;{base64.b64encode(text.encode()[:_LONGEST]).decode()}\x07"


def _command(environment: Mapping[str, str]) -> list[str] | None:
    if sys.platform == "win32":
        wanted = ["clip"]
    elif sys.platform == "darwin":
        wanted = ["pbcopy"]
    elif environment.get("WAYLAND_DISPLAY"):
        wanted = ["wl-copy"]
    elif environment.get("DISPLAY"):
        wanted = ["xclip", "-selection", "clipboard"]
    else:
        return None
    return wanted if shutil.which(wanted[0]) else None


def page(text: str) -> None:
    """Show a text in the user's pager; one that fits the window is left standing in the scrollback."""
    os.environ.setdefault("LESS", "-FRX")
    click.echo_via_pager(text, color=True)


_IDLE = 0.2
_CONVERSATION_PATIENCE = 2.0  # seconds in which a second Ctrl-C leaves
_LEAVES = "Ctrl-C again leaves; everything is saved."
_CONFIRM = "Skip the remaining steps of this phase? y/N "
_YES = ("y", "yes")
_SPOKEN = ("contribution", "synthesis", "feedback")
_FRESH = ("step", "introduction")


class Start(Protocol):
    """Makes the session, with what the conversation has to see of it."""

    def __call__(
        self,
        *,
        panel: Panel,
        on_words: Callable[[str, str], None],
        review: Callable[[Draft, Table], Awaitable[Draft]] | None,
    ) -> Session: ...


def converse(
    start: Start,
    panel: Callable[[], Panel],
    again: str,
    *,
    user_name: str | None = None,
    reviewing: bool = False,
    spent: Callable[[], str] = str,
) -> int:
    """Hold the conversation to its end; a signal or two Ctrl-C raise Interrupted, which names the command.

    `panel` makes the panel when it is first needed; `spent` says what it has cost so far.
    """
    conversation = Conversation(
        start, panel, os.environ, user_name=user_name, reviewing=reviewing, spent=spent
    )
    return run(conversation.hold(), lambda: None, again)


class Conversation:
    """One session at one terminal."""

    def __init__(
        self,
        start: Start,
        panel: Callable[[], Panel],
        environment: Mapping[str, str],
        *,
        user_name: str | None = None,
        reviewing: bool = False,
        spent: Callable[[], str] = str,
    ) -> None:
        self._environment = environment
        self._memory = Memory(environment)
        self._panel = StoppablePanel(panel, self._begin)
        self.session = start(
            panel=self._panel, on_words=self._hear, review=self._review if reviewing else None
        )
        signs = has_signs(getattr(sys.stdout, "encoding", None), environment)
        self._desk = Desk(
            bottom=self._bottom,
            draft=self._drafted,
            words=lambda: slash.completions(self.session.analysis),
            place=lambda: self.session.analysis is not None and self.session.analysis.elaboration is not None,
            history=self._memory.history(),
            prompt="› " if signs else "> ",
        )
        self._desk.on_stop, self._desk.on_leave = self._stop, self._leave
        self._press = Press(lambda: self._desk.columns, signs=signs)
        self._page = Page(self._press, user_name)
        self._spent = spent
        self._speaker, self._words = "", ""
        self._typed: str | None = None
        self._menu: Menu | None = None
        self._before: Mapping[str, str] = {}
        self._last_said = ""
        self._stopped_at: float | None = None
        self._holding: asyncio.Task[object] | None = None

    # --- lines ------------------------------------------------------------------------------------------

    async def hold(self) -> None:
        """Show every line, and hear the user whenever it is the user's turn."""
        self._holding = asyncio.current_task()
        gc.disable()  # until the first question is there: nothing by then is garbage
        asyncio.get_running_loop().call_later(_IDLE, self._get_ready)
        self._before = documents(self.session.folder)
        async with self._desk.shown(), aclosing(self.session.lines()) as lines:
            async for line in lines:
                self._show(line)
                if line.kind == "listen":
                    await self._hear_user(line)

    def _get_ready(self) -> None:
        """Load what the first contribution needs while the user reads the first question."""
        from . import renderer  # noqa: F401

        _ = self._panel.name
        gc.freeze()
        gc.enable()

    def _show(self, line: Line) -> None:
        if line.kind == "listen":
            return
        self._speaker, self._words = "", ""
        text = self._unheard(line)
        newcomer = False
        if line.kind == "menu":
            self._menu = Menu.read(line.text)
            newcomer = self._menu.takes_feedback and self._memory.first_time("menu")
        text += self._page.line(line, self.session.analysis, newcomer=newcomer)
        self._desk.write(text)
        if line.kind in _SPOKEN and line.speaker != USER:
            self._last_said = line.text
        if line.kind in _FRESH:
            self._before = documents(self.session.folder)

    def _unheard(self, line: Line) -> str:
        """What was typed, where the session does not say it again: a `?`, or words that it asks about."""
        typed, self._typed = self._typed, None
        if typed is None or not typed.strip() or (line.speaker == USER and line.kind != "resume"):
            return ""
        return self._page.typed(typed)

    # --- words ------------------------------------------------------------------------------------------

    async def _hear_user(self, line: Line) -> None:
        words = await self._next_words(line)
        if words is None:
            self.session.hang_up()
        else:
            self._typed = words
            self.session.say(words)

    async def _next_words(self, line: Line) -> str | None:
        """The next words for the session; commands that only look at things are answered here."""
        while True:
            words = await self._desk.ask()
            if words is None:
                return None
            found = slash.answer(words, self._scene(line))
            if found is not None:
                if found.leave:
                    return None
                if found.say is not None:
                    return found.say
                await self._answer(words, found)
            elif not self._skips(line, words) or await self._confirmed():
                return words

    async def _answer(self, words: str, found: slash.Answer) -> None:
        self._desk.write(self._page.typed(words))
        if found.page:
            await self._show_text(found)
        if found.text:
            self._desk.write(self._page.aside(found.text))
        if found.copy is not None:
            self._desk.write(copy(found.copy, self._environment))

    async def _show_text(self, found: slash.Answer) -> None:
        """A document in the pager, or above the desk where it is short."""
        text = self._page.document(found.page) if found.markdown else self._page.changes(found.page)
        if text.count("\n") < self._desk.rows // 2:
            self._desk.write(text)
            return

        await self._desk.aside(lambda: page(text))

    def _skips(self, line: Line, words: str) -> bool:
        offered = self._menu is not None and self._menu.takes_feedback and self._menu.offers("S")
        return line.awaits == "menu" and offered and hear_menu(words, can_skip=True) == "skip"

    async def _confirmed(self) -> bool:
        answer = await self._desk.ask(_CONFIRM)
        return answer is not None and answer.strip().lower() in _YES

    def _scene(self, line: Line) -> slash.Scene:
        session = self.session
        return slash.Scene(
            session.analysis, session.folder, line.awaits, session.panel_name, self._before, self._last_said,
            self._spent(),
        )  # fmt: skip

    async def _review(self, draft: Draft, table: Table) -> Draft:
        def show(text: str) -> None:
            self._desk.write(self._page.aside(text))

        return await review(draft, table, show, self._desk.ask)

    # --- drafts, the bottom line, control ---------------------------------------------------------------

    def _begin(self, speaker: str) -> None:
        self._speaker, self._words = speaker, ""
        self._desk.repaint()

    def _hear(self, speaker: str, piece: str) -> None:
        if speaker != self._speaker:
            self._begin(speaker)
        self._words += piece
        self._desk.repaint()

    def _drafted(self) -> str:
        analysis = self.session.analysis
        if analysis is None or not self._words.strip():
            return ""
        roster = analysis.opening.roster
        return self._page.draft(roster[self._speaker], self._words, roster)

    def _bottom(self, width: int) -> str:
        analysis = self.session.analysis
        at_work = "" if self._desk.listening else busy(analysis, has_words=bool(self._words))
        line = Whereabouts.of(analysis, at_work=at_work, spent=self._spent()).line(width)
        return self._press.signed(line)

    def _stop(self) -> None:
        """Ctrl-C: once stops whoever speaks, or clears the input line; twice leaves."""
        loop = asyncio.get_running_loop()
        if self._stopped_at is not None and loop.time() - self._stopped_at < _CONVERSATION_PATIENCE:
            if self._holding is not None:
                self._holding.cancel()
            return
        self._stopped_at = loop.time()
        stopped = not self._desk.listening and self._panel.stop()
        if not stopped:
            self._desk.take_back()
        self._desk.note = f"Stopped. {_LEAVES}" if stopped else _LEAVES
        self._desk.repaint()
        loop.call_later(_CONVERSATION_PATIENCE, self._forget_stop)

    def _forget_stop(self) -> None:
        self._desk.note = ""
        self._desk.repaint()

    def _leave(self) -> None:
        self._desk.leave()
        self.session.hang_up()
