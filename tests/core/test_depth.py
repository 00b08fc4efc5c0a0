"""How deep the analysis goes, and the words that change it (rules DEPTH-1 to DEPTH-4)."""

from __future__ import annotations

from typing import Any

import pytest

from roundtable.core.hearing import hear_depth
from roundtable.core.lines import DEPTH_ANNOUNCEMENTS
from roundtable.core.progress import choose_depth, read_scope
from roundtable.core.steps import Depth

AT = "02-impact-analysis"


def sizes(scope: str | None, complexity: str | None) -> dict[str, str]:
    return {name: size for name, size in (("scope", scope), ("complexity", complexity)) if size}


PHRASES: dict[str, Depth] = {
    "deep": "deep",
    "more detail": "deep",
    "dig in": "deep",
    "thorough": "deep",
    "go deeper": "deep",
    "full analysis": "deep",
    "brief": "brief",
    "skip ahead": "brief",
    "keep it short": "brief",
    "quick": "brief",
    "fast": "brief",
    "summarize": "brief",
    "just the highlights": "brief",
    "standard": "standard",
    "normal": "standard",
}


@pytest.mark.rule("DEPTH-2")
@pytest.mark.parametrize(("phrase", "depth"), PHRASES.items())
def test_the_words_change_the_depth(phrase: str, depth: Depth) -> None:
    assert hear_depth(phrase, None) == depth
    assert hear_depth(f"{phrase.upper()}, please!", "Who benefits?") == depth
    assert hear_depth(f"{phrase} users", None) is None
    assert hear_depth(f"{phrase}ish", None) is None


@pytest.mark.rule("DEPTH-2")
@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("make it deep please", "deep"),
        ("can we go deeper?", "deep"),
        ("let’s dig in", "deep"),
        ("I'd like a bit more detail", "deep"),
        ("the quick version", "brief"),
        ("switch to standard mode", "standard"),
        ("it must be fast", None),
        ("standard SSO login", None),
        ("not deep", None),
        ("deep or brief", None),
        ("deep brief", None),
        ("make it", None),
        ("", None),
    ],
)
def test_only_a_request_changes_it(text: str, depth: Depth | None) -> None:
    assert hear_depth(text, None) == depth


@pytest.mark.rule("DEPTH-2")
def test_only_a_message_of_six_words_at_most_changes_it() -> None:
    assert hear_depth("let's make it a bit deep", None) == "deep"
    assert hear_depth("let's make it a bit more deep", None) is None


@pytest.mark.rule("DEPTH-2")
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("fast", "How fast must it be?"),
        ("Quick.", "How quickly must it load?"),
        ("Quick.", "How fast must it be?"),
        ("keep it short", "How long may the message be?"),
        ("deep", "How DEEP may the tree be?"),
        ("more detail", "How much detail is shown?"),
        ("normal", "Is the load normal or not?"),
        ("full analysis", "Which analysis runs?"),
    ],
)
def test_an_answer_to_the_question_is_no_request(text: str, question: str) -> None:
    assert hear_depth(text, question) is None
    assert hear_depth(text, "Who benefits?") is not None


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize(
    ("scope", "complexity", "depth"),
    [
        ("small", "low", "brief"),
        ("small", "medium", "standard"),
        ("small", None, "standard"),
        (None, "low", "standard"),
        ("medium", "low", "standard"),
        ("large", "low", "deep"),
        ("small", "high", "deep"),
        ("large", None, "deep"),
        (None, "high", "deep"),
        (None, None, "standard"),
    ],
)
def test_the_quick_scan_suggests_a_depth(scope: str | None, complexity: str | None, depth: Depth) -> None:
    assert choose_depth({}, AT, sizes(scope, complexity), "standard") == depth


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize("depth", ["brief", "standard", "deep"])
def test_an_override_goes_before_the_scan_and_the_scan_before_the_step(depth: Depth) -> None:
    assert choose_depth({AT: depth}, AT, sizes("large", "high"), "brief") == depth
    assert choose_depth({AT: depth}, AT, sizes("small", "low"), "deep") == depth
    assert choose_depth({}, AT, {"scope": "large"}, depth) == "deep"
    assert choose_depth({}, AT, {}, depth) == depth


@pytest.mark.rule("DEPTH-1")
def test_the_word_for_a_phase_holds_for_those_after_it_and_not_before_it() -> None:
    for overrides, depth in (({"01-requirements": "deep"}, "deep"), ({"03-architecture": "deep"}, "brief")):
        assert choose_depth(overrides, AT, {}, "brief") == depth


@pytest.mark.rule("DEPTH-4")
@pytest.mark.parametrize("bad", ["Deep", "", 3, None, True, [], {}, ["deep"]])
def test_bad_values_are_ignored(bad: Any) -> None:
    assert choose_depth({AT: bad}, AT, {}, "deep") == "deep"


@pytest.mark.rule("DEPTH-3")
def test_the_depth_is_announced() -> None:
    assert DEPTH_ANNOUNCEMENTS["brief"] == (
        "This looks straightforward. I'll keep the analysis brief"
        " -- say 'deep' if you want the full treatment."
    )
    assert DEPTH_ANNOUNCEMENTS["deep"] == (
        "This is a substantial change. I'll do a thorough analysis"
        " -- say 'brief' if you want to speed things up."
    )
    assert "standard" not in DEPTH_ANNOUNCEMENTS


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- **Scope**: small\n- **Complexity**: low", ("small", "low")),
        ("**Scope:** Large", ("large", None)),
        ("Complexity: high", (None, "high")),
        ("| Scope | small | three files |\n| Complexity | medium |", ("small", "medium")),
        ("Scope: small, complexity: medium", ("small", "medium")),
        ("Scope: small (complexity: low)", ("small", "low")),
        ("## 1. Scope: LARGE (12 files)", ("large", None)),
        ("2) Estimated scope = medium", ("medium", None)),
        ("Overall complexity estimate: low", (None, "low")),
        ("`scope`: `large`", ("large", None)),
        ("Scope: to be found\nScope: small", ("small", None)),
        ("Scope: small\nScope: large", ("small", None)),
        ("Scope: small, a small thing", ("small", None)),
        ("Out of scope: large files", (None, None)),
        ("Scope: small | medium | large", (None, None)),
        ("Scope: small to medium", (None, None)),
        ("Scope: smallish", (None, None)),
        ("Scope: low", (None, None)),
        ("Complexity: large", (None, None)),
        ("Scope\nsmall", (None, None)),
        ("", (None, None)),
    ],
)
def test_scope_and_complexity_are_read_from_the_quick_scan(
    text: str, found: tuple[str | None, str | None]
) -> None:
    assert read_scope(text) == found


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("**Scope**: Scope: small, complexity: low", ("small", "low")),
        ("**Scope**: small, low", ("small", "low")),
        ("- **Scope**: large / high.", ("large", "high")),
        ("**Scope**: Scope: medium, medium", ("medium", "medium")),
        ("**Scope**: large, medium", ("large", "medium")),
        ("**Scope**: small, low\n\n**Complexity**: high", ("small", "high")),
        ("**Scope**: small, low or high", ("small", None)),
        ("**Scope**: small, lowly", ("small", None)),
        ("Out of **scope**: small, low", (None, None)),
    ],
)
def test_both_may_be_answered_in_one_line(text: str, found: tuple[str | None, str | None]) -> None:
    assert read_scope(text) == found
    assert read_scope(f"# Quick Scan\n\n{text}\n\nMore.") == found


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize(("scope", "complexity"), [("small", "medium"), ("medium", "low"), (None, "medium")])
def test_a_size_in_between_is_asked_at_standard_whatever_the_step_says(
    scope: str | None, complexity: str
) -> None:
    assert choose_depth({}, AT, sizes(scope, complexity), "deep") == "standard"
