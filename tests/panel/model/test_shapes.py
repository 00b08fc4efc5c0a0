"""Shapes: what a model gives as JSON is what was asked for, or refused with the reason."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from roundtable.panel.model.panel import FramingShape, SynthesisShape, make_schema, read_object

ALL = [FramingShape, SynthesisShape]
FRAMING = {"summary": "a", "focus_question": "b?", "focus_topic": "c"}


@pytest.mark.parametrize("shape", ALL)
def test_every_text_list_and_number_has_a_bound_and_every_object_is_closed(
    shape: type[msgspec.Struct],
) -> None:
    schema = make_schema(shape)
    Draft202012Validator.check_schema(schema)
    assert "$ref" not in json.dumps(schema)

    def check(node: Any) -> None:
        match node:
            case {"type": "string"}:
                assert node["maxLength"] <= 800
            case {"type": "array"}:
                assert node["maxItems"] <= 40
                check(node["items"])
            case {"type": "integer"}:
                assert node["maximum"] <= 10_000
            case {"type": "object"}:
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
                for each in node["properties"].values():
                    check(each)
            case _:
                assert node["type"] == "boolean"

    check(schema)


@pytest.mark.parametrize(
    "around", ["{}", "```json\n{}\n```", "Certainly!\n{}\nAnything else?", "\ufeff{}", "<think>no</think>{}"]
)
def test_what_stands_around_the_object_is_passed_over(around: str) -> None:
    text = around.replace("{}", json.dumps(FRAMING | {"more": 1}))
    assert read_object(text, FramingShape) == FramingShape("a", "b?", "c")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "There was no JSON object in it."),
        ("} {", "There was no JSON object in it."),
        ("[]", "There was no JSON object in it."),
        ('{"summary": "a', "There was no JSON object in it."),
        ('{"summary": "a", }', "It was not valid JSON."),
        ("{" * 5_000 + "}" * 5_000, "It was not valid JSON."),
        ('{"summary": "a"}', "`summary` or `focus_question` is missing or empty."),
        (json.dumps(FRAMING | {"summary": 3}), "Expected `str`, got `int` - at `$.summary`."),
        (json.dumps(FRAMING | {"summary": "x" * 801}), "Expected `str` of length <= 800 - at `$.summary`."),
        (json.dumps(FRAMING | {"summary": None}), "Expected `str`, got `null` - at `$.summary`."),
    ],
)
def test_nonsense_is_refused_with_the_reason_and_without_its_words(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_object(text, FramingShape)
    assert str(refused.value) == reason


@given(st.text(max_size=60))
def test_nothing_but_a_value_error_is_ever_raised(text: str) -> None:
    with pytest.raises(ValueError):
        read_object(text, SynthesisShape)


def test_an_insight_is_asked_for_without_a_detail_and_the_others_with_one() -> None:
    parts = make_schema(SynthesisShape)["properties"]
    assert parts["insights"]["items"]["required"] == ["text", "turns"]
    assert parts["decisions"]["items"]["required"] == ["text", "turns", "detail"]
