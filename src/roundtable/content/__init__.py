"""The data of the package: personas and steps for the catalogue, and words and texts for all others."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent


@cache
def read_tables(name: str) -> dict[str, Any]:
    """Return what a TOML file of this folder holds; it is read once."""
    return tomllib.loads((HOME / name).read_text(encoding="utf-8"))
