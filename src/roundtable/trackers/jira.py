"""Issues from Jira."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from ..core.text import clean_text
from . import Issue, JiraReference, host_of
from .service import Service, check_base_address, get_json, make_issue, no_issue_error

_ADDRESS, _USER, _TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
# What a markdown reader would take for something else: headings, numbered lists and code.
_WIKI_NUMBER = re.compile(r"^#+ ", re.MULTILINE)
_WIKI_HEADING = re.compile(r"^h([1-6])\. +", re.MULTILINE)
_WIKI_CODE = re.compile(r"^\{(?:code|noformat)(?::[^}\n]*)?\}[ \t]*$", re.MULTILINE)


class _JiraComment(Struct):
    body: str | None = None
    created: str = ""
    author: dict[str, Any] | None = None


class _JiraComments(Struct):
    comments: list[_JiraComment] = []


class _JiraFields(Struct):
    summary: str | None = None
    description: str | None = None
    comment: _JiraComments | None = None


class _JiraIssue(Struct):
    fields: _JiraFields


def fetch_jira(reference: JiraReference, environment: Mapping[str, str]) -> Issue:
    """Return the issue with the user's own credentials."""
    service = _build_service(reference, environment)
    # Version 2 is known in the cloud and on one's own server, and gives the text as Jira's own markup.
    path = f"/rest/api/2/issue/{reference.source_id}?fields=summary,description,comment"
    found = get_json(service, path, _JiraIssue).fields
    comments = [
        (str((each.author or {}).get("displayName", "")), each.created, _rewrite_markup(each.body))
        for each in (found.comment.comments if found.comment else ())
    ]
    text = _rewrite_markup(found.description)
    return make_issue(reference.source_id, found.summary, text, comments, len(comments))


def post_jira(reference: JiraReference, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address."""
    service = _build_service(reference, environment)
    get_json(service, f"/rest/api/2/issue/{reference.source_id}/comment", dict[str, Any], sent={"body": text})
    return f"{service.base}/browse/{reference.source_id}"


def _build_service(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    key, site = reference.source_id, reference.site
    given = {name: environment.get(name, "").strip() for name in (_ADDRESS, _USER, _TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        like = f" {_ADDRESS} would be {site}." if site and _ADDRESS in missing else ""
        do = f"Set {' and '.join(missing)}.{like}"
        raise no_issue_error(key, f"Jira cannot be asked for {key} yet.", do)
    base = check_base_address(_ADDRESS, given[_ADDRESS], key)
    # An address in the reference never decides where the credentials go.
    if site and (named := host_of(urlsplit(site))) != (known := host_of(urlsplit(base))):
        do = f"Set {_ADDRESS} to {site}, with the {_USER} and {_TOKEN} for it."
        raise no_issue_error(key, f"{key} is on {named}, and {_ADDRESS} names {known}.", do)
    basic = b64encode(f"{given[_USER]}:{given[_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    return Service("Jira", base, f"{_USER} and {_TOKEN}", _ADDRESS, key, f"Basic {basic}")


def _rewrite_markup(text: str | None) -> str:
    """Return Jira's markup with headings, numbered lists and code as in markdown; the rest reads as it is."""
    text = _WIKI_CODE.sub("```", _WIKI_NUMBER.sub("1. ", clean_text(text or "")))
    return _WIKI_HEADING.sub(lambda found: f"{'#' * int(found[1])} ", text)
