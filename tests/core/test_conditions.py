"""The small language of skip_if (rule STEP-3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.core.progress import Condition, Fact

FACTS: dict[str, Fact] = {
    "scope": "small",
    "files": 3,
    "share": 0.5,
    "has_ui": True,
    "risky": False,
    "tags": ("api", "sync"),
}


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('scope == "small"', True),
        ("scope == 'small'", True),
        ("scope == 'large'", False),
        ("scope != 'large'", True),
        ("scope != 'small'", False),
        ("files == 3", True),
        ("files == 3.0", True),
        ("files < 3", False),
        ("files < 4", True),
        ("files <= 3", True),
        ("files <= 2", False),
        ("files > 3", False),
        ("files > -2", True),
        ("files >= 3", True),
        ("files >= 4", False),
        ("share < 1", True),
        ("scope < 'tiny'", True),
        ("scope > 'tiny'", False),
        ("'api' in tags", True),
        ("'ui' in tags", False),
        ("'ui' not in tags", True),
        ("'api' not in tags", False),
        ("'mal' in scope", True),
        ("has_ui", True),
        ("risky", False),
        ("not risky", True),
        ("not not has_ui", True),
        ("true", True),
        ("True", True),
        ("false", False),
        ("False", False),
        ("has_ui == true", True),
        ("has_ui and risky", False),
        ("has_ui and files == 3", True),
        ("risky or has_ui", True),
        ("risky or false", False),
        ("has_ui or risky and risky", True),
        ("(has_ui or risky) and risky", False),
        ("not risky and has_ui", True),
        ("not (risky or has_ui)", False),
        ("(files > 2) == has_ui", True),
        ("  has_ui\t", True),
        ("scope=='small'and has_ui", True),
    ],
)
def test_the_facts_decide(text: str, holds: bool) -> None:
    assert Condition.parse(text).holds(FACTS) is holds


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    "text",
    [
        "missing",
        "not missing",
        "missing == 1",
        "missing != 1",
        "has_ui or missing",
        "missing or has_ui",
        "files == '3'",
        "files != '3'",
        "files < '4'",
        "has_ui == 1",
        "has_ui > 0",
        "true >= false",
        "tags <= tags",
        "tags == 'api'",
        "3 in tags",
        "'a' in files",
        "'a' not in files",
        "scope",
        "not scope",
        "3",
        "'yes'",
        "tags",
        "not files",
        "has_ui and scope",
    ],
)
def test_what_cannot_be_told_does_not_hold(text: str) -> None:
    assert Condition.parse(text).holds(FACTS) is False


@pytest.mark.rule("STEP-3")
def test_lists_of_the_same_sort_compare() -> None:
    assert Condition.parse("tags == tags").holds(FACTS)
    assert not Condition.parse("tags == tags").holds({})


@pytest.mark.rule("STEP-3")
@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 1),
        ("scope ==", 9),
        ("scope = 'small'", 7),
        ("scope == small)", 15),
        ("(has_ui", 1),
        ("a and or b", 7),
        ("a  & b", 1),
        ("a == b == c", 1),
        ("  a.b", 3),
        ("None", 1),
        ("has_ui and f()", 12),
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
    assert Condition.parse("true".ljust(500)).holds({})
    with pytest.raises(RuleBroken, match=r"^The condition has 501 characters; 500 are allowed\.$"):
        Condition.parse("true".ljust(501))


@pytest.mark.rule("STEP-3")
def test_long_rows_are_no_trouble() -> None:
    assert Condition.parse("not " * 124 + "true").holds({})
    assert Condition.parse("true or " * 62 + "true").holds({})
    with pytest.raises(RuleBroken, match="at character"):
        Condition.parse("(" * 250 + ")" * 250)


@pytest.mark.rule("STEP-3")
def test_the_text_is_kept() -> None:
    assert Condition.parse(" has_ui ").text == " has_ui "


@pytest.mark.rule("STEP-3")
@given(st.text(alphabet="ab01 ()'\"=!<>.-andornotin", max_size=40) | st.text(max_size=40))
def test_any_text_parses_or_says_why(text: str) -> None:
    try:
        condition = Condition.parse(text)
    except RuleBroken as broken:
        assert "at character" in str(broken)
    else:
        assert condition.holds(FACTS) in (True, False)
