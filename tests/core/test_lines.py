"""Lines carry their parts, and one plain text has all of them in the words that the rules fix."""

from __future__ import annotations

import pytest

from people import MAYA
from roundtable.core.lines import FINISHED_MENU, Line, choice_menu, menu, speech
from roundtable.core.steps import PHASES


@pytest.mark.rule("MENU-1")
def test_a_menu_has_its_choices_in_plain_text() -> None:
    assert menu(last=False, next_phase=None).text == (
        "---\n"
        "[E] Elaboration Mode -- bring all perspectives to discuss this topic\n"
        "[C] Continue -- move to the next step\n"
        "[S] Skip remaining steps in this phase\n"
        "Or type naturally to provide feedback.\n"
        "---"
    )
    quick = menu(last=False, next_phase=None, is_quick=True)
    assert quick.text == "[C] Continue  [E] Elaboration Mode  or say what should change."


@pytest.mark.rule("MENU-2")
def test_the_last_menu_of_a_phase_names_what_comes_next() -> None:
    menus = [menu(last=True, next_phase=phase) for phase in (PHASES[2], None)]
    assert [line.text.split("\n")[2] for line in menus] == [
        "[C] Continue to Phase 02 (Impact Analysis)",
        "[C] Complete analysis",
    ]
    quick = menu(last=True, next_phase=PHASES[2], is_quick=True)
    assert quick.text.startswith("[C] Continue to Impact Analysis  [E]")


@pytest.mark.rule("MENU-3")
def test_enter_continues_or_takes_the_first_choice() -> None:
    asked = choice_menu("Resume, or wrap up?", ("resume", "wrap up"))
    menus = (menu(last=False, next_phase=None), menu(last=True, next_phase=None), FINISHED_MENU, asked)
    assert [line.menu.on_enter.key for line in menus if line.menu] == ["C", "C", "L", "R"]
    assert asked.text == "Resume, or wrap up?\n[R] Resume  [W] Wrap up"
    assert asked.menu is not None
    assert (asked.menu.find_label("W"), asked.menu.find_label("C")) == ("Wrap up", "")


@pytest.mark.rule("STEP-4", "LOOP-3")
def test_name_draft_and_heading_stand_around_the_words() -> None:
    assert speech(MAYA, "Hm.", "warning").text == "Maya Chen (Business Analyst): Hm."
    assert speech(MAYA, "Step 01-01: A", "step").text == "Maya Chen (Business Analyst) -- Step 01-01: A"
    drafted = Line("question", "Who?\n  > Forms.", MAYA.key, draft="Ada.", source="the item")
    assert drafted.text == "Who?\n  > Forms.\n  Draft, from the item: Ada.\n  (Enter takes the draft.)"
    assert Line("question", "Who?", draft="Ada.").text == "Who?\n  Draft: Ada.\n  (Enter takes the draft.)"
    assert Line("update", "**A**: b", heading="1. Context").text == "### 1. Context\n\n**A**: b"
    assert Line("introduction", "ELABORATION MODE").text == "---\nELABORATION MODE\n---"
    assert Line("notice", "Said.").text == "Said."
