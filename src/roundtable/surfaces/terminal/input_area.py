"""The desk: the input line, what is being drafted above it, and where things are below it.

It is the only part of the window that is ever painted again. Everything else is written above it once and
left alone. While somebody else speaks, the cursor rests on the desk's first row: whatever a resized window
does to the rows below, clearing from the cursor down clears the desk and nothing else.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.application.run_in_terminal import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Point
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.output import create_output
from prompt_toolkit.renderer import CPR_Support
from prompt_toolkit.styles import Style

_STYLE = Style.from_dict({"bottom": "dim", "note": "bold", "prompt": "bold", "chosen": "reverse"})
_MARGIN = "  "
_MOST_INPUT_ROWS = 10
_SHORTEST_REMEMBERED = 2  # letters at menus are no history


class Desk:
    """One input line for the whole conversation."""

    def __init__(
        self,
        *,
        bottom: Callable[[int], str],
        draft: Callable[[], str] = lambda: "",
        words: Callable[[], Iterable[str]] = tuple,
        place: Callable[[], object] = lambda: None,
        history: Path | None = None,
        prompt: str = "> ",
    ) -> None:
        """`bottom` and `draft` are asked for their text at each painting, `words` for what may be completed.

        Words that are typed early are heard at the next turn to listen, if that is at the same `place`; else
        they are put back into the input line.
        """
        self.on_stop: Callable[[], None] = lambda: None
        self.on_leave: Callable[[], None] = lambda: None
        self.note = ""
        self._bottom, self._draft, self._place, self._prompt = bottom, draft, place, prompt
        self._asked: asyncio.Future[str | None] | None = None
        self._early: deque[tuple[object, str]] = deque()
        self._closed = False
        self._buffer = Buffer(
            multiline=True,
            history=_history(history),
            completer=_Words(words),
            complete_while_typing=Condition(lambda: self._buffer.text.startswith("/")),
            accept_handler=lambda _: False,
            tempfile_suffix=".md",
        )
        self._output = create_output(sys.stdout)
        self._application: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=_STYLE,
            output=self._output,
            erase_when_done=True,
            min_redraw_interval=0.03,
        )
        # Nobody has to tell us where the cursor is, and a terminal that cannot would be waited for.
        self._application.renderer.cpr_support = CPR_Support.NOT_SUPPORTED

    # --- for the conversation ---------------------------------------------------------------------------

    @property
    def columns(self) -> int:
        return self._output.get_size().columns

    @property
    def rows(self) -> int:
        return self._output.get_size().rows

    @property
    def listening(self) -> bool:
        return self._asked is not None and not self._asked.done()

    @asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """The desk is there meanwhile; where the terminal is closed, no more words come."""
        desk = asyncio.ensure_future(self._run())
        await asyncio.sleep(0)  # what cannot be shown fails here, and not when it is closed
        try:
            yield
        finally:
            if self._application.is_running:
                self._application.exit()
            await desk

    async def _run(self) -> None:
        with suppress(EOFError):
            await self._application.run_async(handle_sigint=False)
        self.leave()

    def write(self, text: str) -> None:
        """Write a text above the desk, where it stays as it is."""
        if not text:
            return
        running = self._application.is_running
        if running:
            self._application.renderer.erase()
        self._output.write_raw(text.replace("\n", "\r\n"))
        self._output.flush()
        if running:
            self._application._redraw()

    def repaint(self) -> None:
        self._application.invalidate()

    async def ask(self, prompt: str | None = None) -> str | None:
        """The user's next words; None where no more will come."""
        while self._early:
            place, words = self._early.popleft()
            if place == self._place():
                return words
            self.put_in("\n".join(filter(None, (self._buffer.text, words))))
        if self._closed:
            return None
        usual, self._prompt = self._prompt, prompt or self._prompt
        self._asked = asyncio.get_running_loop().create_future()
        self.repaint()
        try:
            return await self._asked
        finally:
            self._asked, self._prompt = None, usual

    async def aside(self, action: Callable[[], None]) -> None:
        """Leave the terminal to something else, such as a pager, and come back."""
        await run_in_terminal(action)

    def leave(self) -> None:
        """No more words will come."""
        self._closed = True
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(None)

    def take_back(self) -> bool:
        """Clear what is typed; False where nothing is."""
        typed = bool(self._buffer.text)
        self._buffer.reset()
        return typed

    def put_in(self, words: str) -> None:
        """Put words into the input line, for the user to decide on."""
        self._buffer.text = words
        self._buffer.cursor_position = len(words)

    # --- what is painted --------------------------------------------------------------------------------

    def _layout(self) -> Layout:
        draft = Window(
            FormattedTextControl(lambda: ANSI(self._visible_draft())),
            dont_extend_height=True,
            wrap_lines=False,
        )
        entry = Window(
            BufferControl(self._buffer, input_processors=[BeforeInput(lambda: self._prompt, "class:prompt")]),
            height=Dimension(min=1, max=_MOST_INPUT_ROWS),
            wrap_lines=True,
            dont_extend_height=True,
            get_line_prefix=lambda number, wrap: "" if number == 0 and wrap == 0 else "  ",
        )
        completions = Window(FormattedTextControl(self._candidates), height=1)
        bottom = Window(FormattedTextControl(self._bottom_line), height=1)
        desk = _Desk(
            lambda: not self.listening,
            entry,
            [
                Window(height=1),
                ConditionalContainer(draft, Condition(lambda: not self.listening and bool(self._draft()))),
                ConditionalContainer(entry, Condition(lambda: self.listening or bool(self._buffer.text))),
                ConditionalContainer(completions, Condition(lambda: self._buffer.complete_state is not None)),
                bottom,
            ],
        )
        return Layout(desk, focused_element=entry)

    def _visible_draft(self) -> str:
        """The end of the draft, as much of it as leaves room for the rest."""
        lines = self._draft().rstrip("\n").split("\n")
        return "\n".join(lines[-max(self.rows - _MOST_INPUT_ROWS // 2, 3) :])

    def _bottom_line(self) -> StyleAndTextTuples:
        width = self.columns - len(_MARGIN) - 1
        if self.note:
            return [("class:note", _MARGIN + self.note[:width])]
        return [("class:bottom", _MARGIN + self._bottom(width))]

    def _candidates(self) -> StyleAndTextTuples:
        state = self._buffer.complete_state
        if state is None:
            return []
        shown: StyleAndTextTuples = []
        for at, each in enumerate(state.completions):
            shown += [("", "  "), ("class:chosen" if at == state.complete_index else "", each.text.strip())]
        return shown

    # --- keys -------------------------------------------------------------------------------------------

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("enter")(self._enter)
        keys.add("escape", "enter")(lambda event: event.current_buffer.newline(copy_margin=False))
        keys.add("tab")(_complete)
        keys.add("s-tab")(lambda event: event.current_buffer.complete_previous())
        keys.add("c-x", "c-e")(lambda event: event.current_buffer.open_in_editor())
        keys.add("c-c")(lambda _: self.on_stop())
        keys.add("c-d", filter=Condition(lambda: not self._buffer.text))(lambda _: self.on_leave())
        keys.add("c-z")(lambda event: event.app.suspend_to_background())
        return keys

    def _enter(self, _event: KeyPressEvent) -> None:
        """Say what is typed; nothing is said by Enter alone while somebody else speaks."""
        words = self._buffer.text
        if not self.listening and not words.strip():
            return
        self._buffer.complete_state = None
        if len(words.strip()) >= _SHORTEST_REMEMBERED:
            self._buffer.append_to_history()
        self._buffer.reset()
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(words)
        else:
            self._early.append((self._place(), words))


class _Desk(HSplit):
    """Rows of which the first holds the cursor while the user is not being heard."""

    def __init__(self, resting: Callable[[], bool], entry: Window, rows: list[Any]) -> None:
        super().__init__(rows)
        self._resting = resting
        self._entry = entry

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        super().write_to_screen(screen, mouse_handlers, write_position, parent_style, erase_bg, z_index)
        if self._resting():
            screen.set_cursor_position(self._entry, Point(0, 0))
            screen.show_cursor = False


class _Words(Completer):
    """Completes the word at the cursor: commands, and the names of those at the table."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        del complete_event
        typed = document.get_word_before_cursor(WORD=True)
        if not typed:
            return
        for word in self._words():
            is_command = word.startswith("/")
            if is_command and typed != document.text:
                continue
            if word.lower().startswith(typed.lower()) and word.strip() != typed:
                yield Completion(word, start_position=-len(typed))


class _Remembered(FileHistory):
    """A history that forgets quietly where its file cannot be written."""

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            super().store_string(string)


def _history(file: Path | None) -> History:
    return InMemoryHistory() if file is None else _Remembered(str(file))


def _complete(event: KeyPressEvent) -> None:
    """Complete what can only be one thing at once; step through what can be several."""
    buffer = event.current_buffer
    wanted = CompleteEvent(completion_requested=True)
    found = list(buffer.completer.get_completions(buffer.document, wanted))
    if len(found) == 1:
        buffer.apply_completion(found[0])
    elif buffer.complete_state:
        buffer.complete_next()
    else:
        buffer.start_completion(select_first=True)
