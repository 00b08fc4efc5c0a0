"""Issues from GitHub and Jira over HTTP, with the user's own credentials; what to do when none comes.

GitHub is asked with a token from the environment or from the login of its own program `gh`, or without one
where the issue is public; Jira with a name and a token.
"""

from __future__ import annotations

import json
import re
import shutil
import ssl
import subprocess
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec
from msgspec import Struct

from .. import __version__
from ..address import find_problem
from ..core.errors import TrackerFailed
from ..core.steps import COMMENTS
from ..core.text import clean_text, strip_unprintable
from ..git import run_git, safe_environment
from . import GITHUB, GithubReference, Issue, JiraReference, Reference, host_of

PATIENCE = 10.0
LARGEST = 5_000_000
MOST_COMMENTS = 30
LONGEST_COMMENT = 3_000
GH_PATIENCE = 5.0
_CHUNK = 64 * 1024
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+/|[:/])/?"
    r"(?P<repository>[\w-][\w.-]*/[\w.-]+?)(?:\.git)?/?",
    re.ASCII,
)
_API = "https://api.github.com"
_GITHUB_ADDRESS, _GITHUB_TOKENS = "GITHUB_API_URL", ("GITHUB_TOKEN", "GH_TOKEN")
# With one of these gh would name the same token for any host.
_FOR_ANY_HOST = {"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
_JIRA_ADDRESS, _JIRA_USER, _JIRA_TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
# What a markdown reader would take for something else: headings, numbered lists and code.
_WIKI_NUMBER = re.compile(r"^#+ ", re.MULTILINE)
_WIKI_HEADING = re.compile(r"^h([1-6])\. +", re.MULTILINE)
_WIKI_CODE = re.compile(r"^\{(?:code|noformat)(?::[^}\n]*)?\}[ \t]*$", re.MULTILINE)

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for one issue; `access` and `place` name what the user sets to get in and to get there."""

    name: str
    base: str
    path: str
    access: str
    place: str
    source_id: str
    authorization: str | None = field(repr=False)

    @property
    def host(self) -> str:
        return host_of(urlsplit(self.base)) or self.name

    def error(self, failed: str, do: str = "") -> TrackerFailed:
        """Return the failure to get the issue; `do` is to check the way there unless it is given."""
        way = f"the connection and {self.place}" if self.place else "the connection"
        return no_issue_error(self.source_id, failed, do or f"Check {way}.")


def fetch_issue(reference: Reference, root: Path, environment: Mapping[str, str]) -> Issue:
    """Return title and text of the issue from its tracker; TrackerFailed says what to do if it gives none."""
    if isinstance(reference, GithubReference):
        return _fetch_github(_find_on_github(reference, root, environment))
    return _fetch_jira(_find_in_jira(reference, environment))


def post_comment(reference: Reference, root: Path, environment: Mapping[str, str], text: str) -> str:
    """Put a comment on the issue and return its address; TrackerFailed says what to do if that fails."""
    try:
        if isinstance(reference, GithubReference):
            service, end = _find_on_github(reference, root, environment), "/comments"
        else:
            service, end = _find_in_jira(reference, environment), "/comment"
        made = get_json(service, end, dict[str, Any], sent={"body": text})
    except TrackerFailed as error:
        do = "Put the text there by hand: roundtable handoff prints it."
        raise TrackerFailed(error.failed, saved="Nothing was posted.", do=do) from error
    return str(made.get("html_url") or f"{service.base}/browse/{service.source_id}")


def no_issue_error(source_id: str, failed: str, do: str) -> TrackerFailed:
    """Return the failure to get this issue: what failed, and both ways on."""
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(failed, saved="Nothing was added.", do=f"{do} Or add it by hand: {by_hand}")


class _Comment(Struct):
    """A comment as GitHub gives it (`created_at`, `user`) or as Jira does (`created`, `author`)."""

    body: str | None = None
    created_at: str = ""
    created: str = ""
    user: dict[str, Any] | None = None
    author: dict[str, Any] | None = None

    def quote(self) -> str:
        """Return who said it, when, and the words; empty where there are none."""
        person = self.user or self.author or {}
        who = _clean(person.get("login") or person.get("displayName"))
        lines = _clean(self.body)[:LONGEST_COMMENT].split("\n")
        quoted = "\n".join(f"> {line}".rstrip() for line in lines)
        when = _clean(self.created_at or self.created)[:10]
        return f"**{who}**, {when}:\n\n{quoted}" if any(lines) else ""


def _make_issue(
    source_id: str, title: str | None, text: str | None, comments: Sequence[_Comment], total: int
) -> Issue:
    """Return the issue without control characters, called by its id where it has no title.

    The newest of its comments stand below its text; `total` is how many there are.
    """
    told = [quoted for each in comments[-MOST_COMMENTS:] if (quoted := each.quote())]
    if told and total > len(told):
        told.append(f"({total - len(told)} more not shown.)")
    parts = [_clean(text), *([COMMENTS, *told] if told else [])]
    return Issue(" ".join(strip_unprintable(_clean(title)).split()) or source_id, "\n\n".join(parts).strip())


def _clean(text: object) -> str:
    return clean_text(text).strip() if isinstance(text, str) else ""


def get_json(
    service: Service, end: str, form: type[_Answer], sent: Mapping[str, str] | None = None
) -> _Answer:
    """Return the answer at the issue's path and `end`, or to what is `sent` there.

    Raises TrackerFailed where none comes, or one of another form.
    """
    try:
        return msgspec.json.decode(_read(service, end, sent), type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # perhaps a page to log in
        failed = f"{service.name} at {service.host} answered with something that is not an issue."
        raise service.error(failed) from None
    except HTTPError as error:
        error.close()
        raise _explain_refusal(service, error.code, error.headers) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _explain_silence(service, error) from error


def _read(service: Service, end: str, sent: Mapping[str, str] | None) -> bytes:
    """Return the body in time: a slow drip never runs into a socket's own limit."""
    latest = time.monotonic() + PATIENCE
    headers = {"Accept": "application/json", "User-Agent": f"roundtable/{__version__}"}
    if service.authorization:
        headers["Authorization"] = service.authorization
    if sent is not None:
        headers["Content-Type"] = "application/json"
    data = None if sent is None else json.dumps(sent).encode()
    request = Request(f"{service.base}{service.path}{end}", data, headers)
    body = bytearray()
    with build_opener(_SameHost(service)).open(request, timeout=PATIENCE) as response:
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > LARGEST:
                raise service.error(f"The answer of {service.name} is larger than {LARGEST // 1_000_000} MB.")
            if time.monotonic() > latest:
                raise TimeoutError
        return bytes(body)


class _SameHost(HTTPRedirectHandler):
    """Follows a redirect within the host, and none that leads away from it with the credentials."""

    max_redirections = 5

    def __init__(self, service: Service) -> None:
        self._service = service

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            fp.close()
            service, place = self._service, f"{new.scheme}://{host_of(new) or '?'}"
            failed = f"{service.name} at {service.host} sends us on to {place}. Nothing was sent there."
            raise service.error(failed)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _explain_refusal(service: Service, status: int, headers: Message) -> TrackerFailed:
    """Return the failure for an answer that is a status instead of the issue."""
    is_limit = headers.get("x-ratelimit-remaining") == "0" or headers.get("retry-after") is not None
    if status == 429 or status >= 500 or (status == 403 and is_limit):
        return service.error(
            f"{service.name} is not accepting requests right now ({status}).", "Try again later."
        )
    if status in (401, 403, 404):
        verb, seen = ("Check", "with these") if service.authorization else ("Set", "without")
        failed = f"{service.name} does not show {service.source_id} {seen} credentials ({status})."
        return service.error(failed, f"Check the reference. {verb} {service.access}.")
    return service.error(f"{service.name} refused the request ({status}).")


def _explain_silence(service: Service, error: Exception) -> TrackerFailed:
    """Return the failure that no answer came, or that it broke off."""
    reason = error.reason if isinstance(error, URLError) else error
    do = ""
    if isinstance(reason, TimeoutError):
        why = f"no answer came within {PATIENCE:g} seconds"
    elif isinstance(reason, ssl.SSLCertVerificationError):
        why = f"its certificate is not trusted, {strip_unprintable(reason.verify_message)}"
        do = "If your company signs its own, name its file in SSL_CERT_FILE."
    else:
        # Only the system's words: those of other errors may hold a header with the credentials.
        why = (reason.strerror if isinstance(reason, OSError) else None) or "the connection broke off"
    return service.error(f"Could not reach {service.host}: {why}.", do)


def find_base(variable: str, environment: Mapping[str, str], source_id: str) -> str:
    """Return the address in a variable without its last slash; a failure never shows the value itself."""
    value = environment.get(variable, "").strip()
    if not value or find_problem(value) is None:
        return value.rstrip("/")
    failed = f"{variable} is not an address that can be used."
    do = "Set it to something like https://company.example, without a name or a password."
    raise no_issue_error(source_id, failed, do)


# --- GitHub -------------------------------------------------------------------------------------------


class _GithubIssue(Struct):
    title: str | None
    body: str | None = None
    comments: int = 0


def _fetch_github(service: Service) -> Issue:
    issue = get_json(service, "", _GithubIssue)
    comments: list[_Comment] = []
    if issue.comments > 0:
        # The last page holds the newest ones; GitHub sorts them by age.
        page = (issue.comments - 1) // MOST_COMMENTS + 1
        comments = get_json(service, f"/comments?per_page={MOST_COMMENTS}&page={page}", list[_Comment])
    return _make_issue(service.source_id, issue.title, issue.body, comments, issue.comments)


def _find_on_github(reference: GithubReference, root: Path, environment: Mapping[str, str]) -> Service:
    """Return where to ask.

    A token of the environment goes to GitHub or to the address that the user has set; one of gh goes to the
    host that the user logged in to.
    """
    source_id = reference.source_id
    if reference.repository:
        place: tuple[str, str] | None = (reference.host or GITHUB, reference.repository)
    else:
        place = find_origin(root, environment)
    if place is None:
        raise no_issue_error(
            source_id,
            f'{source_id} names no repository, and git knows no remote "origin" here that does.',
            f"Give the full address: https://{GITHUB}/OWNER/NAME/issues/{reference.number}.",
        )
    host, repository = place
    base = find_base(_GITHUB_ADDRESS, environment, source_id) or _API
    token = next(filter(None, (environment.get(name, "").strip() for name in _GITHUB_TOKENS)), "")
    # Checked here, since the library would show the whole header in its own error.
    if not _is_token(token):
        named = " or ".join(_GITHUB_TOKENS)
        raise no_issue_error(source_id, f"{named} holds characters that no token has.", f"Check {named}.")
    access = _GITHUB_TOKENS[0]
    # GitHub's own address says nothing about other hosts.
    if host != GITHUB and urlsplit(base).hostname == urlsplit(_API).hostname:
        base, token = f"https://{host}/api/v3", ""
        access = f"{_GITHUB_ADDRESS}={base} and {access}"
    token = token or _ask_gh(host, environment)
    return Service(
        "GitHub",
        base,
        f"/repos/{repository}/issues/{reference.number}",
        f'{access}, or log in with "gh auth login"',
        _GITHUB_ADDRESS if base != _API else "",
        source_id,
        f"Bearer {token}" if token else None,
    )


def find_origin(root: Path, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Return host and owner/name of git's `origin`; None without one, or where it is a folder."""
    answer = run_git(root, "remote", "get-url", "origin", seconds=GH_PATIENCE, environment=environment)
    return parse_remote((answer or b"").decode("utf-8", "replace").strip())


def parse_remote(address: str) -> tuple[str, str] | None:
    """Return host and owner/name in a remote's address, whichever way git writes it."""
    remote = _REMOTE.fullmatch(address)
    if remote is None:
        return None
    host = remote["host"].lower()
    # A host without a dot is a nickname from the user's ssh settings.
    is_github = "." not in host or host.endswith(f".{GITHUB}")
    return (GITHUB if is_github else host), remote["repository"]


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


# --- Jira ---------------------------------------------------------------------------------------------


class _JiraComments(Struct):
    comments: list[_Comment] = []


class _JiraFields(Struct):
    summary: str | None = None
    description: str | None = None
    comment: _JiraComments | None = None


class _JiraIssue(Struct):
    fields: _JiraFields


def _fetch_jira(service: Service) -> Issue:
    found = get_json(service, "?fields=summary,description,comment", _JiraIssue).fields
    comments = found.comment.comments if found.comment else []
    for each in comments:
        each.body = _rewrite_markup(each.body)
    text = _rewrite_markup(found.description)
    return _make_issue(service.source_id, found.summary, text, comments, len(comments))


def _find_in_jira(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    key, site = reference.source_id, reference.site
    given = {name: environment.get(name, "").strip() for name in (_JIRA_ADDRESS, _JIRA_USER, _JIRA_TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        raise no_issue_error(key, f"Jira cannot be asked for {key} yet.", f"Set {' and '.join(missing)}.")
    base = find_base(_JIRA_ADDRESS, environment, key)
    # An address in the reference never decides where the credentials go.
    if site and (named := host_of(urlsplit(site))) != (known := host_of(urlsplit(base))):
        do = f"Set {_JIRA_ADDRESS} to {site}, with the {_JIRA_USER} and {_JIRA_TOKEN} for it."
        raise no_issue_error(key, f"{key} is on {named}, and {_JIRA_ADDRESS} names {known}.", do)
    basic = b64encode(f"{given[_JIRA_USER]}:{given[_JIRA_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    # Version 2 is known in the cloud and on one's own server, and gives the text as Jira's own markup.
    path, access = f"/rest/api/2/issue/{key}", f"{_JIRA_USER} and {_JIRA_TOKEN}"
    return Service("Jira", base, path, access, _JIRA_ADDRESS, key, f"Basic {basic}")


def _rewrite_markup(text: str | None) -> str:
    """Return Jira's markup with headings, numbered lists and code as in markdown; the rest reads as it is."""
    text = _WIKI_CODE.sub("```", _WIKI_NUMBER.sub("1. ", _clean(text)))
    return _WIKI_HEADING.sub(lambda found: f"{'#' * int(found[1])} ", text)
