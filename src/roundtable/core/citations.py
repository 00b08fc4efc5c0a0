"""What a text cites: files, with or without a line, and figures, and whether they can be found.

Whether a file exists is asked through a callable; a figure has to stand in one of the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from . import lazy_re as re
from .synthesis import UNVERIFIED
from .text import split_sentences, words_of

LinesOf = Callable[[str], int | None]
"""How many lines a file of the project has, by its path; None where there is none."""

_SOURCE_ENDINGS = (
    "py|pyi|jsx?|mjs|cjs|tsx?|vue|svelte|go|rs|java|kts?|scala|cs|cpp|cc|hpp|swift|rb|php|lua|exs?|erl|hs|dart"
    "|sh|sql|html|css|scss|proto|tf|toml|ya?ml|ini|cfg|json|csv|log|md|rst|txt"
)
CITATION = re.compile(
    r"(?<![\w/.@+-])(?P<path>(?:[\w@+.-]+/)+[\w@+.-]*\w|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
"""A file and a line of it."""
_BARE_PATH = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.{1,2}/)?(?:[\w@+-][\w@+.-]{0,99}/){1,30}[\w@+.-]{0,99}\w\.[A-Za-z]\w{0,5}"
    rf"|[\w@+-][\w@+.-]*\.(?:{_SOURCE_ENDINGS}))(?![\w/@-]|:\d)"
)
_OUTSIDE = re.compile(
    r"(?<![\w/.@+:~-])(?P<path>(?:~?/|\.\./)[\w@+./-]{1,300})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
# "example.com/queue" and "Node.js" are no files.
_NO_FILE = re.compile(
    r"(?:[\w-]+\.)+(?i:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)"
    r"|(?i:node|next|vue|react|express|nuxt|three|d3|ember|backbone|angular|chart|discord|alpine|deno)\.js$"
)
_TO_BE_MADE = re.compile(
    r"\b(?:create|add|introduce|write|generate|new|call(?: it)?|name(?: it)?)\s+"
    r"(?:(?:an?|the|new|file|module|called|named|test|page)\s+){0,4}[`\"'*]*\Z",
    re.IGNORECASE,
)


def check_citation(found: re.Match[str], lines_of: LinesOf) -> str:
    """Return what is wrong with a cited file or line, in words; empty where it exists."""
    path, line = found["path"], found.groupdict().get("line")
    count = lines_of(path)
    if count is None:
        return f"{found[0]}: there is no file {path} in the project."
    if line is None:
        return ""
    first = int(line)
    if 1 <= first <= int(found["last"] or first) <= count:
        return ""
    return f"{found[0]}: the file has {count} line{'s' if count != 1 else ''}."


def find_paths(text: str) -> Iterator[re.Match[str]]:
    """Yield every file that a text cites, but for those that are still to be made."""
    for pattern in (CITATION, _OUTSIDE, _BARE_PATH):
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - 60) : found.start()]
            is_planned = pattern is _BARE_PATH and _TO_BE_MADE.search(before)
            if not (is_planned or is_address(found["path"])):
                yield found


def is_address(path: str) -> bool:
    """Whether a path begins with the name of a host, or is a product such as Node.js."""
    return _NO_FILE.match(path) is not None


def is_marked(text: str, end: int) -> bool:
    """Whether the mark stands right behind a place in the text."""
    return text[end : end + 40].lstrip("`)*_").lstrip().startswith(UNVERIFIED)


@lru_cache(maxsize=256)
def trusted_text(text: str) -> str:
    """Return a source without the sentences that are unverified themselves."""
    if UNVERIFIED not in text:
        return text
    return "\n".join(sentence for sentence in split_sentences(text) if UNVERIFIED not in sentence)


_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "once": "1", "twice": "2", "dozen": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "half": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100",
    "thousand": "1000", "million": "1000000",
}  # fmt: skip
_PASSING, _FEW = ("zero", "one", "once", "half"), 3
# Up to three of something is counted in passing; with a unit it is a figure.
_FIGURE = re.compile(
    rf"""
      https?://\S+
    | (?<![\w./@+-])[\w./@+-]{{1,200}}\.[A-Za-z]\w{{0,7}}:\d+(?:-\d+)?  # a line of a file
    | \b[A-Za-z]{{1,6}}-\d[\d-]*\b          # FR-001, turn-3
    | \b(?:turns?|steps?|phases?|sections?|options?|lines?|entry|entries)\s\d[\d,\s-]*(?:and\s\d+)?
    | \b\d{{2}}-\d{{2}}\b(?!-)               # a step
    | \b\d{{1,9}}(?:\.\d{{1,9}}){{2,}}\b       # a version
    | (?m:^)[ \t]{{0,12}}\d{{1,2}}[.)]\s       # the number of a list's entry
    | \b[A-Za-z_]\w{{0,60}}\d\w*\b           # a name such as utf8
    | \b\d+(?:st|nd|rd|th)\b
    | \b(?:(?P<number>\d{{1,12}}(?:[.,:'\u2009]\d{{1,12}}){{0,6}})
      | (?P<word>{"|".join(word for word in _NUMBER_WORDS if word not in _PASSING)})\b)
      (?P<unit>k\b|\s?%|[\s-]?(?:percent|m?s|sec|second|min|minute|h|hour|day|week|month|year|euro|dollar|cent
      |person|people|user|customer|time|[kmgt]b)s?\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)


def find_unknown_figures(text: str, sources: Iterable[str], *, exempt: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the figures, and their ends, that are unmarked, above `exempt` and in none of the sources."""
    stands = frozenset[str]().union(*map(_known_values, sources))
    for found in _FIGURE.finditer(text):
        value = _value_of(found)
        is_counted = value.isdecimal() and int(value) <= (exempt if found["unit"] else max(exempt, _FEW))
        if value and not (is_counted or value in stands or is_marked(text, found.end())):
            yield found[0], found.end()


@lru_cache(maxsize=256)
def _known_values(text: str) -> frozenset[str]:
    """Return the values that a source gives; an id or a version holds its numbers too."""
    trusted = trusted_text(text)
    words = (_NUMBER_WORDS[word] for word in words_of(trusted) if word in _NUMBER_WORDS)
    parts = (str(int(part)) for part in re.findall(r"\d{1,12}", trusted))
    return frozenset((*words, *parts, *map(_value_of, _FIGURE.finditer(trusted))))


def _value_of(found: re.Match[str]) -> str:
    """Return what a figure is compared by; empty for what only looks like one."""
    if found["word"]:
        return _NUMBER_WORDS[found["word"].lower()]
    number = found["number"] or ""
    if re.fullmatch(r"\d{1,3}(?:[.,'\u2009]\d{3})+", number):
        number = re.sub(r"\D", "", number)
    whole, _, rest = re.sub("['\u2009]", "", number.replace(",", ".")).partition(".")
    whole = str(int(whole)) if whole.isdecimal() else whole
    value = f"{whole}.{rest.rstrip('0')}".rstrip(".")
    return f"{value}000" if (found["unit"] or "").lower() == "k" and value.isdecimal() else value
