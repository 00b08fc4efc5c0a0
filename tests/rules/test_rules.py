"""Both ways: every rule has a test, and every rule that a test names exists."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "rules.md"
_ID = re.compile(r"[A-Z]+-\d+")


def rules() -> tuple[set[str], set[str]]:
    """The ids of all rules on the page, and of those that are open."""
    text, _, still_open = PAGE.read_text(encoding="utf-8").partition("## Open")
    stated = re.findall(r"^- \*\*([A-Z]+-\d+)\*\* \S", text, re.MULTILINE)
    assert len(stated) == len(set(stated)), "a rule stands twice on the page"
    return set(stated), set(_ID.findall(still_open))


def covered() -> dict[str, set[str]]:
    """Which tests name which rule, from the `rule` marks of tests, classes and whole modules."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for mark in _marks(node):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rule":
                    for argument in mark.args:
                        found[ast.literal_eval(argument)].add(str(path.relative_to(TESTS)))
    return found


def _marks(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.decorator_list
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
        return node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
    return []


def test_every_rule_that_is_not_open_has_a_test() -> None:
    stated, still_open = rules()
    assert len(stated) > 60
    assert sorted(stated - still_open - set(covered())) == []


def test_every_rule_that_a_test_names_is_on_the_page() -> None:
    stated, _ = rules()
    assert {rule: names for rule, names in covered().items() if rule not in stated} == {}


def test_only_stated_rules_are_open() -> None:
    stated, still_open = rules()
    assert sorted(still_open - stated) == []
