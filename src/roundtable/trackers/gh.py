"""The user's own `gh`: asked first, since it is logged in where the user works."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.markup import printable
from ..git import safe_environment
from .issue import no_issue
from .reference import GITHUB, GithubReference

PATIENCE = 15.0

_FIELDS = "title,body,url,number,state"
_NOT_LOGGED_IN = 4
_LOG_IN = "gh auth login"
_QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GH_PAGER": "cat", "NO_COLOR": "1"}
# These make gh colour its JSON or fill stderr with requests.
_LOUD = {"GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"}
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSWORD")
_SECRET = re.compile(r"\b(?:gh[a-z]_|github_pat_)\w+")
_LONGEST = 200
_WAY_ON = "Check the reference, or give the issue's full address."


def ask_gh(
    reference: GithubReference, root: Path, environment: Mapping[str, str], *, patience: float = PATIENCE
) -> dict[str, Any] | None:
    """What gh says about the issue; None where it is not installed or not logged in."""
    program = shutil.which("gh", path=environment.get("PATH", ""))
    if program is None:
        return None
    command = [program, "issue", "view", str(reference.number), "--json", _FIELDS]
    if reference.repository:
        command += ["--repo", f"{reference.host or GITHUB}/{reference.repository}"]
    source_id = reference.source_id
    by_gh = f"Try it with: gh issue view {reference.number}."
    try:
        status, out, err = _run(command, root, environment, patience)
    except subprocess.TimeoutExpired:
        raise no_issue(source_id, f"gh did not answer within {patience:g} seconds.", by_gh) from None
    except OSError:  # a file that is no program for this system
        return None
    if status == _NOT_LOGGED_IN or (status and _LOG_IN in err):
        return None
    if status:
        said = _first_line(err, environment) or f"it ended with status {status}."
        raise no_issue(source_id, f"gh could not read {source_id}: {said}", _WAY_ON)
    try:
        answer = json.loads(out)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or "title" not in answer:
        raise no_issue(source_id, "gh answered with something that is no issue.", by_gh)
    return answer


def _run(
    command: list[str], root: Path, environment: Mapping[str, str], patience: float
) -> tuple[int, str, str]:
    """Exit status and output of a command that can neither ask anything nor outlive its time."""
    quiet = {
        name: value for name, value in safe_environment(environment).items() if name not in _LOUD
    } | _QUIET
    with subprocess.Popen(
        command,
        cwd=root,
        env=quiet,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=patience)
        except BaseException:
            _end(process)
            raise
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all that it started, lest one of them keeps its output open."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _first_line(text: str, environment: Mapping[str, str]) -> str:
    """The first line that says something, without any credentials."""
    line = next(filter(None, (" ".join(line.split()) for line in printable(text).splitlines())), "")
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and value.strip():
            line = line.replace(value.strip(), "***")
    line = _SECRET.sub("***", line)[:_LONGEST].rstrip(" .")
    return f"{line}." if line else ""
