"""Scope and complexity from figures, with the figures in words."""

from __future__ import annotations

import pytest

from roundtable.core.depth import read_scope
from roundtable.survey.report import (
    ChangeRate,
    CodeLine,
    Complexity,
    FoundFile,
    Relation,
    Scope,
    estimate,
    likely_files,
)


def found(*paths: str, score: float = 1.0, count: int = 1) -> list[FoundFile]:
    return [FoundFile(path, score, count, ()) for path in paths]


def ties(count: int) -> list[Relation]:
    return [Relation("imports", CodeLine(f"use/u{number}.py", 1, "x"), "a.py") for number in range(count)]


TEST = [Relation("tests", CodeLine("tests/test_a.py", 1, "x"), "a.py")]


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
    assert estimate(found(*paths), [], TEST, [])[0] == scope


@pytest.mark.parametrize(
    ("paths", "users", "tests", "commits", "complexity"),
    [
        (["a.py"], 0, TEST, 0, "low"),
        (["a.py"], 5, [], 11, "low"),
        (["a.py"], 6, TEST, 11, "low"),
        (["a.py"], 6, [], 0, "medium"),
        (["a.py"], 0, [], 12, "medium"),
        (["a.py"], 20, [], 12, "medium"),
        (["a.py"], 21, [], 12, "high"),
        (["a/1.py", "b/2.py", "c/3.py"], 21, TEST, 12, "high"),
    ],
)
def test_the_complexity_goes_by_users_folders_tests_and_change_rate(
    paths: list[str], users: int, tests: list[Relation], commits: int, complexity: Complexity
) -> None:
    rates = [ChangeRate(paths[0], 0, commits)]
    assert estimate(found(*paths), ties(users), tests, rates)[1] == complexity


def test_the_reasons_give_the_figures() -> None:
    guess = estimate(
        found("a.py", "b/c.py"), ties(1), TEST, [ChangeRate("a.py", 1, 3), ChangeRate("b/c.py", 0, 1)]
    )
    assert guess[2] == (
        "2 files in 2 folders look touched",
        "1 other file imports or mentions them",
        "1 test file covers them",
        "the busiest, a.py, changed in 3 commits in a year",
    )
    assert "no test was found that covers it" in estimate(found("a.py"), [], [], [])[2]


def test_only_strong_findings_with_hits_in_source_and_settings_count() -> None:
    findings = [
        *found("a.py", score=1.0),
        *found("tests/test_a.py", "docs/a.md", "pyproject.toml", score=0.9),
        *found("history.py", score=0.8, count=0),
        *found("b.py", score=0.5),
        *found("c.py", score=0.49),
    ]
    assert likely_files(findings) == ("a.py", "pyproject.toml", "b.py")


def test_nothing_found_is_called_a_guess() -> None:
    guess = estimate([], [], [], [])
    assert guess == ("medium", "medium", ("no file mentions the item's words, so this is a guess",))


@pytest.mark.rule("DEPTH-1")
def test_the_line_is_in_the_form_that_the_depth_is_read_from() -> None:
    assert read_scope("Scope: small, complexity: low") == ("small", "low")
