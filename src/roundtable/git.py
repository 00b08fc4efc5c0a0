"""The one way to run git: it only reads, it runs nothing that the project names, and it ends in time.

A project may come from anybody, and so may the `config` of a repository in it. Git takes programs from there
(signature checks, hooks, external diffs, file system monitors, transports), so each of them is switched off
here, with settings that are stronger than the repository's own.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

# Only commands that leave the files of the working tree as they are: to compare one with a commit (`diff`,
# `status`), git runs the filters that a repository may name in any number.
GitCommand = Literal[
    "cat-file", "config", "diff-tree", "grep", "log", "ls-files", "remote", "rev-list", "rev-parse"
]  # fmt: skip

_CONFIG = {
    "safe.bareRepository": "explicit",
    "log.showSignature": "false",
    "gpg.program": os.devnull,
    "gpg.openpgp.program": os.devnull,
    "gpg.ssh.program": os.devnull,
    "gpg.x509.program": os.devnull,
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": os.devnull,
    "credential.helper": "",
    "protocol.allow": "never",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # stronger than `protocol.NAME.allow`; no protocol has this name
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# These only make git look at less. Any other variable could name another repository, settings or programs.
_KEPT = frozenset({"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_NOSYSTEM"})
_SHORT_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_COMMIT_SECONDS = 2.0
_VERSIONS_SECONDS = 20.0
_MAX_VERSIONS = 200


def run_git(
    root: Path,
    command: GitCommand,
    *words: str,
    seconds: float,
    config: Mapping[str, str] | None = None,
    keep_partial: bool = False,
    empty_status: int = 0,
    environment: Mapping[str, str] | None = None,
) -> bytes | None:
    """Return what a git command prints in the project's root; None without git or where it fails.

    With `keep_partial`, what was printed before the time ran out is the answer. `empty_status` is the exit
    status of a command that found nothing, such as 1 for `grep`.
    """
    import subprocess  # late: many commands never ask git

    settings = [
        word for key, value in (_CONFIG | dict(config or {})).items() for word in ("-c", f"{key}={value}")
    ]
    options = ("--no-ext-diff", "--no-textconv") if command == "log" else ()
    try:
        repository = _find_repository(root)
        if repository == "bare" or (repository is None and command != "config"):
            return None
        answer = subprocess.run(
            ["git", "--no-pager", *settings, "-C", str(root), command, *options, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            env=safe_environment(os.environ if environment is None else environment),
        )
    except subprocess.TimeoutExpired as late:
        return late.stdout if keep_partial else None
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError):  # RuntimeError: links in a circle
        return None
    return answer.stdout if answer.returncode in (0, empty_status) else None


def safe_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for git, or a program that runs it: no other repository, settings or network."""
    kept = {key: value for key, value in environment.items() if not key.startswith("GIT_") or key in _KEPT}
    # For the git that another program runs; git before 2.31 does not know these.
    settings = {"GIT_CONFIG_COUNT": str(len(_CONFIG))}
    for number, (key, value) in enumerate(_CONFIG.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return kept | _ENVIRONMENT | settings


def _find_repository(root: Path) -> Literal["usual", "bare"] | None:
    """Say what git would find: a usual repository, or a folder that is one itself.

    Git before 2.38 has no setting against the second; without either, git need not be asked.
    """
    here = root.resolve()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return "usual"
        if all((folder / name).exists() for name in ("HEAD", "objects", "refs")):
            return "bare"
    return None


def current_commit(root: Path) -> str | None:
    """Return the short git commit of the project; None outside git, before the first one, or without git."""
    answer = run_git(root, "rev-parse", "--short", "HEAD", seconds=_COMMIT_SECONDS)
    commit = (answer or b"").decode("ascii", "replace").strip()
    return commit if _SHORT_COMMIT.fullmatch(commit) else None


@lru_cache(maxsize=256)
def has_code_moved(root: Path, since: str, commit: str | None, items: Path) -> bool:
    """Whether the project changed between two commits; the folder of the items does not count."""
    if commit is None or commit.startswith(since) or since.startswith(commit):
        return False
    if not _SHORT_COMMIT.fullmatch(since):
        return True
    # Plumbing: it tells names, and runs nothing that the repository's settings name.
    answer = run_git(
        root, "diff-tree", "-r", "-z", "--relative", "--name-only", since, commit, seconds=_COMMIT_SECONDS
    )
    own = os.fsencode(Path(os.path.relpath(items, root)).as_posix()) + b"/"
    return answer is None or any(name and not name.startswith(own) for name in answer.split(b"\0"))


def earlier_versions(root: Path, path: Path) -> tuple[tuple[str, str], ...] | None:
    """Return the short commit and the text of each version, oldest first; None where git cannot say in time.

    Git is asked in the project's root: the folder of an item may hold a repository of somebody else's.
    """
    deadline = time.monotonic() + _VERSIONS_SECONDS
    name = path.relative_to(root).as_posix()
    words = ("--abbrev-commit", f"--max-count={_MAX_VERSIONS}", "HEAD", "--", name)
    log = run_git(root, "rev-list", *words, seconds=_VERSIONS_SECONDS)
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
