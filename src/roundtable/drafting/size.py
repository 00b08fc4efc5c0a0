"""Size and complexity: what the depth of the later phases is chosen by (rule DEPTH-1)."""

from __future__ import annotations

import re

from ..core.depth import read_scope
from .entries import bare, one
from .page import labelled, open_questions, paragraph, section
from .sheet import Sheet

_VALUES = re.compile(r"^(?:\W*\b(?:scope|complexity|size|small|medium|large|low|high)\b)+\W*", re.IGNORECASE)


def size(sheet: Sheet) -> str:
    """Scope and complexity on lines of their own, then why, then the rest."""
    scope, complexity = _read(sheet)
    labels = ("Scope", "Complexity")
    found = [
        paragraph(label, value) for label, value in zip(labels, (scope, complexity), strict=True) if value
    ]
    reasons, words = [], []
    for label, value in zip(labels, (scope, complexity), strict=True):
        text = sheet.text(label)
        if text and not value:
            words.append(paragraph(label, text))
        elif reason := bare(_VALUES.sub("", one(text), count=1)):
            reasons.append(paragraph(f"Why this {label.lower()}", reason))
    rest = sheet.without(*labels)
    return section(found, words, reasons, labelled(rest), open_questions(sheet.answers))


def _read(sheet: Sheet) -> tuple[str | None, str | None]:
    """What the two answers say, line by line: the later line corrects the earlier."""
    scope = complexity = None
    for line in sheet.text("Scope").splitlines():
        both = read_scope(f"Scope: {line}")
        scope, complexity = both[0] or scope, both[1] or complexity
    for line in sheet.text("Complexity").splitlines():
        complexity = read_scope(f"Complexity: {line}")[1] or complexity
    return scope, complexity
