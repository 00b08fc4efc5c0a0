"""The input area: the input line, with the contribution in progress above it and a status line below.

It is the only part of the window that is ever repainted. Everything else is written above it once and left
alone. While somebody else speaks, the cursor rests on its first row: whatever a resized window does to the
rows below, clearing from the cursor down clears the input area and nothing else.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Dimension, Layout
from prompt_toolkit.layout.containers import ConditionalContainer, HSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.layout.screen import Screen
from prompt_toolkit.renderer import CPR_Support

from ...settings import user_file

_PROMPT = "› "
_MARGIN = "  "
_MAX_INPUT_ROWS = 10


class InputArea:
    """One input line for the whole conversation."""

    def __init__(
        self, *, bottom: Callable[[], str], draft: Callable[[], str], on_stop: Callable[[], None]
    ) -> None:
        """`bottom` and `draft` return texts to paint; Ctrl-C calls `on_stop`, Ctrl-D ends the input."""
        self._bottom, self._draft = bottom, draft
        self._asked: asyncio.Future[str | None] | None = None
        self._awaits: str | None = None
        self.offer = ""  # what Tab puts into the line
        self.early: list[str] = []  # messages that were entered while somebody else spoke
        self._closed = False
        own = user_file(os.environ)
        history = _InputHistory(own.with_name("history")) if own is not None else None
        self.buffer = Buffer(multiline=True, tempfile_suffix=".md", history=history)
        is_empty = Condition(lambda: not self.buffer.text)
        keys = KeyBindings()
        keys.add("enter")(self._enter)
        keys.add("escape", "enter")(lambda event: event.current_buffer.newline(copy_margin=False))
        keys.add("tab")(self._complete)
        keys.add("tab", filter=is_empty)(lambda _: self.fill(self.offer))
        keys.add("c-x", "c-e")(lambda event: event.current_buffer.open_in_editor())
        keys.add("c-c")(lambda _: on_stop())
        keys.add("c-d", filter=is_empty)(lambda _: self.end_input())
        keys.add("c-z")(lambda event: event.app.suspend_to_background())
        self._application: Application[None] = Application(
            layout=self._make_layout(), key_bindings=keys, erase_when_done=True, min_redraw_interval=0.03
        )
        # We never ask where the cursor is: a terminal that cannot answer would keep the user waiting.
        self._application.renderer.cpr_support = CPR_Support.NOT_SUPPORTED

    @property
    def size(self) -> Size:
        return self._application.output.get_size()

    @property
    def is_listening(self) -> bool:
        return self._asked is not None and not self._asked.done()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Show the input area meanwhile; if the terminal is closed, the input ends."""

        async def run() -> None:
            with suppress(EOFError):
                await self._application.run_async(handle_sigint=False)
            self.end_input()

        running = asyncio.ensure_future(run())
        await asyncio.sleep(0)  # a terminal that cannot be painted fails here, and not at the end
        try:
            yield
        finally:
            if self._application.is_running:
                self._application.exit()
            await running

    def write(self, text: str) -> None:
        """Write a blank line and a text above the input area; they are never repainted."""
        if not text:
            return
        running, output = self._application.is_running, self._application.output
        if running:
            self._application.renderer.erase()
        output.write_raw(f"\n{text}".replace("\n", "\r\n"))
        output.flush()
        if running:
            self._application._redraw()

    def repaint(self) -> None:
        self._application.invalidate()

    async def ask(self, awaits: str | None, *, prefill: str, offer: str) -> str | None:
        """Return the user's next words, with `prefill` in the line to edit; None if no more will come.

        A message entered early counts, unless something else was asked before; then it is put in the line.
        """
        if self._closed:
            return None
        is_same, self._awaits, self.offer = self._awaits in (None, awaits), awaits, offer
        if self.early and is_same:
            return self.early.pop(0)
        self.fill(self.take_unsaid() or prefill)
        self._asked = asyncio.get_running_loop().create_future()
        self.repaint()
        return await self._asked

    def take_unsaid(self) -> str:
        """Take all that was typed and not heard out of the line, each message on a line of its own."""
        typed, self.early = "\n".join(filter(None, (*self.early, self.buffer.text))), []
        self.buffer.reset()
        return typed

    def end_input(self) -> None:
        """End the input: from now on, `ask` returns None."""
        self._closed = True
        if self._asked is not None and self.is_listening:
            self._asked.set_result(None)

    def fill(self, text: str) -> None:
        """Put a text in the input line, with the cursor at its end, unless the line already has one."""
        if not self.buffer.text:
            self.buffer.text = text
            self.buffer.cursor_position = len(text)

    def copy(self, text: str) -> None:
        """Ask the terminal to put a text on its clipboard (OSC 52), encoded so that it obeys none of it."""
        encoded = b64encode(text.encode("utf-8", "replace")).decode()
        self._application.output.write_raw(f"\x1b]52;c;{encoded}\a")
        self._application.output.flush()

    def _complete(self, _event: KeyPressEvent) -> None:
        """Complete a word in the line, or try the next completion; a menu would be painted beside it."""
        if self.buffer.complete_state:
            self.buffer.complete_next()
        else:
            self.buffer.start_completion(select_first=True)

    def _enter(self, _event: KeyPressEvent) -> None:
        """Send the typed words; while somebody else speaks they wait, and Enter alone says nothing."""
        words = self.buffer.text
        is_letter = len(words.strip()) < 2  # what is typed at menus is not worth recalling
        self.buffer.reset(append_to_history=not is_letter)
        if self._asked is not None and self.is_listening:
            self._asked.set_result(words)
        elif words.strip():
            self.early.append(words)

    def _make_layout(self) -> Layout:
        entry = Window(
            BufferControl(self.buffer, input_processors=[BeforeInput(_PROMPT, "bold")]),
            height=Dimension(min=1, max=_MAX_INPUT_ROWS),
            wrap_lines=True,
            dont_extend_height=True,
            get_line_prefix=lambda number, wrap: "" if number == 0 and wrap == 0 else _MARGIN,
        )
        is_listening = Condition(lambda: self.is_listening)
        has_draft = Condition(lambda: bool(self._draft()))  # at a shared table, also while the line is open
        rows = [
            Window(height=1),
            ConditionalContainer(
                Window(FormattedTextControl(self._visible_draft), dont_extend_height=True), has_draft
            ),
            ConditionalContainer(entry, is_listening | Condition(lambda: bool(self.buffer.text))),
            Window(FormattedTextControl(self._bottom_row), height=1),
        ]
        return Layout(_RestingSplit(~is_listening | has_draft, entry, rows), focused_element=entry)

    def _visible_draft(self) -> ANSI:
        """Return as much of the draft's end as leaves room for the rest."""
        lines = self._draft().rstrip("\n").split("\n")
        return ANSI("\n".join(lines[-max(self.size.rows - _MAX_INPUT_ROWS // 2, 3) :]))

    def _bottom_row(self) -> StyleAndTextTuples:
        width = self.size.columns - len(_MARGIN) - 1  # a full row would leave remains when a window rewraps
        return [("dim", _MARGIN + self._bottom()[:width])]


class _RestingSplit(HSplit):
    """Rows that keep the cursor on the first one while it is not the user's turn."""

    def __init__(self, is_resting: Callable[[], bool], entry: Window, rows: list[Any]) -> None:
        super().__init__(rows)
        self._is_resting, self._entry = is_resting, entry

    def write_to_screen(self, screen: Screen, *rest: Any, **more: Any) -> None:
        super().write_to_screen(screen, *rest, **more)
        if self._is_resting():
            screen.set_cursor_position(self._entry, Point(0, 0))
            screen.show_cursor = False


class _InputHistory(FileHistory):
    """What was typed, in earlier sessions too; without a usable file, in this session only."""

    def load_history_strings(self) -> Iterable[str]:
        with suppress(OSError):
            yield from super().load_history_strings()

    def store_string(self, string: str) -> None:
        file = Path(os.fsdecode(self.filename))
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.chmod(0o600)  # nobody else may read it, also if another program made it
            super().store_string(string)
