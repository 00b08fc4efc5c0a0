"""Scope and complexity from figures, with the figures in words."""

from __future__ import annotations

import pytest

from roundtable.core.progress import read_scope
from roundtable.survey.report import (
    Complexity,
    FoundFile,
    Scope,
    SizeEstimate,
    estimate_size,
    likely_files,
)


def found(*paths: str, score: float = 1.0, count: int = 1) -> list[FoundFile]:
    return [FoundFile(path, score, count, ()) for path in paths]


TEST = ["tests/test_a.py"]


def size_of(findings: list[FoundFile], users: list[str] | None) -> SizeEstimate:
    size = estimate_size(findings, users)
    assert size is not None
    return size


def using(count: int) -> list[str]:
    return [f"use/u{number}.py" for number in range(count)]


@pytest.mark.parametrize(
    ("paths", "scope"),
    [
        (["a/1.py", "a/2.py", "b/3.py"], "small"),
        (["a/1.py", "a/2.py", "a/3.py", "a/4.py"], "medium"),
        (["a/1.py", "b/2.py", "c/3.py"], "medium"),
        ([f"a/{number}.py" for number in range(9)], "medium"),
        ([f"a/{number}.py" for number in range(10)], "large"),
        ([f"{number}/a.py" for number in range(6)], "medium"),
        ([f"{number}/a.py" for number in range(7)], "large"),
    ],
)
def test_the_scope_goes_by_files_and_folders(paths: list[str], scope: Scope) -> None:
    assert size_of(found(*paths), TEST).scope == scope


@pytest.mark.parametrize(
    ("paths", "users", "tests", "complexity"),
    [
        (["a.py"], 0, TEST, "low"),
        (["a.py"], 5, [], "low"),
        (["a.py"], 6, TEST, "low"),
        (["a.py"], 6, [], "medium"),
        (["a.py"], 20, [], "medium"),
        (["a.py"], 21, [], "high"),
        (["a/1.py", "b/2.py", "c/3.py"], 21, TEST, "high"),
    ],
)
def test_the_complexity_goes_by_users_folders_and_tests(
    paths: list[str], users: int, tests: list[str], complexity: Complexity
) -> None:
    assert size_of(found(*paths), [*using(users), *tests]).complexity == complexity


def test_the_figure_is_given_in_words() -> None:
    assert size_of(found("a.py", "b/c.py"), using(1)).users == "other files that use it: 1"
    assert size_of(found("a.py"), using(2)).users == "other files that use it: 2"


def test_only_strong_findings_with_hits_in_source_and_settings_count() -> None:
    findings = [
        *found("a.py", score=1.0),
        *found("tests/test_a.py", "docs/a.md", "pyproject.toml", score=0.9),
        *found("history.py", score=0.8, count=0),
        *found("b.py", score=0.5),
        *found("c.py", score=0.49),
    ]
    assert likely_files(findings) == ("a.py", "pyproject.toml", "b.py")


def test_users_that_are_not_known_give_no_figure_and_no_low() -> None:
    assert size_of(found("a.py"), None) == SizeEstimate("small", "medium")


@pytest.mark.parametrize("findings", [[], found("docs/a.md", "tests/test_a.py")])
def test_without_a_file_to_edit_there_is_no_estimate(findings: list[FoundFile]) -> None:
    assert estimate_size(findings, []) is None


@pytest.mark.rule("DEPTH-1")
def test_the_line_is_in_the_form_that_the_depth_is_read_from() -> None:
    assert read_scope("Scope: small, complexity: low") == ("small", "low")
