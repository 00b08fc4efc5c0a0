"""The small language of `skip_if`: a yes or no over an item's facts (rule STEP-3).

A condition is made of names, "texts", numbers, true, false, parentheses, `and`, `or`, `not`, and one of
`== != < <= > >= in`, `not in` between two values. Python parses it, but nothing is ever run: only these
constructs have a meaning here.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from .errors import RuleBroken

Fact: TypeAlias = str | int | float | bool | tuple[str, ...]

_MAX_LENGTH = 500
_TRUTHS = {"true": True, "false": False}
_ORDERS: Mapping[type[ast.cmpop], Any] = {ast.Lt: lt, ast.LtE: le, ast.Gt: gt, ast.GtE: ge}
_OPERATORS: tuple[type[ast.AST], ...] = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, *_ORDERS)


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
        start = len(text) - len(text.lstrip())
        try:
            meaning = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            at = start + error.offset if error.offset else len(text) + 1
            raise _unreadable(at, f"{error.msg}.") from None
        except ValueError:  # a character that no source may hold
            raise _unreadable(1, "it holds a character that cannot be read.") from None
        for node in ast.walk(meaning):
            if isinstance(node, ast.expr) and not _has_meaning(node):
                words = ast.get_source_segment(text.strip(), node)
                raise _unreadable(start + node.col_offset + 1, f"{words!r} is not understood.")
        return cls(text, meaning)

    def holds(self, facts: Mapping[str, Fact]) -> bool:
        """Whether the facts make it true; an unknown name or values that do not compare make it false."""
        try:
            return _truth(self._meaning, facts)
        except _CannotTell:
            return False


def _unreadable(at: int, reason: str) -> RuleBroken:
    return RuleBroken(f"The condition does not parse at character {at}: {reason}")


def _has_meaning(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() | int() | float()) | ast.Name() | ast.BoolOp():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return isinstance(operand, ast.Constant) and isinstance(operand.value, int | float)
        case ast.UnaryOp(op=operator) | ast.Compare(ops=[operator]):
            return isinstance(operator, ast.Not) or type(operator) in _OPERATORS
    return False


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
        case ast.Name(id="true" | "false" as name):
            return _TRUTHS[name]
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
