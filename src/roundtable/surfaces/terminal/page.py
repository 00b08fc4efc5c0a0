"""Where am I: a bar over all steps, and the line at the bottom of the window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ...core.analysis import Analysis, Stage
from ...core.elaboration import Awaited
from ...core.lines import Line
from ...core.personas import Persona, Roster
from ...core.turns import USER
from ..cli.output import fit
from .renderer import NO_SIGN, Press, Sign, voice_of

DONE, OPEN = "▰", "▱"
BETWEEN = " · "
_LONGEST_ITEM = 32


def bar(analysis: Analysis) -> str:
    """One sign per step, a gap between the phases, and how many are done."""
    steps, done = analysis.opening.steps, analysis.completed_steps
    rows = (
        "".join(DONE if step.step_id in done else OPEN for step in row)
        for _, row in groupby(steps, key=lambda step: step.step_id[:2])
    )
    count = sum(step.step_id in done for step in steps)
    return f"{' '.join(rows)}  {count} of {len(steps)} steps"


def busy(analysis: Analysis | None, *, has_words: bool = False) -> str:
    """Who is at work while nobody listens to the user, and at what."""
    if analysis is None:
        return ""
    opening, table = analysis.opening, analysis.elaboration
    if table is None:
        name = opening.conductor.first_name
        at_work = {
            Stage.READING: f"{name} is reading",
            Stage.OFFERS: f"{name} is looking things up",
            Stage.DRAFT: f"{name} is writing",
            Stage.WRITTEN: f"{name} is writing",
        }
        return at_work.get(analysis.stage, f"{name} is thinking")
    if table.awaits is Awaited.PERSONA and table.due:
        name = table.roster[table.due[0].persona].first_name
        return f"{name} is speaking" if has_words else f"{name} is thinking"
    name = table.lead.first_name
    if table.awaits in (Awaited.DRAFT, Awaited.ARTIFACTS, Awaited.RECORD):
        return f"{name} is writing the synthesis"
    return f"{name} is thinking"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What the bottom line tells; the parts that are dropped first in a narrow window stand first."""

    item: str = ""
    phase: str = ""
    spent: str = ""
    at_work: str = ""
    turn: str = ""
    step: str = ""

    @classmethod
    def of(cls, analysis: Analysis | None, *, at_work: str = "", spent: str = "") -> Whereabouts:
        """Where an analysis stands."""
        if analysis is None:
            return cls(at_work=at_work, spent=spent)
        opening, table = analysis.opening, analysis.elaboration
        turn = f"turn {len(table.turns)} of {table.max_turns}" if table is not None and table.turns else ""
        step = ""
        if opening.step is not None:
            number = next(
                (at for at, each in enumerate(opening.steps, 1) if each.step_id == opening.step.step_id), 0
            )
            step = f"step {number}/{len(opening.steps)}"
        return cls(_short(opening.item.name), opening.phase.name, spent, at_work, turn, step)

    def line(self, width: int) -> str:
        """As much of it as the window is wide."""
        shown = [self.item, self.phase, self.step, self.turn, self.at_work, self.spent]
        for dropped in (self.item, self.phase, self.spent, self.at_work, self.turn):
            text = _joined(shown)
            if len(text) <= width:
                return text
            shown[shown.index(dropped)] = ""
        return _joined(shown)[:width]


def _joined(parts: Sequence[str]) -> str:
    return BETWEEN.join(part for part in parts if part)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_ITEM else text[: _LONGEST_ITEM - 1].rstrip() + "…"


_CHOICE = re.compile(r"\[(?P<letter>[A-Z])\] (?P<label>.+?)(?= -- |  \[|$)(?: -- (?P<about>(?:(?!  \[).)*))?")
_FEEDBACK = "Or type naturally to provide feedback."
_RULE = "---"
MENU_BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class Choice:
    """A letter, what it stands for, and what that means."""

    letter: str
    label: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """What may be chosen, what is said above the choices, and whether anything else is feedback."""

    choices: tuple[Choice, ...]
    above: tuple[str, ...] = ()
    takes_feedback: bool = False

    @classmethod
    def read(cls, text: str) -> Menu:
        """The menu that a line of the session spells out."""
        choices: list[Choice] = []
        above = []
        takes_feedback = False
        for line in text.splitlines():
            found = [
                Choice(each["letter"], each["label"], each["about"] or "") for each in _CHOICE.finditer(line)
            ]
            choices += found
            if line == _FEEDBACK:
                takes_feedback = True
            elif not found and line not in (_RULE, ""):
                above.append(line)
        return cls(tuple(choices), tuple(above), takes_feedback)

    def offers(self, letter: str) -> bool:
        return any(choice.letter == letter for choice in self.choices)

    def lines(self, width: int) -> tuple[str, str]:
        """The two lines; where they are too wide for the window, in fewer words."""
        whole = MENU_BETWEEN.join(f"{choice.letter} {choice.label}" for choice in self.choices)
        short = MENU_BETWEEN.join(f"{choice.letter} {choice.label.split()[0]}" for choice in self.choices)
        if self.takes_feedback:
            rest = "Enter continues. Anything longer is feedback. /help has more."
            brief = "Enter continues, or just type."
        else:
            first = self.choices[0].label if self.choices else "the first"
            rest = brief = f"Enter: {first}."
        return (whole if len(whole) <= width else short), (rest if len(rest) <= width else brief)


_QUIET = "dim"
_PAGE_RULE = "---"
_RULE_WIDTH = 76
_TIGHT = ("update", "saved")
_SPOKEN = ("contribution", "feedback", "handoff")
_ENTRY = re.compile(r"^- (?!None$)", re.MULTILINE)
_BLOCK = re.compile(r"[-*+] |\d{1,9}[.)] |#{1,6} |>|```|~~~|\|")
NEWCOMER = (
    "New here? E brings everyone to the table to talk this step over with you, Enter moves on, and "
    "whatever else you type is taken up as feedback."
)


class Page:
    """Sets the session's lines."""

    def __init__(self, press: Press, user_name: str | None) -> None:
        self._press = press
        self._name = user_name or "You"
        self._last: str | None = None
        self._in_step = False

    def line(self, line: Line, analysis: Analysis | None, *, newcomer: bool = False) -> str:
        """What is printed for a line; nothing for one that only says whose turn it is."""
        if line.kind == "listen" or not line.text.strip():
            return ""
        text = self._set(line, analysis, newcomer)
        gap = "" if self._last is None or (line.kind in _TIGHT and self._last in _TIGHT) else "\n"
        self._last = line.kind
        return gap + text

    def aside(self, text: str, style: str = "") -> str:
        """Something that the terminal says itself, and that is no part of the conversation."""
        gap = "" if self._last is None else "\n"
        self._last = "aside"
        return gap + self._press.plain(fit(text), style=style)

    def document(self, text: str) -> str:
        """A text in markdown by itself."""
        self._last = "aside"
        return "\n" + self._press.markdown(fit(text), breaks=False)

    def changes(self, text: str) -> str:
        """A diff, coloured."""
        self._last = "aside"
        styles = {"+": "green", "-": "red", "@": "bold"}
        lines = (
            self._press.plain(f" {line}", style=styles.get(line[:1], _QUIET)) for line in text.split("\n")
        )
        return "\n" + "".join(line or "\n" for line in lines)

    def typed(self, words: str) -> str:
        """What was typed and is no contribution: `?`, a command, words that were asked about."""
        self._last = "typed"
        return "\n" + self._press.plain(fit(words), Sign("›", _QUIET), _QUIET)

    def draft(self, speaker: Persona, words: str, roster: Roster) -> str:
        """A contribution as far as it has come."""
        return self._spoken(Line("contribution", f"{speaker.title}: {words}", speaker.key), roster)

    def _set(self, line: Line, analysis: Analysis | None, newcomer: bool) -> str:
        roster = analysis.opening.roster if analysis is not None else None
        match line.kind:
            case "menu":
                before = self._leaving(analysis)
                return before + self._menu(line, newcomer)
            case "step":
                return self._step(line, analysis, roster)
            case "introduction":
                return self._introduction(line)
            case "synthesis":
                return self._press.markdown(numbered(fit(line.text)))
            case "update" | "saved":
                return self._press.plain(fit(line.text), Sign("+" if line.kind == "update" else "✓", "green"))
            case "error":
                return self._press.plain(fit(line.text), Sign("!", "bold red"))
            case _ if line.speaker == USER:
                return self._user(line)
            case kind if kind in _SPOKEN and line.speaker is not None:
                return self._spoken(line, roster)
            case _:
                return self._press.plain(fit(line.text), self._sign(line, roster))

    def _sign(self, line: Line, roster: Roster | None) -> Sign:
        """The speaker's sign, and the name where the text begins with it."""
        voice = voice_of(line.speaker, roster)
        if voice is None or roster is None or line.speaker is None:
            return NO_SIGN
        persona = roster[line.speaker]
        names = (f"{persona.title}:", persona.title, f"{persona.name}:")
        name = next((name for name in names if line.text.startswith(name)), "")
        return Sign(voice.sign, voice.colour, name)

    def _spoken(self, line: Line, roster: Roster | None) -> str:
        """A contribution; where it begins with a list or code, the name stands above it."""
        sign, text = self._sign(line, roster), fit(line.text)
        words = text.removeprefix(sign.name).lstrip()
        if sign.name and _BLOCK.match(words):
            text = f"{sign.name}\n\n{words}"
        return self._press.markdown(text, sign)

    def _user(self, line: Line) -> str:
        name = f"{self._name}:"
        style = _QUIET if line.kind == "resume" else ""
        return self._press.plain(f"{name} {fit(line.text)}", Sign("›", "", name), style)

    def _step(self, line: Line, analysis: Analysis | None, roster: Roster | None) -> str:
        self._in_step = True
        progress = self._press.plain(bar(analysis), style=_QUIET) if analysis is not None else ""
        return progress + self._press.plain(fit(line.text), self._sign(line, roster), "bold")

    def _leaving(self, analysis: Analysis | None) -> str:
        """The bar once more where a step was left; menus come again after feedback and discussions."""
        if analysis is None or not self._in_step or not analysis.saved:
            return ""
        self._in_step = False
        return self._press.plain(bar(analysis), style=_QUIET)

    def _menu(self, line: Line, newcomer: bool) -> str:
        menu = Menu.read(fit(line.text))
        above = "".join(self._press.plain(text) for text in menu.above)
        first, second = menu.lines(self._press.width)
        help_ = self._press.plain(NEWCOMER) if newcomer else ""
        return above + help_ + self._press.plain(first) + self._press.plain(second, style=_QUIET)

    def _introduction(self, line: Line) -> str:
        rule = "─" * min(self._press.width, _RULE_WIDTH)
        set_lines = []
        for text in fit(line.text).split("\n"):
            if text == _PAGE_RULE:
                set_lines.append(self._press.plain(rule, style=_QUIET))
            elif text.isupper():
                set_lines.append(self._press.plain(text, style="bold"))
            else:
                set_lines.append(self._press.plain(text) or "\n")
        return "".join(set_lines)


def numbered(block: str) -> str:
    """The synthesis with its entries numbered throughout, so that they can be spoken of."""
    count = iter(range(1, 10_000))
    return _ENTRY.sub(lambda _: f"{next(count)}. ", block)
