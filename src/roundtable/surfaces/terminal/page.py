"""Formats what the window shows: the session's lines, menus, the progress over all steps, the bottom line."""

from __future__ import annotations

import re
from itertools import groupby
from textwrap import shorten

from msgspec import Struct

from ...core.analysis import Analysis, Stage
from ...core.elaboration import Awaited
from ...core.lines import Line
from ...core.personas import Persona, Roster
from ...core.text import clean_text
from ...core.turns import USER
from .renderer import NO_SIGN, Renderer, Sign, find_voice

_BETWEEN = " · "
_RULE = "---"
_MAX_RULE_WIDTH = 76
_MAX_ITEM_LENGTH = 32
_QUIET = "dim"
_OWN_SIGNS = {"update": Sign("+", "green"), "saved": Sign("✓", "green"), "error": Sign("!", "bold red")}
_UNSPACED_KINDS = ("update", "saved")
_SPOKEN_KINDS = ("contribution", "feedback", "handoff")
_CHOICE = re.compile(r"\[(?P<letter>[A-Z])\] (?P<label>.+?)(?= -- |  |$)(?: -- (?:(?!  ).)*)?")
_WORK = {
    Stage.READING: "reading",
    Stage.OFFERS: "looking things up",
    Stage.DRAFT: "writing",
    Stage.WRITTEN: "writing",
}
_FEEDBACK = ("Or type naturally to provide feedback.", "or say what should change.")
_BLOCK = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|```|~~~|\|")


class LineFormatter:
    """Formats the lines of one conversation, with blank lines between them."""

    def __init__(self, renderer: Renderer, user_name: str | None) -> None:
        self._renderer = renderer
        self._name = f"{user_name or 'You'}:"
        self._last: str | None = None
        self._in_step = False

    def format_line(self, line: Line, analysis: Analysis | None) -> str:
        """Return what is printed for a line; nothing for one that only says whose turn it is."""
        if line.kind == "listen" or not line.text.strip():
            return ""
        stands_close = line.kind in _UNSPACED_KINDS and self._last in _UNSPACED_KINDS
        gap = "" if self._last is None or stands_close else "\n"
        self._last = line.kind
        return gap + self._format_text(line, analysis)

    def format_aside(self, text: str) -> str:
        """Format something that the terminal says itself, outside the conversation."""
        self._last = "aside"
        return "\n" + self._renderer.render_plain(clean_text(text))

    def format_document(self, text: str, *, markdown: bool) -> str:
        """Format a whole document in markdown, or a diff."""
        self._last = "aside"
        if markdown:
            return "\n" + self._renderer.render_markdown(clean_text(text), breaks=False)
        styles = {"+": "green", "-": "red", "@": "bold"}
        lines = ((f" {line}", styles.get(line[:1], _QUIET)) for line in text.split("\n"))
        return "\n" + "".join(self._renderer.render_plain(line, style=style) or "\n" for line, style in lines)

    def format_typed(self, words: str) -> str:
        """Format what was typed but is not a contribution: `?`, a command, words that were asked about."""
        self._last = "typed"
        return "\n" + self._renderer.render_plain(clean_text(words), Sign("›", _QUIET), _QUIET)

    def format_draft(self, speaker: Persona, words: str, roster: Roster) -> str:
        """Format a contribution as far as it has come."""
        return self._format_speech(Line("contribution", f"{speaker.title}: {words}", speaker.key), roster)

    def _format_text(self, line: Line, analysis: Analysis | None) -> str:
        roster = analysis.opening.roster if analysis is not None else None
        render, text = self._renderer.render_plain, clean_text(line.text)
        match line.kind:
            case "menu":
                return self._format_menu(text, analysis)
            case "step":
                self._in_step = True
                return self._format_progress(analysis) + render(text, _sign_of(line, roster), "bold")
            case "introduction":
                rule = "─" * min(self._renderer.width, _MAX_RULE_WIDTH)
                rows = (
                    render(rule, style=_QUIET) if row == _RULE else render(row, style="bold" * row.isupper())
                    for row in text.split("\n")
                )
                return "".join(row or "\n" for row in rows)
            case "synthesis":
                return self._renderer.render_markdown(text)
            case "update" if text.startswith("###"):
                return "\n" + self._renderer.render_markdown(text)
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
        sign, text = _sign_of(line, roster), clean_text(line.text)
        words = text.removeprefix(sign.name).lstrip()
        if sign.name and _BLOCK.match(words):
            text = f"{sign.name}\n\n{words}"
        return self._renderer.render_markdown(text, sign)

    def _format_menu(self, text: str, analysis: Analysis | None) -> str:
        """Format a menu, in fewer words where the window is narrow.

        The progress stands above the first one after a step, not where it comes again.
        """
        left_step = self._in_step and analysis is not None and analysis.saved
        progress = self._format_progress(analysis) if left_step else ""
        self._in_step = self._in_step and not left_step
        menu, render, width = Menu.read(text), self._renderer.render_plain, self._renderer.width
        choices = _BETWEEN.join(f"{letter} {label}" for letter, label in menu.choices)
        if len(choices) > width:
            choices = _BETWEEN.join(f"{letter} {label.split()[0]}" for letter, label in menu.choices)
        rest = "Enter continues; edit, back, undo change it; the rest is feedback."
        if not menu.takes_feedback:
            rest = f"Enter: {menu.choices[0][1] if menu.choices else 'the first'}."
        elif len(rest) > width:
            rest = "Enter continues, or just type."
        return progress + "".join(map(render, (*menu.above, choices))) + render(rest, style=_QUIET)

    def _format_progress(self, analysis: Analysis | None) -> str:
        return self._renderer.render_plain(draw_progress(analysis), style=_QUIET) if analysis else ""


def _sign_of(line: Line, roster: Roster | None) -> Sign:
    """Return the speaker's sign, and the name where the text begins with it."""
    voice = find_voice(line.speaker, roster)
    if voice is None or roster is None or line.speaker is None:
        return NO_SIGN
    persona = roster[line.speaker]
    names = (f"{persona.title}:", persona.title, f"{persona.name}:")
    return Sign(voice.sign, voice.colour, next((name for name in names if line.text.startswith(name)), ""))


class Menu(Struct, frozen=True):
    """The choices as letters and labels, the lines above them, and whether anything else is feedback."""

    choices: tuple[tuple[str, str], ...]
    above: tuple[str, ...] = ()
    takes_feedback: bool = False

    @classmethod
    def read(cls, text: str) -> Menu:
        """Read the menu that a line of the session spells out."""
        choices: list[tuple[str, str]] = []
        above = []
        takes_feedback = False
        for line in text.splitlines():
            found = [(each["letter"], each["label"]) for each in _CHOICE.finditer(line)]
            choices += found
            if line.endswith(_FEEDBACK):
                takes_feedback = True
            elif not found and line not in (_RULE, ""):
                above.append(line)
        return cls(tuple(choices), tuple(above), takes_feedback)


def draw_progress(analysis: Analysis) -> str:
    """Return a bar with one sign per step, a gap between the phases, and how many steps are done."""
    steps, done = analysis.opening.steps, analysis.completed_steps
    rows = (
        "".join("▰" if step.step_id in done else "▱" for step in row)
        for _, row in groupby(steps, key=lambda step: step.step_id[:2])
    )
    return f"{' '.join(rows)}  {sum(step.step_id in done for step in steps)} of {len(steps)} steps"


def describe_work(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Return who is at work while nobody listens to the user, and at what."""
    if analysis is None:
        return ""
    table = analysis.elaboration
    if table is None:
        return f"{analysis.opening.conductor.first_name} is {_WORK.get(analysis.stage, 'thinking')}"
    if table.awaits is Awaited.PERSONA and table.due:
        name = table.roster[table.due[0].persona].first_name
        return f"{name} is {'speaking' if has_words else 'thinking'}"
    is_writing = table.awaits in (Awaited.DRAFT, Awaited.ARTIFACTS, Awaited.RECORD)
    return f"{table.lead.first_name} is {'writing the synthesis' if is_writing else 'thinking'}"


def format_bottom_line(analysis: Analysis | None, width: int, *, at_work: str = "", spent: str = "") -> str:
    """Return where things stand; what matters least is dropped first in a narrow window."""
    item = phase = step = turn = ""
    if analysis is not None:
        opening, table = analysis.opening, analysis.elaboration
        item = shorten(opening.item.name, _MAX_ITEM_LENGTH, placeholder="…")
        ids = [each.step_id for each in opening.steps]
        if opening.step is None or opening.step.step_id:  # a document has neither phase nor step
            phase = opening.phase.name
        if opening.step is not None and opening.step.step_id in ids:
            step = f"step {ids.index(opening.step.step_id) + 1}/{len(ids)}"
        if table is not None and table.turns:
            turn = f"turn {len(table.turns)} of {table.max_turns}"
    parts = {"item": item, "phase": phase, "step": step, "turn": turn, "at_work": at_work, "spent": spent}
    text = _BETWEEN.join(filter(None, parts.values()))
    for least in ("item", "phase", "spent", "at_work", "turn"):
        if len(text) > width:
            del parts[least]
            text = _BETWEEN.join(filter(None, parts.values()))
    return text[:width]
