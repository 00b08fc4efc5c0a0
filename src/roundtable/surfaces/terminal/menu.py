"""A menu without ceremony: the choices on one quiet line, what else can be done on another."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CHOICE = re.compile(r"\[(?P<letter>[A-Z])\] (?P<label>.+?)(?= -- |  \[|$)(?: -- (?P<about>(?:(?!  \[).)*))?")
_FEEDBACK = "Or type naturally to provide feedback."
_RULE = "---"
BETWEEN = " · "


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
        whole = BETWEEN.join(f"{choice.letter} {choice.label}" for choice in self.choices)
        short = BETWEEN.join(f"{choice.letter} {choice.label.split()[0]}" for choice in self.choices)
        if self.takes_feedback:
            rest = "Enter continues. Anything longer is feedback. /help has more."
            brief = "Enter continues, or just type."
        else:
            first = self.choices[0].label if self.choices else "the first"
            rest = brief = f"Enter: {first}."
        return (whole if len(whole) <= width else short), (rest if len(rest) <= width else brief)
