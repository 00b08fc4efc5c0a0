"""The lexicon: words and expressions that the panel tells apart, from `content/probes/lexicon.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from .shelf import BUILT_IN, LEXICON, shelf


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Mapping[str, list[str]]]:
    tables = shelf(BUILT_IN).tables[LEXICON] or {}
    split = {name: text.split() for name, text in tables["words"].items()}
    return {"words": split, "kinds": tables["kinds"], "signs": tables["signs"]}


@lru_cache(maxsize=64)
def words(name: str) -> frozenset[str]:
    """The words of one kind, in small letters."""
    return frozenset(_tables()["words"][name])


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, re.Pattern[str]]:
    """What shows the kind of a question, in the order in which it is tried."""
    return {name: _any(found) for name, found in _tables()["kinds"].items()}


@lru_cache(maxsize=64)
def sign(name: str) -> re.Pattern[str]:
    """What shows that words are of some sort: an objection, an aside, a wrapping."""
    return _any(_tables()["signs"][name])


def _any(expressions: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in expressions), re.IGNORECASE)
