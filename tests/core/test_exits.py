"""When a message ends the discussion (rule EXIT-1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.hearing import hear_exit, strip_fillers

KEYWORDS = ["done", "exit", "wrap up", "wrap it up", "wrap this up", "back"]
FILLERS = [
    *("ok", "okay", "thanks", "thank you", "please", "let's", "i'm", "we're", "i am", "we are", "i think"),
    *("so", "well", "alright"),
]


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.parametrize("dressed", ["{}", "{}!", '"{}"', "  {} . ", "{}?", "*{}*"])
def test_a_keyword_alone_ends_the_discussion(keyword: str, dressed: str) -> None:
    assert hear_exit(dressed.format(keyword)) == "exit"
    assert hear_exit(dressed.format(keyword).upper()) == "exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("filler", FILLERS)
def test_fillers_do_not_count(filler: str) -> None:
    assert hear_exit(f"{filler}, done") == "exit"
    assert hear_exit(f"done {filler}") == "exit"
    assert hear_exit(filler) is None


@pytest.mark.rule("EXIT-1")
@given(st.lists(st.sampled_from(FILLERS)), st.sampled_from(KEYWORDS), st.lists(st.sampled_from(FILLERS)))
def test_any_number_of_fillers_around_a_keyword_is_an_exit(
    before: list[str], keyword: str, after: list[str]
) -> None:
    assert hear_exit(", ".join([*before, keyword, *after])) == "exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "I'm done",
        "I’m done",
        "I‘m done",
        "I`m done",
        "Let’s wrap up",
        "ＤＯＮＥ",
        "\u200bdone\ufeff",
        "wrap-up",
    ],
)
def test_the_keyboard_makes_no_difference(text: str) -> None:
    assert hear_exit(text) == "exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "wrap up for today",
        "ok, wrap it up now",
        "wrap this up please, thanks",
    ],
)
def test_a_short_message_that_starts_with_wrap_up_is_an_exit(text: str) -> None:
    assert hear_exit(text) == "exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "wrap up all pending uploads into one batch",
        "wrap up the part on sync before Friday comes",
        "wrap this up and then show me what we have got so far",
    ],
)
def test_a_longer_one_is_a_contribution(text: str) -> None:
    assert hear_exit(text) is None


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "Can we end here?", "that's all", "can we stop it?",
        "Can we end the export at midnight?", "finish the import now", "end to end",
        "that is all we need to store", "that's enough storage for a year", "That is all the office knows",
    ],
)  # fmt: skip
def test_a_wish_to_end_something_else_is_a_contribution(text: str) -> None:
    assert hear_exit(text) is None


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("text", ["quit", "Stop!", "ok, stop"])
def test_quit_and_stop_alone_are_asked_about(text: str) -> None:
    assert hear_exit(text) == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "not done",
        "I'm not done yet",
        "we're not quite done",
        "not yet done",
        "not really done",
        "never exit",
        "no exit",
        "don't wrap up",
        "Don’t wrap up yet",
        "isn't done",
        "cannot exit",
        "dont exit",
        "I don't think we're done",
        "not sure we're done",
        "not ready to exit",
    ],
)
def test_a_negation_right_before_the_keyword_makes_a_contribution(text: str) -> None:
    assert hear_exit(text) is None


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text", ["No, I'm done", "no thanks, done", "no I'm done", "not that, done", "no all done"]
)
def test_a_negation_of_something_else_leaves_the_keyword_standing(text: str) -> None:
    assert hear_exit(text) == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "word",
    [
        *("if", "when", "whenever", "once", "until", "till", "after", "before", "unless", "while"),
        *("as soon as", "as long as", "in case", "provided", "assuming"),
    ],
)
def test_a_condition_before_the_keyword_makes_a_contribution(word: str) -> None:
    assert hear_exit(f"{word} done") is None
    assert hear_exit(f"ship {word} exit") is None


@pytest.mark.rule("EXIT-1")
def test_a_condition_after_the_keyword_leaves_it_unclear() -> None:
    assert hear_exit("when the task is done we ship it") is None
    assert hear_exit("exit when done") == "unclear-exit"
    assert hear_exit("done if you agree") == "unclear-exit"


@pytest.mark.rule("EXIT-1")
def test_back_to_something_is_a_contribution() -> None:
    assert hear_exit("back to sync") is None
    assert hear_exit("let's go back to sync") is None
    assert hear_exit("go back") == "unclear-exit"
    assert hear_exit("exit to sync") == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize("word", ["what", "how", "why", "when", "where", "who", "which", "what's", "who’s"])
def test_a_question_with_a_question_word_is_a_contribution(word: str) -> None:
    assert hear_exit(f"{word} is done?") is None
    assert hear_exit(f"So, {word} done") is None


@pytest.mark.rule("EXIT-1")
def test_a_question_word_further_on_does_not_make_it_one() -> None:
    assert hear_exit("done, what next") == "unclear-exit"
    assert hear_exit("whatever, done") == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    ["done here", "the work is done", "done with this one", "exit now", "Alex, I'm done", "can we wrap up"],
)
def test_a_keyword_at_an_edge_of_four_words_is_unclear(text: str) -> None:
    assert hear_exit(text) == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "all the work is done",
        "done with this one now",
        "it done it",
        "the exit button is red",
        "show the back button twice",
        "undone",
        "feedback",
        "back-end first",
        "is_done",
        "wrap things up",
        "let's talk about sync",
        "?",
        "",
    ],
)
def test_everything_else_is_a_contribution(text: str) -> None:
    assert hear_exit(text) is None


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "are we done?",
        "can we wrap up?",
        "are we done with this step?",
        "Should I exit right now, maybe?!",
        "hey, can we wrap up now?",
        '"are we done with this step?"',
    ],
)
def test_a_short_question_is_unclear(text: str) -> None:
    assert hear_exit(text) == "unclear-exit"


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    "text",
    [
        "are we done with this whole step?",
        "are we done with this step",
        "are users done with this step?",
        "are we happy with this step?",
        "are we not done with this?",
        "does it exit with this step?",
    ],
)
def test_other_questions_are_contributions(text: str) -> None:
    assert hear_exit(text) is None


@pytest.mark.rule("EXIT-1")
@given(st.text())
def test_any_text_is_heard(text: str) -> None:
    assert hear_exit(text) in {"exit", "unclear-exit", None}


@pytest.mark.rule("EXIT-1")
def test_what_remains_without_fillers() -> None:
    assert strip_fillers("So, I think we are going; THANK you!") == "going"
    assert strip_fillers("I really think") == "i really think"
    assert strip_fillers("") == ""
