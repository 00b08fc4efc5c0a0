"""Files that a text cites, with or without a line, and whether they exist. Who knows that is a callable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .synthesis import UNVERIFIED

LinesOf = Callable[[str], int | None]
"""How many lines a file of the project has, by its path; None where there is none."""

_SOURCE_ENDINGS = (
    "py|pyi|jsx?|mjs|cjs|tsx?|vue|svelte|go|rs|java|kts?|scala|cs|cpp|cc|hpp|swift|rb|php|lua|exs?|erl|hs|dart"
    "|sh|sql|html|css|scss|proto|tf|toml|ya?ml|ini|cfg|json|csv|log|md|rst|txt"
)
CITATION = re.compile(
    r"(?<![\w/.@+-])(?P<path>(?:[\w@+.-]+/)+[\w@+.-]*\w|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
"""A file and a line of it."""
_BARE_PATH = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.{1,2}/)?(?:[\w@+-][\w@+.-]{0,99}/){1,30}[\w@+.-]{0,99}\w\.[A-Za-z]\w{0,5}"
    rf"|[\w@+-][\w@+.-]*\.(?:{_SOURCE_ENDINGS}))(?![\w/@-]|:\d)"
)
_OUTSIDE = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.\./)[\w@+./-]{1,300})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)", re.IGNORECASE
)
_PRODUCT = re.compile(
    r"(?:node|next|vue|react|express|nuxt|three|d3|ember|backbone|angular|chart|discord|p5|alpine|deno|bun)\.js",
    re.IGNORECASE,
)
_TO_BE_MADE = re.compile(
    r"\b(?:create|add|introduce|write|generate|new|call(?: it)?|name(?: it)?)\s+"
    r"(?:(?:an?|the|new|file|module|called|named|test|page)\s+){0,4}[`\"'*]*\Z",
    re.IGNORECASE,
)


def check_citation(found: re.Match[str], lines_of: LinesOf) -> str:
    """Return what is wrong with a cited file or line, in words; empty where it exists."""
    path, line = found["path"], found.groupdict().get("line")
    count = lines_of(path)
    if count is None:
        return f"{found[0]}: there is no file {path} in the project."
    if line is None:
        return ""
    first = int(line)
    if 1 <= first <= int(found["last"] or first) <= count:
        return ""
    return f"{found[0]}: the file has {count} line{'s' if count != 1 else ''}."


def find_paths(text: str, *, planned: bool = False) -> Iterator[re.Match[str]]:
    """Yield every file that a text cites, with or without a line; addresses and products are none.

    A file that is still to be made comes only with `planned`.
    """
    for pattern in (CITATION, _OUTSIDE, _BARE_PATH):
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - 60) : found.start()]
            is_planned = not planned and pattern is _BARE_PATH and _TO_BE_MADE.search(before)
            if not (is_planned or is_address(found["path"]) or _PRODUCT.fullmatch(found["path"])):
                yield found


def is_address(path: str) -> bool:
    """Whether a path begins with the name of a host."""
    return _HOST.match(path) is not None


def is_marked(text: str, end: int) -> bool:
    """Whether the mark stands right behind a place in the text."""
    return text[end : end + 40].lstrip("`)*_").lstrip().startswith(UNVERIFIED)
