"""The built-in files are parsed once and kept; a cue is looked for only where it can be met."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.panel.offline.needles import needles
from roundtable.panel.offline.probefile import BUILT_IN
from roundtable.panel.offline.shelf import shelf

FILE = "[[probe]]\nid = 'a'\ncalls_for = ['\\bdelet(?:e|ing)\\b']\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "a.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_what_was_parsed_is_kept_and_taken_again(folder: Path) -> None:
    first = shelf(folder)
    (kept,) = (folder / "__pycache__").iterdir()
    shelf.cache_clear()
    assert shelf(folder) == first
    assert first.needles == {r"\bdelet(?:e|ing)\b": ("delet",)}
    kept.write_bytes(b"no longer sound")
    shelf.cache_clear()
    assert shelf(folder) == first


def test_a_changed_file_is_parsed_again(folder: Path) -> None:
    shelf(folder)
    (folder / "a.toml").write_text(FILE.replace("'a'", "'bb'"), encoding="utf-8")
    shelf.cache_clear()
    tables = shelf(folder).tables["a.toml"]
    assert tables is not None
    assert tables["probe"][0]["id"] == "bb"


def test_a_folder_that_cannot_be_written_is_no_failure(folder: Path) -> None:
    (folder / "__pycache__").write_text("in the way", encoding="utf-8")
    assert shelf(folder).tables["a.toml"] is not None


def test_a_file_that_is_not_sound_is_left_to_the_check(folder: Path) -> None:
    (folder / "b.toml").write_text("[[probe", encoding="utf-8")
    assert shelf(folder).tables["b.toml"] is None
    assert shelf(folder).tables["a.toml"] is not None


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        (r"\bdelet(?:e|ing)\b", ("delet",)),
        (r"\b(?:remov\w+|eras(?:e|ing))\b", ("eras", "remov")),
        (r"(?:undo)?\s+\w+", ()),
        (r"\b(?:a|remove)\b", ()),
        (r"(?:merge){1,2}", ("merge",)),
        (r"[Dd]elete (?:the )?account", ("account",)),
        (r"(", ()),
    ],
)
def test_needles_are_what_has_to_be_there(expression: str, found: tuple[str, ...]) -> None:
    assert needles(expression) == found


CUES = tuple(
    cue
    for tables in shelf(BUILT_IN).tables.values()
    for probe in (tables or {}).get("probe", ())
    for cue in probe.get("calls_for", ())
)


@given(st.sampled_from(CUES), st.data())
def test_no_needle_hides_a_match(cue: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(cue, re.IGNORECASE | re.ASCII)))
    if "\n" not in text and re.search(cue, text, re.IGNORECASE):
        wanted = needles(cue)
        assert not wanted or any(needle in text.lower() for needle in wanted)
