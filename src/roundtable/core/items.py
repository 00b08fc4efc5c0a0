"""An item: one thing to analyse."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """A feature or a bug: its folder's name, its title, and the text that describes it."""

    slug: str
    name: str
    text: str = ""
    source: str = "manual"
    source_id: str = ""
