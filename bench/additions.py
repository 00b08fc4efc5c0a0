"""Additions: one block into a document, against parsing it once."""

from __future__ import annotations

from collections.abc import Iterator

from roundtable import insert_addition
from roundtable.documents.outline import read_sections

from .stopwatch import median

BLOCK = "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n\n### Insights\n\n- [Maya] One.\n"


def measure() -> Iterator[str]:
    for kilobytes in (10, 100, 1000):
        part = b"## 3. User Journeys\n\nThe inspector goes down, fills in, comes back.\n\n- one\n- two\n\n"
        document = b"# Requirements\n\n" + part * (kilobytes * 1024 // len(part))
        parse = median(lambda document=document: read_sections(document), runs=3)  # type: ignore[misc]
        insert = median(
            lambda document=document: insert_addition(document, BLOCK, topic="User Journeys"),  # type: ignore[misc]
            runs=3,
        )
        yield f"{kilobytes:5} KB: parse {parse:7.1f} ms  1.0   insert {insert:7.1f} ms  {insert / parse:.1f}"
