"""Citations such as `src/mail.py:12`: the file is in the project and has that line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..drafting.register import prose
from .findings import Finding

LinesOf = Callable[[str], int | None]
"""How many lines a file of the project has, by its path; None where there is none."""

_CITATION = re.compile(
    r"(?<![\w/.@+-])(?P<path>(?:[\w@+.-]+/)+[\w@+.-]*\w|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)", re.IGNORECASE
)


def check_citations(name: str, text: str, lines_of: LinesOf) -> Iterator[Finding]:
    """The citations in a document that lead nowhere."""
    for number, line in prose(text):
        for found in _CITATION.finditer(line):
            path, first = found["path"], int(found["line"])
            last = int(found["last"] or first)
            if _HOST.match(path):
                continue
            count = lines_of(path)
            if count is None:
                yield Finding(
                    name, number, "citation", f"{found[0]}: there is no file {path} in the project."
                )
            elif not 1 <= first <= last <= count:
                lines = f"{count} line{'s' if count != 1 else ''}"
                yield Finding(name, number, "citation", f"{found[0]}: the file has {lines}.")
