"""Questions to git that never wait long, never write, and never speak to a network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

# A hook or a surrounding git command sets these, and they would name another repository than the project's.
_STRANGE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
)


def ask(root: Path, *words: str, patience: float, part: bool = False, none: int = 0) -> bytes | None:
    """What git answers in the project's folder; None without git or where it refuses.

    With `part`, what was said until patience ran out counts as the answer; `none` is the exit code that some
    commands end with where there is nothing to say.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _STRANGE}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
    try:
        answer = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-C", str(root), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as late:
        return late.stdout if part else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return answer.stdout if answer.returncode in (0, none) else None
