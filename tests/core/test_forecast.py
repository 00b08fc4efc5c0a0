"""What a discussion may cost stands in the menu (MENU-6)."""

from __future__ import annotations

import pytest

from roundtable.core.lines import FINISHED_MENU, menu, with_forecast


@pytest.mark.rule("MENU-6")
def test_a_forecast_stands_above_the_choices_and_changes_nothing_else() -> None:
    line = menu(last=False, next_phase=None)
    plain, priced = line.text, with_forecast(line, "Up to 10 turns.").text
    assert priced == plain.replace("---\n", "---\nUp to 10 turns.\n", 1)
    assert priced.splitlines()[:3] == ["---", "Up to 10 turns.", plain.splitlines()[1]]


@pytest.mark.rule("MENU-6")
def test_a_forecast_stands_above_a_menu_in_one_line() -> None:
    short = menu(last=False, next_phase=None, is_quick=True)
    assert with_forecast(short, "Up to 10 turns.").text == f"Up to 10 turns.\n{short.text}"


@pytest.mark.rule("MENU-6")
def test_a_menu_that_offers_no_discussion_has_no_forecast() -> None:
    assert with_forecast(FINISHED_MENU, "Up to 10 turns.") == FINISHED_MENU
