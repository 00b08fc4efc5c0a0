"""Quoting: what of a sentence can stand between quotation marks, whole and exactly as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .text import plain_line

LONGEST_QUOTE = 100
SHORT_QUOTE = 60
_SHORTEST = 16
_STRETCH = 1.3
"""How much longer it may be rather than to begin in the middle of a thought."""
_LAST_RESORT = 2
_IN_THE_MIDDLE = 4
_MOST_JOINTS = 24
# Where a sentence can be cut so that both sides are clauses.
_JOINT = re.compile(
    r"[,;:]\s+|(?<=[.!?])\s+|\s[–—-]\s+"
    r"|\s+(?=(?:but|because|so that|which|although|where|unless|instead of)\s)"
    r"|\s+(?=(?:and|when|while|if|as soon as)\s+(?:the|a|an|its|this|that|these|those|no|every|each|then|my"
    r"|our|their|his|her)\s)"
    r"|\s+(?=(?:and|when|while|if|as soon as|until|after|before|since)\s+"
    r"(?:it|he|she|they|we|i|you|there|nobody|somebody|everybody)\s)|(?<=[、，；])",
    re.IGNORECASE,
)
_OPENER = re.compile(r"^(?:And|But|So|Or|Also),? (?!that\b|far\b|as\b)(?=\S+ \S+ \S)")
_LED_IN = re.compile(r"^(?:and|but|so|or|then)\s+(?=\S)", re.IGNORECASE)
# A clause that begins like this says nothing without its main clause.
_HANGING = re.compile(
    r"^(?:because|so that|which|who|whose|that|when|while|if|although|since|where|unless|until|instead of"
    r"|after|before|as soon as|once)\b",
    re.IGNORECASE,
)
# A word with a colon before a sentence names it and is no part of it.
_LABEL = re.compile(r"^(?:[A-Z][a-z]+(?: [a-z]+)?|What (?:I|we)\S* [a-z ]{2,20}): (?=\S+ \S+ \S)")
# What stands in brackets or between marks stays whole.
_TOGETHER = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|(?<!\w)'[^']*(?:(?<=\w)'(?=\w)[^']*)*'(?!\w)")
_QUOTED = re.compile(r"'[^']*(?:(?<=\w)'(?=\w)[^']*)*'")
_ENDS = ".!?:;,。！？… "
_WAITING = re.compile(
    r"(?:^|\s)(?:that.s|it.s|is|are|was|were|be|the|an?|of|to|and|or|not|that|which|who|with|for|in|on|at|by|from|as"
    r"|than|through|only|even|if|when|its|their|his|her|my|our|your|into|about|because|but|can|will|should|must)$",
    re.IGNORECASE,
)
# After "My father, 71," the sentence has hardly begun.
_GOES_ON = re.compile(
    r"^,\s+(?!(?:and|but|so|or|then|which|who|because|since|if|when|while|where|unless|although|as|until|after|before"
    r"|it|he|she|they|we|i|you|the|an?|this|that|there|no|not|my|our|their|his|her|with|without|for|in|on|at|by|to|from"
    r"|one|some|all|each|every|mostly|usually|maybe|perhaps|even|also|only|just|about|around|like|such|otherwise"
    r"|instead|please|sometimes|always|never|still)\b)(?:[a-z]+|\d)"
)
_STRONG = (".", "!", "?", ";", ":", "–", "—", " -")


@lru_cache(maxsize=4_096)
def as_quoted(sentence: str) -> str:
    """A whole sentence as it stands between quotation marks: without its end, and with other marks inside."""
    text = " ".join(plain_line(sentence).replace('"', "'").replace("“", "'").replace("”", "'").split())
    text = _OPENER.sub("", _LABEL.sub("", text.strip().rstrip(_ENDS)))
    inner = text[1:-1]
    return inner.rstrip(_ENDS) if _QUOTED.fullmatch(text) else text


@lru_cache(maxsize=4_096)
def quote(sentence: str, longest: int = LONGEST_QUOTE, around: int = 0) -> str:
    """A sentence, or whole clauses of it around a place, as they can stand between quotation marks."""
    text = as_quoted(sentence)
    around = max(0, around - max(0, sentence.find(text[:_SHORTEST])))
    if len(text) <= longest:
        return text
    runs = [run for run in _runs(text) if _is_whole(run[2])]
    for limit in (int(_STRETCH * longest), _LAST_RESORT * longest):
        fitting = [run for run in runs if _SHORTEST <= len(run[2]) <= limit]
        if fitting:
            return min(fitting, key=lambda run: _cost(run, text, around, longest))[2]
    cut = text[:longest]
    cut = cut.rsplit(" ", 1)[0].rstrip(",:; ") if " " in cut else cut
    return _WAITING.sub("", cut)


def _runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Every run of clauses, with where it begins and ends."""
    kept = [(found.start(), found.end()) for found in _TOGETHER.finditer(text)]
    joints = [
        joint for joint in _JOINT.finditer(text) if not any(one < joint.start() < end for one, end in kept)
    ][:_MOST_JOINTS]
    starts = [0, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), len(text)]
    for place, start in enumerate(starts):
        for end in ends[place:]:
            run = text[start:end].strip(" ,;:–—-").removesuffix(".")
            yield start, end, _LED_IN.sub("", run) if start else run


def _is_whole(run: str) -> bool:
    """True where no bracket is left open and the last word does not wait for another."""
    if run.count("(") != run.count(")") or run.count("[") != run.count("]"):
        return False
    return not _WAITING.search(run)


def _hangs(words: str) -> bool:
    """True for a condition without what follows from it."""
    if words.startswith("Given "):
        return " then " not in words.lower()
    return bool(_HANGING.match(words)) and ", " not in words


def _cost(run: tuple[int, int, str], text: str, around: int, longest: int) -> tuple[bool, bool, int, int]:
    """The run that holds the place, stands on its own, begins where a thought begins, and says most."""
    start, end, words = run
    # A colon introduces what would be cut off.
    hanging = _hangs(words) or text[end : end + 1] == ":" or bool(_GOES_ON.match(text[end:]))
    before = text[:start].rstrip()
    # After the comma of a clause that hangs on it the main clause begins.
    begins = before.endswith(_STRONG) or (before.endswith(",") and bool(_HANGING.match(text)))
    middle = _IN_THE_MIDDLE if start and not begins else bool(start) + (len(words) > longest) * 2
    if 3 * len(words) < longest:
        # Hardly anything is said there; a little too much is better.
        middle = max(middle, 3)
    return around > 0 and not start <= around < end, hanging, middle, -len(words)
