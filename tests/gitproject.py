"""A project's folder for a survey to look at: files, and a real git repository where one is wanted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

NOW = 1_750_000_000
DAY = 86_400


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder with the files in it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(root: Path, *words: str, when: int = NOW) -> str:
    """What git says; commits get a fixed author and the given time."""
    environment = os.environ | {
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": f"{when} +0000",
        "GIT_COMMITTER_DATE": f"{when} +0000",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(
        ["git", "-C", str(root), "-c", "protocol.file.allow=always", *words],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    ).stdout


def commit(root: Path, subject: str, *, when: int = NOW) -> None:
    """Everything in the folder, committed."""
    git(root, "add", "--all")
    git(root, "commit", "-q", "--allow-empty", "-m", subject, when=when)


def repository(root: Path, files: Mapping[str, str | bytes], subject: str = "First import") -> Path:
    """A git repository with the files in one commit."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    write(root, files)
    commit(root, subject, when=NOW - 800 * DAY)
    return root
