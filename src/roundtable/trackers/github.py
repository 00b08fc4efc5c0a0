"""Issues from GitHub, with a token from the environment or from the login of GitHub's own program `gh`."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from ..git import run_git, safe_environment
from . import GITHUB, GithubReference, Issue
from .service import MOST_COMMENTS, Service, check_base_address, get_json, make_issue, no_issue_error

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


class _GithubComment(Struct):
    body: str | None = None
    created_at: str = ""
    user: dict[str, Any] | None = None


class _GithubIssue(Struct):
    title: str | None
    body: str | None = None
    comments: int = 0


def fetch_github(reference: GithubReference, root: Path, environment: Mapping[str, str]) -> Issue:
    """Return the issue and its comments, with the user's own credentials or without where it is public."""
    service, path = _find_issue(reference, root, environment)
    issue = get_json(service, path, _GithubIssue)
    found: list[_GithubComment] = []
    if issue.comments > 0:
        # The last page holds the newest ones; GitHub sorts them by age.
        page = (issue.comments - 1) // MOST_COMMENTS + 1
        asked = f"{path}/comments?per_page={MOST_COMMENTS}&page={page}"
        found = get_json(service, asked, list[_GithubComment])
    comments = [(str((each.user or {}).get("login", "")), each.created_at, each.body) for each in found]
    return make_issue(reference.source_id, issue.title, issue.body, comments, issue.comments)


def post_github(reference: GithubReference, root: Path, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address."""
    service, path = _find_issue(reference, root, environment)
    return str(get_json(service, f"{path}/comments", dict[str, Any], sent={"body": text}).get("html_url", ""))


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
    base, access = environment.get(_ADDRESS, "").strip(), _TOKENS[0]
    if base:
        base = check_base_address(_ADDRESS, base, source_id)
    named = next((name for name in _TOKENS if environment.get(name, "").strip()), "")
    token = environment.get(named, "").strip()
    # Checked here, since the library would show the whole header in its own error.
    if token and not _is_token(token):
        raise no_issue_error(source_id, f"{named} holds characters that no token has.", f"Check {named}.")
    # GitHub's own address says nothing about other hosts.
    if host != GITHUB and (not base or urlsplit(base).hostname == urlsplit(_API).hostname):
        base, token = f"https://{host}/api/v3", ""
        access = f"{_ADDRESS}={base} and {_TOKENS[0]}"
    if token:
        access = named
    elif token := _ask_gh(host, environment):
        access = 'the login of "gh"'
    else:
        access = f'{access}, or log in with "gh auth login"'
    place, authorization = _ADDRESS if base else None, f"Bearer {token}" if token else None
    return Service("GitHub", base or _API, access, place, source_id, authorization)


def _ask_gh(host: str, environment: Mapping[str, str]) -> str:
    """Return the token that gh keeps for a host; empty where it is not there or not logged in."""
    program = shutil.which("gh", path=environment.get("PATH", ""))
    if program is None:
        return ""
    given = {key: value for key, value in safe_environment(environment).items() if key not in _FOR_ANY_HOST}
    try:
        answer = subprocess.run(
            [program, "auth", "token", "--hostname", host], env=given, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=GH_PATIENCE, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    token = answer.stdout.decode("utf-8", "replace").strip()
    return token if _is_token(token) else ""


def _is_token(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text
