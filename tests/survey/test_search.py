"""Reading the files that may hold the terms: what counts as a hit, and what is not read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitproject import write
from roundtable.core.steps import Item
from roundtable.survey.files import LARGEST, read_text
from roundtable.survey.search import Term, extract_terms, rank_files


def find(root: Path, paths: Sequence[str], title: str) -> dict[str, int]:
    """Return how often the terms of a title were found, by file."""
    found = rank_files(root, paths, extract_terms(Item("item", title)), {}, ())
    return {file.path: file.count for file in found}


def test_hits_are_counted_whatever_the_capitals(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "Cache cached CACHING\nprint\n", "b.py": "nothing\n", "c.txt": "print\n"})
    assert find(tmp_path, ("a.py", "b.py", "c.txt"), "Caching of print jobs") == {"a.py": 4, "c.txt": 1}


def test_capitals_beyond_ascii_are_found_too(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "übersicht Übersicht ÜBERSICHT\n"})
    assert find(tmp_path, ("a.txt",), "Übersicht") == {"a.txt": 3}


def test_without_terms_or_files_nothing_is_read(tmp_path: Path) -> None:
    assert find(tmp_path, ("missing.py",), "") == {}
    assert find(tmp_path, (), "printer") == {}


def test_binary_huge_packed_and_missing_files_folders_and_links_are_not_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "image.png": b"printer\0printer",
            "huge.txt": b"printer\n" * (LARGEST // 8 + 1),
            "largest.txt": b"printer\n" * (LARGEST // 8),
            "line.json": b"printer " * (10 * 1024 * 1024 // 8),
            "app.min.js": b"printer;" * 1200 + b"\n",
            "ok.py": "printer\n",
        },
    )
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.py").symlink_to("ok.py")
    os.mkfifo(tmp_path / "pipe")
    names = ("image.png", "huge.txt", "line.json", "app.min.js", "folder", "link.py", "pipe", "missing")
    hits = find(tmp_path, (*names, "ok.py", "largest.txt"), "printer")
    assert {*hits} == {"ok.py", "largest.txt"}
    assert read_text(tmp_path, "pipe") in (None, b"")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.binary(max_size=400))
def test_no_bytes_break_the_count(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "any").write_bytes(data)
    found = rank_files(tmp_path, ["any"], [Term("a", 1.0), Term("b", 1.0)], {}, ())
    small = data.lower()
    hits = small.count(b"a") + small.count(b"b")
    assert sum(file.count for file in found) <= hits
