"""What kind of project it is, by the files at its top."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roundtable.catalogue import find_project_kind


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("package.json", '{"devDependencies": {"react": "19"}}', "app"),
        ("package.json", '{"bin": "x.js"}', "tool"),
        ("package.json", '{"main": "x.js"}', "library"),
        ("package.json", "[1]", ""),
        ("pyproject.toml", '[project]\ndependencies = ["Flask>=2", "x"]', "service"),
        ("pyproject.toml", '[project]\nname = "x"\n[project.scripts]\nx = "x:main"', "tool"),
        ("pyproject.toml", '[project]\nname = "flask-like"', "library"),
        ("pyproject.toml", "[project", ""),
        ("Cargo.toml", '[[bin]]\nname = "x"', "tool"),
        ("Dockerfile", "FROM x", "service"),
        ("index.html", "", "app"),
        ("notes.txt", "", ""),
    ],
)
def test_the_files_at_the_top_tell_the_kind(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    assert find_project_kind(tmp_path) == kind


def test_a_huge_manifest_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"main": "x.js"}')
    os.truncate(tmp_path / "package.json", 1 << 40)  # a sparse file: it takes no room on the disk
    assert find_project_kind(tmp_path) == ""
