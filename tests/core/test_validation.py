"""The named checks of a step's Validation section (rules STEP-1 and STEP-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.core.validation import find_check, is_unknown, meets_check

NAMES = [
    "at least 5 words",
    "at least 2 entries",
    "a number",
    "a number with a unit",
    "names a person or role",
    "an owner",
    "Given, When and Then",
    "a file or module",
    "one of small, medium, large",
    "one of low, medium, high",
    "a date or deadline",
    "a condition",
    "two options",
    "an error or failure",
]

MET = {
    "at least 5 words": [
        "one two three four five",
        "a, b, c, d, e",
        "オフラインで使えるように",
    ],
    "at least 1 word": ["yes"],
    "at least 2 entries": [
        *("login, logout", "login and logout", "login; logout", "- login\n- logout", "1) login 2) logout"),
        *("ログイン、ログアウト", "login & logout", "login, 2 more", "step 2, then"),
    ],
    "a number": ["about 5", "two of them", "half", "三つ", "５"],
    "a number with a unit": [
        *(
            "200 ms",
            "200ms",
            "5%",
            "$10",
            "€ 5",
            "3 to 5 minutes",
            "two seconds",
            "2-3 s",
            "3秒",
            "1,000 users",
        ),
        *("10-minute slots", "三秒"),
    ],
    "names a person or role": [
        *("field technicians", "the owner", "ask Priya", "Priya", "Priya Natarajan.", "@bob", "ask @bob"),
        *("现场人员", "the ops people"),
    ],
    "an owner": ["me", "Our group", "Priya", "the support team"],
    "Given, When and Then": [
        *("Given a form, when signal drops, then it waits", "GIVEN a\nWHEN b\nTHEN c"),
        "前提として",
    ],
    "a file or module": [
        *("src/app/sync.py", "the login module", "sync.ts", "SyncQueue", "syncQueue", "sync_queue", "`sync`"),
        "ファイル",
    ],
    "one of small, medium, large": ["Small.", "it is medium", "LARGE, I fear", "small, complexity: medium"],
    "one of low, medium or high": ["high"],
    "one of must, should, or could": ["Must", "could"],
    "one of very low, high": ["very low"],
    "a date or deadline": [
        *(
            "by Friday",
            "2026-03-01",
            "3/4",
            "1.2.2026",
            "in 2027",
            "May 5",
            "5th of May",
            "Q3",
            "Sept",
            "tomorrow",
        ),
        *("in two weeks", "no deadline", "with the next release", "来週"),
    ],
    "a condition": [
        "if offline",
        "Unless paid",
        "only then",
        "as soon as it syncs",
        "オフライン時",
    ],
    "two options": [
        *(
            "REST or GraphQL",
            "REST vs GraphQL",
            "queue\npoll",
            "queue; poll",
            "option A is x, B is y",
        ),
        *(
            "two ways",
            "選択肢",
            "One: it looks itself. Two: a subclass does.",
            "First, rows. Second, a queue.",
        ),
    ],
    "an error or failure": [
        "it times out",
        "timeout",
        "HTTP 503",
        "crashes",
        "can’t save",
        "エラー",
    ],
}

MISSED = {
    "at least 5 words": ["one two three four", "one two - three four", ""],
    "at least 2 entries": ["login", "1,000 users", "android", "login,", ""],
    "at least 3 entries": ["login, logout"],
    "a number": ["many", "someone", "often", ""],
    "a number with a unit": [
        *("200", "2024 and 7", "the 1st", "one of them", "7.", "fast", "v2", ""),
    ],
    "names a person or role": ["it is slow", "Yes", "Yes.", "No", "uses SQL", "me", ""],
    "an owner": ["it is slow", "maybe", ""],
    "Given, When and Then": ["when a then b given c", "given a then b", "forgiven, when, then", ""],
    "a file or module": ["everything", "this and/or that", "e.g. this", "profiles", ""],
    "one of small, medium, large": ["small or medium", "huge", "smaller", ""],
    "one of very low, high": ["low", "very"],
    "a date or deadline": ["soon", "it may be", "marvel", "later", ""],
    "a condition": ["always", "elsewhere", ""],
    "two options": [
        *("REST", "for REST", "queue;", "REST and more", ""),
        *("We keep Python 2.", "Only plan b", "The second, and nothing else"),
    ],
    "an error or failure": ["all is fine", "downloads", "5000", ""],
}


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(("name", "answer"), [(name, answer) for name in MET for answer in MET[name]])
def test_the_answer_meets_the_criterion(name: str, answer: str) -> None:
    assert meets_check(name, answer) is True


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(("name", "answer"), [(name, answer) for name in MISSED for answer in MISSED[name]])
def test_the_answer_misses_the_criterion(name: str, answer: str) -> None:
    assert meets_check(name, answer) is False


@pytest.mark.rule("STEP-1")
@pytest.mark.parametrize("name", NAMES)
def test_the_names_are_known_however_they_are_written(name: str) -> None:
    assert find_check(name) is not None
    assert find_check(f"  {name.upper()}. ") is not None
    assert find_check(name.replace(" ", "  ")) is not None


@pytest.mark.rule("STEP-1")
@pytest.mark.parametrize(
    "name",
    [
        "",
        "good",
        "at least 0 words",
        "at least 100 words",
        "at least five words",
        "one of",
        "one of ,",
        "a numbers",
    ],
)
def test_other_names_are_not(name: str) -> None:
    assert find_check(name) is None
    with pytest.raises(RuleBroken) as broken:
        meets_check(name, "five")
    assert str(broken.value).startswith(f"No validation criterion is called '{name}'. Legal now: a number, ")
    assert broken.value.legal[-3:] == ("at least N words", "at least N entries", "one of A, B, C")


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    "answer",
    [
        *(
            "I don't know",
            "I don’t know.",
            "i dont know",
            "we do not know yet",
            "no idea",
            "Honestly, no idea!",
        ),
        *(
            "not sure",
            "I'm really not sure yet",
            "?",
            "???",
            "unknown",
            "Dunno",
            "TBD",
            "N/A",
            "idk",
            "-",
            "...",
        ),
        "that is still to be decided",
        *("I'm afraid I really have no idea yet", "🤷"),
    ],
)
def test_not_knowing_is_a_fair_answer(answer: str) -> None:
    assert is_unknown(answer)
    assert all(meets_check(name, answer) for name in NAMES)


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    "answer",
    [
        *(
            "",
            "  ",
            "none",
            "no",
            "not sure, maybe 5",
            "unknown users log in",
            "the unknown device is refused",
        ),
        *("I know", "sure", "know don't", "I'm afraid I really have no idea about it", "👍", "n"),
        "担当者が不明な場合は管理者に通知して再送します",
    ],
)
def test_an_answer_that_says_something_is_not_unknown(answer: str) -> None:
    assert not is_unknown(answer)


@pytest.mark.rule("STEP-4")
@given(st.sampled_from(NAMES), st.text())
def test_any_answer_can_be_checked(name: str, answer: str) -> None:
    assert meets_check(name, answer) in (True, False)
