"""Claims: what the user states, objects to or decides, in their own words, and what kind of thing it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...core.words import words_of
from .decisions import deciding
from .lexicon import sign, words
from .phrases import content, figures, quote, without_address
from .utterances import asks, plainly, utterances

_LONGEST = 90
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
_RULES = (
    (
        "never",
        re.compile(
            r"\b(?:never|nobody|no longer|not? .{0,30}\bany ?more|no exceptions?|must not|always)\b",
            re.IGNORECASE,
        ),
    ),
    ("only", re.compile(r"^only\b.*\b(?:may|can)\b|\b(?:may|can) only\b", re.IGNORECASE)),
    (
        "order",
        re.compile(
            r"\b(?:oldest|newest|earliest|latest|wins?)\b|\b(?:goes?|comes?|planned|deleted|taken|date"
            r"|served|sent) first\b",
            re.IGNORECASE,
        ),
    ),
)
# What is minded without one of the usual words for it.
_MINDS = re.compile(
    r"^then\b.*\b(?:can't|cannot|nobody|no|won't|never)\b|\bi(?:'m| am) against\b|\bangry\b"
    r"|\bplease (?:not|don't)\b"
    r"|\bcosts? (?:more|too)\b|\blooks? broken\b|\b(?:is|are|be) (?:noise|terrible|bad|harsh|wrong"
    r"|useless|risky|dangerous)\b"
    r"|\bleads? to (?:fights|trouble|complaints)\b|\bi(?:'d| would)? (?:still |rather )?(?:not|never"
    r"|dont)\b|\bwe'd lose\b"
    r"|\b(?:smells|destroys|breaks|refuses)\b|\bmust not\b|\bi'd still\b|\bwould be (?:bad|lost|annoying"
    r"|terrible)\b"
    r"|\bnobody (?:needs|reads|scrolls|will|would)\b|\b(?:i|we) do(?:n't| not|nt) (?:want|like)\b"
    r"|\bonly because\b|\btoo (?:short|hard|easy|loud|small|far|soon|vague|few)\b",
    re.IGNORECASE,
)
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
_OPENING = re.compile(
    r"^(?:(?:and|but|so|then|well|yes|no|ok|sorry)\b,?\s+|(?:that|which|this) (?:means"
    r"|would mean)\s+(?:that\s+)?)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:if|when|while|as|since|because|although|in|on|at|for|with|by|after|before|around|about)\b",
    re.IGNORECASE,
)
_FEWEST = 3
_SWAP = {
    "i": "you", "my": "your", "me": "you", "mine": "yours", "i'm": "you're", "im": "you're", "i've": "you've",
    "i'd": "you'd", "i'll": "you'll",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the user as it can be quoted, what kind it is, its figure, and the rule it makes."""

    kind: str
    """`fact`, `objection` or `decision`."""
    text: str
    figure: str
    rule: str
    """Of a decision: `never`, `only`, `order` or nothing."""


def claim(message: str, names: tuple[str, ...] = ()) -> Claim | None:
    """The first thing that a message decides or states; None where it states nothing."""
    decided = deciding(message, names)
    stated = [piece for piece in utterances(message) if not asks(piece)]
    stated = [piece for piece in stated if len(content(without_address(piece, names))) > 1]
    chosen = next(iter(decided), None) or next(iter(stated), None)
    if chosen is None:
        return None
    plain = plainly(chosen, names)
    straight = chosen.strip().replace("’", "'")
    minds = sign("objection").search(straight) or _MINDS.search(straight)
    kind = "decision" if decided else "objection" if minds else "fact"
    if decided:
        plain = core(plain)
    counted = amounts(plain)
    rule = next((name for name, shown in _RULES if decided and shown.search(plain)), "")
    return Claim(kind, quote(plain, _LONGEST), counted[0] if counted else "", rule)


def told(text: str, known: str = "") -> str:
    """A statement as somebody else says it again, without what is added after a comma.

    `known` is a text in which a word that is no name stands in small letters.
    """
    plain = _OPENING.sub("", text.strip())
    head = re.split(r"[,;:]\s", plain, maxsplit=1)[0]
    plain = head if len(head.split()) > _FEWEST and not _CLAUSE.match(plain) else plain
    turned = re.sub(
        r"[A-Za-z'’]+", lambda word: _SWAP.get(word.group().lower().replace("’", "'"), word.group()), plain
    )
    turned = re.sub(r"\byou am\b", "you are", re.sub(r"\byou was\b", "you were", turned))
    first = words_of(turned)[:1]
    common = words("opener") | words("determiner") | words("bound") | words("pronoun") | words("person")
    small = bool(first) and (
        first[0] in common or first[0].endswith("ing") or re.search(rf"\b{re.escape(first[0])}\b", known)
    )
    return turned[0].lower() + turned[1:] if small else turned


def can_follow_that(said: str) -> bool:
    """True where a statement begins with its subject, so that "that ..." can begin a sentence."""
    return (
        not _CLAUSE.match(said)
        and not re.match(r"(?:that|this|it|which|there)\b", said, re.IGNORECASE)
        and "," not in said
    )


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
    rest = re.sub(r"^(?:but|and)\s+", "", rest)
    return rest if len(content(rest)) > 1 else sentence
