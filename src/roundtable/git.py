"""The only way to run git here: it only reads, runs no program that the project names, and ends in time.

A repository's `config` may come from anybody and name programs; all of them are switched off here.
"""

import os
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

# Only commands that do not open files of the working tree: to compare one with a commit (`diff`, `status`),
# git runs filters, and a repository may name any number of them.
GitCommand = Literal["cat-file", "config", "diff-tree", "log", "ls-files", "remote", "rev-list", "rev-parse"]

_CONFIG = {
    **{f"gpg{kind}.program": os.devnull for kind in ("", ".openpgp", ".ssh", ".x509")},
    "safe.bareRepository": "explicit",
    "log.showSignature": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": os.devnull,
    "credential.helper": "",
    "protocol.allow": "never",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # overrides `protocol.NAME.allow`; no protocol is called `none`
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# These only limit what git looks at. Any other variable could name another repository, settings or programs.
_KEPT = frozenset({"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_NOSYSTEM"})
_SHORT_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_COMMIT_SECONDS = 2.0
_VERSIONS_SECONDS = 20.0
_MAX_VERSIONS = 200


def run_git(root: Path, command: GitCommand, *words: str, seconds: float) -> bytes | None:
    """Return git's output in the project's root, of a late `log` what came in time; None if git fails."""
    from subprocess import DEVNULL, SubprocessError, TimeoutExpired, run  # late: many commands never ask git

    settings = [word for key, value in _CONFIG.items() for word in ("-c", f"{key}={value}")]
    options = ("--no-ext-diff", "--no-textconv") if command == "log" else ()
    given = safe_environment(os.environ)
    try:
        if not _can_ask(root, command):
            return None
        command_line = ["git", "--no-pager", *settings, "-C", str(root), command, *options, *words]
        answer = run(command_line, env=given, stdin=DEVNULL, capture_output=True, timeout=seconds)
    except TimeoutExpired as late:
        return late.stdout if command == "log" else None
    except (OSError, RuntimeError, ValueError, SubprocessError):  # RuntimeError: links in a circle
        return None
    return answer.stdout if answer.returncode == 0 else None


def safe_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which git, or a program that runs it, uses no other repository or network."""
    kept = {key: value for key, value in environment.items() if not key.startswith("GIT_") or key in _KEPT}
    return kept | _ENVIRONMENT


def _can_ask(root: Path, command: GitCommand) -> bool:
    """Whether git may run: not in a bare repository, which old git trusts; outside any, only `config`."""
    here = root.resolve()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return True
        if all((folder / name).exists() for name in ("HEAD", "objects", "refs")):
            return False
    return command == "config"


def current_commit(root: Path) -> str | None:
    """Return the project's short commit id; None without git, a repository or a first commit."""
    answer = run_git(root, "rev-parse", "--short", "HEAD", seconds=_COMMIT_SECONDS)
    return (answer or b"").decode("ascii", "replace").strip() or None


@lru_cache(maxsize=256)
def has_code_moved(root: Path, since: str, commit: str | None, items: Path) -> bool:
    """Whether the project changed between two commits, not counting the folder of the items."""
    if commit is None or commit.startswith(since) or since.startswith(commit):
        return False
    if not _SHORT_COMMIT.fullmatch(since):
        return True
    # A plumbing command: it prints names and runs no program from the repository's settings.
    words = ("-r", "-z", "--relative", "--name-only", since, commit)
    answer = run_git(root, "diff-tree", *words, seconds=_COMMIT_SECONDS)
    own = os.fsencode(Path(os.path.relpath(items, root)).as_posix()) + b"/"
    return answer is None or any(name and not name.startswith(own) for name in answer.split(b"\0"))


def earlier_versions(root: Path, path: Path) -> dict[str, tuple[str, str]] | None:
    """Return each version's parent and text by its commit, oldest first; None if git cannot say.

    The parent is the previous commit that changed the file; a merge has several, joined by spaces.
    """
    # Run in the project's root: an item's folder may hold somebody else's repository.
    deadline = time.monotonic() + _VERSIONS_SECONDS
    name = path.relative_to(root).as_posix()
    words = ("--parents", "--format=%h %p", f"--max-count={_MAX_VERSIONS}", "HEAD", "--", name)
    if (log := run_git(root, "rev-list", *words, seconds=_VERSIONS_SECONDS)) is None:
        return None
    found = {}
    for line in reversed(log.decode("ascii", "replace").splitlines()[1::2]):  # the others say `commit ID`
        commit, _, parent = line.partition(" ")
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        # The text is empty if the commit removed the file.
        data = run_git(root, "cat-file", "blob", f"{commit}:./{name}", seconds=left) or b""
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        found[commit] = parent, text
    return found
