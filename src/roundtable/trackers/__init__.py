"""Issues from trackers: recognises their names, and gets them with the user's credentials (rule ITEM-2)."""

import re
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

GITHUB = "github.com"

_NUMBER = r"(?P<number>[1-9][0-9]{0,9})"
_SHORT = re.compile(rf"(?:#|GH-){_NUMBER}", re.IGNORECASE)
_ISSUE_PATH = re.compile(
    rf"(?a)/(?P<repository>[\w-][\w.-]*/[\w.-]+)/(?:issues|pull)/{_NUMBER}(?:/(?:files|commits|checks)?)?"
)
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,29}-[1-9][0-9]{0,9}")
_BROWSE_PATH = re.compile(r"(?P<folder>(?:/[\w.-]+)*)/browse/(?P<key>[\w-]+)/?", re.ASCII)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?")


class Reference(Struct, frozen=True):
    """The name of an issue or, on GitHub, of a pull request.

    `site` is GitHub's host or Jira's address, if one was given; without a `repository`, an issue on GitHub
    belongs to the project's repository.
    """

    source: Literal["github", "jira"]
    source_id: str
    site: str | None = None
    repository: str | None = None


def parse_reference(text: str) -> Reference | None:
    """Return the issue that the whole text names; None if it names none."""
    text = text.strip()
    if short := _SHORT.fullmatch(text):
        return Reference("github", f"GH-{short['number']}")
    if _KEY.fullmatch(text):
        return Reference("jira", text)
    if text.lower().startswith((f"{GITHUB}/", f"www.{GITHUB}/")):
        text = f"https://{text}"
    try:
        address = urlsplit(text)
    except ValueError:  # brackets that hold no address
        return None
    host = host_of(address)
    if host is None or address.scheme not in ("http", "https"):
        return None
    if issue := _ISSUE_PATH.fullmatch(address.path):
        host = GITHUB if host == f"www.{GITHUB}" else host
        return Reference("github", f"GH-{issue['number']}", host, issue["repository"])
    if (page := _BROWSE_PATH.fullmatch(address.path)) and _KEY.fullmatch(key := page["key"].upper()):
        return Reference("jira", key, f"{address.scheme}://{host}{page['folder']}")
    return None


def host_of(address: SplitResult) -> str | None:
    """Return an address's host and port, without any name or password; None if it has no plain host."""
    host = address.netloc.rpartition("@")[2].lower()
    return host if _HOST.fullmatch(host) else None
