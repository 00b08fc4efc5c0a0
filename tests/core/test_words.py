"""Words as they are compared (used by HEAR-2, EXIT-1 and DEPTH-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.text import fold_text, is_silence, find_phrase, words_of


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("apostrophe", ["'", "’", "‘", "ʼ", "´", "`"])
def test_all_apostrophes_are_one(apostrophe: str) -> None:
    assert fold_text(f"Let{apostrophe}s") == "let's"


def test_quotation_marks_and_foreign_punctuation_are_folded() -> None:
    assert fold_text("“A”、B،C؟Ｄ，Ｅ") == '"a",b,c?d,e'


def test_case_composition_and_invisible_characters_do_not_count() -> None:
    assert fold_text("STRASSE Straße Jose\u0301 \u200bA\u00adB\x00") == "strasse strasse josé ab"
    assert fold_text("a\n\tb") == "a\n\tb"


@pytest.mark.rule("HEAR-1")
def test_silence_is_what_cannot_be_seen() -> None:
    assert is_silence(" \u200b\n\ufeff\x07")
    assert not is_silence(".")


def test_words_hold_together() -> None:
    assert words_of("Let's do the back-end, is_done - 'now' (v2)!") == (
        *("let's", "do", "the", "back-end", "is_done", "now", "v2"),
    )
    assert words_of("...") == ()


def test_a_phrase_has_its_first_place() -> None:
    assert find_phrase(("b", "c"), ("a", "b", "c", "b", "c")) == 1
    assert find_phrase(["b", "c"], ["b", "x", "c"]) is None
    assert find_phrase(("c",), ("a", "b", "c")) == 2
    assert find_phrase(("a", "b"), ("a",)) is None


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_plain_letters_are_folded_like_all_others(text: str) -> None:
    assert fold_text(text + "é") == fold_text(text) + "é"
