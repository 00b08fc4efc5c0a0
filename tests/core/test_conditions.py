"""The small language of skip_if (rule STEP-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.core.progress import is_skipped, parse_condition
from roundtable.core.steps import Step

FACTS = {"scope": "small", "complexity": "high", "source": "github"}


def holds(condition: str) -> bool:
    return is_skipped(Step("01-01", "Title", "maya", "standard", ("a.md",), skip_if=condition), FACTS)


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    ("text", "is_true"),
    [
        ('scope == "small"', True),
        ("scope == 'small'", True),
        ("scope == 'large'", False),
        ("scope != 'large'", True),
        ("scope != 'small'", False),
        ("true", True),
        ("false", False),
        ("true and scope == 'small'", True),
        ("scope == 'small' and complexity == 'low'", False),
        ("scope == 'small' and complexity == 'high'", True),
        ("scope == 'large' or complexity == 'high'", True),
        ("scope == 'small' or source == 'x' and source == 'y'", True),
        ("source == 'y' and source == 'x' or scope == 'small'", True),
        ("scope == 'small or large'", False),
        ("  scope == 'small'\t", True),
        ("scope=='small'and source=='github'", True),
    ],
)
def test_the_facts_decide(text: str, is_true: bool) -> None:
    assert holds(text) is is_true


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    "text",
    [
        "missing == 'x'",
        "missing != 'x'",
        "scope == 'small' or missing == 'x'",
        "missing == 'x' or scope == 'small'",
    ],
)
def test_what_is_not_known_does_not_hold(text: str) -> None:
    assert holds(text) is False
    parse_condition(text)


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "scope ==",
        "scope == complexity",
        "scope < 'tiny'",
        "'hub' in source",
        "not scope == 'small'",
        "(scope == 'small')",
        "scope == 'small' and",
        "truex",
        "scope = 'small'",
        "scope == small)",
        "(scope",
        "a and or b",
        "a  & b",
        "a == b == c",
        "  a.b",
        "None",
        "a == b and f()",
        "scope",
        "'yes'",
        "files == 3",
        "a == b and c",
        "__import__('os')",
        "[1]",
        "f'{a}'",
        "(a := b)",
        "lambda: a",
        "b'a'",
        "-a",
    ],
)
def test_what_does_not_parse_is_said_with_the_reason(text: str) -> None:
    with pytest.raises(RuleBroken, match=r"^The condition does not parse: .*[.]$"):
        parse_condition(text)


@pytest.mark.rule("STEP-3")
def test_long_rows_are_no_trouble() -> None:
    assert holds("scope == 'small' or " * 5_000 + "true")
    with pytest.raises(RuleBroken, match="does not parse: "):
        parse_condition("a" * 100_000)


@pytest.mark.rule("STEP-3")
@given(st.text(alphabet="ab01 ()'\"=!<>.-andornotin", max_size=40) | st.text(max_size=40))
def test_any_text_parses_or_says_why(text: str) -> None:
    try:
        parse_condition(text)
    except RuleBroken as broken:
        assert "does not parse: " in str(broken)
        assert not holds(text)
