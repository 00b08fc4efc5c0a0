"""Versions: how a file stood in earlier commits of the project."""

from __future__ import annotations

import subprocess
from pathlib import Path

_PATIENCE = 20
_MOST = 200


def earlier_versions(path: Path) -> tuple[tuple[str, str], ...] | None:
    """The short commit and the text of each version, the oldest first; None where git cannot say."""
    log = _git(path.parent, "log", f"--max-count={_MOST}", "--format=%h", "--", path.name)
    if log is None:
        return None
    found = []
    for commit in reversed(log.decode("ascii", "replace").split()):
        data = _git(path.parent, "show", f"{commit}:./{path.name}")
        if data is not None:  # a commit that removed the file has no version of it
            found.append((commit, data.decode("utf-8", "replace")))
    return tuple(found)


def _git(folder: Path, *arguments: str) -> bytes | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return answer.stdout
