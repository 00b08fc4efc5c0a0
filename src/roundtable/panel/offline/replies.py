"""Replies: what the user's words call for, by what they are; short and honest where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ...core.turns import USER, Turn
from ...core.words import words_of
from .asking import Asked, acts, asked, compares
from .calling import Hit, hits
from .claims import amounts, claim
from .counting import figure_line, products
from .decisions import deciding
from .finding import Found, counted, find, named, passage
from .lexicon import words
from .phrases import content, pasted, quote, without_address
from .reading import Sentence, attributed, language
from .speaking import Candidate, Floor, next_points, points
from .statements import meant, taken_up
from .utterances import asks, utterances

_OPEN_TO_ALL = re.compile(
    r"\bwhat (?:do|would) (?:you|we)(?: all)? (?:think|say)\s*[?.!]*$|\b(?:what|anything) else\s*[?.!]*$"
    r"|\bwhat (?:is|are we|do we|did we) (?:missing|miss|forget)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:and |so )?what(?:'s| is)? (?:next|now)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:(?:and|so)(?: what| then| now)?|go on)\s*[?.!]*$",
    re.IGNORECASE,
)
_WHY = re.compile(r"\bwhy\b|\bhow (?:so|come)\b|\bwhat do you mean\b", re.IGNORECASE)
_LEADS = {"solutions-architect": "on", "system-designer": "about"}
_TESTED = re.compile(r"\b(?:tests?|catch|verify|prove)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\bbefore\b|\babout to\b", re.IGNORECASE)
_MANY_LINES = 40
_LONGEST = 4_000
_FEW = 2
_MOST_PROBES = 3
_LONGEST_FOUND = 110
_LEAST_TOLD = 3
_SURE = 0.6


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
        asking = any(asks(piece) for piece in utterances(text))
        decides = bool(turn.verdict.decisions) or bool(deciding(text, names))
        assents = words("assent").issuperset(words_of(text))
        told = content(without_address(text, names))
        return cls(
            turn=turn,
            asks=asking,
            decides=decides,
            pasted=turn.text.count("\n") >= _MANY_LINES,
            little=not decides and (bool(_OPEN_TO_ALL.search(text)) or assents or not (told or asking)),
            why=asking and not told and bool(_WHY.search(text)),
            upset=not _upset().isdisjoint(told) and len(set(told) - _upset()) < _FEW,
        )


@lru_cache(maxsize=1)
def _upset() -> frozenset[str]:
    return frozenset(content(" ".join(words("upset"))))


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
        if takes_up(candidate.text, turn.text, floor.first_names) or meant(floor, turn):
            yield candidate
    yield from floor.stock("plain", {"when": f"as to {floor.base['subject']}"})


def follow(floor: Floor) -> Iterator[Candidate]:
    """What somebody else may add: only a probe that the user's own words call for, and only one of them."""
    turn = floor.answered
    if turn is None:
        return
    message = Message.of(turn, floor.first_names)
    since = [each for each in floor.table.turns[turn.number :] if each.speaker != USER]
    if message.little or message.pasted or len(since) > 1:
        return
    for candidate in points(floor, _asked_for(floor, turn)):
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
        count, telling = pasted(turn.text)
        yield from floor.stock("pasted", {"figure": count, "quote": telling})
        return
    if message.upset and not message.decides:
        yield from floor.stock("upset")
    if language(turn.text[:_LONGEST]) == "foreign":
        known = any("offline panel" in each.text for each in floor.earlier)
        yield from (each for each in floor.stock("foreign") if not (known and "offline panel" in each.text))
        return
    if message.decides or not message.asks:
        yield from taken_up(floor, turn)
    if message.asks and not message.decides:
        yield from _answered(floor, turn, _asked(floor, turn))


# --- questions ------------------------------------------------------------------------------------------


def _asked(floor: Floor, turn: Turn) -> Asked:
    pieces = [without_address(piece, floor.first_names) for piece in utterances(turn.text)]
    return asked(next(piece for piece in pieces if asks(piece)))


def _answered(floor: Floor, turn: Turn, question: Asked) -> Iterator[Candidate]:
    """What is written where it answers; else what the discipline would do, and the line that bears on it."""
    values = {"when": _led(floor, question.when), "who": question.who}
    told = _told_before(floor, turn)
    yield from _written(floor, question, told, values)
    if question.choice is not None:
        values |= {"one": question.choice.one, "other": question.choice.other}
    near = _near(floor, question, told)
    for use in _uses(question):
        for candidate in floor.stock(use, values):
            if near:
                yield replace(candidate, text=f"{candidate.text} {near}")
            yield candidate


def _led(floor: Floor, when: str) -> str:
    """The beginning of an answer, each persona with a word of its own for "as to"."""
    lead = _LEADS.get(floor.brief.speaker.key, "as to")
    return f"{lead}{when.removeprefix('as to')}" if when.startswith("as to") else when


def _uses(question: Asked) -> tuple[str, ...]:
    """The lines that fit a question, the most special first."""
    match question.kind:
        case "case":
            kind = question.case.kind if question.case else "plain"
            own = ("case-who",) if question.who and kind in ("plain", "outage") else ()
            return (*own, f"case-{kind}", "case-plain")
        case "choice" if question.choice and question.choice.keeps:
            return ("choice-keep", "choice")
        case "choice" if question.choice and question.choice.one:
            own = ("choice-who",) if compares(question.words) else ()
            return (*own, "choice", "choice-plain")
        case "choice":
            return ("choice-plain",)
        case "who":
            return ("who-acts" if acts(question.words) else "who-none", "plain")
        case "why":
            return ("no-reason", "plain")
        case "see" if _BEFORE.search(question.words):
            return ("see-before", "see", "plain")
        case "sign" if _TESTED.search(question.words):
            return ("sign-test", "sign", "plain")
        case "plain" if question.who:
            return ("who-does", "plain")
        case _:
            return (question.kind, "plain")


def _written(
    floor: Floor, question: Asked, told: tuple[Sentence, ...], values: dict[str, str]
) -> Iterator[Candidate]:
    """The answers that stand in the item, the documents or an earlier turn."""
    if question.kind in ("measure", "limit"):
        for sentence, figure in products(floor.reading, question.words, told):
            yield from floor.stock("figure", {**values, **_quoted(sentence, figure), "figure": figure})
    use = {"who": "who-named", "why": "reason"}.get(question.kind, "found")
    for found in find(floor.reading, question.words, question.kind, told):
        if found.answers:
            yield from floor.stock(use, {**values, **_shown(found, question)})
    if question.kind in ("measure", "limit"):
        for sentence in counted(floor.reading, question.words):
            figure = next(iter(amounts(sentence.text)), "")
            yield from floor.stock("nearly", {**values, **_quoted(sentence, figure)})
    if question.kind == "who":
        for sentence in named(floor.reading, question.words):
            yield from floor.stock(use, {**values, **_quoted(sentence)})


def _near(floor: Floor, question: Asked, told: tuple[Sentence, ...]) -> str:
    """The line that bears most on a question, said as such; empty where none does for certain."""
    found = find(floor.reading, question.words, question.kind, told)
    shown = [(_shown(each, question), each.share >= _SURE) for each in found]
    # What was quoted before is worth it again only where it surely bears on the question.
    fresh = [
        values
        for values, sure in shown[:_FEW]
        if values["quote"] and (sure or values["quote"].lower() not in floor.heard)
    ]
    return next((each.text for values in fresh for each in floor.stock("near", values)), "")


def _shown(found: Found, question: Asked) -> dict[str, str]:
    quoted = passage(found.sentence.text, question.words, _LONGEST_FOUND)
    return {"quote": quoted, "says": attributed(found.sentence, quoted) if quoted else ""}


def _quoted(sentence: Sentence, figure: str = "") -> dict[str, str]:
    quoted = figure_line(sentence, figure) if figure else quote(sentence.text, _LONGEST_FOUND)
    return {"quote": quoted, "says": attributed(sentence, quoted)}


def _told_before(floor: Floor, turn: Turn) -> tuple[Sentence, ...]:
    """What the user stated or decided earlier."""
    told = []
    for each in floor.table.turns[: turn.number - 1]:
        said = claim(each.text[:_LONGEST], floor.first_names) if each.speaker == USER else None
        if said and each.verdict.off_topic is None and len(content(said.text)) >= _LEAST_TOLD:
            told.append(Sentence(said.text, "user"))
    return tuple(told)


def _asked_for(floor: Floor, turn: Turn) -> tuple[Hit, ...]:
    """The speaker's probes that the user's words call for, on a sentence of the text that does so too."""
    spoken = {made.probe.id for made in floor.made}
    key = floor.brief.speaker.key
    pieces = tuple(
        Sentence(without_address(piece, floor.first_names), "user") for piece in utterances(turn.text)
    )
    called = hits(floor.reading, floor.library, key, pieces)
    wanted = {hit.probe.id for hit in called if hit.probe.calls_for and hit.whole} - spoken
    told = set(content(turn.text[:_LONGEST]))
    chosen = [
        hit
        for hit in hits(floor.reading, floor.library, key)
        if hit.probe.id in wanted and len(told.intersection(content(hit.sentence.text))) >= _LEAST_TOLD
    ]
    return tuple(chosen[:_MOST_PROBES])
