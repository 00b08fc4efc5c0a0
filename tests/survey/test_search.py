"""Reading the files that may hold the terms: the same with and without a sieve, and what is not read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitproject import git, write
from roundtable.core.steps import Item
from roundtable.survey import search
from roundtable.survey.files import LARGEST, list_files, read_text
from roundtable.survey.search import Term, extract_terms, rank_files, read_files


def find(root: Path, paths: Sequence[str], title: str) -> dict[str, int]:
    """Return how often the terms of a title were found, by file."""
    return {file.path: file.count for file in rank_files(root, paths, extract_terms(Item("item", title)))}


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


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A repository of some folders in which words turn up here and there."""
    words = ("printer", "Toner", "paper", "TRAY", "jam", "other")
    content = {
        f"m{number % 7}/f{number}.{'py' if number % 3 else 'txt'}": "".join(
            f"{words[(number + row) % 6]} {row}\n" for row in range(number % 5)
        )
        for number in range(120)
    }
    write(tmp_path, content)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "m0", "m1", "m2")
    return tmp_path


@pytest.mark.parametrize("title", ["Toner and paper", "a printer with a tray", "Übersicht toner", "nirgends"])
def test_many_files_are_sifted_first_and_the_hits_are_the_same(
    mixed: Path, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = list_files(mixed)
    unsifted = find(mixed, paths, title)
    monkeypatch.setattr(search, "_WORTH_A_SIEVE", 1)
    assert find(mixed, paths, title) == unsifted


def test_the_sieve_holds_back_what_has_no_hit(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = list_files(mixed)
    monkeypatch.setattr(search, "_WORTH_A_SIEVE", 1)
    assert 0 < len([*read_files(mixed, paths, ["toner"], exact=False)]) < len(paths)
    assert [*read_files(mixed, paths, ["toner"], exact=True)] == []
    assert [path for path, _ in read_files(mixed, paths, ["Toner", "TRAY"], exact=True)] == [
        path for path in paths if {b"Toner", b"TRAY"} & set((mixed / path).read_bytes().split())
    ]


def test_without_git_nothing_is_held_back(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = list_files(mixed)
    monkeypatch.setattr(search, "_WORTH_A_SIEVE", 1)
    monkeypatch.setenv("PATH", "")
    read = [path for path, _ in read_files(mixed, paths, ["toner"], exact=False)]
    assert read == [path for path in paths if (mixed / path).read_bytes()]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.binary(max_size=400))
def test_no_bytes_break_the_count(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "any").write_bytes(data)
    found = rank_files(tmp_path, ["any"], [Term("a", 1.0), Term("b", 1.0)])
    small = data.lower()
    hits = small.count(b"a") + small.count(b"b")
    assert sum(file.count for file in found) <= hits
