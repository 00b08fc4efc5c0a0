"""Slugs: the names of items' folders (rule ITEM-1)."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 60
UNTITLED = "untitled-item"

_LETTERS = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
    "ı": "i", "ŋ": "ng",
}  # fmt: skip
_OTHERS = re.compile(r"[^a-z0-9 -]")
_GAPS = re.compile(r"[ -]+")


def slug(title: str) -> str:
    """The title as a folder's name: small letters, digits and single hyphens, 60 characters at most."""
    plain = "".join(_plain(char) for char in unicodedata.normalize("NFC", title)).lower()
    name = _GAPS.sub("-", _OTHERS.sub("", plain)).strip("-")
    return name[:LONGEST].rstrip("-") or UNTITLED


def numbered(name: str, number: int) -> str:
    """The slug with a number at its end, still no longer than a slug may be."""
    ending = f"-{number}"
    return name[: LONGEST - len(ending)].rstrip("-") + ending


def _plain(char: str) -> str:
    """A character in the letters of the English alphabet; other signs are dropped."""
    if char.isspace():
        return " "
    if char.isascii():
        return char
    if known := _LETTERS.get(char.lower()):
        return known
    bare = "".join(part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part))
    if bare.isascii():
        return bare
    kind = unicodedata.category(char)
    if kind == "Pd":
        return "-"
    if kind[0] not in "LMN":
        return ""
    from anyascii import anyascii  # late: its tables are needed for few titles

    return anyascii(char)
