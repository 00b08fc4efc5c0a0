"""A project whose first step is complete, and the ways to hold an elaboration on it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from project import ANSWERS, project, small_steps, talk
from ways import WAYS, Way


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose first step is complete."""
    root, item = project(tmp_path_factory.mktemp("elaboration") / "project")
    small_steps(root)
    talk(root, item, ANSWERS)
    return root


@pytest.fixture
def place(prepared: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of that project, and its item's folder."""
    root = tmp_path / "project"
    shutil.copytree(prepared, root)
    return root, next((root / "docs" / "requirements").iterdir())


@pytest.fixture(params=sorted(WAYS))
def hold(request: pytest.FixtureRequest) -> Way:
    """A way to hold an elaboration."""
    return WAYS[request.param]
