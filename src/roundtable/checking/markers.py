"""Markers: the comments by which Roundtable knows again what it wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..drafting.register import prose
from .findings import Finding

_LOOKS_LIKE = re.compile(r"<!--+\s*(?P<kind>step|elaboration|feedback)\b", re.IGNORECASE)
_SOUND = re.compile(
    r" {0,3}(?:"
    r"<!-- Step \S+: \d{1,9} characters, [0-9a-f]{8} -->"
    r"|<!-- (?:Elaboration|Feedback): step \S+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z -->"
    r"|<!-- Elaboration enrichment \(step [^)]+\).* -->"
    r")\s*"
)


def check_markers(name: str, text: str) -> Iterator[Finding]:
    """The lines that are meant to be markers and are not."""
    for number, line in prose(text):
        found = _LOOKS_LIKE.search(line)
        if found and not _SOUND.fullmatch(line):
            kind = found["kind"].lower()
            yield Finding(
                name,
                number,
                "marker",
                f"The {kind} marker is malformed, so that what it marks is taken for a hand edit.",
            )
