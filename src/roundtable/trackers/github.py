"""Issues from GitHub: by its own program `gh` where that is logged in, else over the web."""

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
from urllib.parse import urlsplit

from ..core.errors import TrackerFailed
from ..core.text import strip_unprintable
from ..git import run_git, safe_environment
from .reference import GITHUB, GithubReference
from .service import PATIENCE as HTTP_PATIENCE
from .service import (
    Issue,
    Service,
    build_headers,
    check_base_address,
    clean_issue,
    explain_bad_answer,
    get_json,
    no_issue_error,
)

_SECONDS = 5.0
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+/|[:/])/?"
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+?)(?:\.git)?/?",
    re.ASCII,
)
_ALIASES = {"ssh.github.com", "www.github.com"}


GH_PATIENCE = 15.0
_API = "https://api.github.com"
_ADDRESS = "GITHUB_API_URL"
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_ACCEPT = "application/vnd.github+json"

_FIELDS = "title,body"
_NOT_LOGGED_IN = 4
_LOG_IN = "gh auth login"
_QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GH_PAGER": "cat", "NO_COLOR": "1"}
# These make gh colour its JSON or fill stderr with requests.
_LOUD = {"GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"}
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSWORD")
_SECRET = re.compile(r"\b(?:gh[a-z]_|github_pat_)\w+")
_MAX_ERROR_LENGTH = 200
_WAY_ON = "Check the reference, or give the issue's full address."


def fetch_github(
    reference: GithubReference,
    root: Path,
    environment: Mapping[str, str],
    *,
    patience: float = HTTP_PATIENCE,
    gh_patience: float = GH_PATIENCE,
) -> Issue:
    """Return the issue with the user's own credentials, or without any where it is public."""
    try:
        answer = ask_gh(reference, root, environment, patience=gh_patience)
    except TrackerFailed:
        if _find_token(environment, reference.source_id) is None:
            raise
        answer = None
    if answer is None:
        answer = _ask_service(reference, root, environment, patience)
    return clean_issue(reference, title=answer.get("title"), text=answer.get("body"))


def ask_gh(
    reference: GithubReference, root: Path, environment: Mapping[str, str], *, patience: float = GH_PATIENCE
) -> dict[str, Any] | None:
    """Return what gh says about the issue; None where it is not installed or not logged in."""
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
        raise no_issue_error(source_id, f"gh did not answer within {patience:g} seconds.", by_gh) from None
    except OSError:  # this system cannot run the file
        return None
    if status == _NOT_LOGGED_IN or (status and _LOG_IN in err):
        return None
    if status:
        said = _first_line(err, environment) or f"it ended with status {status}."
        raise no_issue_error(source_id, f"gh could not read {source_id}: {said}", _WAY_ON)
    try:
        answer = json.loads(out)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or "title" not in answer:
        raise no_issue_error(source_id, "gh answered with something that is not an issue.", by_gh)
    return answer


def _run(
    command: list[str], root: Path, environment: Mapping[str, str], patience: float
) -> tuple[int, str, str]:
    """Return exit status and output of a command that can neither ask anything nor outlive its time."""
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
            # With all that it started, lest one of them keeps its output open.
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            raise
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _first_line(text: str, environment: Mapping[str, str]) -> str:
    """Return the first line that says something, without any credentials."""
    line = next(filter(None, (" ".join(line.split()) for line in strip_unprintable(text).splitlines())), "")
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and value.strip():
            line = line.replace(value.strip(), "***")
    line = _SECRET.sub("***", line)[:_MAX_ERROR_LENGTH].rstrip(" .")
    return f"{line}." if line else ""


def _ask_service(
    reference: GithubReference, root: Path, environment: Mapping[str, str], patience: float
) -> dict[str, Any]:
    place = (reference.host or GITHUB, reference.repository) if reference.repository else None
    place = place or find_origin(root, environment)
    if place is None:
        raise no_issue_error(
            reference.source_id,
            f'{reference.source_id} names no repository, and git knows no remote "origin" here that does.',
            f"Give the full address: https://{GITHUB}/OWNER/NAME/issues/{reference.number}.",
        )
    service = _build_service(place[0], environment, reference.source_id)
    answer = get_json(service, f"/repos/{place[1]}/issues/{reference.number}", patience=patience)
    if "title" not in answer:
        raise explain_bad_answer(service)
    return answer


def find_origin(root: Path, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Return host and owner/name of git's `origin`; None without one, or where it is a folder."""
    answer = run_git(root, "remote", "get-url", "origin", seconds=_SECONDS, environment=environment)
    return parse_remote((answer or b"").decode("utf-8", "replace").strip())


def parse_remote(address: str) -> tuple[str, str] | None:
    """Return host and owner/name in a remote's address, whichever way git writes it."""
    remote = _REMOTE.fullmatch(address)
    if remote is None:
        return None
    host = remote["host"].lower()
    # A host without a dot is a nickname from the user's ssh settings.
    return (GITHUB if host in _ALIASES or "." not in host else host), remote["repository"]


def _build_service(host: str, environment: Mapping[str, str], source_id: str) -> Service:
    """Return where to ask; the token goes to GitHub or to the address that the user has set, nowhere else."""
    token = _find_token(environment, source_id)
    base = environment.get(_ADDRESS, "").strip()
    place: str | None = _ADDRESS
    access = _TOKENS[0]
    if base:
        base = check_base_address(_ADDRESS, base, source_id)
    # GitHub's own address says nothing about other hosts.
    if host != GITHUB and (not base or urlsplit(base).hostname == urlsplit(_API).hostname):
        base, token = f"https://{host}/api/v3", None
        access = f"{_ADDRESS}={base} and {_TOKENS[0]}"
    elif not base:
        base, place = _API, None
    if token is None:
        access, authorization = f'{access}, or log in with "gh auth login"', None
    else:
        access, authorization = token[0], f"Bearer {token[1]}"
    return Service("GitHub", base, access, place, source_id, build_headers(_ACCEPT, authorization))


def _find_token(environment: Mapping[str, str], source_id: str) -> tuple[str, str] | None:
    """Return the name of the first token that is set, and the token."""
    for name in _TOKENS:
        if value := environment.get(name, "").strip():
            # Checked here, since the library would show the whole header in its own error.
            if not (value.isascii() and value.isprintable()) or " " in value:
                raise no_issue_error(
                    source_id, f"{name} holds characters that no token has.", f"Check {name}."
                )
            return name, value
    return None
