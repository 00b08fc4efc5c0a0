"""Marks what a host brought into a section: `(unverified)` at the end of each line (ART-8).

It is not judged by what it says: whatever the user did not give or accept in a form is marked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from .synthesis import UNVERIFIED
from .text import split_sentences

_LABEL = re.compile(r"\*\*[^*\n]+\*\*:")
_CODE_FENCE = re.compile(r"[\s>]*+(?:(?:[-*+]|\d++[.)])\s++)?(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+).*")
_ANY_WORD = re.compile(r"[^\s|:-]")
_LIST_SIGN = re.compile(r"\s*(?:\d+[.)]|[-*+])\s+|\s*(?:`{3,}|~{3,})")
_SOME_WORD = re.compile(r"[^\s;,.:()]+")


def blot_out(text: str) -> str:
    """Return a text of the same form in which every word is another one."""
    lines = []
    for line in text.split("\n"):
        sign = _LIST_SIGN.match(line)
        start = sign.end() if sign else 0
        lines.append(line[:start] + _SOME_WORD.sub("qzx", line[start:]))
    return "\n".join(lines)


def find_shared_lines(texts: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Return the lines that stand in both, and the labels of the first that have nothing on their line."""
    lines = {line.strip() for text in texts for line in text.split("\n")}
    shared = lines.intersection(line.strip() for text in others for line in text.split("\n"))
    return frozenset(shared).union(line for line in lines if _LABEL.fullmatch(line))


def mark_new_lines(text: str, known: Collection[str] = ()) -> str:
    """Return a text with a mark at the end of every line that is not known; for code, below it."""
    lines = text.rstrip().split("\n")
    marked: list[str] = []
    at = 0
    while at < len(lines):
        opening = _CODE_FENCE.fullmatch(lines[at])
        end = _find_code_end(lines, at, opening["fence"]) if opening else at
        new = [line for line in lines[at : end + 1] if _ANY_WORD.search(line) and line.strip() not in known]
        if opening and end == at:
            marked.append(_mark_line("\\" + lines[at]))  # open code would swallow what stands below it
        elif opening:
            marked += [*lines[at : end + 1], *([UNVERIFIED] if new else [])]
        else:
            marked.append(_mark_line(lines[at]) if new else lines[at])
        at = end + 1
    return "\n".join(marked)


def _find_code_end(lines: Sequence[str], at: int, fence: str) -> int:
    """Return the line that closes the code; the line that opens it where none does."""
    closing = (later for later in range(at + 1, len(lines)) if lines[later].strip().startswith(fence))
    return next((later for later in closing if not lines[later].strip().strip(fence[0])), at)


def _mark_line(line: str) -> str:
    """Return a line with the mark at its end: within the last cell of a table, or within a comment."""
    text = line.rstrip()
    closing = next((sign for sign in ("|", "-->") if text.endswith(sign)), "")
    end = len(text.removesuffix(closing).rstrip())
    words = line[:end].rstrip(".")
    return line if words.endswith(UNVERIFIED) else f"{words} {UNVERIFIED}{line[end:]}"


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
