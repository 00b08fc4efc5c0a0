"""Checks and shows the address of a model server."""

from urllib.parse import urlsplit

EXAMPLE = "http://localhost:8080/v1"


def find_problem(address: str) -> str | None:
    """Return why an address cannot be used, without quoting it; None if it can."""
    wrong = f'must be an address, such as "{EXAMPLE}"'
    try:
        parts = urlsplit(address)
        is_sound = address.isprintable() and " " not in address and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an unclosed bracket, or a port that is not a number
        return wrong
    if "@" in parts.netloc:
        # The library would log them with the address.
        return "must hold no name and no password; where the server wants a key, set ROUNDTABLE_API_KEY"
    is_plain = parts.scheme in ("http", "https") and not (parts.query or parts.fragment)
    return None if is_sound and is_plain else wrong


def show_host(address: str) -> str:
    """Return the host and port of an address that can be used."""
    return urlsplit(address).netloc.lower()
