"""The terms of an item, in the languages that backlogs are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.steps import Item
from roundtable.survey.search import MAX_TERMS, extract_terms, split_name, word_root


def words(title: str, text: str = "") -> list[str]:
    return [term.text for term in extract_terms(Item("item", title, text))]


def test_words_are_cut_to_stems_and_stop_words_and_verbs_of_change_say_nothing() -> None:
    assert words("Fix the caching of printed invoices") == ["cach", "print", "invoic"]


@pytest.mark.parametrize(
    "forms",
    [
        ("cache", "cached", "caching", "caches"),
        ("validate", "validation", "validator", "validates"),
        ("query", "queries"),
        ("invoice", "invoices"),
        ("planning", "plans", "planned"),
        ("retry", "retries"),
        ("address", "addresses"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({word_root(form) for form in forms}) == 1, [word_root(form) for form in forms]
    assert all(form.lower().startswith(word_root(form)) for form in forms)


def test_names_are_looked_for_whole_and_in_parts_and_weigh_more() -> None:
    terms = {
        term.text: term
        for term in extract_terms(Item("item", "Let CliRunner respect hide_input and --no-color"))
    }
    assert {"clirunner", "runner", "hide_input", "hide", "input", "no-color", "color"} <= terms.keys()
    assert terms["hide_input"].whole
    assert not terms["hide"].whole
    assert terms["hide_input"].weight > terms["respect"].weight


def test_what_is_written_as_code_weighs_more_and_a_quoted_sentence_does_not() -> None:
    terms = {
        term.text: term.weight
        for term in extract_terms(Item("item", "Wrong colour in `legend` of `a big chart`"))
    }
    assert terms["legend"] > terms["colour"] == terms["chart"]


def test_the_title_weighs_more_than_the_text_and_what_is_said_again_a_little_more() -> None:
    terms = {
        term.text: term.weight
        for term in extract_terms(Item("item", "Printer", "Toner, toner, toner and paper."))
    }
    assert terms["printer"] > terms["toner"] > terms["paper"]


def test_tracker_numbers_addresses_and_versions_are_no_terms() -> None:
    found = words(
        "Printer jams (#123)", "See https://example.org/issues/9 or ABC-12, mail me@example.org, 3.13"
    )
    assert found == ["printer", "jam", "mail"]


def test_paths_are_kept_whole() -> None:
    assert "src/mail/render.py" in words("Clean up src/mail/render.py")


def test_german_words_keep_their_umlauts_and_lose_only_what_english_words_lose() -> None:
    found = words("Übersicht, Prüfungen, gedruckt")
    assert found == ["übersicht", "prüfungen", "gedruckt"]
    assert b"\xc3\x9cbersicht" in extract_terms(Item("item", "Übersicht"))[0].spellings


def test_japanese_gives_its_runs_of_kanji_and_katakana() -> None:
    assert words("請求書のプレビューを印刷する") == ["請求書", "プレビュー", "印刷"]


def test_names_fall_into_the_words_they_are_joined_from() -> None:
    assert split_name("hideInput_now") == ("hide", "Input", "now")
    assert split_name("HTTPServer2") == ("HTTP", "Server", "2")
    assert split_name("größeÄndern") == ("größe", "Ändern")


@given(st.text(max_size=300), st.text(max_size=2000))
def test_no_text_breaks_it_and_the_terms_stay_few(title: str, text: str) -> None:
    terms = extract_terms(Item("item", title, text))
    assert len(terms) <= MAX_TERMS
    for term in terms:
        assert term.text
        assert 0 < term.weight <= 2
        assert all(term.spellings)
