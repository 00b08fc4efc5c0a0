"""What a discussion may cost stands in the menu (MENU-6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from roundtable.core.lines import menu


@pytest.mark.rule("MENU-6")
def test_a_forecast_stands_above_the_choices_and_changes_nothing_else() -> None:
    line = menu(last=False, next_phase=None)
    plain, priced = line.text, replace(line, words="Up to 10 turns.").text
    assert priced == plain.replace("---\n", "---\nUp to 10 turns.\n", 1)
    assert priced.splitlines()[:3] == ["---", "Up to 10 turns.", plain.splitlines()[1]]


@pytest.mark.rule("MENU-6")
def test_a_forecast_stands_above_a_menu_in_one_line() -> None:
    short = menu(last=False, next_phase=None, is_quick=True)
    assert replace(short, words="Up to 10 turns.").text == f"Up to 10 turns.\n{short.text}"
