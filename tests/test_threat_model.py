"""The threat model and the list of early faults name tests, and they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def list_named(page: str) -> list[tuple[str, str]]:
    """Return the tests that a page names, with their files; `..._x` is the end of a name in the last file."""
    named, file = [], ""
    for own_file, name in re.findall(r"`(?:(tests/[\w/]+\.py)::(?:\w+::)?|\.\.\.)(\w+)`", page):
        file = own_file or file
        named.append((file, name if own_file else rf"\w*{name}"))
    return named


NAMED = [
    each
    for page in ("threat-model.md", "mended.md")
    for each in list_named((ROOT / "docs" / page).read_text("utf-8"))
]


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_line_names_a_test_that_exists(file: str, name: str) -> None:
    if not (ROOT / "tests/surfaces/web").exists() and file.startswith("tests/surfaces/web/"):
        pytest.skip("the web room is not part of this checkout")
    assert re.search(rf"def {name}\(", (ROOT / file).read_text("utf-8"))


def test_every_row_of_the_tables_names_a_test() -> None:
    text = (ROOT / "docs/threat-model.md").read_text("utf-8").partition("\n## Faults\n")[0]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 30
    assert [row for row in rows if "::" not in row and "| Test |" not in row] == []
