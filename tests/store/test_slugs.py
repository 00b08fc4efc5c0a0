"""Slugs, as ITEM-1 spells them."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.store.items import MAX_SLUG_LENGTH, UNTITLED, list_slugs

pytestmark = pytest.mark.rule("ITEM-1")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Offline Mode: forms!", "offline-mode-forms"),
        ("  --- a -- b -  ", "a-b"),
        ("Tab\tnew\nline", "tab-new-line"),
        ("a/b_c.d", "abcd"),
        ("PDF 2.0 export", "pdf-20-export"),
        ("no\u00a0break", "no-break"),
        ("em — dash–en", "em-dash-en"),
        ("Größe ändern", "grosse-andern"),
        ("Ændre Łódź þing Øre Đak œuvre", "aendre-lodz-thing-ore-dak-oeuvre"),
        ("GROẞ", "gross"),
        ("ıŋħ ð", "ingh-d"),
        ("cafe\u0301", "cafe"),
        ("ﬁx ①", "fix-1"),
        ("Привет, мир", "privet-mir"),
        ("日本語 対応", "ribenyu-duiying"),
        ("한국어", "hangugeo"),
        ("🎉 party", "party"),
        ("🎉", UNTITLED),
        ("", "untitled-item"),
        ("\x1b[31m", "31m"),
        ("../../etc", "etc"),
    ],
)
def test_a_title_becomes_a_slug(title: str, expected: str) -> None:
    assert next(list_slugs(title)) == expected


def test_sixty_characters_at_most_and_trimmed_again() -> None:
    assert MAX_SLUG_LENGTH == 60
    assert next(list_slugs("x" * 60)) == "x" * 60
    assert next(list_slugs("x" * 61)) == "x" * 60
    assert next(list_slugs("x" * 59 + " yz")) == "x" * 59


def test_a_number_keeps_the_slug_within_its_length() -> None:
    assert list(islice(list_slugs("a"), 2))[-1] == "a-2"
    assert list(islice(list_slugs("x" * 60), 2))[-1] == "x" * 58 + "-2"
    assert list(islice(list_slugs("x" * 58), 2))[-1] == "x" * 58 + "-2"
    assert list(islice(list_slugs("x" * 57 + "-yz"), 10))[-1] == "x" * 57 + "-10"


@given(st.text())
def test_any_title_gives_a_plain_folder_name(title: str) -> None:
    name = next(list_slugs(title))
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= MAX_SLUG_LENGTH
    assert next(list_slugs(name)) == name
