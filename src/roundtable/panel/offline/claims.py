"""Claims: what the user states, objects to or decides, whole and in their own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...core.words import words_of
from .asking import LONGEST, asks_openly, unaddressed
from .decisions import deciding
from .lexicon import sign, words
from .phrases import content, figures, quote, without_address
from .utterances import asks, plainly, utterances

_COUNTED = re.compile(
    r"\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|hundred)"
    r"\s+(?!times\b)[a-z-]{3,}s\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:^|\s)(?!The|Our|About|Up|Some|All|These|Those|For|With|In|At|We|There|After|Every)[A-Z][a-z]+\s$"
)
_BOUND = re.compile(r"^(?:up to|at least|at most|about|more than|less than) ", re.IGNORECASE)
_TAIL = re.compile(
    r",\s*(?:and\s+)?(?:we'll|we will|let'?s|lets) (?:go (?:with|for)|do|take|use|keep)\s+"
    r"(?:it|that|this)(?: (?:number|one|way|like (?:this|that)))?[.!]*$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:we'll|we will|let'?s|lets) (?:allow|do|take|have|make|keep|be) (?:it|this|that|one exception"
    r"|it simple|\w+ here|like (?:this|that))(?: like (?:this|that))?\s*[,:]\s*(?=\w+ \w+ \w)"
    r"|^we'll have (?=(?:the|a|an|every|each)\b.*\b(?:is|are)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What the user said as it can be quoted, and what kind of thing it is."""

    kind: str
    """`fact`, `objection` or `decision`."""
    text: str


def claim(message: str, names: tuple[str, ...] = ()) -> Claim | None:
    """What a message decides, else what it states; None where it states nothing."""
    pieces = utterances(message)
    decided = list(deciding(message, names))
    # "Agreed." alone decides nothing that could be said again, if there is more.
    chosen = [piece for piece in decided if len(content(core(piece))) > 1] or decided
    if not chosen:
        chosen = [piece for piece in told(message, names) if _tells(without_address(piece, names))]
    if not chosen:
        return None
    first, *others = chosen
    kind = "decision" if decided else "objection" if minds(message, names) else "fact"
    plain = plainly(first, names)
    plain = core(plain) if decided else plain
    whole = " ".join((plain, *others))
    if others and len(whole) <= LONGEST and _follow_each_other(chosen, pieces):
        plain = whole
    return Claim(kind, _whole(plain))


def minds(message: str, names: tuple[str, ...] = ()) -> bool:
    """True where what is told in a message, apart from what it asks, speaks against something."""
    told = (each for each in utterances(message) if not asks(unaddressed(each, names)))
    return any(sign("objection").search(unnamed(each, names).replace("’", "'")) for each in told)


def unnamed(text: str, names: Iterable[str]) -> str:
    """A text without the name that it begins with; what leads over ("then", "but", "no") stays."""
    plain = text.strip()
    for name in names:
        plain = re.sub(rf"^{re.escape(name)}\b[,:;!]?\s*", "", plain, flags=re.IGNORECASE)
    return plain


def told(message: str, names: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The sentences of a message that tell something; "A whole module for one line?" does, after a no."""
    pieces, against = utterances(message), minds(message, names)
    return tuple(
        each
        for each in pieces
        if not asks(plain := unaddressed(each, names)) or (against and not asks_openly(plain))
    )


def _tells(piece: str) -> bool:
    """True for more than a sound; a figure tells something, too."""
    return len(content(piece)) > 1 or bool(content(piece) and re.search(r"\d", piece))


def _follow_each_other(chosen: list[str], pieces: tuple[str, ...]) -> bool:
    start = pieces.index(chosen[0])
    return tuple(chosen) == pieces[start : start + len(chosen)]


def _whole(text: str) -> str:
    """A text as it stands between quotation marks, whole where it is not too long."""
    plain = " ".join(text.replace('"', "'").split()).rstrip(" .!,;:")
    return plain if len(plain) <= LONGEST else quote(plain, LONGEST)


def amounts(sentence: str) -> tuple[str, ...]:
    """The figures of a sentence that count something, in digits or in words."""
    # "Depot 7 scans ..." names something; it does not count.
    given = [each for each in figures(sentence) if not NAMED.search(sentence[: sentence.find(each)])]
    found = [_BOUND.sub("", each) for each in given if re.search(r"[^\W\d]{2}|%", each)]
    return (*(each for each in found if _counts(each)), *_COUNTED.findall(sentence))


def _counts(figure: str) -> bool:
    last = words_of(figure)[-1:]
    if last and last[0] in ("times", "has", "was", "is", "does", "as", "this", "its"):
        return False
    return figure.endswith("%") or bool(last and (last[0].endswith("s") or last[0] in words("unit")))


def core(sentence: str) -> str:
    """A decision without the words that only say that it is one."""
    rest = sentence.replace("’", "'")
    # One such wrapping may stand inside another: "ok, agreed: ...".
    while (shorter := sign("deciding_before").sub("", rest, count=1)) != rest:
        rest = shorter
    rest = _HEAD.sub("", _TAIL.sub("", sign("deciding_after").sub("", rest)))
    rest = re.sub(r"^(?:but|and|then|so)\s+|^(?:then\s+)?decide it:\s*", "", rest, flags=re.IGNORECASE)
    rest = re.sub(r"^(?:let'?s|let us)\s+(?=\w+ \w)", "", rest, flags=re.IGNORECASE)
    return rest if len(content(rest)) > 1 else sentence
