"""Claims: what the user states, objects to or decides, in their own words, and what kind of thing it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...core.words import words_of
from .decisions import deciding
from .lexicon import sign, words
from .phrases import content, figures, is_question, message_sentences, quote, without_address

_LONGEST = 90
_COUNTED = re.compile(
    r"\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred)"
    r"\s+(?!times\b)[a-z-]{3,}s\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:^|\s)(?!The|Our|About|Up|Some|All|These|Those|For|With|In|At|We|There|After|Every)[A-Z][a-z]+\s$"
)
_BOUND = re.compile(r"^(?:up to|at least|at most|about|more than|less than) ", re.IGNORECASE)
_DURATION = re.compile(r"\b(?:second|minute|hour|day|week|month|year)s?$", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:takes?|took|lasts?|needs?|wait\w*|every|within|between)\b", re.IGNORECASE)
_RULE = re.compile(
    r"\b(?P<word>never|always|nobody)\b|(?:^|\b(?:may|can|must|is|are) )(?P<only>only)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the user as it can be quoted, what kind it is, and its figure and its rule word."""

    kind: str
    """`fact`, `objection` or `decision`."""
    text: str
    figure: str
    word: str

    @property
    def bodies(self) -> tuple[str, ...]:
        """The uses of the lines that may follow, the most special first."""
        match self.kind:
            case "decision":
                special = ("amount-decided",) * bool(_DURATION.search(self.figure)) + ("rule",) * bool(
                    self.word
                )
            case "fact":
                lasts = bool(_DURATION.search(self.figure)) and bool(_LASTS.search(self.text))
                special = ("duration" if lasts else "amount",) * bool(self.figure)
            case _:
                special = ()
        return tuple(f"body-{name}" for name in (*special, self.kind))


def claim(message: str, names: tuple[str, ...] = ()) -> Claim | None:
    """The first thing that a message decides or states; None where it states nothing."""
    decided = deciding(message, names)
    stated = [piece for piece in message_sentences(message) if not is_question(piece)]
    stated = [piece for piece in stated if len(content(without_address(piece, names))) > 1]
    chosen = next(iter(decided), None) or next(iter(stated), None)
    if chosen is None:
        return None
    plain = without_address(chosen, names)
    kind = (
        "decision"
        if decided
        else "objection"
        if sign("objection").search(plain.replace("’", "'"))
        else "fact"
    )
    if decided:
        plain = _core(plain)
    counted = amounts(plain)
    rule = _RULE.search(plain)
    word = (rule["word"] or rule["only"]).lower() if rule else ""
    return Claim(kind, quote(plain, _LONGEST), counted[0] if counted else "", word)


def amounts(sentence: str) -> tuple[str, ...]:
    """The figures of a sentence that count something, in digits or in words."""
    # "Depot 7 scans ..." names something; it does not count.
    given = [each for each in figures(sentence) if not NAMED.search(sentence[: sentence.find(each)])]
    found = [_BOUND.sub("", each) for each in given if re.search(r"[^\W\d]{2}|%", each)]
    return (*(each for each in found if _counts(each)), *_COUNTED.findall(sentence))


def _counts(figure: str) -> bool:
    last = words_of(figure)[-1:]
    if last == ("times",):
        return False
    return figure.endswith("%") or bool(last and (last[0].endswith("s") or last[0] in words("unit")))


def _core(sentence: str) -> str:
    """A decision without the words that only say that it is one."""
    rest = sentence.replace("’", "'")
    # One such wrapping may stand inside another: "ok, agreed: ...".
    while (shorter := sign("deciding_before").sub("", rest, count=1)) != rest:
        rest = shorter
    rest = re.sub(r"^(?:but|and)\s+", "", sign("deciding_after").sub("", rest))
    return rest if len(content(rest)) > 1 else sentence
