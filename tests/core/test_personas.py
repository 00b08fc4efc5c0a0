"""The roster: order, leads and fallbacks (PERS-1, PERS-2, PERS-4)."""

from __future__ import annotations

import pytest

from people import ALEX, JORDAN, MAYA, ROSTER
from roundtable.core.errors import RuleBroken
from roundtable.core.personas import Roster
from roundtable.core.steps import PHASES


@pytest.mark.rule("PERS-1")
def test_each_phase_has_its_lead_and_the_others_keep_their_order() -> None:
    assert [ROSTER.lead_of(phase.key) for phase in PHASES] == [MAYA, MAYA, ALEX, ALEX, JORDAN]
    assert ROSTER.others(ALEX) == (MAYA, JORDAN)
    assert ROSTER.keys == ("business-analyst", "solutions-architect", "system-designer")


@pytest.mark.rule("PERS-2", "PERS-4")
def test_an_unknown_phase_and_one_whose_lead_is_disabled_go_to_the_first() -> None:
    assert ROSTER.lead_of("07-odd") == MAYA
    assert Roster((ALEX, JORDAN)).lead_of("01-requirements") == ALEX


@pytest.mark.rule("PERS-4")
def test_one_persona_alone_cannot_discuss_and_none_is_no_roster() -> None:
    assert not Roster((MAYA,)).can_discuss
    assert Roster((MAYA, ALEX)).can_discuss
    with pytest.raises(RuleBroken, match="at least one"):
        Roster(())


def test_personas_are_found_by_key() -> None:
    assert ROSTER["system-designer"] is JORDAN
    assert "system-designer" in ROSTER
    assert "tester" not in ROSTER
    with pytest.raises(RuleBroken, match="No persona has the key 'tester'") as refused:
        ROSTER["tester"]
    assert refused.value.legal == ROSTER.keys


def test_names_as_they_are_shown() -> None:
    assert (MAYA.first_name, MAYA.title) == ("Maya", "Maya Chen (Business Analyst)")
