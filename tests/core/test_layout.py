"""The layout of the table: the same things for models and for hosts, in the same order (TABLE-1)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from people import ITEM, JOURNEYS, MAYA, ROSTER
from roundtable.core.commands import StepBrief
from roundtable.core.personas import Ban
from roundtable.core.text import fill_blanks
from roundtable.core.turns import NOTHING_KNOWN, Known, Material
from roundtable.panel.model.conversation import CHARACTERS_PER_TOKEN, HOST_TOKENS, at_step

ROOM = HOST_TOKENS * CHARACTERS_PER_TOKEN
KNOWN = Known(
    related=(Material("adr.md", "forms are kept"),),
    pages=(Material("Decided", "paper stays"),),
    excerpts=(Material("a.py:3", "x = 1"),),
    corrections=("b.py is not touched", "c.py is"),
)
FULL = replace(
    MAYA,
    principles=("A need has\na face.",),
    patterns=("Who waits?",),
    towards=(("solutions-architect", "Asks Alex."), ("nobody", "Asks nobody.")),
    bans=(Ban("form", "x", "No x."), Ban("form", "y", "No x.")),
)
BRIEF = StepBrief(ITEM, JOURNEYS, FULL, ROSTER, "standard")


def lay_out(documents: tuple[Material, ...], known: Known = NOTHING_KNOWN) -> str:
    brief = replace(BRIEF, documents=documents, known=known)
    return at_step(brief, "", to_host=True).system


@pytest.mark.rule("TABLE-1")
def test_documents_stand_below_decisions_elsewhere_and_above_what_is_open_and_the_code() -> None:
    documents = (
        Material("old.md", "<!-- Step 00-01: 4 characters, 0123abcd -->\n\nOld."),
        Material("own.md", "Own."),
    )
    laid = lay_out((*documents, Material("empty.md", " \n")), KNOWN)
    parts = (
        "A decision that may bear on this, adr.md:\n| forms are kept\n", "The document old.md:\n| Old.\n",
        "The document own.md:\n| Own.\n", "Decided:\n| paper stays\n", "The code, a.py:3:\n| x = 1\n",
        "What the user said of the code, which holds:\n| b.py is not touched\n| c.py is\n",
    )  # fmt: skip
    assert "\n".join(parts) in laid
    assert "Left out" not in laid and "empty.md" not in laid


@pytest.mark.rule("TABLE-1")
def test_the_oldest_documents_give_way_and_half_of_the_room_is_theirs() -> None:
    documents = tuple(Material(f"{number}.md", f"{number}x" * 12_000) for number in range(4))
    laid = lay_out(documents)
    assert [laid.count(f"{number}x") for number in range(4)] == [0, 0, pytest.approx(5_000, abs=50), 10_000]
    assert "Left out for length: 0.md, 1.md." in laid
    long = replace(KNOWN, excerpts=(Material("a.py:3", "y" * 12_000),) * 2)
    laid = lay_out(documents, long)
    assert [laid.count(f"{number}x") for number in range(4)] == [0, 0, 0, ROOM // 4]
    assert "Left out for length: 0.md, 1.md, 2.md." in laid


def test_traits_are_those_that_bear_on_the_roster_each_on_one_line() -> None:
    told = "A need has a face.\nSounds like: Who waits?\nAsks Alex.\nLimits: No x.\n"
    assert told in lay_out(())
    assert "Asks nobody." not in lay_out(())


def test_what_is_filled_in_is_not_filled_again_and_every_blank_is_given() -> None:
    assert fill_blanks("{{one}} {two} {{one}}", {"one": "{{two}}"}) == "{{two}} {two} {{two}}"
    with pytest.raises(KeyError, match="one"):
        fill_blanks("{{one}}", {})
