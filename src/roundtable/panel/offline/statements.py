"""Statements: what the user states, minds or decides is related to what it bears on, or simply kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...core.turns import USER, Turn
from .claims import Claim, can_follow_that, claim, told
from .decisions import deciding, points_back
from .finding import find, passage
from .memory import Made
from .phrases import content, quote
from .reading import attributed
from .speaking import Candidate, Floor

_LONGEST = 4_000
_LONGEST_LINE = 110
_LONGEST_CLAIM = 90
_CLOSE = 0.25
_SAME = 3
_LOOKS_BACK = re.compile(r"^(?:but\s+)?(?:then|that|this|so then|in that case|which means)\b", re.IGNORECASE)
_FOLLOWS = re.compile(r"(?:then|(?:that|which|this) (?:means|would mean))\b", re.IGNORECASE)
_WISHES = re.compile(r"you(?:'d| would| want| need)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"^no\b|\b(?:actually|instead|after all|scrap|forget (?:that|it)|changed? (?:my|our) mind|rather)\b",
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
    if said is None:
        return
    match said.kind:
        case "decision":
            yield from _decided(floor, turn, said)
        case "objection":
            yield from _minded(floor, turn, said)
        case _:
            yield from _stated(floor, turn, said)


def _decided(floor: Floor, turn: Turn, said: Claim) -> Iterator[Candidate]:
    values = {"claim": said.text}
    before = _last_decision(floor, turn)
    now = set(content(said.text))
    if before and _TAKES_BACK.search(turn.text) and len(now.intersection(content(before))) >= _SAME - 1:
        yield from floor.stock("decided-replaces", {**values, "before": before})
    for made, question in _open_before(floor, turn):
        settles = len(now.intersection(content(question))) >= _SAME
        if settles and made.speaker in floor.table.roster:
            known = {"name": whose(floor, made.speaker), "open": question}
            yield from floor.stock("decided-settles", {**values, **known})
    if said.rule:
        yield from floor.stock(f"decided-{said.rule}", values)
    yield from floor.stock("decided", values)


def _open_before(floor: Floor, turn: Turn) -> Iterator[tuple[Made, str]]:
    """The questions that points before a turn left open, the latest first."""
    for made in reversed(floor.made):
        question = made.question
        if question and made.turn < turn.number:
            yield made, question


def _minded(floor: Floor, turn: Turn, said: Claim) -> Iterator[Candidate]:
    values = _told(floor, said)
    before = _last_decision(floor, turn)
    if before and _LOOKS_BACK.match(turn.text.strip()):
        yield from floor.stock("objected-decision", {**values, "before": before})
    yield from _on_a_point(floor, turn, values)
    yield from _on_a_line(floor, said, "objected-line", values)
    # "I would rather not" is a wish; whatever else is minded is a price.
    yield from floor.stock("objected-wish" if values["claim"].startswith("you") else "objected", values)


def _stated(floor: Floor, turn: Turn, said: Claim) -> Iterator[Candidate]:
    values = _told(floor, said)
    before = _last_decision(floor, turn)
    if before and _FOLLOWS.match(turn.text.strip()):
        yield from floor.stock("objected-decision", {**values, "before": before})
    if _WISHES.match(values["claim"]):
        yield from floor.stock("objected-wish", values)
    yield from _on_a_line(floor, said, "stated-line", values)
    if (
        said.figure
        and said.figure in values["claim"]
        and said.figure.lower() not in floor.reading.whole.lower()
    ):
        yield from floor.stock("stated-figure", values)
    yield from floor.stock("stated", values)


def _told(floor: Floor, said: Claim) -> dict[str, str]:
    """What was said, to be said again: after a colon, and after "that" where it begins with its subject."""
    again = told(said.text, floor.reading.whole)
    return {"claim": again, "that": f"that {again}" if can_follow_that(again) else ""}


def _on_a_line(floor: Floor, said: Claim, use: str, values: dict[str, str]) -> Iterator[Candidate]:
    """What is said of the line that a statement shares most with."""
    for found in find(floor.reading, said.text, "", least=_CLOSE)[:1]:
        quoted = passage(found.sentence.text, said.text, _LONGEST_LINE)
        if quoted and quoted.lower() not in floor.heard:
            known = {"quote": quoted, "says": attributed(found.sentence, quoted)}
            yield from floor.stock(use, {**values, **known})


def _on_a_point(floor: Floor, turn: Turn, values: dict[str, str]) -> Iterator[Candidate]:
    """What is said of the point of a persona that an objection shares most with."""
    minds = set(content(turn.text[:_LONGEST]))
    for made in reversed(floor.made):
        about = set(content(f"{made.insight or ''} {made.question or ''} {made.phrase.handle}"))
        if len(minds & about) >= _SAME and made.speaker in floor.table.roster:
            known = {"name": whose(floor, made.speaker), "their": made.phrase.handle}
            yield from floor.stock("objected-point", {**values, **known})
            return


def _last_decision(floor: Floor, turn: Turn) -> str:
    """What the user decided last before a turn, in a few words; empty where nothing was decided."""
    for each in reversed(floor.table.turns[: turn.number - 1]):
        if each.speaker == USER and (each.verdict.decisions or deciding(each.text, floor.first_names)):
            said = claim(each.text[:_LONGEST], floor.first_names)
            return quote(said.text, _LONGEST_CLAIM) if said and said.kind == "decision" else ""
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
