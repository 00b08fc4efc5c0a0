"""An answer taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.documents.page import (
    MAX_ENTRIES,
    split_entries,
    split_named_entries,
    split_outside_quotes,
    split_statements,
)

SENTENCE = "Given a, When b, Then c."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one", ("one",)),
        ("one; two ;three", ("one", "two", "three")),
        ("- one\n* two\n\n3. three; four", ("one", "two", "three", "four")),
        ('"a; b" stays; (c; d) too; `e; f`', ('"a; b" stays', "(c; d) too", "`e; f`")),
        ("一つ；二つ", ("一つ", "二つ")),
        ("", ()),
        (" ; ", ()),
    ],
)
def test_entries_stand_on_lines_or_between_semicolons(text: str, found: tuple[str, ...]) -> None:
    assert split_entries(text) == found


def test_more_entries_than_a_list_has_are_one_text() -> None:
    assert len(split_entries("\n".join("x" for _ in range(MAX_ENTRIES)))) == MAX_ENTRIES
    assert split_entries("\n".join("x" for _ in range(MAX_ENTRIES + 1))) == (
        " ".join("x" for _ in range(MAX_ENTRIES + 1)),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (SENTENCE, (SENTENCE,)),
        (f"{SENTENCE} {SENTENCE}", (SENTENCE, SENTENCE)),
        (f"- {SENTENCE}\n- {SENTENCE}", (SENTENCE, SENTENCE)),
        ("Given a\nWhen b\nThen c\n\nGiven d, when e, then f",
         ("Given a, When b, Then c", "Given d, when e, then f")),
        (f"First this. {SENTENCE}", ("First this.", SENTENCE)),
        ("given the time, it works", ("given the time, it works",)),
        ("it works, given the time", ("it works, given the time",)),
        ("a list is shown; it is sorted", ("a list is shown; it is sorted",)),
        ("a is shown; b is sorted; c stays", ("a is shown; b is sorted; c stays",)),
        ("Angenommen a, wenn b, dann c. Gegeben d, wenn e, dann f.",
         ("Angenommen a, wenn b, dann c.", "Gegeben d, wenn e, dann f.")),
    ],
)  # fmt: skip
def test_each_scenario_is_one_line(text: str, found: tuple[str, ...]) -> None:
    assert split_statements(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Late: no value, wait; Wrong: over 60, ask",
            (("Late", "no value, wait"), ("Wrong", "over 60, ask")),
        ),
        ("Late: no value\nGone(id): ask", (("Late", "no value"), ("Gone(id)", "ask"))),
        ("`Late`: no value.", (("`Late`", "no value"),)),
        ("Late: no value; and something else: no", (("Late", "no value; and something else: no"),)),
        ("No new error case.", ()),
        ("Late: no value\nand this", (("Late", "no value; and this"),)),
        ("this\nLate: no value", ()),
    ],
)
def test_named_entries(text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert split_named_entries(text) == found


@given(st.text(max_size=300))
def test_no_text_is_too_odd_and_nothing_is_lost(text: str) -> None:
    import re

    pieces = split_outside_quotes(text, re.compile(";").split)
    assert "".join("".join(pieces).split()) == "".join(text.split()) or ";" in text
    for reader in (
        split_entries,
        split_named_entries,
    ):
        reader(text)
    kept = "".join("".join(split_entries(text)).split())
    assert set(kept) <= set(text)


@pytest.mark.parametrize(
    "text",
    [
        "The user can: 1. log in 2. log out",
        "Ship version 1. Then we support version 2. Then done.",
        "Users need three things: 1) upload 2) download",
        "Offer tiers 1. and 2. only",
    ],
)
def test_numbers_inside_a_line_take_no_word_from_it(text: str) -> None:
    assert " ".join(split_statements(text)) == text
