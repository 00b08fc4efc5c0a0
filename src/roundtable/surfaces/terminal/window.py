"""The window: what the terminal can show, as far as the environment tells."""

from __future__ import annotations

import os
from collections.abc import Mapping

from .palette import VOICES

_WITHOUT_CURSOR = ("", "dumb", "unknown")
# What stands in for our own signs where they cannot be shown.
_PLAIN = str.maketrans({
    "▰": "#", "▱": "-", "─": "-", "›": ">", "·": "|", "•": "*", "▌": "|", "…": "...", "✓": "*", "—": "--",
    **{voice.sign: voice.plain_sign for voice in VOICES},
})  # fmt: skip


def has_cursor(environment: Mapping[str, str]) -> bool:
    """True where the input line can be painted; a dumb terminal gets plain lines."""
    return os.name == "nt" or environment.get("TERM", "") not in _WITHOUT_CURSOR


def has_signs(encoding: str | None, environment: Mapping[str, str]) -> bool:
    """True where more signs than a typewriter's can be shown."""
    if environment.get("TERM") == "linux":  # its font has 512 signs at most
        return False
    try:
        "●▰─›•".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def plain_signs(text: str) -> str:
    """The text with signs that every terminal has."""
    return text.translate(_PLAIN)
