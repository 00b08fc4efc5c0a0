"""Finding: the sentence of the item, the documents or an earlier turn that answers a question, or none.

A wrong find is worse than none: it has to hold most of what the question names and the kind of thing asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log

from .claims import amounts
from .lexicon import words
from .phrases import content, is_question, quote
from .reading import Reading, Sentence

_ENOUGH = 0.65
_NEAR = 0.45
_RARE = 2
_FEWEST = 2
_SHARE = 8
_BESIDE = 0.5
_CLOSE = 3.3
"""What the words that a line shares with a question weigh at least, where it is called near to it."""
_FEWEST_WORDS = 5
_REASON = re.compile(
    r"\b(?:because|since|so that|otherwise|due to|in order to|as (?:the|we|they|it)|the reason|that's why)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:\d{1,2}[:.]\d{2}|\d{1,2} ?(?:am|pm)|o'clock|morning|evening|night|noon|midnight|monday|tuesday"
    r"|wednesday"
    r"|thursday|friday|saturday|sunday|daily|weekly|nightly|hourly|every \w+|within|after|before|until"
    r"|as soon as"
    r"|when|once)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:long|soon|late|early|often|fast|quickly|recent|old)\b", re.IGNORECASE)
_SPAN = re.compile(
    r"\b(?:\d[\d.,]*|half|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty"
    r"|sixty|a|an|every|per)"
    r"[ -]?(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|ms|s)\b|\btwice\b|\bonce a\b",
    re.IGNORECASE,
)


_PART = re.compile(r"(?<=[,;:])\s+|\s[–—-]\s")


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence, how much of the question it holds, and whether it holds the kind of thing asked for."""

    sentence: Sentence
    share: float
    fits: bool

    @property
    def answers(self) -> bool:
        return self.fits and self.share >= _ENOUGH


def find(
    reading: Reading, question: str, kind: str, told: tuple[Sentence, ...] = (), *, least: float = _NEAR
) -> tuple[Found, ...]:
    """The sentences that hold most of what a question names, the best first."""
    named_there = tuple(dict.fromkeys(content(question)))
    asked = tuple(stem for stem in named_there if stem not in light())
    # Of a short question every word counts.
    asked = asked if len(asked) >= _FEWEST else named_there
    known = [(each, frozenset(content(each.text))) for each in (*told, *reading.sentences)]
    counts = {stem: sum(stem in stems for _, stems in known) for stem in asked}
    weights = _weights(counts, len(known))
    total = sum(weights.values())
    if len(asked) < _FEWEST or not total:
        return ()
    found = []
    for place, (sentence, stems) in enumerate(known):
        shared = stems & weights.keys()
        share = sum(weights[stem] for stem in shared) / total
        if len(shared) < _FEWEST or share < least or is_question(sentence.text):
            continue
        if len(stems) > len(shared) and any(counts[stem] <= _RARE for stem in shared):
            found.append((-share, place, Found(sentence, share, fits(sentence.text, question, kind))))
    return tuple(each for _, _, each in sorted(found, key=lambda each: each[:2]))


@lru_cache(maxsize=1)
def light() -> frozenset[str]:
    """The stems that show nothing of what a text is about."""
    return frozenset(content(" ".join(words("common"))))


def fits(sentence: str, question: str, kind: str) -> bool:
    """True where a sentence holds the kind of thing that is asked for."""
    match kind:
        case "limit" | "measure":
            if _TIME.search(question):
                return bool(_SPAN.search(sentence))
            return bool(amounts(sentence))
        case "who":
            asked = set(content(question))
            return any(stem not in asked for stem in people(sentence))
        case "time":
            return bool(_MOMENT.search(sentence))
        case "why":
            return bool(_REASON.search(sentence))
        case _:
            return False


def people(sentence: str) -> tuple[str, ...]:
    """The stems of the words for persons in a sentence."""
    persons = words("person")
    return tuple(
        stem
        for word in re.findall(r"[A-Za-z]+", sentence.lower())
        if word in persons or word.removesuffix("s") in persons
        for stem in content(word)
    )


def _weights(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """How telling each stem of a question is; one that stands nowhere counts as much as the rarest."""
    return {stem: log(1 + (total + 1) / (1 + count)) for stem, count in counts.items()}


def telling(reading: Reading, text: str) -> frozenset[str]:
    """The stems of a text that are rare in what was read and stand there all the same."""
    most = max(_RARE, len(reading.indexed) // _SHARE)
    counts = {
        stem: sum(stem in stems for _, stems in reading.indexed) for stem in set(content(text)) - light()
    }
    return frozenset(
        stem for stem, count in counts.items() if 0 < count <= most and (len(stem) > 2 or stem.isdigit())
    )


def bears(sentence: str, rare: frozenset[str], others: frozenset[str] = frozenset()) -> float:
    """How much a sentence holds of a message, rare stems and others; 0 where it is too little."""
    stems = frozenset(content(sentence))
    shared, beside = rare & stems, others & stems
    return len(shared) + _BESIDE * len(beside) if shared and len(shared) + len(beside) >= _FEWEST else 0


def bearing(reading: Reading, text: str, *, claimed: bool = False) -> tuple[Sentence, ...]:
    """The sentences that bear on a message, those that share most with it first.

    What somebody claims bears on a line with one rare word of it and another; a question needs two rare ones.
    """
    rare = telling(reading, text)
    others = frozenset(content(text)) - light() - rare if claimed else frozenset()
    found = [
        (-bears(each.text, rare, others), place, each)
        for place, each in enumerate(reading.sentences)
        if bears(each.text, rare, others)
        and not is_question(each.text)
        and len(each.text.split()) >= _FEWEST_WORDS
    ]
    return tuple(each for *_, each in sorted(found, key=lambda one: one[:2]))


def nearest(reading: Reading, question: str) -> Sentence | None:
    """The sentence that holds most of what a question names; none where that is less than two words."""
    asked = frozenset(content(question)) - light()
    counts = {stem: sum(stem in stems for _, stems in reading.indexed) for stem in asked}
    weights = _weights(counts, len(reading.indexed))
    best: tuple[float, Sentence | None] = (_CLOSE, None)
    for sentence, stems in reading.indexed:
        shared = asked & stems
        held = sum(weights[stem] for stem in shared)
        if len(shared) >= _FEWEST and held > best[0] and not is_question(sentence.text):
            best = (held, sentence)
    return best[1]


def passage(sentence: str, asked: str, longest: int) -> str:
    """The part of a sentence that holds most of what is asked; empty where it holds less than two of it."""
    wanted = set(content(asked)) - light()
    whole = quote(sentence, longest)
    if len(whole) >= len(sentence.strip().rstrip(".!?")) and "..." not in whole:
        return whole
    parts = [part for part in _PART.split(sentence) if part.strip()]
    best = ("", 0)
    for start in range(len(parts)):
        for end in range(start + 1, len(parts) + 1):
            run = _between(sentence, parts[start], parts[end - 1])
            held = len(wanted.intersection(content(run)))
            if len(run) <= longest and held > best[1] and run.count('"') % 2 == 0:
                best = (run, held)
    return quote(best[0].strip(" ,;:–—-"), longest) if best[1] >= _FEWEST else ""


def _between(sentence: str, first: str, last: str) -> str:
    start = sentence.find(first)
    return sentence[start : sentence.find(last, start) + len(last)]
