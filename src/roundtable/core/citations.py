"""What a text cites: files, with or without a line, and figures, and whether they can be found.

Whether a file exists is asked through a callable; a figure has to stand in one of the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from . import lazy_re as re
from .synthesis import UNVERIFIED
from .text import fold_text, split_sentences, words_of

LinesOf = Callable[[str], int | None]
"""How many lines a file of the project has, by its path; None where there is none."""


class Code(Struct, frozen=True):
    """The project's files, which words about them are held against."""

    count_lines: LinesOf
    read_lines: Callable[[str], Sequence[str] | None]
    has_name: Callable[[str], bool]
    """Whether a name stands anywhere in the project."""


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
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)", re.IGNORECASE
)
_PRODUCT = re.compile(
    r"(?:node|next|vue|react|express|nuxt|three|d3|ember|backbone|angular|chart|discord|p5|alpine|deno|bun)\.js",
    re.IGNORECASE,
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


def find_paths(text: str, *, planned: bool = False) -> Iterator[re.Match[str]]:
    """Yield every file that a text cites, with or without a line; addresses and products are none.

    A file that is still to be made comes only with `planned`.
    """
    for pattern in (CITATION, _OUTSIDE, _BARE_PATH):
        for found in pattern.finditer(text):
            before = text[max(0, found.start() - 60) : found.start()]
            is_planned = not planned and pattern is _BARE_PATH and _TO_BE_MADE.search(before)
            if not (is_planned or is_address(found["path"]) or _PRODUCT.fullmatch(found["path"])):
                yield found


def is_address(path: str) -> bool:
    """Whether a path begins with the name of a host."""
    return _HOST.match(path) is not None


def is_marked(text: str, end: int) -> bool:
    """Whether the mark stands right behind a place in the text."""
    return text[end : end + 40].lstrip("`)*_").lstrip().startswith(UNVERIFIED)


@lru_cache(maxsize=256)
def trusted_text(text: str) -> str:
    """Return a source without the sentences that are unverified themselves."""
    if UNVERIFIED not in text:
        return text
    return "\n".join(sentence for sentence, _ in locate_sentences(text) if UNVERIFIED not in sentence)


def locate_sentences(text: str) -> Iterator[tuple[str, int]]:
    """Yield each sentence and where it begins."""
    at = 0
    for sentence in split_sentences(text):
        start = text.find(sentence, at)
        at = start + len(sentence)
        yield sentence, start


# --- figures -------------------------------------------------------------------------------------------

_UNITS = (
    "percent|per cent|milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|hours?|h|days?|weeks?|months?|years?"
    "|euros?|eur|dollars?|usd|pounds?|cents?|people|users?|customers?|times|megabytes?|gigabytes?"
    "|[kmgt]b|km|metres?|meters?"
)
_FIGURE = re.compile(
    rf"""
      (?P<skip>
        https?://\S+
      | (?<![\w./@+-])[\w./@+-]{{1,200}}\.[A-Za-z]\w{{0,7}}:\d+(?:-\d+)?  # a line of a file
      | \b[A-Za-z]{{1,6}}-\d[\d-]*\b          # FR-001, turn-3
      | \b(?:turns?|steps?|phases?|sections?|options?|lines?|entry|entries)\s\d[\d,\s-]*(?:and\s\d+)?
      | \b\d{{2}}-\d{{2}}\b(?!-)               # a step
      | \bv\d[\w.]*                            # a version
      | \b\d{{1,9}}(?:\.\d{{1,9}}){{2,}}\b
      | (?m:^)[ \t]{{0,12}}\d{{1,2}}[.)]\s               # the number of a list's entry
      | \b[A-Za-z_]\w{{0,60}}\d\w*\b                # a name such as utf8
      | \b\d+(?:st|nd|rd|th)\b
      )
    | (?P<date>\b\d{{4}}-\d\d(?:-\d\d)?\b|\b\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{4}}|\d\d)?\b)
    | (?P<time>\b\d{{1,2}}[:.]\d\d(?=\s?(?:[ap]\.?m\b|o'clock|h\b))|\b\d{{1,2}}:\d\d\b)
      (?P<half>\s?[ap]\.?m\b)?
    | (?P<number>\b\d{{1,12}}(?:[.,'\u2009]\d{{1,12}}){{0,6}})(?P<unit>\s?%|k\b|\s?(?:{_UNITS})\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "once": "1", "twice": "2", "couple": "2", "dozen": "12", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "half": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000",
}  # fmt: skip
_BOUND = "at least|at most|about|around|roughly|over|under|up to|more than|less than|nearly|exactly|almost"
_SPELLED = re.compile(
    rf"(?:\b(?:{_BOUND})\s(?P<bound>{'|'.join(_NUMBER_WORDS)})\b)"
    rf"|(?:\b(?P<counted>{'|'.join(_NUMBER_WORDS)})\s(?:{_UNITS})\b)",
    re.IGNORECASE,
)
_BOUNDED = re.compile(rf"\b(?:{_BOUND})\s\Z", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'\u2009]\d{3})+")
_SMALL = 3


def find_unknown_figures(text: str, sources: Iterable[str], *, exempt: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the figures of a text that stand in no source and carry no mark, each with where it ends.

    Small counts up to `exempt` are free.
    """
    stands = frozenset[str]().union(*map(_known_values, sources))
    for found, value in _figures(text):
        is_counted = value.isdecimal() and int(value) <= exempt
        if not (is_counted or value in stands or is_marked(text, found.end())):
            yield found[0], found.end()


def _figures(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the figures of a text with their values, but for those that only count a few things."""
    for found in _FIGURE.finditer(text):
        value = _value_of(found)
        is_small = found["number"] and value.isdecimal() and int(value) <= _SMALL
        is_bounded = _BOUNDED.search(text[max(0, found.start() - 20) : found.start()])
        if value and not (is_small and not is_bounded and not found["unit"]):
            yield found, value
    for found in _SPELLED.finditer(text):
        word = (found["bound"] or found["counted"]).lower()
        if word not in ("one", "once"):
            yield found, _NUMBER_WORDS[word]


@lru_cache(maxsize=256)
def _known_values(text: str) -> frozenset[str]:
    """Return the values that a source gives."""
    trusted = trusted_text(text)
    values = {_NUMBER_WORDS[word] for word in words_of(trusted) if word in _NUMBER_WORDS}
    for found in _FIGURE.finditer(trusted):
        values.add(_value_of(found))
        # An id or a version holds its numbers too: "version 3" of v3, "port 80" of web-80.
        values.update(str(int(part)) for part in re.findall(r"\d{1,12}", found[0]))
    return frozenset(values)


def _value_of(found: re.Match[str]) -> str:
    """Return what a figure is compared by; empty for what only looks like one."""
    if found["date"]:
        return "-".join(str(int(part)) for part in re.findall(r"\d+", found["date"]))
    if found["time"]:
        hour, minute = (int(part) for part in re.split("[:.]", found["time"]))
        is_afternoon = (found["half"] or "").strip().lower().startswith("p") and hour < 12
        return f"{hour + 12 * is_afternoon}:{minute:02}"
    number = found["number"] or ""
    if _THOUSANDS.fullmatch(number):
        number = re.sub(r"\D", "", number)
    whole, _, rest = re.sub(r"['\u2009]", "", number.replace(",", ".")).partition(".")
    rest = rest.rstrip("0")
    thousands = "000" if (found["unit"] or "").lower() == "k" and not rest else ""
    return f"{int(whole)}{thousands}{'.' if rest else ''}{rest}" if whole else ""


# --- what stands beside a `path:line` -------------------------------------------------------------------

# A sentence that proposes something says nothing of the code as it is.
_PROPOSES = re.compile(
    r"\?\W{0,5}\Z|'d\b|\b(?:would|should|shall|must|let's|let us|new|instead|option|alternative|proposal|idea"
    r"|(?:add|introduc|creat|implement|propos|suggest|renam|replac|recommend|need|want|plan)(?:e|ing|s|es|ed)?)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"n't\b|(?<!\bis )(?<!are )\bset\b|\b(?:no|not|never|none|nothing|neither|nor|without|cannot|missing"
    r"|lacks?|could|might|may|can|will|if|unless|until|when|once|whether|with|were|than|old|was|used to"
    r"|(?:rais|chang|increas|lower|reduc|mak|mov|doubl|bump|giv|keep|turn|put|deriv)(?:e|ing)?|us(?:e|ing))\b",
    re.IGNORECASE,
)
_CLAUSE_START = re.compile(
    r"[;,]\s|:\s|\s(?=(?:and|but|because|so|while|whereas|if|unless|until|when|once|which)\b)", re.IGNORECASE
)
_CODE_NAME = re.compile(
    r"(?<![\w./@-])(?:[A-Z]\w{0,60}\.(?P<attr>[a-z]\w{3,60})(?:\(\))?"
    r"|(?:self\.)?(?P<call>[A-Za-z_]\w{0,60})\(\))(?![\w(])"
)
_STATES = re.compile(
    r"(?<![\w/-])(?P<name>[A-Za-z]\w{0,40}_\w{1,40}|[A-Z][A-Z0-9]{3,40})[`'\"*]{0,3}\s?(?:(?:defaults\s)?to"
    r"|(?:is|are|equals|stays|remains|=)(?:\s(?:set to|only|still|now|today|currently|exactly))?)\s?`?\Z"
)
_ASSIGNED = re.compile(
    r"(?P<name>\b[A-Za-z_]\w{0,80})['\"]?\s{0,3}(?::\s{0,3}[\w\[\], |.]{1,40})?[=:]\s{0,3}"
    r"(?P<value>\d[\d_]{0,20}(?:\.\d{1,9})?)(?!\s{0,3}[\w.*/+%-])"
)
_CONVERSIONS = frozenset({1, 7, 24, 60, 100, 1_000, 1_024, 1_440, 3_600, 86_400, 1_000_000, 1_048_576})
_MOST_CITED_LINES = 50
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def find_disproved(
    text: str, said: Sequence[str], documents: Sequence[str], code: Code
) -> Iterator[tuple[str, str, int]]:
    """Yield what the code does not bear out beside a `path:line`: the name, the figure if any, and its end.

    A figure counts only where the cited file gives another one to that name, and `name()` or `Class.name`
    only where nothing in the project and no document has the name. What the user `said` is not held against
    the code, nor is a question, a proposal or a condition.
    """
    if not CITATION.search(text):
        return
    sentences = tuple(locate_sentences(text))
    told = [*map(trusted_text, said), *(each for each, _ in sentences if _PROPOSES.search(each))]
    values = frozenset[str]().union(*map(_known_values, told))
    words = frozenset(re.findall(r"\w+", fold_text("\n".join((*told, *documents)))))
    for sentence, start in sentences:
        cited = () if _PROPOSES.search(sentence) else tuple(CITATION.finditer(sentence))
        for clause in _CLAUSE_START.split(sentence) if cited else ():
            at = text.index(clause, start)
            start = at + len(clause)
            if _SUPPOSES.search(clause):
                continue
            for figure, name in _find_wrong_figures(clause, cited, code):
                if _value_of(figure) not in values:
                    yield name, figure[0], at + figure.end()
            paths = {each.start() for each in find_paths(clause, planned=True)}  # such as `Queue.java`
            for found in _CODE_NAME.finditer(clause) if CITATION.search(clause) else ():
                name = found["attr"] or found["call"]
                if not (found.start() in paths or fold_text(name) in words or code.has_name(name)):
                    yield found[0], "", at + found.end()


def _find_wrong_figures(
    clause: str, cited: Sequence[re.Match[str]], code: Code
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the figures of a clause that a cited file gives otherwise, with the name they are given to."""
    figures = [found for found in _FIGURE.finditer(clause) if _PLAIN_NUMBER.fullmatch(_value_of(found))]
    said = {float(_value_of(figure)) for figure in figures} - {0.0}
    for figure in figures:
        if stated := _STATES.search(clause[max(0, figure.start() - 120) : figure.start()]):
            name = stated["name"].lower()
            here: list[str] = []
            for place in cited:
                lines, first = code.read_lines(place["path"]) or (), int(place["line"])
                here += lines[max(0, first - 1) : int(place["last"] or first)][:_MOST_CITED_LINES]
                here += (line for line in lines if name in line.lower())
            assigned = (each for line in here for each in _ASSIGNED.finditer(line))
            named = (each["value"].replace("_", "") for each in assigned if each["name"].lower() == name)
            given = set(map(float, named)) - {0.0, 1.0}  # counted from
            ratios = {round(max(one, other) / min(one, other), 6) for one in said for other in given}
            is_there = ratios & _CONVERSIONS or any(_value_of(figure) in _known_values(line) for line in here)
            if given and not is_there:
                yield figure, stated["name"]
