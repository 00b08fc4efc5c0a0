"""Replies: what the user's words call for, by what they are; short and honest where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ...core.turns import USER, Turn
from ...core.words import words_of
from .answering import added, direct, replied, shaped
from .asking import LONGEST, Asked, asked, asks_openly, main_question, unaddressed
from .bridging import led, lined, unsaid
from .choosing import sure_points
from .claims import claim, minds, unnamed
from .counting import figure_line, products
from .decisions import deciding
from .finding import bears, find, light, nearest, passage, telling
from .lexicon import words
from .phrases import content, pasted, without_address
from .reading import Sentence, attributed, language
from .speaking import NOT_WRITTEN, Candidate, Floor, next_points
from .statements import meant, taken_up
from .utterances import asks, utterances

_OPEN_TO_ALL = re.compile(
    r"\bwhat (?:do|would) (?:you|we)(?: all)? (?:think|say)\s*[?.!]*$|\b(?:what|anything) else\s*[?.!]*$"
    r"|\bwhat (?:is|are we|do we|did we) (?:missing|miss|forget)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:and |so )?what(?:'s| is)? (?:next|now)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:(?:and|so)(?: what| then| now)?|go on)\s*[?.!]*$",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"(?:(?:something|maybe something|perhaps something|a test|one) like|for example|e\.g\.|maybe|perhaps"
    r"|i(?:'d| would) (?:say|suggest|propose)|my (?:guess|proposal|suggestion)(?: is|:)|how about)\b[,:]?"
    r"\s+(?P<rest>(?!(?:i|we|you|it|that|he|she|they)\b).+)$",
    re.IGNORECASE | re.DOTALL,
)
_FIRST = re.compile(
    r"\b(?:which|what) (?P<thing>test|check|case|step|example|rule|value|name)\b", re.IGNORECASE
)
_WHY = re.compile(r"\bwhy\b|\bhow (?:so|come)\b|\bwhat do you mean\b", re.IGNORECASE)
# A line that says that something is not known answers nothing.
_NOT_SAID = re.compile(
    r"\?|\b(?:not|n't|nt|nowhere|never) (?:written|known|know|sure|decided|clear|said|defined|documented)\b"
    r"|\b(?:nobody|no one) (?:knows|wrote|said|decided)\b"
    r"|\b(?:unclear|undefined|undecided|no idea|dont know)\b",
    re.IGNORECASE,
)
_MAY_BE_TOUCHED = frozenset({"fact", "yes-no", "either", "open", "list"})
"""Questions that a line may answer in part, whatever it holds."""

_ANSWERED_ALONE = frozenset({"who-can", "view"})
"""Questions whose answer needs no line next to it."""

_MANY_LINES = 40
_LAST_WORDS = 2
"""How many turns before the limit are left to the user and to whoever answers."""

_LONGEST = 4_000
_FEW = 2
_LONGEST_FOUND = 110
_LEAST_TOLD = 3
_OPENING, _LONGEST_AND = 12, 4
"""By how much a quotation is found, and how far from the beginning of its sentence it may start."""

_SURE = 0.65
_SURELY_SHARED = 3


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
        put = [each for piece in utterances(text) if asks(each := unaddressed(piece, names))]
        # "No, too much. A whole module for one line?" asks nothing.
        asking = bool(put) and not (minds(text, names) and not any(map(asks_openly, put)))
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
    asking = main_question(turn.text, floor.first_names) if message.asks else None
    for candidate in _answers(floor, message):
        again = asking is not None and _names(candidate.text, asking)
        if again or takes_up(candidate.text, turn.text, floor.first_names) or meant(floor, turn):
            yield candidate
    named = {"asked": floor.base["subject"].strip('"'), "claim": floor.base["subject"].strip('"')}
    for candidate in floor.stock("plain" if message.asks else "stated", named):
        if takes_up(candidate.text, turn.text, floor.first_names):
            yield candidate


def follow(floor: Floor) -> Iterator[Candidate]:
    """What one other may add: an unsaid point on what was asked, else on what lies at the table."""
    turn = floor.answered
    if turn is None:
        return
    message = Message.of(turn, floor.first_names)
    since = [each for each in floor.table.turns[turn.number :] if each.speaker != USER]
    if message.little or message.pasted or len(since) > 1:
        return
    asked_here = _asked_there(floor, turn) if message.asks and not message.decides else []
    question = main_question(turn.text, floor.first_names)
    if asked_here and question:
        for candidate in unsaid(floor, question.words):
            if takes_up(candidate.text, turn.text, floor.first_names):
                yield candidate
        yield from added(floor, asked_here, "question")
    if floor.brief.number >= floor.table.max_turns - _LAST_WORDS:
        return
    if _quietest(floor, since):
        yield from sure_points(floor)
    yield from _on_its_shape(floor, message)


def _on_its_shape(floor: Floor, message: Message) -> Iterator[Candidate]:
    """What another adds to how a question or an objection is put."""
    text, names = message.turn.text[:_LONGEST], floor.first_names
    if message.decides or language(text) == "foreign":
        return
    question = main_question(text, names)
    if message.asks and question:
        yield from shaped(floor, question.asked, question.asked, "question", "opens-added")
    elif minds(text, names) and (said := claim(text, names)):
        yield from shaped(floor, unnamed(text, names), said.text, "objection", "opens-added")


def _quietest(floor: Floor, since: Sequence[Turn]) -> bool:
    """True where nobody but those who just answered has been silent for longer."""
    last = {turn.speaker: turn.number for turn in floor.table.turns}
    answered = {turn.speaker for turn in since}
    mine = last.get(floor.brief.speaker.key, 0)
    others = (each.key for each in floor.table.roster.personas if each.key not in answered)
    return all(mine <= last.get(key, 0) for key in others)


def _names(text: str, question: Asked) -> bool:
    """True where a reply says the question again, whole or as it turned it round."""
    said = (question.asked, question.clause, question.when, question.outcome)
    return any(each and each.lower() in text.lower() for each in said)


def takes_up(text: str, message: str, names: Iterable[str] = ()) -> bool:
    """True where a reply speaks of what the message speaks of, apart from whom it addresses."""
    told = set(content(message[:_LONGEST])) - set(content(" ".join(names)))
    # A word that stands everywhere shows nothing, as long as there are others.
    told = told - light() or told
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
    question = main_question(turn.text, floor.first_names)
    if message.asks and not message.decides and question:
        yield from _answered(floor, turn, question)


# --- questions ------------------------------------------------------------------------------------------


def _answered(floor: Floor, turn: Turn, question: Asked) -> Iterator[Candidate]:
    """What is written where it answers; else honestly that it is not, and what truly bears on it."""
    values = {"asked": question.asked, "clause": question.clause, "when": question.when}
    told = _told_before(floor, turn)
    yield from _proposed(floor, turn, question)
    yield from _written(floor, question, told, values)
    yield from replied(floor, _asked_there(floor, turn), "question", "opens-asked")
    yield from _with_nearest(floor, question)
    yield from direct(floor, question)
    use = NOT_WRITTEN.get(question.kind, "plain")
    for point in unsaid(floor, question.words):
        yield from led(floor, use, values, point.text)
    if question.kind in _ANSWERED_ALONE:
        yield from floor.stock(use, values)
    else:
        yield from lined(floor, use, values, "near", question.words)


def _with_nearest(floor: Floor, question: Asked) -> Iterator[Candidate]:
    """The direct answers with the line that comes nearest to the question, where one does."""
    sentence = nearest(floor.reading, question.words)
    if sentence is None or not floor.may_quote(sentence) or _NOT_SAID.search(sentence.text):
        return
    quoted = passage(sentence.text, question.words, _LONGEST_FOUND)
    # A part out of the middle of a sentence is not understood alone.
    if quoted and 0 <= sentence.text.lower().find(quoted[:_OPENING].lower()) <= _LONGEST_AND:
        for line in islice(floor.stock("near", _quoted(sentence, quoted)), 1):
            yield from direct(floor, question, line.text)


def _asked_there(floor: Floor, turn: Turn) -> list[str]:
    """Each question of a message, then all its words where it holds more than one sentence."""
    names, pieces = floor.first_names, utterances(turn.text[:_LONGEST])
    found = [asked(piece, names).asked for piece in pieces if asks(unaddressed(piece, names))]
    return found if len(pieces) == 1 else [*found, without_address(turn.text[:_LONGEST], names)]


def _proposed(floor: Floor, turn: Turn, question: Asked) -> Iterator[Candidate]:
    """What the user proposes right after the question, taken up as a first answer to it."""
    pieces = utterances(turn.text)
    names = floor.first_names
    at = next(place for place, piece in enumerate(pieces) if asks(unaddressed(piece, names)))
    for piece in pieces[at + 1 :]:
        found = _PROPOSES.match(piece.strip())
        own = found["rest"].rstrip(" .!?").replace('"', "'") if found else ""
        if own and not asks(own) and len(own.split()) >= _LEAST_TOLD and len(own) <= LONGEST:
            named = _FIRST.search(question.words)
            if named:
                yield from floor.stock("proposed", {"claim": own, "thing": named["thing"].lower()})


def _written(
    floor: Floor, question: Asked, told: tuple[Sentence, ...], values: dict[str, str]
) -> Iterator[Candidate]:
    """The answers that stand in the item, the documents or an earlier turn; last a line that may be one."""
    if question.kind in ("measure", "limit"):
        for sentence, figure in products(floor.reading, question.words, told):
            known = {"figure": figure, **_quoted(sentence, figure_line(sentence, figure))}
            yield from floor.stock("figure", {**values, **known})
    found = find(floor.reading, question.words, question.kind, told)
    use = {"who": "who-named", "why": "reason"}.get(question.kind, "found")
    for each in found:
        quoted = passage(each.sentence.text, question.words, _LONGEST_FOUND)
        if quoted and each.answers and not _NOT_SAID.search(each.sentence.text):
            yield from floor.stock(use, {**values, **_quoted(each.sentence, quoted)})
    rare = telling(floor.reading, question.words)
    for each in found[:1] if question.kind in _MAY_BE_TOUCHED else ():
        quoted = passage(each.sentence.text, question.words, _LONGEST_FOUND)
        surely = each.share >= _SURE and bears(each.sentence.text, rare) >= _SURELY_SHARED
        if quoted and surely and not _NOT_SAID.search(each.sentence.text):
            yield from floor.stock("touches", {**values, **_quoted(each.sentence, quoted)})


def _quoted(sentence: Sentence, quoted: str) -> dict[str, str]:
    return {"quote": quoted, "says": attributed(sentence, quoted)}


def _told_before(floor: Floor, turn: Turn) -> tuple[Sentence, ...]:
    """What the user stated or decided earlier."""
    told = []
    for each in floor.table.turns[: turn.number - 1]:
        said = claim(each.text[:_LONGEST], floor.first_names) if each.speaker == USER else None
        if said and each.verdict.off_topic is None and len(content(said.text)) >= _LEAST_TOLD:
            told.append(Sentence(said.text, "user"))
    return tuple(told)
