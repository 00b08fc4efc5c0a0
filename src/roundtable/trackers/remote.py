"""The project's remote: the repository that an issue without one belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..git import run_git
from .reference import GITHUB

_SECONDS = 5.0
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+/|[:/])/?"
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+?)(?:\.git)?/?",
    re.ASCII,
)
_ALIASES = {"ssh.github.com", "www.github.com"}


def origin(root: Path, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Host and owner/name of git's `origin`; None without one, or where it is a folder."""
    answer = run_git(root, "remote", "get-url", "origin", seconds=_SECONDS, environment=environment)
    return parse_remote((answer or b"").decode("utf-8", "replace").strip())


def parse_remote(address: str) -> tuple[str, str] | None:
    """Host and owner/name in a remote's address, whichever way git writes it."""
    remote = _REMOTE.fullmatch(address)
    if remote is None:
        return None
    host = remote["host"].lower()
    # A host without a dot is a nickname from the user's ssh settings.
    return (GITHUB if host in _ALIASES or "." not in host else host), remote["repository"]
