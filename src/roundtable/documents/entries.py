"""An answer taken apart: lines, entries, sentences, the steps of a sequence, scenarios, stations."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST = 60
"""More entries than this are no list but a document: it stays in one piece."""

_MARK = re.compile(r"^\s*(?:[-+*•]|\d{1,3}[.)])\s+")
# What stands in quotes, brackets or code is never cut.
_CLOSED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|「[^「」\n]*」|\([^()\n]*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\}"
)
_SEMICOLON = re.compile(r"(?:(?<!\s)\s+)?[;；]\s*")
_COMMA = re.compile(r"(?:(?<!\s)\s+)?(?:,\s+(?:and\s+)?|、)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W_a-z]|[x\"“„(])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|\W)(?:(?-i:[A-Z])|e\.g|i\.e|etc|vs|approx|no|z\.B|bzw|ca|Dr|Mr|Mrs|Ms|St)\.$", re.IGNORECASE
)
_ARROW = re.compile(r"(?:(?<!\s)\s+)?(?:-{1,2}>|={1,2}>|→|⇒)\s*")
_NAMED = re.compile(
    r"(?P<name>(?:new\s+)?(?:`[^`\n]+`|[^\W\d][\w./-]*(?:\([^()\n]*\))?)):\s+(?P<text>\S.*)", re.DOTALL
)
_BEFORE_NAMED = re.compile(r"(?:(?<=[.!?])|;)\s+(?=(?:new\s+)?(?:x{2,}|[^\W\d][\w./-]*x*):\s)")
_LEADS = re.compile(r"[^.,;:]{1,40}: |[^.;]{1,60}? -{1,2}> ")
_GIVEN = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,40}+(?:(?:[-+*•]|\d{1,3}[.)])\s{1,40}+)?+(?=(?:given|angenommen|gegeben)\b)",
    re.IGNORECASE,
)
_SHORT_CLAUSE = 6


def lines_of(text: str) -> tuple[str, ...]:
    """The lines that hold something, without their list marks."""
    return tuple(_MARK.sub("", line, count=1).strip() for line in text.splitlines() if line.strip())


def listed(text: str) -> tuple[str, ...]:
    """The entries of a list whose lines all have list marks; none where it has no second."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines_of(text) if 1 < len(lines) <= MOST and all(map(_MARK.match, lines)) else ()


def entries(text: str) -> tuple[str, ...]:
    """The entries of a list that was written on lines or with semicolons; one where it is none."""
    found = [part for line in lines_of(text) for part in cut(line, _SEMICOLON)]
    return tuple(found) if len(found) <= MOST else (one(text),)


def named_entries(text: str) -> tuple[tuple[str, str], ...]:
    """Entries such as `name: what it is`, each as name and text; none where the first has no name.

    What has no name belongs to the entry before.
    """
    pairs: list[tuple[str, str]] = []
    for part in (each for line in lines_of(text) for each in cut(line, _BEFORE_NAMED)):
        found = _NAMED.fullmatch(part)
        if found:
            pairs.append((found["name"], bare(found["text"])))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}; {bare(part)}")
        else:
            return ()
    return tuple(pairs) if len(pairs) <= MOST else ()


def itemised(text: str) -> tuple[str, ...]:
    """The entries of a line that is a list: `name: text. name: text`, or semicolons between such parts."""
    named = cut(text, _BEFORE_NAMED)
    if not all(map(_NAMED.fullmatch, named)):
        named = ()
    parts = cut(text, _SEMICOLON)
    # The last part may be a remark on the list.
    if len(parts) < 2 or not all(map(_LEADS.match, parts[:-1] if len(parts) > 2 else parts)):
        parts = ()
    found = max(named, parts, key=len)
    return found if 2 <= len(found) <= MOST else ()


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text on one line."""
    found: list[str] = []
    for piece in cut(one(text), _SENTENCE_END):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {piece}"
        else:
            found.append(piece)
    return tuple(found)


def steps_in(text: str) -> tuple[str, ...]:
    """The steps of a sequence, in order; none where the text is no sequence."""
    lines = lines_of(text)
    if len(lines) > 1:
        return lines if len(lines) <= MOST else ()
    stations = cut(one(text), _ARROW)
    if len(stations) > 2:
        return stations
    said = sentences(text)
    if 3 <= len(said) <= MOST:
        return said
    clauses = cut(said[0], _COMMA) if said else ()
    if len(clauses) < 4 or any(len(clause.split()) > _SHORT_CLAUSE for clause in clauses):
        return ()
    return (*clauses[:-1], " ".join((clauses[-1], *said[1:])))


def scenarios(text: str) -> tuple[str, ...]:
    """Each Given/When/Then as one line; a text without any is taken entry by entry."""
    starts = list(dict.fromkeys(found.end() for found in _GIVEN.finditer(text)))
    if not starts:
        return entries(text)
    if len(starts) > MOST:
        return (one(text),)
    before = [one(text[: starts[0]])] if one(text[: starts[0]]) else []
    ends = [*starts[1:], len(text)]
    pieces = (_scenario(text[start:end]) for start, end in zip(starts, ends, strict=True))
    return (*before, *pieces)


def chains(text: str) -> tuple[tuple[str, ...], ...]:
    """The stations of every `a -> b -> c`, or of a list on lines; none where no sequence can be read."""
    found = []
    for clause in (
        part for line in lines_of(text) for each in cut(line, _SEMICOLON) for part in sentences(each)
    ):
        stations = tuple(bare(station) for station in cut(clause, _ARROW) if bare(station))
        if len(stations) > 1:
            found.append(stations)
    if not found and (stations := listed(text)):
        found.append(stations)
    return tuple(found) if sum(map(len, found)) <= MOST else ()


def one(text: str) -> str:
    """The text on one line."""
    return " ".join(lines_of(text))


def bare(text: str) -> str:
    """The text without what ends a sentence."""
    return text.strip().rstrip(".;,。；、").rstrip()


def cut(text: str, at: re.Pattern[str]) -> tuple[str, ...]:
    """The pieces between the separators that stand outside of quotes, brackets and code."""
    hidden = _CLOSED.sub(lambda found: "x" * len(found[0]), text)
    pieces: list[str] = []
    start = 0
    for found in at.finditer(hidden):
        pieces.append(text[start : found.start()])
        start = found.end()
    return _filled([*pieces, text[start:]])


def _scenario(text: str) -> str:
    lines = lines_of(text)
    joined = " ".join(line if line.endswith((",", ".", ";")) else f"{line}," for line in lines[:-1])
    return f"{joined} {lines[-1]}".strip().removesuffix(";")


def _filled(pieces: Sequence[str]) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in pieces if piece.strip())
