"""Decisions: find the user's sentences that decide something by their form; a question never does.

`content/interview/words.toml` holds the word lists. Measured on the samples in `tests/samples`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ...core.hearing import can_decide
from ...core.text import split_sentences, word_set, words_of
from .lexicon import MAX_MESSAGE_LENGTH, content_stems, pattern, strip_address, word_list

_LEAD = re.compile(
    r"^(?:(?P<mark>no|so|then|ok|okay|right(?! now)|fine|good|alright|great|yes|therefore|in that case"
    r"|in the end|for now|sure)|and|well|but|please|now|also|oh)\b\s*[,.:!]?\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:if|when|once|unless|until|as long as|as soon as|whenever|where|in case|should)\b"
    r"(?:[^,]{3,90},\s*(?:then\s+|please\s+|just\s+)*(?P<rest>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_LETS = re.compile(
    r"\blet(?:'?s| us)\s+(?:(?:just|then|also|rather|simply|please|not|all|first)\s+)*(?P<rest>\w+.*)",
    re.IGNORECASE | re.DOTALL,
)
# "Let's say a week ends on Sunday" sets a meaning; "let's say somebody forgets it" only supposes.
_MEANING = re.compile(
    r"say\s.*\b(?:means?|counts?|ends?|starts?|only|nobody|never|always|\d+)\b", re.IGNORECASE
)
_WILL = re.compile(
    r"\b(?P<who>we|i)(?:'ll|\s+will|\s+shall|\s+won't)\s+"
    r"(?:(?:not|only|ever|just|always|then|simply|also|never)\s+)*(?P<verb>[\w']+)",
    re.IGNORECASE,
)
_WE = re.compile(
    r"^we\s+(?P<no>do not\s+|don't\s+|never\s+)?"
    r"(?:(?:only|then|just|simply|always|still|also)\s+)*(?P<verb>\w+)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?:,| and) not (?!\w+ing\b)\w+|\binstead of\b|\brather than\b|, never\b", re.IGNORECASE
)
_REASON = re.compile(r",? because\b|, (?:since|so that)\b", re.IGNORECASE)
_THAT = re.compile(
    r"^(?>(?:(?:yes|ok|okay|right|agreed|fine|good|sure|then|so|please)\b[,.!]?\s*+)*)"
    r"(?:let'?s\s++|please\s++|we(?:'ll| will)\s++)?"
    r"(?:do|go with|go ahead|take|use|keep|drop|agreed?|approved|decided)?\s*+(?:with|to|on)?\s*+"
    r"(?:that|this|it|so|the (?:first|second|last) one|that one|both"
    r"|(?:it |that )?(?:what|like|as|the way) \w+ (?:said|says|proposed|suggested|described|suggests"
    r"|put it))?"
    r"[.!\s]*+$",
    re.IGNORECASE,
)
# "RFC 9110 lets a server ignore it" has a subject before it, and is not "let's".
_LETS_SUBJECT = re.compile(r"(?<=\w) lets\b", re.IGNORECASE)
_BEFORE_LETS = re.compile(
    r"\b(?:ok|okay|then|so|and|but|yes|no|well|fine|good|right|now|please) lets\b", re.IGNORECASE
)
_WITHOUT_APOSTROPHE = re.compile(r"\b(?:(let|that)(s)|(do|wo|ca|does)n(t))\b", re.IGNORECASE)

# With these in front a sentence asks, unless its subject is missing: "could be worse".
_ASKING = word_set("is are was were does did can could should would what how why where who which whose whom")
_NO_SUBJECT = word_set("be do have not also still work help love like a an matters counts i we")


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, or by a word that asks and no full stop."""
    end = sentence.rstrip("\"')* ")
    if end.endswith(("?", "？")):
        return True
    first, second, *_ = (*words_of(sentence)[:2], "", "")
    return first in _ASKING and second not in ("", *_NO_SUBJECT) and not end.endswith((".", "!"))


def find_decisions(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the sentences of a message that decide something; none where it is a pasted text."""
    if len(message) > MAX_MESSAGE_LENGTH:
        return ()
    known = tuple(names)
    return tuple(dict.fromkeys(each for each in split_sentences(message) if _is_decision(each, known)))


def is_pointing_back(sentence: str, names: Iterable[str] = ()) -> bool:
    """Whether a decision says only "do that", so that its content stands in what was proposed before."""
    plain = _straighten(sentence)
    return bool(_THAT.match(strip_address(plain, names)) or _THAT.match(plain.strip()))


def _is_decision(piece: str, names: tuple[str, ...]) -> bool:
    sentence = _straighten(piece).strip()
    told, concludes = _strip_lead(sentence, names)
    if is_question(sentence) or not can_decide(sentence):
        return False
    if pattern("openly").match(told):
        return False
    if pattern("announced").search(sentence) or pattern("ended").search(told):
        return True
    if condition := _CONDITION.match(told):
        rest = condition["rest"] or ""
        return _is_proposal(rest) or is_order(rest)
    if _is_proposal(told) or _is_resolution(told, concludes=concludes):
        return True
    return is_order(told) and (bool(content_stems(told)) or is_pointing_back(sentence, names))


def _strip_lead(sentence: str, names: tuple[str, ...]) -> tuple[str, bool]:
    """Return a sentence without address and lead-in, and whether the lead-in draws a conclusion."""
    text, concludes = sentence, False
    while lead := _LEAD.match(text):
        concludes = concludes or lead["mark"] is not None
        text = text[lead.end() :]
    return strip_address(text, names), concludes


def _is_proposal(told: str) -> bool:
    """Whether a sentence says "let's" with anything but talk."""
    found = _LETS.search(told)
    if found is None:
        return False
    rest = found["rest"]
    if _MEANING.match(rest):
        return True
    return words_of(rest)[0] not in word_list("talk") and not pattern("only_talk").match(rest)


def _is_resolution(told: str, *, concludes: bool) -> bool:
    """Whether "we" or "I" take a side, announce what will be done, or draw a conclusion."""
    if pattern("resolved").search(told):
        return True
    if word_list("habit").intersection(words_of(told)):
        return False
    if any(_is_willed(found) for found in _WILL.finditer(told)):
        return True
    found = _WE.match(told)
    if found is None or not _is_act(found["verb"].lower()):
        return False
    return concludes or found["no"] is not None or bool(_CONTRAST.search(told) or _REASON.search(told))


def _is_willed(found: re.Match[str]) -> bool:
    verb = found["verb"].lower()
    if verb in word_list("unwilled") or verb in ("look", "be", "have"):
        return False
    return found["who"].lower() == "we" or verb not in word_list("promise")


def _is_act(verb: str) -> bool:
    willed = word_list("act") | word_list("act_noun") | word_list("verb") - {"have"}
    return verb in willed - word_list("unwilled") - word_list("talk")


def _straighten(text: str) -> str:
    plain = text.replace("’", "'")
    if _LETS_SUBJECT.search(plain) and not _BEFORE_LETS.search(plain):
        plain = _LETS_SUBJECT.sub(" permits", plain)
    return _WITHOUT_APOSTROPHE.sub(_put_apostrophe, plain)


def _put_apostrophe(found: re.Match[str]) -> str:
    start, end, verb, ending = found.groups()
    return f"{start}'{end}" if start else f"{verb}n'{ending}"


# --- orders: sentences that begin with a verb and say what is to be done ----------------------------------

_BEFORE_ORDER = re.compile(r"^(?:(?:please|just|simply|also|now|at least|and)\s+)+", re.IGNORECASE)
_ALWAYS = re.compile(
    r"^(?:never|always|don't|do not|rather|better|not)\s+(?:ever\s+|just\s+)?", re.IGNORECASE
)
_FINITE = word_set(
    "is are was were has have had will would can could should does did do may might must isn't aren't "
    "wasn't don't doesn't won't can't cannot that's it's came went took got made said gave knew lost "
    "broke fell"
)
_JOINS = ("", "of", "or", "and", "plus")
_SHORTEST = 4


def is_order(told: str) -> bool:
    """Whether words without address and fillers order something done to the item."""
    plain = _BEFORE_ORDER.sub("", told)
    always = _ALWAYS.match(plain)
    rest = plain[always.end() :] if always else plain
    verb, following, *_ = (*words_of(rest[:200]), "", "")
    addresses_panel = pattern("to_panel").match(plain) or pattern("to_panel").match(rest)
    if addresses_panel or verb in word_list("talk"):
        return False
    if verb == "have":
        return following in word_list("determiner") | {"it", "them"}
    if verb not in word_list("act") | word_list("act_noun"):
        return False
    if always:
        return bool(following)
    if following in _FINITE or following in _JOINS:
        return False
    is_certain = verb not in word_list("act_noun") or following in word_list("determiner") | word_list(
        "ordered"
    )
    return is_certain or not _has_verb(rest)


def _has_verb(rest: str) -> bool:
    """Whether the first clause holds a finite verb behind its first word, which then is its subject."""
    low = words_of(re.split(r"[,;:(]", rest)[0])
    for before, word in pairwise(low):
        if word in _FINITE or _is_third_person(word):
            return True
        if word.endswith("ed") and low[0] not in word_list("act"):
            return True
        if before.endswith("s") and word in word_list("act") | word_list("act_noun") | word_list("verb"):
            return True
    return False


def _is_third_person(word: str) -> bool:
    """Whether a word is a verb with its ending ("arrives") and cannot be a noun in the plural."""
    if not word.endswith("s") or len(word) < _SHORTEST:
        return False
    known = (word_list("act") | word_list("verb") | word_list("unwilled")) - word_list("act_noun")
    return word[:-1] in known or word[:-2] in known or word[:-3] + "y" in known
