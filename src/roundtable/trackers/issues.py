"""Gets issues from GitHub and Jira over HTTP with the user's own credentials, and posts comments."""

import json
import re
import shutil
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from subprocess import DEVNULL, SubprocessError, run
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from .. import __version__
from ..address import find_problem
from ..core.errors import TrackerFailed
from ..core.steps import COMMENTS
from ..core.text import clean_text, strip_unprintable
from ..git import run_git, safe_environment
from . import GITHUB, Reference, host_of

PATIENCE = 10.0
LARGEST = 5_000_000
MOST_COMMENTS = 30
GH_PATIENCE = 5.0
_REMOTE = re.compile(
    r"(?a)(?:(?:https?|ssh|git)://)?(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+/|[:/])/?"
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+?)(?:\.git)?/?"
)
_API = "https://api.github.com"
_GITHUB_ADDRESS = "GITHUB_API_URL"
_GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
# With one of these, gh would return the same token for any host.
_FOR_ANY_HOST = {"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
_JIRA_ADDRESS, _JIRA_USER, _JIRA_TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
# Jira markup that means something else in markdown: headings, numbered lists and code.
_WIKI_NUMBER = re.compile(r"^#+ ", re.MULTILINE)
_WIKI_HEADING = re.compile(r"^h([1-6])\. +", re.MULTILINE)
_WIKI_CODE = re.compile(r"^\{(?:code|noformat)(?::[^}\n]*)?\}[ \t]*$", re.MULTILINE)
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for one issue; `place` and `access` name what the user sets for address and login."""

    name: str
    base: str
    path: str
    place: str
    access: str
    source_id: str
    authorization: str | None = field(repr=False)


def fetch_issue(reference: Reference, root: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return an issue's title, on one line, and its text; raise TrackerFailed, which says what to do."""
    service = _find_service(reference, root, environment)
    if reference.source == "jira":
        fields = get_json(service, "?fields=summary,description,comment", _JiraIssue).fields
        told = fields.comment.get("comments") if isinstance(fields.comment, dict) else None
        return _make_issue(service, fields.summary, fields.description, told, _rewrite_markup)
    issue, told = get_json(service, "", _GithubIssue), None
    if issue.comments and issue.comments > 0:
        # The last page holds the newest ones; GitHub sorts them by age.
        page = (issue.comments - 1) // MOST_COMMENTS + 1
        told = get_json(service, f"/comments?per_page={MOST_COMMENTS}&page={page}", list[Any])
    return _make_issue(service, issue.title, issue.body, told)


def post_comment(reference: Reference, root: Path, environment: Mapping[str, str], text: str) -> str:
    """Post a comment on the issue and return its address; raise TrackerFailed if that fails."""
    try:
        service = _find_service(reference, root, environment)
        end = "/comment" if reference.source == "jira" else "/comments"
        made = get_json(service, end, dict[str, Any], json.dumps({"body": text}).encode())
    except TrackerFailed as error:
        do = "Put the text there by hand: roundtable handoff prints it."
        raise TrackerFailed(error.failed, saved="Nothing was posted.", do=do) from error
    return str(made.get("html_url") or f"{service.base}/browse/{service.source_id}")


def _no_issue(source_id: str, failed: str, do: str) -> TrackerFailed:
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(failed, saved="Nothing was added.", do=f"{do} Or add it by hand: {by_hand}")


class _GithubIssue(msgspec.Struct):
    title: str | None
    body: str | None = None
    comments: int | None = None


class _JiraFields(msgspec.Struct):
    summary: str | None = None
    description: str | None = None
    comment: object = None


class _JiraIssue(msgspec.Struct):
    fields: _JiraFields


def _rewrite_markup(text: str) -> str:
    """Return Jira's markup with headings, numbered lists and code as in markdown; the rest stays as it is."""
    text = _WIKI_CODE.sub("```", _WIKI_NUMBER.sub("1. ", text))
    return _WIKI_HEADING.sub(lambda found: f"{'#' * int(found[1])} ", text)


def _make_issue(
    service: Service, title: str | None, text: str | None, comments: object, read: Callable[[str], str] = str
) -> tuple[str, str]:
    """Return title and text without control characters, the newest comments below the text."""
    told = []
    for each in comments[-MOST_COMMENTS:] if isinstance(comments, list) else ():
        if said := read(_find_text(each, "body"))[:3_000]:
            # The first name is GitHub's, the second Jira's.
            who = _find_text(each, "user", "login") or _find_text(each, "author", "displayName")
            when = _find_text(each, "created_at") or _find_text(each, "created")
            quoted = "\n".join(f"> {line}".rstrip() for line in said.split("\n"))
            told.append(f"**{who}**, {when[:10]}:\n\n{quoted}")
    parts = [read(_find_text(text)), *([COMMENTS, *told] if told else [])]
    name = " ".join(strip_unprintable(_find_text(title)).split())
    return name or service.source_id, "\n\n".join(parts).strip()


def _find_text(answer: object, *names: str) -> str:
    """Return the text in an answer under these names, each inside the one before; empty without one."""
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    return clean_text(answer).strip() if isinstance(answer, str) else ""


def get_json(service: Service, end: str, form: type[_Answer], sent: bytes | None = None) -> _Answer:
    """Return the answer at the issue's path plus `end`, posting `sent` if given; else raise TrackerFailed."""
    host, do = host_of(urlsplit(service.base)) or service.name, "Check the connection and the address."
    try:
        return msgspec.json.decode(_read(service, end, sent), type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # perhaps a login page
        failed = f"{service.name} at {host} answered with something that is not an issue."
    except HTTPError as error:
        error.close()
        failed, do = _explain_refusal(service, error)
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        # Only the system's message: that of other errors may hold a header with the credentials.
        why = (reason.strerror if isinstance(reason, OSError) else None) or "no answer came in time"
        failed = f"Could not reach {host}: {why}."
    raise _no_issue(service.source_id, failed, do) from None


def _explain_refusal(service: Service, error: HTTPError) -> tuple[str, str]:
    """Return what an error status from the tracker means, and what to do."""
    name, goal, is_known = service.name, urlsplit(error.url), service.authorization is not None
    if (host := host_of(goal)) and goal[:2] != urlsplit(service.base)[:2]:
        sent_on = f"{name} sends the request on to {goal.scheme}://{host}. No credentials were sent there."
        return sent_on, f"If that is right, set {service.place} to it."
    is_limit = error.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in error.headers
    if error.code == 429 or (error.code == 403 and is_limit):
        more = "" if is_known else f" With credentials it takes more: set {service.access}."
        return f"{name} takes no more requests for now ({error.code}).", f"Try again later.{more}"
    if error.code >= 500:
        return f"{name} is in trouble ({error.code}).", "Try again later."
    seen = "with these credentials" if is_known else "without credentials"
    do = f"Check the reference, {service.place}, {service.access}."
    return f"{name} does not show {service.source_id} {seen} ({error.code}).", do


def _read(service: Service, end: str, sent: bytes | None) -> bytes:
    """Return the body, limited in size and time: a socket's own timeout would not stop a slow drip."""
    latest = time.monotonic() + PATIENCE
    form = "application/json"
    headers = {"Accept": form, "Content-Type": form, "User-Agent": f"roundtable/{__version__}"}
    headers |= {"Authorization": service.authorization} if service.authorization else {}
    request = Request(f"{service.base}{service.path}{end}", sent, headers)
    body = bytearray()
    with build_opener(_SameHost).open(request, timeout=PATIENCE) as response:
        while chunk := response.read1(64 * 1024):
            body += chunk
            if len(body) > LARGEST:
                raise msgspec.DecodeError("too large")
            if time.monotonic() > latest:
                raise TimeoutError
    return bytes(body)


class _SameHost(HTTPRedirectHandler):
    """Follows redirects within the host only, so that no other host gets the credentials."""

    max_redirections = 5

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if urlsplit(req.full_url)[:2] != urlsplit(newurl)[:2]:
            raise HTTPError(newurl, code, msg, headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def find_base(variable: str, environment: Mapping[str, str], source_id: str) -> str:
    """Return the address in a variable without its last slash; an error never shows the value itself."""
    value = environment.get(variable, "").strip()
    if value and find_problem(value):
        do = "Set it to something like https://company.example, without a name or a password."
        raise _no_issue(source_id, f"{variable} is not an address that can be used.", do)
    return value.rstrip("/")


def _find_service(reference: Reference, root: Path, environment: Mapping[str, str]) -> Service:
    """Return where to ask; a token from the environment goes only to GitHub or the address the user set."""
    if reference.source == "jira":
        return _find_in_jira(reference, environment)
    source_id, number = reference.source_id, reference.source_id.removeprefix("GH-")
    if reference.repository:
        host, repository = reference.site or GITHUB, reference.repository
    elif origin := find_origin(root):
        host, repository = origin
    else:
        failed = f'{source_id} names no repository, and git knows no remote "origin" here that does.'
        address = f"https://{GITHUB}/OWNER/NAME/issues/{number}"
        raise _no_issue(source_id, failed, f"Give the full address: {address}.")
    base = find_base(_GITHUB_ADDRESS, environment, source_id) or _API
    token = next(filter(None, (environment.get(name, "").strip() for name in _GITHUB_TOKENS)), "")
    # Checked here, since the library would show the whole header in its own error.
    if not _is_token(token):
        named = " or ".join(_GITHUB_TOKENS)
        raise _no_issue(source_id, f"{named} holds characters that no token has.", f"Check {named}.")
    # GitHub's own address says nothing about other hosts.
    if host != GITHUB and urlsplit(base).hostname == urlsplit(_API).hostname:
        base, token = f"https://{host}/api/v3", ""
    token = token or _ask_gh(host, environment)
    path = f"/repos/{repository}/issues/{number}"
    access, known = f"{_GITHUB_TOKENS[0]} or the login of gh", f"Bearer {token}" if token else None
    return Service("GitHub", base, path, _GITHUB_ADDRESS, access, source_id, known)


def find_origin(root: Path) -> tuple[str, str] | None:
    """Return host and owner/name of git's `origin`; None without one, or if it is a folder."""
    answer = run_git(root, "remote", "get-url", "origin", seconds=GH_PATIENCE)
    remote = _REMOTE.fullmatch((answer or b"").decode("utf-8", "replace").strip())
    if remote is None:
        return None
    host = remote["host"].lower()
    # A host without a dot is an alias from the user's ssh settings.
    is_github = "." not in host or host.endswith(f".{GITHUB}")
    return (GITHUB if is_github else host), remote["repository"]


def _ask_gh(host: str, environment: Mapping[str, str]) -> str:
    """Return the token that gh keeps for a host; empty if gh is missing or not logged in."""
    if (program := shutil.which("gh", path=environment.get("PATH", ""))) is None:
        return ""
    given = {key: value for key, value in safe_environment(environment).items() if key not in _FOR_ANY_HOST}
    words = [program, "auth", "token", "--hostname", host]
    try:
        answer = run(words, env=given, stdin=DEVNULL, capture_output=True, timeout=GH_PATIENCE, check=True)
    except (OSError, SubprocessError):
        return ""
    token = answer.stdout.decode("utf-8", "replace").strip()
    return token if _is_token(token) else ""


def _is_token(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def _find_in_jira(reference: Reference, environment: Mapping[str, str]) -> Service:
    key, site = reference.source_id, reference.site
    given = {name: environment.get(name, "").strip() for name in (_JIRA_ADDRESS, _JIRA_USER, _JIRA_TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        raise _no_issue(key, f"Jira cannot be asked for {key} yet.", f"Set {' and '.join(missing)}.")
    base = find_base(_JIRA_ADDRESS, environment, key)
    # An address in the reference never decides where the credentials go.
    if site and (named := host_of(urlsplit(site))) != (known := host_of(urlsplit(base))):
        do = f"Set {_JIRA_ADDRESS} to {site}, with the {_JIRA_USER} and {_JIRA_TOKEN} for it."
        raise _no_issue(key, f"{key} is on {named}, and {_JIRA_ADDRESS} names {known}.", do)
    basic = b64encode(f"{given[_JIRA_USER]}:{given[_JIRA_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    # Version 2 works in the cloud and on private servers, and returns text in Jira's own markup.
    path, access = f"/rest/api/2/issue/{key}", f"{_JIRA_USER} and {_JIRA_TOKEN}"
    return Service("Jira", base, path, _JIRA_ADDRESS, access, key, f"Basic {basic}")
