"""Regular expressions: none of them takes long, whatever text it is given."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import patterns
from people import ALEX, ITEM, JOURNEYS, ROSTER, STEPS, find_slips
from roundtable.core.claims import check_contribution, check_draft
from roundtable.core.commands import Table
from roundtable.core.hearing import address, find_corrections
from roundtable.core.progress import read_scope
from roundtable.core.steps import Item
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.text import (
    escape_markdown,
    parse_heading,
    strip_unprintable,
    unescape_markdown,
)
from roundtable.core.turns import Turn
from roundtable.core.validation import meets_check
from roundtable.core.voice import strip_quotations
from roundtable.documents.outline import read_outline
from roundtable.documents.page import (
    split_statements,
    write_paragraph,
    write_table,
    write_title,
)
from roundtable.panel.model.panel import Cutter
from roundtable.survey.search import extract_terms

# Where a function writes its own pattern, from names that it escapes; what they are used for is tried below.
_BUILT = (
    "roundtable.catalogue.files: convert",
    "roundtable.catalogue: find_project_kind",  # from content/survey.toml, tried in `collect`
    "roundtable.core.claims: _credit_pattern",
    "roundtable.core.claims: _find_fault_of_form",
    "roundtable.core.claims: _name_pattern",
    "roundtable.core.hearing: _find_address",
    "roundtable.core.hearing: hear_exit",
    "roundtable.core.text: _find_acting_runs",
    "roundtable.core.voice: _find_forbidden",
    "roundtable.panel.model.panel: _labels",
    "roundtable.panel.offline.messages: pattern",
    "roundtable.panel.offline.messages: strip_address",
    "roundtable.settings: _read_layer",
    "roundtable.survey.lookup: _weigh_line",
    "roundtable.survey.search: _find_spelling",  # one escaped word
)
_CRITERIA = (
    "a number with a unit",
    "given, when and then",
    "a file or module",
    "two options",
    "at least 3 entries",
)
_SAID = Turn(1, ALEX.key, "Jordan said that 3 copies differ.")
_TABLE = Table(ITEM, JOURNEYS, ROSTER, ALEX, STEPS, (), 10, turns=(_SAID,))
_READERS: dict[str, Callable[[str], object]] = {
    "printable": strip_unprintable,
    "plain": unescape_markdown,
    "heading_of": lambda text: parse_heading(f"# {text}"),
    "escape_markdown": escape_markdown,
    "title": write_title,
    "table": lambda text: write_table(("a",), [(text,)]),
    "paragraph": lambda text: write_paragraph("Label", text),
    "scenarios": split_statements,
    "outline": lambda text: read_outline(text.encode()),
    "without_quotations": strip_quotations,
    "check_contribution": lambda text: check_contribution(text, ALEX, _TABLE, lambda _: 20),
    "check_draft": lambda text: check_draft(Draft(insights=(Entry(text, (1,)),)), _TABLE, lambda _: 20),
    "check_voice": lambda text: find_slips(text, ALEX),
    "read_scope": lambda text: read_scope(f"scope: {text}"),
    "check": lambda text: [meets_check(criterion, text) for criterion in _CRITERIA],
    "corrections": find_corrections,
    "address": lambda text: address(text, ROSTER),
    "terms_of": lambda text: extract_terms(Item("item", text[:200], text)),
    "Cutter": lambda text: Cutter(ALEX, ROSTER, 100).feed(text),
}


def test_every_pattern_is_linear_on_a_megabyte_of_hostile_text() -> None:
    """In a process of its own: a pattern that never comes back is ended by the alarm, and named."""
    ended = subprocess.run(
        [sys.executable, str(Path(patterns.__file__))],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, (
        f"It ended with {ended.returncode} in: {lines[-1] if lines else ended.stderr}"
    )
    assert [line for line in lines if " ok " not in line] == []
    assert len(lines) > 200


def test_a_pattern_that_is_not_linear_would_be_found() -> None:
    quadratic = patterns.Found("a module", "_NAME", re.compile(r"\s*;"), frozenset({"search"}))
    assert patterns.measure(quadratic, long=20_000)[0] > 10 * patterns.measure(quadratic, long=2_000)[0]


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5, such as Debian's, fails to match `(?:...)*+`; `(?>(?:...)*)` says the same."""
    assert [
        f"{each.module} {each.name}" for each in patterns.collect() if patterns.repeats_group(each.pattern)
    ] == []
    assert patterns.repeats_group(re.compile(r"(?:a.|b)*+"))
    assert not patterns.repeats_group(re.compile(r"[ab]*+(?>(?:a.|b)*)"))


def test_patterns_that_are_put_together_are_known() -> None:
    assert patterns.dynamic_calls() == _BUILT


@pytest.mark.parametrize("name", _READERS)
def test_what_reads_free_text_reads_hostile_text_in_time(name: str) -> None:
    for piece in patterns.SAID_OVER_AND_OVER:
        before = time.process_time()
        _READERS[name](piece * (50_000 // len(piece)))
        assert time.process_time() - before < patterns.LIMIT, f"{name} on {piece!r}"


def test_an_unended_sequence_loses_its_signs_and_keeps_its_words() -> None:
    assert strip_unprintable("a\x9db\x9d c\x9b31m d\x1b]e \x1b[31mf") == "ab c de f"
    assert strip_unprintable("a\x1b]0;title\x07b\x9dtitle\x9cc\x1bPx\x1b\\d") == "abcd"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("# C#", (1, "C#")),
        ("## Words  ##  ", (2, "Words")),
        ("   ###### x", (6, "x")),
        ("#", None),
        ("#x", None),
        ("#   ", None),
        ("    # code", None),
    ],
)
def test_a_heading_is_read_without_its_closing_signs(line: str, found: tuple[int, str] | None) -> None:
    assert parse_heading(line) == found
