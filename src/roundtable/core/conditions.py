"""The small language of `skip_if`: a yes or no over an item's facts (rule STEP-3).

A condition is made of names, "texts", numbers, true, false, parentheses, `and`, `or`, `not`, and one of
`== != < <= > >= in`, `not in` between two values. Python parses it, but nothing is ever run: only these
constructs have a meaning here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from keyword import iskeyword
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from .errors import RuleBroken

Fact: TypeAlias = str | int | float | bool | tuple[str, ...]

_MAX_LENGTH = 500
_MAX_OPEN_PARENTHESES = 20
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"[^"]*"|'[^']*')
    | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?![\w.]))
    | (?P<comparison>==|!=|<=|>=|<|>|(?:not\s+)?in\b)
    | (?P<join>(?:and|or)\b)
    | (?P<negation>not\b)
    | (?P<open>\() | (?P<close>\))
    | (?P<name>[^\W\d]\w*)
    )""",
    re.VERBOSE,
)
_ORDERS: Mapping[type[ast.cmpop], Any] = {ast.Lt: lt, ast.LtE: le, ast.Gt: gt, ast.GtE: ge}


class _CannotTell(Exception):
    """The facts do not answer the condition."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition over an item's facts, as written and as understood."""

    text: str
    _meaning: ast.expr

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition that the text states; raise `RuleBroken` saying where it does not parse."""
        if len(text) > _MAX_LENGTH:
            raise RuleBroken(f"The condition has {len(text)} characters; {_MAX_LENGTH} are allowed.")
        return cls(text, ast.parse(_translate(text), mode="eval").body)

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """Whether the facts make it true; an unknown name or values that do not compare make it false."""
        try:
            return _truth(self._meaning, facts)
        except _CannotTell:
            return False


def _translate(text: str) -> str:
    """Return the condition as a Python expression, in which each word stands where one may stand."""
    source: list[str] = []
    opened: list[tuple[int, bool]] = []
    needs_value, may_compare = True, True
    at = 0
    while at < len(text.rstrip()):
        token = _TOKEN.match(text, at)
        if token is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            hint = " Use == to compare." if text[at] == "=" else ""
            raise _unreadable(at, f"{text[at]!r} is not understood.{hint}")
        kind = token.lastgroup or ""
        word, start, at = token[kind], token.start(kind), token.end()
        begins_value = kind in ("text", "number", "name", "open", "negation")
        if needs_value and (not begins_value or (kind == "negation" and not may_compare)):
            raise _unreadable(start, f"a value is missing before {word!r}.")
        too_many = (kind == "comparison" and not may_compare) or (kind == "close" and not opened)
        if too_many or (begins_value and not needs_value):
            raise _unreadable(start, f"{word!r} comes after the end of the condition.")
        needs_value = kind in ("open", "negation", "comparison", "join")
        match kind:
            case "open":
                opened.append((start, may_compare))
                if len(opened) > _MAX_OPEN_PARENTHESES:
                    raise _unreadable(start, f"more than {_MAX_OPEN_PARENTHESES} parentheses are open.")
                may_compare = True
            case "close":
                may_compare = opened.pop()[1]
            case "comparison" | "join":
                may_compare = kind == "join"
            case "text":
                word = repr(word[1:-1])
            case "number":
                word = repr(float(word) if "." in word else int(word))
            case "name" if word in ("true", "false"):
                word = word.capitalize()
            case "name" if not word.isidentifier() or (iskeyword(word) and word not in ("True", "False")):
                raise _unreadable(start, f"{word!r} is not understood.")
        source.append(word)
    if needs_value:
        raise _unreadable(len(text), "a value is missing before the end.")
    if opened:
        start = opened[-1][0]
        raise _unreadable(len(text), f"the parenthesis of character {start + 1} is not closed.")
    return " ".join(source)


def _unreadable(at: int, reason: str) -> RuleBroken:
    return RuleBroken(f"The condition does not parse at character {at + 1}: {reason}")


def _truth(meaning: ast.expr, facts: Mapping[str, Fact]) -> bool:
    value = _value(meaning, facts)
    if not isinstance(value, bool):
        raise _CannotTell
    return value


def _value(meaning: ast.expr, facts: Mapping[str, Fact]) -> Fact:
    match meaning:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id=name) if name in facts:
            return facts[name]
        case ast.UnaryOp(op=ast.Not(), operand=denied):
            return not _truth(denied, facts)
        case ast.BoolOp(op=joint, values=values):
            # Every side is looked at, so that the order of writing does not matter.
            truths = [_truth(each, facts) for each in values]
            return all(truths) if isinstance(joint, ast.And) else any(truths)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compare(_value(left, facts), operator, _value(right, facts))
    raise _CannotTell


def _compare(left: Fact, operator: ast.cmpop, right: Fact) -> bool:
    if isinstance(operator, ast.In | ast.NotIn):
        if not isinstance(left, str) or not isinstance(right, str | tuple):
            raise _CannotTell
        return (left in right) is isinstance(operator, ast.In)
    sorts = {float if type(each) is int else type(each) for each in (left, right)}
    if len(sorts) > 1:
        raise _CannotTell
    if isinstance(operator, ast.Eq | ast.NotEq):
        return (left == right) is isinstance(operator, ast.Eq)
    if not sorts <= {float, str}:
        raise _CannotTell
    return bool(_ORDERS[type(operator)](left, right))
