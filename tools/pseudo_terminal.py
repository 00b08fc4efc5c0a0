"""A command in a pseudo-terminal: keys in, and a screen with its scrollback that can be read."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pyte

ROWS, COLUMNS = 30, 100
PROMPT = "›"
_PATIENCE = 60.0
_CLEAR_BELOW = 0
_DIM, _BLINK = 2, 5


class Screen(pyte.Screen):
    """A screen with a scrollback, which notes whatever is painted over text that was there to stay.

    Clearing from the cursor down marks where the input area begins; nothing may move above that, ever.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.past: list[dict[int, Any]] = []
        self.input_row = 0
        self.trespasses: list[str] = []
        super().__init__(columns, rows)

    @property
    def row(self) -> int:
        return len(self.past) + self.cursor.y

    def index(self) -> None:
        if self.cursor.y == self.lines - 1:
            self.past.append(dict(self.buffer[0]))
        super().index()

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Change the width; unlike a real terminal it leaves the lines as they are."""
        del lines
        self.columns = columns or self.columns

    def cursor_up(self, count: int | None = None) -> None:
        super().cursor_up(count)
        if self.row < self.input_row:
            self.trespasses.append(f"up to row {self.row}, above {self.input_row}")

    def erase_in_display(self, how: int = 0, *args: Any, **more: Any) -> None:
        super().erase_in_display(how, *args, **more)
        if how != _CLEAR_BELOW or self.row < self.input_row:
            self.trespasses.append(f"cleared {how} at row {self.row}, input at {self.input_row}")
        self.input_row = self.row

    def reverse_index(self) -> None:
        self.trespasses.append("scrolled back")

    def cursor_position(self, line: int | None = None, column: int | None = None) -> None:
        super().cursor_position(line, column)
        if (line, column) != (None, None):
            self.trespasses.append(f"jumped to {line}, {column}")

    def select_graphic_rendition(self, *attrs: int, **more: Any) -> None:
        """Keep dim letters as blinking ones, which we never show: the emulator does not know dim letters."""
        changed, at = list(attrs), 0
        while at < len(changed):
            if changed[at] in (38, 48):
                at += 2 if changed[at + 1 : at + 2] == [5] else 4
            elif changed[at] == _DIM:
                changed[at] = _BLINK
            at += 1
        super().select_graphic_rendition(*changed, **more)

    def styled_rows(self) -> list[dict[int, Any]]:
        return [*self.past, *(dict(self.buffer[row]) for row in range(self.lines))]

    def text(self) -> list[str]:
        return [_text(row) for row in self.styled_rows()]


class PseudoTerminal:
    """A process at a terminal of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        root: Path,
        rows: int = ROWS,
        columns: int = COLUMNS,
        environment: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "roundtable"),
    ) -> None:
        self.screen = Screen(columns, rows)
        self.output = ""
        self._stream = pyte.Stream(self.screen)
        given = {"TERM": "xterm-256color", "ROUNDTABLE_USER_NAME": "Ada", "PAGER": "cat", "PYTHONUTF8": "1"}
        given["ROUNDTABLE_PANEL"] = "offline"  # what this machine has is offered to nobody
        self.process: pexpect.spawn[str] = pexpect.spawn(
            sys.executable, [*program, *arguments], cwd=str(root), encoding="utf-8", timeout=_PATIENCE,
            dimensions=(rows, columns), env={**os.environ, **given, **(environment or {})},
        )  # fmt: skip
        self.process.delaybeforesend = None

    # --- what is seen -----------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """Everything from the first line of the scrollback to the last line of the screen."""
        return self.screen.text()

    @property
    def shown(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_listening(self) -> bool:
        """Whether the cursor is in an empty input line."""
        return not self.screen.cursor.hidden and self.lines[self.screen.row] == PROMPT

    def words(self, start: str = "", end: str = "") -> str:
        """Return what is shown from one text to another, in one line, without the signs in the margin."""
        lines = [line[2:] if line[1:2] in ("", " ") else line for line in self.lines]
        text = " ".join(" ".join(lines).split())
        text = text[text.index(start) + len(start) :] if start else text
        return text[: text.index(end)].strip() if end else text.strip()

    # --- what is done -----------------------------------------------------------------------------------

    def wait(self, ready: Callable[[], bool], what: str) -> None:
        limit = time.monotonic() + _PATIENCE
        while not ready():
            try:
                data = self.process.read_nonblocking(65_536, timeout=max(limit - time.monotonic(), 0))
            except (pexpect.TIMEOUT, pexpect.EOF) as error:
                raise AssertionError(f"never saw {what}:\n{self.shown}") from error
            self.output += data
            self._stream.feed(data)

    def see(self, text: str) -> None:
        """Wait until a text is on the screen, in one line or over several."""
        wanted = "".join(text.split())
        self.wait(lambda: wanted in re.sub(r"\s", "", self.shown), text)

    def listen(self) -> None:
        """Wait until the program listens."""
        self.wait(lambda: self.is_listening, "the empty input line")

    def say(self, *messages: str) -> None:
        """Say each message when the program listens, and wait until it listens again."""
        for message in messages:
            self.listen()
            row = self.screen.row
            self.keys(f"{message}\r")
            self.wait(lambda row=row: self.is_listening and self.screen.row > row, f"an answer to {message}")  # type: ignore[misc]

    def keys(self, keys: str) -> None:
        self.process.send(keys)

    def resize(self, columns: int) -> None:
        self.screen.resize(columns=columns)
        self.process.setwinsize(self.screen.lines, columns)

    def end(self) -> int | None:
        """Wait until the command has ended and return its exit status."""
        while True:
            try:
                data = self.process.read_nonblocking(65_536, timeout=_PATIENCE)
            except pexpect.EOF:
                break
            self.output += data
            self._stream.feed(data)
        self.process.close()
        return self.process.exitstatus


def _text(row: dict[int, Any]) -> str:
    return "".join(row[x].data if x in row else " " for x in range(max(row, default=-1) + 1)).rstrip()
