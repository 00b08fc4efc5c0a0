"""Issues and pull requests from GitHub: through the user's `gh`, else over its REST interface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..core.errors import TrackerFailed
from . import gh, http
from .failures import unreadable
from .issue import Issue, cleaned_issue, no_issue
from .reference import GITHUB, GithubReference
from .remote import origin
from .service import Service, base_address, headers

_API = "https://api.github.com"
_ADDRESS = "GITHUB_API_URL"
_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_ACCEPT = "application/vnd.github+json"


def fetch_github(
    reference: GithubReference,
    root: Path,
    environment: Mapping[str, str],
    *,
    patience: float = http.PATIENCE,
    gh_patience: float = gh.PATIENCE,
) -> Issue:
    """The issue with the user's own credentials, or without any where it is public."""
    try:
        answer = gh.ask_gh(reference, root, environment, patience=gh_patience)
    except TrackerFailed:
        if _token(environment, reference.source_id) is None:
            raise
        answer = None
    if answer is None:
        answer = _over_rest(reference, root, environment, patience)
    url = answer.get("html_url") or answer.get("url")
    return cleaned_issue(
        reference,
        title=answer.get("title"),
        text=answer.get("body"),
        url=url if isinstance(url, str) else "",
    )


def _over_rest(
    reference: GithubReference, root: Path, environment: Mapping[str, str], patience: float
) -> dict[str, Any]:
    host, repository = _place(reference, root, environment)
    service = _service(host, environment, reference.source_id)
    path = f"/repos/{repository}/issues/{reference.number}"
    answer = http.get_json(service, path, source_id=reference.source_id, patience=patience)
    if "title" not in answer:
        raise unreadable(service, reference.source_id, page=False)
    return answer


def _place(reference: GithubReference, root: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """Host and repository: the reference's own, else those of the project's origin."""
    if reference.repository:
        return reference.host or GITHUB, reference.repository
    if found := origin(root, environment):
        return found
    raise no_issue(
        reference.source_id,
        f'{reference.source_id} names no repository, and git knows no remote "origin" here that does.',
        f"Give the full address: https://{GITHUB}/OWNER/NAME/issues/{reference.number}.",
    )


def _service(host: str, environment: Mapping[str, str], source_id: str) -> Service:
    """Where to ask; the token goes to GitHub itself or to the address that the user has set, nowhere else."""
    token = _token(environment, source_id)
    base = _configured(host, environment, source_id)
    place: str | None = _ADDRESS
    access = _TOKENS[0]
    if base is None and host == GITHUB:
        base, place = _API, None
    elif base is None:
        base, token = f"https://{host}/api/v3", None
        access = f"{_ADDRESS}={base} and {_TOKENS[0]}"
    if token is None:
        return Service(
            "GitHub", base, f'{access}, or log in with "gh auth login"', place, headers(_ACCEPT, None)
        )
    name, value = token
    return Service("GitHub", base, name, place, headers(_ACCEPT, f"Bearer {value}"))


def _configured(host: str, environment: Mapping[str, str], source_id: str) -> str | None:
    """The address that the user has set; GitHub's own says nothing about other hosts."""
    value = environment.get(_ADDRESS, "").strip()
    if not value:
        return None
    base = base_address(_ADDRESS, value, source_id)
    public = urlsplit(base).hostname == urlsplit(_API).hostname
    return None if public and host != GITHUB else base


def _token(environment: Mapping[str, str], source_id: str) -> tuple[str, str] | None:
    """The name of the first token that is set, and the token."""
    for name in _TOKENS:
        if value := environment.get(name, "").strip():
            # Checked here, since the library would show the whole header in its own error.
            if not (value.isascii() and value.isprintable()) or " " in value:
                raise no_issue(source_id, f"{name} holds characters that no token has.", f"Check {name}.")
            return name, value
    return None
