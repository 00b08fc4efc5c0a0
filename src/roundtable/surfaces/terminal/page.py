"""Formats what the window shows: wrapped, coloured, with a sign for each voice in the margin.

The colours can be read on black and on white alike, and differ in hue for those who see fewer colours. A test
computes both. The sign says the same without any colour.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from itertools import groupby
from textwrap import shorten
from typing import ClassVar

from markdown_it import MarkdownIt
from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

from ...core.analysis import Analysis, Stage
from ...core.elaboration import Awaited
from ...core.lines import Line, Menu, speech
from ...core.personas import Persona, Roster
from ...core.text import clean_text
from ...core.turns import USER

MARGIN = 2
WIDEST = 100  # longer lines are hard to read
NARROWEST = 12


class Voice(Struct, frozen=True):
    """How a persona is told from the others at a glance."""

    sign: str
    colour: str


VOICES = (
    Voice("●", "#b06100"),
    Voice("▲", "#875fd7"),
    Voice("■", "#00875f"),
    Voice("◆", "#d700af"),
    Voice("▼", "#5f5fff"),
    Voice("★", "#af5f5f"),
    Voice("♣", "#008800"),
    Voice("♠", "#767676"),
)


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
_BETWEEN = " · "
_MAX_RULE_WIDTH = 76
_MAX_ITEM_LENGTH = 32
_QUIET = "dim"
_OWN_SIGNS = {"update": Sign("+", "green"), "saved": Sign("✓", "green"), "error": Sign("!", "bold red")}
_SPOKEN_KINDS = ("contribution", "feedback", "handoff")
_BLOCK = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|```|~~~|\|")


class LineFormatter:
    """Formats the lines of one conversation, with blank lines between them."""

    def __init__(self, columns: Callable[[], int], user_name: str | None, *, colours: bool = True) -> None:
        """`columns` is called each time, as the window may have changed."""
        self._columns = columns
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system="auto" if colours else None, theme=_THEME,
            markup=False, highlight=False, emoji=False, legacy_windows=False,
        )  # fmt: skip
        self._name = f"{user_name or 'You'}:"
        self._last: str | None = None

    def format_line(self, line: Line, analysis: Analysis | None) -> str:
        """Return what is printed for a line; nothing for one that only says whose turn it is."""
        if line.kind == "listen" or not line.text.strip():
            return ""
        stands_close = {line.kind, self._last} <= {"update", "saved"}
        gap = "" if self._last is None or stands_close else "\n"
        self._last = line.kind
        return gap + self._format_text(line, analysis)

    def format_typed(self, words: str) -> str:
        """Format what was typed but is not a contribution: `?`, a command, words that were asked about."""
        self._last = "typed"
        return "\n" + self._render_plain(clean_text(words), Sign("›", _QUIET), _QUIET)

    def format_draft(self, speaker: Persona, words: str, roster: Roster) -> str:
        """Format a contribution as far as it has come."""
        return self._format_speech(speech(speaker, words, "contribution"), roster)

    def _format_text(self, line: Line, analysis: Analysis | None) -> str:
        roster = analysis.opening.roster if analysis is not None else None
        render, text = self._render_plain, clean_text(line.text)
        match line.kind:
            case "menu" if line.menu is not None:
                return self._format_menu(line.menu, clean_text(line.words))
            case "step":
                progress = render(draw_progress(analysis), style=_QUIET) if analysis is not None else ""
                return progress + render(text, _sign_of(line, roster), "bold")
            case "introduction":
                rule = "─" * min(self._width, _MAX_RULE_WIDTH)
                return render(f"{rule}\n{clean_text(line.words)}\n{rule}")
            case "synthesis":
                return self._render_markdown(text)
            case "update" if line.heading:
                return "\n" + self._render_markdown(text)
            case "update" | "saved" | "error" as kind:
                return render(text, _OWN_SIGNS[kind])
            case kind if line.speaker == USER:
                name = f"{clean_text(line.by)}:" if line.by else self._name
                return render(f"{name} {text}", Sign("›", "", name), _QUIET if kind == "resume" else "")
            case kind if kind in _SPOKEN_KINDS and line.speaker is not None:
                return self._format_speech(line, roster)
            case _:
                return render(text, _sign_of(line, roster))

    def _format_speech(self, line: Line, roster: Roster | None) -> str:
        """Format a contribution; where it begins with a list or code, the name stands above it."""
        sign, text, words = _sign_of(line, roster), clean_text(line.text), clean_text(line.words).lstrip()
        if sign.name and _BLOCK.match(words):
            text = f"{sign.name}\n\n{words}"
        return self._render_markdown(text, sign)

    def _format_menu(self, menu: Menu, above: str) -> str:
        choices = _BETWEEN.join(clean_text(f"{each.key} {each.label}") for each in menu.choices)
        rest = "Enter continues; edit, back, undo change it; the rest is feedback."
        if not menu.takes_feedback:
            rest = f"Enter: {clean_text(menu.on_enter.label)}."
        return self._render_plain(f"{above}\n{choices}") + self._render_plain(rest, style=_QUIET)

    @property
    def _width(self) -> int:
        """How wide a text may be, beside the margin."""
        return max(min(self._columns(), WIDEST) - MARGIN, NARROWEST)

    def _render_plain(self, text: str, sign: Sign = NO_SIGN, style: str = "") -> str:
        """Render a text with its own line breaks; an indented line keeps its indent where it is wrapped."""
        rows: list[Text] = []
        for source in text.expandtabs(4).split("\n"):
            words = source.lstrip(" ")
            indent = min(len(source) - len(words), self._width // 2)
            wrapped = Text(words, style).wrap(self._console, self._width - indent)
            rows += (Text.assemble(" " * indent, row) for row in wrapped)
        return self._print(rows, sign)

    def _render_markdown(self, text: str, sign: Sign = NO_SIGN) -> str:
        options = self._console.options.update(width=self._width)
        lines = self._console.render_lines(_MarkdownText(text), options, pad=False)
        return self._print([Text.assemble(*((s.text, s.style or "") for s in line)) for line in lines], sign)

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
        return captured.get()


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
    """Markdown whose paragraphs keep their line breaks."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _PlainHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.markup = text
        self.parsed = _PARSER.parse(text)
        for child in (child for token in self.parsed for child in token.children or ()):
            child.type = "hardbreak" if child.type == "softbreak" else child.type


def _sign_of(line: Line, roster: Roster | None) -> Sign:
    """Return the sign of the speaker's place at the table, and the name that the line's text begins with."""
    if roster is None or line.speaker is None or line.speaker not in roster:
        return NO_SIGN
    voice = VOICES[roster.keys.index(line.speaker) % len(VOICES)]
    name = clean_text(line.name)
    return Sign(voice.sign, voice.colour, f"{name}:" if name and line.kind != "step" else name)


def draw_progress(analysis: Analysis) -> str:
    """Return a bar with one sign per step, a gap between the phases, and how many steps are done."""
    steps, done = analysis.opening.steps, analysis.completed_steps
    signs = {step.step_id: "▰" if step.step_id in done else "▱" for step in steps}
    phases = groupby(signs, key=lambda step_id: step_id[:2])
    bar = " ".join("".join(signs[each] for each in ids) for _, ids in phases)
    return f"{bar}  {sum(step.step_id in done for step in steps)} of {len(steps)} steps"


def describe_work(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Return who is at work while nobody listens to the user, and at what."""
    if analysis is None:
        return ""
    table, who, work = analysis.elaboration, analysis.opening.conductor, "thinking"
    if table is None:
        work = "writing" if analysis.stage in (Stage.DRAFT, Stage.WRITTEN) else work
    elif table.awaits is Awaited.PERSONA and table.due:
        who, work = table.roster[table.due[0].persona], "speaking" if has_words else work
    else:
        is_writing = table.awaits in (Awaited.DRAFT, Awaited.ARTIFACTS, Awaited.RECORD)
        who, work = table.lead, "writing the synthesis" if is_writing else work
    return f"{who.first_name} is {work}"


def format_bottom_line(analysis: Analysis | None, width: int, *, at_work: str = "", spent: str = "") -> str:
    """Return where things stand; what matters least is dropped first in a narrow window."""
    parts = {"at_work": at_work, "spent": spent}
    if analysis is not None:
        opening, table = analysis.opening, analysis.elaboration
        ids, here = [each.step_id for each in opening.steps], opening.step and opening.step.step_id
        parts = {
            "item": shorten(opening.item.name, _MAX_ITEM_LENGTH, placeholder="…"),
            "phase": "" if here == "" else opening.phase.name,  # a document has neither phase nor step
            "step": f"step {ids.index(here) + 1}/{len(ids)}" if here in ids else "",
            "turn": f"turn {len(table.turns)} of {table.max_turns}" if table and table.turns else "",
            **parts,
        }
    for least in ("item", "phase", "spent", "at_work", "turn"):
        if len(_BETWEEN.join(filter(None, parts.values()))) > width:
            parts.pop(least, None)
    return _BETWEEN.join(filter(None, parts.values()))[:width]
