"""A server on this machine, a project to talk about, and keys that must stay secret."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from panel.model.service import Service, service
from panel.model.wire import KEYS, hold_no_key
from project import ANSWERS, project, small_steps, talk

LOGGERS = (
    "anthropic",
    "asyncio",
    "google_genai",
    "httpcore2",
    "httpx2",
    "openai",
    "pydantic_ai",
    "roundtable",
)


@pytest.fixture
def secret_keys(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[None]:
    """Keys are in the environment in every test, and in no file, log or output after it."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    for name in ("http_proxy", "https_proxy", "all_proxy", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in LOGGERS:
        caplog.set_level(logging.DEBUG, name)
    yield
    out, err = capfd.readouterr()
    logged = "\n".join(caplog.handler.format(record) for record in caplog.get_records("call"))
    written = b"\n".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    hold_no_key(out, err, logged, written.decode("utf-8", "replace"))


@pytest.fixture
def server() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A project whose first step is complete."""
    root, item = project(tmp_path / "project")
    small_steps(root)
    talk(root, item, ANSWERS)
    return root, item
