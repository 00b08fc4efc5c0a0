"""The address of a server that has models: whether it can be used, and how it is told to a person."""

from __future__ import annotations

EXAMPLE = "http://localhost:8080/v1"


def find_problem(address: str) -> str | None:
    """Why an address cannot be used, without its words; None where it can."""
    from urllib.parse import urlsplit  # late: most runs have no address

    wrong = f'must be an address, such as "{EXAMPLE}"'
    if not address.isprintable() or " " in address:
        return wrong
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:  # a bracket that is not closed, a port that is none
        return wrong
    if parts.username is not None or parts.password is not None:
        # The library would write it to its log with the address.
        return "must hold no name and no password; where the server wants a key, set ROUNDTABLE_API_KEY"
    if parts.scheme not in ("http", "https") or not host or port == 0 or parts.query or parts.fragment:
        return wrong
    return None


def show_host(address: str) -> str:
    """The host and port of an address that can be used."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host
