"""Turns texts into what a terminal is sent: wrapped, coloured, with a sign for each voice in the margin.

The colours can be read on black and on white alike, and differ in hue for those who see fewer colours. A test
computes both. The sign says the same without any colour.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import ClassVar

from markdown_it import MarkdownIt
from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
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


def has_signs(encoding: str | None, environment: Mapping[str, str]) -> bool:
    """Whether the terminal can show signs beyond ASCII."""
    try:
        "●▰─›•".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return environment.get("TERM") != "linux"  # its font has 512 signs at most


class Sign(Struct, frozen=True):
    """The sign in the margin of a text's first line, its style, and the name that the text begins with."""

    text: str = ""
    style: str = ""
    name: str = ""


NO_SIGN = Sign()
_STYLES = {
    "bold": ("code", "item.number", "table.header", "h1", "h2", "h3", "h4", "h5", "h6"),
    "italic": ("block_quote",),
    "underline": ("link", "link_url"),
    "dim": ("table.border", "hr"),
    "none": ("code_block", "item.bullet"),
}
_THEME = Theme({f"markdown.{name}": style for style, names in _STYLES.items() for name in names})


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
        rows: list[Text] = []
        for source in text.expandtabs(4).split("\n"):
            words = source.lstrip(" ")
            indent = min(len(source) - len(words), self.width // 2)
            wrapped = Text(words, style).wrap(self._console, self.width - indent)
            rows += (Text.assemble(" " * indent, row) for row in wrapped)
        return self._print(rows, sign)

    def render_markdown(self, text: str, sign: Sign = NO_SIGN, *, breaks: bool = True) -> str:
        """Render markdown; `breaks` keeps the line breaks within paragraphs."""
        options = self._console.options.update(width=self.width)
        lines = self._console.render_lines(_MarkdownText(text, breaks), options, pad=False)
        return self._print([Text.assemble(*((s.text, s.style or "") for s in line)) for line in lines], sign)

    def adapt_signs(self, text: str) -> str:
        """Return the text with signs that the terminal can show."""
        return text if self._signs else text.translate(_PLAIN_SIGNS)

    def _print(self, rows: list[Text], sign: Sign) -> str:
        """Return the rows with the sign in the margin, without blanks at their ends or empty rows around."""
        for row in rows:
            row.rstrip()
        while rows and not rows[-1]:
            rows.pop()
        while rows and not rows[0]:
            rows.pop(0)
        if rows:
            rows[0].stylize(f"bold {sign.style}", 0, len(sign.name))
        with self._console.capture() as captured:
            for number, row in enumerate(rows):
                margin = (sign.text.ljust(MARGIN), sign.style) if number == 0 else " " * MARGIN
                self._console.print(Text.assemble(margin, row) if row else "", soft_wrap=True)
        return self.adapt_signs(captured.get())


class _PlainHeading(Heading):
    """A heading at the left, of whatever level."""

    LEVEL_ALIGN: ClassVar = {}


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
