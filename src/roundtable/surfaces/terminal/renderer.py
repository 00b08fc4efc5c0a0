"""Turns texts into what a terminal is sent: wrapped, coloured, with a sign for each voice in the margin.

The colours can be read on black and on white alike, and differ in hue for those who see fewer colours. A test
computes both. The sign says the same without any colour.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from markdown_it import MarkdownIt
from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from ...core.personas import Roster

MARGIN = 2
WIDEST = 100  # longer lines are hard to read
NARROWEST = 12


class Voice(Struct, frozen=True):
    """How a persona is told from the others at a glance."""

    sign: str
    plain_sign: str
    colour: str


VOICES = (
    Voice("●", "*", "#b06100"),
    Voice("▲", "^", "#875fd7"),
    Voice("■", "#", "#00875f"),
    Voice("◆", "+", "#d700af"),
    Voice("▼", "v", "#5f5fff"),
    Voice("★", "@", "#af5f5f"),
    Voice("♣", "%", "#008800"),
    Voice("♠", "&", "#767676"),
)


def find_voice(key: str | None, roster: Roster | None) -> Voice | None:
    """Return the voice of a persona, by its place at the table; None for everybody else."""
    if roster is None or key not in roster.keys:
        return None
    return VOICES[roster.keys.index(key) % len(VOICES)]


# What stands in for our own signs where the terminal cannot show them.
_PLAIN_SIGNS = str.maketrans({
    "▰": "#", "▱": "-", "─": "-", "›": ">", "·": "|", "•": "*", "▌": "|", "…": "...", "✓": "*", "—": "--",
    **{voice.sign: voice.plain_sign for voice in VOICES},
})  # fmt: skip


def has_cursor(environment: Mapping[str, str]) -> bool:
    """Whether the input line can be painted; a dumb terminal gets plain lines."""
    return os.name == "nt" or environment.get("TERM", "") not in ("", "dumb", "unknown")


def has_signs(encoding: str | None, environment: Mapping[str, str]) -> bool:
    """Whether the terminal can show signs beyond ASCII."""
    if environment.get("TERM") == "linux":  # its font has 512 signs at most
        return False
    try:
        "●▰─›•".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Sign(Struct, frozen=True):
    """The sign in the margin of a text's first line, its style, and the name that the text begins with."""

    text: str = ""
    style: str = ""
    name: str = ""


NO_SIGN = Sign()
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


class Renderer:
    """Renders texts for a window."""

    def __init__(self, columns: Callable[[], int], *, signs: bool = True, colours: bool = True) -> None:
        """`columns` is called each time, as the window may have changed; `signs` allows more than ASCII."""
        self._columns, self._signs = columns, signs
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system="auto" if colours else None, theme=_THEME,
            markup=False, highlight=False, emoji=False, legacy_windows=False,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """How wide a text may be, beside the margin."""
        return max(min(self._columns(), WIDEST) - MARGIN, NARROWEST)

    def render_plain(self, text: str, sign: Sign = NO_SIGN, style: str = "") -> str:
        """Render a text with its own line breaks; an indented line keeps its indent where it is wrapped."""
        lines: list[list[Segment]] = []
        for source in text.expandtabs(4).split("\n"):
            words = source.lstrip(" ")
            indent = min(len(source) - len(words), self.width // 2)
            options = self._console.options.update(width=self.width - indent)
            wrapped = self._console.render_lines(Text(words, style=style), options, pad=False)
            lines += ([Segment(" " * indent), *line] for line in wrapped)
        return self._print(lines, sign)

    def render_markdown(self, text: str, sign: Sign = NO_SIGN, *, breaks: bool = True) -> str:
        """Render markdown; `breaks` keeps the line breaks within paragraphs."""
        options = self._console.options.update(width=self.width)
        return self._print(self._console.render_lines(_MarkdownText(text, breaks), options, pad=False), sign)

    def adapt_signs(self, text: str) -> str:
        """Return the text with signs that the terminal can show."""
        return text if self._signs else text.translate(_PLAIN_SIGNS)

    def _print(self, lines: Iterable[list[Segment]], sign: Sign) -> str:
        segments: list[Segment] = []
        for number, line in enumerate(_trim_lines(_style_name(lines, sign))):
            margin = sign.text if number == 0 else ""
            if line or margin:
                style = Style.parse(sign.style) if margin and sign.style else None
                segments += [Segment(margin.ljust(MARGIN), style), *line]
            segments.append(Segment("\n"))
        with self._console.capture() as captured:
            self._console.print(Segments(segments), end="", soft_wrap=True)
        return self.adapt_signs(captured.get())


def _style_name(lines: Iterable[list[Segment]], sign: Sign) -> list[list[Segment]]:
    """Return the lines with the name at their beginning in its own style, even where it was wrapped."""
    style = Style.parse(f"bold {sign.style}".strip())
    left = len("".join(sign.name.split()))
    styled = []
    for line in lines:
        row = []
        for segment in line:
            at = 0
            while left and at < len(segment.text):
                left -= not segment.text[at].isspace()
                at += 1
            if at:
                row.append(Segment(segment.text[:at], (segment.style or Style.null()) + style))
            row.append(Segment(segment.text[at:], segment.style))
        styled.append(row)
    return styled


def _trim_lines(lines: Iterable[list[Segment]]) -> list[list[Segment]]:
    """Return the lines without blanks at their ends, and without empty lines around them."""
    trimmed = []
    for line in lines:
        while line and not line[-1].text.rstrip():
            line.pop()
        if line:
            line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
        trimmed.append([segment for segment in line if segment.text])
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    while trimmed and not trimmed[0]:
        trimmed.pop(0)
    return trimmed


class _PlainHeading(Heading):
    """A heading at the left, without a frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _PlainCode(CodeBlock):
    """Code as it was written, without a background that suits only one theme."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style=self.style), (0, 0, 0, 2), expand=False)


# HTML is text here: a persona who speaks of a <form> is quoted, not rendered.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


class _MarkdownText(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _PlainHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }

    def __init__(self, text: str, breaks: bool) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = _PARSER.parse(text)
        for child in (child for token in self.parsed for child in token.children or () if breaks):
            child.type = "hardbreak" if child.type == "softbreak" else child.type
