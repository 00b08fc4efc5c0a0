"""Asks a tracker's service for an issue, and says what to do when it gives none."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .. import __version__
from ..address import find_problem
from ..core.errors import TrackerFailed
from ..core.steps import COMMENTS
from ..core.text import clean_text, strip_unprintable
from . import Issue, Reference, host_of

PATIENCE = 10.0
LARGEST = 5_000_000
MOST_COMMENTS = 30
LONGEST_COMMENT = 3_000
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_LATER = "Try again later."


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for an issue; `access` and `place` name what the user sets to get in and to get there."""

    name: str
    base: str
    access: str
    place: str | None
    source_id: str
    headers: Mapping[str, str] = field(repr=False)

    @property
    def is_anonymous(self) -> bool:
        return "Authorization" not in self.headers

    @property
    def host(self) -> str:
        return host_of(urlsplit(self.base)) or self.name

    def error(self, failed: str, *, check: tuple[str | None, ...] = (), do: str = "") -> TrackerFailed:
        """Return the failure to get the issue; `check` names what the user should look at."""
        named = f"Check {' and '.join(filter(None, check)) or 'the connection'}."
        return no_issue_error(self.source_id, failed, do if do or not check else named)


def clean_issue(reference: Reference, *, title: object, text: object) -> Issue:
    """Return the issue without control characters; without a title it is called by its id."""
    title, text = (value if isinstance(value, str) else "" for value in (title, text))
    return Issue(
        title=" ".join(strip_unprintable(title).split()) or reference.source_id,
        text=clean_text(text).strip(),
    )


def join_comments(text: str, comments: Sequence[tuple[object, object, object]], total: int) -> str:
    """Return an issue's text with its comments (who, when, words) below it; the oldest are left out."""
    told = []
    for who, when, words in comments[-MOST_COMMENTS:]:
        if isinstance(words, str) and (words := clean_text(words).strip()):
            quoted = "\n".join(f"> {line}".rstrip() for line in words[:LONGEST_COMMENT].split("\n"))
            told.append(f"**{clean_text(str(who)).strip()}**, {str(when)[:10]}:\n\n{quoted}")
    if not told:
        return text
    if left_out := max(0, total - len(told)):
        told.append(f"({left_out} more not shown.)")
    return "\n\n".join((text, COMMENTS, *told)).strip()


def no_issue_error(source_id: str, failed: str, do: str = "") -> TrackerFailed:
    """Return the failure to get this issue: what failed, and both ways on."""
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(
        failed,
        saved="Nothing was added.",
        do=f"{do} Or add it by hand: {by_hand}" if do else f"Add it by hand: {by_hand}",
    )


def build_headers(accept: str, authorization: str | None) -> dict[str, str]:
    """Return the headers of a request, with the credentials if there are any."""
    headers = {"Accept": accept, "User-Agent": f"roundtable/{__version__}"}
    return headers | {"Authorization": authorization} if authorization else headers


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
    *,
    kind: type[dict[str, Any]] | type[list[Any]] = dict,
    patience: float = PATIENCE,
    sent: Mapping[str, str] | None = None,
) -> Any:
    """Return what is at the path, or the answer to what is `sent` there.

    TrackerFailed where there is none of that kind, an object or a list.
    """
    try:
        body = _read(service, path, patience, sent)
    except HTTPError as error:
        error.close()
        raise _explain_refusal(service, error.code, error.headers) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _explain_silence(service, error, patience) from error
    answer = None
    with suppress(ValueError, RecursionError):
        answer = json.loads(body)
    if not isinstance(answer, kind):
        raise explain_bad_answer(service)
    return answer


def explain_bad_answer(service: Service) -> TrackerFailed:
    """Return the failure that an answer is not an issue, but perhaps a page to log in."""
    failed = f"{service.name} at {service.host} answered with something that is not an issue."
    return service.error(failed, check=(service.place, None if service.is_anonymous else service.access))


def _read(service: Service, path: str, patience: float, sent: Mapping[str, str] | None) -> bytes:
    """Return the body in time: a slow drip never runs into a socket's own limit."""
    latest = time.monotonic() + patience
    opener = build_opener(_SameHost(service))
    headers = dict(service.headers) | ({} if sent is None else {"Content-Type": "application/json"})
    data = None if sent is None else json.dumps(sent).encode()
    request = Request(service.base + path, data, headers)
    body = bytearray()
    with opener.open(request, timeout=patience) as response:
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > LARGEST:
                failed = f"The answer of {service.name} is larger than {LARGEST // 1_000_000} MB."
                raise service.error(failed, check=(service.place,))
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
            kept = "" if service.is_anonymous else " The credentials were not sent there."
            failed = f"{service.name} at {service.host} sends the request on to {host}.{kept}"
            move = f"If that is right, set {service.place} to it." if service.place else ""
            raise service.error(failed, check=(None,), do=move)
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
    name = service.name
    let_in = f"{'Set' if service.is_anonymous else 'Check'} {service.access}."
    is_limit = headers.get("x-ratelimit-remaining") == "0" or headers.get("retry-after") is not None
    if status == 429 or (status == 403 and is_limit):
        more = f" With credentials it takes more. {let_in}" if service.is_anonymous else ""
        return service.error(f"{name} takes no more requests for now ({status}).", do=_LATER + more)
    if status in (401, 403, 404):
        seen = "without credentials" if service.is_anonymous else "with these credentials"
        failed = f"{name} does not show {service.source_id} {seen} ({status})."
        return service.error(failed, do=f"Check the reference. {let_in}" if status == 404 else let_in)
    if status >= 500:
        return service.error(f"{name} is in trouble ({status}).", do=_LATER)
    return service.error(f"{name} did not take the request ({status}).", check=(service.place,))


def _explain_silence(service: Service, error: Exception, patience: float) -> TrackerFailed:
    """Return the failure that no answer came, or that it broke off."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return service.error(
            f"The certificate of {service.host} is not trusted: {strip_unprintable(reason.verify_message)}.",
            do="If your company signs its own, name its file in SSL_CERT_FILE.",
        )
    if isinstance(reason, TimeoutError):
        why = f"no answer came within {patience:g} seconds"
    else:
        # Only the system's words: those of other errors may hold a header with the credentials.
        why = (reason.strerror if isinstance(reason, OSError) else None) or "the connection broke off"
    failed = f"Could not reach {service.host}: {why}."
    return service.error(failed, check=("the connection", service.place))
