"""Markdown artifacts as bytes: where their sections are, and how text is added without touching the rest."""

from .additions import Addition, insert_addition
from .outline import LARGEST
from .ownership import add_feedback, skeleton, write_section
from .sections import Section, choose, sections

__all__ = [
    "LARGEST",
    "Addition",
    "Section",
    "add_feedback",
    "choose",
    "insert_addition",
    "sections",
    "skeleton",
    "write_section",
]
