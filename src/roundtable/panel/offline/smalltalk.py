"""Small talk: words from somebody's own life that have nothing to do with the item.

Each sign of form speaks for small talk or against it by a weight; the weights were fitted on the messages in
`tests/samples` (the half that is not kept back) and on the items of the evaluation, and rounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ...core.words import words_of
from .finding import light
from .lexicon import sign, words
from .phrases import content, without_address
from .utterances import asks
from .weighing import far_weights

_GONE = re.compile(
    r"^(?:brb|afk|lol|ugh)\b|\bwrong (?:window|chat|channel|tab)\b|\bmeant for (?:another"
    r"|a different) (?:chat|channel)\b",
    re.IGNORECASE,
)
# Where somebody is, whether they can be heard, what there is to eat and when: by form, whatever the words.
_ASIDE = re.compile(
    r"\b(?:i'?m|i am|we'?re|we are) (?:still |just |back )?(?:on|in|at) (?:the|a|my) (?:train|ferry|bus|plane"
    r"|tram|car|boat|airport|station|kitchen|garden|balcony|hospital|dentist|doctor'?s?|gym|beach)\b"
    r"|\b(?:my|the) (?:connection|wifi|wi-fi|internet|signal|mic|microphone|headset|camera|battery)"
    r" (?:here )?(?:is|keeps|was|just|went|died|drops?)\b"
    r"|\bif i (?:drop out|disappear|freeze|get cut off|don'?t answer)\b"
    r"|\bi can'?t hear (?:anything|you|anyone|a thing)\b"
    r"|\bwho(?:'s| is)? (?:brings?|bringing|orders?|ordering|gets?|fetch(?:es)?) (?:the )?(?:\w+ )?"
    r"(?:snacks?|lunch|pizza|cake|coffee|drinks?|beer|food|breakfast)\b"
    r"|^(?:sorry,? |oh,? |ugh,? )?my (?:neighbou?rs?|landlord|kids?|dog|cat|husband"
    r"|wife|mum|mom|back|knee|head|tooth|chair) (?:is|are|has|have|just|hurts?|keeps?)\b"
    r"|\b(?:back|be back|return) in (?:\d+|ten|five|twenty|a few|a)(?: min\w*| sec\w*| moment)?$"
    r"|\b(?:no heating|no hot water|power cut|fire drill|the doorbell|so (?:hot|cold) in here)\b"
    r"|\b(?:any(?:one|body)|some(?:one|body)) (?:else )?(?:have|has|got|know) .*\b(?:spare|canteen"
    r"|heating|lying about|parking|umbrella|charger)\b|\bis the canteen\b"
    r"|\b(?:canteen|cafeteria) (?:is )?open\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d|\b(?:hundred|thousand|half|twice|thirty|twenty|dozen)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\b(?:is|are|was|were|am|it's|i|i'm|we|we're|you|you're|he|she|they|can|did|do|does|has|have"
    r"|will|just|need|got|got"
    r"|wants?|says|hurts?)\b",
    re.IGNORECASE,
)
_TOLD_BY_ME = re.compile(
    r"(?:i|we) (?!am\b|was\b|need\b|have\b|think\b|should\b|just\b|could\b|lost\b|won\b|love\b|got\b"
    r"|burnt\b)\w+\b",
    re.IGNORECASE,
)
_FITTING = tuple(
    (re.compile(question, re.IGNORECASE), re.compile(answer, re.IGNORECASE))
    for question, answer in (
        (
            r"\bwho(?:m|se)?\b",
            r"^(?:my|the|our|mrs?|whoever|nobody|everybody|mostly|usually|probably|only|just)\b",
        ),
        (
            r"\b(?:when|how (?:often|long|soon|late))\b",
            r"\b(?:\w+day|morning|evening|night|noon|hours?|minutes?|weeks?|months?"
            r"|years?|times?|always|never|christmas|easter|every|before|after|break)\b",
        ),
        (
            r"\b(?:how (?:many|much)|cost)\b",
            r"\d|\b(?:about|roughly|maybe|half|price|a lot|none|most|few|a \w+ a \w+)\b",
        ),
        (r"\bwhere\b", r"^(?:at|in|on|under|behind|near|by|next to|anywhere|everywhere|outside)\b"),
    )
)
_SIGNS = (
    "begins", "chat", "round", "day", "state", "yours", "mine", "at_work",
    "points", "personal", "spoken_to", "others", "judges",
)  # fmt: skip
_PASSING = frozenset({"begins", "chat", "round", "state", "yours", "judges"})
_FEW = 2
_SHORT = 5
_SURE = 1.5
_TOLD, _WORDS, _SOUNDS = 4.0, 0.35, -0.5
"""How much has to be told in words of small talk, what these count beside the form, and from where on."""

WEIGHTS = {
    "": -1.4,
    "addressed": -0.4,
    "answers": -1.0,
    "at_work": -1.6,
    "begins": 0.9,
    "chat": 3.3,
    "day": 1.7,
    "desk": -0.6,
    "empty": 0.1,
    "everyday": 0.3,
    "figure": -0.4,
    "fits": -0.5,
    "judges": 0.7,
    "life 0": -1.9,
    "life 1": 0.5,
    "life 2": 1.2,
    "mine": 0.7,
    "others": -1.1,
    "own life": 0.5,
    "personal": 0.5,
    "points": -0.7,
    "points only": -0.7,
    "round": 1.4,
    "shared 0": 1.3,
    "shared 1": -0.5,
    "shared 2": -0.9,
    "short": 0.6,
    "spoken_to": 0.8,
    "state": 1.6,
    "tells": -0.5,
    "yours": 0.9,
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a sentence is held against: the stems at home, and the question just put to its speaker."""

    home: frozenset[str]
    asked: str = ""
    addressed: bool = False


def is_far_off(sentence: str, around: Surroundings, *, surely: bool = False) -> bool:
    """True for small talk: somebody's own life or its turns of phrase, and nothing of the item."""
    if _GONE.search(sentence) or _is_aside(sentence, around):
        return True
    weight = sum(WEIGHTS.get(name, 0.0) for name in traits(sentence, around))
    return weight > (_SURE if surely else 0)


def sounds_far_off(message: str, around: Surroundings, names: tuple[str, ...]) -> bool:
    """True where the words of a message are those of small talk, and its form does not speak against it."""
    plain = without_address(message, names)
    if len(content(plain)) < _FEW:
        # "What do you think?" speaks of nothing at all.
        return False
    told, against = far_weights(message, around.home, names)
    form = sum(WEIGHTS.get(name, 0.0) for name in traits(plain, around))
    # Whoever was just asked may answer with anything out of their life; who calls somebody by name means it.
    wanted = _SURE if around.asked or around.addressed else _SOUNDS
    return told > _TOLD and form + _WORDS * (told + against) > wanted


def _is_aside(sentence: str, around: Surroundings) -> bool:
    """True for an aside whose own words, those by which it is known, are foreign to the item."""
    found = _ASIDE.search(sentence.replace("’", "'"))
    telling = set(content(sentence)) - _stems("light") - light()
    known = set(content(found.group())) - _stems("light") if found else set()
    return found is not None and not known & around.home and len(telling & around.home) < _FEW


def traits(sentence: str, around: Surroundings) -> Iterator[str]:
    """The signs that a sentence shows, for small talk and against it."""
    low = words_of(sentence)
    telling = set(content(sentence)) - _stems("light")
    shared = len(around.home & telling)
    life = {word for word in low if _is(word, "far_off") and around.home.isdisjoint(content(word))}
    kin = {word for word in low if _is(word, "kin") and around.home.isdisjoint(content(word))}
    yield ""
    yield f"shared {min(shared, _FEW)}"
    yield f"life {min(len(life | kin), _FEW)}"
    if any(_is(word, "everyday") and around.home.isdisjoint(content(word)) for word in low):
        yield "everyday"
    if any(_is(word, "desk") for word in low):
        yield "desk"
    shown = [name for name in _SIGNS if sign(name).search(sentence)]
    yield from shown
    if (life or kin) and "personal" in shown:
        yield "own life"
    if "points" in shown and not life:
        yield "points only"
    if _FIGURE.search(sentence):
        yield "figure"
    if asks(sentence):
        yield "asks"
    if len(low) <= _SHORT:
        yield "short"
    if not telling:
        yield "empty"
    if around.addressed:
        yield "addressed"
    if around.asked and _PASSING.isdisjoint(shown) and not asks(sentence):
        yield from _answers(sentence, around.asked)


def _answers(sentence: str, asked: str) -> Iterator[str]:
    """How words take up the question that was just put: elliptic, by what was asked for, as told by "you"."""
    if not _CLAUSE.search(re.split(r"[,.;]", sentence, maxsplit=1)[0]):
        yield "answers"
    if any(question.search(asked) and answer.search(sentence) for question, answer in _FITTING):
        yield "fits"
    if "you" in words_of(asked) and _TOLD_BY_ME.match(sentence):
        yield "tells"


def subject_word(sentence: str) -> str | None:
    """The word by which small talk was known."""
    return next((word for word in words_of(sentence) if _is(word, "far_off") or _is(word, "kin")), None)


def _is(word: str, kind: str) -> bool:
    return not _stems(kind).isdisjoint(content(word))


@lru_cache(maxsize=8)
def _stems(kind: str) -> frozenset[str]:
    return frozenset(content(" ".join(words(kind))))
