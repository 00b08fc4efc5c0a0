"""The lexicon: the words that the panel tells apart, read once from `content/probes/lexicon.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache

from .probefile import BUILT_IN, LEXICON


@lru_cache(maxsize=1)
def _tables() -> dict[str, frozenset[str]]:
    tables = tomllib.loads((BUILT_IN / LEXICON).read_text(encoding="utf-8"))
    return {name: frozenset(words.split()) for name, words in tables["words"].items()}


def words(name: str) -> frozenset[str]:
    """The words of one kind, in small letters."""
    return _tables()[name]
