"""Access: a port is open to every user of the machine, so each request has to bring a token."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
_REFUSAL = b"The token is missing or wrong. Use the address that `roundtable mcp --http` printed.\n"


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def address(port: int, token: str) -> str:
    """The address that a client connects to."""
    return f"http://{LOOPBACK}:{port}{PATH}?token={token}"


class RequireToken:
    """Passes on the requests that have the token, in the address or as `Authorization: Bearer`."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._is_allowed(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(_REFUSAL))]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": _REFUSAL})
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_allowed(self, scope: Scope) -> bool:
        return any(hmac.compare_digest(given, self._token) for given in _tokens(scope))


def _tokens(scope: Scope) -> Iterator[bytes]:
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    yield from (given.encode() for given in query.get("token", ()))
    for name, value in scope.get("headers", ()):
        if name.lower() == b"authorization" and value[:7].lower() == b"bearer ":
            yield value[7:].strip()
