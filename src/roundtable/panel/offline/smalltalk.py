"""Small talk: words from somebody's own life that have nothing to do with the item."""

from __future__ import annotations

import re
from functools import lru_cache

from ...core.words import words_of
from .lexicon import words
from .phrases import content

# Nobody comes to the table to talk of these, unless the item itself does.
_LIFE = frozenset(
    words_of(
        """
        knee knees shoulder tooth toothache migraine fever cough allergy pollen sneezing sneeze
        slept asleep nap sleepy hungover hungry starving thirsty ankle stomach pregnant baby newborn
        toddler insomnia ramen soup salad chocolate snack steak pasta curry tacos bakery croissant
        bagel pub smoke cigarette thunder thunderstorm earthquake hail foggy drizzle sunset rainbow
        wasp bee mosquito spider penalty stadium wimbledon playoffs superbowl jogging spotify
        youtube tiktok instagram spain italy france paris london berlin rome greece portugal lisbon
        croatia japan tokyo thailand flying flew suitcase passport camping tram metro subway parked
        motorway helicopter kindergarten toast stove yoghurt butter boiler popcorn haircut engaged
        attic vacuuming cafe divorce anniversary plumber drilling doorbell headset headphones chair
        shirt trousers sofa mattress lawn curtains mute webcam microphone congrats congratulations
        strike gossip bike bicycle puppy dishwater glasses hay canteen spilled stolen
        """
    )
)
_FEW = 2
# A figure, an hour or an opinion: somebody tells a fact of the matter.
_TELLS = re.compile(
    r"\d|\b(?:hours?|waited|waiting|by hand|gave up|i think|i believe|i doubt|i agree|not sure|helps"
    r"|trust me|believe me)\b",
    re.IGNORECASE,
)
_GONE = re.compile(r"(?:brb|afk|lol|ugh)\b", re.IGNORECASE)
_CHAT = re.compile(
    r"^(?:brb\b.*|afk|lol|haha+|wow|whoa|omg|ouch|oops|yay|hooray|congrats|congratulations|happy (?:new"
    r"|birthday|easter|holidays)|good (?:morning|night|evening))\b"
    r"|\b(?:one (?:sec|second|moment|minute) ?(?:please)?|back in (?:a|five|ten|two)\b.*)$"
    r"|\bbe right back\b|\bon (?:mute|camera)\b"
    r"|\bany (?:tips|recommendations?)\b|\bcan't wait\b|\bunbelievable\b|\bkilling me\b|\bis it (?:monday"
    r"|friday|weekend) yet\b"
    r"|\b(?:in here|over here)\b|\blet me (?:just )?(?:grab|get) a\b|\bwhat's the wifi\b"
    r"|\bhave to catch\b|\b(?:lost|forgot|found) my\b|\b(?:insane|devastated|driving me mad)\b"
    r"|\bcan you hear me\b|\b(?:five|ten|short|quick) (?:minute )?break\b|\bgotta\b|\bcheers\b"
    r"|^sorry\b|\bfire alarm\b|\bhave you tried the new\b|\b(?:next week|tomorrow|tonight) finally\b"
    r"|\blooks? ok on\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"^(?:by the way|btw|off[- ]topic|unrelated|random question|quick one|hey|guys|folks|anyway"
    r"|before i forget|completely different)\b"
    r"|\bby the way\b|^(?:did|does|has|is|are|can|could|do) (?:anyone|anybody|somebody|someone"
    r"|you guys)\b|^(?:any(?:one|body))\b"
    r"|\bis it just me\b|\bwhose turn\b|\blast night\b|\bthis (?:room|weekend|evening)\b|\bon (?:fri"
    r"|satur|sun)day\b|^who(?:'s| is| has| took| wants) (?:the|my|a|bringing|playing|parked)\b"
    r"|^who parked\b|\bi(?:'m| am) (?:hungry|tired|late|locked|off|starving|sick|moving|going)\b|\b(?:got"
    r"|have) to (?:go|leave|run|walk|pick up)\b|\bmy (?:new|back|last day)\b"
    r"|\b(?:my|your) (?:kid|dog|cat|wife|husband|son|daughter|mother|car|flat|plants|laptop|phone"
    r"|neighbou?r)\b|\byour favou?rite\b|\b(?:horrible|amazing|awesome|nightmare|terribly)\b"
    r"|\bdid you (?:see|watch|hear|feel)\b|\bare you (?:taking|coming|going)\b|\bturn the .* (?:down|up"
    r"|off)\b|^going (?:to|for)\b|\bi need a (?:new|coffee|break|haircut)\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?:by the way|btw|off[- ]topic|unrelated|random question|quick one|hey|before i forget)\b",
    re.IGNORECASE,
)
_SEEN = re.compile(r"\bdid you (?:see|watch|hear|feel)\b", re.IGNORECASE)
# Somebody speaks of himself or to another person.
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|me|myself|your|you|yours)\b|\bany(?:one|body)[!?]?$|\bhere!?$", re.IGNORECASE
)
# Points back at what was spoken of; "it is cold" points at nothing.
_POINTS = re.compile(
    r"\b(?:it|them)\b(?!'s| is| was| feels)|\b(?:that|this)\b(?=[.,!?]|$| (?:is|was|too|way|happened"
    r"|happens|would|could|one)\b)|\bthe same\b|\bsuch\b",
    re.IGNORECASE,
)
# The way people speak of the item, whatever its words are.
_AT_WORK = re.compile(
    r"\b(?:should|must|shall|needs? to|never|part of (?:this|it)|what if|what happens|what about|counts?"
    r"|costs? us|we (?:pay|had|have|need|use)|agreed"
    r"|let'?s go with|if (?:the|a|somebody|it|we)|because|everything|would|nobody|per|times a"
    r"|all the time|once)\b|\d+ (?:%|percent|euros?|gb|mb)",
    re.IGNORECASE,
)


def is_far_off(sentence: str, home: frozenset[str], *, addressed: bool = False) -> bool:
    """True for small talk: somebody's own life or its turns of phrase, and nothing of the item.

    Of what people say about an item one sentence in twelve shares no word with it, of small talk most do not.
    """
    if _GONE.match(sentence):
        return True
    telling = set(content(sentence)) - _light()
    shared = len(home & telling)
    life = [word for word in words_of(sentence) if _is_life(word) and home.isdisjoint(content(word))]
    chat, aside = bool(_CHAT.search(sentence)), bool(_ASIDE.search(sentence))
    personal, points = bool(_PERSONAL.search(sentence)), bool(_POINTS.search(sentence))
    working = (
        addressed
        or bool(_AT_WORK.search(sentence))
        or (not (life or chat or aside) and bool(_TELLS.search(sentence)))
    )
    if len(life) > 1 + shared and (personal or chat or aside):
        return True
    if _BEGINS.match(sentence) and shared < _FEW and not addressed:
        return True
    if shared:
        return shared == 1 and not (points or working) and (chat or (aside and bool(life)))
    if working:
        return bool(life) and aside
    if chat or life:
        return not points or chat or personal or aside
    return (
        bool(telling or aside) and (personal or aside) and (not points or _SEEN.search(sentence) is not None)
    )


def subject_word(sentence: str) -> str | None:
    """The word by which small talk was known."""
    return next((word for word in words_of(sentence) if _is_life(word)), None)


def _is_life(word: str) -> bool:
    return not _life().isdisjoint(content(word))


@lru_cache(maxsize=1)
def _life() -> frozenset[str]:
    return frozenset(content(" ".join(_LIFE | words("far_off"))))


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    return frozenset(content(" ".join(words("light"))))
