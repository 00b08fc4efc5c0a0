"""Markdown as the terminal shows it: quiet headings, code as it is, nothing that is lost or moved."""

from __future__ import annotations

from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text

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
