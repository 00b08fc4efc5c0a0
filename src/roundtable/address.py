"""The address of a server that has models: whether it can be used, and how it is shown."""

from __future__ import annotations

EXAMPLE = "http://localhost:8080/v1"


def find_problem(address: str) -> str | None:
    """Return why an address cannot be used, without quoting it; None if it can."""
    from urllib.parse import urlsplit  # late: most runs have no address

    wrong = f'must be an address, such as "{EXAMPLE}"'
    if not address.isprintable() or " " in address:
        return wrong
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:  # a bracket that is not closed, a port that is not a number
        return wrong
    if parts.username is not None or parts.password is not None:
        # The library would write it to its log with the address.
        return "must hold no name and no password; where the server wants a key, set ROUNDTABLE_API_KEY"
    if parts.scheme not in ("http", "https") or not host or port == 0 or parts.query or parts.fragment:
        return wrong
    return None


def show_host(address: str) -> str:
    """Return the host and port of an address that can be used."""
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host
