"""Phrases: what can be taken out of one sentence and put into another without harm.

There is no tagger here, so everything is careful: a phrase that is not certain is not given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ...core.words import words_of
from .lexicon import words
from .quoting import SHORT_QUOTE as SHORT_QUOTE
from .quoting import quote as quote
from .text import plain_line, split

_TOKEN = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d.,]*%?|[^\sA-Za-z\d]")
_FIGURE = re.compile(
    r"(?<![\w.])(?:up to |at least |at most |about |more than |less than )?"
    r"\d+(?:[.,]\d+)*(?:\s?%|[ -]"
    r"(?!(?:and|or|to|of|in|is|are|was|the|on|at|for|a|an|if|when|with|by)\b)[A-Za-z]{2,20})?"
)
_MOST_WORDS = 4
_LONGEST_SUBJECT = 70
_TROUBLE = re.compile(
    r"\b(?:error|exception|fatal|failed|failure|panic|traceback|denied|refused|timeout)\b", re.IGNORECASE
)
_GROUP = ("everyone", "everybody", "team", "all of you", "you all")
_ADDRESS = re.compile(
    r"^\s*(?:(?:(?:ok|okay|so|well|and|but|then|hm+|yes|no|thanks)\b[,.!]?|right[,.!])\s+)*", re.IGNORECASE
)
_ABOUT = re.compile(
    r"^(?:and\s+)?(?:(?:what|how) about|what do (?:you|we)(?: all)? think (?:about|of)) (?P<thing>.+?)\??$"
    r"|^and (?P<other>the .+?)\?$",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """A word without its commonest endings, for comparing only."""
    for ending in ("ings", "ing", "ies", "ied", "ed", "es", "s", "ly"):
        if len(word) > len(ending) + 3 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
            break
    # "merging" and "merge" meet; so do "planned" and "plan".
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@lru_cache(maxsize=2048)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words that carry a meaning, in order."""
    empty = words("empty")
    found = (word.removesuffix("'s") for word in words_of(text))
    return tuple(stem(word) for word in found if word not in empty and (len(word) > 1 or not word.isascii()))


def noun_phrase(text: str) -> str | None:
    """The noun phrase with which a text begins, as "the ..."; None unless it is certain where it ends."""
    tokens = _TOKEN.findall(text[:200])
    at, determined = 0, False
    while at < len(tokens) and tokens[at].lower() in words("determiner"):
        at, determined = at + 1, True
    found: list[str] = []
    bound = words("bound")
    while at < len(tokens) and tokens[at][0].isalpha() and tokens[at].lower() not in bound:
        found.append(tokens[at])
        at += 1
    if not 1 <= len(found) <= _MOST_WORDS:
        return None
    last = found[-1].lower()
    unsure = any(word.lower() in words("no_noun") or word.lower().endswith("ly") for word in found)
    if unsure or last.endswith(("ing", "ed")) or last in words("adjective") or "'" in last:
        return None
    if not determined and not is_plural(last) and last not in words("mass"):
        return None
    return "the " + " ".join(found)


def is_plural(word: str) -> bool:
    """True for a noun that looks like more than one."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3


def figures(text: str) -> tuple[str, ...]:
    """The figures of a text with what they count."""
    return tuple(found.strip() for found in _FIGURE.findall(text))


def actor(texts: Iterable[str]) -> str | None:
    """The person whom the texts speak of most, as "the ..."; None where there is nobody."""
    persons = words("person")
    seen: Counter[str] = Counter()
    for text in texts:
        tokens = [token.lower() for token in _TOKEN.findall(text)]
        for word, following in zip(tokens, [*tokens[1:], ""], strict=False):
            single = word if word in persons else word.removesuffix("s")
            if single in persons and _acts(following):
                seen[single] += 1
    if not seen:
        return None
    # "user" is what a text says when it does not know; a named role is worth more.
    seen["user"] = seen["user"] // 3
    return f"the {seen.most_common(1)[0][0]}"


def _acts(following: str) -> bool:
    """True where the word after a person shows that the person is meant: not "patient record"."""
    if not following[:1].isalpha():
        return True
    plain = following[:-3] + "y" if following.endswith("ies") else following.removesuffix("s")
    known = words("verb") | words("bound") | words("adverb") | words("participle") | words("determiner")
    return following in known or plain in words("verb") or following.endswith(("ed", "ly"))


def camel(thing: str) -> str | None:
    """A noun phrase as the name of a type; None where it has no plain letters."""
    parts = re.findall(r"[A-Za-z]+", thing.removeprefix("the "))
    return "".join(part[:1].upper() + part[1:].lower() for part in parts) or None


def without_address(message: str, names: Iterable[str]) -> str:
    """A message without the fillers and the name with which it begins."""
    return _unaddressed(message, (*names, *_GROUP))


@lru_cache(maxsize=512)
def _unaddressed(message: str, names: tuple[str, ...]) -> str:
    text = _ADDRESS.sub("", message.strip())
    for name in names:
        text = re.sub(rf"^{re.escape(name)}\b\s*[,:]\s*", "", text, flags=re.IGNORECASE)
        text = re.sub(rf",\s*{re.escape(name)}(?=[?.!]?\s*$)", "", text, flags=re.IGNORECASE)
    return _ADDRESS.sub("", text).strip()


def is_question(sentence: str) -> bool:
    """True where a sentence asks; "what a ..." exclaims, and what ends in a full stop states something."""
    if words_of(sentence)[:2] in (("what", "a"), ("what", "an")) and "?" not in sentence:
        return False
    end = sentence.rstrip("\"')* ")
    if end.endswith(("?", "？")):
        return True
    return not end.endswith((".", ":")) and words_of(sentence)[:1] in (
        ("what",), ("how",), ("why",), ("when",), ("where",), ("who",), ("which",),
    )  # fmt: skip


def message_sentences(message: str) -> list[str]:
    """The sentences of a message."""
    lines = (plain_line(line) for line in message[:4_000].split("\n"))
    return [piece for line in lines if line for piece in split(line)]


def subject(message: str, names: Iterable[str] = ()) -> str:
    """What a message is about: a noun phrase where it is certain, else its own words between quotes."""
    pieces = [without_address(piece, names) for piece in message_sentences(message)]
    pieces = [piece for piece in pieces if content(piece)] or [piece for piece in pieces if piece] or ["that"]
    chosen = next((piece for piece in pieces if is_question(piece)), pieces[0])
    chosen = re.sub(r"^(?:let['’]?s|please)\s+(?=\w+ \w)", "", chosen, flags=re.IGNORECASE)
    asked = _ABOUT.match(chosen)
    if asked:
        rest = asked["thing"] or asked["other"]
        found = noun_phrase(rest)
        if found and len(content(found)) == len(content(rest)):
            return found
        if content(rest):
            return f'"{quote(rest, _LONGEST_SUBJECT)}"'
    return f'"{quote(chosen, _LONGEST_SUBJECT)}"'


def pasted(text: str) -> tuple[str, str]:
    """How many lines were pasted, and the one that tells most: the first that speaks of trouble."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    telling = next((line for line in lines if _TROUBLE.search(line)), lines[0] if lines else text)
    return f"{len(lines)} lines", quote(telling, 90)
