"""The small language of `skip_if`: a yes or no over an item's facts, never run as code (rule STEP-3).

either     = both { "or" both }
both       = refusal { "and" refusal }
refusal    = "not" refusal | comparison
comparison = value [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in") value ]
value      = name | "text" | 'text' | number | true | false | "(" either ")"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Literal, TypeAlias, assert_never

from .errors import RuleBroken

Fact: TypeAlias = str | int | float | bool | tuple[str, ...]
_Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]

_LONGEST = 500
_DEEPEST = 20
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"[^"]*"|'[^']*')
    | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?![\w.]))
    | (?P<name>[^\W\d]\w*)
    | (?P<sign>==|!=|<=|>=|<|>|\(|\))
    )""",
    re.VERBOSE,
)
_OPERATORS: tuple[_Operator, ...] = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_RESERVED = frozenset({"and", "or", "not", "in"})
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _Value:
    value: Fact


@dataclass(frozen=True, slots=True)
class _Comparison:
    left: _Expression
    operator: _Operator
    right: _Expression


@dataclass(frozen=True, slots=True)
class _Not:
    denied: _Expression


@dataclass(frozen=True, slots=True)
class _Both:
    left: _Expression
    right: _Expression


@dataclass(frozen=True, slots=True)
class _Either:
    left: _Expression
    right: _Expression


_Expression: TypeAlias = _Name | _Value | _Comparison | _Not | _Both | _Either


class _CannotTell(Exception):
    """The facts do not answer the condition."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition over an item's facts, as written and as understood."""

    text: str
    _meaning: _Expression

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition that the text states; raises `RuleBroken` saying where it does not parse."""
        if len(text) > _LONGEST:
            raise RuleBroken(f"The condition has {len(text)} characters; {_LONGEST} are allowed.")
        reader = _Reader(_tokens(text))
        meaning = reader.either()
        reader.end()
        return cls(text, meaning)

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """True where the facts make it so; an unknown name or values that do not compare make it false."""
        try:
            return _truth(self._meaning, facts)
        except _CannotTell:
            return False


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def _tokens(text: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            hint = " Use == to compare." if text[at] == "=" else ""
            raise _unreadable(at, f"{text[at]!r} is not understood.{hint}")
        kind = match.lastgroup or ""
        word = match.group(kind)
        tokens.append(_Token("sign" if word in _RESERVED else kind, word, match.start(kind)))
        at = match.end()
    return (*tokens, _Token("end", "", len(text)))


def _unreadable(at: int, reason: str) -> RuleBroken:
    return RuleBroken(f"The condition does not parse at character {at + 1}: {reason}")


class _Reader:
    """Reads the tokens once, from left to right."""

    def __init__(self, tokens: tuple[_Token, ...]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def either(self) -> _Expression:
        left = self._both()
        while self._takes("or"):
            left = _Either(left, self._both())
        return left

    def end(self) -> None:
        if self._next.kind != "end":
            raise _unreadable(self._next.at, f"{self._next.text!r} comes after the end of the condition.")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _takes(self, *signs: str) -> bool:
        following = self._tokens[self._at : self._at + len(signs)]
        taken = [(token.kind, token.text) for token in following] == [("sign", sign) for sign in signs]
        self._at += len(signs) if taken else 0
        return taken

    def _both(self) -> _Expression:
        left = self._refusal()
        while self._takes("and"):
            left = _Both(left, self._refusal())
        return left

    def _refusal(self) -> _Expression:
        return _Not(self._refusal()) if self._takes("not") else self._comparison()

    def _comparison(self) -> _Expression:
        left = self._value()
        for operator in _OPERATORS:
            if self._takes(*operator.split()):
                return _Comparison(left, operator, self._value())
        return left

    def _value(self) -> _Expression:
        token = self._next
        if self._takes("("):
            return self._group(token)
        self._at += 1
        match token.kind:
            case "text":
                return _Value(token.text[1:-1])
            case "number":
                return _Value(float(token.text) if "." in token.text else int(token.text))
            case "name":
                truth = _TRUTHS.get(token.text)
                return _Name(token.text) if truth is None else _Value(truth)
            case _:
                found = f"{token.text!r}" if token.text else "the end"
                raise _unreadable(token.at, f"a value is missing before {found}.")

    def _group(self, opening: _Token) -> _Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _unreadable(opening.at, f"more than {_DEEPEST} parentheses are open.")
        meaning = self.either()
        if not self._takes(")"):
            raise _unreadable(self._next.at, f"the parenthesis of character {opening.at + 1} is not closed.")
        self._depth -= 1
        return meaning


def _truth(meaning: _Expression, facts: Mapping[str, Fact]) -> bool:
    value = _value(meaning, facts)
    if not isinstance(value, bool):
        raise _CannotTell
    return value


def _value(meaning: _Expression, facts: Mapping[str, Fact]) -> Fact:
    match meaning:
        case _Value(value):
            return value
        case _Name(name):
            if name not in facts:
                raise _CannotTell
            return facts[name]
        case _Comparison(left, operator, right):
            return _compared(_value(left, facts), operator, _value(right, facts))
        case _Not(denied):
            return not _truth(denied, facts)
        case _Both(left, right):
            # Both sides are always looked at, so that the order of writing does not matter.
            return all([_truth(left, facts), _truth(right, facts)])
        case _Either(left, right):
            return any([_truth(left, facts), _truth(right, facts)])
        case _:
            assert_never(meaning)


def _compared(left: Fact, operator: _Operator, right: Fact) -> bool:
    match operator:
        case "in" | "not in":
            if not isinstance(left, str) or not isinstance(right, str | tuple):
                raise _CannotTell
            return (left in right) is (operator == "in")
        case "==" | "!=":
            if _sort(left) != _sort(right):
                raise _CannotTell
            return (left == right) is (operator == "==")
        case "<" | "<=" | ">" | ">=":
            if _sort(left) != _sort(right) or _sort(left) not in ("number", "text"):
                raise _CannotTell
            return _ORDERS[operator](left, right)
        case _:
            assert_never(operator)


def _sort(value: Fact) -> str:
    match value:
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case str():
            return "text"
        case tuple():
            return "list"
        case _:
            assert_never(value)
