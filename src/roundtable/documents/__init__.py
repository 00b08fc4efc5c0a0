"""Markdown artifacts as bytes: where their sections are, and how text is added without touching the rest."""
