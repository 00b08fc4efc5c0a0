"""Statements: what the user states, minds or decides is kept in their own words, next to what it bears on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...core.turns import USER, Turn
from .answering import replied, shaped
from .bridging import lined
from .claims import Claim, claim, unnamed
from .decisions import deciding, points_back
from .finding import bearing, passage
from .floor import Candidate, Floor
from .memory import Made
from .phrases import content
from .reading import attributed
from .shares import share

_LONGEST = 4_000
_SAME = 2
_MOST_LINES = 2
_MOST_WAYS = 8
_LONGEST_LINE = 110
_CAUSE = re.compile(
    r"\b(?:because|since (?!the \w+ies\b|\d|last\b|spring\b|summer\b|autumn\b|winter\b)|due to|all of them"
    r"|all of those|mostly|whenever|only (?:on|when|if|with))\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"^(?:but\s+|and\s+)?(?:then|in that case|(?:that|which|this) (?:means|would mean))\b", re.IGNORECASE
)
_TAKES_BACK = re.compile(
    r"^no[,:;.!]|\b(?:actually|instead|after all|scrap|forget (?:that|it)|changed? (?:my|our) mind|rather)\b",
    re.IGNORECASE,
)


def taken_up(floor: Floor, turn: Turn) -> Iterator[Candidate]:
    """What was stated, minded or decided, and the one thing that it certainly bears on."""
    proposed = meant(floor, turn)
    if proposed is not None:
        mine = f"{whose(floor, proposed.speaker)} {proposed.phrase.handle}"
        yield from floor.stock("do-that", {"claim": mine})
        return
    said = claim(turn.text[:_LONGEST], floor.first_names)
    if said is not None:
        yield from _kept(floor, turn, said)


def _kept(floor: Floor, turn: Turn, said: Claim) -> Iterator[Candidate]:
    values = {"claim": said.text}
    before = last_decision(floor, turn)
    match said.kind:
        case "decision":
            shared = set(content(said.text)).intersection(content(before))
            if before and _TAKES_BACK.search(turn.text) and len(shared) >= _SAME:
                yield from floor.stock("decided-replaces", {**values, "before": before})
            yield from replied(floor, [said.text], "decision", "opens-decided")
            yield from lined(floor, "decided", values, "bears", said.text)
        case "objection":
            if before and _FOLLOWS.match(turn.text.strip()):
                yield from floor.stock("objected-decision", {**values, "before": before})
            yield from replied(floor, [said.text], "told", "opens-objected")
            words = unnamed(turn.text[:_LONGEST], floor.first_names)
            yield from shaped(floor, words, said.text, "objection", "opens-objected")
            yield from lined(floor, "objected", values, "bears", said.text)
        case _:
            stated = share(said.text)
            # Where the cause is told with it, the share alone is not what it is about.
            if stated is not None and not _CAUSE.search(said.text):
                yield from floor.stock(f"share-{stated.size}", {**values, "share": stated.words})
            yield from replied(floor, [said.text], "told", "opens-told")
            yield from _changing(floor, said)
            yield from floor.stock("stated", values)


def _changing(floor: Floor, said: Claim) -> Iterator[Candidate]:
    """The answer of the step that a statement changes, where the two share what is rare here."""
    for sentence in bearing(floor.reading, said.text, claimed=True)[:_MOST_LINES]:
        quoted = passage(sentence.text, said.text, _LONGEST_LINE)
        if not quoted or not floor.may_quote(sentence):
            continue
        if sentence.origin == "section" and sentence.label:
            known = {"label": sentence.label, "quote": quoted}
            yield from floor.stock("changes", {"claim": said.text, **known})
        elif sentence.origin == "item":
            says = attributed(sentence, quoted)
            openings = [each.text for each in floor.stock("stated", {"claim": said.text})]
            yield from islice(floor.joined(openings, "bears", {"quote": quoted, "says": says}), _MOST_WAYS)


def last_decision(floor: Floor, turn: Turn) -> str:
    """What the user decided in the message before a turn; empty where that decided nothing."""
    for each in reversed(floor.table.turns[: turn.number - 1]):
        if each.speaker == USER and (each.verdict.decisions or deciding(each.text, floor.first_names)):
            said = claim(each.text[:_LONGEST], floor.first_names)
            return said.text if said and said.kind == "decision" else ""
    return ""


def meant(floor: Floor, turn: Turn) -> Made | None:
    """The point that a bare "do that" decides: the last one before it."""
    sentences = deciding(turn.text, floor.first_names)
    if not sentences or not all(points_back(each, floor.first_names) for each in sentences):
        return None
    return next((made for made in reversed(floor.made) if made.turn < turn.number), None)


def whose(floor: Floor, speaker: str) -> str:
    """Whose point it is, as the speaker says it."""
    mine = speaker == floor.brief.speaker.key
    return "my" if mine else f"{floor.table.roster[speaker].first_name}'s"
