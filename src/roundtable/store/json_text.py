"""JSON read and written without loss: numbers keep their spelling, texts their characters."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from typing import Any, NoReturn, Self

from ..core.errors import RuleBroken

DEEPEST = 500
"""How many lists and objects may stand in one another."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Number(float):
    """A number that Python would spell in another way, such as `1.00` or `1e400`, with its own text."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)


def parse(data: bytes) -> Any:
    """What the JSON text holds; ValueError, with the reason in words for a person, where it is none."""
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (at byte {error.start + 1})") from error
    if not text.strip():
        raise ValueError("it is empty")
    try:
        value = json.loads(text, parse_float=_number, parse_int=_number, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise ValueError(f"line {error.lineno}, column {error.colno}: {reason}") from error
    except RecursionError as error:
        raise ValueError(_too_deep()) from error
    if _is_deep(value):
        raise ValueError(_too_deep())
    return value


def render(value: object) -> str:
    """The value as JSON text with an indent of two; RuleBroken where `parse` could not read it back."""
    if _is_deep(value):
        raise RuleBroken(f"This cannot be written as JSON: {_too_deep()}.")
    pieces: list[str] = []
    _add(pieces, value, "\n")
    return "".join(pieces)


def _add(pieces: list[str], value: object, margin: str) -> None:
    inner = margin + "  "
    if isinstance(value, dict) and value:
        opening = "{"
        for key, item in value.items():
            if not isinstance(key, str):
                raise RuleBroken(f"This cannot be written as JSON: the key {key!r} is not a text.")
            pieces += (opening, inner, _scalar(key), ": ")
            _add(pieces, item, inner)
            opening = ","
        pieces += (margin, "}")
    elif isinstance(value, list | tuple) and value:
        opening = "["
        for item in value:
            pieces += (opening, inner)
            _add(pieces, item, inner)
            opening = ","
        pieces += (margin, "]")
    else:
        pieces.append(_scalar(value))


def _scalar(value: object) -> str:
    if isinstance(value, Number):
        return value.text
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RuleBroken(f"This cannot be written as JSON: {error}.") from error
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _number(text: str) -> int | float:
    """The number as Python has it, where that is spelled the same."""
    for kind in (int, float):
        try:
            number = kind(text)
            if str(number) == text:
                return number
        except ValueError:  # not of this kind, or of more digits than Python converts
            continue
    return Number(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which JSON does not know")


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [item for outer in level for item in _items(outer)]
    return bool(level)


def _items(value: object) -> list[object]:
    """The lists and objects directly in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [item for item in inner if isinstance(item, dict | list | tuple)]


def _too_deep() -> str:
    return f"it is nested more than {DEEPEST} deep"
