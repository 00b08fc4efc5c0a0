"""The press: texts become lines for the window, wrapped, hanging and coloured, with nothing after the words.

Lines are never filled up with blanks: they would wrap when the window gets narrower, and come along when
somebody copies them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from .window import plain_signs

MARGIN = 2
WIDEST = 100  # longer lines are hard to read
NARROWEST = 12
_THEME = Theme(
    {
        "markdown.code": "bold",
        "markdown.code_block": "none",
        "markdown.block_quote": "italic",
        "markdown.item.bullet": "none",
        "markdown.item.number": "bold",
        "markdown.link": "underline",
        "markdown.link_url": "underline",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
        "markdown.hr": "dim",
        **{f"markdown.h{level}": "bold" for level in range(1, 7)},
    }
)

SetLine = list[Segment]


@dataclass(frozen=True, slots=True)
class Sign:
    """What stands in the margin of a text's first line, and how its first words, the name, look."""

    text: str = ""
    style: str = ""
    name: str = ""


NO_SIGN = Sign()


class Press:
    """Sets texts for a window."""

    def __init__(self, columns: Callable[[], int], *, signs: bool = True, colours: bool = True) -> None:
        """`columns` is asked each time: the window may have changed; `signs`: not only a typewriter's."""
        self.signs = signs
        self._columns = columns
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system="auto" if colours else None, theme=_THEME,
            markup=False, highlight=False, emoji=False, legacy_windows=False,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """How wide a text may be, beside the margin."""
        return max(min(self._columns(), WIDEST) - MARGIN, NARROWEST)

    def plain(self, text: str, sign: Sign = NO_SIGN, style: str = "") -> str:
        """A text with its own line breaks; a line that is indented hangs below itself."""
        lines: list[SetLine] = []
        for number, source in enumerate(text.expandtabs(4).split("\n")):
            words = source.lstrip(" ")
            indent = min(len(source) - len(words), self.width // 2)
            styled = Text(words, style=style)
            if number == 0 and words.startswith(sign.name):
                styled.stylize(_name_style(sign), 0, len(sign.name))
            lines += (
                [Segment(" " * indent), *line]
                for line in self._console.render_lines(
                    styled, self._console.options.update(width=self.width - indent), pad=False
                )
            )
        return self._printed(lines, sign)

    def markdown(self, text: str, sign: Sign = NO_SIGN, *, breaks: bool = True) -> str:
        """A text in markdown that begins with the sign's name; `breaks` keeps line breaks in paragraphs."""
        from .markdown import Document  # late: the first prompt does not need it

        options = self._console.options.update(width=self.width)
        lines = self._console.render_lines(Document(text, breaks=breaks), options, pad=False)
        return self._printed(_named(lines, sign), sign)

    def _printed(self, lines: Iterable[SetLine], sign: Sign) -> str:
        out: list[Segment] = []
        for number, line in enumerate(_trimmed(lines)):
            margin = sign.text if number == 0 else ""
            if line or margin:
                style = Style.parse(sign.style) if margin and sign.style else None
                out += [Segment(margin.ljust(MARGIN), style), *line]
            out.append(Segment("\n"))
        return self.signed(self.rendered(Segments(out)))

    def signed(self, text: str) -> str:
        """The text with signs that the terminal has."""
        return text if self.signs else plain_signs(text)

    def rendered(self, renderable: RenderableType) -> str:
        """What a terminal has to be sent to show it, as it is."""
        with self._console.capture() as captured:
            self._console.print(renderable, end="", soft_wrap=True)
        return captured.get()


def _name_style(sign: Sign) -> Style:
    return Style.parse(f"bold {sign.style}".strip())


def _named(lines: list[SetLine], sign: Sign) -> list[SetLine]:
    """The lines with the name at their beginning in its own style, wherever it was wrapped."""
    left = len("".join(sign.name.split()))
    named = []
    for line in lines:
        styled = []
        for segment in line:
            at = 0
            while left and at < len(segment.text):
                left -= not segment.text[at].isspace()
                at += 1
            if at:
                styled.append(Segment(segment.text[:at], _name_style(sign)))
            if segment.text[at:]:
                styled.append(Segment(segment.text[at:], segment.style))
        named.append(styled)
    return named


def _trimmed(lines: Iterable[SetLine]) -> list[SetLine]:
    """The lines without blanks at their ends, and without empty ones around them."""
    found = [_without_end(line) for line in lines]
    while found and not found[-1]:
        found.pop()
    while found and not found[0]:
        found.pop(0)
    return found


def _without_end(line: SetLine) -> SetLine:
    kept = [segment for segment in line if segment.text]
    while kept:
        last = kept.pop()
        if text := last.text.rstrip():
            return [*kept, Segment(text, last.style)]
    return []
