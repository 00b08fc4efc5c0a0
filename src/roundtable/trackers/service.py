"""An issue as a tracker tells it, and the failure to get one."""

from __future__ import annotations

import json
import math
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from socket import gaierror
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..core.errors import TrackerFailed
from ..core.text import strip_unprintable
from ..version import __version__
from .reference import Reference, host_of


@dataclass(frozen=True, slots=True)
class Issue:
    """What an item is made of: a title of one line, a text that may be empty, and where both come from."""

    title: str
    text: str
    source: str
    source_id: str
    url: str


def cleaned_issue(reference: Reference, *, title: object, text: object, url: str) -> Issue:
    """The issue without control characters; without a title it is called by its id."""
    return Issue(
        title=_one_line(title) or reference.source_id,
        text=_lines(text),
        source=reference.source,
        source_id=reference.source_id,
        url=_one_line(url),
    )


def no_issue(source_id: str, failed: str, do: str = "") -> TrackerFailed:
    """The failure to get this issue: what failed, and both ways on."""
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(
        failed,
        saved="Nothing was added.",
        do=f"{do} Or add it by hand: {by_hand}" if do else f"Add it by hand: {by_hand}",
    )


def _one_line(value: object) -> str:
    return " ".join(strip_unprintable(value).split()) if isinstance(value, str) else ""


def _lines(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return strip_unprintable(value.replace("\r\n", "\n").replace("\r", "\n")).strip()


_LATER = "Try again later."


def refused(service: Service, source_id: str, status: int, headers: Message) -> TrackerFailed:
    """The service answered, and not with the issue."""
    name = service.name
    let_in = f"Set {service.access}." if service.anonymous else f"Check {service.access}."
    if status == 429 or (status == 403 and _is_limit(build_headers)):
        more = f" With credentials it takes more. {let_in}" if service.anonymous else ""
        failed = f"{name} takes no more requests for now ({status})."
        return no_issue_error(source_id, failed, _wait(build_headers) + more)
    seen = "without credentials" if service.anonymous else "with these credentials"
    match status:
        case 401:
            wants = "asks for credentials" if service.anonymous else "does not accept the credentials"
            return no_issue_error(source_id, f"{name} {wants} (401).", let_in)
        case 403:
            return no_issue_error(source_id, f"{name} does not show {source_id} {seen} (403).", let_in)
        case 404:
            failed = f"{name} has no {source_id}, or does not show it {seen} (404)."
            return no_issue_error(source_id, failed, f"Check the reference. {let_in}")
        case 410:
            return no_issue_error(source_id, f"{source_id} was deleted on {name} (410).")
    if 300 <= status < 400:
        failed = f"{name} sends the request on, and it arrives nowhere ({status})."
        return no_issue_error(source_id, failed, _check(service.place))
    if status >= 500:
        return no_issue_error(source_id, f"{name} is in trouble ({status}).", _LATER)
    return no_issue_error(source_id, f"{name} did not take the request ({status}).", _check(service.place))


def led_away(service: Service, source_id: str, address: str) -> TrackerFailed:
    """The service sent the request on to a place that must not see the credentials."""
    try:
        host = host_of(urlsplit(address)) or "another place"
    except ValueError:
        host = "another place"
    kept = "" if service.anonymous else " The credentials were not sent there."
    failed = f"{service.name} at {service.host} sends the request on to {host}.{kept}"
    move = f"If that is right, set {service.place} to it." if service.place else _check(None)
    return no_issue_error(source_id, failed, move)


def unreachable(service: Service, source_id: str, error: Exception, patience: float) -> TrackerFailed:
    """No answer came, or it broke off."""
    reason = error.reason if isinstance(error, URLError) else error
    host = service.host
    check = _check("the connection", service.place)
    match reason:
        case ssl.SSLCertVerificationError():
            failed = f"The certificate of {host} is not trusted: {strip_unprintable(reason.verify_message)}."
            return no_issue_error(
                source_id, failed, "If your company signs its own, name its file in SSL_CERT_FILE."
            )
        case ssl.SSLError():
            return no_issue_error(source_id, f"There is no secure connection to {host}.", check)
        case TimeoutError():
            return no_issue_error(source_id, f"{host} did not answer within {patience:g} seconds.", check)
        case ConnectionRefusedError():
            return no_issue_error(source_id, f"{host} refused the connection.", check)
        case gaierror() | UnicodeError():
            return no_issue_error(source_id, f"There is no host {host} to be found.", check)
    return no_issue_error(source_id, f"The connection to {host} broke off.", check)


def unreadable(service: Service, source_id: str, *, page: bool) -> TrackerFailed:
    """The answer is no issue: a web page, or something else."""
    what = "a web page" if page else "something that is no issue"
    failed = f"{service.name} at {service.host} answered with {what}."
    return no_issue_error(
        source_id, failed, _check(service.place, None if service.anonymous else service.access)
    )


def too_large(service: Service, source_id: str, largest: int) -> TrackerFailed:
    """The answer is larger than any issue."""
    failed = f"The answer of {service.name} is larger than {largest // 1_000_000} MB."
    return no_issue_error(source_id, failed, _check(service.place))


def _check(*things: str | None) -> str:
    return f"Check {' and '.join(filter(None, things)) or 'the connection'}."


def _is_limit(headers: Message) -> bool:
    return build_headers.get("x-ratelimit-remaining") == "0" or build_headers.get("retry-after") is not None


def _wait(headers: Message) -> str:
    """How long to wait, as far as the service said so."""
    seconds = _retry_after(build_headers.get("retry-after"))
    if seconds is None:
        seconds = _until(build_headers.get("x-ratelimit-reset"))
    if seconds is None:
        return _LATER
    if seconds <= 90:
        return f"Try again in {_counted(max(seconds, 1), 'second')}."
    if seconds <= 90 * 60:
        return f"Try again in {_counted(seconds / 60, 'minute')}."
    return f"Try again in {_counted(seconds / 3600, 'hour')}."


def _counted(amount: float, unit: str) -> str:
    whole = math.ceil(amount)
    return f"{whole} {unit}" if whole == 1 else f"{whole} {unit}s"


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None


def _until(value: str | None) -> float | None:
    if value is None or not (value.isascii() and value.isdigit()):
        return None
    return float(value[:12]) - time.time()


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for an issue; `access` and `place` name what the user sets to get in and to get there."""

    name: str
    base: str
    access: str
    place: str | None
    build_headers: Mapping[str, str] = field(repr=False)

    @property
    def anonymous(self) -> bool:
        return "Authorization" not in self.headers

    @property
    def host(self) -> str:
        return host_of(urlsplit(self.base)) or self.name


def headers(accept: str, authorization: str | None) -> dict[str, str]:
    """What every request says of itself; the credentials only where there are some."""
    said = {"Accept": accept, "User-Agent": f"roundtable/{__version__}"}
    return said | {"Authorization": authorization} if authorization else said


def base_address(variable: str, value: str, source_id: str) -> str:
    """The address in a variable without its last slash; a failure never shows the value itself."""
    address = _split(value)
    if address is None or address.scheme not in ("http", "https") or host_of(address) is None:
        failed = f"{variable} is not an address that can be used."
        raise no_issue_error(source_id, failed, "Set it to something like https://company.example.")
    if "@" in address.netloc:
        failed = f"{variable} holds a name or a password."
        raise no_issue_error(source_id, failed, "Take them out; they have variables of their own.")
    return f"{address.scheme}://{address.netloc}{address.path}".rstrip("/")


def _split(value: str) -> SplitResult | None:
    try:
        address = urlsplit(value)
        _ = address.port
    except ValueError:
        return None
    return address


PATIENCE = 10.0
LARGEST = 5_000_000

_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}


def get_json(
    service: Service, path: str, *others: str, source_id: str, patience: float = PATIENCE
) -> dict[str, Any]:
    """The object at the path, or at the next of the others where the service knows no such path."""
    try:
        body, kind = _read(service, path, source_id, patience)
    except HTTPError as error:
        error.close()
        if error.code == 404 and others:
            return get_json(service, *others, source_id=source_id, patience=patience)
        raise explain_refusal(service, source_id, error.code, error.headers) from None
    except (OSError, HTTPException, ValueError) as error:
        raise explain_silence(service, source_id, error, patience) from error
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        page = kind.endswith("html") or body.lstrip()[:1] == b"<"
        raise explain_bad_answer(service, source_id, page=page)
    return answer


class _SameHost(HTTPRedirectHandler):
    """Follows a redirect within the host, and none that leads away from it."""

    max_redirections = 5

    def __init__(self, service: Service, source_id: str) -> None:
        self._service = service
        self._source_id = source_id

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        if not may_follow(req.full_url, newurl):
            fp.close()
            raise explain_redirect(self._service, self._source_id, newurl)
        return super().redirect_request(req, fp, code, msg, build_headers, newurl)  # type: ignore[arg-type]


def _read(service: Service, path: str, source_id: str, patience: float) -> tuple[bytes, str]:
    """The body and its content type, within the time: a slow drip never runs into a socket's own limit."""
    latest = time.monotonic() + patience
    opener = build_opener(_SameHost(service, source_id))
    request = Request(service.base + path, headers=dict(service.headers))
    body = bytearray()
    with opener.open(request, timeout=patience) as response:
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > LARGEST:
                raise too_large(service, source_id, LARGEST)
            if time.monotonic() > latest:
                raise TimeoutError
        return bytes(body), response.headers.get_content_type()


def stays(old: str, new: str) -> bool:
    """True within the same host and port, and from there to its secure side; never back."""
    before, after = _origin(old), _origin(new)
    return after == before or (before[0::2] == ("http", 80) and after == ("https", before[1], 443))


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
