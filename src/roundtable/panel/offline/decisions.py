"""Decisions: which of the user's sentences decide something, by cue or by imperative, never in a question."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ...core.words import words_of
from .lexicon import words
from .phrases import content, without_address
from .utterances import asks, utterances

# `@name` stands for words of the lexicon: what follows "let's", and what after "we'll" only foresees.
_CUE = r"""\b(?:
      let(?:'?s|\s+us)\s+(?:not\s+|just\s+)?(?:@decide)\b
    | (?:we|i)(?:'ll|\s+will|\s+shall)\s+(?:not\s+)?(?!(?:@foresee)\b|have\s+(?:a|to)\b)\w+
    | (?:we|i)(?:'re|\s+are|'m|\s+am)?\s+(?:go|going)\s+(?:with|for)\b
    | (?:we|i)(?:'ve|\s+have)?\s+(?:now\s+)?(?:decided|agreed|settled\s+on|chosen|chose|choose|picked|pick)\b
    | (?:it|that|this)(?:'s|\s+is)\s+(?:decided|settled|agreed|final)\b
    | (?:we|i)\s+(?:take|keep|drop)\s+(?:option|both|neither|[a-d]\b|that\s+one)
    | go\s+with\s+(?:the|a|an|option|your|[a-d]\b|\w+'s)
    | (?:settle|settled)\s+(?:on|for)\b
    | (?!what\b)\w+\s+it\s+is(?:\s+then)?[.!]?$
    )
    | ^(?:ok(?:ay)?,?\s+|so\s+|then\s+)?from\s+(?:now|today|here)\s+on\b
    | (?:^|[,;.:]\s*|\b(?:ok|okay|so|then|right|yes|fine|good|well|alright)\s+)(?:decision|decided|agreed)
      \s*(?::|,|\.|!|$|-|\s+(?:that|on|to)\b)"""
_NOT_YET = re.compile(
    r"\b(?:not|never|haven't|hasn't|isn't|wasn't|nothing|nobody|once|if|until|unless|before"
    r"|when)\b[^.;,]{0,40}"
    r"\b(?:decid|agree|settle|chose|pick|go(?:ing)? with)\w*|\b(?:un|in)decided\b|\bdisagree|\b(?:would"
    r"|could)\b.*\bif\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:don't|do not|didn't) (?:know|think|see|understand)\b|\bno idea\b|\bnot sure\b|\bmaybe\b"
    r"|\bperhaps\b|\bi (?:mean|meant|asked|wonder)\b|\bthat's not (?:what|true|right)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"^no\s*[,:!.-]\s*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
# An imperative that asks something of the panel, and nouns that look like one.
_TO_THE_PANEL = re.compile(
    r"^(?:go (?:on|ahead|deeper|back)|keep going|make (?:it|this|that) (?:short|clear|concrete|more concrete)"
    r"|(?:do|don't) (?:you|we|they|i|the|any|all)\b|use cases?\b|(?:write|set|send|put|log) (?:me|us)\b"
    r"|start (?:with|from) (?:you|the beginning)|stop (?:it|that|talking)|take (?:care|your time|me)\b"
    r"|don't (?:worry|forget|know|think|understand|you|get)\b|never (?:mind|heard|thought)\b"
    r"|always (?:has|have|been|was)\b|count me\b|log (?:files?|entries|output)\b|limits? (?:are|is|of)\b"
    r"|cache (?:is|misses)\b|locks? (?:is|are)\b|\w+ (?:of|is|are|was|were|has)\b|close to\b"
    r"|keep in mind\b|make no mistake\b|take the \d"
    r"|take (?:my|our|last|for) (?:\w+ )?(?:case|example|week|month|instance)|show of\b)",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"^(?:(?:yes|ok|okay|right|agreed|fine|good|sure|then|so)\b[,.!]?\s*)*"
    r"(?:let'?s\s+|please\s+|we(?:'ll| will)\s+)?"
    r"(?:do|go with|take|use|keep|agreed?|decided)?\s*(?:with|to|on)?\s*"
    r"(?:that|this|it|so|the (?:first|second|last) one|that one|both|what \w+ (?:said|says|proposed))?"
    r"[.!\s]*$",
    re.IGNORECASE,
)
# Verbs that are nouns too: with "after", "at" or "when" behind them and no other verb they order something.
_ORDERS = frozenset(
    words_of("pause resume round cap ask notify display mark refuse expire freeze prompt queue wait cancel")
)
_AT = frozenset(words_of("after before at until when for every only from with by whenever as down up"))
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|should|does|did|takes?|costs?|means?|seems?"
    r"|\w{2,}ed)\b",
    re.IGNORECASE,
)
_WE = re.compile(r"(?:we|the|a|it)\s+\w+\s+\w+", re.IGNORECASE)
_OPTION = re.compile(
    r"\b(?i:option|variant|approach)\s+(?P<named>[A-D])\b|\b(?:with|take|pick|choose|for"
    r"|use)\s+(?P<bare>[A-D])\b"
)


def deciding(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The sentences of a message that decide something."""
    known = tuple(names)
    return tuple(piece for piece in utterances(message) if _decides(piece, known))


def points_back(sentence: str, names: Iterable[str] = ()) -> bool:
    """True where a decision says only "do that" and its content stands in what was proposed before."""
    plain = _straight(sentence)
    return bool(_THAT.match(without_address(plain, names)) or _THAT.match(plain.strip()))


def option(sentence: str) -> str | None:
    """The letter of the option that a decision names."""
    found = _OPTION.search(sentence)
    return (found["named"] or found["bare"]) if found else None


def _decides(piece: str, names: tuple[str, ...]) -> bool:
    sentence = _straight(piece)
    if asks(sentence) or _NOT_YET.search(sentence) or _UNSURE.search(sentence):
        return False
    refusal = _REFUSAL.match(sentence.strip())
    if refusal and (len(content(refusal["rest"])) > 1 or _WE.match(refusal["rest"])):
        return True
    return bool(_cue().search(sentence)) or _is_told(sentence, names)


def _is_told(sentence: str, names: tuple[str, ...]) -> bool:
    """True for an imperative that says what is to be done with the item."""
    told = re.sub(r"^please\s+", "", without_address(sentence, names), flags=re.IGNORECASE)
    first = re.match(r"([A-Za-z']+)(?: +([A-Za-z']+))?", told)
    if first is None or _TO_THE_PANEL.match(told):
        return False
    verb, following = first[1].lower(), (first[2] or "").lower()
    # Many a verb is a noun too; what stands after it shows which is meant.
    orders = verb in words("verb") and (following in words("determiner") or following in words("ordered"))
    orders = orders or (
        (verb in words("verb") or verb in _ORDERS) and following in _AT and not _FINITE.search(told)
    )
    if verb not in words("imperative") and not orders:
        return False
    return bool(content(told)) or points_back(sentence, names)


def _straight(text: str) -> str:
    return text.replace("’", "'")


@lru_cache(maxsize=1)
def _cue() -> re.Pattern[str]:
    text = _CUE
    for name in ("decide", "foresee"):
        text = text.replace(f"@{name}", "|".join(sorted(words(name))))
    return re.compile(text, re.IGNORECASE | re.VERBOSE)
