"""One GET that ends in a JSON object or in one clear failure; credentials stay with the host they are for."""

from __future__ import annotations

import json
import time
from email.message import Message
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .failures import led_away, refused, too_large, unreachable, unreadable
from .service import Service

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
        raise refused(service, source_id, error.code, error.headers) from None
    except (OSError, HTTPException, ValueError) as error:
        raise unreachable(service, source_id, error, patience) from error
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        page = kind.endswith("html") or body.lstrip()[:1] == b"<"
        raise unreadable(service, source_id, page=page)
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
        if not stays(req.full_url, newurl):
            fp.close()
            raise led_away(self._service, self._source_id, newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


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
