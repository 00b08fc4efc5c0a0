"""Issues from GitHub, with a token from the environment or from the login of GitHub's own program `gh`."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from ..git import run_git, safe_environment
from . import GITHUB, GithubReference, Issue
from .service import (
    MOST_COMMENTS,
    Service,
    build_headers,
    check_base_address,
    clean_issue,
    explain_bad_answer,
    get_json,
    join_comments,
    no_issue_error,
)

GH_PATIENCE = 5.0
_GIT_SECONDS = 5.0
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+/|[:/])/?"
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+?)(?:\.git)?/?",
    re.ASCII,
)
_ALIASES = {"ssh.github.com", "www.github.com"}
_API = "https://api.github.com"
_ADDRESS = "GITHUB_API_URL"
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
# With one of these gh would name the same token for any host.
_FOR_ANY_HOST = {"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
_ACCEPT = "application/vnd.github+json"


def fetch_github(reference: GithubReference, root: Path, environment: Mapping[str, str]) -> Issue:
    """Return the issue and its comments, with the user's own credentials or without where it is public."""
    service, path = _find_issue(reference, root, environment)
    answer = get_json(service, path)
    if "title" not in answer:
        raise explain_bad_answer(service)
    issue = clean_issue(reference, title=answer.get("title"), text=answer.get("body"))
    count = answer.get("comments")
    if not isinstance(count, int) or count <= 0:
        return issue
    # The last page holds the newest ones; GitHub sorts them by age.
    page = (count - 1) // MOST_COMMENTS + 1
    found = get_json(service, f"{path}/comments?per_page={MOST_COMMENTS}&page={page}", kind=list)
    comments = [
        ((each.get("user") or {}).get("login", ""), each.get("created_at", ""), each.get("body"))
        for each in found
        if isinstance(each, dict)
    ]
    return Issue(issue.title, join_comments(issue.text, comments, count))


def post_github(reference: GithubReference, root: Path, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address."""
    service, path = _find_issue(reference, root, environment)
    return str(get_json(service, f"{path}/comments", sent={"body": text}).get("html_url", ""))


def _find_issue(
    reference: GithubReference, root: Path, environment: Mapping[str, str]
) -> tuple[Service, str]:
    """Return where to ask for the issue, and its path there."""
    place = (reference.host or GITHUB, reference.repository) if reference.repository else None
    place = place or find_origin(root, environment)
    if place is None:
        raise no_issue_error(
            reference.source_id,
            f'{reference.source_id} names no repository, and git knows no remote "origin" here that does.',
            f"Give the full address: https://{GITHUB}/OWNER/NAME/issues/{reference.number}.",
        )
    service = _build_service(place[0], environment, reference.source_id)
    return service, f"/repos/{place[1]}/issues/{reference.number}"


def find_origin(root: Path, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Return host and owner/name of git's `origin`; None without one, or where it is a folder."""
    answer = run_git(root, "remote", "get-url", "origin", seconds=_GIT_SECONDS, environment=environment)
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
    """Return where to ask.

    A token of the environment goes to GitHub or to the address that the user has set; one of gh goes to the
    host that the user logged in to.
    """
    base = environment.get(_ADDRESS, "").strip()
    place: str | None = _ADDRESS
    access = _TOKENS[0]
    if base:
        base = check_base_address(_ADDRESS, base, source_id)
    token = _find_token(environment, source_id)
    # GitHub's own address says nothing about other hosts.
    if host != GITHUB and (not base or urlsplit(base).hostname == urlsplit(_API).hostname):
        base, token = f"https://{host}/api/v3", None
        access = f"{_ADDRESS}={base} and {_TOKENS[0]}"
    elif not base:
        base, place = _API, None
    if token is None and (value := _ask_gh(host, environment)):
        token = ('the login of "gh"', value)
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
            if not _is_token(value):
                raise no_issue_error(
                    source_id, f"{name} holds characters that no token has.", f"Check {name}."
                )
            return name, value
    return None


def _ask_gh(host: str, environment: Mapping[str, str]) -> str | None:
    """Return the token that gh keeps for a host; None where it is not there or not logged in."""
    program = shutil.which("gh", path=environment.get("PATH", ""))
    if program is None:
        return None
    try:
        answer = subprocess.run(
            [program, "auth", "token", "--hostname", host],
            env={
                key: value for key, value in safe_environment(environment).items() if key not in _FOR_ANY_HOST
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GH_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    token = answer.stdout.decode("utf-8", "replace").strip()
    return token if answer.returncode == 0 and _is_token(token) else None


def _is_token(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and " " not in text
