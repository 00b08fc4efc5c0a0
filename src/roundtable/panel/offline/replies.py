"""Replies: what the user's words call for, from the speaker's probes, the item's own words, or honesty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...core.turns import USER, Turn
from ...core.words import words_of
from .decisions import deciding, points_back
from .lexicon import words
from .memory import Made, still_open
from .phrases import actor, content, figures, is_question, message_sentences, quote, without_address
from .reading import Hit, Sentence, attributed, hits, language
from .speaking import Candidate, Floor, next_points, points

_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|often|big|large|fast|far)\b|\bwhat (?:number|figure|size|limit)\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:error|exception|fatal|failed|failure|panic|traceback|denied|refused|timeout)\b", re.IGNORECASE
)
_EACH = re.compile(
    r"\b(?P<one>\d{1,6}) [a-z]+s\b[^.\d]{0,40}?(?P<most>\b(?:up to|at most) )?\b(?P<other>\d{1,6}) "
    r"(?P<what>[a-z]+s) "
    r"(?P<per>(?:a|an|per|each|every) (?:second|minute|hour|day|night|week|month|year|shift))\b"
)
_OPEN_TO_ALL = re.compile(
    r"\bwhat (?:do|would) (?:you|we)(?: all)? (?:think|say)\s*[?.!]*$|\b(?:what|anything) else\s*[?.!]*$"
    r"|\bwhat (?:is|are we|do we|did we) (?:missing|miss|forget)\s*[?.!]*$",
    re.IGNORECASE,
)
_WHY = re.compile(r"\bwhy\b|\bhow (?:so|come)\b|\bwhat do you mean\b", re.IGNORECASE)
_MANY_LINES = 40
_LONGEST = 4_000
_FEW = 2


@dataclass(frozen=True, slots=True)
class Message:
    """What kind of thing the user said."""

    turn: Turn
    asks: bool
    decides: bool
    pasted: bool
    little: bool
    """Assent, thanks, a sound: nothing to take up."""
    why: bool
    """A bare question for the reason of what was said."""
    upset: bool
    """Short words of displeasure at the discussion itself."""

    @classmethod
    def of(cls, turn: Turn, names: tuple[str, ...]) -> Message:
        text = turn.text[:_LONGEST]
        pieces = message_sentences(text)
        asks = any(is_question(piece) for piece in pieces)
        decides = bool(turn.verdict.decisions) or bool(deciding(text, names))
        assents = words("assent").issuperset(words_of(text))
        told = content(without_address(text, names))
        return cls(
            turn=turn,
            asks=asks,
            decides=decides,
            pasted=turn.text.count("\n") >= _MANY_LINES,
            little=not decides and (bool(_OPEN_TO_ALL.search(text)) or assents or not (told or asks)),
            why=asks and not told and bool(_WHY.search(text)),
            upset=not words("upset").isdisjoint(told) and len(set(told) - words("upset")) < _FEW,
        )


def answer(floor: Floor) -> Iterator[Candidate]:
    """What the answering persona may say, the most fitting first."""
    turn = floor.answered
    if turn is None:
        yield from next_points(floor)
        return
    message = Message.of(turn, floor.first_names)
    if message.why:
        yield from _explained(floor)
    if message.little or message.why:
        yield from next_points(floor)
        return
    for candidate in _answers(floor, message):
        if takes_up(candidate.text, turn.text, floor.first_names) or _meant(floor, turn):
            yield candidate
    for candidate in next_points(floor):
        yield Candidate(f"On {floor.base['subject']}: {_small(candidate.text)}", candidate.opposes)
        yield candidate


def follow(floor: Floor) -> Iterator[Candidate]:
    """What somebody else may add: only a probe that the user's own words call for, and only one of them."""
    turn = floor.answered
    if turn is None:
        return
    message = Message.of(turn, floor.first_names)
    since = [each for each in floor.table.turns[turn.number :] if each.speaker != USER]
    if message.little or message.pasted or len(since) > 1:
        return
    for candidate in points(floor, _called(floor, turn)):
        if takes_up(candidate.text, turn.text, floor.first_names):
            yield candidate


def takes_up(text: str, message: str, names: Iterable[str] = ()) -> bool:
    """True where a reply speaks of what the message speaks of, apart from whom it addresses."""
    told = set(content(message[:_LONGEST])) - set(content(" ".join(names)))
    return not told or not told.isdisjoint(content(text))


def _explained(floor: Floor) -> Iterator[Candidate]:
    """What the speaker's last point rests on, for a bare "why?"."""
    own = [made for made in floor.made if made.speaker == floor.brief.speaker.key and made.values.get("says")]
    if own:
        yield from floor.stock("why", {"says": own[-1].values["says"], "handle": own[-1].phrase.handle})


def _answers(floor: Floor, message: Message) -> Iterator[Candidate]:
    turn = message.turn
    if message.pasted:
        yield from floor.stock("pasted", _pasted(turn.text))
        return
    if message.upset and not message.decides:
        yield from floor.stock("upset")
    if language(turn.text[:_LONGEST]) == "foreign":
        if any("offline panel" in each.text for each in floor.earlier):
            yield from _quoted(floor, turn)
        yield from floor.stock("foreign")
        return
    if message.asks and _HOW_MANY.search(turn.text[:_LONGEST]):
        yield from _counted(floor, turn)
    if message.decides and not message.asks:
        yield from _after_decision(floor, turn)
    yield from points(floor, _called(floor, turn))
    if message.asks:
        yield from _looked_up(floor, turn)
    else:
        yield from floor.stock("stated")


def _called(floor: Floor, turn: Turn) -> tuple[Hit, ...]:
    """The speaker's probes that the user's words call for, then those on sentences that they speak of."""
    key = floor.brief.speaker.key
    pieces = tuple(
        Sentence(without_address(piece, floor.first_names), "user") for piece in message_sentences(turn.text)
    )
    from_words = tuple(hit for hit in hits(floor.reading, floor.library, key, pieces) if hit.probe.calls_for)
    asked = set(content(turn.text[:_LONGEST]))
    named = {hit.probe.id for hit in from_words}
    related = tuple(
        hit
        for hit in hits(floor.reading, floor.library, key)
        if hit.probe.id not in named
        and len(asked & set(content(hit.sentence.text))) > (0 if floor.focus in hit.probe.topics else 1)
    )
    return (*from_words, *related)


def _counted(floor: Floor, turn: Turn) -> Iterator[Candidate]:
    """An answer with the item's own figures; that there is none, where there is none."""
    own = set(content(turn.text[:_LONGEST]))
    asked = own | set(content(floor.table.focus_question))
    counted = [each for each in floor.reading.sentences if figures(each.text)]
    counted = [each for each in counted if asked & set(content(each.text))] or [
        each for each in floor.reading.about(turn.text) if figures(each.text)
    ]
    counted.sort(key=lambda each: -len(asked & set(content(each.text))))
    for sentence in counted[:3]:
        quoted = quote(sentence.text)
        given = sorted(figures(quoted), key=lambda each: own.isdisjoint(content(each)))
        given = [each for each in (product(quoted, own), *given) if each and re.search(r"[^\W\d]|%", each)]
        if given:
            values = {"quote": quoted, "says": attributed(sentence, quoted), "figure": given[0]}
            yield from floor.stock("figure", values)
    if not counted:
        yield from floor.stock("no-figure")


def product(sentence: str, asked: set[str]) -> str | None:
    """What "60 inspectors fill in up to 8 forms a day" comes to, where it is asked for the forms."""
    found = _EACH.search(sentence)
    if found is None or asked.isdisjoint(content(found["what"])):
        return None
    one, other = int(found["one"]), int(found["other"])
    most = " at most" if found["most"] else ""
    return f"{one * other} {found['what']} {found['per']}{most} ({one} times {other})"


def _after_decision(floor: Floor, turn: Turn) -> Iterator[Candidate]:
    """The decision by its content, and what is still open besides it."""
    values: dict[str, str] = {}
    proposed = _meant(floor, turn)
    if proposed is not None:
        values["subject"] = f"{_whose(floor, proposed.speaker)} {proposed.phrase.handle}"
    for made, question in still_open(floor.made, floor.table):
        heard = question.lower() in floor.heard
        if made.speaker in floor.table.roster and made != proposed and not heard:
            known = {"name": _whose(floor, made.speaker), "open": _small(question)}
            yield from floor.stock("decided-open", values | known)
    yield from floor.stock("decided", values)


def _meant(floor: Floor, turn: Turn) -> Made | None:
    """The point that a bare "do that" decides: the last one before it."""
    sentences = deciding(turn.text, floor.first_names)
    if not sentences or not all(points_back(each, floor.first_names) for each in sentences):
        return None
    return next((made for made in reversed(floor.made) if made.turn < turn.number), None)


def _whose(floor: Floor, speaker: str) -> str:
    mine = speaker == floor.brief.speaker.key
    return "my" if mine else f"{floor.table.roster[speaker].first_name}'s"


def _looked_up(floor: Floor, turn: Turn) -> Iterator[Candidate]:
    found = (*_told_before(floor, turn), *floor.reading.about(turn.text)[:4])
    if not found and re.search(r"\bwho(?:m|se)?\b", turn.text, re.IGNORECASE):
        found = tuple(each for each in floor.reading.sentences if actor([each.text]))[:2]
    yield from _quoted(floor, turn, found or floor.reading.coded(turn.text))
    yield from floor.stock("absent")


def _quoted(floor: Floor, turn: Turn, found: tuple[Sentence, ...] | None = None) -> Iterator[Candidate]:
    """An answer with what is written on the subject."""
    for sentence in floor.reading.about(turn.text)[:4] if found is None else found:
        quoted = quote(sentence.text)
        yield from floor.stock("found", {"quote": quoted, "says": attributed(sentence, quoted)})


def _told_before(floor: Floor, turn: Turn) -> list[Sentence]:
    """What the user said earlier about the same thing, the closest first."""
    asked = set(content(turn.text[:_LONGEST]))
    told = [
        Sentence(without_address(piece, floor.first_names), "user")
        for each in floor.table.turns[: turn.number - 1]
        if each.speaker == USER
        for piece in message_sentences(each.text)
        if not is_question(piece) and len(asked & set(content(piece))) > 1
    ]
    return sorted(told, key=lambda each: -len(asked & set(content(each.text))))[:2]


def _pasted(text: str) -> dict[str, str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    telling = next((line for line in lines if _TROUBLE.search(line)), lines[0] if lines else text)
    return {"figure": f"{len(lines)} lines", "quote": quote(telling, 90)}


def _small(text: str) -> str:
    """The text to stand inside a sentence: a capital that only began a sentence goes."""
    first = re.match(r"[A-Z][a-z]+\b", text)
    common = first and first.group().lower() in words("opener")
    return text[0].lower() + text[1:] if common else text
