"""The commit that the project's code is at."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_SHORT_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_PATIENCE = 2


def current_commit(root: Path) -> str | None:
    """The short git commit of the project; None outside git, before the first commit, or without git."""
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "--short", "HEAD"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    commit = answer.stdout.decode("ascii", "replace").strip()
    return commit if _SHORT_COMMIT.fullmatch(commit) else None
