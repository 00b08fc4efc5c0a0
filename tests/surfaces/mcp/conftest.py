"""A project for a host: one item at its beginning, and the same with its first step complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from project import ANSWERS, project, small_steps, talk


@pytest.fixture
def raw(tmp_path: Path) -> tuple[Path, Path]:
    """A project and its item, of which nothing is done."""
    root, item = project(tmp_path / "project")
    small_steps(root)
    return root, item


@pytest.fixture
def place(raw: tuple[Path, Path]) -> tuple[Path, Path]:
    """The same, with the first step complete."""
    talk(*raw, ANSWERS)
    return raw
