"""Quality: the attributes with their ids, and the risks beside them."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.commands import Answer
from .entries import one
from .identities import Given, Known, give
from .page import labelled, open_questions, section, table, withdrawn
from .register import MATRIX, gone, mentioned, rows
from .sheet import Sheet

RISKS = ("Worst Case", "Early Sign")
_HEADER = ("Id", "Attribute", "Measure", "Source")


def attributes_and_risks(sheet: Sheet) -> str:
    """All answers under their labels, and under which ids they are measured."""
    attributes, given = _numbered(sheet)
    named = ", ".join(
        f"{identity} ({answer.label})" for identity, answer in zip(given.ids, attributes, strict=True)
    )
    pointer = [f"Measured in {MATRIX}: {named}."] if named and sheet.writes(MATRIX) else []
    return section(labelled(sheet.answers), pointer, open_questions(sheet.answers))


def matrix(sheet: Sheet) -> str:
    """A row for each attribute: what it is held to, and which answer says so."""
    attributes, given = _numbered(sheet)
    step_id = sheet.brief.step.step_id
    found = [
        (identity, answer.label, one(answer.text), f"{step_id}, {answer.label}")
        for identity, answer in zip(given.ids, attributes, strict=True)
    ]
    unknown = sheet.without(*RISKS)
    return section(
        [table(_HEADER, found)] if found else [], withdrawn(given.withdrawn), open_questions(unknown)
    )


def _numbered(sheet: Sheet) -> tuple[tuple[Answer, ...], Given]:
    attributes = tuple(each for each in sheet.without(*RISKS) if not each.unknown)
    document = sheet.documents.get(MATRIX, "")
    known = (*_known(document), *gone(document, "NFR"))
    return attributes, give(
        "NFR", [answer.label for answer in attributes], known, taken=mentioned(sheet.documents, "NFR")
    )


def _known(document: str) -> Iterator[Known]:
    for row in rows(document, "NFR"):
        yield Known(row.id, row.cells[0] if row.cells else "")
