"""An answer taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.documents.page import MAX_ENTRIES, split_outside_quotes, split_statements

SENTENCE = "Given a, When b, Then c."
WHOLE = (
    "The list shows name and city; the newest entry first; the oldest ones below",
    "A guest can: see the tables here; books them for tonight; cancels them again",
    "The page lists a name; it sorts by city; it hides the rest",
    "The loop runs `a; b; c` at once; x = 1 means the end; the rest means nothing here",
)


def test_more_entries_than_a_list_has_are_one_text() -> None:
    assert len(split_statements("\n".join("x" for _ in range(MAX_ENTRIES)))) == MAX_ENTRIES
    assert split_statements("\n".join("x" for _ in range(MAX_ENTRIES + 1))) == (
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
        ("Given a, then b; given c, then d", ("Given a, then b", "given c, then d")),
        ("Given a; given b, when c, then d", ("Given a; given b, when c, then d",)),
        ("It is as in FR-001; FR-002 stays as it is", ("It is as in FR-001; FR-002 stays as it is",)),
        ("FR-001: a; b. FR-002: c; FR-003: d", ("FR-001: a; b.", "FR-002: c", "FR-003: d")),
        *((whole, (whole,)) for whole in WHOLE),
    ],
)  # fmt: skip
def test_each_scenario_is_one_line(text: str, found: tuple[str, ...]) -> None:
    assert split_statements(text) == found


@given(st.text(max_size=300))
def test_no_text_is_too_odd_and_nothing_is_lost(text: str) -> None:
    import re

    pieces = split_outside_quotes(text, re.compile(";").split)
    assert "".join("".join(pieces).split()) == "".join(text.split()) or ";" in text
    assert set("".join("".join(split_statements(text)).split())) <= {*text, ","}


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
