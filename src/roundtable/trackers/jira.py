"""Issues from Jira."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from . import Issue, JiraReference, host_of
from .service import (
    Service,
    build_headers,
    check_base_address,
    clean_issue,
    explain_bad_answer,
    get_json,
    join_comments,
    no_issue_error,
)

_ADDRESS, _USER, _TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
# What a markdown reader would take for something else: headings, numbered lists and code.
_WIKI_NUMBER = re.compile(r"^#+ ", re.MULTILINE)
_WIKI_HEADING = re.compile(r"^h([1-6])\. +", re.MULTILINE)
_WIKI_CODE = re.compile(r"^\{(?:code|noformat)(?::[^}\n]*)?\}[ \t]*$", re.MULTILINE)


def fetch_jira(reference: JiraReference, environment: Mapping[str, str]) -> Issue:
    """Return the issue with the user's own credentials."""
    service = _build_service(reference, environment)
    # Version 2 is known in the cloud and on one's own server, and gives the text as Jira's own markup.
    path = f"/rest/api/2/issue/{reference.key}?fields=summary,description,comment"
    fields = get_json(service, path).get("fields")
    if not isinstance(fields, dict):
        raise explain_bad_answer(service)
    issue = clean_issue(reference, title=fields.get("summary"), text=fields.get("description"))
    listed = fields.get("comment")
    given = listed.get("comments") if isinstance(listed, dict) else None
    comments = [
        (
            (each.get("author") or {}).get("displayName", ""),
            each.get("created", ""),
            _rewrite_markup(str(each.get("body") or "")),
        )
        for each in (given if isinstance(given, list) else ())
        if isinstance(each, dict)
    ]
    return Issue(issue.title, join_comments(_rewrite_markup(issue.text), comments, len(comments)))


def post_jira(reference: JiraReference, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address."""
    service = _build_service(reference, environment)
    get_json(service, f"/rest/api/2/issue/{reference.key}/comment", sent={"body": text})
    return f"{service.base}/browse/{reference.key}"


def _build_service(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    key, site = reference.key, reference.site
    given = {name: environment.get(name, "").strip() for name in (_ADDRESS, _USER, _TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        like = f" {_ADDRESS} would be {site}." if site and _ADDRESS in missing else ""
        raise no_issue_error(
            key, f"Jira cannot be asked for {key} yet.", f"Set {' and '.join(missing)}.{like}"
        )
    base = check_base_address(_ADDRESS, given[_ADDRESS], key)
    # An address in the reference never decides where the credentials go.
    if site and (named := host_of(urlsplit(site))) != (known := host_of(urlsplit(base))):
        raise no_issue_error(
            key,
            f"{key} is on {named}, and {_ADDRESS} names {known}.",
            f"Set {_ADDRESS} to {site}, with the {_USER} and {_TOKEN} for it.",
        )
    basic = b64encode(f"{given[_USER]}:{given[_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    headers = build_headers("application/json", f"Basic {basic}")
    return Service("Jira", base, f"{_USER} and {_TOKEN}", _ADDRESS, key, headers)


def _rewrite_markup(text: str) -> str:
    """Return Jira's markup with headings, numbered lists and code as in markdown; the rest reads as it is."""
    text = _WIKI_CODE.sub("```", _WIKI_NUMBER.sub("1. ", text))
    return _WIKI_HEADING.sub(lambda found: f"{'#' * int(found[1])} ", text)
