"""What the tests of trackers share: a server, an environment with nothing of the user's, and a fake gh."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trackers.server import Tracker, tracker


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def server() -> Iterator[Tracker]:
    with tracker() as running:
        yield running


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate and its key in one file, signed by nobody."""
    file = tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    try:
        subprocess.run(
            [*command.split(), *named, "-keyout", str(file), "-out", f"{file}.public"],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.SubprocessError):
        pytest.skip("openssl cannot make a certificate here")
    file.write_text(file.read_text() + Path(f"{file}.public").read_text())
    return file


@pytest.fixture
def secure(certificate: Path) -> Iterator[Tracker]:
    """A server with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with tracker(context) as running:
        yield running


@pytest.fixture
def other() -> Iterator[Tracker]:
    with tracker() as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder that is the whole PATH: git, and what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("git", "sh", "cat", "sleep", "pwd", "env"):
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    return folder


@pytest.fixture
def environment(programs: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": str(programs),
        "HOME": str(tmp_path),
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@pytest.fixture
def fake_gh(programs: Path) -> Callable[[str], None]:
    """Puts a gh on the PATH that runs the given shell lines."""

    def install(script: str) -> None:
        program = programs / "gh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return install
