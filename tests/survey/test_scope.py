"""Scope and complexity from the number of likely files and folders, and from a test among the findings."""

from __future__ import annotations

import pytest

from roundtable.core.progress import read_scope
from roundtable.survey import estimate_size, likely_files
from roundtable.survey.search import FoundFile


def found(*paths: str, score: float = 1.0, count: int = 1) -> list[FoundFile]:
    return [FoundFile(path, score, count, ()) for path in paths]


TEST = found("tests/test_a.py", score=0.6)


def size_of(findings: list[FoundFile]) -> tuple[str, str]:
    size = estimate_size(findings)
    assert size is not None
    return size


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
def test_the_scope_goes_by_files_and_folders(paths: list[str], scope: str) -> None:
    assert size_of(found(*paths))[0] == scope
    assert size_of([*found(*paths), *TEST])[0] == scope


@pytest.mark.parametrize(
    ("folders", "complexity", "without_a_test"),
    [(1, "low", "medium"), (2, "low", "medium"), (3, "medium", "medium"), (7, "medium", "high")],
)
def test_the_complexity_goes_by_folders_and_is_never_low_without_a_test(
    folders: int, complexity: str, without_a_test: str
) -> None:
    findings = found(*(f"{number}/a.py" for number in range(folders)))
    assert size_of([*findings, *TEST])[1] == complexity
    assert size_of(findings)[1] == without_a_test
    assert size_of([*findings, *found("tests/test_far.py", score=0.4)])[1] == without_a_test


def test_only_strong_findings_with_hits_in_source_and_settings_count() -> None:
    findings = [
        *found("a.py", score=1.0),
        *found("tests/test_a.py", "docs/a.md", "pyproject.toml", score=0.9),
        *found("history.py", score=0.8, count=0),
        *found("b.py", score=0.5),
        *found("c.py", score=0.49),
    ]
    assert likely_files(findings) == ("a.py", "pyproject.toml", "b.py")


@pytest.mark.parametrize("findings", [[], found("docs/a.md", "tests/test_a.py")])
def test_without_a_file_to_edit_there_is_no_estimate(findings: list[FoundFile]) -> None:
    assert estimate_size(findings) is None


@pytest.mark.rule("DEPTH-1")
def test_the_line_is_in_the_form_that_the_depth_is_read_from() -> None:
    assert read_scope("Scope: small, complexity: low") == ("small", "low")
