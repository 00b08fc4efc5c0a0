"""Formats what the window shows: wrapped, coloured, with a sign for each voice in the margin."""

import io
import re
from collections.abc import Callable
from itertools import groupby

from markdown_it import MarkdownIt
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

from ...content import read_tables
from ...core.analysis import Analysis
from ...core.elaboration import Awaited
from ...core.lines import Line, Menu
from ...core.personas import Roster
from ...core.text import clean_text
from ...core.turns import USER
from ..cli.output import diff_colours

MARGIN, NARROWEST, WIDEST = 2, 12, 100  # longer lines are hard to read


class Voice(Struct, frozen=True):
    """What sets a speaker apart from the others at a glance."""

    sign: str = ""
    colour: str = ""
    name: str = ""  # which the text begins with


# Legible on black and on white, and for people who see fewer colours: a test computes both.
_COLOURS = ("#b06100", "#875fd7", "#00875f", "#d700af", "#5f5fff", "#af5f5f", "#008800", "#767676")
VOICES = tuple(map(Voice, "●▲■◆▼★♣♠", _COLOURS))
_NO_VOICE = Voice()
_STYLES = read_tables("terminal.toml")["styles"].items()
_THEME = Theme({f"markdown.{name}": style for style, names in _STYLES for name in names.split()})
_BLOCK = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|```|~~~|\|")
_BETWEEN, _QUIET = " · ", "dim"
_KIND_VOICES = {"update": Voice("+", "green"), "saved": Voice("✓", "green"), "error": Voice("!", "bold red")}
_MARKDOWN_KINDS = ("contribution", "feedback", "handoff", "synthesis")


class LineFormatter:
    """Formats the lines of one conversation."""

    def __init__(self, columns: Callable[[], int], user: str | None, roster: Roster | None = None) -> None:
        """`columns` is called each time, as the window may have changed; an analysis has its own `roster`."""
        self._columns, self._name, self._roster = columns, user or "You", roster
        self._bar = ""  # as it was last drawn
        self._console = Console(
            file=io.StringIO(), force_terminal=True, theme=_THEME, markup=False, highlight=False, emoji=False
        )

    def format_line(self, line: Line, analysis: Analysis | None) -> str:
        """Return the text to print for a line; empty for a `listen` line."""
        roster = analysis.opening.roster if analysis is not None else self._roster
        text, voice = clean_text(line.text), _NO_VOICE
        if roster is not None and line.speaker is not None and line.speaker in roster:
            own = VOICES[roster.keys.index(line.speaker) % len(VOICES)]  # by the place at the table
            voice = replace(own, name=clean_text(line.name))
        if line.kind == "listen" or not text.strip():
            return ""
        if line.menu is not None:
            bar = self._draw_bar(analysis, only_changed=True) if line.menu.takes_feedback else ""
            return bar + self._format_menu(line.menu, clean_text(line.words))
        if line.speaker == USER:
            name, style = clean_text(line.by or self._name), _QUIET if line.kind == "resume" else ""
            return self._render_plain(f"{name}: {text}", Voice("›", "", name), style)
        if line.kind in _MARKDOWN_KINDS or line.heading:
            return self._render_markdown(text, voice)
        if line.kind == "step":
            return self._draw_bar(analysis) + self._render_plain(text, voice, "bold")
        return self._render_plain(text, _KIND_VOICES.get(line.kind, voice))

    def _draw_bar(self, analysis: Analysis | None, *, only_changed: bool = False) -> str:
        """Return a bar of all steps, with a gap after each phase, and how many of them are done."""
        steps = analysis.list_states() if analysis is not None else ()
        by_phase = groupby(steps, key=lambda each: each[0].step_id[:2])
        bar = " ".join("".join("▰" if state == "done" else "▱" for _, state in row) for _, row in by_phase)
        is_drawn, self._bar = not only_changed or bar != self._bar, bar
        told = f"{bar}  {bar.count('▰')} of {len(steps)} steps" if bar else ""
        return self._render_plain(told, style=_QUIET) if is_drawn else ""

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

    def _render_plain(self, text: str, voice: Voice = _NO_VOICE, style: str = "") -> str:
        """Render a text with its own line breaks; an indented line keeps its indent when it is wrapped."""
        rows, colours = list[Text](), diff_colours(text)
        for source in text.expandtabs(4).split("\n"):
            words = source.lstrip(" ")
            indent = min(len(source) - len(words), self._width // 2)
            wrapped = Text(words, colours.get(source[:1], style)).wrap(self._console, self._width - indent)
            rows += (Text.assemble(" " * indent, row) for row in wrapped)
        return self._print(rows, voice)

    def _render_markdown(self, text: str, voice: Voice) -> str:
        """Render markdown; paragraphs keep their line breaks, and a list or code begins below the name."""
        words = text[len(voice.name) + 1 :].lstrip()
        if voice.name and _BLOCK.match(words):
            text = f"{voice.name}:\n\n{words}"
        page = Markdown("", hyperlinks=False, code_theme="ansi_dark")
        page.parsed = _PARSER.parse(text)
        for child in (child for token in page.parsed for child in token.children or ()):
            child.type = "hardbreak" if child.type == "softbreak" else child.type
        options = self._console.options.update(width=self._width)
        lines = self._console.render_lines(page, options, pad=False)
        return self._print([Text.assemble(*((s.text, s.style or "") for s in line)) for line in lines], voice)

    def _print(self, rows: list[Text], voice: Voice) -> str:
        """Return the rows with the sign in the margin, without trailing blanks or empty rows around them."""
        for row in rows:
            row.rstrip()
        shown = [number for number, row in enumerate(rows) if row]
        if rows := rows[shown[0] : shown[-1] + 1] if shown else []:
            rows[0].stylize(f"bold {voice.colour}", 0, len(voice.name))
        with self._console.capture() as captured:
            for number, row in enumerate(rows):
                margin = (voice.sign.ljust(MARGIN), voice.colour) if number == 0 else " " * MARGIN
                self._console.print(Text.assemble(margin, row) if row else "", soft_wrap=True)
        return captured.get()


# HTML is text here: a persona who speaks of a <form> is quoted, not rendered.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def describe_work(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Return who speaks or thinks while it is not the user's turn."""
    if analysis is None:
        return ""
    talk, who = analysis.elaboration, analysis.opening.conductor
    if talk is not None:
        speaks = talk.awaits is Awaited.PERSONA and talk.due
        who = talk.roster[talk.due[0].persona] if speaks else talk.lead
    return f"{who.first_name} is {'speaking' if has_words else 'thinking'}"


def format_bottom_line(analysis: Analysis | None, *, at_work: str = "", spent: str = "") -> str:
    """Return the status line; the least important part is last, where a narrow window cuts it off."""
    parts = [at_work, spent]
    if analysis is not None:
        opening, talk = analysis.opening, analysis.elaboration
        ids, here = [each.step_id for each in opening.steps], opening.step and opening.step.step_id
        parts = [
            at_work,
            f"turn {len(talk.turns)} of {talk.max_turns}" if talk and talk.turns else "",
            f"step {ids.index(here) + 1}/{len(ids)}" if here in ids else "",
            spent,
            "" if here == "" else opening.phase.name,  # a document has neither phase nor step
            opening.item.name,
        ]
    return _BETWEEN.join(filter(None, parts))
