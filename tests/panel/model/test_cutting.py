"""Cutting: what a model writes becomes what the persona says, however the pieces fall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from people import ALEX, MAYA, ROSTER
from roundtable.core.personas import Roster
from roundtable.panel.base import Look
from roundtable.panel.model.panel import Cutter

SIZES = (1, 2, 3, 7, 1000)


def cut(text: str, size: int, words: int = 120, look_ups: int = 0) -> Cutter:
    """The text in pieces of a size; what comes out joins to what counts."""
    cutter = Cutter(MAYA, ROSTER, words, look_ups=look_ups)
    shown = [cutter.feed(text[start : start + size]) for start in range(0, len(text), size)]
    shown.append(cutter.end())
    assert "".join(shown) == cutter.text
    return cutter


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("The inspector waits.", "The inspector waits."),
        ("Maya Chen (Business Analyst): The inspector waits.", "The inspector waits."),
        ("**Maya Chen (Business Analyst):** The *inspector* waits.", "The *inspector* waits."),
        ("**Maya Chen**: The inspector waits.", "The inspector waits."),
        ("Maya: The inspector waits.", "The inspector waits."),
        ("[Maya Chen]: The inspector waits.", "The inspector waits."),
        ("Turn 5, Maya Chen:\n| The inspector waits.\n|\n| For hours.", "The inspector waits.\n\nFor hours."),
        ("\n\n  The inspector waits.  \n\n", "The inspector waits."),
        ("One.\r\n\r\n\r\n\r\nTwo.", "One.\n\nTwo."),
        ("# A heading\nThe inspector waits.", "A heading\nThe inspector waits."),
        ("---\nThe inspector waits.\n---", "The inspector waits."),
        ("```\nThe inspector waits.\n```", "The inspector waits."),
        ("<think>Maya Chen: hm?\nhm</think>\nThe inspector waits.", "The inspector waits."),
    ],
)
def test_names_marks_and_frames_before_the_words_are_cut(written: str, said: str, size: int) -> None:
    assert cut(written, size).text == said


@pytest.mark.parametrize("size", SIZES)
def test_a_long_name_and_role_before_the_words_are_cut(size: int) -> None:
    name, role = "Wilhelmina Featherstonehaugh-Cholmondeley", "Accessibility and Usability Consultant"
    speaker = replace(MAYA, name=name, role=role)
    cutter = Cutter(speaker, Roster((speaker, ALEX)), 120)
    written = f"{name} ({role}): It waits."
    shown = [cutter.feed(written[start : start + size]) for start in range(0, len(written), size)]
    assert "".join((*shown, cutter.end())) == "It waits."


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("I wait.\n\nAlex Rivera (Solutions Architect): Two ways.\nA third.", "I wait."),
        ("I wait.\nAlex: Two ways.", "I wait."),
        ("I wait.\nUser: Why?\nYou: Because.", "I wait."),
        ("Alex Rivera: No.\nmore of it\nMaya: Yes.\nand more", "Yes.\nand more"),
        ("I wait.\nTurn 6, Alex Rivera:\n| Two ways.", "I wait."),
        ("User: ignore that\nAlex Rivera: fine", ""),
    ],
)
def test_the_words_of_others_are_cut(written: str, said: str, size: int) -> None:
    assert cut(written, size).text == said


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "words",
    [
        "Alex: how far does this reach?",
        "Alex, your two ways cost the same.",
        "Alexandra waits, and the user: nobody asks her.",
        "Maya's inspector waits (at most 3 minutes) for *one* form [sic].",
        "Turn the form over: who signs it?",
        "You wait; the van leaves.",
        "Write to a@b.example, or @ the desk.",
        "Passwords are typed twice.",
        "I passed the form on.",
        "It is `f(x) * g(x)`, and 2 * 3 * 4.",
        "- first\n- second\n\n1. third",
    ],
)
def test_what_only_looks_alike_stays(words: str, size: int) -> None:
    assert cut(words, size).text == words


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a\r\nb", "a\nb"),
        ("a\rb\r", "a\nb"),
        ("I wait.\u2028Alex Rivera: No.", "I wait."),
        ("I\x1b[31m wait\x07.\x9b2J", "I[31m wait.2J"),
        ("I \u202ewait\ud800.", "I wait."),
    ],
)
def test_nothing_comes_out_that_could_upset_a_terminal(written: str, said: str, size: int) -> None:
    assert cut(written, size).text == said


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("written", "trailer"),
    [
        ("I wait.\n@@ opposes=2 next=none", "@@ opposes=2 next=none"),
        ("I wait. @@ next=none\nmore", "@@ next=none"),
        ("I wait.\n\n`@@ decides=3`", "@@ decides=3`"),
        ("I wait.\nAlex: No.\n@@ next=none", "@@ next=none"),
    ],
)
def test_the_trailer_is_kept_apart(written: str, trailer: str, size: int) -> None:
    cutter = cut(written, size)
    assert (cutter.text, cutter.trailer) == ("I wait.", trailer)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "written",
    ["PASS", "pass.", "**PASS**", '"Pass"', "I pass.", "Maya: PASS", "PASS\n@@ next=none", "PASS\nmore"],
)
def test_a_persona_may_pass(written: str, size: int) -> None:
    cutter = cut(written, size)
    assert (cutter.text, cutter.passed) == ("", True)


@pytest.mark.parametrize("size", SIZES)
def test_a_pass_after_words_is_none(size: int) -> None:
    cutter = cut("I wait.\nPASS", size)
    assert (cutter.text, cutter.passed) == ("I wait.", False)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a b c d e", "a b c d e"),
        ("a b c. d e. f g. h", "a b c. d e. f g. h"),
        ("a b c. d e. f g. h i", "a b c. d e. f g."),
        ("a b c d e f. g h i", "a b c d e f."),
        ("a b c d e f g h i", "a b c d e f g h ..."),
        ("a b\n\nc d.\n\ne f g h.\n\ni", "a b\n\nc d.\n\ne f g h."),
    ],
)
def test_five_words_are_asked_for_and_eight_are_taken_to_the_end_of_a_sentence(
    written: str, said: str, size: int
) -> None:
    cutter = cut(written, size, words=5)
    assert cutter.text == said


@pytest.mark.rule("TABLE-1")
@pytest.mark.parametrize("size", SIZES)
def test_what_is_to_be_looked_up_comes_before_the_words_and_nothing_is_said_then(size: int) -> None:
    written = "@@ search renew loan\n@@ read library/loans.py:10-30\nI guess that it works.\n@@ next=none"
    asked = cut(written, size, look_ups=3)
    assert asked.look_ups == (Look("search", "renew loan"), Look("read", "library/loans.py:10-30"))
    assert asked.text == ""
    assert cut(written, size, look_ups=1).look_ups == asked.look_ups[:1]
    assert cut(written, size).text == "I guess that it works."
    assert cut("It works.\n@@ search x", size, look_ups=3).look_ups == ()


@pytest.mark.parametrize("size", SIZES)
def test_the_trailer_of_one_who_said_too_much_is_still_read(size: int) -> None:
    assert cut("a b c d e. f g h\n@@ next=none", size, words=5).trailer == "@@ next=none"


_PARTS = st.sampled_from(
    ["Maya Chen", "Alex", " (Business Analyst)", ":", "\n", "\n\n", " ", "@", "@@", "*", "nods", "(", ")",
     "[", "]", "| ", "PASS", "<think>", "</think>", "word", "Turn 3, ", "\r", "\x1b", "-", "_", "#", "é"]
)  # fmt: skip


@given(st.lists(_PARTS, max_size=25).map("".join), st.sampled_from([1, 2, 5]))
def test_whatever_is_written_the_pieces_join_and_no_name_comes_first(written: str, size: int) -> None:
    cutter = cut(written, size)
    assert cutter.text == cutter.text.strip()
    assert "@@" not in cutter.text
    assert not cutter.text.startswith(("Maya Chen:", "Maya Chen (Business Analyst):", "Alex Rivera:"))


@given(st.lists(_PARTS, max_size=25).map("".join))
def test_how_the_pieces_fall_makes_no_difference(written: str) -> None:
    one, whole = cut(written, 1), cut(written, 10_000)
    assert (one.text, one.trailer, one.passed) == (whole.text, whole.trailer, whole.passed)
