"""Asking: what a question wants as far as its form shows it for certain, and how an answer can name it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .cases import case
from .lexicon import sign
from .phrases import content, quote, without_address
from .questions import AUXILIARY, clause
from .utterances import asks, utterances

LONGEST = 220
"""Up to how many characters the user's own words are said again whole."""

_FEW = 3
_TELLING = 2
_AUX = "|".join(sorted(AUXILIARY))
_AND = r"^(?:and |but |so |then )*"
_HOW_MUCH = re.compile(
    _AND + r"(?:by |for |within |after |in )?(?:how (?:many|much(?! of)|long|often|big|large|fast|far"
    r"|old|soon|late"
    r"|early|high|low|small|short|close|deep|quickly)\b"
    r"|(?:what|which)(?:'s| is| was)? the (?:largest|smallest|maximum|minimum|highest|lowest|number"
    r"|size|limit"
    r"|amount|price|deadline|longest|shortest)\b)",
    re.IGNORECASE,
)
_WHY_NOT = re.compile(_AND + r"why (?:not|don't we|can't we|wouldn't we)\b", re.IGNORECASE)
_WHY = re.compile(_AND + r"(?:why|how come|for what reason)\b", re.IGNORECASE)
_WHO = re.compile(
    _AND + r"(?:who|whom|to whom|for whom|by whom|which (?:person|role|team|colleague))\b", re.IGNORECASE
)
_WHO_CAN = re.compile(
    _AND
    + r"(?:who|whom)(?: else)? (?:can|could|might) (?:still |also |even )?(?:see|read|open|use|change|edit"
    r"|delete|remove|add|write|sign|enter|download|export|copy|print|book|cancel|move|share|access|look)\b",
    re.IGNORECASE,
)
_VIEW = re.compile(
    r"\b(?:look|sound|seem|feel)s? (?:like |right |wrong |ok |odd )?.*\bto you$"
    r"|\bdo you (?:think|believe|suspect)\b|\bwould you say\b",
    re.IGNORECASE,
)
# What stands behind these words says nothing of what the question itself is.
_BELOW = re.compile(r"(?<=\w)\s+(?:so that|because|that|which|who|whose|if|when|while|until|unless)\s.*$")
_OURS = re.compile(
    r"\b(?:should|shall|ought to)\b|\bmust (?:we|i|the|a|an|it|they|every|each|not|be)\b"
    r"|\b(?:do|does) [\w' -]{1,25}? have to\b"
    r"|(?:^|\b(?:how|when|where|what|which|who) )may (?:we|i|the|a|an|somebody|someone|people|it|they)\b"
    r"|\bdo we (?:really |also |still |then )?(?:want|show|tell|allow|ask|drop|warn|send|offer|refuse|reject"
    r"|delete|remove|accept|treat|assume|take|start|leave|migrate|retry|notify|let|give|mail|hide|wait)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b(?! (?:so|not|more|less|something|anything)\b)", re.IGNORECASE)
_FACT = re.compile(
    _AND + r"(?:did|was|were|has|have|had)\b"
    r"|\b(?:does|do) any(?:one|body) know\b|\bare we sure\b|\bis it (?:also )?the same\b"
    r"|^can (?:we|i|one) (?:still )?(?:get|find|see|tell) .*\bback\b"
    r"|" + _AND + r"where (?:does|do|did) (?:it|they|the)\b"
    r"|" + _AND + r"(?:is|are|does|do|how) .*\b(?:today|currently|right now|at the moment|so far|already)$",
    re.IGNORECASE,
)
_OPENLY = re.compile(
    r"(?:^|[,;:]\s*|\band |\bbut |\bso )"
    rf"(?:what|who|whom|whose|which|where|when|why|how|{_AUX})(?:n't)?\b"
    r"|\b(?:right|ok|correct|or not)$",
    re.IGNORECASE,
)
_YES_NO = re.compile(rf"{_AND}(?:{_AUX})(?:n't)?\b", re.IGNORECASE)
# What is to be seen while something is not known yet.
_SHOWN = re.compile(
    r"(?:what|which)\b.*?\b(?:see|sees|shown|displayed|show|read on)\b.*\b(?:has ?n't|have ?n't"
    r"|not yet|is ?n't there"
    r"|still missing|unknown|no longer (?:answers|reachable)|offline|stopped sending)\b",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\b(?:what if|what about|how about|what happens|what then|then what)\b"
    r"|^what (?:do|does|would|will|should|can) [\w' -]{1,30}? do (?:about|with|for|when|if|once)\b"
    r"|^(?:what|how)\b(?! (?:many|much|long|often))[^,]*(?<!know)(?<!tell)(?<!see) (?:if|when"
    r"|while) (?:a|an|the|my|our|it"
    r"|its|he|she|they|we|i|you"
    r"|somebody|someone|nobody|there|two|both|[a-z]+ing)\b",
    re.IGNORECASE,
)
_TWO_HALVES = re.compile(
    r"(?:what (?:happens )?)?(?:if|when|about|happens (?:to|with|on))\b.*,\s*(?:and |then |so )?"
    rf"(?P<outcome>(?:who|what|how|which|where|{_AUX})\b.*)$",
    re.IGNORECASE,
)
_TURNED_AGAIN = re.compile(rf"\b(?:or|and) (?:{_AUX})\b", re.IGNORECASE)
_HALVED = re.compile(rf"[,?，？]|\byourselves\b|\band (?:{_AUX})\b", re.IGNORECASE)
"""What shows that a question is more than one, or put to everybody: no clause holds it."""

_AND_THE = re.compile(
    r"\s*(?:\w+, )?and (?:the|a|an|our|those|these|my|people|somebody|someone)\b", re.IGNORECASE
)
_LIST = re.compile(
    _AND
    + r"(?:what else|(?:which|what) other|which of our|is there anything else)\b.*\b(?:uses?|reads?|calls?"
    r"|listens?|depends?|writes?|touch(?:es)?|shows?|knows?|moves?|breaks?)\b",
    re.IGNORECASE,
)
_SIGN = re.compile(
    _AND + r"(?:how (?:would|do|will|can|could) (?:we|i|you|they|the [a-z]+|somebody|staff) (?:ever |have )?"
    r"(?:noticed?|find out|see) (?:that|if|whether|in time|it)\b|how would (?:a|the) test (?:catch|notice)\b"
    r"|what (?:would|could|will) be (?:a|the)(?: first)? sign\b)",
    re.IGNORECASE,
)
_SEE = re.compile(
    _AND + r"what (?:exactly )?(?:should|does|do|would|will|must) (?:[\w'-]+ ){1,5}?(?:see|say|read)\b",
    re.IGNORECASE,
)
_RULED = re.compile(
    r"\b(?:may|should|must|allowed|do we (?:keep|wait|hold|allow|give|store|retry)|have to|has to"
    r"|makes sense)\b"
    r"|\b(?:limit|deadline|maximum|minimum|largest|smallest)\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what its form shows that it wants, its words, and how an answer can name it."""

    kind: str
    words: str
    asked: str
    """The question as the user wrote it, without its mark."""
    clause: str
    """The question as it follows "nothing says": "who signs it"; empty where that is not certain."""
    when: str
    """The case as a sentence may begin with it: "if the tablet breaks"; empty where there is none."""
    outcome: str
    """What is asked of the case: "whether she gets two mails"; empty where there is none."""


@lru_cache(maxsize=64)
def asked(sentence: str, names: tuple[str, ...] = ()) -> Asked:
    """What a question wants; whom it addresses and the fillers at its beginning do not count."""
    own = unaddressed(sentence, names).replace("’", "'")
    plain = sign("shell").sub("", own, count=1)
    plain = re.sub(r"^(what|who|where|how|when)'s\b", r"\1 is", plain, flags=re.IGNORECASE)
    plain = plain.rstrip(" ?!.\"'") or sentence.strip()
    put = case(plain)
    kind = _kind(plain, bool(put) or _is_case(plain) or bool(_AND_THE.match(sentence)))
    said = own.rstrip(" ?!.").replace('"', "'")
    return Asked(
        kind=kind,
        words=plain,
        asked=said if len(said) <= LONGEST else quote(said, LONGEST),
        clause="" if _HALVED.search(plain) or _OR.search(plain) else clause(plain) or "",
        when=put or "",
        outcome=_outcome(plain),
    )


def _outcome(plain: str) -> str:
    """The second half of "what if X, does Y?" as a clause."""
    found = _TWO_HALVES.match(plain)
    if found is None or _TURNED_AGAIN.search(found["outcome"]):
        return ""
    turned = clause(found["outcome"].strip()) or ""
    return turned if len(turned.split()) >= _FEW else ""


def main_question(message: str, names: tuple[str, ...] = ()) -> Asked | None:
    """The first question of a message that names something, else the first; none where it asks nothing."""
    put = [piece for piece in utterances(message) if asks(unaddressed(piece, names))]
    # "... Approved like that?" asks about what stands before it.
    telling = [piece for piece in put if len(content(unaddressed(piece, names))) >= _TELLING]
    return asked((telling or put)[0], names) if put else None


def unaddressed(sentence: str, names: Iterable[str]) -> str:
    """A sentence without the name it begins with, also where no comma follows: "Maya who signs it"."""
    plain = without_address(sentence.strip(), tuple(names))
    for name in names:
        plain = re.sub(rf"^{re.escape(name)}\s+(?=(?:what|who|how|where|when|why|which|{_AUX})\b)", "", plain)
    return plain


def asks_openly(question: str) -> bool:
    """True where a question begins as questions do, and is not a thing with a mark behind it."""
    return bool(_OPENLY.search(question.replace("’", "'").rstrip(" ?!.？")))


def _is_case(plain: str) -> bool:
    few = len(plain.split()) <= _FEW and not re.search(
        rf"\b(?:{_AUX}|or|not|why|how|what|who)\b", plain, re.IGNORECASE
    )
    return few or bool(_CASE.search(plain))


def _between_two(head: str) -> bool:
    """True where a question names two ways; "do bills or tariffs depend on it" names two things of one."""
    found = _OR.search(head)
    if found is None:
        return False
    before, after = head[: found.start()].split(), head[found.end() :].split()
    return len(before) > _FEW or len(after) <= _FEW


def _kind(plain: str, puts_a_case: bool) -> str:
    head = _BELOW.sub("", plain)
    if _SHOWN.match(plain):
        return "shown"
    for kind, shown in (("list", _LIST), ("sign", _SIGN), ("see", _SEE)):
        if shown.match(plain):
            return kind
    if _VIEW.search(plain):
        return "view"
    if puts_a_case:
        return "case"
    if _HOW_MUCH.match(plain):
        return "limit" if _RULED.search(plain) else "measure"
    if _WHY_NOT.match(plain):
        return "choice"
    if _WHY.match(plain):
        return "why"
    if _WHO_CAN.match(plain) and not _OR.search(plain):
        return "who-can"
    if _WHO.match(plain):
        return "either" if _OR.search(plain) else "who"
    if _OURS.search(head):
        return "choice"
    between = _between_two(head) or _between_two(plain)
    if _FACT.search(plain) and not between:
        return "fact"
    if between:
        return "either"
    if _YES_NO.match(plain):
        return "yes-no"
    return "time" if re.match(_AND + r"(?:at what time|when)\b", plain, re.IGNORECASE) else "open"
