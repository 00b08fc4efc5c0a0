"""Who may come in: invitations with a role, guests, and the checks that every request has to pass."""

import hmac
import ipaddress
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct, field
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...core.errors import RuleBroken
from ...core.personas import Roster
from ...core.text import fold_look_alikes

Role = Literal["member", "observer"]
MEMBER: Role = "member"
OBSERVER: Role = "observer"
COOKIE = f"roundtable-{secrets.token_hex(4)}"  # one name per server: cookies are sent to all ports
MAX_BODY = 1024 * 1024
MAX_NAME = 40
_MAX_GUESTS = 5_000
_MAX_FIELDS = 500
_MAX_DONE, _TIME_SPAN = 50, 10.0  # most requests of one sender, within this many seconds
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
_EVERY_ADDRESS = ("0.0.0.0", "::")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guest(Struct, frozen=True):
    """Somebody who came in by an invitation; `id` is known to the others, `check` proves a form is ours."""

    name: str
    role: Role
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    check: str = field(default_factory=lambda: secrets.token_urlsafe(24))


class Invitations:
    """The links that let people in, one for each role, and the guests who used them."""

    def __init__(self) -> None:
        self.tokens: Mapping[Role, str] = {role: secrets.token_urlsafe(32) for role in (MEMBER, OBSERVER)}
        self._guests: dict[str, Guest] = {}

    def role_of(self, token: str) -> Role:
        """Return the role that a link gives; raise HTTPException if it is not one of ours."""
        for role, own in self.tokens.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                return role
        ask = "If the server was restarted, ask for a new one."
        raise HTTPException(403, f"This invitation is no longer valid. {ask}")

    def admit(self, token: str, name: str, roster: Roster) -> tuple[str, Guest]:
        """Let somebody in; return their cookie's secret and guest. Raise RuleBroken without a proper name."""
        known_as = "".join(char for char in " ".join(name.split()) if char.isprintable())[:MAX_NAME].strip()
        secret, guest = secrets.token_urlsafe(32), Guest(known_as, self.role_of(token))
        if not known_as:
            raise RuleBroken("Say your name, so that the others know who speaks.")
        if _is_taken(known_as, roster):
            raise RuleBroken(f'"{known_as}" is taken here. Choose another name, or add your surname.')
        while len(self._guests) >= _MAX_GUESTS:
            del self._guests[next(iter(self._guests))]
        self._guests[secret] = guest
        return secret, guest

    def find_guest(self, request: Request) -> Guest | None:
        """Return the guest who sent a request; None if a stranger did."""
        return self._guests.get(request.cookies.get(COOKIE, ""))


def _is_taken(name: str, roster: Roster) -> bool:
    """Whether the name looks like a persona's, with or without its role, or like a reserved word."""

    def fold(name: str) -> list[str]:
        folded = fold_look_alikes(name).casefold().translate(str.maketrans("l1|0", "iiio"))
        return "".join(char if char.isalnum() else " " for char in folded).split()

    whole = [fold(each.name) for each in roster.personas]
    short = [fold(f"{each.first_name} {role}") for each in roster.personas for role in ("", each.role)]
    taken = {"user", "theuser", "host", *map("".join, (*whole, *short))}
    return "".join(fold(name)) in taken or any(fold(name)[: len(each)] == each for each in whole)


class Guard:
    """Lets requests through to one of our names, from our own pages, at a modest rate; adds our headers."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._done: Counter[str] = Counter()  # what each sender did in the time span that ends at `_until`
        self._until = 0.0
        self._names = {*map(str.lower, hosts), *THIS_MACHINE}
        self._any_address = not self._names.isdisjoint(_EVERY_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._app
        if scope["type"] == "http" and (refusal := self._find_refusal(request := Request(scope))):
            status, text = refusal
            shown = PlainTextResponse(f"{text}\n", status)
            answer = JSONResponse({"error": text}, status) if wants_json(request) else shown
        await answer(scope, receive, send_with_headers)

    def _find_refusal(self, request: Request) -> tuple[int, str] | None:
        headers, host = request.headers, request.headers.get("host", "")
        if not self._is_ours(host):
            return 421, "This server has another name. Use the address that `roundtable serve` printed."
        if request.method in ("GET", "HEAD"):
            return None
        if headers.get("origin", "").lower().partition("://")[2] != host.lower():
            return 403, "This came from another page, so nothing was done."
        if time.monotonic() >= self._until:
            self._until = time.monotonic() + _TIME_SPAN
            self._done.clear()
        sender = headers.get("cookie", "") or str(request.client and request.client.host)
        self._done[sender] += 1
        is_much = self._done[sender] > _MAX_DONE
        return (429, "That was too much at once. Wait a few seconds and try again.") if is_much else None

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            # A stranger can point a name at us, but not an address: if all are served, any is ours.
            return name in self._names or (self._any_address and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False


class Door:
    """Lets in only guests and forms of their own pages; sets `request.state.guest` and `.form`."""

    def __init__(self, app: ASGIApp, invitations: Invitations) -> None:
        self._app, self._invitations = app, invitations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        guest = request.state.guest = self._invitations.find_guest(request)
        if guest is None:
            ask = "Use the address that `roundtable serve` printed, or ask the person who runs this server."
            raise HTTPException(401, f"You need an invitation. {ask}")
        if request.method == "POST":
            form = request.state.form = await read_form(request)
            if not hmac.compare_digest(form.get("check", "").encode(), guest.check.encode()):
                raise RuleBroken("This form is from another visit, so nothing was done. Load the page again.")
            if guest.role != MEMBER:
                raise RuleBroken("You are here to look on. Nothing was changed.")
        await self._app(scope, receive, send)


def wants_json(request: Request) -> bool:
    """Whether a script or a terminal asks, not a page."""
    return "application/json" in request.headers.get("accept", "")


async def read_form(request: Request) -> dict[str, str]:
    """Return a form's fields; raise HTTPException if it is too large, RuleBroken if it is not a form."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"This is larger than {MAX_BODY:,} bytes, so nothing was done.")
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise RuleBroken("This is not a form of ours, so nothing was done.") from error
    return {name: text.replace("\r\n", "\n") for name, text in fields}
