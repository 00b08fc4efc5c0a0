"""Words as the offline panel compares them: stems, sentences, and the lists in `interview/words.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ...core.text import EMPTY_WORDS, content_stems, stem_word

INTERVIEW_FOLDER = Path(__file__).resolve().parents[2] / "content" / "interview"
MAX_MESSAGE_LENGTH = 4_000
"""How much of one message is read; what is kept is never cut."""

_FILLERS = re.compile(
    r"(?:(?:(?:ok|okay|so|well|and|but|then|hm{1,5}|yes|no|thanks)\b[,.!]?|right[,.!]) {1,3}){1,6}",
    re.IGNORECASE,
)
_GROUP_NAMES = ("everyone", "everybody", "team", "all of you", "you all")


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((INTERVIEW_FOLDER / "words.toml").read_text("utf-8"))


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the words of one kind, in small letters."""
    return frozenset(_tables()["words"][name].split())


@lru_cache(maxsize=4_096)
def telling_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that tell something; "a good question", "1)" or "B" has none."""
    stems = content_stems(text, EMPTY_WORDS | word_list("empty"))
    return frozenset(stem for stem in stems if len(stem) > 1 or not stem.isascii())


@cache
def stems_of_list(name: str) -> frozenset[str]:
    """Return the stems of a word list."""
    return frozenset(map(stem_word, word_list(name)))


@cache
def pattern(name: str, table: str = "signs") -> re.Pattern[str]:
    """Return the expression that shows what a sentence does: object, announce, ask openly."""
    return re.compile("|".join(f"(?:{each})" for each in _tables()[table][name]), re.IGNORECASE)


def phase_expressions() -> Mapping[str, re.Pattern[str]]:
    """Return, by the number of each phase, the expressions that only that phase uses."""
    return {phase: pattern(phase, "phases") for phase in _tables()["phases"]}


def persona_line(persona: str, kind: str) -> str:
    """Return how a persona says one kind of thing; one without lines of its own speaks as the architect."""
    known = _tables()["lines"]
    line: str = known.get(persona, known["solutions-architect"])[kind]
    return line


@lru_cache(maxsize=4_096)
def similar_stems(stem: str) -> frozenset[str]:
    """Return the stems of words that mean nearly the same."""
    rows = (frozenset(map(stem_word, row.split())) for row in _tables()["alike"]["rows"].split("\n"))
    return frozenset[str]().union(*(row for row in rows if stem in row)) - {stem}


def drop_name(words: str, names: Iterable[str]) -> str:
    """Return words without the name that they are said to: whom they are said to is in the transcript."""
    name, _, rest = words.partition(", ")
    return f"{rest[:1].upper()}{rest[1:]}" if rest and name in names else words


def strip_address(message: str, names: Iterable[str]) -> str:
    """Return a message without the fillers and the name that it begins or ends with, for comparing only."""
    text = message.strip()
    for _ in range(2):
        filler = _FILLERS.match(text)
        text = text[filler.end() :] if filler else text
        for name in (*names, *_GROUP_NAMES):
            text = re.sub(rf"^{re.escape(name)}\b ?[,:] ?", "", text, count=1, flags=re.IGNORECASE)
            text = re.sub(rf", ?{re.escape(name)}([?.!]?)$", r"\1", text, count=1, flags=re.IGNORECASE)
            text = re.sub(rf"^{re.escape(name)} ?\?{{1,3}}$", "", text, flags=re.IGNORECASE)
    return text.strip()
