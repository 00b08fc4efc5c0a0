"""traceability-matrix.csv and its like: tables that can be read, every row as long as the header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ..drafting.priorities import COLUMNS
from ..drafting.register import TRACE
from .findings import Finding

_DELIMITERS = ",;\t"


def check_table(name: str, text: str) -> Iterator[Finding]:
    """What keeps a table from being read."""
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for row in rows:
            if header is None:
                header = row
                missing = [each for each in COLUMNS if each not in row] if name == TRACE else []
                if missing:
                    yield Finding(name, 1, "table", f"The columns {', '.join(missing)} are missing.")
            elif row and len(row) != len(header):
                cells = f"{len(row)} cell{'s' if len(row) != 1 else ''} under {len(header)} columns"
                yield Finding(name, rows.line_num, "table", f"A row has {cells}.")
    except csv.Error as error:
        yield Finding(name, rows.line_num, "table", f"It is not valid CSV: {error}.")
    if header is None:
        yield Finding(name, 1, "table", "It is empty.")
