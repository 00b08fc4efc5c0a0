"""Questions: one turned into a clause that fits into another sentence.

There is no tagger here: where the subject of a question cannot be told for certain, no clause is given.
"""

from __future__ import annotations

import re

from ...core.words import words_of
from .lexicon import words
from .phrases import noun_phrase

_LONGEST_CLAUSE = 130
_LONGEST_TOPIC = 80
_WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
_DO, _BE, _HAVE = ("do", "does", "did"), ("is", "are", "was", "were"), ("has", "have", "had")
_MODAL = ("can", "could", "will", "would", "should", "must", "may", "might", "shall")
AUXILIARY = frozenset((*_DO, *_BE, *_HAVE, *_MODAL))
_GOES_ON = frozenset({"who", "that", "which", "whose", "with", "from", "after", "before", "of", "in", "on"})
"""After these a subject of one word is not at its end."""

_ABOUT = re.compile(
    r"^(?:and )?(?:(?:what|how) about|what do (?:you|we)(?: all)? think (?:about|of))\s+", re.IGNORECASE
)
_SECOND = re.compile(
    r",\s+(?=(?:(?:and|or)\s+)?(?:does|do|is|are|can|could|should|would|will|we|they|there|who|what|i)\b)"
)
_TOKEN = re.compile(r"[\w'’./%-]+|[^\w\s]")
_SWAP = {
    "i": "you", "my": "your", "me": "you", "mine": "yours", "i'm": "you're", "i've": "you've", "i'd": "you'd",
    "you": "I", "your": "my",
}  # fmt: skip


def clause(question: str) -> str | None:
    """The question as a clause that fits "nothing says ..."; None where its subject is not certain."""
    about = _ABOUT.match(question)
    if about:
        rest = question[about.end() :]
        return f"what holds for {swapped(rest)}" if len(rest) < _LONGEST_TOPIC else None
    conditional = re.match(r"^(?:and\s+|but\s+)?(?:what\s+)?(if|when)\s+(.+)$", question, re.IGNORECASE)
    if conditional and not re.match(r"when\s+(?:" + "|".join(AUXILIARY) + r")\b", question, re.IGNORECASE):
        inner = re.sub(r",?\s+what (?:happens|then)$", "", conditional[2])
        inner = _SECOND.split(inner)[0]
        return _fitting(f"what happens {conditional[1].lower()} {swapped(inner)}")
    first = _SECOND.split(question)[0]
    return _fitting(_embedded(first if len(first.split()) > 2 else question))


def topic(question: str) -> str | None:
    """The noun phrase after the question word, as "the limit" in "what limit"; None where there is none."""
    about = _ABOUT.match(question)
    if about:
        return noun_phrase(question[about.end() :])
    named = re.match(r"^(?:what|which|whose|how many|how much)\s+(?=[a-z])", question, re.IGNORECASE)
    if named is None:
        return None
    rest = question[named.end() :]
    first = words_of(rest)[:1]
    if not first or first[0] in AUXILIARY or _is_verb(first[0]) or first[0] in words("adverb"):
        return None
    return noun_phrase("the " + _before_verb(rest))


def _before_verb(text: str) -> str:
    """The words up to the first one that is surely a verb."""
    kept: list[str] = []
    for word in text.split():
        plain = word.lower().strip(",.")
        if plain in AUXILIARY or (kept and _is_verb(plain)):
            break
        kept.append(word)
    return " ".join(kept)


def _embedded(question: str) -> str | None:
    tokens = _TOKEN.findall(question)
    if not tokens:
        return None
    low = [token.lower() for token in tokens]
    if low[0] in AUXILIARY:
        turned = _turned(tokens, low, 0)
        return f"whether {turned}" if turned else None
    if not re.match(_WH, low[0]):
        return None
    # In "how many runs would ..." the third word is what is counted.
    first = 3 if low[:2] in (["how", "many"], ["how", "much"]) else 1
    at = next(
        (
            n
            for n, word in enumerate(low)
            if n >= first and (word in AUXILIARY or _is_verb(word, plain=False))
        ),
        None,
    )
    if at is None or at > 6:
        return None
    head = tokens[:at]
    asks_subject = low[at] not in AUXILIARY or _starts_predicate(low, at)
    if asks_subject:
        return _joined([*head, *tokens[at:]])
    turned = _turned(tokens, low, at)
    return f"{_joined(head)} {turned}" if turned else None


def _starts_predicate(low: list[str], at: int) -> bool:
    """True where the words before the auxiliary are its subject: "who has to be told"."""
    if at + 1 >= len(low):
        return False
    following = low[at + 1]
    own = low[0] in ("who", "what", "which", "whose", "how")
    if following in ("to", "not", "be", "been") or following in words("adverb"):
        return own
    if low[at] in _BE and at > 1:
        plain = following not in words("pronoun") and following not in words("determiner")
        return own and (plain or low[1] == "of")
    described = following in words("bound") or following in words("adjective")
    if low[at] in _BE and low[0] in ("who", "what") and described:
        return following not in words("pronoun")
    if low[at] in _MODAL:
        return own and following in words("verb")
    return own and low[at] in (*_BE, *_HAVE) and _is_participle(following)


def _turned(tokens: list[str], low: list[str], at: int) -> str | None:
    """Subject, auxiliary and the rest, in the order of a statement."""
    end = _subject_end(low, at)
    if end is None:
        return None
    subject, rest = tokens[at + 1 : end], tokens[end:]
    auxiliary = low[at]
    if auxiliary == "did":
        return None
    if auxiliary in ("do", "does"):
        if not rest:
            return None
        at_verb = next((n for n, word in enumerate(rest) if word.lower() not in words("adverb")), 0)
        if auxiliary == "does" and re.search(r"[^s]s$", rest[at_verb].lower()):
            return None  # "does recalculating all flights ...": that was no verb
        verb = _third(rest[at_verb]) if auxiliary == "does" else rest[at_verb]
        return _joined([*subject, *rest[:at_verb], verb, *rest[at_verb + 1 :]])
    spoken = "am" if subject and subject[0].lower() == "you" and auxiliary == "are" else auxiliary
    return _joined([*subject, spoken, *rest])


def _subject_end(low: list[str], at: int) -> int | None:
    """Where the subject after an auxiliary ends; None where that is not certain."""
    start = at + 1
    if start >= len(low):
        return None
    if low[start] in words("pronoun") and not (
        low[start] in ("this", "that") and start + 1 < len(low) and _could_be_noun(low[start + 1])
    ):
        following = low[start + 1] if start + 1 < len(low) else ""
        if following in _GOES_ON:
            return None
        wanted = low[at] not in _DO or following in words("verb") or following in words("adverb")
        return start + 1 if wanted else None
    if low[start].endswith("thing") and start + 1 < len(low) and low[start + 1] in _GOES_ON:
        return None
    inside = False  # of "the code of a dry run" only a preposition or the end shows where it stops
    for end in range(start + 1, min(len(low) + 1, start + 9)):
        if end == len(low):
            # "is the whole group stuck" says something of the group; its last word is not the subject's.
            return end if at and low[at] in _BE and (inside or end - start <= 4) else None
        word, before = low[end], low[end - 1]
        if word in ("that", "who", "which", "whose", ",", "(", ":"):
            return None
        if word == "of":
            inside = True
            continue
        if inside and not (word in words("bound") and word not in words("adverb")):
            continue
        described = before in words("adjective") or (
            _is_participle(before) and low[end - 2] in words("determiner")
        )
        if before == "of" or before in words("determiner") or described:
            continue
        followed = end + 1 < len(low) and low[end + 1] in words("verb")
        if _ends_subject(word, low[at]) and not (word in words("verb") and followed):
            return None if _is_noun_there(low, at, end) else end
        if word in words("bound") and word not in words("adverb"):
            # "is the mail in ...": with one word more it might be the predicate ("is a link dead at ...").
            certain = low[at] in _BE and end - start <= 2 and not any(map(_is_participle, low[end:]))
            return end if certain else None
    return None


def _is_noun_there(low: list[str], at: int, end: int) -> bool:
    """True where what looks like the verb may be a noun: "can a pull request from outside put ..."."""
    if low[at] in _BE or end + 1 >= len(low) or low[end + 1] not in words("bound"):
        return False
    until = next(
        (n for n in range(end + 1, len(low)) if low[n] in (",", "that", "to", "and", "if", "when")), len(low)
    )
    return any(word in words("verb") for word in low[end + 2 : until])


def _ends_subject(word: str, auxiliary: str) -> bool:
    if word in words("adverb"):
        return True
    if auxiliary in (*_DO, *_MODAL):
        return word in words("verb") or word == "be"
    return (
        _is_participle(word)
        or word.endswith("ing")
        or word in words("adjective")
        or word in words("determiner")
    )


def _could_be_noun(word: str) -> bool:
    return word not in words("verb") and word not in words("bound") and word not in words("adverb")


def _is_participle(word: str) -> bool:
    return word in words("participle") or (len(word) > 4 and word.endswith("ed"))


def _is_verb(word: str, *, plain: bool = True) -> bool:
    """True for a verb as it stands after its subject: "happens", "gets", "wins", "finds"."""
    if plain and word in words("verb"):
        return True
    singular = (
        word.removesuffix("es") if word.endswith(("shes", "ches", "sses", "oes")) else word.removesuffix("s")
    )
    return word.endswith("s") and (singular in words("verb") or singular in ("win", "count", "tell"))


def _third(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _joined(tokens: list[str]) -> str:
    return swapped(re.sub(r"\s+(?=[,.;:!?)\]])", "", " ".join(tokens)))


def swapped(text: str) -> str:
    """The words with "I" and "you" the other way round, as the answering person says them."""
    turned = re.sub(r"[A-Za-z']+", lambda word: _SWAP.get(word.group().lower(), word.group()), text.strip())
    # After a preposition or a verb it is "me", and "you" that is the subject of a plural verb stays right.
    turned = re.sub(r"\bI are\b", "I am", turned)
    return (
        turned[:1].lower() + turned[1:]
        if not turned[:2].isupper() and turned[:2] not in ("I ", "I'")
        else turned
    )


def _fitting(found: str | None) -> str | None:
    if not found or len(found) > _LONGEST_CLAUSE or '"' in found or "`" in found:
        return None
    # "whose books does R renew" was not turned round; in "what it does when ..." nothing has to be.
    inside = re.search(r"\b(?:does|did|do) (?P<next>[\w']+) \w", found)
    asks_still = inside is not None and inside["next"].lower() not in words("bound")
    return None if asks_still else found
