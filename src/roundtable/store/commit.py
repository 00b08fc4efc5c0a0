"""The commit that the project's code is at."""

from __future__ import annotations

import re
from pathlib import Path

from ..git import run_git

_SHORT_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_SECONDS = 2.0


def current_commit(root: Path) -> str | None:
    """The short git commit of the project; None outside git, before the first commit, or without git."""
    answer = run_git(root, "rev-parse", "--short", "HEAD", seconds=_SECONDS)
    commit = (answer or b"").decode("ascii", "replace").strip()
    return commit if _SHORT_COMMIT.fullmatch(commit) else None
