"""What a discussion may cost stands in the menu (MENU-6)."""

from __future__ import annotations

import pytest

from roundtable.core.lines import menu, with_forecast


@pytest.mark.rule("MENU-6")
def test_a_forecast_stands_above_the_choices_and_changes_nothing_else() -> None:
    plain = menu(last=False, next_phase=None)
    priced = with_forecast(plain, "Up to 10 turns.")
    assert priced == plain.replace("---\n", "---\nUp to 10 turns.\n", 1)
    assert priced.splitlines()[:3] == ["---", "Up to 10 turns.", plain.splitlines()[1]]


@pytest.mark.rule("MENU-6")
def test_a_menu_without_a_frame_stays_as_it_is() -> None:
    assert with_forecast("[L] Leave\n[S] Start over", "Up to 10 turns.") == "[L] Leave\n[S] Start over"
