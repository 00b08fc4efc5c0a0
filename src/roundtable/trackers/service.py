"""Asks a tracker's service for an issue, and says what to do when it gives none."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import IO, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec

from .. import __version__
from ..address import find_problem
from ..core.errors import TrackerFailed
from ..core.steps import COMMENTS
from ..core.text import clean_text, strip_unprintable
from . import Issue, host_of

PATIENCE = 10.0
LARGEST = 5_000_000
MOST_COMMENTS = 30
LONGEST_COMMENT = 3_000
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_LATER = "Try again later."

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for an issue; `access` and `place` name what the user sets to get in and to get there."""

    name: str
    base: str
    access: str
    place: str | None
    source_id: str
    authorization: str | None = field(repr=False)

    @property
    def host(self) -> str:
        return host_of(urlsplit(self.base)) or self.name

    def error(self, failed: str, do: str = "") -> TrackerFailed:
        """Return the failure to get the issue; `do` is to check the way there unless it is given."""
        way = f"the connection and {self.place}" if self.place else "the connection"
        return no_issue_error(self.source_id, failed, do or f"Check {way}.")


def make_issue(
    source_id: str,
    title: str | None,
    text: str | None,
    comments: Iterable[tuple[str, str, str | None]],
    total: int,
) -> Issue:
    """Return the issue without control characters, called by its id where it has no title.

    The newest of its comments (who, when, words) stand below its text; `total` is how many there are.
    """
    told = []
    for who, when, words in [*comments][-MOST_COMMENTS:]:
        if words := clean_text(words or "").strip():
            quoted = "\n".join(f"> {line}".rstrip() for line in words[:LONGEST_COMMENT].split("\n"))
            told.append(f"**{clean_text(who).strip()}**, {clean_text(when[:10])}:\n\n{quoted}")
    if told and total > len(told):
        told.append(f"({total - len(told)} more not shown.)")
    parts = [clean_text(text or "").strip(), *([COMMENTS, *told] if told else [])]
    return Issue(" ".join(strip_unprintable(title or "").split()) or source_id, "\n\n".join(parts).strip())


def no_issue_error(source_id: str, failed: str, do: str) -> TrackerFailed:
    """Return the failure to get this issue: what failed, and both ways on."""
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(failed, saved="Nothing was added.", do=f"{do} Or add it by hand: {by_hand}")


def check_base_address(variable: str, value: str, source_id: str) -> str:
    """Return the address in a variable without its last slash; a failure never shows the value itself."""
    if find_problem(value) is None:
        return value.rstrip("/")
    failed = f"{variable} is not an address that can be used."
    do = "Set it to something like https://company.example, without a name or a password."
    raise no_issue_error(source_id, failed, do)


def get_json(
    service: Service,
    path: str,
    form: type[_Answer],
    *,
    patience: float = PATIENCE,
    sent: Mapping[str, str] | None = None,
) -> _Answer:
    """Return the answer at the path, or to what is `sent` there; TrackerFailed if it has another form."""
    try:
        return msgspec.json.decode(_read(service, path, patience, sent), type=form)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # perhaps a page to log in
        failed = f"{service.name} at {service.host} answered with something that is not an issue."
        raise service.error(failed) from None
    except HTTPError as error:
        error.close()
        raise _explain_refusal(service, error.code, error.headers) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _explain_silence(service, error, patience) from error


def _read(service: Service, path: str, patience: float, sent: Mapping[str, str] | None) -> bytes:
    """Return the body in time: a slow drip never runs into a socket's own limit."""
    latest = time.monotonic() + patience
    headers = {"Accept": "application/json", "User-Agent": f"roundtable/{__version__}"}
    if service.authorization:
        headers["Authorization"] = service.authorization
    if sent is not None:
        headers["Content-Type"] = "application/json"
    request = Request(service.base + path, None if sent is None else json.dumps(sent).encode(), headers)
    body = bytearray()
    with build_opener(_SameHost(service)).open(request, timeout=patience) as response:
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
        if not may_follow(req.full_url, newurl):
            fp.close()
            service = self._service
            host = host_of(urlsplit(newurl)) or "another place"
            failed = (
                f"{service.name} at {service.host} sends the request on to {host}. It was not sent there."
            )
            raise service.error(
                failed, f"If that is right, set {service.place} to it." if service.place else ""
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def may_follow(old: str, new: str) -> bool:
    """Whether a redirect stays on the same host and port, or goes to its secure side; never back."""
    before, after = (
        (parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme))
        for parts in map(urlsplit, (old, new))
    )
    return after == before or (before[0::2] == ("http", 80) and after == ("https", before[1], 443))


def _explain_refusal(service: Service, status: int, headers: Message) -> TrackerFailed:
    """Return the failure for an answer that is a status instead of the issue."""
    is_limit = headers.get("x-ratelimit-remaining") == "0" or headers.get("retry-after") is not None
    if status == 429 or (status == 403 and is_limit):
        return service.error(f"{service.name} takes no more requests for now ({status}).", _LATER)
    if status in (401, 403, 404):
        verb, seen = ("Check", "with these") if service.authorization else ("Set", "without")
        failed = f"{service.name} does not show {service.source_id} {seen} credentials ({status})."
        do = f"{verb} {service.access}."
        return service.error(failed, f"Check the reference. {do}" if status == 404 else do)
    if status >= 500:
        return service.error(f"{service.name} is in trouble ({status}).", _LATER)
    return service.error(f"{service.name} did not take the request ({status}).")


def _explain_silence(service: Service, error: Exception, patience: float) -> TrackerFailed:
    """Return the failure that no answer came, or that it broke off."""
    reason = error.reason if isinstance(error, URLError) else error
    do = ""
    if isinstance(reason, TimeoutError):
        why = f"no answer came within {patience:g} seconds"
    elif isinstance(reason, ssl.SSLCertVerificationError):
        why = f"its certificate is not trusted, {strip_unprintable(reason.verify_message)}"
        do = "If your company signs its own, name its file in SSL_CERT_FILE."
    else:
        # Only the system's words: those of other errors may hold a header with the credentials.
        why = (reason.strerror if isinstance(reason, OSError) else None) or "the connection broke off"
    return service.error(f"Could not reach {service.host}: {why}.", do)
