"""Templates of exported files: texts in `content/export` with places such as `{{menu}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_HOME = Path(__file__).resolve().parents[2] / "content" / "export"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill(name: str, values: Mapping[str, str]) -> str:
    """The template with every place filled; KeyError where a place has no value."""
    text = (_HOME / name).read_text(encoding="utf-8")
    return _PLACE.sub(lambda place: values[place[1]], text)
