"""Fencing: text of others as material, in a form that no text can leave.

Every line begins with a mark, whatever the line is; so there is no end mark that a text could forge.
"""

from __future__ import annotations

from ...core.markup import printable

MARK = "| "
_CUT = "[... the rest is left out]"


def fence(text: str, longest: int | None = None) -> str:
    """The text with the mark before each of its lines, shortened to about so many characters."""
    lines = _lines(text)
    if longest is not None and len(text) > longest:
        lines = [*_lines(text[:longest]), _CUT]
    return "\n".join(f"{MARK}{line}".rstrip() for line in lines)


def inline(text: str) -> str:
    """A short text on one line, for the middle of a sentence."""
    return " ".join(" ".join(_lines(text)).split()).replace('"', "'")


def _lines(text: str) -> list[str]:
    # All that any reader could take for a line end: splitlines() knows more of them than "\n".
    return printable(text).strip().splitlines() or [""]
