"""Whether a contribution keeps its persona's voice and says something of its own (VOICE-2 to VOICE-5)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from . import lazy_re as re
from .commands import Table
from .errors import RuleBroken
from .personas import Persona
from .text import EMPTY_WORDS, content_stems, cut_words, fold_text, stem_word, words_of


class Violation(Struct, frozen=True):
    """What is wrong with a contribution, the words that show it, and the reason to give when asking again."""

    kind: Literal["forbidden", "echo", "committee"]
    found: str
    reason: str


_MANY_BLANKS = re.compile(r"(\s\s)\s+")
# Several times the length of a contribution; a persona's patterns may be slow.
_LONGEST_CHECKED = 4_000
# Double quotes, and single ones around a phrase; backticks hold code, not somebody's words.
_QUOTATION = re.compile(
    r"""
      "(?!")[^"\n]*+(?>(?:\n(?!\s*\n)[^"\n]*+)*)"
    | “(?!”)[^“”\n]*+(?>(?:\n(?!\s*\n)[^“”\n]*+)*)”
    | (?<![\w])'(?=\w)[^'\n]*+(?>(?:(?<=\w)'(?=\w)[^'\n]*+)*)'(?!\w)
    | (?<![\w])‘[^‘’\n]*+(?>(?:’(?=\w)[^‘’\n]*+)*)’(?!\w)
    """,
    re.VERBOSE,
)
_COMMITTEE = re.compile(
    r"""\b(?:
      (?:i|we)\s(?:(?:all|both|fully|completely|totally|strongly|generally)\s)*agree
    | (?:could\snot|couldn't|cannot|can't)\sagree\smore | well\ssaid | work\stogether
    | (?:i\s)?(?:echo|second|support)\s(?:that|this|what\s(?:has\sbeen|was|everyone|they)\ssaid)
    | (?:great|good|excellent|valid|fair|nice|solid)\s(?:point|question|idea|thought|observation)s?
    | as\sa\s(?:team|group) | pros\sand\scons | sounds\s(?:good|great|right) | makes\s(?:perfect\s)?sense
    | we(?:'re|\sare)\s(?:all\s)?(?:aligned|in\sagreement|on\sthe\ssame\spage)
    | nothing\s(?:more\s|else\s)?to\sadd
    | (?:consider|balance|weigh)\s(?:all|every|everyone's|both)
      \s(?:perspective|view|viewpoint|side|angle|option|need|factor)s?
    )\b""",
    re.VERBOSE,
)
_OPENING_WORDS, _LITTLE, _LONG_ENOUGH, _NEW_SHARE = 12, 4, 8, 0.2


def check_voice(text: str, persona: Persona, table: Table, *, free: bool) -> tuple[Violation, ...]:
    """Return what is wrong with a contribution; `free` lifts the bans on questions and tradeoffs."""
    names = " ".join(each.first_name for each in table.roster.personas)
    empty, own = EMPTY_WORDS.union(words_of(names)), strip_quotations(text)
    found = list(_find_forbidden(own, persona, table, free))
    said = own if content_stems(own, empty) else text
    if before := next((turn.text for turn in table.turns if _repeats(said, turn.text, empty)), None):
        reason = f"It repeats what was said before: {cut_words(before, _OPENING_WORDS)}"
        found.append(Violation("echo", text.strip(), reason))
    plain = re.sub(r"\s+", " ", fold_text(own))
    committee = _COMMITTEE.search(plain)
    if committee and len(content_stems(_COMMITTEE.sub(" ", plain), empty)) < _LITTLE:
        found.append(Violation("committee", committee[0], "It agrees without adding anything of its own."))
    return tuple(found)


def _find_forbidden(own: str, persona: Persona, table: Table, free: bool) -> Iterator[Violation]:
    """Yield the words that a ban forbids; banned vocabulary is allowed if others or the item use it."""
    said = _MANY_BLANKS.sub(r"\1", own.replace("’", "'"))[:_LONGEST_CHECKED]
    texts = [turn.text for turn in table.turns if turn.speaker != persona.key]
    texts += [table.item.name, table.item.text, *(each.text for each in table.documents + table.material)]
    heard = frozenset[str]().union(*map(_stems, texts))
    for ban in persona.bans:
        if free and ban.kind in ("question", "tradeoff"):
            continue
        try:
            matches = [match[0].strip() for match in re.finditer(ban.pattern, said, re.IGNORECASE)]
        except re.error as error:
            why = f"is not a regular expression: {ban.pattern} ({error})"
            raise RuleBroken(f"A forbidden pattern of {persona.name} {why}.") from error
        for words in {words.casefold(): words for words in matches if words}.values():
            if ban.kind != "vocabulary" or not heard.issuperset(map(stem_word, words_of(words))):
                yield Violation("forbidden", words, ban.reason)


@lru_cache(maxsize=128)
def _stems(text: str) -> frozenset[str]:
    # An identifier such as `refresh_token` or `AsyncClient` also counts as its parts.
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)
    return frozenset(stem_word(word) for word in (*words_of(text), *words_of(parts)))


@lru_cache(maxsize=512)
def strip_quotations(text: str) -> str:
    """Return the text with a mark in place of each quotation."""
    return _QUOTATION.sub(" \ufffc ", text)


def _repeats(text: str, before: str, empty: frozenset[str]) -> bool:
    """Whether a text says hardly anything that `before` does not say."""
    content, held = set(content_stems(text, empty)), set(content_stems(before, empty))
    if len(content) < _LONG_ENOUGH:
        return bool(content) and words_of(text) == words_of(before)
    return len(content - held) < _NEW_SHARE * len(content)
