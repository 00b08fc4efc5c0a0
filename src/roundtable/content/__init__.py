"""The package's data: personas and steps for the catalogue, words and texts for everything else."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent


@cache
def read_tables(name: str) -> dict[str, Any]:
    """Return the content of a TOML file in this folder; each is read once."""
    return tomllib.loads((HOME / name).read_text(encoding="utf-8"))
