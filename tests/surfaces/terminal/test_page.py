"""How lines look: wrapped, hanging, signed, and never longer than the window or changed in their words."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from people import ROSTER
from roundtable.catalogue import load_steps
from roundtable.core.analysis import Analysis, Opening, Stage
from roundtable.core.lines import FINISHED_MENU, Line, LineKind, choice_menu, menu, speech
from roundtable.core.progress import Progress
from roundtable.core.steps import PHASES, Item
from roundtable.core.text import clean_text
from roundtable.surfaces.terminal.page import (
    LineFormatter,
    describe_work,
    format_bottom_line,
)

STEPS = load_steps()
OPENING = Opening(
    "step", Item("offline-forms", "Offline forms"), ROSTER, STEPS, PHASES[1], STEPS[3],
    Progress(("00-01", "00-02", "00-03"), ("00-quick-scan",)),
)  # fmt: skip
ANALYSIS = Analysis(OPENING, Stage.ANSWER, "standard")
MAYA, ALEX = ROSTER.personas[0], ROSTER.personas[1]


@pytest.fixture(autouse=True)
def colourless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")


def page(columns: int = 60) -> LineFormatter:
    return LineFormatter(lambda: columns, "Ada")


def shown(line: Line, columns: int = 60) -> str:
    return page(columns).format_line(line, ANALYSIS)


def spoken(text: str, kind: LineKind = "contribution") -> Line:
    return speech(ALEX, text, kind)


def test_a_contribution_hangs_below_its_sign_and_name() -> None:
    text = "With the gateway in the path, its bad day becomes ours, whatever we do about it.\n\nTwo options."
    assert shown(spoken(text)) == (
        "▲ Alex Rivera (Solutions Architect): With the gateway in the\n"
        "  path, its bad day becomes ours, whatever we do about it.\n\n"
        "  Two options.\n"
    )


def test_a_bar_over_the_steps_stands_where_one_begins_and_where_it_is_done() -> None:
    window, step = page(), speech(MAYA, "Step 01-01: Problem", "step")
    at_menu = menu(last=False, next_phase=PHASES[2])
    assert window.format_line(step, ANALYSIS).splitlines() == [
        "  ▰▰▰ ▱▱▱▱▱▱▱▱ ▱▱▱▱ ▱▱▱▱ ▱▱▱▱▱  3 of 24 steps",
        "● Maya Chen (Business Analyst) -- Step 01-01: Problem",
    ]
    saved = replace(ANALYSIS, saved=True)
    assert window.format_line(at_menu, saved).startswith("  ▰▰▰ ▰▱▱▱▱▱▱▱ ▱▱▱▱ ▱▱▱▱ ▱▱▱▱▱  4 of 24 steps\n")
    assert "▰" not in window.format_line(at_menu, saved)  # the same menu again, after a discussion
    assert "▰" not in step.text
    assert "▰" not in page().format_line(FINISHED_MENU, saved)
    assert "▱" not in page().format_line(step, None)  # a seat at a shared table
    assert shown(step, 20).startswith("  ▰▰▰ ▱▱▱▱▱▱▱▱ ▱▱▱▱\n  ▱▱▱▱ ▱▱▱▱▱  3 of\n  24 steps\n●")


def test_the_name_has_the_colour_of_the_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shown(spoken("Yes."), 42) == (
        "\x1b[38;5;98m▲ \x1b[0m\x1b[1;38;5;98mAlex Rivera (Solutions Architect)\x1b[0m: Yes.\n"
    )


def test_lists_code_and_tables_are_rendered_and_nothing_is_lost() -> None:
    text = (
        "This:\n\n- one `Done(reason)`\n- two <form> & more\n\n```\nif x:\n    y()\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n# Head\nline one\nline two"
    )
    made = shown(spoken(text))
    assert made.startswith(
        "▲ Alex Rivera (Solutions Architect): This:\n\n   • one Done(reason)\n   • two <form> & more\n"
    )
    assert "\n   if x:\n       y()\n" in made
    assert re.search(r"a +b", made)
    assert re.search(r"\n +Head\n", made)
    assert made.endswith("  line one\n  line two\n")


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), max_size=200),
    st.integers(20, 120),
)
@example("\U000e0100", 20)
def test_words_of_the_user_are_shown_as_they_are_in_every_window(words: str, columns: int) -> None:
    made = page(columns).format_line(Line("contribution", words, "user", 3), ANALYSIS)
    if seen := clean_text(words).strip():  # variation selectors and their like are nothing to see
        assert "".join(made.split()).removeprefix("›Ada:") == "".join(seen.split())
    elif not words.strip():
        assert made == ""


def test_line_breaks_of_the_user_stay_and_nothing_stands_after_the_words() -> None:
    made = shown(Line("answer", "one   \n\n  two\n" + "long " * 30, "user"), 40)
    assert made.startswith("› Ada: one\n\n    two\n  long long")
    assert not re.search(r"[ \t]$", made, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("- one\n- two", "   • one\n   • two\n"),
        ("1. one\n2. two", "   1 one\n   2 two\n"),
        ("```\nif x:\n    y()\n```\nThen stop.", "   if x:\n       y()\n\n\n  Then stop.\n"),
    ],
)
def test_a_list_or_code_at_the_beginning_stands_below_the_name(words: str, rows: str) -> None:
    head, _, rest = shown(spoken(words)).partition("\n\n")
    assert (head, rest.lstrip("\n")) == ("▲ Alex Rivera (Solutions Architect):", rows)


def test_an_indented_line_keeps_its_indent_where_it_is_wrapped() -> None:
    made = shown(Line("review", "Decisions Made\n  2. We keep the queue on the device"), 24)
    assert made == "  Decisions Made\n    2. We keep the queue\n    on the device\n"


def test_a_question_shows_whose_it_is_and_its_draft_is_indented() -> None:
    made = shown(Line("question", "What now?", MAYA.key, draft="Forms.", source="the item"))
    assert made == "● What now?\n    Draft, from the item: Forms.\n    (Enter takes the draft.)\n"


def test_a_section_is_markdown_and_what_was_written_has_a_sign() -> None:
    assert shown(Line("update", "Forms.", heading="Scope")) == "  Scope\n\n  Forms.\n"
    assert shown(Line("update", "Updated a.")) == "+ Updated a.\n"
    assert shown(Line("listen", "", awaits="answer")) == ""


def test_a_menu_is_two_quiet_lines() -> None:
    line = menu(last=False, next_phase=None)
    assert page(80).format_line(line, None) == (
        "  E Elaboration Mode · C Continue · S Skip remaining steps in this phase\n"
        "  Enter continues; edit, back, undo change it; the rest is feedback.\n"
    )
    assert all(len(row) <= 40 for row in shown(line, 40).splitlines())


def test_every_menu_says_what_enter_does() -> None:
    feedback = "  Enter continues; edit, back, undo change it; the rest is feedback.\n"
    assert page(80).format_line(menu(last=True, next_phase=PHASES[2]), None) == (
        f"  E Elaboration Mode · C Continue to Phase 02 (Impact Analysis)\n{feedback}"
    )
    assert page(80).format_line(menu(last=False, next_phase=None, is_quick=True), None) == (
        f"  C Continue · E Elaboration Mode\n{feedback}"
    )
    assert shown(FINISHED_MENU, 80) == "  L Leave · S Start over\n  Enter: Leave.\n"
    asked = choice_menu("Try again, or go on with the offline panel?", ("try again", "offline"))
    assert shown(asked, 80) == (
        "  Try again, or go on with the offline panel?\n  T Try again · O Offline\n  Enter: Try again.\n"
    )


def test_the_introduction_keeps_its_lines() -> None:
    text = "ELABORATION MODE\n\nTopic: X"
    assert shown(Line("introduction", text), 20) == "  ---\n  ELABORATION MODE\n\n  Topic: X\n  ---\n"


# --- where am I -------------------------------------------------------------------------------------------


def test_the_bottom_line_says_first_what_matters_most() -> None:
    made = format_bottom_line(ANALYSIS, at_work="Alex is speaking", spent="1,200 tokens, $0.02")
    assert made == "Alex is speaking · step 4/24 · 1,200 tokens, $0.02 · Requirements · Offline forms"
    assert format_bottom_line(None) == ""


def test_who_is_at_work_is_named() -> None:
    assert describe_work(None) == ""
    assert describe_work(replace(ANALYSIS, stage=Stage.FOLLOW_UP)) == "Maya is thinking"


@pytest.mark.parametrize("kind", ["notice", "paused", "done", "depth", "unclear-exit", "acknowledgement"])
def test_other_lines_are_shown_as_they_are(kind: LineKind) -> None:
    assert shown(Line(kind, "Said.")) == "  Said.\n"
    assert shown(Line("error", "Broken.")) == "! Broken.\n"
