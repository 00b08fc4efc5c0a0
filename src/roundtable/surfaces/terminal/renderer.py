"""The palette: a colour and a sign for each voice.

The colours are as light as they are dark, so that they can be read on black and on white alike, and differ
in hue for those who see fewer colours too. A test computes both. The sign says the same without any colour.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.segment import Segment, Segments
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from ...core.personas import Roster


@dataclass(frozen=True, slots=True)
class Voice:
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


def voice_of(key: str | None, roster: Roster | None) -> Voice | None:
    """The voice of a persona, by its place at the table; None for everybody else."""
    if roster is None or key not in roster.keys:
        return None
    return VOICES[roster.keys.index(key) % len(VOICES)]


_WITHOUT_CURSOR = ("", "dumb", "unknown")
# What stands in for our own signs where they cannot be shown.
_PLAIN = str.maketrans({
    "▰": "#", "▱": "-", "─": "-", "›": ">", "·": "|", "•": "*", "▌": "|", "…": "...", "✓": "*", "—": "--",
    **{voice.sign: voice.plain_sign for voice in VOICES},
})  # fmt: skip


def has_cursor(environment: Mapping[str, str]) -> bool:
    """True where the input line can be painted; a dumb terminal gets plain lines."""
    return os.name == "nt" or environment.get("TERM", "") not in _WITHOUT_CURSOR


def has_signs(encoding: str | None, environment: Mapping[str, str]) -> bool:
    """True where more signs than a typewriter's can be shown."""
    if environment.get("TERM") == "linux":  # its font has 512 signs at most
        return False
    try:
        "●▰─›•".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def plain_signs(text: str) -> str:
    """The text with signs that every terminal has."""
    return text.translate(_PLAIN)


# HTML is text here: a persona who speaks of a <form> is quoted, not rendered.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


class _Heading(Heading):
    """A heading at the left, by itself."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _Code(CodeBlock):
    """Code as it was written, without a background that only one theme can bear."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style=self.style), (0, 0, 0, 2), expand=False)


class Document(Markdown):
    """A text in markdown."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
    }

    def __init__(self, text: str, *, breaks: bool = False) -> None:
        """`breaks` keeps the line breaks within paragraphs: what was said in lines is shown in lines."""
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = _PARSER.parse(text)
        if breaks:
            for token in self.parsed:
                for child in token.children or ():
                    child.type = "hardbreak" if child.type == "softbreak" else child.type


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
