"""Shapes: the JSON objects that a model is asked for, bounded everywhere, and checked by us.

The bounds keep a small model from running away; they are wide, so that a good answer is not lost for a word.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec

_LEFT_OUT = ("title", "default", "description")
Shaped = TypeVar("Shaped", bound=msgspec.Struct)

Text = Annotated[str, msgspec.Meta(max_length=800)]
Name = Annotated[str, msgspec.Meta(max_length=120)]
TurnNumber = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Turns = Annotated[tuple[TurnNumber, ...], msgspec.Meta(max_length=40)]


class Misshapen(ValueError):
    """An answer that is not what was asked for; the text says why, without the answer's words."""


class FramingShape(msgspec.Struct, frozen=True):
    """What the lead brings to the framing."""

    summary: Text
    focus_question: Text
    focus_topic: Name


class JudgementShape(msgspec.Struct, frozen=True):
    """Whether the user's turn drifts, and whether it decides."""

    off_topic: bool
    subject: Name = ""
    step: Name = ""
    decides: bool = False


class InsightShape(msgspec.Struct, frozen=True):
    """An insight and its turns."""

    text: Text
    turns: Turns


class EntryShape(msgspec.Struct, frozen=True):
    """A decision, question or action, its rationale, reason or owner, and its turns."""

    text: Text
    detail: Text
    turns: Turns


Insights = Annotated[tuple[InsightShape, ...], msgspec.Meta(max_length=12)]
Entries = Annotated[tuple[EntryShape, ...], msgspec.Meta(max_length=12)]


class SynthesisShape(msgspec.Struct, frozen=True):
    """The synthesis and its one-line summary."""

    insights: Insights
    decisions: Entries
    questions: Entries
    actions: Entries
    summary: Text


class SentenceShape(msgspec.Struct, frozen=True):
    """One sentence of a draft, the section it is for, and the labels of the answers that it rests on."""

    section: TurnNumber
    text: Text
    answers: Annotated[tuple[Name, ...], msgspec.Meta(max_length=20)]


class DraftShape(msgspec.Struct, frozen=True):
    """The sentences of a step's sections."""

    sentences: Annotated[tuple[SentenceShape, ...], msgspec.Meta(max_length=40)]


@cache
def schema(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a shape, in one piece and closed, as services want it."""
    (made,), parts = msgspec.json.schema_components([shape], ref_template="{name}")
    whole = _inlined(made, parts)
    assert isinstance(whole, dict)
    return whole


def read(text: str, shape: type[Shaped]) -> Shaped:
    """The object that an answer holds, whatever stands around it; Misshapen where there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Misshapen("There was no JSON object in it.")
    try:
        return msgspec.json.decode(text[start : end + 1].encode("utf-8", "replace"), type=shape)
    except msgspec.ValidationError as error:
        raise Misshapen(f"{error}.") from None
    except (msgspec.DecodeError, RecursionError):
        raise Misshapen("It was no sound JSON.") from None


def _inlined(node: Any, parts: dict[str, Any]) -> Any:
    match node:
        case {"$ref": str(name)}:
            return _inlined(parts[name], parts)
        case dict():
            made = {key: _inlined(value, parts) for key, value in node.items() if key not in _LEFT_OUT}
            if made.get("type") == "object":
                made["additionalProperties"] = False
                made["required"] = list(made.get("properties", {}))
            return made
        case list():
            return [_inlined(each, parts) for each in node]
        case _:
            return node
