"""Which words and names of an item to look for: stems, whole names, and no stop words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..core.steps import Item
from ..core.text import stem_word

_STOP_WORDS_FILE = Path(__file__).resolve().parents[1] / "content" / "survey" / "stop-words.txt"
STOP_WORDS = frozenset(re.sub(r"(?m)^#.*", "", _STOP_WORDS_FILE.read_text("utf-8")).split())
MAX_TERMS = 14
_LONGEST_TEXT = 20_000
_TITLE, _TEXT = 1.0, 0.35
_AGAIN, _MOST_WEIGHT = 1.1, 2.0
_NAMED = 1.6  # something written as code is written in the code
# A path, an option, a dotted or joined name, or a plain word in any script.
_TOKEN = re.compile(r"[\w$][\w$'’]*(?:(?:[./:-]|::)[\w$]+)*", re.UNICODE)
_PART = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[^\W\d_A-ZÄÖÜ])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])")
_JAPANESE = re.compile(r"[\u30a0-\u30ff\u31f0-\u31ff]{2,}|[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々]{2,}")
_ANY_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_CODE_SPAN = re.compile(r"(?<!`)`+([^`\s]+)`+")
_POSSESSIVE = re.compile(r"['’]s?$")
# Addresses of the web and of mail, numbers of trackers.
_NO_TERM = re.compile(
    r"https?://\S+|(?<=\w)@[\w.-]+|(?:^|(?<=\s))\(?(?:#\d+|GH-\d+|[A-Z]{2,10}-\d+)\)?(?=\W|$)"
)
_JOINED = re.compile(r"[a-z0-9][A-Z]|[_$]|[A-Z]{2}[a-z]|\w(?:\.|::|/)\w")


@lru_cache(maxsize=20_000)
def word_root(word: str) -> str:
    """Return the beginning that the word's forms share, to search files for it: `quer` for `query`."""
    word = word.lower()
    root = stem_word(word)
    while not word.startswith(root):
        root = root[:-1]
    root = root.removesuffix("y").removesuffix("i") if len(root) > 4 else root
    return root if len(root) > 2 else word


class Term(Struct, frozen=True):
    """Something to look for: in small letters, as a stem or as a whole name, with its weight."""

    text: str
    weight: float
    whole: bool = False

    @property
    def spellings(self) -> tuple[bytes, ...]:
        """The byte forms in files whose ASCII letters are made small; other capitals are spelled out."""
        forms = (self.text, self.text.capitalize(), self.text.upper())
        return tuple(dict.fromkeys(form.encode("utf-8", "surrogateescape").lower() for form in forms))


def extract_terms(item: Item) -> tuple[Term, ...]:
    """Return the terms of the item's title and text, the weightiest first, a bounded number."""
    found: dict[tuple[str, bool], Term] = {}
    for text, base in ((item.name, _TITLE), (item.text[:_LONGEST_TEXT], _TEXT)):
        for term in _find_terms(text):
            key = (term.text, term.whole)
            before = found.get(key)
            # What is said again says a little more, never as much as the first time.
            weight = max(before.weight * _AGAIN, base * term.weight) if before else base * term.weight
            found[key] = replace(before or term, weight=min(weight, _MOST_WEIGHT))
    return tuple(sorted(found.values(), key=lambda term: -term.weight)[:MAX_TERMS])


def word_stems(text: str) -> frozenset[str]:
    """Return the stems of the telling words of a text, for texts that are only compared."""
    words = (word for word in split_name(text) if len(word) > 2 and word.lower() not in STOP_WORDS)
    return frozenset(map(word_root, words))


def split_name(name: str) -> tuple[str, ...]:
    """Return the words a name is joined from, as written: `hideInput_now` gives hide, Input and now."""
    return tuple(part for run in _PART.findall(name) for part in _HUMP.split(run))


def _find_terms(text: str) -> Iterator[Term]:
    """Yield the terms of a text in its order, repeated where they are, with what each weighs within it."""
    text = _NO_TERM.sub(" ", text)
    spans = [match.span(1) for match in _CODE_SPAN.finditer(text)]
    for token in _TOKEN.finditer(text):
        span = bisect_right(spans, (token.start(), len(text))) - 1
        is_code = span >= 0 and token.start() < spans[span][1]
        named = is_code or text.endswith("--", 0, token.start())
        word = _POSSESSIVE.sub("", token[0].strip("'’-./:"))
        if _ANY_JAPANESE.search(word):
            yield from (Term(run, 1.0, whole=True) for run in _JAPANESE.findall(word))
            continue
        parts = split_name(word)
        if (named or _JOINED.search(word)) and len(parts) > 1 and not all(map(str.isdigit, parts)):
            yield Term(word.lower(), _NAMED, whole=True)
        for part in parts if word.lower() not in STOP_WORDS else ():
            is_short = len(part) < 2 or (len(part) == 2 and not part.isupper())
            if not is_short and part.lower() not in STOP_WORDS and not part.isdigit():
                yield Term(word_root(part), _NAMED if named else 1.0)
