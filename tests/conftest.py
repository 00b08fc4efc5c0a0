"""What every test may rely on: the rule marker, and folders of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from project import ANSWERS, project, small_steps, talk

# How long an example takes says more about the machine than about the code. The same examples every time, so
# that a change is judged by itself; `make fuzz` tries new ones.
settings.register_profile("tests", deadline=None, derandomize=True, database=None)
settings.register_profile("fuzz", deadline=None, database=None, print_blob=True, max_examples=300)
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(*ids): the ids of the rules that the test covers")
    # A shell lets its background jobs ignore Ctrl-C, and nohup a hangup; our children would inherit that.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads the settings, the keys or the home of whoever runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for name in [name for name in os.environ if name.startswith("ROUNDTABLE_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty item's folder."""
    item = tmp_path / "docs" / "requirements" / "offline-forms"
    item.mkdir(parents=True)
    return item


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A project with a few small steps, and the folder of its item."""
    root, item = project(tmp_path / "project")
    small_steps(root)
    return root, item


@pytest.fixture
def completed(place: tuple[Path, Path]) -> tuple[Path, Path]:
    """The same with the first step complete; no model has been asked yet."""
    talk(*place, ANSWERS)
    return place
