"""A tracker's service: where it is, and what lets us in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from ..version import __version__
from .issue import no_issue
from .reference import host_of


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask for an issue; `access` and `place` name what the user sets to get in and to get there."""

    name: str
    base: str
    access: str
    place: str | None
    headers: Mapping[str, str] = field(repr=False)

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
        raise no_issue(source_id, failed, "Set it to something like https://company.example.")
    if "@" in address.netloc:
        failed = f"{variable} holds a name or a password."
        raise no_issue(source_id, failed, "Take them out; they have variables of their own.")
    return f"{address.scheme}://{address.netloc}{address.path}".rstrip("/")


def _split(value: str) -> SplitResult | None:
    try:
        address = urlsplit(value)
        _ = address.port
    except ValueError:
        return None
    return address
