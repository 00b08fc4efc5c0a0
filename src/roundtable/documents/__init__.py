"""Markdown artifacts as bytes: where their sections are, and how text is added without touching the rest."""

from __future__ import annotations

from .additions import Addition, add_feedback, insert_addition, write_skeleton, write_section
from .outline import MAX_DOCUMENT_SIZE, Section, choose_section, read_sections

__all__ = [
    "LARGEST",
    "Addition",
    "Section",
    "add_feedback",
    "choose",
    "insert_addition",
    "read_sections",
    "skeleton",
    "write_section",
]
