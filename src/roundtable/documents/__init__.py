"""Markdown artifacts as bytes: where their sections are, and how text is added without touching the rest."""

from __future__ import annotations

from .additions import Addition, add_feedback, insert_addition, skeleton, write_section
from .outline import LARGEST, Section, choose, read_sections

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
