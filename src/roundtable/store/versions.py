"""Versions: how a file stood in earlier commits of the project."""

from __future__ import annotations

import time
from pathlib import Path

from ..git import run_git

_SECONDS = 20.0
_MOST = 200


def earlier_versions(root: Path, path: Path) -> tuple[tuple[str, str], ...] | None:
    """Return the short commit and the text of each version, oldest first; None where git cannot say in time.

    Git is asked in the project's root: the folder of an item may hold a repository of somebody else's.
    """
    deadline = time.monotonic() + _SECONDS
    name = path.relative_to(root).as_posix()
    log = run_git(
        root, "rev-list", "--abbrev-commit", f"--max-count={_MOST}", "HEAD", "--", name, seconds=_SECONDS
    )
    if log is None:
        return None
    found = []
    for commit in reversed(log.decode("ascii", "replace").split()):
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        data = run_git(root, "cat-file", "blob", f"{commit}:./{name}", seconds=left)
        if data is not None:  # a commit that removed the file has no version of it
            found.append((commit, data.decode("utf-8", "replace")))
    return tuple(found)
