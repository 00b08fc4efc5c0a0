"""Why a service gave no issue, in one line each, and the way on."""

from __future__ import annotations

import math
import ssl
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from socket import gaierror
from urllib.error import URLError
from urllib.parse import urlsplit

from ..core.errors import TrackerFailed
from ..core.markup import printable
from .issue import no_issue
from .reference import host_of
from .service import Service

_LATER = "Try again later."


def refused(service: Service, source_id: str, status: int, headers: Message) -> TrackerFailed:
    """The service answered, and not with the issue."""
    name = service.name
    let_in = f"Set {service.access}." if service.anonymous else f"Check {service.access}."
    if status == 429 or (status == 403 and _is_limit(headers)):
        more = f" With credentials it takes more. {let_in}" if service.anonymous else ""
        failed = f"{name} takes no more requests for now ({status})."
        return no_issue(source_id, failed, _wait(headers) + more)
    seen = "without credentials" if service.anonymous else "with these credentials"
    match status:
        case 401:
            wants = "asks for credentials" if service.anonymous else "does not accept the credentials"
            return no_issue(source_id, f"{name} {wants} (401).", let_in)
        case 403:
            return no_issue(source_id, f"{name} does not show {source_id} {seen} (403).", let_in)
        case 404:
            failed = f"{name} has no {source_id}, or does not show it {seen} (404)."
            return no_issue(source_id, failed, f"Check the reference. {let_in}")
        case 410:
            return no_issue(source_id, f"{source_id} was deleted on {name} (410).")
    if 300 <= status < 400:
        failed = f"{name} sends the request on, and it arrives nowhere ({status})."
        return no_issue(source_id, failed, _check(service.place))
    if status >= 500:
        return no_issue(source_id, f"{name} is in trouble ({status}).", _LATER)
    return no_issue(source_id, f"{name} did not take the request ({status}).", _check(service.place))


def led_away(service: Service, source_id: str, address: str) -> TrackerFailed:
    """The service sent the request on to a place that must not see the credentials."""
    try:
        host = host_of(urlsplit(address)) or "another place"
    except ValueError:
        host = "another place"
    kept = "" if service.anonymous else " The credentials were not sent there."
    failed = f"{service.name} at {service.host} sends the request on to {host}.{kept}"
    move = f"If that is right, set {service.place} to it." if service.place else _check(None)
    return no_issue(source_id, failed, move)


def unreachable(service: Service, source_id: str, error: Exception, patience: float) -> TrackerFailed:
    """No answer came, or it broke off."""
    reason = error.reason if isinstance(error, URLError) else error
    host = service.host
    check = _check("the connection", service.place)
    match reason:
        case ssl.SSLCertVerificationError():
            failed = f"The certificate of {host} is not trusted: {printable(reason.verify_message)}."
            return no_issue(
                source_id, failed, "If your company signs its own, name its file in SSL_CERT_FILE."
            )
        case ssl.SSLError():
            return no_issue(source_id, f"There is no secure connection to {host}.", check)
        case TimeoutError():
            return no_issue(source_id, f"{host} did not answer within {patience:g} seconds.", check)
        case ConnectionRefusedError():
            return no_issue(source_id, f"{host} refused the connection.", check)
        case gaierror() | UnicodeError():
            return no_issue(source_id, f"There is no host {host} to be found.", check)
    return no_issue(source_id, f"The connection to {host} broke off.", check)


def unreadable(service: Service, source_id: str, *, page: bool) -> TrackerFailed:
    """The answer is no issue: a web page, or something else."""
    what = "a web page" if page else "something that is no issue"
    failed = f"{service.name} at {service.host} answered with {what}."
    return no_issue(source_id, failed, _check(service.place, None if service.anonymous else service.access))


def too_large(service: Service, source_id: str, largest: int) -> TrackerFailed:
    """The answer is larger than any issue."""
    failed = f"The answer of {service.name} is larger than {largest // 1_000_000} MB."
    return no_issue(source_id, failed, _check(service.place))


def _check(*things: str | None) -> str:
    return f"Check {' and '.join(filter(None, things)) or 'the connection'}."


def _is_limit(headers: Message) -> bool:
    return headers.get("x-ratelimit-remaining") == "0" or headers.get("retry-after") is not None


def _wait(headers: Message) -> str:
    """How long to wait, as far as the service said so."""
    seconds = _retry_after(headers.get("retry-after"))
    if seconds is None:
        seconds = _until(headers.get("x-ratelimit-reset"))
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
