"""The small language of skip_if (rule STEP-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.core.progress import Condition

FACTS = {"scope": "small", "complexity": "high", "source": "github"}


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('scope == "small"', True),
        ("scope == 'small'", True),
        ("scope == 'large'", False),
        ("scope != 'large'", True),
        ("scope != 'small'", False),
        ("scope < 'tiny'", True),
        ("scope <= 'small'", True),
        ("scope > 'tiny'", False),
        ("scope >= 'small'", True),
        ("'hub' in source", True),
        ("scope in 'small medium'", True),
        ("scope not in 'small medium'", False),
        ("scope == complexity", False),
        ("true", True),
        ("not false and scope == 'small'", True),
        ("not scope == 'large'", True),
        ("scope == 'small' and complexity == 'low'", False),
        ("scope == 'small' and complexity == 'high'", True),
        ("scope == 'large' or complexity == 'high'", True),
        ("scope == 'small' or source == 'x' and source == 'y'", True),
        ("(scope == 'small' or source == 'x') and source == 'y'", False),
        ("not (scope == 'small' or source == 'x')", False),
        ("  scope == 'small'\t", True),
        ("scope=='small'and source=='github'", True),
    ],
)
def test_the_facts_decide(text: str, holds: bool) -> None:
    assert Condition.parse(text).holds(FACTS) is holds


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    "text",
    [
        "missing == 'x'",
        "missing != 'x'",
        "not missing == 'x'",
        "scope == 'small' or missing == 'x'",
        "missing == 'x' or scope == 'small'",
    ],
)
def test_what_is_not_known_does_not_hold(text: str) -> None:
    assert Condition.parse(text).holds(FACTS) is False


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 1),
        ("scope ==", 9),
        ("scope = 'small'", 7),
        ("scope == small)", 15),
        ("(scope", 1),
        ("a and or b", 7),
        ("a  & b", 1),
        ("a == b == c", 1),
        ("  a.b", 3),
        ("None", 1),
        ("a == b and f()", 12),
        ("scope", 1),
        ("'yes'", 1),
        ("files == 3", 10),
        ("a == b and c", 12),
        ("__import__('os')", 1),
        ("[1]", 1),
        ("f'{a}'", 1),
        ("(a := b)", 2),
        ("lambda: a", 1),
        ("b'a'", 1),
        ("-a", 1),
    ],
)
def test_what_does_not_parse_is_said_with_its_place(text: str, at: int) -> None:
    with pytest.raises(RuleBroken, match=f"^The condition does not parse at character {at}: .*[.]$"):
        Condition.parse(text)


@pytest.mark.rule("STEP-3")
def test_a_condition_has_a_limit() -> None:
    assert Condition.parse("'a' == 'a'".ljust(500)).holds({})
    with pytest.raises(RuleBroken, match=r"^The condition has 501 characters; 500 are allowed\.$"):
        Condition.parse("'a' == 'a'".ljust(501))


@pytest.mark.rule("STEP-3")
def test_long_rows_are_no_trouble() -> None:
    assert Condition.parse("not " * 122 + "'a' == 'a'").holds({})
    assert Condition.parse("'' == '' or " * 41 + "'' == ''").holds({})
    with pytest.raises(RuleBroken, match="at character"):
        Condition.parse("(" * 250 + ")" * 250)
    with pytest.raises(RuleBroken, match="at character"):
        Condition.parse("-" * 450 + "x")


@pytest.mark.rule("STEP-3")
def test_the_text_is_kept() -> None:
    assert Condition.parse(" a == b ").text == " a == b "


@pytest.mark.rule("STEP-3")
@given(st.text(alphabet="ab01 ()'\"=!<>.-andornotin", max_size=40) | st.text(max_size=40))
def test_any_text_parses_or_says_why(text: str) -> None:
    try:
        condition = Condition.parse(text)
    except RuleBroken as broken:
        assert "at character" in str(broken)
    else:
        assert condition.holds(FACTS) in (True, False)
