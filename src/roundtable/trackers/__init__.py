"""Issues from trackers, with the user's own credentials (rule ITEM-2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

from ..core.errors import TrackerFailed
from .reference import GithubReference, JiraReference, Reference, parse_reference
from .service import Issue

__all__ = [
    "GithubReference",
    "Issue",
    "JiraReference",
    "Reference",
    "fetch_issue",
    "parse_reference",
    "post_comment",
]


def fetch_issue(reference: Reference, root: Path, environment: Mapping[str, str]) -> Issue:
    """Return title and text of the issue from its tracker; TrackerFailed says what to do if it gives none."""
    match reference:
        case GithubReference():
            from .github import fetch_github  # late: most items are words, and need no network

            return fetch_github(reference, root, environment)
        case JiraReference():
            from .jira import fetch_jira

            return fetch_jira(reference, environment)
    assert_never(reference)


def post_comment(reference: Reference, root: Path, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address; TrackerFailed says what to do if that fails."""
    try:
        match reference:
            case GithubReference():
                from .github import post_github

                return post_github(reference, root, environment, text)
            case JiraReference():
                from .jira import post_jira

                return post_jira(reference, environment, text)
    except TrackerFailed as error:
        do = "Put the text there by hand: roundtable handoff prints it."
        raise TrackerFailed(error.failed, saved="Nothing was posted.", do=do) from error
    assert_never(reference)
