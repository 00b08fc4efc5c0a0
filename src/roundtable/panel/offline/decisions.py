"""Decisions: which of the user's sentences decide something, by their form, never in a question."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.words import words_of
from .lexicon import sign, words
from .orders import orders
from .phrases import content, without_address
from .utterances import asks, utterances

_NOT_YET = re.compile(
    r"\b(?:not|never|haven't|hasn't|isn't|wasn't|couldn't|can't|don't|nothing|nobody|once|if|until"
    r"|unless|before"
    r"|when|whether|they|he|she)\b[^.;,]{0,40}"
    r"\b(?:decid|agree|settle|chose|pick|approve)\w*|\b(?:un|in)decided\b|\bdisagree|\bin principle\b"
    r"|\b(?:decided?|agreed?) (?:in|last|with|without|that it is)\b|\b(?:i|we) agree\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:don't|do not|didn't) (?:know|think|see|understand)\b|\bno idea\b|\bnot sure\b|\bmaybe\b"
    r"|\bperhaps\b|\bi (?:mean|meant|asked|wonder)\b|\bthat's not (?:what|true|right)\b|\b(?:would"
    r"|could)\b.*\bif\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(r"^(?:ok,? |oh,? )?no\s*[,:!.-]\s*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_LEAD = re.compile(
    r"^(?:(?P<mark>so|then|ok|okay|right(?! now)|fine|good|alright|great|yes|therefore|in that case"
    r"|in the end|for now|sure)"
    r"|and|well|but|please|now|also)\b\s*[,.!]?\s*",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(r"^(?:so|ok|okay|right|then|fine|good|ok so|ok then)\s*:\s*\w+", re.IGNORECASE)
_THEN_IT = re.compile(
    r"^(?:ok|okay|right|fine|good|alright),?\s+then it(?:'s| is) (?!too|not|a |an )", re.IGNORECASE
)
_CONDITION = re.compile(
    r"^(?:if|when|once|unless|until|as long as|as soon as|whenever|where|in case|should)\b", re.IGNORECASE
)
_AFTER_CONDITION = re.compile(r"^[^,]{3,90},\s*(?:then\s+|please\s+|just\s+)*(?P<rest>.+)$", re.DOTALL)
_LETS = re.compile(
    r"\blet(?:'?s| us)\s+(?:(?:just|then|also|rather|simply|please|not|all|first)\s+)*(?P<rest>\w+.*)",
    re.IGNORECASE | re.DOTALL,
)
_MEANING = re.compile(
    r"say\s+(?:that\s+)?(?!\w+ \w+ \w+ing\b)(?:.+?\b(?:means?|counts?|ends?|starts?|begins?|lasts?|equals)\b"
    r"|(?:only|nobody|no one|never|always)\b"
    r"|.+?\b(?:is|are) (?:any\w*|every\w*|whoever|whatever|when|at|over|under|more|less|a|an|the"
    r"|\d+)\b|\d|at (?:most|least))",
    re.IGNORECASE,
)
_THEN_WHAT = re.compile(r",\s*(?:what|how|who|then what)\b|\bwhat then\b", re.IGNORECASE)
_WILL = re.compile(
    r"\b(?P<who>we|i)(?:'ll|\s+will|\s+shall|\s+won't)\s+(?:(?:not|only|ever|just|always|then|simply"
    r"|also|never)\s+)*"
    r"(?P<verb>[\w']+)(?:\s+(?P<next>\w+))?",
    re.IGNORECASE,
)
_WE = re.compile(
    r"^we\s+(?P<no>do not\s+|don't\s+|never\s+)?(?:(?:only|then|just|simply|always|still"
    r"|also)\s+)*(?P<verb>\w+)(?:\s+(?P<next>\w+))?",
    re.IGNORECASE,
)
# "We warn ..., but they can always go on" sets a rule; what people merely do is told with other verbs.
_RULE = re.compile(
    r"^we (?:only |never |always )?(?:warn|skip|refuse|reject|block|hide|allow|drop|forbid|ignore)\b"
    r".*\b(?:but|otherwise|only if|unless|once more|always|all the same)\b",
    re.IGNORECASE | re.DOTALL,
)
_CONTRAST = re.compile(
    r"(?:,| and) not (?!\w+ing\b)\w+|\binstead of\b|\brather than\b|, never\b", re.IGNORECASE
)
_HABIT = re.compile(
    r"\b(?:at the moment|right now|every time|these days|so far|for years|all the time)\b", re.IGNORECASE
)
_THAT = re.compile(
    r"^(?:(?:yes|ok|okay|right|agreed|fine|good|sure|then|so|please)\b[,.!]?\s*)*"
    r"(?:let'?s\s+|please\s+|we(?:'ll| will)\s+)?"
    r"(?:do|go with|go ahead|take|use|keep|drop|agreed?|approved|decided)?\s*(?:with|to|on)?\s*"
    r"(?:that|this|it|so|the (?:first|second|last) one|that one|both"
    r"|(?:it |that )?(?:what|like|as|the way) \w+ (?:said|says|proposed|suggested|described|suggests"
    r"|put it))?"
    r"[.!\s]*$",
    re.IGNORECASE,
)
# "Put that down please" decides what stands before it.
_RECORDED = re.compile(
    r"^(?:please |so |ok,? |and )?(?:(?:put|write|note) (?:that|it|this) down"
    r"|(?:keep|take|put|write) (?:that|it|this)(?: down)? as (?:the|a|our) (?:rule|decision))\b"
    r"[^.]{0,20}[.!]*$",
    re.IGNORECASE,
)
_PLEA = re.compile(r"^(?:but |oh |and )?please (?:do not|don't|not|no)\b", re.IGNORECASE)
_FIRST_THIS = re.compile(
    r"(?:start|begin) with\b.*\b(?:only|first|follows?|comes? later|next|leave|not touch|for now|then)\b",
    re.IGNORECASE | re.DOTALL,
)
_OPTION = re.compile(
    r"\b(?i:option|variant|approach)\s+(?P<named>[A-D])\b|\b(?:with|take|pick|choose|for"
    r"|use)\s+(?P<bare>[A-D])\b"
)
_SHORT = {
    "lets": "let's",
    "dont": "don't",
    "wont": "won't",
    "cant": "can't",
    "doesnt": "doesn't",
    "thats": "that's",
}
_TYPED = re.compile(rf"\b(?:{'|'.join(_SHORT)})\b", re.IGNORECASE)


def deciding(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The sentences of a message that decide something."""
    known, pieces = tuple(names), utterances(message)
    found: list[str] = []
    for before, piece in zip(("", *pieces), pieces, strict=False):
        if before and _RECORDED.match(without_address(piece, known)) and _may_decide(before):
            found += [before] if before not in found else []
        elif _decides(piece, known):
            found.append(piece)
    return tuple(found)


def _may_decide(piece: str) -> bool:
    """True where a sentence says something for certain."""
    return not asks(piece) and not _UNSURE.search(_straight(piece))


def points_back(sentence: str, names: Iterable[str] = ()) -> bool:
    """True where a decision says only "do that" and its content stands in what was proposed before."""
    plain = _straight(sentence)
    return bool(_THAT.match(without_address(plain, names)) or _THAT.match(plain.strip()))


def option(sentence: str) -> str | None:
    """The letter of the option that a decision names."""
    found = _OPTION.search(sentence)
    return (found["named"] or found["bare"]) if found else None


def _decides(piece: str, names: tuple[str, ...]) -> bool:
    sentence = _straight(piece).strip()
    if asks(sentence) or _UNSURE.search(sentence) or _PLEA.match(sentence):
        return False
    refusal = _REFUSAL.match(sentence)
    if refusal and _overrules(refusal["rest"]):
        return True
    told, concludes = _body(sentence, names)
    if sign("openly").match(told):
        return False
    if not _NOT_YET.search(sentence) and (
        sign("announced").search(told) or sign("announced").search(sentence) or sign("ended").search(told)
    ):
        return True
    if _CONCLUDED.match(sentence) or _THEN_IT.match(sentence):
        return True
    if _CONDITION.match(told):
        rest = _AFTER_CONDITION.match(told)
        return rest is not None and (_proposes(rest["rest"]) or orders(rest["rest"]))
    if _proposes(told) or _resolves(told, concludes=concludes):
        return True
    if concludes and told.startswith("only "):
        # "Then only count ..." draws a conclusion; "only count ..." may tell what somebody does.
        return orders(re.split(r",| and ", told.removeprefix("only "))[0])
    return orders(told) and (bool(content(told)) or points_back(sentence, names))


def _body(sentence: str, names: tuple[str, ...]) -> tuple[str, bool]:
    """A sentence without address and what leads over to it, and whether that draws a conclusion."""
    text, concludes = sentence, False
    for _ in range(4):
        lead = _LEAD.match(text)
        if lead is None:
            break
        concludes = concludes or lead["mark"] is not None
        text = text[lead.end() :]
    return without_address(text, names), concludes


def _overrules(rest: str) -> bool:
    """True where what follows a "no" sets a rule; "no, that was last year" only puts a fact right."""
    told, _ = _body(rest, ())
    if _resolves(told, concludes=True) or orders(told):
        return True
    return len(content(rest)) > 1 and bool(sign("ruled").search(rest)) and not sign("fact").search(rest)


def _proposes(told: str) -> bool:
    """True for "let's" with anything but talk."""
    found = _LETS.search(told)
    if found is None:
        return False
    rest = found["rest"]
    if _FIRST_THIS.match(rest):
        return True
    if _MEANING.match(rest):
        return not _THEN_WHAT.search(rest)
    return words_of(rest)[0] not in words("talk") and not sign("only_talk").match(rest)


def _resolves(told: str, *, concludes: bool) -> bool:
    """True where "we" or "I" take a side, announce what will be done, or draw a conclusion."""
    if sign("resolved").search(told):
        return True
    # What is usual stands in the main clause; "..., with the answer already filled in" is part of the rule.
    main = told.partition(", with ")[0]
    if words("habit").intersection(words_of(main)) or _HABIT.search(main):
        return False
    willed = any(_is_willed(found) for found in _WILL.finditer(told))
    return willed or bool(_RULE.match(told)) or _we(told, concludes=concludes)


def _is_willed(found: re.Match[str]) -> bool:
    verb, following = found["verb"].lower(), (found["next"] or "").lower()
    if verb == "look":
        return following in ("under", "for") and found["who"].lower() == "we"
    if verb in ("be", "have"):
        return following in ("strict", "the", "it", "them") and found["who"].lower() == "we"
    if verb in words("unwilled") or (verb == "run" and following in ("out", "into")):
        return False
    return found["who"].lower() == "we" or verb not in words("promise")


def _we(told: str, *, concludes: bool) -> bool:
    found = _WE.match(told)
    if found is None:
        return False
    verb = found["verb"].lower()
    willed = verb in words("act") or verb in words("act_noun") or (verb in words("verb") and verb != "have")
    if not willed or verb in words("unwilled") or verb in words("talk"):
        return verb == "do" and concludes
    return concludes or found["no"] is not None or bool(_CONTRAST.search(told))


def _straight(text: str) -> str:
    plain = text.replace("’", "'")
    return _TYPED.sub(lambda found: _SHORT[found.group().lower()], plain)
