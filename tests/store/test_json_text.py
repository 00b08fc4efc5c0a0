"""JSON without loss: what is read can be written back to the letter (rule META-3)."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.store.meta import MAX_JSON_DEPTH, Number, parse_json, render_json

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()))
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner),
)
NUMERALS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?", fullmatch=True)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.rule("META-3")
@given(VALUES)
def test_written_as_the_standard_library_does_with_two_spaces(value: Any) -> None:
    text = render_json(value)
    text.encode()
    expected = json.dumps(value, indent=2, ensure_ascii=False)
    assert text == "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in expected)


@pytest.mark.rule("META-3")
@given(VALUES)
def test_what_is_read_is_written_back_to_the_letter(value: Any) -> None:
    text = render_json(value)
    assert render_json(parse_json(text.encode())) == text


@pytest.mark.rule("META-3")
@given(NUMERALS)
def test_every_number_keeps_its_spelling(numeral: str) -> None:
    number = parse_json(numeral.encode())
    assert render_json(number) == numeral
    assert float(number) == float(numeral)


@pytest.mark.rule("META-3")
@pytest.mark.parametrize(
    "numeral", ["1e400", "-1e400", "1.00", "-0", "1E5", "1e-400", "0.10", "1.0000000000000000001", "9" * 5000]
)
def test_numbers_that_python_would_spell_differently_are_kept(numeral: str) -> None:
    number = parse_json(numeral.encode())
    assert type(number) is Number
    assert number == float(numeral)
    assert render_json({"n": [number]}) == f'{{\n  "n": [\n    {numeral}\n  ]\n}}'


@pytest.mark.rule("META-3")
def test_other_numbers_are_plain() -> None:
    numbers = parse_json(b"[10, -3, 0, 0.5, 1e+22, -0.0]")
    assert [type(number) for number in numbers] == [int, int, int, float, float, float]


def test_a_number_can_be_copied() -> None:
    number = Number("1.00")
    for twin in (copy.deepcopy(number), copy.copy(number), pickle.loads(pickle.dumps(number))):
        assert (twin, twin.text, type(twin)) == (1.0, "1.00", Number)


@pytest.mark.rule("META-3", "META-4")
def test_texts_keep_their_characters_and_lone_surrogates_are_escaped() -> None:
    assert render_json("né 😀\u2028\n\x7f") == '"né 😀\u2028\\n\x7f"'
    assert render_json({"\udfff": "a\ud800b\ud7ff\ue000"}) == '{\n  "\\udfff": "a\\ud800b\ud7ff\ue000"\n}'


@pytest.mark.rule("META-4")
def test_the_shape() -> None:
    value = {"a": {}, "b": [], "c": [1, {"d": None}], "e": {"f": True}, "g": (), "h": (1, 2)}
    assert render_json(value) == (
        '{\n  "a": {},\n  "b": [],\n  "c": [\n    1,\n    {\n      "d": null\n    }\n  ],\n'
        '  "e": {\n    "f": true\n  },\n  "g": [],\n  "h": [\n    1,\n    2\n  ]\n}'
    )


@pytest.mark.rule("META-1")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b" \r\n\t", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (b'{"a": "\xff"}', "'utf-8' codec can't decode byte 0xff"),
        (b'{"a": "\xed\xa0\x80"}', "'utf-8' codec can't decode byte 0xed"),
        (b'{\n  "a": 1\n  "b": 2\n}', "Expecting ',' delimiter: line 3 column 3"),
        (b'{"a": 1', "Expecting ',' delimiter: line 1 column 8"),
        (b"{} {}", "Extra data: line 1 column 4"),
        (b'{"a": NaN}', "it holds NaN, which JSON does not know"),
        (b"Infinity", "it holds Infinity, which JSON does not know"),
        (b"[-Infinity]", "it holds -Infinity, which JSON does not know"),
        (nested(100_000), "it is nested more than 200 deep"),
        (nested(201), "it is nested more than 200 deep"),
        (b'{"a":' * 201 + b"1" + b"}" * 201, "it is nested more than 200 deep"),
    ],
    ids=range(14),
)
def test_what_is_no_json_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_json(data)
    assert str(caught.value).startswith(reason)


@pytest.mark.rule("META-1")
def test_a_byte_order_mark_is_no_fault_and_of_doubled_keys_the_last_stands() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1, "b": 2, "a": 3}') == {"a": 3, "b": 2}
    with pytest.raises(ValueError, match="line 1 column 1"):
        parse_json(b"\xef\xbb\xbf\xef\xbb\xbf{}")


def test_200_deep_is_read_and_written() -> None:
    assert MAX_JSON_DEPTH == 200
    for data in (nested(200), b'{"a":' * 199 + b"[1]" + b"}" * 199):
        assert json.loads(render_json(parse_json(data))) == json.loads(data)


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.rule("META-4")
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (json.loads(nested(201)), "it is nested more than 200 deep"),
        (circle(), "it is nested more than 200 deep"),
        ([math.nan], "Out of range float values are not JSON compliant"),
        ([math.inf], "Out of range float values are not JSON compliant"),
        ({"a": {1}}, "Object of type set is not JSON serializable"),
    ],
    ids=range(5),
)
def test_what_could_not_be_read_back_is_not_written(value: Any, reason: str) -> None:
    with pytest.raises(RuleBroken) as caught:
        render_json(value)
    assert str(caught.value).startswith(f"This cannot be written as JSON: {reason}")
    assert str(caught.value).endswith(".")
