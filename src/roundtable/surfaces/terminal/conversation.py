"""A conversation at a terminal: shows the lines, and hears the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import WordCompleter

from ...content import read_tables
from ...core.lines import Line, speech
from ...core.personas import Roster
from ...core.text import clean_text
from ...core.turns import USER
from ...panel.base import Panel, StoppablePanel
from ...runtime.session import Session
from ..cli.conversation import converse, run
from ..cli.output import open_pager
from .input_area import InputArea
from .page import LineFormatter, describe_work, format_bottom_line

if TYPE_CHECKING:
    from .seat import TableSeat

_SETTLING_TIME = 0.2
_LEAVING_TIME = 2.0  # seconds in which a second Ctrl-C leaves
_LEAVES = "Ctrl-C again leaves; everything is saved."


class TerminalConversation:
    """One session at one terminal, or a seat at a table that several people share."""

    is_strict = True

    def __init__(
        self, start: Callable[..., Session | TableSeat], panel: Callable[[], Panel], *,
        user_name: str | None = None, spent: Callable[[], str] = str, roster: Roster | None = None,
    ) -> None:  # fmt: skip
        """`start` makes the session, `panel` the panel when first needed; `spent` describes the costs."""
        self._panel = StoppablePanel(panel, lambda _: self.take_words("", ""))
        self.session = start(panel=self._panel, on_words=self.take_words)
        self.input = InputArea(bottom=self._bottom_line, draft=self._format_draft, on_stop=self._stop)
        self.input.buffer.completer = WordCompleter(self._list_completions, ignore_case=True, WORD=True)
        self._formatter = LineFormatter(lambda: self.input.size.columns, user_name, roster)
        self._spent, self._roster = spent, roster
        self._speaker = self._words = self._typed = self._note = self._last_said = ""
        self._has_explained = False
        self._holding: asyncio.Task[object] | None = None

    def hold(self, again: str) -> int:
        """Hold the conversation to its end; a signal or two Ctrl-C raise Interrupted, which names `again`."""
        return run(self._hold(), lambda: None, again)

    async def _hold(self) -> None:
        self._holding = asyncio.current_task()
        if isinstance(self.session, Session):  # the panel is made while the user reads the first question
            asyncio.get_running_loop().call_later(_SETTLING_TIME, lambda: self._panel.name)
        async with self.input.open():
            await converse(self.session, self)
            if typed := self.input.take_unsaid():  # it ended while the user typed
                self.input.write(self._formatter.format_line(Line("resume", typed, USER), None))

    def show(self, line: Line) -> None:
        """Show a line above the input area; a `listen` line shows nothing."""
        if line.kind == "listen":
            return
        typed, analysis = self._typed, self.session.analysis
        self._speaker = self._words = self._typed = ""
        if line.kind in ("contribution", "synthesis") and line.speaker != USER:
            self._last_said = clean_text(line.words)
        # Typed words that the session does not repeat are shown here: a `?`, or words it asks about.
        # A shared table, whose analysis is on the server, repeats everybody's words.
        if analysis and typed.strip() and (line.speaker != USER or line.kind == "resume"):
            self.input.write(self._formatter.format_line(Line("resume", typed, USER), analysis))
        is_menu = line.menu is not None and bool(line.menu.find_label("E"))
        if is_menu and not self._has_explained and isinstance(self.session, Session):
            self._has_explained = True
            if self.session.is_first_time:
                explained = Line("notice", read_tables("terminal.toml")["newcomer"])
                self.input.write(self._formatter.format_line(explained, analysis))
        self.input.write(self._formatter.format_line(line, analysis))

    async def show_answer(self, answer: str) -> None:
        """Show the command that was typed and its answer; a long answer in the user's pager."""
        self.show(Line("notice", ""))  # nothing but the typed command
        is_markdown = answer.startswith(("# ", "<!-- "))  # a document or a transcript, which is rendered
        line = Line("synthesis" if is_markdown else "notice", answer)
        text = self._formatter.format_line(line, self.session.analysis)
        if text.count("\n") < self.input.size.rows // 2:
            self.input.write(text)
        else:
            await run_in_terminal(partial(open_pager, text))

    async def ask(self, line: Line) -> str | None:
        words = await self.input.ask(line.awaits, prefill=self.session.prefill, offer=self.session.offer)
        self._typed = words or ""
        return words

    def copy_last(self) -> str:
        """Put the last contribution or synthesis on the clipboard and return it; empty if there is none."""
        if self._last_said:
            self.input.copy(self._last_said)
        return self._last_said

    def _list_completions(self) -> list[str]:
        analysis = self.session.analysis
        roster = analysis.opening.roster if analysis is not None else self._roster
        names = (each.first_name for each in (roster.personas if roster is not None else ()))
        return [*read_tables("terminal.toml")["commands"], *names]

    def take_words(self, speaker: str, piece: str) -> None:
        """Take a piece of a contribution in progress; another speaker's begins a new one."""
        self._words = self._words + piece if speaker == self._speaker else piece
        self._speaker = speaker
        self.input.repaint()

    def _format_draft(self) -> str:
        analysis = self.session.analysis
        roster = analysis.opening.roster if analysis is not None else self._roster
        if roster is None or self._speaker not in roster or not self._words.strip():
            return ""
        line = speech(roster[self._speaker], self._words, "contribution")
        return self._formatter.format_line(line, analysis)

    def _bottom_line(self) -> str:
        analysis, at_work = self.session.analysis, ""
        if not self.input.is_listening:
            at_work = describe_work(analysis, has_words=bool(self._words))
            at_work += "; your words wait" if self.input.early else ""
        elif self.input.offer:
            at_work = "Tab puts the draft into the line"
        return self._note or format_bottom_line(analysis, at_work=at_work, spent=self._spent())

    def _stop(self) -> None:
        """At the first Ctrl-C, stop the speaker or clear the input line; at the second, leave."""
        if self._note and self._holding is not None:
            self._holding.cancel()
            return
        if isinstance(self.session, Session):
            stopped = not self.input.is_listening and self._panel.stop()
        else:
            stopped = self.session.stop()
        if not stopped:
            self.input.buffer.reset()
        self._show_note(f"Stopped. {_LEAVES}" if stopped else _LEAVES)
        asyncio.get_running_loop().call_later(_LEAVING_TIME, self._show_note, "")

    def _show_note(self, note: str) -> None:
        self._note = note
        self.input.repaint()
