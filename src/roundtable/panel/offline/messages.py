"""Messages: what a user's message in a discussion does, sentence by sentence, in the user's own words.

A sentence decides something by its form, and a question never does. That is measured on the samples in
`tests/samples`; the word lists are in `content/interview/words.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from ...core.hearing import asks_to_end, can_decide, find_taken_back, split_standing, strip_correction
from ...core.text import fold_text, split_sentences, word_set, words_of
from ...core.validation import is_unknown
from .lexicon import MAX_MESSAGE_LENGTH, drop_name, pattern, strip_address, telling_stems, word_list

PieceKind = Literal["question", "decision", "statement", "aside"]

_MAX_CLARIFYING_WORDS = 12
_FEW = 2
_PASTED_LINES = 20
_ANYBODY = word_set("you him her them both that this it")


class Piece(Struct, frozen=True):
    """What a message says in one breath, exactly as it was typed, and what that does."""

    kind: PieceKind
    text: str


class UserMessage(Struct, frozen=True):
    """A message of the user, understood as far as rules can."""

    text: str
    pieces: tuple[Piece, ...]
    keeps_open: bool = False
    settles_question: bool = False
    asks_to_clarify: bool = False
    objects: bool = False
    rejects_prompt: bool = False
    """Whether it says that a question does not fit."""

    def of_kind(self, *kinds: PieceKind) -> str:
        """Return all that the message says of some kinds, empty where there is nothing."""
        return " ".join(piece.text for piece in self.pieces if piece.kind in kinds)


@lru_cache(maxsize=256)
def read_message(text: str, names: tuple[str, ...] = ()) -> UserMessage:
    """Understand a message; `names` are the first names that may stand before it."""
    whole = text.strip()
    if whole.count("\n") > _PASTED_LINES or len(whole) > MAX_MESSAGE_LENGTH:
        return UserMessage(whole, (Piece("statement", whole),))
    plain = fold_text(strip_address(whole, names)).strip()
    decided = find_decisions(whole, names)
    pieces: list[Piece] = []
    for sentence in split_standing(whole):
        told = fold_text(strip_address(sentence, names))
        kind: PieceKind = "statement"
        calls_somebody = sentence.endswith("?") and not told
        is_aside = _is_aside(fold_text(drop_name(sentence, names)), names) or pattern("settled").match(told)
        if calls_somebody or is_aside:
            kind = "aside"
        elif sentence in decided:
            kind = "decision"
        elif is_question(told) and telling_stems(told):
            kind = "question"
        # Said in one breath: neighbouring statements, a decision and why, "Approved." and what is approved.
        last = pieces[-1] if pieces else Piece(kind, "")
        is_about_last = told.startswith("because ") or len(telling_stems(last.text)) < _FEW
        explains = last.kind == "decision" and kind == "statement" and is_about_last
        if pieces and (explains or kind == last.kind != "decision"):
            pieces[-1] = Piece(last.kind, f"{last.text} {sentence}")
        else:
            pieces.append(Piece(kind, sentence))
    is_plain = all(piece.kind in ("statement", "aside") for piece in pieces)
    is_open = is_unknown(drop_name(whole, names)) or pattern("kept_open").match(plain) is not None
    plainly = [fold_text(strip_address(sentence, names)) for sentence in split_sentences(whole)]
    rejects = any(pattern("rejected").match(each) for each in plainly)
    is_short = len(words_of(plain)) <= _MAX_CLARIFYING_WORDS
    return UserMessage(
        whole,
        () if is_noise(plain) else tuple(pieces),
        keeps_open=is_plain and is_open,
        settles_question=any(pattern("settled").match(each) for each in plainly),
        asks_to_clarify=is_short and pattern("clarify").search(plain) is not None,
        objects=is_plain and not (is_open or rejects) and pattern("objection").search(plain) is not None,
        rejects_prompt=rejects,
    )


def _is_aside(said: str, names: tuple[str, ...]) -> bool:
    """Whether a folded sentence only says something of a prompt, of a line that was shown, or of somebody."""
    if pattern("misfit").match(said) or pattern("rejected").match(said):
        return True
    side = pattern("sides").match(said)
    people = {*_ANYBODY, *map(fold_text, names)}
    return side is not None and people.issuperset(filter(None, side.groupdict().values()))


def is_noise(said: str) -> bool:
    """Whether folded words say nothing that could stand in a document: no word, a greeting, a key, an end."""
    says_nothing = pattern("noise").fullmatch(said.strip(" .!?,\n")) is not None
    return not words_of(said) or asks_to_end(said) or says_nothing


# --- decisions ------------------------------------------------------------------------------------------

_LEAD = re.compile(
    r"^(?:(?P<mark>no|so|then|ok|okay|right(?! now)|fine|good|alright|great|yes|therefore|in that case"
    r"|in the end|for now|sure)|and|well|but|please|now|also|oh|just|simply|at least)\b\s*[,.:!]?\s*",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:if|when|once|unless|until|as long as|as soon as|whenever|where|in case|should)\b"
    r"(?:[^,]{3,90},\s*(?:then\s+|please\s+|just\s+)*(?P<rest>.+))?",
    re.IGNORECASE | re.DOTALL,
)
# "RFC 9110 lets a server ignore it" has a subject before it, and is not "let's".
_LETS = re.compile(
    r"(?:\blet(?:'s| us)|^lets)\s+"
    r"(?:(?:just|then|also|rather|simply|please|not|all|first)\s+)*(?P<rest>\w+.*)",
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
    r"^we\s+(?P<no>do not\s+|don'?t\s+|never\s+)?"
    r"(?:(?:only|then|just|simply|always|still|also)\s+)*(?P<verb>\w+)",
    re.IGNORECASE,
)
# What "we" do is decided where it is held against something else or has a reason.
_WEIGHS = re.compile(
    r"(?:,| and) not (?!\w+ing\b)\w+|\binstead of\b|\brather than\b|, never\b"
    r"|,? because\b|, (?:since|so that)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"(?:never|always|don'?t|do not|rather|better|not)\s+(?:ever\s+|just\s+)?", re.IGNORECASE
)
_FINITE = word_set(
    "is are was were has have had will would can could should does did do may might must isn't aren't "
    "wasn't don't doesn't won't can't cannot that's it's came went took got made said gave knew lost "
    "broke fell"
)
_JOINS = ("", "of", "or", "and", "plus")


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with or without its mark."""
    words = sentence.rstrip("\"')* ")
    return words.endswith(("?", "？")) or pattern("openly").match(words) is not None


def find_decisions(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the sentences of a message that decide something; none where it is a pasted text."""
    if len(message) > MAX_MESSAGE_LENGTH:
        return ()
    known, standing = tuple(names), split_standing(message)
    decided = [each for each in split_sentences(message) if _is_decision(each, known)]
    taken = find_taken_back(message)
    instead = taken.instead if taken and taken.is_certain and not taken.is_remark else ()
    replaces = not set(standing).issuperset(decided)  # what stands instead of a decision is one
    return tuple(
        each
        for each in dict.fromkeys(standing)
        if each in (*decided, *instead) or (replaces and strip_correction(each) != each and can_decide(each))
    )


def _is_decision(piece: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence announces a decision, says "let's" or what "we" will do, or gives an order."""
    sentence = piece.replace("’", "'")
    told = strip_correction(sentence)
    concludes = told != sentence
    while lead := _LEAD.match(told):
        concludes = concludes or lead["mark"] is not None
        told = told[lead.end() :]
    told = strip_address(told, names)
    if is_question(sentence) or is_question(told) or not can_decide(sentence):
        return False
    if pattern("announced").search(sentence) or pattern("ended").search(told):
        return True
    if condition := _CONDITION.match(told):
        rest = condition["rest"] or ""
        return _is_proposal(rest) or _is_order(rest)
    return _is_proposal(told) or _is_resolution(told, concludes=concludes) or _is_order(told)


def _is_proposal(told: str) -> bool:
    """Whether a sentence says "let's" with anything but talk."""
    found = _LETS.search(told)
    if found is None or _MEANING.match(found["rest"]):
        return found is not None
    return words_of(found["rest"])[0] not in word_list("talk") and not pattern("only_talk").match(
        found["rest"]
    )


def _is_resolution(told: str, *, concludes: bool) -> bool:
    """Whether "we" or "I" take a side, announce what will be done, or draw a conclusion."""
    if pattern("resolved").search(told):
        return True
    for found in _WILL.finditer(told):
        verb = found["verb"].lower()
        promises = found["who"].lower() == "i" and verb in word_list("promise")
        if verb not in word_list("unwilled") and not promises:
            return True
    we = _WE.match(told)
    willed = word_list("act") | word_list("act_noun") | word_list("verb")
    if we is None or we["verb"].lower() not in willed - word_list("unwilled") - word_list("talk"):
        return False
    return concludes or we["no"] is not None or _WEIGHS.search(told) is not None


def _is_order(told: str) -> bool:
    """Whether words without address and fillers begin with a verb that orders something done to the item."""
    always = _ALWAYS.match(told)
    rest = told[always.end() :] if always else told
    verb, following, *_ = (*words_of(rest[:200]), "", "")
    is_code = re.match(r"\w+(?:\(|\.\w)", rest)  # "take() subtracts twice" says what the code does
    if is_code or verb in word_list("talk") or any(map(pattern("to_panel").match, (told, rest))):
        return False
    if verb == "have":
        return following in word_list("determiner") | {"it", "them"}
    if verb not in word_list("act") | word_list("act_noun"):
        return False
    if always or following in _FINITE or following in _JOINS:
        return bool(always and following)
    is_certain = verb not in word_list("act_noun") or following in word_list("determiner")
    return is_certain or not _has_verb(rest)


def _has_verb(rest: str) -> bool:
    """Whether the first clause holds a finite verb behind its first word, which then is its subject."""
    verbs = word_list("act") | word_list("verb") | word_list("unwilled")
    for before, word in pairwise(words_of(re.split(r"[,;:(]", rest)[0])):
        # "Arrives" is a verb with its ending; what can be a noun in the plural is none.
        stems = {word[:-1], word[:-2], word[:-3] + "y"} if word.endswith("s") else set[str]()
        is_third_person = not stems.isdisjoint(verbs - word_list("act_noun"))
        if word in _FINITE or is_third_person or (before.endswith("s") and word in verbs):
            return True
    return False
