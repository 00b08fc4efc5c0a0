"""Formats what the window shows: wrapped, coloured, with a sign for each voice in the margin."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from msgspec import Struct
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text
from rich.theme import Theme

from ...core.analysis import Analysis
from ...core.elaboration import Awaited
from ...core.lines import Line, Menu, speech
from ...core.personas import Persona, Roster
from ...core.text import clean_text
from ...core.turns import USER

MARGIN, NARROWEST, WIDEST = 2, 12, 100  # longer lines are hard to read


class Voice(Struct, frozen=True):
    """How a persona is told from the others at a glance."""

    sign: str
    colour: str


# They can be read on black and on white alike, and by those who see fewer colours: a test computes both.
_COLOURS = ("#b06100", "#875fd7", "#00875f", "#d700af", "#5f5fff", "#af5f5f", "#008800", "#767676")
VOICES = tuple(map(Voice, "●▲■◆▼★♣♠", _COLOURS))


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
_BLOCK = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|```|~~~|\|")
_BETWEEN, _QUIET, _MAX_RULE_WIDTH = " · ", "dim", 76
_OWN_SIGNS = {"update": Sign("+", "green"), "saved": Sign("✓", "green"), "error": Sign("!", "bold red")}
_MARKDOWN_KINDS = ("contribution", "feedback", "handoff", "synthesis")


class LineFormatter:
    """Formats the lines of one conversation, with blank lines between them."""

    def __init__(self, columns: Callable[[], int], user: str | None) -> None:
        """`columns` is called each time, as the window may have changed."""
        self._columns = columns
        self._console = Console(
            file=io.StringIO(), force_terminal=True, theme=_THEME, markup=False, highlight=False, emoji=False
        )
        self._name = user or "You"
        self._last: str | None = None

    def format_line(self, line: Line, analysis: Analysis | None) -> str:
        """Return what is printed for a line; nothing for one that only says whose turn it is."""
        if line.kind == "listen" or not line.text.strip():
            return ""
        stands_close = {line.kind, self._last} <= {"update", "saved"} and not line.heading
        gap = "" if self._last is None or stands_close else "\n"
        self._last = line.heading or line.kind
        return gap + self._format_text(line, analysis)

    def format_typed(self, words: str) -> str:
        """Format what was typed but is not a contribution: `?`, a command, words that were asked about."""
        self._last = "typed"
        return "\n" + self._render_plain(clean_text(words), Sign("›", _QUIET), _QUIET)

    def format_draft(self, speaker: Persona, words: str, roster: Roster) -> str:
        """Format a contribution as far as it has come."""
        line = speech(speaker, words, "contribution")
        return self._render_markdown(clean_text(line.text), _sign_of(line, roster))

    def _format_text(self, line: Line, analysis: Analysis | None) -> str:
        text = clean_text(line.text)
        sign = _sign_of(line, analysis.opening.roster if analysis else None)
        render = self._render_plain
        if line.menu is not None:
            return self._format_menu(line.menu, clean_text(line.words))
        if line.kind == "step":
            return render(text, sign, "bold")
        if line.kind == "introduction":
            rule = "─" * min(self._width, _MAX_RULE_WIDTH)
            return render(f"{rule}\n{clean_text(line.words)}\n{rule}")
        if line.speaker == USER:
            name = f"{clean_text(line.by or self._name)}:"
            return render(f"{name} {text}", Sign("›", "", name), _QUIET if line.kind == "resume" else "")
        if line.kind in _MARKDOWN_KINDS or line.heading:
            return self._render_markdown(text, sign)
        return render(text, _OWN_SIGNS.get(line.kind, sign))

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
        """Render markdown; paragraphs keep their line breaks, and a list or code stands below the name."""
        words = text[len(sign.name) :].lstrip()
        text = f"{sign.name}\n\n{words}" if sign.name and _BLOCK.match(words) else text
        page = Markdown("", hyperlinks=False, code_theme="ansi_dark")
        page.parsed = _PARSER.parse(text)
        for child in (child for token in page.parsed for child in token.children or ()):
            child.type = "hardbreak" if child.type == "softbreak" else child.type
        options = self._console.options.update(width=self._width)
        lines = self._console.render_lines(page, options, pad=False)
        return self._print([Text.assemble(*((s.text, s.style or "") for s in line)) for line in lines], sign)

    def _print(self, rows: list[Text], sign: Sign) -> str:
        """Return the rows with the sign in the margin, without blanks at their ends or empty rows around."""
        for row in rows:
            row.rstrip()
        shown = [number for number, row in enumerate(rows) if row]
        if rows := rows[shown[0] : shown[-1] + 1] if shown else []:
            rows[0].stylize(f"bold {sign.style}", 0, len(sign.name))
        with self._console.capture() as captured:
            for number, row in enumerate(rows):
                margin = (sign.text.ljust(MARGIN), sign.style) if number == 0 else " " * MARGIN
                self._console.print(Text.assemble(margin, row) if row else "", soft_wrap=True)
        return captured.get()


# HTML is text here: a persona who speaks of a <form> is quoted, not rendered.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def _sign_of(line: Line, roster: Roster | None) -> Sign:
    """Return the sign of the speaker's place at the table, and the name that the line's text begins with."""
    if roster is None or line.speaker is None or line.speaker not in roster:
        return NO_SIGN
    voice = VOICES[roster.keys.index(line.speaker) % len(VOICES)]
    name = clean_text(line.name)
    return Sign(voice.sign, voice.colour, f"{name}:" if name and line.kind != "step" else name)


def describe_work(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Return who is at work while nobody listens to the user."""
    if analysis is None:
        return ""
    talk, who = analysis.elaboration, analysis.opening.conductor
    if talk is not None:
        speaks = talk.awaits is Awaited.PERSONA and talk.due
        who = talk.roster[talk.due[0].persona] if speaks else talk.lead
    return f"{who.first_name} is {'speaking' if has_words else 'thinking'}"


def format_bottom_line(analysis: Analysis | None, width: int, *, at_work: str = "", spent: str = "") -> str:
    """Return where things stand; what matters least stands last, and is cut in a narrow window."""
    parts = [at_work, spent]
    if analysis is not None:
        opening, talk = analysis.opening, analysis.elaboration
        ids, here = [each.step_id for each in opening.steps], opening.step and opening.step.step_id
        signs = (" " * each.endswith("-01") + "▱▰"[each in analysis.completed_steps] for each in ids)
        parts = [
            at_work,
            f"turn {len(talk.turns)} of {talk.max_turns}" if talk and talk.turns else "",
            f"step {ids.index(here) + 1}/{len(ids)}" if here in ids else "",
            spent,
            "" if here == "" else opening.phase.name,  # a document has neither phase nor step
            "".join(signs).lstrip(),
            opening.item.name,
        ]
    return _BETWEEN.join(filter(None, parts))[:width]
