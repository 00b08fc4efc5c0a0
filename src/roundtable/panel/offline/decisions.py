"""Decisions: find the user's sentences that decide something by their form; a question never does.

`content/interview/words.toml` holds the word lists. Measured on the samples in `tests/samples`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.text import split_sentences, words_of
from .lexicon import MAX_MESSAGE_LENGTH, content_stems, pattern, strip_address, word_list

_NOT_YET = re.compile(
    r"\b(?:not|never|haven't|hasn't|isn't|wasn't|couldn't|can't|don't|nothing|nobody|once|if|until"
    r"|unless|before|when|whether|they|he|she)\b[^.;,]{0,40}"
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
    r"|in the end|for now|sure)|and|well|but|please|now|also)\b\s*[,.!]?\s*",
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
    r"^(?>(?:(?:yes|ok|okay|right|agreed|fine|good|sure|then|so|please)\b[,.!]?\s*+)*)"
    r"(?:let'?s\s++|please\s++|we(?:'ll| will)\s++)?"
    r"(?:do|go with|go ahead|take|use|keep|drop|agreed?|approved|decided)?\s*+(?:with|to|on)?\s*+"
    r"(?:that|this|it|so|the (?:first|second|last) one|that one|both"
    r"|(?:it |that )?(?:what|like|as|the way) \w+ (?:said|says|proposed|suggested|described|suggests"
    r"|put it))?"
    r"[.!\s]*+$",
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
_WITHOUT_APOSTROPHE = re.compile(r"\b(?:(let|that)(s)|(do|wo|ca|does)n(t))\b", re.IGNORECASE)

# With these in front a sentence asks, unless its subject is missing: "could be worse".
_ASKING = frozenset({"is", "are", "was", "were", "does", "did", "can", "could", "should", "would"})
_NO_SUBJECT = frozenset({"be", "do", "have", "not", "also", "still", "work", "help", "love", "like", ""})
_DO_THEY = frozenset({"we", "i", "you", "they", "people", "these", "those"})
_HOW = frozenset({"many", "much", "long", "often", "big", "soon", "late", "far", "about", "come", "do"})
_QUESTION_WORDS = frozenset({"what", "how", "why", "where", "who", "which", "whose", "whom"})
_AUXILIARY = frozenset(
    words_of("do does did is are was were has have had can could will would should must may might shall")
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, or by a question word with a verb after it."""
    end = sentence.rstrip("\"')* ")
    if end.endswith(("?", "？")):
        return True
    first, second, *_ = (*words_of(sentence)[:2], "", "")
    ends_flatly = end.endswith((".", "!"))
    if first in _ASKING and second not in _NO_SUBJECT and not ends_flatly:
        return True
    if first == "do" and second in _DO_THEY and not ends_flatly:
        return True
    if first == "when":
        return second in _AUXILIARY
    if first in _QUESTION_WORDS and second not in ("a", "an", "matters", "counts", "i", "we", "you", "they"):
        return True
    return first == "how" and second in _HOW


def find_decisions(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the sentences of a message that decide something; none where it is a pasted text."""
    if len(message) > MAX_MESSAGE_LENGTH:
        return ()
    known, pieces = tuple(names), split_sentences(message)
    found: list[str] = []
    for before, piece in zip(("", *pieces), pieces, strict=False):
        certain = before and not is_question(before) and not _UNSURE.search(_straighten(before))
        if certain and _RECORDED.match(strip_address(piece, known)):
            found.append(before)
        elif _is_decision(piece, known):
            found.append(piece)
    return tuple(dict.fromkeys(found))


def is_pointing_back(sentence: str, names: Iterable[str] = ()) -> bool:
    """Whether a decision says only "do that", so that its content stands in what was proposed before."""
    plain = _straighten(sentence)
    return bool(_THAT.match(strip_address(plain, names)) or _THAT.match(plain.strip()))


def _is_decision(piece: str, names: tuple[str, ...]) -> bool:
    sentence = _straighten(piece).strip()
    if is_question(sentence) or _UNSURE.search(sentence) or _PLEA.match(sentence):
        return False
    refusal = _REFUSAL.match(sentence)
    if refusal and _is_overruling(refusal["rest"]):
        return True
    told, concludes = _strip_lead(sentence, names)
    if pattern("openly").match(told):
        return False
    announced, ended = pattern("announced"), pattern("ended")
    if not _NOT_YET.search(sentence) and (
        announced.search(told) or announced.search(sentence) or ended.search(told)
    ):
        return True
    if _CONCLUDED.match(sentence) or _THEN_IT.match(sentence):
        return True
    if _CONDITION.match(told):
        rest = _AFTER_CONDITION.match(told)
        return rest is not None and (_is_proposal(rest["rest"]) or is_order(rest["rest"]))
    if _is_proposal(told) or _is_resolution(told, concludes=concludes):
        return True
    if concludes and told.startswith("only "):
        # "Then only count ..." draws a conclusion; "only count ..." may tell what somebody does.
        return is_order(re.split(r",| and ", told.removeprefix("only "))[0])
    return is_order(told) and (bool(content_stems(told)) or is_pointing_back(sentence, names))


def _strip_lead(sentence: str, names: tuple[str, ...]) -> tuple[str, bool]:
    """Return a sentence without address and lead-in, and whether the lead-in draws a conclusion."""
    text, concludes = sentence, False
    for _ in range(4):
        lead = _LEAD.match(text)
        if lead is None:
            break
        concludes = concludes or lead["mark"] is not None
        text = text[lead.end() :]
    return strip_address(text, names), concludes


def _is_overruling(rest: str) -> bool:
    """Whether what follows a "no" sets a rule; "no, that was last year" only puts a fact right."""
    told, _ = _strip_lead(rest, ())
    if _is_resolution(told, concludes=True) or is_order(told):
        return True
    ruled = pattern("ruled").search(rest) and not pattern("fact").search(rest)
    return bool(ruled) and len(content_stems(rest)) > 1


def _is_proposal(told: str) -> bool:
    """Whether a sentence says "let's" with anything but talk."""
    found = _LETS.search(told)
    if found is None:
        return False
    rest = found["rest"]
    if _FIRST_THIS.match(rest):
        return True
    if _MEANING.match(rest):
        return not _THEN_WHAT.search(rest)
    return words_of(rest)[0] not in word_list("talk") and not pattern("only_talk").match(rest)


def _is_resolution(told: str, *, concludes: bool) -> bool:
    """Whether "we" or "I" take a side, announce what will be done, or draw a conclusion."""
    if pattern("resolved").search(told):
        return True
    # What is usual stands in the main clause; "..., with the answer already filled in" is part of the rule.
    main = told.partition(", with ")[0]
    if word_list("habit").intersection(words_of(main)) or _HABIT.search(main):
        return False
    willed = any(_is_willed(found) for found in _WILL.finditer(told))
    return willed or bool(_RULE.match(told)) or _is_our_act(told, concludes=concludes)


def _is_willed(found: re.Match[str]) -> bool:
    verb, following = found["verb"].lower(), (found["next"] or "").lower()
    if verb == "look":
        return following in ("under", "for") and found["who"].lower() == "we"
    if verb in ("be", "have"):
        return following in ("strict", "the", "it", "them") and found["who"].lower() == "we"
    if verb in word_list("unwilled") or (verb == "run" and following in ("out", "into")):
        return False
    return found["who"].lower() == "we" or verb not in word_list("promise")


def _is_our_act(told: str, *, concludes: bool) -> bool:
    found = _WE.match(told)
    if found is None:
        return False
    verb = found["verb"].lower()
    willed = word_list("act") | word_list("act_noun") | word_list("verb") - {"have"}
    if verb not in willed - word_list("unwilled") - word_list("talk"):
        return verb == "do" and concludes
    return concludes or found["no"] is not None or bool(_CONTRAST.search(told))


def _straighten(text: str) -> str:
    return _WITHOUT_APOSTROPHE.sub(_put_apostrophe, text.replace("’", "'"))


def _put_apostrophe(found: re.Match[str]) -> str:
    start, end, verb, ending = found.groups()
    return f"{start}'{end}" if start else f"{verb}n'{ending}"


# --- orders: sentences that begin with a verb and say what is to be done ----------------------------------

_BEFORE_ORDER = re.compile(r"^(?:(?:please|just|simply|also|now|at least|and)\s+)+", re.IGNORECASE)
_ALWAYS = re.compile(
    r"^(?:never|always|don't|do not|only|rather|better|not)\s+(?:ever\s+|just\s+)?", re.IGNORECASE
)
_PREPOSITIONS = frozenset(
    words_of(
        "after before at until when for every only from with by whenever as down up to in into on off out "
        "over back under per once without away through if where instead against"
    )
)
# A clause with a verb of its own may follow these without making the first word a noun.
_OPENS = re.compile(
    r"\b(?:if|when|whenever|until|once|that|who|which|what|whatever|because|after|before|while|as"
    r"|unless|so|where|than|how|whose|and|or|but|then)\b|[,;:(]",
    re.IGNORECASE,
)
_FINITE = frozenset(
    words_of(
        "is are was were has have had will would can could should does did do may might must isn't aren't "
        "wasn't don't doesn't won't can't cannot that's it's came went took got made said gave knew lost "
        "broke fell"
    )
)
_JOINS = ("of", "or", "and", "plus")
_SHORTEST = 4


def is_order(told: str) -> bool:
    """Whether words without address and fillers order something done to the item."""
    plain = _BEFORE_ORDER.sub("", told)
    if pattern("to_panel").match(plain):
        return False
    always = _ALWAYS.match(plain)
    rest = plain[always.end() :] if always else plain
    low = words_of(rest[:200])
    only = always is not None and plain[:4].lower() == "only"
    if not low or only or pattern("to_panel").match(rest) or low[0] in word_list("talk"):
        return False
    if always:
        return _is_verb(low[0]) and (len(low) > 1 or plain[0].lower() == "d")
    return _begins_with_verb(low, rest)


def _begins_with_verb(low: tuple[str, ...], rest: str) -> bool:
    verb, following = low[0], low[1] if len(low) > 1 else ""
    if not _is_verb(verb) or following in _FINITE:
        return False
    if verb == "have":
        return following in word_list("determiner") or following in ("it", "them")
    if verb not in word_list("act_noun"):
        return bool(following) and following not in _JOINS
    if following in word_list("determiner") or following in word_list("ordered"):
        return True
    return following not in ("", *_JOINS) and not _has_verb(rest)


def _has_verb(rest: str) -> bool:
    """Whether the first clause holds a finite verb behind its first word, which then is its subject."""
    opened = _OPENS.search(rest)
    low = words_of(rest[: opened.start()] if opened else rest)
    if opened and opened.group().lower() in ("and", "or", ","):
        low = words_of(rest)
    for before, word, after in zip(low, low[1:], (*low[2:], ""), strict=False):
        free = before not in word_list("determiner")
        # "Show days marked as full" against "Place names changed": only a mere noun is a subject there.
        if word in _FINITE or (word.endswith("ed") and low[0] not in word_list("act") and free):
            return True
        if _is_third_person(word) and before not in _PREPOSITIONS and free:
            return True
        plural = before.endswith("s") and before not in _PREPOSITIONS and word not in _PREPOSITIONS
        if plural and (_is_verb(word) or word in word_list("verb") or after in word_list("determiner")):
            return True
    return False


def _is_third_person(word: str) -> bool:
    """Whether a word is a verb with its ending ("arrives") and cannot be a noun in the plural."""
    if not word.endswith("s") or len(word) < _SHORTEST:
        return False
    known = (word_list("act") | word_list("verb") | word_list("unwilled")) - word_list("act_noun")
    return word[:-1] in known or word[:-2] in known or word[:-3] + "y" in known


def _is_verb(word: str) -> bool:
    return word in word_list("act") or word in word_list("act_noun") or word == "have"
