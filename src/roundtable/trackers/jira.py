"""Issues from Jira over its REST interface, with the credentials in the environment."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from . import http
from .adf import markdown
from .failures import unreadable
from .issue import Issue, cleaned_issue, no_issue
from .reference import JiraReference, host_of
from .service import Service, base_address, headers

_ADDRESS, _USER, _TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
_FIELDS = "fields=summary,description"


def fetch_jira(
    reference: JiraReference, environment: Mapping[str, str], *, patience: float = http.PATIENCE
) -> Issue:
    """The issue with the user's own credentials."""
    service = _service(reference, environment)
    # Jira on one's own server knows only version 2, where the text is a string.
    paths = (f"/rest/api/{version}/issue/{reference.key}?{_FIELDS}" for version in (3, 2))
    answer = http.get_json(service, *paths, source_id=reference.key, patience=patience)
    fields = answer.get("fields")
    if not isinstance(fields, dict):
        raise unreadable(service, reference.key, page=False)
    text = fields.get("description")
    return cleaned_issue(
        reference,
        title=fields.get("summary"),
        text=markdown(text) if isinstance(text, dict) else text,
        url=f"{service.base}/browse/{reference.key}",
    )


def _service(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    given = {name: environment.get(name, "").strip() for name in (_ADDRESS, _USER, _TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        like = f" {_ADDRESS} would be {reference.site}." if reference.site and _ADDRESS in missing else ""
        raise no_issue(
            reference.key, f"Jira cannot be asked for {reference.key} yet.", f"Set {_joined(missing)}.{like}"
        )
    base = base_address(_ADDRESS, given[_ADDRESS], reference.key)
    _check_site(reference, base)
    basic = b64encode(f"{given[_USER]}:{given[_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    return Service(
        "Jira", base, f"{_USER} and {_TOKEN}", _ADDRESS, headers("application/json", f"Basic {basic}")
    )


def _check_site(reference: JiraReference, base: str) -> None:
    """An address in the reference never decides where the credentials go."""
    if reference.site is None:
        return
    named, known = host_of(urlsplit(reference.site)), host_of(urlsplit(base))
    if named != known:
        raise no_issue(
            reference.key,
            f"{reference.key} is on {named}, and {_ADDRESS} names {known}.",
            f"Set {_ADDRESS} to {reference.site}, with the {_USER} and {_TOKEN} for it.",
        )


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
